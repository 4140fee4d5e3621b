"""The methods that are printed below tables: one page each, found by its key or by what is printed."""

from __future__ import annotations

import re

from assay.explain.topics.topic import MISLEADS, USE, Topic, works

_SCORE = "assay score preds.csv --truth y --prob p"
_COMPARE = "assay compare old.csv new.csv --truth y --prob p --id case"


def _method(
    key: str, title: str, summary: str, latex: str, valid: list[str], misleads: list[str], references: str,
    call: str = _SCORE,
) -> Topic:  # fmt: skip
    return Topic(
        key, title, summary, [call], {USE: valid, MISLEADS: misleads}, works(references), "inference", "method", latex
    )


METHODS = [
    _method(
        "wilson", "Wilson interval",
        "All proportions that a score test would not reject; never outside 0 and 1, and not empty at 0 or 1.",
        r"\frac{\hat p + z^2/2n \pm z \sqrt{\hat p (1-\hat p)/n + z^2/4n^2}}{1 + z^2/n}",
        ["Proportions of independent rows: accuracy, precision, recall. With groups or unequal weights, n is the "
         "effective number of rows.",
         "On the Jaccard index for F1 (F is a monotone function of it), on the agreement for Cohen's kappa of two classes.",
         "Given the balls: the precision and recall of generated samples, with the neighbourhoods of the other sample held fixed."],
        ["Below about ten rows, where the star says so. It is approximate: use --method exact to be on the safe side."],
        "wilson1927 brown2001", f"{_SCORE} -m accuracy --method wilson",
    ),
    _method(
        "clopper_pearson", "Clopper-Pearson (exact) interval",
        "All proportions under which neither tail of the binomial distribution is smaller than half of alpha.",
        r"P(X \ge x \mid p_{low}) = P(X \le x \mid p_{high}) = \alpha / 2",
        ["Proportions of independent, equally weighted rows, if the level must be held whatever the true value is."],
        ["It is wider than needed: its true coverage lies above the level. Refused for groups, strata and weights."],
        "clopper1934 brown2001", f"{_SCORE} -m accuracy --method exact",
    ),
    _method(
        "newcombe", "Newcombe's intervals",
        "Limits of parts combined as the root of squares, so that each side keeps the skewness of its part.",
        r"d - \sqrt{(\hat a - l_a)^2 + (u_b - \hat b)^2}, \quad d + \sqrt{(u_a - \hat a)^2 + (\hat b - l_b)^2}",
        ["Hybrid of Wilson intervals: Youden's index and differences of independent proportions (method 10).",
         "Newcombe 5: the area under the ROC curve for few rows of a class, and for areas of 0 and 1, where DeLong's error is zero."],
        ["It assumes that the parts are independent, as the rows of two classes are."],
        "newcombe1998 newcombe2006",
    ),
    _method(
        "jeffreys", "Jeffreys posterior",
        "Recalls of all classes drawn from their Beta(x + 1/2, n - x + 1/2) posteriors; the quantiles of their mean.",
        r"p_k \mid x_k \sim \text{Beta}(x_k + 1/2, n_k - x_k + 1/2)",
        ["Balanced accuracy and other means of two recalls."],
        ["With fewer than ten rows of a class the prior matters; the star says so."],
        "brown2001",
    ),
    _method(
        "dirichlet", "Dirichlet(1/2) posterior",
        "The cells of the confusion table drawn from their posterior under Jeffreys' prior; the quantiles of the metric.",
        r"(p_{11}, ..., p_{KK}) \sim \text{Dirichlet}(n_{11} + 1/2, ..., n_{KK} + 1/2)",
        ["Matthews correlation and other functions of the whole table, whose distribution is skewed near 1."],
        ["With empty cells and few rows the prior matters."],
        "brown2001",
    ),
    _method(
        "delong", "DeLong's interval and test",
        "The area under the ROC curve is a mean over pairs of rows; its variance follows from the placements of each "
        "row among the other class.",
        r"\widehat{Var} = \frac{S_{10}}{m} + \frac{S_{01}}{n}",
        ["Areas of two classes with independent rows; limits on the logit scale, so that they stay below 1.",
         "Paired: two models on the same rows, with the covariance of their placements."],
        ["Few rows of a class, or perfect separation, where the variance is zero: Newcombe's method or randomisation "
         "take over by themselves."],
        "delong1988", f"{_SCORE} -m roc_auc --method delong",
    ),
    _method(
        "boyd_logit", "Boyd's logit interval",
        "A normal interval of the average precision on the logit scale, whose error depends on the number of positive rows alone.",
        r"\text{logit}\,\hat\theta \pm z\, \hat\tau, \quad \hat\tau = (n_+ \hat\theta (1 - \hat\theta))^{-1/2}",
        ["Average precision with some tens of positive rows and more."],
        ["Fewer than about 50 positive rows, where the star says so."],
        "boyd2013",
    ),
    _method(
        "hall_t", "Hall's transformed t",
        "Student's t after a monotone cubic transformation that takes the skewness out of it.",
        r"g(t) = t + \frac{\hat\gamma}{3 \sqrt n} t^2 + \frac{\hat\gamma^2}{27 n} t^3 + \frac{\hat\gamma}{6 \sqrt n}",
        ["Means of skewed losses: log loss, Brier score, squared errors; its root for RMSE.",
         "Heavy upper tail: the upper limit is moved out further, since rows that are not in the sample may be much "
         "worse than those in it."],
        ["A few rows that carry most of the spread: no method can know what was not drawn. The star says so."],
        "hall1992", f"{_SCORE} -m log_loss --method hall",
    ),
    _method(
        "delta_method", "Delta method (influence values)",
        "The metric is linear in small changes of the rows' weights; the variance of its influence values is that of the metric.",
        r"g(\hat\theta) \pm t\, g'(\hat\theta) \sqrt{\frac{1}{n^2} \sum_i \hat\psi_i^2}",
        ["Smooth functions of sums over rows, on the scale of the metric (logit, log, Fisher z, log(1 - value)), with any weights, "
         "groups and strata: influence values are added up within groups.",
         "Shrunk logit and logit t are its forms for means of rates between 0 and 1. Student's t of plain means is "
         "the same without a scale.",
         "Around the bias-corrected distance: Fréchet distances, each sample separately."],
        ["Few independent units (below about 20), or metrics with jumps, such as medians."],
        "hampel1974", f"{_SCORE} -m r2 --method delta",
    ),
    _method(
        "influence_difference", "Difference of influence values",
        "The influence values of two models are subtracted row by row; what both find hard cancels.",
        r"\hat d \pm t \sqrt{\frac{1}{n^2} \sum_i (\hat\psi_{a,i} - \hat\psi_{b,i})^2}",
        ["Paired comparisons by smooth metrics: F1, Matthews correlation, R²; groups are added up first."],
        ["Few rows on which the models differ: exact randomisation takes over by itself."],
        "hampel1974", _COMPARE,
    ),
    _method(
        "bonett_price", "Bonett-Price interval",
        "A Wald interval of the difference of paired proportions after adding two rows to the discordant cells.",
        r"\tilde p_{12} - \tilde p_{21} \pm z \sqrt{\frac{\tilde p_{12} + \tilde p_{21} - (\tilde p_{12} - \tilde p_{21})^2}{n + 2}}",
        ["Differences of accuracy, recall or specificity of two models on the same rows."],
        ["It is approximate, and may disagree with the p value (McNemar) at the border."],
        "bonett2012", _COMPARE,
    ),
    _method(
        "mcnemar", "McNemar's test",
        "Among the rows on which only one model is right, is one right more often than by chance? Exact, or mid-p.",
        r"p = 2 P(X \le \min(b, c)), \quad X \sim \text{Binomial}(b + c, 1/2)",
        ["Paired proportions. mid-p subtracts half of the probability of the outcome itself: less conservative, and "
         "it holds its level in practice.",
         "Exact where few rows are discordant."],
        ["Rows that are not independent: give --groups, and another test is taken."],
        "mcnemar1947 fagerland2013", f"{_COMPARE} -m accuracy --method mcnemar",
    ),
    _method(
        "randomisation", "Randomisation (permutation) of the models",
        "If the models are alike, their outputs could be swapped on every row: the p value is the fraction of swaps "
        "with a difference as large.",
        r"p = P(|d(\pi)| \ge |d|), \quad \pi \text{ swaps each row with probability } 1/2",
        ["Few discordant rows or groups: exact, by counting all swaps; else by random ones.",
         "Of placements: the area under the ROC curve. Of ranks: average precision and rank correlations. The limits "
         "come from inverting the test or from "
         "the method that is named behind it."],
        ["It tests that the models are exchangeable, which is more than that their metrics are equal."],
        "pitman1937 noreen1989", f"{_COMPARE} --method permutation",
    ),
    _method(
        "bca_bootstrap", "BCa bootstrap",
        "Quantiles of the replicates, moved by a correction for bias and one for skewness (acceleration).",
        r"\alpha_1 = \Phi(z_0 + \frac{z_0 + z_{\alpha}}{1 - a (z_0 + z_{\alpha})})",
        ["Smooth metrics without a method of their own; rows, groups or strata are resampled as they were drawn."],
        ["Fewer than about 50 independent units, extremes, medians, calibration errors (refused)."],
        "efron1987", f"{_SCORE} --method bca",
    ),
    _method(
        "percentile_bootstrap", "Percentile bootstrap",
        "The metric on rows drawn with replacement, again and again; the quantiles of these replicates.",
        r"[\hat\theta^*_{(\alpha/2)}, \hat\theta^*_{(1 - \alpha/2)}]",
        ["Metrics that are not smooth, where BCa has nothing to estimate its corrections from."],
        ["Small samples, where it is too narrow, and biased metrics, around whose bias it centres."],
        "efron1993", f"{_SCORE} --method percentile",
    ),
    _method(
        "bias_corrected_bootstrap", "Bias-corrected bootstrap",
        "Replicates of a metric that resampling itself shifts (detection, envelopes of ranked lists), moved back by their mean shift.",
        r"2 \hat\theta - \hat\theta^*_{(1 - \alpha/2)}, \quad 2 \hat\theta - \hat\theta^*_{(\alpha/2)}",
        ["Average precision of detection: images drawn twice repeat their detections, which moves the envelope."],
        ["Few images, or classes with few objects."],
        "efron1993",
    ),
    _method(
        "paired_bootstrap", "Paired bootstrap",
        "The same rows are drawn for both models; the quantiles of the differences, and as p value twice their smaller tail.",
        r"\hat d^* = \hat\theta_a(rows^*) - \hat\theta_b(rows^*)",
        ["Comparisons by metrics without influence values."],
        ["Small samples; randomisation has the more exact p value."],
        "efron1993", f"{_COMPARE} --method bootstrap",
    ),
    _method(
        "order_statistics", "Order statistics",
        "Two of the sorted errors that enclose the quantile, whatever the distribution of the errors.",
        r"[x_{(l)}, x_{(u)}], \quad P(l \le \text{Binomial}(n, q) < u) \ge 1 - \alpha",
        ["Medians and other quantiles of independent rows."],
        ["Few rows: the limits are then the smallest and the largest error."],
        "clopper1934",
    ),
    _method(
        "mover", "MOVER: recovery of variances from limits",
        "Intervals of parts combined to one of their sum, difference or mean, with the correlations of the estimates.",
        r"L = \hat\theta_1 + \hat\theta_2 - \sqrt{\sum_i (\hat\theta_i - l_i)^2 + 2 \hat\rho (\hat\theta_1 - l_1)(\hat\theta_2 - l_2)}",
        ["Macro averages over classes, from the Wilson interval of each; gaps of slices to the whole; differences of "
         "independent samples."],
        ["Classes with a handful of rows."],
        "zou2008",
    ),
    _method(
        "debiased_l2", "Debiased calibration error",
        "The squared gaps of bins minus their sampling noise, with limits that also hold for a model without any miscalibration.",
        r"\hat E^2 = \sum_b w_b [(\bar y_b - \bar p_b)^2 - \frac{\bar y_b (1 - \bar y_b)}{n_b - 1}]",
        ["Calibration errors: directly for the L2 norm; for L1 the bias that the noise can cause is bounded (bounded bias)."],
        ["Bins with single rows. A bootstrap centres on the biased value and is refused."],
        "kumar2019",
    ),
    _method(
        "partial_pooling", "Partial pooling of slices",
        "The values of slices are drawn towards their common mean, the more so the noisier they are.",
        r"\tilde\theta_j = \hat\mu + \frac{\tau^2}{\tau^2 + s_j^2} (\hat\theta_j - \hat\mu)",
        ["Many small slices that are alike: --by site --pool."],
        ["Slices that differ for a known reason, and fewer than three of them."],
        "morris1983", f"{_SCORE} --by site --pool",
    ),
    _method(
        "equal_on_every_row", "Equal on every row",
        "The models give the same output on every row: the difference is 0, and the rows do not show how large it is elsewhere.",
        r"d = 0, \quad p = 1",
        ["A finding rather than a method: check whether the same predictions were named twice."],
        ["It does not prove that the models are equal on other rows."],
        "bonett2012", _COMPARE,
    ),
]  # fmt: skip

