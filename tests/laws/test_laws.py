"""The laws of `assay.testing` over the whole registry and all parameters, and that they catch what is wrong."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accepted import checks, entries, forms_of, laws_that_apply, name_of
from accepted_table import Accepted, table
from assay import testing
from assay.core import registry
from assay.core.errors import AssayError, UndefinedWarning
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.record import Record
from assay.core.statistic import Statistic
from assay.core.takes import Takes
from assay.metrics.regression.family import TAKES, PairMetric, mean_of
from assay.metrics.regression.pairs import Atom, PairSums
from assay.testing import LAWS, LawError, check_metric
from assay.testing.metric_laws import agree, merged
from messages import refusal
from registered import all_defaults, all_variants, cases_of, is_quick

OF_ROWS = (  # about weights, copies and sums of rows, whatever the value of a row is
    "absence", "copies", "degenerate", "influence", "intervals", "monoid", "neutral", "portable", "replicates", "scaling",
)  # fmt: skip


def _marked(metric: Any, law: str) -> Any:
    marks = pytest.mark.slow if law in OF_ROWS and not is_quick(metric) else ()
    return pytest.param(metric, law, id=f"{metric.signature()}-{law}", marks=marks)


@pytest.mark.parametrize(("metric", "law"), [_marked(*one) for one in laws_that_apply(all_variants(), LAWS)])
def test_law(metric: Any, law: str) -> None:
    assert checks(metric, law), "the law compared nothing: it does not apply (make accepted)"


def test_forms_that_are_accepted(variant: Any) -> None:
    """A metric that begins to refuse multilabel data, say, or to accept more than before, is found here."""
    wanted = table()[variant.signature()]
    assert forms_of(variant) == wanted.forms, "read the difference; then `make accepted`"
    applies = [law for law in wanted.without if checks(variant, law)]
    assert not applies, "these laws apply now (make accepted)"


def test_the_table_knows_no_other_entries() -> None:
    assert set(table()) == {name_of(entry) for entry in entries()}


@settings(max_examples=8, deadline=None, derandomize=True)
@given(data=st.data())
@pytest.mark.parametrize(
    "variant",
    [pytest.param(m, id=m.signature(), marks=() if m in all_defaults() else pytest.mark.slow) for m in all_variants()],
)
def test_any_split_merges_to_the_whole(variant: Any, data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(cases_of(variant)), label="case")
    n = case.size(variant)
    order = np.random.default_rng(data.draw(st.integers(0, 2**32), label="order")).permutation(n)
    cuts = data.draw(st.lists(st.integers(1, n - 1), max_size=12), label="cuts")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        got, wanted = merged(variant, case, order, cuts).value(), variant(**case.inputs)
    agree(variant, case, "a split does not merge to the whole", got, wanted)


def _of_classes(metric: Any) -> list[str]:
    """Forms of one label per row among several, by the table."""
    forms = table().get(metric.signature(), Accepted()).forms
    return [form for form in forms if re.match(r"(classes|text)\b", form) and "y_true" in form]


@settings(max_examples=5, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
@pytest.mark.parametrize(
    "variant", [metric for metric in all_variants() if _of_classes(metric)], ids=lambda metric: metric.signature()
)
def test_zero_weights_of_a_whole_class_equal_its_absence(variant: Any, seed: int) -> None:
    """The hardest absence: a label that only rows of weight zero carry."""
    cases = [case for case in cases_of(variant) if case.name in _of_classes(variant)]
    case = cases[seed % len(cases)]
    truth = np.asarray(case.inputs["y_true"])
    gone = np.unique(truth)[seed % 4]
    keep = (truth != gone) & (np.asarray(case.inputs.get("y_pred", truth)) != gone)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        got = variant(**case.inputs, weight=keep.astype(float))
        wanted = variant(**case.taken(variant, np.flatnonzero(keep)))
        agree(variant, case, "rows of weight 0 leave a class behind", got, wanted)
        if isinstance(wanted, float):
            replicate = variant.replicates(keep[None].astype(float), **case.inputs)
            agree(variant, case, "a replicate counts a class that it does not hold", replicate, wanted)


def test_the_laws_cover_every_metric_and_many_forms() -> None:
    found = all_variants()
    assert {type(metric) for metric in found} == set(registry.metrics())
    names = {case.name.split(":")[0] for metric in found for case in cases_of(metric)}
    assert names == {problem.name for problem in testing.problems()}


# ---- the laws catch what is wrong: each of these metrics breaks one


def _facts(**more: Any) -> Record:
    return Record(
        **{"title": "Wrong", "range": (0, np.inf), "better": "lower", "family": "mean", "takes": TAKES, **more}
    )


def _wrong(name: str, record: Record, each: Any, gather: Any = None) -> Any:
    """A metric of squared errors that computes ``each``, known while the test runs."""
    body = {"record": record, "gather": gather or (lambda self: PairSums((Atom("squared"),))), "each": each}
    return dataclass(frozen=True, kw_only=True)(type(name, (PairMetric,), {"__module__": __name__, **body}))


class _BatchMeans(PairSums):
    """Means of batches: adding them up forgets how large the batches were."""

    def of(self, inputs: Any) -> Sum:
        total = super().of(inputs)
        return Sum(total.names, total.totals / inputs.n, inputs.n)


def _mean(self: Any, total: Sum) -> Any:
    return mean_of(total, "squared")


def _means(self: Any) -> PairSums:
    return _BatchMeans((Atom("squared"),))


WRONG = {
    "split": (_facts(), _mean, _means),
    "copies": (_facts(), lambda self, t: t["squared"] / t.n, None),
    "scaling": (_facts(), lambda self, t: t["squared"], None),
    "bounds": (_facts(range=(0, 0.5)), _mean, None),
    "optimum": (_facts(), lambda self, t: mean_of(t, "squared") + 1, None),
    "properties": (_facts(properties=frozenset({"robust"})), _mean, None),
    "influence": (_facts(), lambda self, t: np.real(mean_of(t, "squared")), None),
}


@pytest.fixture
def own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics that a test defines leave the registry with it."""
    registry.load_all()
    monkeypatch.setattr(registry.METRICS, "entries", dict(registry.METRICS.entries))


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize("law", WRONG)
def test_a_broken_law_is_found(law: str) -> None:
    metric = _wrong("Wrong" + law.title(), *WRONG[law])()
    with pytest.raises(LawError, match=metric.name) as caught:
        check_metric(metric, laws=[law])
    assert isinstance(caught.value, AssayError)
    assert isinstance(caught.value, AssertionError)


