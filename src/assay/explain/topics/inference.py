"""Topics on inference: intervals, comparisons, planning, prediction-powered inference."""

from __future__ import annotations

from assay.explain.topics.topic import READ, Topic, works
from assay.inference.families import FAMILIES

_STAR = [
    "0.913 [0.897, 0.929] 95 %: of intervals made this way, 95 of 100 contain the true value.",
    "A star after an interval marks that it does not attain its nominal level here; the footnote states why: few rows of a class, "
    "heavy tails, rows that all agree. In JSON that is `reliable` and `reason`.",
    "The interval is about other rows from the same source, not about other training runs of the model.",
]

INTERVAL = Topic(
    key="interval",
    title="Intervals",
    summary="Every metric with the interval that attains its nominal level for its family; the result names the method.",
    calls=[
        "assay.metrics.RocAuc().interval(y_true, y_prob)",
        'assay.evaluate(task="binary", y_true=y, y_prob=p, groups=patient)',
        "assay score preds.csv --truth y --prob p --level 0.9 --groups patient",
    ],
    sections={
        READ: _STAR,
        "By default, for each family of metrics": [
            family.interval_words for family in FAMILIES.values() if family.has_interval
        ],
        "Other methods": [
            "bootstrap: resamples the rows (or groups); BCa where the metric is smooth, percentile elsewhere.",
            "bca, percentile: one of the two explicitly. delta: standard error from influence values on the metric's own scale.",
            "exact, wilson: for proportions. hall: for means of losses. delong: for the area under the ROC curve.",
            "A method that is known to fail for a metric is refused, with the reason: no bootstrap for calibration errors.",
        ],
        "When rows are not independent": [
            "groups names the independent unit (patient, user, document). Without it, 1000 rows of 20 patients count as 1000 patients.",
            "strata names the stratum of each row, if the number of rows per stratum was fixed in advance.",
        ],
    },
    references=works("wilson1927 hall1992 delong1988 efron1987"),
)

COMPARE = Topic(
    key="compare",
    title="Comparisons",
    summary="Two or more models on the same rows, paired row by row: the difference, its interval, p and the minimum detectable effect.",
    calls=[
        "assay.metrics.RocAuc().compare(y_true, a, b)",
        'assay.metrics.Accuracy().rank(y_true, {"a": a, "b": b, "c": c})',
        'assay.compare(task="binary", y_true=y, models={"old": p, "new": q}, kind="y_prob", margin=0.01)',
        "assay compare old.csv new.csv --truth y --prob p --id case",
        'assay.compare_learners({"linear": a, "forest": b}, X, y, "cv:10x5", ["accuracy"], rope=0.01)',
        'assay.compare_on_datasets({"linear": a, "forest": b, "tree": c}, {"iris": (X, y), ...}, "accuracy")',
    ],
    sections={
        READ: [
            "The difference is that of the model named first minus the other. If the interval contains 0, they cannot be told apart.",
            "«Cannot be told apart» is not «equal»: for that, give a margin. detectable is the minimum detectable effect: the "
            "smallest true difference that these "
            "rows detect with a power of 80 %; if that is larger than what matters to you, take more rows (assay plan).",
            "Overlapping intervals say little: models err on the same rows, and the paired difference is much more precise.",
        ],
        "By default, for each family of metrics": [
            *dict.fromkeys(family.comparison_words for family in FAMILIES.values() if family.comparison_words),
            "other smooth metrics: differences of influence values",
            "the rest: paired bootstrap",
            "where few rows make the difference (20 or fewer, or a value at a bound of its range): an exact test that swaps the "
            "models on these rows, and exact McNemar for proportions",
        ],
        "Other methods": [
            "Different rows for each model: assay.inference.independent.compare_unpaired, from two states or scores.",
            "Forecasts in time, whose errors follow each other: assay.inference.forecasts.diebold_mariano.",
            "bootstrap: both models on the same resampled rows. permutation, randomisation: swaps the models row by row.",
            "delong, mcnemar, hall, delta: refused where they are not valid.",
        ],
        "Several models": [
            "All pairs, with p values by Holm and intervals by Šidák, and a ranking that shows which ranks the data leave open.",
            "P values, and statements about which is best, are also corrected for the number of metrics (Holm). Decide in advance "
            "which metric "
            'counts: one metric needs no such correction, and correction="pairs" (--correction pairs) omits it.',
        ],
        "Learners, which are retrained": [
            "compare_learners evaluates them on the same splits: corrected paired t over splits (cross-validation, subsampling), the "
            "combined 5x2cv F (cv:2x5), cluster t with groups, the paired test of the metric on a hold-out (McNemar for accuracy), or "
            "permutation. The naive paired t over folds finds spurious differences, and is refused.",
            "rope=0.01 adds the Bayesian correlated t: the probabilities that the difference is below, within or above what matters.",
            "compare_on_datasets: ranks over many data sets by Friedman and Nemenyi, claims by Wilcoxon and Holm, with the "
            "critical-difference diagram. Two learners: Wilcoxon's signed ranks.",
        ],
        "Not worse, or equal": [
            "margin=0.01 tests that the first model is not worse by 0.01 (non-inferiority) and that both are within it "
            "(equivalence, two one-sided tests). Choose the margin in advance.",
        ],
    },
    references=works(
        "diebold1995 harvey1997 newcombe1998 bonett2012 fagerland2013 holm1979 dietterich1998 alpaydin1999 nadeau2003 demsar2006 corani2015"
    ),
)

