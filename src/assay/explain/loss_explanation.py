"""Everything that is known about a loss, gathered from its record, its docstring and its signature."""

from __future__ import annotations

import inspect
import re
import typing
from typing import Any, cast

from assay.explain.bibliography import REFERENCES
from assay.explain.formula import to_unicode
from assay.explain.loss_parameters import OWN, SENSES, SHARED
from assay.explain.metric_explanation import Docs, Explanation, Parameter, plain, range_text, type_text
from assay.explain.pitfalls import TRAPS


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
        references=[REFERENCES.get(key, key) for key in cast("tuple[str, ...]", record.references)], erratum=record.erratum,
        traps=[TRAPS[number] for number in record.traps if number in TRAPS], differs=list(record.differs),
        instead=record.instead,
    )  # fmt: skip


def _signature(loss: Any) -> tuple[list[str], list[Parameter]]:
    """The inputs by place, and the parameters by name with their defaults; the shared ones last."""
    hints = typing.get_type_hints(loss)
    inputs: list[str] = []
    found: list[Parameter] = []
    for name, p in inspect.signature(loss).parameters.items():
        if p.kind is p.POSITIONAL_OR_KEYWORD:
            inputs.append(name)
        elif p.kind is p.KEYWORD_ONLY:
            default = "" if p.default is p.empty else ("none" if p.default is None else repr(p.default))
            found.append(Parameter(name, _type(hints.get(name, Any)), default, _sense(loss, name)))
        elif p.kind is p.VAR_KEYWORD:
            shared = ("weight", "mask", "reduction", "undefined")
            found += [Parameter(n, SHARED[n][1], SHARED[n][0], SHARED[n][2]) for n in shared]
    return inputs, found


def _type(hint: Any) -> str:
    return "array" if hint is Any else type_text(hint)


def _sense(loss: Any, name: str) -> str:
    """What the parameter means in this loss: as stated, else the sentence of the docstring that speaks of it."""
    return OWN.get((loss.key, name)) or _sentence(loss, name) or SENSES.get(name, "")


def _sentence(loss: Any, name: str) -> str:
    blocks = re.split(r"\n\s*\n", (loss.__doc__ or "").partition(">>>")[0])
    for block in (" ".join(b.split()) for b in blocks if ".. math::" not in b):
        for sentence in re.split(r"(?<=[.;:])\s+(?=[A-Z`])", block):
            if re.search(rf"``{name}(?:``|=)", sentence):
                return plain(sentence).rstrip(".;:")
    return ""
