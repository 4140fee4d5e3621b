"""`assay score` and `assay compare` of texts, as users type them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from cli_support import call, refused

from assay import testing

ROWS = 60


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, list[str]]:
    problem = next(p for p in testing.problems() if p.kind == "texts")
    truth, fair = list(problem.truth[:ROWS]), list(problem.inputs["y_pred"][0][:ROWS])
    found = {
        "ref": truth,
        "hyp": fair,
        "ref2": truth[1:] + truth[:1],
        "other": [" ".join(t.split()[1:]) for t in truth],
    }
    for name, lines in found.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return found


def scored(capsys: Any, *arguments: object, stdin: bytes | None = None) -> dict[str, Any]:
    run = call(capsys, "score", *arguments, "--no-intervals", "--json", stdin=stdin)
    assert run.code == 0, run.err
    return json.loads(run.out)


def test_references_come_first(capsys: Any, tmp_path: Path, texts: dict[str, list[str]]) -> None:
    found = scored(capsys, tmp_path / "ref.txt", tmp_path / "other.txt", "--task", "translation", "-m", "bleu")
    wanted = sacrebleu.corpus_bleu(texts["other"], [texts["ref"]]).score
    assert found["n"] == ROWS
    np.testing.assert_allclose(found["scores"]["bleu"]["value"], wanted, rtol=1e-12)
    other = scored(capsys, tmp_path / "other.txt", tmp_path / "ref.txt", "--task", "translation", "-m", "bleu")
    assert other["scores"]["bleu"]["value"] != found["scores"]["bleu"]["value"]


def test_names_that_tell_the_role_overrule_the_order(capsys: Any, tmp_path: Path, texts: dict[str, list[str]]) -> None:
    orders = (("hyp.txt", "ref.txt"), ("ref.txt", "hyp.txt"))
    both = [scored(capsys, tmp_path / a, tmp_path / b, "--task", "translation") for a, b in orders]
    assert both[0]["scores"] == both[1]["scores"]
    assert both[0]["notes"] == [f"references: {tmp_path / 'ref.txt'}; texts: {tmp_path / 'hyp.txt'}"]


def test_several_reference_files_and_standard_input(capsys: Any, tmp_path: Path, texts: dict[str, list[str]]) -> None:
    piped = (tmp_path / "hyp.txt").read_bytes()
    found = scored(
        capsys, "-", "--ref", tmp_path / "ref.txt", "--ref", tmp_path / "ref2.txt", "--task", "translation", stdin=piped
    )
    wanted = sacrebleu.corpus_bleu(texts["hyp"], [texts["ref"], texts["ref2"]]).score
    np.testing.assert_allclose(found["scores"]["bleu"]["value"], wanted, rtol=1e-12)


def test_copying_the_source_is_the_baseline(capsys: Any, tmp_path: Path, texts: dict[str, list[str]]) -> None:
    paths = [tmp_path / f"{name}.txt" for name in ("ref", "hyp")]
    found = scored(capsys, *paths, "--source", tmp_path / "other.txt", "--task", "translation")
    wanted = sacrebleu.corpus_bleu(texts["other"], [texts["ref"]]).score
    np.testing.assert_allclose(found["scores"]["bleu"]["baseline"], wanted, rtol=1e-12)


def test_packed_files_with_carriage_returns(capsys: Any, tmp_path: Path, texts: dict[str, list[str]]) -> None:
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress("\r\n".join(["\ufeff" + texts["hyp"][0], *texts["hyp"][1:]]).encode()))
    plain, found = (
        scored(capsys, tmp_path / "ref.txt", path, "--task", "speech") for path in (tmp_path / "hyp.txt", packed)
    )
    assert found["scores"] == plain["scores"]


def test_columns_of_tables(capsys: Any, tmp_path: Path, texts: dict[str, list[str]]) -> None:
    table = tmp_path / "t.jsonl"
    rows = [
        {"refs": [a, b], "hyp": h, "doc": i // 6, "empty": ""}
        for i, (a, b, h) in enumerate(zip(texts["ref"], texts["ref2"], texts["hyp"], strict=True))
    ]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = scored(capsys, table, "--truth", "refs", "--pred", "hyp", "--task", "translation", "--groups", "doc")
    wanted = sacrebleu.corpus_bleu(texts["hyp"], [texts["ref"], texts["ref2"]]).score
    np.testing.assert_allclose(found["scores"]["bleu"]["value"], wanted, rtol=1e-12)
    assert found["groups"] == ROWS // 6


def test_empty_fields_of_csv_are_empty_texts(capsys: Any, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("ref,hyp\n1 2,\nNA,NA\n" + "a b,a b\n" * 4)
    found = scored(capsys, table, "--truth", "ref", "--pred", "hyp", "--task", "speech")
    np.testing.assert_allclose(found["scores"]["word_error_rate"]["value"], 2 / 11)
    assert any("an empty text" in warning for warning in found["warnings"])


def test_compare_files(capsys: Any, tmp_path: Path, texts: dict[str, list[str]]) -> None:
    paths = [tmp_path / f"{name}.txt" for name in ("ref", "hyp", "other")]
    run = call(capsys, "compare", *paths, "--task", "translation", "--json", "--replicates", 100)
    assert run.code == 0, run.err
    found = json.loads(run.out)
    assert found["models"] == ["hyp", "other"]
    tabled = call(capsys, "compare", *paths, "--task", "translation", "--replicates", 100)
    assert "60 sentences" in tabled.out
    assert f"references: {paths[0]}, line by line" in " ".join(tabled.out.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "ref.txt", "--task", "translation"),
        ("score", "ref.txt", "short.txt", "--task", "translation"),
        ("score", "short.txt", "hyp.txt", "--task", "speech"),
        ("score", "ref.txt", "latin.txt", "--task", "translation"),
        ("score", "ref.txt", "wide.txt", "--task", "translation"),
        ("score", "ref.txt", "nothing.txt", "--task", "translation"),
        ("score", "ref.txt", "absent.txt", "--task", "translation"),
        ("score", "-", "-", "--task", "translation"),
        ("score", "ref.txt", "hyp.txt"),
        ("score", "ref.txt", "hyp.txt", "--task", "translaton"),
        ("score", "ref.txt", "hyp.txt", "--task", "translation", "--weight", "w"),
        ("score", "ref.txt", "hyp.txt", "--task", "translation", "--prob", "p"),
        ("score", "ref.txt", "hyp.txt", "--task", "translation", "--positive", "1"),
        ("score", "table.csv", "hyp.txt", "--task", "translation"),
        ("score", "table.csv", "--task", "translation", "--truth", "a"),
        ("score", "table.csv", "--task", "translation", "--truth", "a", "--pred", "number"),
        ("score", "table.csv", "--task", "translation", "--truth", "a", "--pred", "b", "--ref", "ref.txt"),
        ("score", "hyp.txt", "--ref", "ref.txt", "--ref", "ref2.txt", "--task", "speech"),
        ("score", "ref.txt", "hyp.txt", "--task", "speech", "--source", "other.txt"),
        ("score", "ref.txt", "hyp.txt", "--task", "translation", "--source", "short.txt"),
        ("score", "ref.txt", "hyp.txt", "--task", "translation", "-m", "bleu:tokenizer=mecab"),
        ("score", "lists.jsonl", "--task", "speech", "--truth", "refs", "--pred", "hyp"),
        ("score", "lists.jsonl", "--task", "translation", "--truth", "refs", "--pred", "gap"),
        ("score", "lists.jsonl", "--task", "translation", "--truth", "none", "--pred", "hyp"),
        ("score", "hyp.txt", "other.txt", "--ref", "ref.txt", "--task", "translation"),
        ("compare", "ref.txt", "hyp.txt", "--task", "translation"),
        ("compare", "ref.txt", "hyp.txt", "short.txt", "--task", "translation"),
        ("compare", "ref.txt", "hyp.txt", "other.txt", "--task", "speech", "--ref", "ref.txt", "--names", "a,b"),
    ],
)
def test_refusals(
    capsys: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    texts: dict[str, list[str]],
    arguments: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("short.txt").write_text("\n".join(texts["hyp"][:-1]) + "\n")
    Path("latin.txt").write_bytes("\n".join(["Käse", *texts["hyp"][1:]]).encode("latin-1"))
    Path("wide.txt").write_bytes("\n".join(texts["hyp"]).encode("utf-16"))
    Path("nothing.txt").write_bytes(b"")
    Path("table.csv").write_text("a,b,number\nx,y,1.50\nx y,y,2.5\n")
    rows = [{"refs": ["a", "b"], "hyp": "a", "gap": "a", "none": ["a"]}, {"refs": ["a"], "hyp": "a", "gap": None, "none": []}]  # fmt: skip
    Path("lists.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    refused(call(capsys, *arguments, stdin=b"a\n"))