PREDICTION_POWERED = Topic(
    key="prediction_powered",
    title="Prediction-powered inference",
    summary="Few labels and many predictions of a judge give one estimate with a valid interval, however bad the judge is.",
    calls=[
        "from assay.inference import ppi",
        "ppi.mean(labels, predictions, unlabelled)",
        "ppi.proportion(labels, predictions, unlabelled)",
        "ppi.difference((labels_a, judged_a, rest_a), (labels_b, judged_b, rest_b))",
        'ppi.metric("mae", labelled, judged, unlabelled)',
    ],
    sections={
        "When to use it": [
            "A model or a program has judged many rows, people only some of them: faithfulness of answers, labels of images.",
            "The labelled rows show how far the judge is off, and the estimate is corrected by that. A useless judge costs nothing: "
            "the power is tuned on the data (PPI++), down to the labels alone.",
            "Labelled and unlabelled rows must come from the same population, and labels must not have been chosen by the judge.",
        ],
        READ: [
            "power shows how far the judge was trusted; the last part of the line, how much narrower the interval is than that of "
            "the labels alone.",
            "Below 50 labels it is refused unless few_labels=True, and then marked by a star.",
        ],
    },
    references=works("angelopoulos2023 angelopoulos2023b"),
)

PLAN = Topic(
    key="plan",
    title="Planning",
    summary="How many test rows an interval of a given width or a comparison of two models requires; and what given rows can show.",
    calls=[
        "from assay.inference.plan import plan",
        'plan("accuracy", value=0.9, width=0.02)',
        'plan("accuracy", effect=0.02, discordance=0.1, power=0.9)',
        "assay plan -m recall --n 500 --value 0.8 --prevalence 0.2",
        "assay compare old.csv new.csv --truth y --prob p --id case --effect 0.02",
    ],
    sections={
        "What is asked": [
            "width: rows for an interval of this full width. effect: rows to detect this difference between two models.",
            "n: the width that so many rows achieve; with discordance or correlation the minimum detectable effect.",
            "n and effect: the power to detect it.",
        ],
        "What is assumed": [
            "value is what you expect; prevalence and share determine how many rows count; sd is that of the losses of single rows.",
            "discordance is the fraction of rows on which only one of two models is right: take it from models you have.",
            "With pilot predictions of two models no assumption is needed: assay compare --effect reports the rows.",
        ],
    },
    references=works("connor1987 hanley1982"),
)

INFERENCE = [INTERVAL, COMPARE, PLAN, PREDICTION_POWERED]
