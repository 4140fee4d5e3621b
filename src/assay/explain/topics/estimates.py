"""Topics on estimates of learners and their intervals."""

from __future__ import annotations

from assay.core.sources import RESAMPLING_NOTES
from assay.explain.topics.topic import ABOUT, ERRATUM, MISLEADS, READ, USE, resampling_topic

ESTIMATES = [
    resampling_topic(
        "generalization_error", "Generalization error",
        "The expected error of a learner on unseen rows, estimated by resampling.",
        ['assay.estimate(learner, X, y, "cv:10x5", ["accuracy", "log_loss"])',
         "assay estimate models.py:forest data.csv --truth y --metrics accuracy,log_loss"],
        r"GE = E_{D, (x, y)}[\ell(y, \hat f_D(x))], \quad \widehat{GE} = \frac{1}{J} \sum_{j=1}^{J} m_j",
        {
            USE: ["To report how good a learner is, or to compare several on the same splits."],
            MISLEADS: [
                "When new data differ from these: another time, another site, another prevalence.",
                "It is slightly pessimistic, because the fits use fewer rows than there are.",
            ],
            READ: [
                "The inner loss is what the learner minimises, the outer loss what is reported; both are named, and they may differ.",
                "averaged is the mean over splits, pooled the metric on all test rows together; the result states which is the estimate. "
                "For areas, F1 and other metrics that are not means over rows the two differ.",
                "If a fit fails, there is no estimate: an average over the others would hide the failure.",
            ],
            ABOUT: ["The result states it: this model, or the learner at this number of rows. See `assay explain learner_interval`."],
            ERRATUM: [
                f"{RESAMPLING_NOTES} equate the generalization error of the fitted model with that of the learner; the first is "
                "conditional on the training rows, the second is its mean over training sets."
            ],
        },
        "stone1974 nadeau2003 bates2024", task="estimate",
    ),
    resampling_topic(
        "train_error", "Training error",
        "The same metric on the rows that the model was trained on.",
        ['assay.estimate(learner, X, y).performance["mse"].train'],
        r"\hat R_{\text{train}} = \frac{1}{n_1} \sum_{i \in \text{train}} \ell(y_i, \hat f(x_i))",
        {
            USE: ["Beside the test value, to see overfitting; never alone."],
            MISLEADS: ["It is optimistic, the more so the more flexible the learner: a nearest neighbour reaches 0 on pure noise."],
            ABOUT: ["It has none."],
        },
        "efron1983", task="estimate",
    ),
    resampling_topic(
        "overfitting", "Overfitting",
        "How much worse the test value is than the training value.",
        ['assay.estimate(learner, X, y).overfitting["mse"]'],
        r"\widehat{GE} - \hat R_{\text{train}}",
        {
            USE: ["To decide what to try next: large means fewer parameters, more regularisation or more rows."],
            MISLEADS: [
                "It is not a measure of quality: a forest fits its training rows perfectly and may still be the best. The test "
                "value decides.",
            ],
            READ: ["Positive is worse, whatever the direction of the metric."],
            ABOUT: ["It has none."],
        },
        "efron1983", task="estimate",
    ),
    resampling_topic(
        "underfitting", "Underfitting",
        "How much worse the learner is than the best known one, if that is given.",
        ['assay.estimate(learner, X, y, best={"accuracy": 0.97}).performance["accuracy"].underfitting',
         "assay estimate models.py:tree data.csv --truth y --best accuracy=0.97"],
        r"\widehat{GE} - GE^*",
        {
            USE: ["When the best value is known: of another learner, of experts, or of the distribution that the data were drawn from."],
            MISLEADS: ["The best value is itself an estimate unless the distribution is known; without a best value, underfitting "
            "is not reported."],
            READ: ["Positive is worse, whatever the direction of the metric."],
            ABOUT: ["It has none; compare two learners on the same splits for an interval of their difference."],
        },
        "geman1992", task="estimate",
    ),
    resampling_topic(
        "learning_curve", "Learning curve",
        "The metric against the number of training rows, with a fitted power law and the expected gain from more rows.",
        ["from assay.resampling import learning_curve", 'learning_curve(learner, X, y, "mse")'],
        r"m(n) \approx a + b\, n^{-c}",
        {
            USE: ["Before paying for more labels, or to see whether a learner is limited by the data or by itself."],
            MISLEADS: [
                "The power law is an extrapolation: it is valid for the same source of rows and not far beyond them.",
                "Points share rows and are therefore correlated.",
            ],
            ABOUT: ["The learner at each size, by the corrected t of the scheme; that of the power law by resampling splits."],
        },
        "cortes1994 nadeau2003", task="estimate",
    ),
    resampling_topic(
        "complexity_curve", "Complexity curve",
        "The metric against a parameter of the learner, on training and test rows.",
        ["from assay.resampling import complexity_curve",
         'complexity_curve(tree, X, y, "max_depth", [1, 2, 4, 8], "accuracy")'],
        r"\lambda \mapsto (\hat R_{\text{train}}(\lambda), \widehat{GE}(\lambda))",
        {
            USE: ["To see where a learner turns from underfitting to overfitting."],
            MISLEADS: ["The value at the best parameter is optimistic, because it was chosen on these splits. Use Nested to report it."],
            READ: ["The result also names the simplest value within one standard error of the best."],
            ABOUT: ["The learner at each value of the parameter, not corrected for selection among them."],
        },
        "varma2006 cawley2010", task="estimate",
    ),
    resampling_topic(
        "bias_variance", "Bias and variance",
        "Why a learner errs, on a simulated truth: noise, bias and variance; and the same for estimators of its error.",
        ["assay.resampling.bias_variance(learner, assay.resampling.SineTruth(), n=50)",
         'assay.resampling.bias_variance_curve(tree, truth, [1, 2, 4, 8], parameter="max_depth")',
         "assay.resampling.estimator_quality(learner, truth, n=50)"],
        r"MSE = \sigma^2 + \text{bias}^2 + \text{variance}",
        {
            USE: [
                "To understand a learner, or how hold-out, subsampling, cross-validation and bootstrap compare as estimators.",
            ],
            MISLEADS: [
                "It needs a known truth; on real data bias and noise cannot be told apart.",
                "For the zero-one loss the parts do not simply add up: variance helps where the learner is biased (Domingos).",
            ],
            ABOUT: ["The Monte Carlo error of the simulation, reported for every part."],
            ERRATUM: [
                f"{RESAMPLING_NOTES} write MSE = variance + bias + Bayes error; it is the SQUARED bias, without which they do not "
                "add up. The Bayes error belongs to the risk of predictions, not to the mean squared error of an estimate of it."
            ],
        },
        "geman1992 domingos2000 kohavi1995", task="estimate",
    ),
    resampling_topic(
        "guideline", "Guideline",
        "Which scheme for these rows, classes, groups and budget, with the reasons; the default of estimate.",
        ["assay.guideline(300, classes=[250, 50])", "assay.guideline(2000, groups=40, budget=20)",
         "assay estimate models.py:forest data.csv --truth y --guideline"],
        r"(n, \text{classes}, \text{groups}, \text{budget}) \mapsto (\text{scheme}, \text{interval}, \text{reasons})",
        {
            USE: ["When you have no reason to choose another scheme."],
            MISLEADS: ["It sees numbers, not the data: specify ordered=True for rows in time order, and groups where rows belong "
            "together."],
            READ: [
                "100 000 rows and more, or a budget of one fit: hold-out. Groups: cross-validation by groups, or each in turn. Time: "
                "windows. Otherwise: 5 repeats of 10 folds, fewer if the budget requires it; stratified where there are classes.",
            ],
            ABOUT: ["That of the scheme that it names."],
        },
        "kohavi1995 nadeau2003 schulz2024", task="estimate",
    ),
]  # fmt: skip

