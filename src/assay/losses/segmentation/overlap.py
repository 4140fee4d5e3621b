"""Losses of overlap: small functions of soft counts, so that Dice, Jaccard and Tversky differ in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from assay.core.arrays import Array, ArrayLike, Namespace
from assay.core.errors import ParameterError
from assay.core.loss import loss
from assay.core.sources import SEGMENTATION_TUTORIAL, SURVEY
from assay.losses.class_inputs import safe_log
from assay.losses.parameter_checks import between, positive
from assay.losses.reduction import LossOptions
from assay.losses.segmentation.maps import (
    Average,
    Classes,
    ClassRule,
    Maps,
    Mode,
    Over,
    SoftCounts,
    averaged,
    counts,
    maps,
    pooled,
)

Smooth = float | tuple[float, float]
Ratio = Callable[[SoftCounts], tuple[Array, Array]]  # what is above and below the line


@loss(
    "differentiable",
    "smooth",
    "robust",
    "bounded",
    title="Dice",
    use="segmentation where the foreground is small: every class counts alike, however few its places",
    instead="cross_entropy for calibrated probabilities, or the sum of both; tversky if misses cost more than false alarms",
    misleads="a class that does not occur teaches nothing unless smooth is above 0 and classes='all'; soft targets are not its "
    "minimiser",
    equals=(
        "smp DiceLoss('multiclass'): reduction='sum' divided by the number of classes, since absent classes count 0 in its mean; "
        "its smooth counts before the factor 2",
        "monai DiceLoss(softmax=True): over='image', classes='all', smooth=1e-5; batch=True: over='batch'; squared_pred: squared=True",
        "kornia dice_loss: over='image', classes='all', average='micro', smooth=(0, 1e-8); average='macro': over='image', smooth=(0, 1e-8)",
        "optax dice_loss: over='image', classes='all', smooth=2 (its smooth counts before the factor 2)",
    ),
    references=("dice1945", "milletari2016", "sudre2017"),
    traps=(7,),
    range=(0.0, 1.0),
    aliases=("dice_loss", "soft_dice"),
    erratum=f"{SEGMENTATION_TUTORIAL}, writes the union of both masks in the denominator, which is the sum of their "
    "sizes, swaps the labels of |T| and |P| in its example, and says that smoothing is against overfitting; it "
    "is against 0/0.",
)
def dice(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    probabilities: ArrayLike | None = None,
    form: Mode = "multiclass",
    over: Over = "batch",
    classes: Classes = "present",
    class_weight: ArrayLike | None = None,
    average: Average = "macro",
    smooth: Smooth = 0.0,
    squared: bool = False,
    log: bool = False,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""One minus twice the overlap of the predicted and the true mask over the sum of their sizes, for each class.

    .. math:: \ell_c = 1 - \frac{2 \sum p_c t_c + s}{\sum p_c + \sum t_c + s}

    Sums run over all places of the batch, or of each image with ``over="image"``. The mean divides by the number (or weights) of
    the classes that occur in the target; ``classes="all"`` counts absent ones too, a list those it names; ``average="micro"``
    forms one ratio of all classes. ``smooth`` is one number or (above, below); ``squared`` sums squares below; ``log`` takes minus
    the logarithm of the ratio. 0/0 is left out, and a mean of nothing is ``undefined``. Classes are in the second axis; the target
    holds labels, or floats in the shape of the scores; ``form="binary"`` and ``"multilabel"`` take a sigmoid instead of a softmax.

    >>> round(float(dice(probabilities=[[0.75, 0.25], [0.25, 0.75]], target=[0, 1])), 6)
    0.25
    """

    def ratio(c: SoftCounts) -> tuple[Array, Array]:
        return 2 * c.both, c.predicted + c.true

    given = maps("dice", (logits, probabilities, target), form, ignore_index, options)
    rule = ClassRule(over, classes, class_weight, average)
    return _overlap("dice", given, rule, ratio, smooth, options, squared=squared, log=log)


