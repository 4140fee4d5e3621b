"""Damaged parquet and arrow files end in one sentence, whatever the library that reads them does."""

from __future__ import annotations

import base64
import io
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assay import InputError
from assay.io import read_table
from messages import refusal

FRAME = pl.DataFrame({"y": [0, 1, 1, 0], "p": [0.25, 0.75, 0.5, 0.125], "site": ["a", "bb", "a", "c"]})


def written(write: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    write(buffer, **options)
    return buffer.getvalue()


def panicking() -> bytes | None:
    """A damaged file on which polars panics, if this version of it does on any."""
    whole = written(FRAME.write_parquet)
    for at in range(len(whole) - 1, 3, -1):
        for value in (0, 255, whole[at] ^ 1, whole[at] ^ 16):
            hurt = whole[:at] + bytes([value]) + whole[at + 1 :]
            try:
                pl.read_parquet(io.BytesIO(hurt))
            except pl.exceptions.PolarsError:
                continue
            except BaseException as error:
                if type(error).__name__ == "PanicException":
                    return hurt
                raise
    return None


def test_a_panic_is_one_line_and_code_2(tmp_path: Path) -> None:
    hurt = panicking()
    if hurt is None:
        pytest.skip("this version of polars does not panic on such a file")
    (tmp_path / "hurt.parquet").write_bytes(hurt)
    arguments = ["score", str(tmp_path / "hurt.parquet"), "--task", "binary", "--truth", "y", "--prob", "p"]
    found = subprocess.run([sys.executable, "-m", "assay", *arguments], capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert "hurt.parquet: the parquet file is damaged or truncated" in found.stderr


def aborting() -> bytes:
    """An arrow file with a compressed column whose length asks for more memory than there is."""
    whole = written(pl.DataFrame({"y": [True] * 10_000}).write_ipc, compression="zstd")
    length = struct.pack("<q", 1250)
    assert length in whole
    return whole.replace(length, struct.pack("<q", 2**58))


# A column of 30 integers as polars writes it, with one byte changed: it asks for 2^61 bytes.
ABORTING_PARQUET = zlib.decompress(base64.b85decode(
    "c-nPQ!A`<J5Z!GWf{6zXOw%Sk^kM@_5Ee;W!evW{5RJCP#OSS97Klg<tss7pA)fs{rwfT*e1~~EZ|1$jPQXV^P{9K08j1XZ9vBGdpx0myB`83F5Cz39rANEn?i5s`O$sGL"
    "r&}OeSIe}__U$4uOwEUmmfIDhHc(edl7T`%JyCEKHx1J;?Qd%S7odGnC=+bEc2Ud91QYdRJ{sNLchaZX<R#KS>3NRU14s1p;;ylO4-dVRt~gJ5Pjbl50-SF)xjy84`gcz"
    "jC!c>vU6xBOM`%a0KjgmTex8SrIh+S~X!7>&aBuB}dERv251u*EZ-QhItx~J<y3J<EvTCg-t8|_$Emm*V8&+lfHebY+BfJJ1$1NdZ<_O`kxOu@GH)?nh^V&i%;Y5?zV^z"
    "a6@n;|LLIGay2XC!l?*"
))  # fmt: skip


@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_what_aborts_is_tried_by_a_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piped: bool, kind: str
) -> None:
    path = tmp_path / f"hurt.{kind}"
    path.write_bytes(aborting() if kind == "arrow" else ABORTING_PARQUET)
    if piped:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(path.open("rb")))
    with refusal(InputError):
        read_table("-" if piped else path)


def test_what_others_write_to_standard_error_is_not_lost(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from assay.io import guarded_reads

    def noisy(data: Any) -> pl.DataFrame:
        import os

        os.write(2, b"a warning\n")
        return FRAME

    assert guarded_reads.directly(noisy, b"").equals(FRAME)
    assert capfd.readouterr().err == "a warning\n"


def test_interruptions_pass(tmp_path: Path) -> None:
    from assay.io import guarded_reads

    def interrupted(data: Any) -> pl.DataFrame:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guarded_reads.directly(interrupted, b"")