@pytest.mark.usefixtures("own_registry")
def test_a_property_without_a_law_is_refused() -> None:
    metric = _wrong("Shiny", _facts(properties=frozenset({"shiny"})), _mean)()
    with refusal(LawError):
        check_metric(metric, laws=["properties"])


@pytest.mark.usefixtures("own_registry")
def test_inputs_of_an_own_kind_need_own_cases() -> None:
    @dataclass(frozen=True)
    class Durations(Statistic[Sum]):
        def of(self, inputs: Any) -> Sum:
            values = np.asarray(inputs.numbers("duration"), float)
            weight = np.ones(inputs.n) if inputs.weight is None else inputs.host_weight()
            return Sum(("weight", "sum"), np.array([weight.sum(), weight @ values]), inputs.n)

    takes = Takes(("duration",))
    body = {"statistic": lambda self: Durations(), "of": lambda self, t: t["sum"] / t["weight"], "takes": takes}
    record = Record(title="Mean duration", range=(0, np.inf), better="none", family="mean")
    base = {"record": record, "__module__": __name__, **body}
    metric = dataclass(frozen=True, kw_only=True)(type("MeanDuration", (Metric,), base))()
    with refusal(LawError):
        check_metric(metric)
    check_metric(metric, cases=[{"duration": np.arange(1.0, 30.0)}])


def test_a_class_is_checked_with_all_its_parameters() -> None:
    from assay.metrics.regression.ranks import Kendall

    check_metric(Kendall, laws=["signature", "order"])


def test_a_law_counts_its_comparisons() -> None:
    from assay.metrics import MSE

    assert checks(MSE(), "order") == len(cases_of(MSE()))
    assert checks(MSE(outputs="each"), "influence") == 0
