"""The part of the page about learners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.coverage.learner_worlds import CLASSES, WORLDS, largest_error, risk
from benchmarks.coverage.lines import LEARNED_WIDEST, WALD_WIDEST, Bias, Learned

NOTES = {
    "corrected t": (
        "Ten folds five times, 50 fits, the default. What it is about is the learner at the training size, nine tenths of n; «error at "
        "n» counts how often it also holds the error at n. «naive t» takes the 50 splits as independent: that is what `estimate` "
        f"refuses. «CV Wald» takes the rows of one ten-fold run as independent. The width may be {LEARNED_WIDEST} of the oracle's and "
        f"{WALD_WIDEST} of CV Wald's. If models had nothing in common but their rows the corrected error would be 1.15 times the true one: "
        "that is why steady learners, the forest first, are covered more often than 95 %."
    ),
    "nested cross-validation": (
        "Five folds ten times, 15 fits per repeat. It is about the model fitted on all rows; «learner at n» counts the expected error "
        "of the learner instead, «CV Wald» the plain interval of five folds for the same model. The oracle knows the deviation of "
        "the estimate from the error of that model."
    ),
    "grouped": (
        "Groups of 5 rows that share an effect and two of five features. Ten folds of whole groups, t of groups; the question is the "
        "error on new groups. «rows split blindly» is the corrected t of 5 x 10 folds that ignore the groups. The errors of neighbours "
        "in two groups depend on each other through the third that both learnt from; counting groups does not see this. With 20 groups "
        "its coverage is lower still."
    ),
    "Bayle et al.": "For information: ten folds, rows taken as independent. Always flagged.",
    "conservative z": "For information: 15 subsamples and the same on ten pairs of halves, 315 fits. Too wide on purpose.",
}
HEAD = """## Learners

Nominal level 95 %, {sets} data sets per line. Learners: least squares; a tree of depth 4; the mean or majority of the 5 nearest rows; a
forest of ten trees of depth 6. Truths: a line in 5 normal features; Friedman's function of 5 features with noise of deviation 3 (mean
squared error); two normal classes in 5 features at distance 2 (accuracy). The error of least squares on the line is known by a formula,
the others from 2 000 to 100 000 training sets each (`benchmarks/coverage/learner_risks.json`), with a standard error of at most
{error:.2%} of the value. The first data sets of each line also went through `assay.estimate`, with the same limits.
"""


def learners(rows: list[Any], share: Callable[[float], str], verdict: Callable[[Any], str]) -> list[str]:
    """All tables."""
    if not rows:
        return []
    sets = max(row.replicates for row in rows)
    lines = [HEAD.format(sets=sets, error=max(largest_error(world) for world in WORLDS.values()))]
    for family in dict.fromkeys(row.family for row in rows):
        members = [row for row in rows if row.family == family]
        table = _biases if isinstance(members[0], Bias) else _covered
        lines += [f"### {family}", "", *table(members, share, verdict), ""]
    return lines


def _covered(rows: list[Learned], share: Callable[[float], str], verdict: Callable[[Any], str]) -> list[str]:
    sized, beside = rows[0].wald is not None, list(rows[0].beside)
    titles = ["learner, truth", "n", "coverage", "±", "band", "width", *["of CV Wald"] * sized, "flagged", *beside, ""]
    lines = [NOTES[rows[0].family], "", f"| {' | '.join(titles)} |"]
    lines += ["|---|---:|---:|---:|---|---:|" + "---:|" * (sized + 1 + len(beside)) + "---|"]
    for row in rows:
        band = (
            "" if not row.judged else f">= {share(row.low)}" if row.high >= 1 else f"{share(row.low)}-{share(row.high)}"
        )
        cells = [row.name, str(row.n), share(row.coverage), share(row.error), band, f"{row.ratio:.2f}"]
        cells += [f"{row.wald or 0:.2f}"] * sized + [f"{row.flagged:.0%}", *(share(row.beside[k]) for k in beside)]
        lines.append(f"| {' | '.join([*cells, verdict(row)])} |")
    return lines


def _biases(rows: list[Bias], share: Callable[[float], str], verdict: Callable[[Any], str]) -> list[str]:
    lines = [
        "100 bags. Bias is the mean of the estimate less the true error at n. That of ten folds is the true error at nine tenths of n "
        "less that at n. «off» is the root of bias squared plus variance, that of ten folds taken five times. The coverage of the .632+ "
        f"interval is for information. Five folds, a third held out and two folds have biases {_smaller()} for 5-nearest on "
        "the classes: .632+ stands between the first two, so its bias is not below that of ten folds. Training rows are their own "
        "nearest neighbour, so for 1-nearest the training error says nothing and .632+ trusts it too much: leave it out there.",
        "",
        "| learner, truth | n | true value | bias .632+ | ± | bias ten folds | ± | off .632+ | off ten folds | .632+ coverage | width | |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        digits = 4 if row.truth < 1 else 3
        numbers = [f"{row.truth:.{digits}f}", f"{row.plus:+.{digits}f}", f"{row.plus_error:.{digits}f}"]
        numbers += [f"{row.folds:+.{digits}f}", f"{row.folds_error:.{digits}f}", f"{row.plus_off:.{digits}f}"]
        numbers += [f"{row.folds_off:.{digits}f}", share(row.coverage), f"{row.ratio:.2f}", verdict(row)]
        lines.append(f"| {row.name} | {row.n} | {' | '.join(numbers)} |")
    return lines


def _smaller() -> str:
    """The bias of schemes that train on fewer of 50 rows."""
    goal = risk(CLASSES, "5-nearest", 50).value
    return ", ".join(f"{risk(CLASSES, '5-nearest', n).value - goal:+.4f}" for n in (40, 33, 25))
