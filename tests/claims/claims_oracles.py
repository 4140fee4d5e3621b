"""Independent checks of entries whose records name no package that gives the same number."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import torch

import assay
from assay import losses
from claims import oracle, same

SK = "sklearn.metrics"


def pairs(rng: Any, n: int = 200) -> tuple[Any, Any]:
    y = rng.normal(3, 2, n)
    return y, y + rng.normal(0.2, 1, n)


# ---- metrics


@oracle("metric.sse", peer="torch.nn.functional")
def _(functional: Any, rng: Any) -> None:
    y, p = pairs(rng)
    same(assay.sse(y, p), functional.mse_loss(torch.tensor(p), torch.tensor(y), reduction="sum"))


@oracle("metric.mspe", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = pairs(rng)
    same(assay.mspe(y, p), sk.mean_squared_error(np.ones(200), p / y))


@oracle("metric.nmae", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = pairs(rng)
    same(
        assay.nmae(y, p, divisor="sd"),
        sk.mean_absolute_error(y, p) / np.sqrt(sk.mean_squared_error(y, 0 * y + y.mean())),
    )


@oracle("metric.net_benefit", peer=SK)
def _(sk: Any, rng: Any) -> None:
    """Minus the cost of misses and priced false alarms, less the prevalence, which perfect decisions gain."""
    y, p = rng.integers(0, 2, 300), rng.random(300)
    price = np.where(y == 1, 1.0, 0.2 / 0.8)
    lost = sk.zero_one_loss(y, p >= 0.2, sample_weight=price, normalize=False) / 300
    same(assay.net_benefit(y, y_prob=p, threshold=0.2), y.mean() - lost)


@oracle("metric.decision_curve", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = rng.integers(0, 2, 300), rng.random(300)
    _, fp, _, tp = sk.confusion_matrix(y, p >= 0.3).ravel()
    same(assay.decision_curve(y, p, thresholds=(0.3,)).net_benefit[0], (tp - fp * 0.3 / 0.7) / 300)


@oracle("metric.adjusted_r2", peer="statsmodels.api")
def _(statsmodels: Any, rng: Any) -> None:
    x = rng.normal(size=(60, 3))
    y = x @ [1.0, 2.0, 0.0] + rng.normal(size=60)
    fit = statsmodels.OLS(y, statsmodels.add_constant(x)).fit()
    same(assay.adjusted_r2(y, fit.fittedvalues, features=3), fit.rsquared_adj)


@oracle("metric.mase", published="the example in the documentation of sktime's mean_absolute_scaled_error")
def _(_: Any) -> None:
    train, y, p = [5, 0.5, 4, 6, 3, 5, 2], [3, -0.5, 2, 7, 2], [2.5, 0.0, 2, 8, 1.25]
    same(assay.mase(y, p, y_train=train), 0.18333333333333335)


@oracle("metric.skill_score", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = pairs(rng)
    same(assay.skill_score(y, p, np.full(200, y.mean())), sk.r2_score(y, p))
    middle = np.full(200, np.median(y))
    same(assay.skill_score(y, p, middle, loss=assay.metrics.MAE()), sk.d2_absolute_error_score(y, p))


@oracle("metric.mean_loss", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = pairs(rng)
    same(assay.mean_loss(y, p, loss="quantile", options=(("q", 0.3),)), sk.mean_pinball_loss(y, p, alpha=0.3))


@oracle("metric.interval_coverage", peer="pandas")
def _(pandas: Any, rng: Any) -> None:
    y, p = pairs(rng)
    low, high = np.round(p - 1), np.round(p + 1)
    y[:20] = low[:20]  # the ends belong to the interval
    same(assay.interval_coverage(y, low, high), pandas.Series(y).between(low, high).mean())


@oracle("metric.interval_width", peer="pandas")
def _(pandas: Any, rng: Any) -> None:
    y, p = pairs(rng)
    low, high = p - rng.gamma(2, 1, 200), p + rng.gamma(2, 1, 200)
    same(
        assay.interval_width(y, low, high), pandas.arrays.IntervalArray.from_arrays(low, high).length.to_numpy().mean()
    )


def rate_oracle(key: str, name: str, positive: int) -> None:
    """One less the precision or recall of scikit-learn, of the positive or of the other class."""

    @oracle(f"metric.{key}", peer=SK)
    def _(sk: Any, rng: Any) -> None:
        y, p = rng.integers(0, 2, (2, 300))
        w = rng.gamma(1.0, 1.0, 300)
        theirs = getattr(sk, f"{name}_score")(y, p, pos_label=positive, sample_weight=w)
        same(getattr(assay, key)(y, p, weight=w), 1 - theirs)


rate_oracle("false_positive_rate", "recall", 0)
rate_oracle("false_negative_rate", "recall", 1)
rate_oracle("false_discovery_rate", "precision", 1)
rate_oracle("false_omission_rate", "precision", 0)


def scores(rng: Any) -> tuple[Any, Any]:
    y = rng.integers(0, 2, 300)
    return y, np.round(1 / (1 + np.exp(-rng.normal(2 * y - 1, 1.5))), 2)


@oracle("metric.threshold_sweep", peer=SK)
def _(sk: Any, rng: Any) -> None:
    y, p = scores(rng)
    sweep = assay.threshold_sweep(y, p)
    tn, fp, fn, tp, at = sk.confusion_matrix_at_thresholds(y, p)
    for ours, theirs in ((sweep.tn, tn), (sweep.fp, fp), (sweep.fn, fn), (sweep.tp, tp), (sweep.threshold, at)):
        same(ours[1:], theirs)  # ours begins at infinity


@oracle("metric.reliability_curve", peer="sklearn.calibration")
def _(calibration: Any, rng: Any) -> None:
    y, p = scores(rng)
    p = (p + rng.uniform(-0.004, 0.004, 300)).clip(0, 1)  # theirs closes bins on the other side
    ours = assay.reliability_curve(y, p, of_what="positive", bins=10)
    frequency, confidence = calibration.calibration_curve(y, p, n_bins=10)
    filled = ours.weight > 0
    same(ours.frequency[filled], frequency)
    same(ours.confidence[filled], confidence)


@oracle("metric.boundary_f1", peer="monai.metrics.utils")
def _(monai: Any, rng: Any) -> None:
    """Edges and distances of monai; the harmonic mean of the shares within two pixels."""
    from scipy import ndimage

    noise = rng.normal(size=(2, 40, 50))
    true, predicted = (ndimage.gaussian_filter(part, 3) > 0.02 for part in (noise[0], noise[0] + 0.5 * noise[1]))
    (p, t), *_ = monai.get_edge_surface_distance(
        torch.tensor(predicted), torch.tensor(true), distance_metric="euclidean", use_subvoxels=False
    )
    near = [
        float((torch.as_tensor(monai.get_surface_distance(*side)) <= 2).double().mean()) for side in ((p, t), (t, p))
    ]
    same(assay.boundary_f1(true[None], predicted[None], tolerance=2), 2 * near[0] * near[1] / sum(near))


# ---- losses


@oracle("loss.log_cosh", peer="optax.losses")
def _(optax: Any, rng: Any) -> None:
    y, p = pairs(rng)
    with jax.enable_x64(True):
        same(losses.log_cosh(p, y, reduction="none"), optax.log_cosh(p, y))


@oracle("loss.balanced_l1", peer="mmdet.models.losses.balanced_l1_loss")
def _(mmdet: Any, rng: Any) -> None:
    p, y = rng.normal(size=(2, 30, 4))
    for beta in (1.0, 0.7):
        theirs = mmdet.balanced_l1_loss(torch.tensor(p), torch.tensor(y), beta=beta)
        same(losses.balanced_l1(p, y, beta=beta, form="mmdet"), theirs)


@oracle("loss.wing", peer="mmpose.models.losses.regression_loss")
def _(mmpose: Any, rng: Any) -> None:
    """Theirs is a sum over the points of a face and a mean over faces."""
    p, y = 8 * rng.normal(size=(2, 6, 9, 2))
    theirs = mmpose.WingLoss(omega=7.0, epsilon=1.5)(torch.tensor(p), torch.tensor(y))
    same(losses.wing(p, y, width=7.0, epsilon=1.5, reduction="sum") / 6, theirs)


@oracle("loss.combined", peer="torch.nn.functional")
def _(functional: Any, rng: Any) -> None:
    p, y = (torch.tensor(a) for a in pairs(rng))
    theirs = functional.mse_loss(p, y) + 0.5 * functional.l1_loss(p, y)
    same(losses.combined(p, y, terms={"mse": 1.0, "mae": 0.5}), theirs)


@oracle("loss.yolo", peer="torchvision.ops.boxes")
def _(vision: Any, rng: Any) -> None:
    """Section 2.2 of the paper with the boxes and overlaps of torchvision and the squares of torch, cell by cell."""
    p, t = torch.tensor(rng.random((2, 3, 3, 13))), torch.zeros(2, 3, 3, 8, dtype=torch.float64)
    t[..., :4] = torch.tensor(rng.random((2, 3, 3, 4)))
    t[..., 4] = torch.tensor(rng.integers(0, 2, (2, 3, 3)))
    t[..., 5:] = torch.eye(3)[torch.tensor(rng.integers(0, 3, (2, 3, 3)))]

    def square(a: Any, b: Any) -> Any:
        return torch.nn.functional.mse_loss(a, b, reduction="sum")

    def corners(box: Any) -> Any:
        return vision.box_convert(torch.cat([box[..., :2] / 3, box[..., 2:4]], dim=-1), "cxcywh", "xyxy")

    total = torch.zeros((), dtype=torch.float64)
    for cell, true in zip(p.reshape(-1, 13), t.reshape(-1, 8), strict=True):
        boxes = cell[:10].reshape(2, 5)
        if true[4] == 0:
            total += 0.5 * square(boxes[:, 4], torch.zeros(2).double())
            continue
        overlap = vision.box_iou(corners(boxes[:, :4]), corners(true[None, :4]))[:, 0]
        own, other = boxes[overlap.argmax()], boxes[overlap.argmin()]
        total += 5 * (square(own[:2], true[:2]) + square(own[2:4].sqrt(), true[2:4].sqrt()))
        total += square(own[4], overlap.max()) + 0.5 * other[4] ** 2 + square(cell[10:], true[5:])
    same(losses.yolo(p, t), total / 2)
