"""`assay score` and `assay compare` on TREC's files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from cli_support import call

import assay
import fixtures
from assay.io.trec import read_trec
from messages import refuses

QRELS = "# judgments\nq1 0 a 1\nq1 0 b 0\r\nq1\t0\tc   2\nq2 0 a 1\n\nq2 0 b -1\n"
RUN = "q1 Q0 a 1 0.5 x\nq1 Q0 b 2 0.9 x\nq2 Q0 b 1 1e-1 x\nq2 Q0 a 2 .1 x\nq1 Q0 d 3 0.1 x\nq9 Q0 a 1 1 x\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, ranking = tmp_path / "qrels", tmp_path / "run"
    qrels.write_bytes(QRELS.encode())
    ranking.write_bytes(RUN.encode())
    return qrels, ranking


def test_files_equal_dicts(files: tuple[Path, Path]) -> None:
    """Comments, tabs, CRLF, blocks of a query apart, numbers of all forms, ties by document."""
    pair = read_trec(*files)
    judged = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "b": -1}}
    ranked = {"q1": {"a": 0.5, "b": 0.9, "d": 0.1}, "q2": {"b": 0.1, "a": 0.1}, "q9": {"a": 1.0}}
    with pytest.warns(assay.UndefinedWarning, match="1 ranked queries have no judgments"):
        from_files = assay.average_precision_at_k(pair.truth, pair)
    with pytest.warns(assay.UndefinedWarning):
        assert from_files == assay.average_precision_at_k(judged, ranked)
    assert from_files == pytest.approx((0.5 / 2 + 1 / 2) / 2)


def test_large_files_equal_the_peer(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    qrels, ranking = tmp_path / "qrels", tmp_path / "run"
    judged = [f"{q} 0 doc{d} {rng.integers(0, 3)}\n" for q in range(40) for d in rng.choice(400, 30, False)]
    ranked = [f"{q} Q0 doc{d} 0 {rng.random():.3f} tag\n" for q in range(40) for d in rng.choice(400, 200, False)]
    qrels.write_text("".join(judged))
    ranking.write_text("".join(ranked))
    with qrels.open() as a, ranking.open() as b:
        peer = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(a), {"ndcg", "map"}).evaluate(
            pytrec_eval.parse_run(b)
        )
    pair = read_trec(qrels, ranking)
    for name, metric in (("ndcg", assay.metrics.NDCG()), ("map", assay.metrics.AveragePrecisionAtK())):
        rows = metric.query_rows(metric.inputs(pair.truth, pair))[:, 1]
        queries = pair.truth.facts["query"].tolist()
        np.testing.assert_allclose(rows, [peer[query][name] for query in queries], rtol=1e-12)


def test_the_text_of_trec_eval(capsys: pytest.CaptureFixture[str]) -> None:
    folder = fixtures.path("06_retrieval", "trec_shared")
    done = call(
        capsys,
        "score",
        str(folder / "qrels.test"),
        str(folder / "results.test"),
        "--task",
        "retrieval",
        "--format",
        "trec_eval",
    )
    published = [line for line in (folder / "out.test").read_text().splitlines() if not line.startswith("runid")]
    assert done.out.splitlines() == published


def test_score_and_compare(capsys: pytest.CaptureFixture[str], files: tuple[Path, Path]) -> None:
    names = [str(path) for path in files]
    done = call(capsys, "score", *names, "--task", "retrieval", "-m", "map", "-m", "ndcg:k=5", "--json")
    assert done.code == 0
    assert '"average_precision_at_k"' in done.out
    both = call(capsys, "compare", *names, names[1], "--names", "a,b", "--task", "retrieval", "-m", "map")
    assert both.code == 0
    assert "cannot be told apart" in both.out


@pytest.mark.parametrize(
    ("qrels", "ranking"),
    [
        pytest.param(QRELS, RUN + "q1 Q0 a 4 0.3 x\n", id="a document twice"),
        pytest.param(QRELS + "q1 0 a 1\n", RUN, id="a judgment twice"),
        pytest.param(QRELS, RUN + "q1 Q0 e 4 x\n", id="a field too few"),
        pytest.param(QRELS, RUN + "q1 Q0 e 4 high x\n", id="a score that is text"),
        pytest.param(QRELS, RUN + "q1 Q0 e 4 nan x\n", id="a score that is NaN"),
        pytest.param(QRELS.replace("q1 0 a 1", "q1 0 a yes"), RUN, id="a grade that is text"),
        pytest.param(QRELS, "q7 Q0 a 1 0.5 x\n", id="no query in common"),
        pytest.param(QRELS, "", id="an empty run"),
        pytest.param(QRELS, "q1 Q0 a 1 0.5 x\n", id="a judged query is missing"),
    ],
)
def test_bad_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qrels: str, ranking: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(qrels)
    Path("run").write_text(ranking)

    def score() -> None:
        pair = read_trec("qrels", "run")
        assay.ndcg(pair.truth, pair)

    refuses(score)
