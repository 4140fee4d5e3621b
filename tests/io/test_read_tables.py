"""Every format in, and every broken file refused in one sentence that names it."""

import gzip
import io
import sys

import polars as pl
import pytest

from assay.core.errors import AssayError, InputError, ParameterError, UnknownNameError
from assay.io import read_table
from assay.io.tables import sniff
from messages import refusal

FRAME = pl.DataFrame({"y": [0, 1, 1], "p": [0.25, 0.75, 0.5], "site": ["a", "b", "b"]})


def to_bytes(format: str) -> bytes:
    out = io.BytesIO()
    write = {
        "csv": FRAME.write_csv, "tsv": lambda f: FRAME.write_csv(f, separator="\t"), "parquet": FRAME.write_parquet,
        "jsonl": FRAME.write_ndjson, "arrow": FRAME.write_ipc, "stream": FRAME.write_ipc_stream,
    }  # fmt: skip
    write[format](out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.csv", "csv"), ("a.tsv", "tsv"), ("a.parquet", "parquet"), ("a.jsonl", "jsonl"), ("a.ndjson", "jsonl"),
     ("a.arrow", "arrow"), ("a.feather", "arrow"), ("a.ipc", "arrow"), ("b.arrow", "stream"), ("A.CSV", "csv")],
)  # fmt: skip
def test_formats_by_name(tmp_path, name, format):
    (tmp_path / name).write_bytes(to_bytes(format))
    assert read_table(tmp_path / name).equals(FRAME)


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
def test_gzip(tmp_path, format):
    path = tmp_path / f"a.{format}.gz"
    path.write_bytes(gzip.compress(to_bytes(format)))
    assert read_table(path).equals(FRAME)


@pytest.mark.parametrize("format", ["csv", "tsv", "parquet", "jsonl", "arrow", "stream"])
@pytest.mark.parametrize("said", [False, True])
def test_standard_input(monkeypatch, format, said):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(to_bytes(format))))
    wanted = {"stream": "arrow"}.get(format, format) if said else None
    assert read_table("-", wanted).equals(FRAME)


def test_gzip_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(to_bytes("tsv")))))
    assert read_table("-").equals(FRAME)


def test_the_whole_file_decides_the_type(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("y\n" + "1\n" * 5000 + "0.5\n")
    assert read_table(path)["y"].dtype == pl.Float64


def test_byte_order_mark(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfy,p\n1,2\n")
    assert read_table(tmp_path / "a.csv").columns == ["y", "p"]


BROKEN = [
    ("empty.csv", b"", "the file is empty"),
    ("blank.csv", b"\n\n", "the file is empty"),
    ("empty.parquet", b"", "the file is empty"),
    ("blank.jsonl", b"\n", "the file is empty"),
    ("head.csv", b"y,p\n", "has columns (y, p) but no rows"),
    ("latin.csv", b"y,p\n1,a\n1,\xe9\n", "line 3 is not UTF-8 text (byte 0xe9). Save the file as UTF-8."),
    ("utf16.csv", "y,p\n1,2\n".encode("utf-16"), "is UTF-16 text, not UTF-8"),
    ("latin.jsonl", b'{"y": "\xe9"}\n', "line 1 is not UTF-8"),
    ("cut.parquet", to_bytes("parquet")[:-20], "the parquet file is damaged or truncated"),
    ("no.parquet", b"y,p\n1,2\n", "is not a parquet file. If it is another format, say so with --input-format."),
    ("cut.arrow", to_bytes("arrow")[:-20], "the arrow file is damaged or truncated"),
    ("no.arrow", b"hello there", "is not an arrow file"),
    ("long.csv", b"y,p\n1,2\n3,4,5\n", "line 3 has 3 values, the header names 2 columns"),
    ("short.csv", b"y,p\n1,2\n3\n", "line 3 has 1 values, the header names 2 columns"),
    ("long.tsv", b"y\tp\n1\t2\t3\n", "line 2 has 3 values"),
    ("quote.csv", b'y,p\n1,"x\n', "line 2 has a quote that does not end where it should"),
    ("twice.csv", b"y,p,y,p\n1,2,3,4\n", "more than one column is called 'y', 'p'"),
    ("semi.csv", b"y;p\n1;2\n", "the columns are separated by semicolons. Save it with commas."),
    ("tabs.csv", b"y\tp\n1\t2\n", "the columns are separated by tabs. Say --input-format tsv."),
    ("bad.jsonl", b'{"y": 1}\n{"y": 2\n', "line 2 is not JSON"),
    ("nan.jsonl", b'{"y": 1}\n{"y": NaN}\n', "line 2 is not JSON (NaN is not a JSON number"),
    ("array.jsonl", b"[1, 2]\n", "line 1 must be an object"),
    ("cut.csv.gz", gzip.compress(b"y,p\n1,2\n")[:-6], "the gzip data are damaged or truncated"),
]


@pytest.mark.parametrize(("name", "content", "says"), BROKEN, ids=[b[0] for b in BROKEN])
def test_broken_files(tmp_path, name, content, says):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_table(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert says in message
    assert "\n" not in message


def test_missing_file_and_folder(tmp_path):
    (tmp_path / "preds.csv").write_text("y\n1\n")
    with refusal(InputError):
        read_table(tmp_path / "preds.cvs")
    with refusal(InputError):
        read_table(tmp_path)
    with refusal(InputError):
        read_table(tmp_path / "nowhere" / "a.csv")


def test_unknown_suffix_and_format(tmp_path):
    path = tmp_path / "preds.txt"
    path.write_text("y,p\n1,2\n")
    with refusal(UnknownNameError):
        read_table(path)
    assert read_table(path, "csv").columns == ["y", "p"]
    with refusal(ParameterError):
        read_table(path, "cvs")


def test_empty_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with refusal(AssayError):
        read_table("-")


def test_sniff():
    assert [sniff(to_bytes(f)) for f in ("csv", "tsv", "parquet", "jsonl", "arrow", "stream")] == [
        "csv", "tsv", "parquet", "jsonl", "arrow", "arrow",
    ]  # fmt: skip
