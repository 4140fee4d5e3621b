"""Models compared by all metrics of a task: the numbers are those of the metrics, the words are true, the forms are whole."""

import json
import math

import numpy as np
import pytest

import assay
from messages import refusal

RNG = np.random.default_rng(7)
N = 300
Y = RNG.integers(0, 2, N)
GOOD = np.clip(0.25 + 0.5 * Y + 0.2 * RNG.normal(size=N), 0.01, 0.99)
TWIN = np.clip(GOOD + 0.02 * RNG.normal(size=N), 0.01, 0.99)
BAD = RNG.random(N)


def binary(models=None, **more):
    models = models or {"good": GOOD, "bad": BAD}
    return assay.compare(task="binary", y_true=Y, models=models, kind="y_prob", **more)


@pytest.fixture(scope="module")
def three():
    return binary({"bad": BAD, "twin": TWIN, "good": GOOD})


def test_numbers_are_those_of_the_metric():
    found = binary(metrics=["roc_auc", "accuracy"])
    pair = found.pair("roc_auc")
    own = assay.metrics.RocAuc().compare(Y, GOOD, BAD)
    assert float(pair) == pytest.approx(float(own))
    assert (pair.low, pair.high, pair.p) == pytest.approx((own.low, own.high, own.p))
    assert pair.method == own.method
    assert found["accuracy"].scores["good"] == assay.accuracy(Y, y_prob=GOOD)


def test_preset_is_that_of_evaluate_without_calibration_errors():
    usual = set(assay.evaluate(task="binary", y_true=Y, y_prob=GOOD).scores)
    assert set(binary()) == {name for name in usual if not name.startswith("calibration_error")}
    assert set(binary(metrics=["calibration_error"], replicates=200)) == {"calibration_error"}


def test_differences_that_cannot_be_trusted_are_marked():
    found = binary(metrics=["roc_auc"], groups=np.arange(N) % 3)
    assert not found.pair("roc_auc").reliable
    assert all(text.endswith("roc_auc *.") for text in found.findings)


def test_differences_go_in_the_order_given():
    one, other = binary(metrics=["brier"]), binary({"bad": BAD, "good": GOOD}, metrics=["brier"])
    a, b = one.pair("brier"), other.pair("brier")
    assert float(a) == -float(b)
    assert (a.low, a.high) == (-b.high, -b.low)
    assert (a.favours, b.favours) == ("a", "b")
    assert float(one.pair("brier", "bad", "good")) == float(b)


def test_findings_say_what_the_pairs_say(three):
    ranking = three["roc_auc"]
    assert set(ranking.order[:2]) == {"good", "twin"}
    assert three.best("roc_auc") == ["twin", "good"]
    assert any(text.startswith("twin and good cannot be told apart by") for text in three.findings)
    assert all(c.adjusted_p is not None for c in three.pairs("roc_auc").values())
    assert list(three.pairs("roc_auc")) == [("bad", "twin"), ("bad", "good"), ("twin", "good")]


def test_one_model_is_best():
    found = binary(metrics=["roc_auc", "brier"])
    assert found.findings == ["good is best by every metric.", "Findings are corrected for 2 metrics (Holm)."]
    assert found.best("brier") == ["good"]
    same = binary({"a": GOOD, "b": GOOD}, metrics=["roc_auc", "brier"])
    assert same.findings[0] == "a and b cannot be told apart by any metric *."


def test_margins():
    found = binary({"twin": TWIN, "good": GOOD}, metrics=["roc_auc"], margin=0.05)
    pair = found.pair("roc_auc")
    assert pair.p_noninferior < 0.001
    assert pair.p_equivalent < 0.001
    assert "within a margin of 0.05" in str(found)
    worse = binary({"bad": BAD, "good": GOOD}, metrics=["roc_auc"], margin=0.05).pair("roc_auc")
    assert worse.p_noninferior > 0.99
    log_loss = binary({"good": GOOD, "bad": BAD}, metrics=["log_loss"], margin=0.05).pair("log_loss")
    assert log_loss.p_noninferior < 0.001  # lower is better


def test_groups_widen_and_are_named():
    patient = np.repeat(np.arange(30), 10)
    found = binary(metrics=["accuracy"], groups=patient)
    assert "30 groups" in found.pair("accuracy").method
    assert "30 groups" in str(found)


def test_models_may_name_their_inputs_and_share_what_both_have():
    found = assay.compare(
        task="binary", y_true=Y, models={"soft": {"y_prob": GOOD}, "hard": {"y_pred": (BAD > 0.5).astype(int)}}
    )
    assert "accuracy" in set(found)
    assert "roc_auc" not in set(found)


