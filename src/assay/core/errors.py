"""One tree of exceptions and warnings. An error says who complains, about which argument, what is wrong, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Self

from assay.core.peers import ARGUMENTS, NOTES

Wording = Callable[[str, str | None], str]
_PARTS = ("who", "argument", "problem", "fix")
_FORMER = {  # names of earlier versions that no spelling leads to
    "pictures": ("image_quality",), "images": ("image_generation",), "cap": ("max_detections",),
    "caps": ("max_detection_thresholds",), "sizes": ("area_ranges",), "size": ("area_range", "window_size"),
    "ious": ("iou_thresholds",), "kind": ("iou_type",), "by_class": ("class_agnostic",), "least": ("min_samples",),
    "mode": ("form",), "normalise": ("normalize",),
}  # fmt: skip
_ALIKE, _NEAR = 0.6, 0.15  # ratios of letters in common: to be named at all, and beside the best
_SHORT, _ALIKE_SHORT, _SWAPPED = 6, 0.75, 0.9  # for short names: fewer letters agree by chance, swapped ones do not
_START, _EQUALS, _END = "\ue000", "\ue001", "\ue002"  # private characters around an argument that a text names


class AssayError(Exception):
    """Root of everything that assay raises on purpose.

    An error carries its parts as data: ``who`` complains (a metric, a function, a file), the ``argument`` at fault, the ``problem``
    with it, and the ``fix``. The sentence is made from them, in Python's words by default and in those of the command line by
    `worded`. Texts name further arguments by `arg`, so that every wording can write them in its own way.
    """

    def __init__(self, who: str, argument: str, problem: str, fix: str = "") -> None:
        super().__init__(who, argument, problem, fix)
        self.who = who
        self.argument = argument
        self._problem, self._fix = problem, fix

    @property
    def problem(self) -> str:
        """What is wrong with the argument."""
        return in_python(self._problem)

    @property
    def fix(self) -> str:
        """What to do about it; may be empty."""
        return in_python(self._fix).strip()

    def but(self, **parts: str) -> Self:
        """The same error with some parts replaced: ``error.but(fix="Choose another name.")``."""
        own: dict[str, str] = dict(zip(_PARTS, self.args, strict=True))
        return type(self)(**{**own, **parts})

    def worded(self, wording: Wording, who: str | None = None) -> str:
        """The sentence with arguments written by ``wording``; ``who`` replaces the one who complains."""
        head = f"{self.who if who is None else who}: ".removeprefix(": ")
        about = f"{wording(self.argument, None)} " if self.argument else ""
        problem, fix = (_rewritten(text, wording).strip() for text in (self._problem, self._fix))
        ending = "" if problem.endswith((".", "?", "!")) else "."
        return f"{head}{about}{problem}{ending} {fix}".rstrip()

    def __str__(self) -> str:
        return self.worded(_python)


class InputError(AssayError, ValueError):
    """The data given do not fit: shape, dtype, values, labels."""


class EmptyInputError(InputError):
    """The data hold nothing to measure: no rows, or no row with any weight. A stream takes such a batch and goes on."""


class ParameterError(AssayError, ValueError):
    """A parameter of a metric, loss or command does not fit."""


class UndefinedError(AssayError, ArithmeticError):
    """The value is undefined on these data and ``undefined="error"`` was requested."""


class StateError(AssayError, ValueError):
    """A state cannot be merged or read: other metric, foreign or newer bytes."""


class UnknownNameError(AssayError, LookupError):
    """No entry, column or option of this name."""


class DependencyError(AssayError, ImportError):
    """An optional package is needed for this."""


class LawError(AssayError, AssertionError):
    """A metric breaks a law that every metric keeps; raised by ``assay.testing`` only."""


class AssayWarning(UserWarning):
    """Root of everything that assay warns of."""


class UndefinedWarning(AssayWarning):
    """A value, class or row was undefined and has been treated as the ``undefined`` policy says."""


class SelectionWarning(AssayWarning):
    """A threshold was chosen on the data at hand: what it reaches there is optimistic until it is tested on other data."""


def arg(name: str, value: object = ...) -> str:
    """An argument, with a value if one is given, inside the text of an error: ``Choose {arg("method", "wilson")}.``"""
    text = "" if value is ... else f"{_EQUALS}{value!r}"
    return f"{_START}{name}{text}{_END}"


def in_python(text: str) -> str:
    """A text with its arguments as Python writes them: ``method='wilson'``."""
    return _rewritten(text, _python)


def _python(name: str, value: str | None) -> str:
    return name if value is None else f"{name}={value}"


def _rewritten(text: str, wording: Wording) -> str:
    plain, *marked = text.split(_START)
    pieces = [plain]
    for part in marked:
        named, _, rest = part.partition(_END)
        name, equals, value = named.partition(_EQUALS)
        pieces += [wording(name, value if equals else None), rest]
    return "".join(pieces)


def shown(value: object) -> str:
    """A value as it stands in a message: short, on one line, and never an error of its own."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer of thousands of digits, an object that is not ready
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:60]}... ({type(value).__name__})"


def did_you_mean(name: object, known: Iterable[object], aliases: Mapping[str, str] | None = None) -> str:
    """A closing sentence that helps after a misspelt name; empty if nothing is close and the list is long."""
    names = sorted({str(one) for one in known})
    return suggestion(name, names, aliases) or (f" There are: {', '.join(names)}." if len(names) <= 12 else "")


def suggestion(name: object, known: Iterable[object], aliases: Mapping[str, str] | None = None) -> str:
    """The names that were probably meant, as a question; empty if nothing is close.

    ``aliases`` are further names and what they stand for. Names that are much less alike than the best one are left out:
    'sensitivty' is 'sensitivity', and no reason to think of 'specificity'.
    """
    names, further = sorted({str(one) for one in known}), aliases or {}
    if isinstance(name, str) and (elsewhere := _elsewhere(name, names)):
        return elsewhere
    alike = _alike(name, [*names, *further]) if isinstance(name, str) else {}
    best: dict[str, str] = {}  # of several names of one thing, the one that is most alike
    for one in alike:
        best.setdefault(further.get(one, one), one)
    close = [found for found in best.values() if alike[found] > max(alike.values()) - _NEAR][:3]
    if close:
        shown = (f"{one!r} (alias of {further[one]!r})" if one in further else repr(one) for one in close)
        return f" Did you mean {' or '.join(shown)}?"
    return ""


def _elsewhere(name: str, names: list[str]) -> str:
    """What earlier versions or other libraries called something here; empty if they did not."""
    now = [new for new in _FORMER.get(name, ()) if new in names][:1] or [
        own for own in ARGUMENTS.get(name, ()) if own in names
    ][:2]
    return f" Did you mean {' or '.join(map(repr, now))}?" if now else f" {NOTES.get(name, '')}".rstrip()


def _alike(name: str, names: Iterable[str]) -> dict[str, float]:
    """Names that are spelt alike, the most alike first, and how much they are."""
    ratios = {one: _ratio(one.lower(), name.lower()) for one in names}
    least = _ALIKE_SHORT if len(name) < _SHORT else _ALIKE
    return {one: ratios[one] for one in sorted(ratios, key=lambda n: -ratios[n]) if ratios[one] >= least}


def _ratio(one: str, other: str) -> float:
    ratio = difflib.SequenceMatcher(None, one, other).ratio()
    return max(ratio, _SWAPPED) if one[:1] == other[:1] and sorted(one) == sorted(other) else ratio
