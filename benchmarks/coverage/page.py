"""The measured lines as a page and as lines of the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assay.version import __version__
from benchmarks.coverage.learners_page import learners
from benchmarks.coverage.lines import Beside, Bias, Edge, Learned, Row, Test
from benchmarks.coverage.setting import SEED

NOTES = {
    "proportions": 'Wilson. Outside this grid it dips to .84 where n p is about 0.2; `method="exact"` never falls below its level.',
    "F1, IoU": "Wilson on the Jaccard index. Data without a positive row, true or called, have no value and do not count.",
    "MCC, kappa": "Posterior of the cells for two classes, Fisher z for more.",
    "skewed means": "Hall's t. Under skewness an interval that holds is wider than 2 x 1.96 deviations.",
    "MSE, heavy tails": "Hall's t with 1.5 times the skewness above; below 100 rows the star stands whatever they show.",
    "losses without a bound": "The same for losses that are no squares. A tail that was not drawn shows in no sample.",
    "RMSE": "The square of a t4 error has no variance, so no method holds 95 %; the interval flags the samples that show it.",
    "Pearson": "Errors by leaving out each row. Influence values alone covered .890 and .910 under t4 errors at n = 30 and 100.",
    "AUC": "DeLong on the logit scale, Newcombe below 20 rows of a class.",
    "AP": "Influence values on the logit scale; Boyd's logit below 50 positive rows, cautious at high values and always flagged.",
    "ECE": (
        "The truth is the error over the same 15 bins. That of a calibrated model is 0, the end of the range, so its width has no "
        "limit. The l1 form allows for the largest bias that noise can have, hence its width; the l2 form does not need to."
    ),
    "bootstrap": "500 draws a data set.",
    "clusters": "t of groups. Ignoring them is what most libraries do.",
    "detection": (
        "Bootstrap of images around the bias-corrected value, matching once. Average precision is raised to its best later point, so "
        "that few objects make it too high; percentiles of replicates do not know that. The truth is the value on 40 000 images."
    ),
    "rankings": "t of query values on the logit scale, always flagged below 25 queries. The truth is the mean over 100 000 queries.",
    "generation": (
        "Around the distance without its bias: twice the plain one less the mean of two half samples, with the error of influence values "
        "through the map from one law to the other. The truth is the distance of the laws. KID has the error of all its pairs."
    ),
    "PPI++": "2000 predictions without a label. «of labels alone» is the mean width over that of the labels alone.",
}
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"


def share(value: float) -> str:
    """A share as statisticians write it: .953."""
    text = f"{value:.3f}"
    return text[1:] if text.startswith("0") else text


def verdict(row: Any) -> str:
    """What the page says at the end of a line."""
    if not row.judged:
        return ""
    if isinstance(row, Row | Learned) and row.held and not row.narrow:
        return "WIDE"
    return "ok" if row.held else "MISSED"


def line(row: Any) -> str:
    """A line of the terminal."""
    if isinstance(row, Row | Learned):
        numbers = f"{share(row.coverage)} ± {share(row.error)}  width {row.ratio:4.2f}  flagged {row.flagged:4.2f}"
    elif isinstance(row, Test):
        numbers = f"level {share(row.level)}  power {share(row.power)}  {'peer' if row.peer else ''}{row.beaten}"
    elif isinstance(row, Edge):
        numbers = (
            f"level {share(row.level)}  outside {share(row.outside)}  starred {row.starred:4.2f}  torn {row.torn:4.2f}"
        )
    elif isinstance(row, Bias):
        numbers = f".632+ {row.plus:+.4f} ± {row.plus_error:.4f}  ten folds {row.folds:+.4f} ± {row.folds_error:.4f}"
    else:
        numbers = f"{share(row.coverage)} {row.ratio:4.2f}  other {share(row.other)} {row.other_ratio:4.2f}"
    more = "".join(f"  {k} {share(v)}" for k, v in row.beside.items()) if isinstance(row, Learned) else ""
    return f"{row.family:18} {row.name:48} n={row.n:<5} {numbers}{more}  {verdict(row)}"


def text(rows: list[Any]) -> str:
    """The whole page."""
    intervals = [row for row in rows if isinstance(row, Row)]
    tests = [row for row in rows if isinstance(row, Test)]
    averages = [row for row in rows if isinstance(row, Beside)]
    trained = learners([row for row in rows if isinstance(row, Learned | Bias)], share, verdict)
    edges = _edges([row for row in rows if isinstance(row, Edge)])
    return "\n".join(
        [*_head(), *_missed(rows), *_intervals(intervals), *trained, *_tests(tests), *edges, *_averages(averages)]
    )


def _head() -> list[str]:
    return [
        "# Coverage",
        "",
        f"Written by `make coverage` with assay {__version__}, seed {SEED} and the name of each setting. Data are drawn from a",
        "distribution with a known truth; the public API returns the interval; counted is how often it contains the truth. Nominal level",
        "95 %. «width» is the mean width over 2 x 1.96 times the true standard deviation of the estimator: 1.00 is what one",
        "who knows that deviation would draw. «flagged» is the fraction of intervals that carry a star, «not flagged» the",
        "coverage of the others.",
        "A band is met within two Monte-Carlo errors; from n = 100 on the width may be 1.10. Lines for contrast have no band.",
        "The recipe names no band for RMSE, balanced accuracy, miscalibrated ECE, Pearson, Spearman, R², medians, AUC and F1 of",
        "clusters, K > 2 agreement and the bootstrap: theirs are this page's own. Parts can be measured one by one, so lines may",
        "come from several runs; each depends on its own seed only.",
        "",
    ]


def _missed(rows: Iterable[Any]) -> list[str]:
    """What is not as it should be, first."""
    wrong = [row for row in rows if verdict(row) in ("MISSED", "WIDE")]
    lines = ["## What is missed", ""]
    if not wrong:
        return [*lines, "Nothing.", ""]
    return [*lines, *(f"- {row.family}, {row.name}, n = {row.n}: {_why(row)}" for row in wrong), ""]


def _why(row: Any) -> str:
    if isinstance(row, Test):
        return f"level {share(row.level)}, power {share(row.power)}" + (
            f", less than {row.beaten}" if row.beaten else ""
        )
    if isinstance(row, Edge):
        return f"rejects {share(row.level)} by its p value and {share(row.outside)} by its interval"
    if isinstance(row, Bias):
        return (
            f"bias {row.plus:+.4f} ± {row.plus_error:.4f}, that of ten folds {row.folds:+.4f} ± {row.folds_error:.4f}"
        )
    flagged = f", flagged in {row.flagged:.0%} of the cases" if row.flagged >= 0.005 else ""
    if row.held:
        beside = "" if getattr(row, "wald", None) is None else f" and {row.wald:.2f} of CV Wald"
        return f"coverage met ({share(row.coverage)}), but at {row.ratio:.2f} of the oracle width{beside}{flagged}"
    return f"coverage {share(row.coverage)}, wanted {_band(row)}{flagged}"


def _band(row: Row | Learned) -> str:
    band = f">= {share(row.low)}" if row.high >= 1 else f"{share(row.low)}-{share(row.high)}"
    return band if isinstance(row, Learned) or row.minimum is None else f"{band}, minimum {share(row.floor)}"


def _intervals(rows: list[Row]) -> list[str]:
    lines = ["## Intervals", ""]
    for family, measured in _families(rows):
        beside = any(row.classical is not None for row in measured)
        titles = [
            "setting",
            "n",
            "replicates",
            "coverage",
            "±",
            "band",
            "width",
            "flagged",
            "not flagged",
            *["of labels alone"] * beside,
            "",
        ]
        lines += [f"### {family}", "", NOTES.get(family, ""), "", f"| {' | '.join(titles)} |"]
        lines += ["|---|---:|---:|---:|---:|---|---:|---:|---:|" + "---:|" * beside + "---|"]
        lines += [_interval_line(row, beside) for row in measured]
        lines += [""]
    return lines


def _families(rows: list[Any]) -> Iterable[tuple[str, list[Any]]]:
    """Rows by family, in the order in which families first occur."""
    return ((family, [row for row in rows if row.family == family]) for family in dict.fromkeys(r.family for r in rows))


def _interval_line(row: Row, beside: bool) -> str:
    coverage = share(row.coverage) + ("" if row.minimum is None else f" (least {share(row.minimum)})")
    trusted = "" if row.unflagged is None else share(row.unflagged)
    more = ("" if row.classical is None else f" {row.classical:.2f} |") if beside else ""
    return (
        f"| {row.name} | {row.n} | {row.replicates or 'exact'} | {coverage} | {share(row.error)} | "
        f"{_band(row) if row.judged else ''} | {row.ratio:.2f} | {row.flagged:.0%} | {trusted} |{more} {verdict(row)} |"
    )


def _tests(rows: list[Test]) -> list[str]:
    lines = [
        "## Comparisons", "",
        "Two correlated models on the same rows. «level» is how often a test at 5 % rejects without a difference (wanted",
        "3-6.5 %), «power» how often it finds a difference. Peers see the same data; a test of assay must not find less",
        "than the best peer that keeps its level, within three Monte-Carlo errors of the paired difference. The signed-rank test",
        "is shown but not measured against: models of equal mean loss and different shapes make it reject almost always.", "",
    ]  # fmt: skip
    for family, members in _families(rows):
        lines += [f"### {family}", "", "| test | n | replicates | level | power | |", "|---|---:|---:|---:|---:|---|"]
        for row in members:
            name = row.name if row.peer else f"**{row.name}**"
            end = "" if row.peer else verdict(row) + (f": {row.beaten} finds more" if row.beaten else "")
            lines.append(f"| {name} | {row.n} | {row.replicates} | {share(row.level)} | {share(row.power)} | {end} |")
        lines += [""]
    return lines


def _edges(rows: list[Edge]) -> list[str]:
    """One line a metric: how often it rejects, by the number of discordant units."""
    if not rows:
        return []
    counts = sorted({row.n for row in rows})
    lines = [
        "## Comparisons at a boundary", "",
        "Two models that agree on every row but 2 to 20, with rates at or near 0 and 1. For each of these rows a coin tells which",
        "model has it wrong, so that neither is better: a test at 5 % may reject 6.5 % at most. Shown is how often the default of",
        "`compare` rejects without a star, by the number of discordant rows (or groups). Few rows have few possible p values, so that",
        "an exact test rejects less than 5 %. An interval leaves out zero where the p value is below 5 % and nowhere else. A second",
        "number is the fraction of comparisons with a star, if any. The models of «equal precision, twice the calls» differ in",
        "recall, so that no swap is fair and only the precision is equal; there the number is that of the false alarms expected.", "",
    ]  # fmt: skip
    for family, members in _families(rows):
        lines += [f"### {family}", "", f"| metric | replicates | {' | '.join(map(str, counts))} | |"]
        lines += ["|---|---:|" + "---:|" * len(counts) + "---|"]
        for name in dict.fromkeys(row.name for row in members):
            own = {row.n: row for row in members if row.name == name}
            cells = [_edge_text(own[count]) if count in own else "" for count in counts]
            verdicts = {verdict(row) for row in own.values()}
            end = "MISSED" if "MISSED" in verdicts else "ok"
            lines.append(f"| {name} | {max(row.replicates for row in own.values())} | {' | '.join(cells)} | {end} |")
        lines += [""]
    return lines


def _edge_text(row: Edge) -> str:
    return share(row.level) + (f" ({row.starred:.0%})" if row.starred >= 0.005 else "")


def _averages(rows: list[Beside]) -> list[str]:
    if not rows:
        return []
    lines = [
        "## F1 in confidenceinterval 1.0.5", "",
        "The package gives closed-form intervals of F1 and names Takahashi et al. (2022). Measured, its macro interval is too wide",
        "with equal classes and too narrow with rare ones, and more rows mend neither. Its source adds terms of the macro variance",
        "that scale differently with n, and takes `p * p.T` of a flat vector for an outer product in the binary one. Its micro",
        "average is Wald's interval, whose variance is right. Same data for both:", "",
        "| F1 | n | replicates | assay coverage | width | confidenceinterval coverage | width |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    lines += [
        f"| {r.name} | {r.n} | {r.replicates} | {share(r.coverage)} | {r.ratio:.2f} | {share(r.other)} | {r.other_ratio:.2f} |"
        for r in rows
    ]
    return [*lines, ""]
