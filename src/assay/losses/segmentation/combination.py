"""Any weighted sum of losses as one loss that also reports its parts."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from assay.core.arrays import Array, ArrayLike, array_api_compat, namespace
from assay.core.errors import InputError, ParameterError, did_you_mean
from assay.core.loss import find_loss, loss
from assay.losses.class_inputs import IGNORED
from assay.losses.inputs import numbers_of
from assay.losses.reduction import Parts
from assay.losses.schedules import Schedule

Terms: TypeAlias = "Mapping[str, float | Schedule] | Iterable[Term]"


@dataclass(frozen=True)
class Term:
    """One loss of a sum: its name (or a function), its weight (a number or a function of the step), its parameters.

    ``inputs`` names what it is called with where that is not the prediction and the target; ``name`` is what its part is
    called, by default the name of the loss.
    """

    loss: str | Callable[..., Array]
    weight: float | Schedule = 1.0
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    inputs: tuple[str, ...] = ("prediction", "target")
    name: str = ""

    def __post_init__(self) -> None:
        """Refuse a name, a weight or a parameter that does not exist, before training begins."""
        function = self.function
        known = inspect.signature(function).parameters
        if self.parameters.get("reduction", "mean") == "none" or self.parameters.get("parts", False):
            raise ParameterError(
                "combined", "", f"{self.title} must be one number: no reduction='none' and no parts=True"
            )
        if not any(p.kind is p.VAR_KEYWORD for p in known.values()):
            for name in self.parameters:
                if name not in known:
                    raise ParameterError(
                        "combined", "", f"{self.title} has no parameter {name!r}", did_you_mean(name, known)
                    )
        if not (callable(self.weight) or _is_number(self.weight)):
            raise ParameterError(
                "combined",
                "",
                f"the weight of {self.title} must be a number or a function of the step, got {self.weight!r}",
            )

    @property
    def function(self) -> Callable[..., Array]:
        """The loss itself."""
        return find_loss(self.loss) if isinstance(self.loss, str) else self.loss

    @property
    def title(self) -> str:
        """The name of its part."""
        return self.name or (self.loss if isinstance(self.loss, str) else getattr(self.loss, "__name__", "loss"))

    def share(self, step: Array | float | None) -> Array | float:
        """The weight at a step."""
        if not callable(self.weight):
            return self.weight
        if step is None:
            raise InputError("combined", "", f"the weight of {self.title} follows a schedule, so give step=")
        return self.weight(step)


def _is_number(value: Any) -> bool:
    if array_api_compat.is_array_api_obj(value):
        return value.ndim == 0
    return not isinstance(value, bool) and isinstance(value, numbers.Real) and math.isfinite(value)


def as_terms(terms: Terms) -> tuple[Term, ...]:
    """Terms from a mapping of names to weights, or as they are; no two parts of one name."""
    if isinstance(terms, Mapping):
        made = tuple(Term(name, weight) for name, weight in cast("Mapping[str, Any]", terms).items())
    else:
        listed = isinstance(cast(Any, terms), Iterable) and not isinstance(terms, str) and getattr(terms, "ndim", 1) > 0
        made = tuple(terms) if listed else ()
        if not listed or not all(isinstance(cast(Any, term), Term) for term in made):
            raise ParameterError("combined", "terms", f"must map names to weights or hold Terms, got {terms!r}")
    titles = [term.title for term in made]
    twice = sorted({title for title in titles if titles.count(title) > 1})
    if not made or twice:
        what = f"two terms are called {twice[0]}: give them a name=" if twice else "there are no terms"
        raise ParameterError("combined", "", f"{what}")
    return made


def ignoring(terms: tuple[Term, ...], ignore_index: int | None) -> tuple[Term, ...]:
    """The terms with this label to ignore, except those that name their own; refused if one of them has no such parameter."""
    if ignore_index == IGNORED:  # the default of every term
        return terms
    for term in terms:
        if "ignore_index" not in inspect.signature(term.function).parameters:
            having = ", ".join(other.title for other in terms if other is not term)
            raise ParameterError(
                "combined",
                "",
                f"{term.title} has no ignore_index",
                "Leave places out of it by a mask, or give ignore_index to the other terms alone ("
                f"{having or 'there are none'}): Term(..., parameters={{'ignore_index': {ignore_index}}}).",
            )
    return tuple(replace(term, parameters={"ignore_index": ignore_index, **term.parameters}) for term in terms)


@loss(
    title="Combined",
    use="what one loss alone misses: the pixels by cross entropy and the region by Dice",
    instead="one loss, if a second one does not help",
    misleads="terms of different size: the largest decides, whatever the weights seem to say",
    references=("kendall2018", "isensee2021"),
    range=(float("-inf"), float("inf")),
    aliases=("combo", "compound"),
)
def combined(
    prediction: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    terms: Terms,
    parts: bool = False,
    step: Array | float | None = None,
    log_variances: ArrayLike | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    ignore_index: int | None = -100,
    shared: Mapping[str, ArrayLike | None] | None = None,
) -> Array:
    r"""Weighted sum of losses.

    .. math:: \ell = \sum_i w_i \ell_i

    ``terms`` maps names of losses to weights, or lists `Term`s with parameters of their own; a weight may be a function of
    ``step``, such as `Ramp`. ``ignore_index`` reaches every term that does not name its own. ``parts=True`` gives the single
    losses, unweighted, beside the total. ``shared`` are options for every term, such as a mask; ``inputs`` are further arrays
    by the names that terms ask for.

    ``log_variances`` (one number per term, learned with the model) weighs by uncertainty: the sum is then of
    (exp(-s) l + s)/2 in the place of l, so that a term that cannot be learnt well counts less.

    >>> float(combined([1.0, 2.0], [1.0, 4.0], terms={"mse": 1.0, "mae": 0.5}))
    2.5
    """
    made = ignoring(as_terms(terms), ignore_index)
    given = {"prediction": prediction, "target": target, **(inputs or {})}
    values = {term.title: _value(term, given, shared or {}) for term in made}
    weighed = _uncertain(list(values.values()), log_variances) if log_variances is not None else list(values.values())
    total = sum((term.share(step) * value for term, value in zip(made, weighed, strict=True)), start=cast(Any, 0.0))
    return Parts(total, values) if parts else total


def _value(term: Term, given: Mapping[str, Any], shared: Mapping[str, Any]) -> Array:
    _refuse_learned(term)
    missing = [name for name in term.inputs if given.get(name) is None]
    if missing:
        raise InputError("combined", "", f"{term.title} needs {' and '.join(missing)}", "Pass it by inputs={...}.")
    known = inspect.signature(term.function).parameters
    refused = [n for n in shared if n not in known and not any(p.kind is p.VAR_KEYWORD for p in known.values())]
    if refused:
        raise ParameterError(
            "combined", "", f"{term.title} does not take {refused[0]}", "Give it to the other terms alone."
        )
    return term.function(*(given[name] for name in term.inputs), **{**shared, **term.parameters})


def _refuse_learned(term: Term) -> None:
    """Class vectors must come from somewhere: as an input of the term."""
    record = getattr(term.function, "record", None)
    for name in () if record is None else record.learned:
        if name not in (*term.inputs, *term.parameters):
            raise InputError(
                "combined",
                "",
                f"{term.title} learns {name}",
                f"Name them among the inputs of its Term, inputs=('prediction', 'target', '{name}'), and pass them by "
                f"inputs={{'{name}': ...}}.",
            )


def _uncertain(values: list[Array], log_variances: Any) -> list[Array]:
    log_variances = numbers_of("combined", "log_variances", log_variances, values[0])
    if tuple(log_variances.shape) != (len(values),):
        raise InputError(
            "combined",
            "log_variances",
            f"must hold one number for each of {len(values)} terms, got shape {tuple(log_variances.shape)}",
        )
    xp = namespace(log_variances)
    return [0.5 * (xp.exp(-log_variances[i]) * value + log_variances[i]) for i, value in enumerate(values)]