@loss(
    "differentiable",
    "smooth",
    "robust",
    "bounded",
    title="Jaccard",
    use="segmentation that is judged by the intersection over union",
    instead="lovasz_softmax, whose value at hard predictions is the Jaccard loss itself; dice, which is milder to small errors",
    misleads="a class that does not occur teaches nothing unless smooth is above 0 and classes='all'",
    equals=(
        "smp JaccardLoss('multiclass'): reduction='sum' divided by the number of classes, since absent classes count 0 in its mean",
        "monai DiceLoss(jaccard=True, softmax=True): over='image', classes='all', smooth=5e-6 (its smooth counts double)",
    ),
    references=("jaccard1912", "rahman2016"),
    traps=(7,),
    range=(0.0, 1.0),
    aliases=("jaccard_loss", "soft_iou"),
    erratum=f"{SURVEY}, eq. 62, averages over pixels; the intersection over union is one ratio for the whole mask.",
)
def jaccard(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    probabilities: ArrayLike | None = None,
    form: Mode = "multiclass",
    over: Over = "batch",
    classes: Classes = "present",
    class_weight: ArrayLike | None = None,
    average: Average = "macro",
    smooth: Smooth = 0.0,
    squared: bool = False,
    log: bool = False,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""One minus the soft intersection over union of the predicted and the true mask, for each class.

    .. math:: \ell_c = 1 - \frac{\sum p_c t_c + s}{\sum p_c + \sum t_c - \sum p_c t_c + s}

    Parameters, means and undefined cases are those of `dice`: the mean is over the classes that occur in the target.

    >>> round(float(jaccard(probabilities=[[0.75, 0.25], [0.25, 0.75]], target=[0, 1])), 6)
    0.4
    """

    def ratio(c: SoftCounts) -> tuple[Array, Array]:
        return c.both, c.predicted + c.true - c.both

    given = maps("jaccard", (logits, probabilities, target), form, ignore_index, options)
    rule = ClassRule(over, classes, class_weight, average)
    return _overlap("jaccard", given, rule, ratio, smooth, options, squared=squared, log=log)


@loss(
    "differentiable",
    "smooth",
    "robust",
    "bounded",
    title="Tversky",
    use="segmentation where a miss and a false alarm do not cost the same",
    instead="dice, which it is at alpha = beta = 0.5; jaccard, at alpha = beta = 1",
    misleads="libraries differ in which of alpha and beta is which; here alpha weighs false positives, as in the paper",
    equals=(
        "monai TverskyLoss(softmax=True): over='image', classes='all', smooth=1e-5",
        "kornia tversky_loss: over='image', smooth=(0, 1e-8)",
        "smp TverskyLoss('multiclass'): reduction='sum' divided by the number of classes; its gamma is a power of the mean, not of "
        "each class",
        "optax dice_loss with alpha and beta: over='image', classes='all', smooth=1",
    ),
    references=("abraham2019", "salehi2017", "tversky1977"),
    traps=(7, 8),
    range=(0.0, 1.0),
    aliases=("tversky_loss",),
    erratum=f"{SURVEY}: the text says that alpha weighs false negatives; by its own formula (eq. 63) and the cited paper "
    "it weighs false positives, beta false negatives.",
)
def tversky(
    logits: ArrayLike | None = None,
    target: ArrayLike | None = None,
    *,
    alpha: float = 0.3,
    beta: float = 0.7,
    focal: float = 1.0,
    probabilities: ArrayLike | None = None,
    form: Mode = "multiclass",
    over: Over = "batch",
    classes: Classes = "present",
    class_weight: ArrayLike | None = None,
    average: Average = "macro",
    smooth: Smooth = 0.0,
    ignore_index: int | None = -100,
    **options: Unpack[LossOptions],
) -> Array:
    r"""One minus the overlap over itself plus false positives and false negatives, each with its weight, for each class.

    .. math:: \ell_c = \left(1 - \frac{TP_c + s}{TP_c + \alpha FP_c + \beta FN_c + s}\right)^\gamma

    ``alpha`` weighs false positives and ``beta`` false negatives; ``focal`` is the power gamma of each class (the focal Tversky loss
    of the paper takes 3/4). Other parameters, means and undefined cases are those of `dice`: the mean is over the classes that
    occur in the target.

    >>> p = [[0.75, 0.25], [0.5, 0.5]]
    >>> round(float(tversky(probabilities=p, target=[0, 1], alpha=1.0, beta=0.0, classes=[0])), 6)
    0.4
    """
    between("tversky", 0.0, float("inf"), alpha=alpha, beta=beta, focal=focal)
    positive("tversky", focal=focal)

    def ratio(c: SoftCounts) -> tuple[Array, Array]:
        return c.both, c.both + alpha * (c.predicted - c.both) + beta * (c.true - c.both)

    given = maps("tversky", (logits, probabilities, target), form, ignore_index, options)
    return _overlap(
        "tversky", given, ClassRule(over, classes, class_weight, average), ratio, smooth, options, focal=focal
    )


def _overlap(
    who: str,
    given: Maps,
    rule: ClassRule,
    ratio: Ratio,
    smooth: Smooth,
    options: LossOptions,
    *,
    squared: bool = False,
    log: bool = False,
    focal: float = 1.0,
) -> Array:
    """The loss of each class from its ratio, averaged by the rule; what is 0/0 has no loss and counts nothing."""
    above, below = _smoothing(who, smooth)
    rule.check(who, given, options)
    xp = given.xp
    found, weights = pooled(who, xp, counts(given, rule.over, squared=squared), rule)
    top, bottom = ratio(found)
    top, bottom = top + above, bottom + below
    none = bottom <= 0
    share = top / xp.where(none, xp.ones_like(bottom), bottom)
    values = -safe_log(xp, share) if log else _power(xp, 1 - share, focal)
    return averaged(who, given, values, weights * xp.astype(~none, weights.dtype), rule, options)


def _power(xp: Namespace, values: Array, focal: float) -> Array:
    """``values ** focal`` with a gradient of 0 at 0, where that of a power below 1 is infinite."""
    if focal == 1:
        return values
    none = values <= 0
    return xp.where(none, xp.zeros_like(values), xp.where(none, xp.ones_like(values), values) ** focal)


def _smoothing(who: str, smooth: Smooth) -> tuple[float, float]:
    """What is added above and below the line."""
    both: Any = smooth if isinstance(smooth, tuple | list) else (smooth, smooth)
    if len(both) != 2:
        raise ParameterError(who, "smooth", f"must be one number or (above, below), got {smooth!r}")
    for one in both:
        between(who, 0.0, float("inf"), smooth=one)
    above, below = (
        float(one) if isinstance(one, int) else one for one in both
    )  # an integer may be too large for a library
    return above, below
