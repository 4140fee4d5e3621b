"""Everything that is known about a loss, gathered from its record, its docstring and its signature."""

from __future__ import annotations

import inspect
import re
import typing
from typing import Any

from assay.explain.formula import to_unicode
from assay.explain.metric_explanation import Docs, Explanation, Parameter, plain, range_text, type_text
from assay.explain.parameter_meanings import LOSS_PARAMETERS, ONE_LOSS, REDUCTION_PARAMETERS
from assay.explain.pitfalls import PITFALLS
from assay.explain.references import cited


def loss_explanation(loss: Any) -> Explanation:
    """The explanation of a loss."""
    doc, record = Docs(loss), loss.record
    inputs, parameters = _signature(loss)
    return Explanation(
        kind="loss", task=loss.task, key=loss.key, title=record.title, summary=doc.summary,
        formula=to_unicode(doc.latex), latex=doc.latex, meaning=doc.meaning,
        call=f"assay.losses.{loss.key}({', '.join(inputs)})", takes=[], parameters=parameters,
        range=range_text(record.range), better="lower", undefined="", use=record.use, misleads=record.misleads,
        example=doc.example, equals=list(record.equals), interval="", properties=sorted(record.properties),
        references=cited(record.references), erratum=record.erratum,
        pitfalls=[PITFALLS[number] for number in record.traps if number in PITFALLS], differs=list(record.differs),
        aliases=list(record.aliases), instead=record.instead,
    )  # fmt: skip


def _signature(loss: Any) -> tuple[list[str], list[Parameter]]:
    """The positional inputs, and the keyword-only parameters with their defaults; the shared ones last."""
    hints = typing.get_type_hints(loss)
    inputs: list[str] = []
    found: list[Parameter] = []
    for name, p in inspect.signature(loss).parameters.items():
        if p.kind is p.POSITIONAL_OR_KEYWORD:
            inputs.append(name)
        elif p.kind is p.KEYWORD_ONLY:
            default = "" if p.default is p.empty else ("none" if p.default is None else repr(p.default))
            found.append(Parameter(name, _type(hints.get(name, Any)), default, _meaning(loss, name)))
        elif p.kind is p.VAR_KEYWORD:
            shared = REDUCTION_PARAMETERS.items()
            found += [Parameter(n, kind, default, meaning) for n, (default, kind, meaning) in shared]
    return inputs, found


def _type(hint: Any) -> str:
    return "array" if hint is Any else type_text(hint)


def _meaning(loss: Any, name: str) -> str:
    """What the parameter means in this loss: as stated, else the sentence of the docstring about it."""
    return ONE_LOSS.get((loss.key, name)) or _sentence(loss, name) or LOSS_PARAMETERS.get(name, "")


def _sentence(loss: Any, name: str) -> str:
    blocks = re.split(r"\n\s*\n", (loss.__doc__ or "").partition(">>>")[0])
    for block in (" ".join(b.split()) for b in blocks if ".. math::" not in b):
        for sentence in re.split(r"(?<=[.;:])\s+(?=[A-Z`])", block):
            if re.search(rf"``{name}(?:``|=)", sentence):
                return plain(sentence).rstrip(".;:")
    return ""
