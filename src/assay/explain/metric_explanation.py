"""Everything that is known about an entry, gathered from its record, its docstring and its parameters."""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
import re
import textwrap
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.arrays import ArrayLike
from assay.core.functions import default_of
from assay.core.metric import Metric
from assay.core.signatures import as_text
from assay.explain.formula import to_unicode
from assay.explain.parameter_meanings import METRIC_PARAMETERS
from assay.explain.pitfalls import PITFALLS, Pitfall
from assay.explain.references import cited
from assay.inference.families import family_of

_ARRAYS: tuple[object, ...] = typing.get_args(ArrayLike)
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "none": "no direction of its own"}


@dataclass(frozen=True)
class Parameter:
    """A parameter with its type, default and meaning."""

    name: str
    type: str
    default: str
    meaning: str


@dataclass(frozen=True)
class Explanation:
    """The facts, in the order in which they are read."""

    kind: str
    task: str
    key: str
    title: str
    summary: str
    formula: str
    latex: str
    meaning: str
    call: str
    takes: list[str]
    parameters: list[Parameter]
    range: str
    better: str
    undefined: str
    use: str
    misleads: str
    example: str
    equals: list[str]
    interval: str
    properties: list[str]
    references: list[str]
    erratum: str
    pitfalls: list[Pitfall]
    differs: list[str]
    aliases: list[str]
    instead: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return dataclasses.asdict(self)


def explanation(cls: type[Metric[Any]]) -> Explanation:
    """The explanation of a metric."""
    doc, record = Docs(cls), cls.record
    return Explanation(
        kind="metric", task=cls.task, key=cls.key, title=record.title, summary=doc.summary,
        formula=to_unicode(doc.latex), latex=doc.latex, meaning=doc.meaning, call=_call(cls), takes=list(record.takes),
        parameters=parameters(cls),
        range=range_text(record.range), better=record.better, undefined=record.undefined, use=record.use,
        misleads=record.misleads, example=doc.example, equals=list(record.equals), interval=_interval(cls),
        properties=sorted(p.replace("_", " ") for p in record.properties),
        references=cited(record.references), erratum=record.erratum,
        pitfalls=[PITFALLS[number] for number in record.traps if number in PITFALLS], differs=list(record.differs),
        aliases=list(record.aliases),
    )  # fmt: skip


def range_text(bounds: tuple[float, float]) -> str:
    """``0 … 1``, ``0 … ∞``."""
    return " … ".join(str(b).replace("inf", "∞") if math.isinf(b) else f"{b:g}" for b in bounds)


def _call(cls: type[Metric[Any]]) -> str:
    inputs = list(cls.takes.required)
    if cls.takes.one_of:
        inputs.append(f"{'|'.join(cls.takes.optional)}")
    else:
        inputs += [f"{name}=..." for name in (*cls.takes.optional, *cls.takes.free)]
    return f"assay.{cls.key}({', '.join(inputs)})"


def _interval(cls: type[Metric[Any]]) -> str:
    return family_of(cls).interval_words


class Docs:
    """A docstring in its parts: first line, formula, text, example."""

    def __init__(self, cls: Any) -> None:
        first, _, rest = (cls.__doc__ or "").strip().partition("\n")
        blocks = [b for b in re.split(r"\n\s*\n", textwrap.dedent(rest)) if b.strip()]
        math_blocks = [b for b in blocks if b.lstrip().startswith(".. math::")]
        examples = [b for b in blocks if b.lstrip().startswith(">>>")]
        words = [b for b in blocks if b not in math_blocks and b not in examples]
        self.summary = plain(first)
        self.latex = " ".join(" ".join(b.replace(".. math::", "").split()) for b in math_blocks)
        self.meaning = "\n\n".join(plain(" ".join(b.split())) for b in words)
        self.example = "\n".join(textwrap.dedent(b).strip() for b in examples)


def plain(text: str) -> str:
    """Without the marks of reStructuredText."""
    text = re.sub(r":math:`([^`]*)`", lambda formula: to_unicode(formula[1]), text)
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", text).replace("``", "").replace("`", "")


def parameters(cls: type[Metric[Any]]) -> list[Parameter]:
    """The parameters of an entry: its own first, then those it shares with its family."""
    hints = typing.get_type_hints(cls)
    own = set(inspect.get_annotations(cls))
    fields = sorted(dataclasses.fields(cls), key=lambda f: (f.name not in own, f.name == "undefined"))
    return [Parameter(f.name, type_text(hints[f.name]), _default(f), _meaning(cls, f.name)) for f in fields]


def _default(field: dataclasses.Field[Any]) -> str:
    value = default_of(field)
    if isinstance(value, tuple):
        return json.dumps(_rounded(value))
    return repr(value) if isinstance(value, str) else as_text(value).strip("{}")


def _rounded(value: Any) -> Any:
    """Without the last binary digits: 0.9 where a sum left 0.8999999999999999."""
    if isinstance(value, tuple):
        return [_rounded(one) for one in typing.cast("tuple[Any, ...]", value)]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def type_text(hint: Any) -> str:
    """A type for readers: the options of a Literal, else plain words. All that is read as an array is one word."""
    args = typing.get_args(hint)
    if all(member in args for member in _ARRAYS):
        return " | ".join(["array", *(type_text(a) for a in args if a not in _ARRAYS)])
    if typing.get_origin(hint) is typing.Literal:
        return " | ".join(repr(a) for a in args)
    if hint is Any:
        return "label"
    if getattr(typing.get_origin(hint) or hint, "__name__", "") == "Metric":
        return "metric"
    if typing.get_origin(hint) in (Callable, Mapping):
        return "function" if typing.get_origin(hint) is Callable else "mapping"
    if typing.get_origin(hint) is tuple:
        return "list of " + type_text(args[0])
    if args and not isinstance(hint, type):
        return " | ".join(dict.fromkeys(type_text(a) for a in args))
    words = {int: "integer", float: "number", str: "text", bool: "true | false", type(None): "none"}
    return words.get(hint, str(getattr(hint, "__name__", hint)))


def _meaning(cls: type, name: str) -> str:
    """The sentence about the parameter in the docstring of the class or of a base class."""
    if name in METRIC_PARAMETERS and name not in inspect.get_annotations(cls):
        return METRIC_PARAMETERS[name]
    for base in cls.__mro__:
        text = (base.__doc__ or "").partition(">>>")[0] if base is not Metric and issubclass(base, Metric) else ""
        text = " ".join(re.sub(r"\.\. math::.*", "", text).split())
        for sentence in re.split(r"(?<=[.;:])\s+(?=[A-Z`])", text):
            if re.search(rf"``{name}(?:``|=)", sentence):
                return plain(sentence).rstrip(".;:")
    return METRIC_PARAMETERS.get(name, "")
