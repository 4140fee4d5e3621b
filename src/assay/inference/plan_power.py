"""The chance that a comparison of two models on the same rows finds a difference that is there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from assay.core.distributions import t_quantile, upper_tail, z_quantile
from assay.core.errors import ParameterError
from assay.inference.plan_subject import Assumed, Subject, trial_share
from assay.inference.plan_widths import auc_variance


@dataclass(frozen=True)
class Test:
    """Power by rows and effect; ``largest`` is the largest effect there can be, ``names`` the assumptions behind."""

    power: Callable[[int, float], float]
    method: str
    names: set[str]
    largest: float = math.inf
    least: int = 2


def test_of(subject: Subject, assumed: Assumed) -> Test:
    """The test of a subject; refuses what has no formula and assumptions that have no part in it."""
    if subject.family not in _TESTS:
        raise subject.refuse(_WHY_NOT.get(subject.family, ""))
    test = _TESTS[subject.family](subject, assumed)
    assumed.only(subject, "A comparison", test.names)
    return test


_WHY_NOT = {
    "overlap": "of two models depends on how their mistakes overlap in every cell",
    "root_mean": "of two models is compared by its squares (plan mse)",
    "correlation": "of two models depends on how both predictions go together",
    "rank_correlation": "of two models depends on how both predictions go together",
}


def _mcnemar(subject: Subject, assumed: Assumed) -> Test:
    """McNemar's test on the rows on which only one model is right (Connor 1987)."""
    share = trial_share(subject, assumed)
    names = {"prevalence" if assumed.share is None and share < 1 else "share"}
    discordance, how = assumed.discordance, "McNemar"
    if discordance is None:
        discordance, how = _independent(subject, assumed), "McNemar, models that err independently"
    z = z_quantile(assumed.level)

    def power(rows: int, effect: float) -> float:
        rest = math.sqrt(max(discordance - effect**2, 1e-12))
        return upper_tail((z * math.sqrt(discordance) - effect * math.sqrt(rows * share)) / rest)

    return Test(power, how, {"discordance", "value", *names}, discordance)


def _independent(subject: Subject, assumed: Assumed) -> float:
    """The discordance of two models of about the same value that err independently: more than real models have."""
    if assumed.value is None:
        why = "the part of rows on which only one of the models is right; or value, for models that err independently"
        return assumed.need(subject, "discordance", why)
    value = assumed.value_of(subject, inside=True)
    return 2 * value * (1 - value)


def _paired_t(subject: Subject, assumed: Assumed) -> Test:
    """The paired t test; ``sd`` is that of the differences, or with ``correlation`` that of either model's losses."""
    sd = assumed.need(subject, "sd", "the standard deviation of the differences row by row, from a pilot")
    if assumed.correlation is not None:
        sd *= math.sqrt(2 * (1 - assumed.correlation))

    def power(rows: int, effect: float) -> float:
        quantile = t_quantile(assumed.level, rows - 1)
        shift = effect * math.sqrt(rows) / sd
        return upper_tail(quantile - shift, rows - 1) + upper_tail(quantile + shift, rows - 1)

    return Test(power, "paired t", {"value", "sd", "correlation"})


def _paired_auc(subject: Subject, assumed: Assumed) -> Test:
    """Two areas on the same rows; ``correlation`` is that of the two estimates (Hanley and McNeil 1983)."""
    value = assumed.value_of(subject, inside=True)
    prevalence = assumed.need(subject, "prevalence", "the part of all rows that is positive")
    r = assumed.need(subject, "correlation", "that of the two areas; about 0.5 for similar models, 0 to be safe")
    z = z_quantile(assumed.level)

    def power(rows: int, effect: float) -> float:
        sizes = rows * prevalence, rows * (1 - prevalence)
        first, second = (auc_variance(auc, *sizes) for auc in (value, value + effect))
        error = math.sqrt(first + second - 2 * r * math.sqrt(first * second))
        return upper_tail(z - effect / error)

    least = math.ceil(2 / min(prevalence, 1 - prevalence))
    return Test(power, "paired areas, Newcombe's variances", {"value", "prevalence", "correlation"}, 1 - value, least)


_TESTS: dict[str, Callable[[Subject, Assumed], Test]] = {
    "proportion": _mcnemar,
    "mean": _paired_t,
    "bounded_mean": _paired_t,
    "auc": _paired_auc,
}


def check_effect(subject: Subject, test: Test, effect: float) -> float:
    """The size of the effect; refuses none, and more than there can be."""
    size = abs(effect)
    if not 0 < size < math.inf:
        raise ParameterError(f"{subject.who}: effect must be a difference other than 0, got {effect!r}.")
    if size > test.largest:
        raise ParameterError(
            f"{subject.who}: a difference of {size:g} cannot be, at most {test.largest:g} with these assumptions. Lower effect, or "
            "check discordance and value."
        )
    return size