LEARNER_INTERVAL = resampling_topic(
    "learner_interval", "Intervals for learners",
    "An interval for how a learner does on new data, where splits share rows; invalid ones are refused.",
    ['assay.estimate(learner, X, y, "cv:10x5")["accuracy"]', 'assay.estimate(learner, X, y, "cv:5x4", method="nested_cv")',
     "assay estimate models.py:forest data.csv --truth y --method nested_cv"],
    r"\bar m \pm t_{J-1}\, s \sqrt{\frac{1}{J} + \frac{n_2}{n_1}}",
    {
        "By default, for each scheme": [
            "hold-out: holdout, the interval of the metric's own family on the test rows. About this model.",
            "cross-validation, subsampling: corrected_t (Nadeau and Bengio), the formula above. About the learner.",
            "groups: cluster_t, over groups. About the learner on new groups.",
            "bootstrap: 632+ with its infinitesimal jackknife. About the learner at n rows.",
            "leave-one-out: bayle, marked as optimistic. Windows in time: no interval.",
        ],
        "Other methods": [
            "nested_cv (Bates, Hastie, Tibshirani): about the model fitted on all rows; k(k-1)/2 + k fits per repeat. Metrics that are not "
            "means over rows use their influence values.",
            "conservative_z (subsampling): about the learner, too wide rather than too narrow; 21 times the fits.",
            "bayle: all test rows as one sample; requires a stable learner, and is marked as optimistic.",
            "five_by_two (cv:2x5): 5 degrees of freedom. oob, 632: the plain estimates of the bootstrap.",
        ],
        "What is refused": [
            "The naive t over folds or splits, which treats them as independent and is too narrow.",
            "A method that is not valid for the scheme; the error names those that are.",
        ],
        ABOUT: [
            "The result states it in words. «This model» is the fitted one; «the learner» is the average over training sets of that size. "
            "The two differ, and cross-validation is closer to the second.",
        ],
        "Measured coverage": ["See the page on coverage (docs/coverage.md), which also shows the naive t as a warning."],
    },
    "nadeau2003 bates2024 bayle2020 dietterich1998 efron1997 schulz2024", kind="inference", task="",
)  # fmt: skip
