"""Texts beside their references: files with one text per line, or columns of tables."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.cli.model_names import model_names
from assay.cli.readers.reader import CompareInput, DataOptions, ScoreInput
from assay.cli.readers.tables import TableReader
from assay.core.errors import ParameterError
from assay.evaluation.text_baselines import WITH_SOURCE
from assay.io.tables import SUFFIXES, display_name

_COLUMNS = ("pred", "weight", "groups", "strata", "ids", "by", "inputs", "input_format")


def _role(words: str) -> re.Pattern[str]:
    """Names of files that have one of these words between marks such as dots and dashes."""
    return re.compile(rf"(?:^|[^a-z])(?:{words})\d*(?:[^a-z]|$)", re.IGNORECASE)


_REFERENCE = _role("refs?|references?|gold|truth|target|tgt")
_OUTPUT = _role("hyps?|hypothes[ie]s|preds?|predictions?|output|out|sys|system|mt")


class TextReader:
    """Tasks of texts. With ``--truth`` the files are tables; else the truth comes first, then the texts, line by line."""

    options = frozenset({"truth", *_COLUMNS, "missing", "references", "source"})

    def check(self, data: DataOptions, command: str) -> None:
        """Columns belong to tables, and files of lines come in pairs."""
        if data.truth is not None:
            for option, there in (("--ref", data.references), ("--source", data.source)):
                if there:
                    fix = (
                        "Drop --truth for files with one text per line; several columns of references are --truth a,b."
                    )
                    raise ParameterError("", option, "names a file, but --truth names a column of a table", fix)
            TableReader().check(data, command)
            return
        self._refuse_columns(data)
        if data.source is not None and data.task not in WITH_SOURCE:
            raise ParameterError("", "--source", f"does not apply to --task {data.task}", "Drop it.")
        wanted = {"score": 1, "compare": 2}[command] + (not data.references)
        if len(data.files) < wanted or (command == "score" and len(data.files) > wanted):
            forms = {"score": "assay score REFERENCES TEXTS", "compare": "assay compare REFERENCES FIRST SECOND"}
            given = "the references, then the texts"
            if data.references:
                given, forms = (
                    "the texts alone where --ref names the references",
                    dict.fromkeys(forms, "assay score TEXTS --ref REFERENCES"),
                )
            raise ParameterError("", f"--task {data.task}", f"takes {given}: {forms[command]}")

    def _refuse_columns(self, data: DataOptions) -> None:
        for name, option in data.given().items():
            if name in _COLUMNS:
                fix = "Name the column of references with --truth, or drop it."
                raise ParameterError(
                    "", option, "applies to tables, and the files were taken as one text per line", fix
                )
        for path in data.files:
            kind = SUFFIXES.get(Path(path).suffix.lower())
            if kind is not None:
                fix = "Name its columns with --truth and --pred."
                raise ParameterError("", path, f"is a table ({kind}), not a file with one text per line", fix)

    def score(self, data: DataOptions) -> ScoreInput:
        """The references and the texts of one system."""
        if data.truth is not None:
            return TableReader().score(data)
        references, [text] = _roles(data)
        arguments, texts = _read(data, references, [text])
        return ScoreInput({**arguments, "y_pred": texts[0]}, notes=(_note(references, text),))

    def compare(self, data: DataOptions) -> CompareInput:
        """The references and the texts of several systems."""
        if data.truth is not None:
            return TableReader().compare(data)
        references, texts = list(data.references) or [data.files[0]], list(data.files[0 if data.references else 1 :])
        stems = [Path(path).name.split(".")[0] or path for path in texts]
        names = model_names(data.names, len(texts), [stems, texts])
        arguments, found = _read(replace(data, source=None), references, texts)
        matched = f"references: {_listed(references)}, line by line"
        return CompareInput(dict(zip(names, found, strict=True)), arguments, matched=matched)


def _roles(data: DataOptions) -> tuple[list[str], list[str]]:
    """The files of references and of texts: the truth comes first, unless the names say that it came second."""
    if data.references:
        return list(data.references), list(data.files)
    first, second = data.files
    swapped = _says(_OUTPUT, first) and _says(_REFERENCE, second)
    return ([second], [first]) if swapped else ([first], [second])


def _says(role: re.Pattern[str], path: str) -> bool:
    """Whether the name of a file tells that it has this role, and no other."""
    other = _REFERENCE if role is _OUTPUT else _OUTPUT
    name = Path(path).name
    return bool(role.search(name)) and not other.search(name)


def _read(data: DataOptions, references: list[str], texts: list[str]) -> tuple[dict[str, Any], list[list[str]]]:
    """The arguments that all systems share, and the lines of each."""
    from assay.io.text_lines import read_parallel

    sources = [] if data.source is None else [data.source]
    lines = read_parallel([*references, *texts, *sources])
    of_references, own = lines[: len(references)], lines[len(references) : len(references) + len(texts)]
    y_true = of_references[0] if len(references) == 1 else [list(row) for row in zip(*of_references, strict=True)]
    extra = {"extra": {"source": lines[-1]}} if sources else {}
    return {"task": data.task, "y_true": y_true, **extra}, own


def _note(references: list[str], text: str) -> str:
    return f"references: {_listed(references)}; texts: {display_name(text)}"


def _listed(paths: list[str]) -> str:
    return ", ".join(map(display_name, paths))
