"""The command line under schedulers, pipes and shells: signals, FIFOs, full disks, odd environments, outputs over inputs."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli import run
from messages import refusal

ROWS = "case,y,p\n" + "".join(f"c{i},{i % 2},{(i * 7 % 10) / 10}\n" for i in range(40))
WANTED = 0.6  # of ten rows in a row, those of p = 0.1, 0.3, 0.6 and 0.8 are wrong
SCORE = ("--task", "binary", "--truth", "y", "--prob", "p", "-m", "accuracy")
LEARNER = """
import os, pathlib, time
import numpy as np
class Slow:
    def fit(self, X, y):
        pathlib.Path(f"fit-{os.getpid()}").touch()
        time.sleep(60)
        return self
    def predict(self, X):
        return np.zeros(len(X))
slow = Slow()
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "preds.csv"
    path.write_text(ROWS)
    return path


def command(*arguments: Any, **options: Any) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "assay", *map(str, arguments)]
    return subprocess.run(call, text=True, stderr=subprocess.PIPE, timeout=120, check=False, **options)


def accuracy(text: str) -> float:
    return json.loads(text)["scores"]["accuracy"]["value"]


# ---- processes


def alive(group: int) -> list[int]:
    """The processes of a group, by the files of the system."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            facts = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(facts[2]) == group and facts[0] != "Z":
            found.append(int(entry.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are counted in /proc")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_no_process_outlives_a_killed_run(number: int, code: int, tmp_path: Path) -> None:
    (tmp_path / "slow_model.py").write_text(LEARNER)
    (tmp_path / "data.csv").write_text("x,y\n" + "".join(f"{i},{i}\n" for i in range(20)))
    call = [sys.executable, "-m", "assay", "estimate", "slow_model.py:slow", "data.csv", "--truth", "y", "--jobs", "2"]
    parent = subprocess.Popen(call, cwd=tmp_path, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        _until(lambda: len(list(tmp_path.glob("fit-*"))) == 2, 90)
        parent.send_signal(number)
        assert parent.wait(30) == code
        _until(lambda: not alive(parent.pid), 30)
    finally:
        for left in alive(parent.pid):
            os.kill(left, signal.SIGKILL)


def _until(holds: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(0.2)


def test_two_runs_do_not_share_a_store(tmp_path: Path) -> None:
    import numpy as np

    inside = tmp_path / "inside"  # not a variable: what a function closes over is part of its identity

    def train(X: Any, y: Any) -> Any:
        if not inside.exists():
            inside.touch()
            with refusal(assay.InputError):
                assay.estimate(train, X, y, "cv:3", ["mse"], store=tmp_path / "run", name="one")
        return lambda new: np.zeros(len(new))

    rows, target = np.arange(30.0)[:, None], np.arange(30.0)
    found = assay.estimate(train, rows, target, "cv:3", ["mse"], store=tmp_path / "run", name="one")
    assert inside.exists()
    assert not list((tmp_path / "run").glob("*.part"))
    again = assay.estimate(train, rows, target, "cv:3", ["mse"], store=tmp_path / "run", name="one")
    assert again["mse"] == found["mse"]


# ---- pipes


@pytest.mark.parametrize("suffix", [".csv", ""])
def test_a_fifo_is_read_once(tmp_path: Path, suffix: str, capsys: Any) -> None:
    fifo = tmp_path / f"pipe{suffix}"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_text, args=(ROWS,), daemon=True)
    writer.start()
    assert run(["score", str(fifo), *SCORE, "--json"]) == 0
    writer.join(10)
    assert not writer.is_alive()
    assert accuracy(capsys.readouterr().out) == WANTED


def test_process_substitution(table: Path) -> None:
    words = " ".join(SCORE)
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m assay score <(cat {table}) {words} --json"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert accuracy(done.stdout) == WANTED


def test_closed_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # what Python makes of `<&-`
    assert run(["score", "-", *SCORE]) == 2
    assert "standard input: is closed" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("format", ["table", "json"])
def test_a_full_disk_behind_standard_output(table: Path, format: str) -> None:
    with open("/dev/full", "w") as full:
        done = command("score", table, *SCORE, "--format", format, stdout=full)
    assert done.returncode == 2
    assert done.stderr == "assay: standard output: No space left on device.\n"


# ---- odd surroundings


@pytest.mark.parametrize("columns", ["0", "00", ""])
def test_a_terminal_without_columns(table: Path, columns: str) -> None:
    done = command("score", table, *SCORE, stdout=subprocess.PIPE, env={**os.environ, "COLUMNS": columns})
    assert done.returncode == 0
    assert "accuracy" in done.stdout


def test_paths_that_are_no_utf8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/pr\xe9ds.csv"
    with open(path, "w") as file:
        file.write(ROWS)
    done = subprocess.run(
        [sys.executable, "-m", "assay", "score", path, *SCORE, "--json"],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert accuracy(done.stdout) == WANTED


@pytest.mark.parametrize("name", ["preds.csv.gz", "preds.csv"])
def test_truncated_gzip(tmp_path: Path, name: str, capsys: Any) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(ROWS.encode())[:-20])
    assert run(["score", str(path), *SCORE]) == 2
    assert "gzip data are damaged or truncated" in capsys.readouterr().err


def test_gzip_under_a_plain_name(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "preds.csv"
    path.write_bytes(gzip.compress(ROWS.encode()))
    assert run(["score", str(path), *SCORE, "--json"]) == 0
    assert accuracy(capsys.readouterr().out) == WANTED


@pytest.mark.parametrize("word", ["nan", "inf", ""])
def test_ids_that_are_none(tmp_path: Path, word: str, capsys: Any) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"case,y,p\n1.0,0,0.2\n{word},1,0.8\n3.0,1,0.7\n")
    assert run(["compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--id", "case", *SCORE]) == 2
    message = capsys.readouterr().err
    assert "case" in message
    assert "row 1" in message or "missing" in message


def test_very_long_headers_and_cells_are_cut(tmp_path: Path, capsys: Any) -> None:
    long = "x" * 100_000
    path = tmp_path / "preds.csv"
    path.write_text(f"{long},p\n{long},0.5\n")
    assert run(["score", str(path), *SCORE]) == 2
    first = capsys.readouterr().err
    path.write_text(f"y,p\n1,{long}\n0,0.5\n")
    assert run(["score", str(path), *SCORE]) == 2
    second = capsys.readouterr().err
    for message in (first, second):
        assert "characters)" in message
        assert len(message) < 2000


# ---- an output that is an input


def test_no_output_onto_an_input(table: Path, tmp_path: Path, capsys: Any) -> None:
    other = tmp_path / "other.csv"
    other.write_text(ROWS)
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    calls = [
        ["score", str(table), *SCORE, "-o", str(link)],
        ["compare", str(table), str(other), "--id", "case", *SCORE, "-o", str(other)],
    ]
    for call in calls:
        assert run(call) == 2
        assert "would overwrite an input" in capsys.readouterr().err
    assert table.read_text() == other.read_text() == ROWS


def test_no_output_of_an_estimate_onto_its_data(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data, model = tmp_path / "data.csv", tmp_path / "flat_model.py"
    data.write_text("x,y\n" + "".join(f"{i},{i}\n" for i in range(20)))
    model.write_text("def train(X, y):\n    return lambda new: new[:, 0]\n")
    call = ["estimate", "flat_model.py:train", "data.csv", "--truth", "y"]
    for more in (["-o", "data.csv"], ["--predictions", "data.csv"]):
        assert run([*call, *more]) == 2
        assert "would overwrite an input" in capsys.readouterr().err
    assert data.read_text().startswith("x,y")


CLOSED = (("list",), ("list", "--json"), ("--help",), ("score", "preds.csv", *SCORE))


@pytest.mark.parametrize("arguments", CLOSED)
def test_closed_standard_output(table: Path, arguments: tuple[str, ...]) -> None:
    """Nobody can read the result, which is no fault of ours."""
    done = _closed(f"{' '.join(arguments)} >&-", table.parent)
    assert (done.returncode, done.stderr) == (2, "assay: standard output: is closed.\n")


def test_closed_streams_that_are_not_needed(table: Path) -> None:
    assert _closed(f"score preds.csv {' '.join(SCORE)} -o out.json >&-", table.parent).returncode == 0
    assert json.loads((table.parent / "out.json").read_text())["n"] == 40
    done = _closed("score nothing.csv --truth y --prob p 2>&-", table.parent)
    assert (done.returncode, done.stdout) == (2, "")


def _closed(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    source = str(Path(assay.__file__).parents[1])
    return subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m assay.cli {line}"], capture_output=True, text=True, cwd=folder, check=False,
        env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip


DEEP = "[" * 100_000 + "]" * 100_000
RECORD = '{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "area": 1, "iscrowd": 0, "score": 0.5%s}'
COCO = '{"images": [{"id": 1, "width": 5, "height": 5}], "categories": [{"id": 1, "name": "a"}], "annotations": [%s]}'


@pytest.mark.parametrize(
    "truth", [DEEP, '{"a": ' * 100_000, f'{{"images": {DEEP}}}', COCO % (RECORD % f', "x": {DEEP}')]
)
def test_json_that_is_nested_too_deep(tmp_path: Path, capsys: Any, truth: str) -> None:
    for name, text in (("deep.json", truth), ("good.json", COCO % (RECORD % "")), ("found.json", f"[{RECORD % ''}]")):
        (tmp_path / name).write_text(text)
    for pair in (("deep.json", "found.json"), ("good.json", "deep.json")):
        assert run(["score", *(str(tmp_path / name) for name in pair), "--task", "detection"]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "deep.json: nests lists or objects too deeply to be read" in said


def test_lines_that_are_nested_too_deep(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "a.jsonl").write_text(f'{{"y": 1, "p": 1}}\n{{"y": 1, "p": {DEEP}}}\n')
    assert run(["score", str(tmp_path / "a.jsonl"), "--truth", "y", "--pred", "p"]) == 2
    assert "line 2 nests lists or objects too deeply to be read" in capsys.readouterr().err
    assert run(["score", str(tmp_path / "a.jsonl"), "--truth", "y", "--pred", "p", "-m", f"cost:cost={DEEP}"]) == 2
