"""Where popular implementations disagree or are silently wrong: our value, and what the installed peers do.

Numbers in the names are rows of the trap list. Peers were scikit-learn 1.9, torchmetrics 1.9, torcheval 0.0.7,
permetrics 2.1; if one of them changes its mind, its test here says so.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import assay
from messages import refusal, warned


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture
def tm() -> Any:
    """torchmetrics, predictions first."""
    pytest.importorskip("torch")
    return pytest.importorskip("torchmetrics.functional")


@pytest.fixture
def tmc() -> Any:
    pytest.importorskip("torch")
    return pytest.importorskip("torchmetrics.functional.classification")


@pytest.fixture
def sk() -> Any:
    return pytest.importorskip("sklearn.metrics")


LOGITS = {"y_true": [0, 1, 0, 1], "z": np.array([40, 41, 42, 43], dtype=np.float32)}


def test_1_logits_are_ranked_as_they_are() -> None:
    """41 and 43 against 40 and 42: three of four pairs. No sigmoid saturates them, and kinds are named."""
    assert assay.roc_auc(LOGITS["y_true"], LOGITS["z"]) == 0.75
    assert assay.roc_auc(LOGITS["y_true"], logits=LOGITS["z"]) == 0.75
    with refusal(assay.InputError):
        assay.roc_auc(LOGITS["y_true"], y_prob=LOGITS["z"])


def test_1_peers(sk: Any, tmc: Any, torch: Any) -> None:
    y, z = np.array(LOGITS["y_true"]), LOGITS["z"]
    assert sk.roc_auc_score(y, z) == 0.75
    assert float(tmc.binary_auroc(torch.tensor(z), torch.tensor(y))) == 0.5  # all became 1.0
    # One value outside [0, 1] changes how all the others are read: the same scores, plus 0.5.
    p = torch.tensor([0.2, 0.4, 0.6, 0.8])
    plain = tmc.binary_accuracy(p, torch.tensor([0, 0, 1, 1]))
    shifted = tmc.binary_accuracy(torch.cat([p, torch.tensor([1.1])]), torch.tensor([0, 0, 1, 1, 1]))
    assert (float(plain), float(shifted)) == (1.0, pytest.approx(0.6))  # the sigmoid of 0.2 is above one half


ZERO = (np.array([1.0, 0.0, 2.0, 4.0]), np.array([1.1, 0.1, 1.9, 4.4]))  # relative errors 0.1, none, 0.05, 0.1


def test_23_mape_at_zero() -> None:
    with refusal(assay.UndefinedError):
        assay.mape(*ZERO)
    with warned(assay.UndefinedWarning):
        assert assay.mape(*ZERO, zeros="skip") == pytest.approx(0.25 / 3, rel=1e-12)


def test_23_peers(sk: Any, tm: Any, torch: Any) -> None:
    y, p = ZERO
    assert sk.mean_absolute_percentage_error(y, p) > 1e14
    assert float(tm.mean_absolute_percentage_error(torch.tensor(p), torch.tensor(y))) == pytest.approx(
        21367.58, rel=1e-5
    )
    permetrics = pytest.importorskip("permetrics.regression")
    assert permetrics.RegressionMetric(y, p).MAPE() == 1.0


def test_24_smape() -> None:
    """2*0.1/2.1, 2*0.1/0.1, 2*0.1/3.9, 2*0.4/8.4: between 0 and 2, or 0 and 200; 0/0 counts 0."""
    by_hand = (0.2 / 2.1 + 2 + 0.2 / 3.9 + 0.8 / 8.4) / 4
    assert assay.smape(*ZERO) == pytest.approx(by_hand, rel=1e-12)
    assert assay.smape(*ZERO, percent=True) == pytest.approx(100 * by_hand, rel=1e-12)
    assert assay.smape([0.0, 1.0], [0.0, 1.0]) == 0.0


def test_24_peers(tm: Any, torch: Any) -> None:
    y, p = ZERO
    ours = assay.smape(y, p)
    theirs = tm.symmetric_mean_absolute_percentage_error(torch.tensor(p), torch.tensor(y))
    assert float(theirs) == pytest.approx(ours, rel=1e-6)
    permetrics = pytest.importorskip("permetrics.regression")
    # permetrics gives 0 to 200, as M4 does.
    assert permetrics.RegressionMetric(y, p).SMAPE() == pytest.approx(100 * ours, rel=1e-6)


def far_from_zero() -> tuple[Any, Any, float]:
    """A million float32 targets around 1e4, and the truth in float64."""
    rng = np.random.default_rng(0)
    y = (1e4 + rng.normal(size=1_000_000)).astype(np.float32)
    p = (y + rng.normal(0, 0.5, 1_000_000)).astype(np.float32)
    a, b = y.astype(np.float64), p.astype(np.float64)
    return y, p, 1 - ((a - b) ** 2).sum() / ((a - a.mean()) ** 2).sum()


def test_25_r2_far_from_zero(sk: Any, tm: Any, torch: Any) -> None:
    y, p, truth = far_from_zero()
    assert truth == pytest.approx(0.7508, abs=1e-4)
    assert assay.r2(y, p) == pytest.approx(truth, rel=1e-12)
    assert assay.r2(torch.tensor(y), torch.tensor(p)) == pytest.approx(truth, rel=1e-12)
    assert sk.r2_score(y, p) == pytest.approx(truth, abs=1e-4)
    assert float(tm.r2_score(torch.tensor(p), torch.tensor(y))) > 0.95  # 0.970: sums of squares of 1e8 cancel


def test_25_r2_of_small_targets(sk: Any, tm: Any, torch: Any) -> None:
    """Targets around 1e-3. Errors 1/2 1/2 -3/2 1/2 of SST 5: 1 - 3/5."""
    y, p = np.array([1.0, 2.0, 3.0, 4.0]) * 1e-3, np.array([1.5, 2.5, 1.5, 4.5]) * 1e-3
    for scale in (1.0, 1e-150, 1e140):
        assert assay.r2(y * scale, p * scale) == pytest.approx(0.4, rel=1e-12)
    assert sk.r2_score(y, p) == pytest.approx(0.4, rel=1e-12)
    assert float(tm.r2_score(torch.tensor(p), torch.tensor(y))) == 1.0  # SST below 1e-4 is taken for constant


IMPOSSIBLE = {"y_true": [1, 0], "y_prob": [0.0, 0.5]}


def test_26_log_loss_of_probability_zero(sk: Any, torch: Any) -> None:
    with warned(assay.UndefinedWarning):
        assert assay.log_loss(**IMPOSSIBLE) == math.inf
    double, single = np.array([0.0, 0.5]), np.array([0.0, 0.5], dtype=np.float32)
    assert sk.log_loss([1, 0], double) == pytest.approx((52 + 1) * math.log(2) / 2, rel=1e-12)  # 18.4
    assert sk.log_loss([1, 0], single) == pytest.approx((23 + 1) * math.log(2) / 2, rel=1e-6)  # 8.3
    theirs = torch.nn.functional.binary_cross_entropy(
        torch.tensor(double), torch.tensor([1.0, 0.0], dtype=torch.float64)
    )
    assert float(theirs) == pytest.approx((100 + math.log(2)) / 2, rel=1e-12)  # 50.3
    for p in (double, single):
        with warned(assay.UndefinedWarning):
            assert assay.log_loss([1, 0], p, clip="eps") == pytest.approx(sk.log_loss([1, 0], p), rel=1e-6)


def test_26_class_order_and_brier_range(sk: Any) -> None:
    """Columns are in the caller's order, not in the alphabet's; Brier over classes is 0 to 2."""
    y, p = ["spam", "ham"], [[0.9, 0.1], [0.2, 0.8]]  # columns spam, ham
    assert assay.log_loss(y, p, classes=("spam", "ham")) == pytest.approx(
        -(math.log(0.9) + math.log(0.8)) / 2, rel=1e-12
    )
    with pytest.warns(UserWarning, match="sorted|order"):  # labels= does not reorder the columns there
        theirs = sk.log_loss(y, p, labels=["spam", "ham"])
    assert theirs == pytest.approx(-(math.log(0.1) + math.log(0.2)) / 2, rel=1e-12)
    with refusal(assay.InputError):
        assay.log_loss(y, p)
    assert assay.brier([0], [[0.0, 1.0]]) == 2.0
    assert assay.brier([0], [[0.0, 1.0]], halve=True) == 1.0
    assert assay.brier([0], [1.0]) == 1.0


SIX = ([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 0])  # right: 2 of 3, 1 of 2, 0 of 1


def test_27_averages_are_asked_for(sk: Any, tmc: Any, tm: Any, torch: Any) -> None:
    assert assay.accuracy(*SIX) == 0.5
    assert assay.balanced_accuracy(*SIX) == pytest.approx(7 / 18, rel=1e-12)
    with refusal(assay.InputError):
        assay.recall(*SIX)
    assert sk.accuracy_score(*SIX) == 0.5
    y, p = (torch.tensor(a) for a in SIX)
    assert float(tmc.multiclass_accuracy(p, y, num_classes=3)) == pytest.approx(7 / 18)  # macro, and called accuracy
    assert float(tm.accuracy(p, y, task="multiclass", num_classes=3)) == 0.5  # micro by the other door


def test_27_classes_that_do_not_occur(sk: Any, tmc: Any, torch: Any) -> None:
    """Precision 1, 1/2 and none. Averages state their label set and what they left out."""
    y, p, classes = [0, 0, 1], [0, 1, 1], (0, 1, 2)
    with warned(assay.UndefinedWarning):
        assert assay.precision(y, p, average="macro", classes=classes) == 0.75
    assert assay.precision(y, p, average="macro", classes=classes, undefined=0) == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert sk.precision_score(y, p, labels=classes, average="macro") == 0.5  # an absent class counts 0
    theirs = tmc.multiclass_precision(torch.tensor(p), torch.tensor(y), num_classes=3)
    assert float(theirs) == 0.75  # left out without a word


def test_28_exact_by_rank(tmc: Any, torch: Any) -> None:
    """All scores below the second of 200 thresholds: a perfect order looks like a guess to the binned curve."""
    y, s = np.array([0, 0, 1, 1]), np.array([0.001, 0.002, 0.003, 0.004])
    assert assay.roc_auc(y, s) == 1.0
    assert float(tmc.binary_auroc(torch.tensor(s), torch.tensor(y), thresholds=200)) == 0.5
    assert float(tmc.binary_auroc(torch.tensor(s), torch.tensor(y))) == 1.0


def test_28_one_class(sk: Any, tmc: Any, torch: Any) -> None:
    y, s = np.array([1, 1, 1]), np.array([0.2, 0.4, 0.6])
    with warned(assay.UndefinedWarning):
        assert math.isnan(assay.roc_auc(y, s))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert math.isnan(sk.roc_auc_score(y, s))
        assert float(tmc.binary_auroc(torch.tensor(s), torch.tensor(y))) == 0.0
    torcheval = pytest.importorskip("torcheval.metrics.functional")
    assert float(torcheval.binary_auroc(torch.tensor(s), torch.tensor(y))) == 0.5


@pytest.mark.parametrize(
    ("y", "p", "torchmetrics"),
    [([1, 1, 1, 0], [1, 1, 1, 1], 1 / math.sqrt(3)), ([1, 1, 1], [1, 0, 1], 0.40825), ([1, 1, 1], [1, 1, 1], 1.0)],
    ids=["constant prediction", "one class", "both"],
)
def test_28_matthews_without_a_second_class(
    y: list, p: list, torchmetrics: float, sk: Any, tmc: Any, torch: Any
) -> None:
    """0/0: the correlation with a constant does not exist. (No row of its own; measured beside row 28.)"""
    with warned(assay.UndefinedWarning):
        assert math.isnan(assay.matthews_correlation(y, p))
    assert assay.matthews_correlation(y, p, undefined=0) == 0.0
    assert sk.matthews_corrcoef(y, p) == 0.0
    theirs = float(tmc.binary_matthews_corrcoef(torch.tensor(p), torch.tensor(y)))
    assert theirs == pytest.approx(torchmetrics, abs=1e-4)


def test_29_what_calibration_is_of(tmc: Any, torch: Any) -> None:
    """Every probability is 0.1 too high. Of the positive class the error is 0.1; the top label is too sure above one
    half and not sure enough below, which cancels inside its bins."""
    p = np.tile(np.linspace(0.15, 0.85, 700), 40)
    y = (np.random.default_rng(0).random(p.size) < p - 0.1).astype(int)
    assert assay.calibration_error(y, p, bins=15, of_what="positive") == pytest.approx(0.1, abs=0.01)
    assert assay.calibration_error(y, p, bins=15) == assay.calibration_error(y, p, bins=15, of_what="positive")
    assert assay.calibration_error(y, p, bins=15, of_what="top_label") < 0.02
    theirs = tmc.binary_calibration_error(torch.tensor(p), torch.tensor(y), n_bins=15)
    assert float(theirs) == pytest.approx(assay.calibration_error(y, p, bins=15, of_what="positive"), abs=1e-6)


def test_29_bins_are_open_on_the_left(sk: Any) -> None:
    """0.5 belongs to (0, 0.5]: with two bins 0.25 and 0.5 share one."""
    curve = assay.reliability_curve([0, 1, 1], y_prob=[0.25, 0.5, 0.75], bins=2, of_what="positive")
    assert curve.weight.tolist() == [2, 1]


def test_29_debiased() -> None:
    """A perfect model on 200 rows: the plain value is noise, the debiased one is nearer to the truth, 0."""
    rng = np.random.default_rng(1)
    plain, debiased = [], []
    for _ in range(60):
        p = rng.random(200)
        y = (rng.random(200) < p).astype(int)
        plain.append(assay.calibration_error(y, p, norm="l2", of_what="positive"))
        debiased.append(assay.calibration_error(y, p, norm="l2", of_what="positive", debiased=True))
    assert np.mean(plain) > 0.09
    assert np.mean(debiased) < np.mean(plain) / 2


def test_31_the_denominator_of_a_weighted_mean(torch: Any) -> None:
    """The mean divides by the sum of the weights, as cross entropy with class weights does; no row is an error."""
    p, y, w = np.array([[0.5, 0.5], [0.25, 0.75], [0.9, 0.1]]), np.array([0, 1, 0]), np.array([1.0, 3.0])
    by_hand = -(math.log(0.5) + 3 * math.log(0.75) + math.log(0.9)) / 5
    assert assay.log_loss(y, p, weight=w[y]) == pytest.approx(by_hand, rel=1e-12)
    entropy = torch.nn.functional.cross_entropy
    theirs = entropy(torch.tensor(p).log(), torch.tensor(y), weight=torch.tensor(w))
    assert float(theirs) == pytest.approx(by_hand, rel=1e-12)
    with refusal(assay.InputError):
        assay.log_loss(y, p, weight=np.zeros(3))
    ignored = entropy(torch.tensor(p).log(), torch.full((3,), -100), ignore_index=-100)
    assert math.isnan(float(ignored))


def test_32_counts_add_up() -> None:
    """Precision 1/1 and 1/3 in two batches: 2 of 4 in all, not the mean of ratios 2/3."""
    metric = assay.metrics.Precision()
    batches = [([1, 0], [1, 0]), ([1, 0, 0, 0], [1, 1, 1, 0])]
    states = [metric.state(*batch) for batch in batches]
    assert sum(states).value() == 0.5
    assert np.mean([metric(*batch) for batch in batches]) == pytest.approx(2 / 3)
    rmse = assay.metrics.RMSE()
    parts = [([0.0], [3.0]), ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0])]
    assert sum(rmse.state(*part) for part in parts).value() == pytest.approx(math.sqrt(3), rel=1e-12)  # not (3 + 1) / 2


def test_32_rows_that_come_twice_are_refused_on_request() -> None:
    """A sampler that fills up its last batch repeats row 7: with ids that is an error, without it counts twice."""
    rows = {"y_true": [1, 0, 1], "y_pred": [1, 0, 1], "task": "binary", "metrics": ["accuracy"]}
    assert assay.evaluate(**rows)["accuracy"].n == 3
    with refusal(assay.InputError):
        assay.evaluate(**rows, ids=[5, 7, 7])
    assert assay.evaluate(**rows, ids=[5, 7, 8])["accuracy"].n == 3


def test_33_the_unit_is_resampled_and_pairs_stay_paired() -> None:
    """Replicates are weights: a patient drawn twice brings all its rows twice, and both models see the same draw."""
    rng = np.random.default_rng(2)
    patient = np.repeat(np.arange(40), 5)
    y = (rng.random(200) < 0.5).astype(int)
    base = y + rng.normal(0, 1.0, 200)
    a, b = base + rng.normal(0, 0.2, 200), base + rng.normal(0, 0.2, 200)
    draws = rng.multinomial(40, np.full(40, 1 / 40), size=200)
    weights = draws[:, patient]
    auc = assay.metrics.RocAuc()
    first, second = (auc.replicates(weights, y, s) for s in (a, b))
    rows = np.repeat(np.arange(200), weights[0])
    assert first[0] == pytest.approx(auc(y[rows], a[rows]), rel=1e-12)
    assert np.var(first - second) < 0.5 * (np.var(first) + np.var(second))  # unpaired bars are far too wide
    assert float(auc.compare(y, a, b)) == pytest.approx(auc(y, a) - auc(y, b), rel=1e-12)
