"""Topics on resampling schemes: every way to split rows."""

from __future__ import annotations

from assay.core.sources import RESAMPLING_NOTES
from assay.explain.topics.topic import ABOUT, ERRATUM, MISLEADS, USE, resampling_topic

_AT_TRAIN_SIZE = "The learner at the size of the training parts, averaged over training sets; not one fitted model."

SCHEMES = [
    resampling_topic(
        "holdout", "Hold-out",
        "One split: the learner is trained on one part of the rows and tested on the other.",
        ["assay.Holdout(test=1/3, stratify=True, seed=7)", "assay estimate models.py:forest data.csv --truth y --resampling holdout:0.3"],
        r"\hat R = \frac{1}{n_2} \sum_{i \in \text{test}} \ell(y_i, \hat f_{\text{train}}(x_i))",
        {
            USE: ["Very many rows (100 000 and more), or a single fit that takes a day."],
            MISLEADS: [
                "With few rows: the estimate depends on the luck of the split, and the model at hand saw fewer rows than it could have.",
                "When it is repeated until it looks good, or when the test part was used to make any choice.",
            ],
            ABOUT: [
                "This model, the one fitted on the training part, on new rows. The interval is that of the metric on the test rows; "
                "it does not apply to other training sets.",
            ],
        },
        "dietterich1998 schulz2024",
    ),
    resampling_topic(
        "subsampling", "Subsampling (Monte-Carlo cross-validation)",
        "Hold-out again and again with fresh random splits; the mean over all of them is reported.",
        ["assay.Subsampling(repeats=50, test=0.1, seed=7)", "assay estimate models.py:forest data.csv --truth y -r subsampling:50x0.1"],
        r"\bar m \pm t_{J-1}\, s \sqrt{\frac{1}{J} + \frac{n_2}{n_1}}",
        {
            USE: ["When the number of fits and the fraction of test rows should be chosen independently."],
            MISLEADS: [
                "Test sets overlap, and so do training sets: the values of splits are not independent, and the naive t interval over "
                "them is far too narrow. It is refused.",
                "Rows are not tested equally often.",
            ],
            ABOUT: [_AT_TRAIN_SIZE, "Corrected resampled t by default; conservative_z on request, which costs 21 times the fits."],
            ERRATUM: [
                f"{RESAMPLING_NOTES} train on 1/10 or 2/10 of the rows and call the fraction of test rows the split rate; "
                "9/10 or 8/10 train, and the split rate is the fraction of training rows."
            ],
        },
        "nadeau2003 schulz2024",
    ),
    resampling_topic(
        "bootstrap", "Bootstrap: out-of-bag, .632 and .632+",
        "Rows are drawn with replacement to train on; those never drawn are tested.",
        ["assay.Bootstrap(repeats=100, seed=7)", 'assay.estimate(learner, X, y, "bootstrap:100", method="632+")'],
        r"\hat R_{.632+} = (1 - w) \hat R_{\text{train}} + w \min(\hat R_{\text{oob}}, \gamma), \quad w = \frac{.632}{1 - .368 r}",
        {
            USE: ["Small data (tens of rows), where the variance of cross-validation is the larger problem."],
            MISLEADS: [
                "A learner that is sensitive to repeated rows (nearest neighbours, fully grown trees) sees its own rows again; "
                "plain .632 is "
                "then too optimistic. .632+ moves towards the out-of-bag error by the relative overfitting r, where γ is the error "
                "if predictions and targets were independent.",
                "Out-of-bag alone is pessimistic: its models are trained on 63 % of the rows.",
            ],
            ABOUT: [
                "The learner at all n rows (.632, .632+), or at the rows in a bag (out-of-bag). The standard error is the infinitesimal "
                "jackknife of Efron and Tibshirani.",
            ],
            ERRATUM: [
                f"{RESAMPLING_NOTES} put the distinct rows of a bootstrap sample at three quarters; a sample of n rows holds "
                "1 - (1 - 1/n)ⁿ → 1 - 1/e = 63.2 % of them, and 36.8 % are left to test. They also write 1 - P(in train) = "
                "1 - (1 - 1/n)ⁿ; the right side is (1 - 1/n)ⁿ."
            ],
        },
        "efron1983 efron1997 schulz2024",
    ),
    resampling_topic(
        "cross_validation", "Cross-validation",
        "The rows are divided into k folds; each is tested by a learner that was trained on all the others.",
        ["assay.CrossValidation(folds=10, stratify=True, seed=7)", "assay estimate models.py:forest data.csv --truth y -r cv:10,stratify"],
        r"\hat R = \frac{1}{k} \sum_{j=1}^{k} \frac{1}{n_j} \sum_{i \in F_j} \ell(y_i, \hat f_{-F_j}(x_i))",
        {
            USE: ["Most data. Every row is tested once, and nine of ten rows train. With few rows, repeat it."],
            MISLEADS: [
                "Folds share training rows, so that their values are not independent; there is no unbiased estimate of the variance, and "
                "the naive t interval over folds is refused.",
                "When anything was chosen or fitted on all rows beforehand: features, scaling, parameters. Put it into the learner.",
                "When rows belong together (patients, near duplicates): give groups.",
            ],
            ABOUT: [
                _AT_TRAIN_SIZE,
                "Corrected resampled t by default. nested_cv (Bates et al.) is about the model fitted on all rows, and costs k(k-1)/2 "
                "more fits per repeat. bayle treats all test rows as independent, which is valid for stable learners and is marked as "
                "optimistic.",
            ],
        },
        "stone1974 kohavi1995 bengio2004 nadeau2003 bates2024 bayle2020",
    ),
    resampling_topic(
        "repeated_cross_validation", "Repeated cross-validation",
        "Cross-validation with fresh folds, several times; the default with 5 repeats of 10 folds.",
        ["assay.CrossValidation(folds=10, repeats=5, seed=7)", "assay estimate models.py:forest data.csv --truth y --resampling cv:10x5"],
        r"\bar m \pm t_{J-1}\, s \sqrt{\frac{1}{J} + \frac{1}{k-1}}, \quad J = r k",
        {
            USE: ["The default up to 100 000 rows: repeats make the estimate less dependent on one division into folds."],
            MISLEADS: [
                "More repeats do not create new data: the width of the interval tends to a limit, not to 0.",
                "5 repeats of 2 folds (5x2cv) are a test for two learners; as an estimate they describe a learner at half of the rows.",
            ],
            ABOUT: [_AT_TRAIN_SIZE, "Corrected resampled t with n₂/n₁ = 1/(k-1); five_by_two for cv:2x5; cluster_t with groups."],
        },
        "nadeau2003 dietterich1998 schulz2024",
    ),
    resampling_topic(
        "leave_one_out", "Leave-one-out",
        "Every row is tested by a learner that was trained on all the others: n fits.",
        ["assay.LeaveOneOut()", "assay estimate models.py:ridge data.csv --truth y --resampling loo"],
        r"\hat R = \frac{1}{n} \sum_{i=1}^{n} \ell(y_i, \hat f_{-i}(x_i))",
        {
            USE: ["Tens of rows, and a learner that is quick and stable."],
            MISLEADS: [
                "It is nearly unbiased and has a high variance; for unstable learners its interval has the lowest coverage (0.86 "
                "instead of 0.95 in the "
                "benchmark of Schulz-Kümpel et al.).",
                "A learner that predicts the majority class is always wrong on balanced data: the row left out tips the balance.",
                "Metrics that need several rows (areas, correlations) are defined only on all test rows pooled.",
            ],
            ABOUT: ["The learner at n - 1 rows. Only bayle is available, marked as optimistic. Groups and strata are refused."],
        },
        "stone1974 bayle2020 schulz2024",
    ),
    resampling_topic(
        "leave_one_group_out", "Leave-one-group-out",
        "All rows of a group (a patient, a user, a site) are tested by a learner that never saw it; or of k folds of groups.",
        [
            "assay.LeaveOneGroupOut()", "assay.LeaveOneGroupOut(folds=10)",
            "assay estimate models.py:forest data.csv --truth y --groups patient --resampling groups",
        ],
        r"\hat R = \frac{1}{n} \sum_{g} \sum_{i \in g} \ell(y_i, \hat f_{-g}(x_i))",
        {
            USE: ["Whenever several rows belong to one group, and the learner will meet new groups. Any other scheme takes groups too."],
            MISLEADS: [
                "If the learner will meet the same groups again, it is pessimistic.",
                "Few groups make an unreliable interval however many rows there are; below 20 it is marked.",
            ],
            ABOUT: [
                "The learner on new groups. cluster_t counts groups and not rows: where rows of a group are alike, an interval over "
                "rows is far too narrow.",
            ],
        },
        "roberts2017",
    ),
    resampling_topic(
        "stratified", "Stratification",
        "Every part of a split has its proportion of each class, or of each bin of a numeric target: an option of the schemes.",
        ["assay.CrossValidation(stratify=True)", "assay.Holdout(stratify=5)     # five bins of a numeric target",
         "assay estimate models.py:forest data.csv --truth y --resampling cv:10,stratify"],
        r"|n_{jc} - n_c / k| \le 1",
        {
            USE: ["Classes with few rows; small test sets; metrics that are undefined where a class is missing. The guideline stratifies."],
            MISLEADS: [
                "New data do not come stratified: the spread of splits is a little smaller than that of fresh samples.",
                "With groups of mixed classes the proportions are only approximate, since groups stay whole.",
            ],
            ABOUT: [
                "The same as that of the scheme. Refused, with the reason, where it makes no sense: single rows, single groups, time."
            ],
        },
        "kohavi1995",
    ),
    resampling_topic(
        "nested", "Nested resampling",
        "Parameters are selected again inside every outer training set, so that the estimate includes the selection.",
        [
            'assay.estimate(tree, X, y, assay.Nested(grid={"max_depth": [2, 4, 8]}))',
            "assay.estimate(GridSearchCV(...), X, y, assay.Nested())",
            "assay estimate models.py:tree data.csv --truth y --grid max_depth=2,4,8",
        ],
        r"\text{optimism} = \hat R_{\text{nested}} - \hat R_{\text{not nested}}",
        {
            USE: ["Whenever anything was tuned. The result also reports the value without nesting, and the difference: the optimism."],
            MISLEADS: [
                "The estimate is about the whole procedure, search included; splits may select different parameters, and the result "
                "reports "
                "how many. There is no «best parameter» in it: fit the search on all rows for that.",
                "Not to be confused with nested_cv, the interval of Bates et al.",
            ],
            ABOUT: ["The learner that searches, by the interval of the outer scheme."],
        },
        "varma2006 cawley2010",
    ),
    resampling_topic(
        "time_ordered", "Windows in time",
        "Test windows one after another; each is predicted from what came before it, with a gap if need be.",
        [
            "assay.TimeOrdered(folds=5, gap=3)", 'assay.TimeOrdered(folds=5, window="sliding", train_size=200)',
            "assay estimate models.py:ridge data.csv --truth y --resampling time:5,gap=3",
        ],
        r"\text{train} \subset \{1, \dots, b_j - \text{gap}\}, \quad \text{test} = \{b_j + 1, \dots, b_{j+1}\}",
        {
            USE: ["Rows in time, and a learner that will predict what comes later. Rows must be in that order."],
            MISLEADS: [
                "Features or targets that reach over the border (moving means, labels of the next week) leak: leave a gap as long.",
                "An expanding window mixes small and large training sets; a sliding one forgets.",
            ],
            ABOUT: ["There is none: windows depend on each other, and no interval is known to be valid. The values of all windows "
            "are reported."],
        },
        "bergmeir2012 roberts2017",
    ),
]  # fmt: skip