_PRINTED = {  # what is printed: the key of its page; the first that is found counts
    "equal on every row": "equal_on_every_row", "partial pooling": "partial_pooling",
    "corrected resampled t|nested cross-validation|conservative z|bayle|^cluster|632|out-of-bag|5x2cv t|hold-?out": "learner_interval",
    "wilcoxon|friedman|nemenyi|5x2cv f|bayesian|sign flips": "compare",
    "ppi": "prediction_powered",
    "randomisation|permutation": "randomisation", "mcnemar": "mcnemar", "bonett": "bonett_price",
    "^mover|of mover": "mover", "newcombe": "newcombe", "jeffreys": "jeffreys", "dirichlet": "dirichlet", "delong": "delong",
    "boyd": "boyd_logit", "clopper|exact": "clopper_pearson",
    "bca": "bca_bootstrap", "bias-corrected bootstrap": "bias_corrected_bootstrap",
    "paired bootstrap": "paired_bootstrap", "bootstrap": "percentile_bootstrap", "order statistics": "order_statistics",
    "debiased l2|simultaneous": "debiased_l2", "influence difference": "influence_difference", "wilson": "wilson", "hall": "hall_t",
    r"delta|influence|shrunk logit|logit t|^paired t|^t\b|welch": "delta_method",
}  # fmt: skip


def printed_method(text: str) -> str | None:
    """The key of the page on a method as tables print it, such as ``Hall t, heavy upper tail``."""
    low = text.lower()
    return next((key for pattern, key in _PRINTED.items() if re.search(pattern, low)), None)