def test_labels_and_targets_need_no_kind():
    words = np.array(["cat", "cow", "dog"])
    code = RNG.integers(0, 3, N)
    a, b = words[np.where(RNG.random(N) < 0.7, code, 0)], words[np.where(RNG.random(N) < 0.7, code, 1)]
    found = assay.compare(task="multiclass", y_true=words[code], models={"a": a, "b": b})
    assert found["f1"].scores["a"] == pytest.approx(assay.f1(words[code], a, average="macro"))
    numbers = assay.compare(task="regression", y_true=Y + GOOD, models={"a": GOOD, "b": BAD}, metrics=["mae"])
    assert float(numbers["mae"].scores["a"]) == pytest.approx(assay.mae(Y + GOOD, GOOD))


def test_a_class_that_one_model_never_says():
    code = np.tile([0, 1, 2], 40)
    found = assay.compare(
        task="multiclass",
        y_true=np.minimum(code, 1),
        models={"a": code, "b": np.minimum(code, 1)},
        metrics=["f1", "accuracy"],
    )
    assert found["accuracy"].order == ["b", "a"]
    assert len(found["f1"].scores["b"].parts) == len(found["f1"].scores["a"].parts) == 3


def test_what_a_preset_cannot_have_is_left_out_with_the_reason():
    found = binary(method="mcnemar")
    assert set(found) >= {"accuracy"}
    assert "roc_auc" in found.left_out
    assert "! Left out: " in str(found)
    with refusal(assay.ParameterError):
        binary(method="mcnemar", metrics=["roc_auc"])


def test_same_seed_same_limits():
    first, second, other = (
        binary(metrics=["f1"], method="bootstrap", replicates=300, seed=s).pair("f1") for s in (1, 1, 2)
    )
    assert (first.low, first.high, first.p) == (second.low, second.high, second.p)
    assert first.low != other.low


@pytest.mark.parametrize(
    "more",
    [
        {"models": {"a": GOOD}},
        {"models": [GOOD, BAD]},
        {"models": {"a": GOOD, "b": BAD[:-1]}},
        {"kind": "prob"},
        {"kind": "auto"},
        {"level": 95},
        {"method": "bayes"},
        {"margin": -1},
        {"metrics": ["acuracy"]},
        {"metrics": ["roc_curve"]},
        {"ids": np.zeros(N)},
        {"task": "ranking"},
        {"groups": np.zeros(N)},
        {"models": {"a": {"y_prob": GOOD, "y_probs": GOOD}, "b": BAD}},
    ],
)
def test_refused(more):
    given = {"task": "binary", "y_true": Y, "models": {"good": GOOD, "bad": BAD}, "kind": "y_prob", **more}
    with refusal(assay.AssayError):
        assay.compare(**given)


def test_lookups(three):
    with refusal(assay.UnknownNameError):
        three["roc_auk"]
    with refusal(assay.ParameterError):
        three.pair("roc_auc")
    with refusal(assay.UnknownNameError):
        three.pair("roc_auc", "bad", "goood")
    with refusal(assay.ParameterError):
        three.pair("roc_auc", "bad", "bad")
    assert len(three) == len(list(three))
    assert repr(three).startswith("<Comparisons binary n=300: bad, twin, good by")


def test_forms(three):
    data = json.loads(json.dumps(three.to_dict()))
    assert data["findings"] == three.findings
    pairs = data["metrics"]["roc_auc"]["pairs"]
    assert [(p["first"], p["second"]) for p in pairs] == [("bad", "twin"), ("bad", "good"), ("twin", "good")]
    for key in ("effect", "low", "high", "level", "p", "adjusted_p", "mde", "method", "reliable", "reason"):
        assert key in pairs[0]
    frame = three.to_frame()
    assert len(frame) == 3 * len(three)
    assert three.to_csv().startswith("metric,a,b,")
    assert three.to_frame("pandas")["difference"].notna().all()
    for text in (three.to_markdown(), three._repr_html_(), str(three)):
        assert "twin and good cannot be told apart" in text
    assert three.to_latex().count(r"\begin{tabular}") == 2


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_line_is_wider_than_the_terminal(three, width):
    lines = three._page().text(width).splitlines()
    assert max(len(line) for line in lines) <= width
    assert any("place" in line or "best" in line for line in lines)


def test_many_pairs_are_not_all_printed():
    found = binary({f"m{i}": np.clip(GOOD + 0.01 * i * RNG.normal(size=N), 0.01, 0.99) for i in range(5)})
    assert "more metrics are in the other formats" in str(found)
    assert len(found.to_frame()) == 10 * len(found)


def test_a_value_that_does_not_exist():
    y = np.r_[np.zeros(20), np.ones(20)].astype(int)
    found = assay.compare(
        task="binary", y_true=y, models={"a": np.zeros(40, int), "b": y}, metrics=["precision", "accuracy"]
    )
    assert math.isnan(found["precision"].scores["a"])
    assert found.best("precision") == []
    assert found.findings[0] == "b is best by accuracy."
    assert "–" in str(found)
