"""Mutated files through every reader: ``python reader_fuzz.py SEED COUNT FOLDER`` prints what is not an error of assay, or nothing."""

from __future__ import annotations

import io
import json
import random
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from png_builder import png

from assay import AssayError
from assay.io import Columns, read_table
from assay.io.coco import CocoTruth, read_coco
from assay.io.label_maps import label_names, read_label_maps
from assay.io.panoptic import read_panoptic
from assay.io.pictures import read_picture
from assay.io.png import read_ids, read_labels, size_of
from assay.io.voc import read_voc

FRAME = pl.DataFrame({
    "id": [f"r{i}" for i in range(30)], "y": [i % 3 for i in range(30)], "p": [i / 30 for i in range(30)],
    "t": [i % 2 == 0 for i in range(30)], "l": [[i / 30, 1 - i / 30] for i in range(30)],
})  # fmt: skip
RGB = np.arange(9 * 7 * 3, dtype=np.uint8).reshape(9, 7, 3)
COCO = {
    "images": [{"id": 1, "width": 20, "height": 20}], "categories": [{"id": 1, "name": "cat"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "area": 12, "iscrowd": 0,
                     "segmentation": [[1, 1, 5, 1, 5, 5]]}],
}  # fmt: skip
FOUND = [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 0.5}]
PANOPTIC = {
    "categories": [{"id": 1, "name": "sky", "isthing": 0}],
    "annotations": [{"image_id": 1, "file_name": "a.png", "segments_info": [{"id": 1, "category_id": 1, "iscrowd": 0}]}],
}  # fmt: skip
XML = (
    "<annotation><object><name>cat</name><difficult>0</difficult><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax>"
    "</bndbox></object></annotation>"
)


def written(write: Callable[..., Any], *arguments: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    write(buffer, *arguments, **options)
    return buffer.getvalue()


def _table(path: Path) -> None:
    table = Columns(read_table(path), path.name)
    for use in (table.numbers, table.labels, table.groups, table.slices):
        for name in table.frame.columns:
            try:
                use(name)
            except AssayError:
                continue


def _maps(path: Path) -> None:
    label_names(path)
    maps: Any = read_label_maps(path)
    for one in maps if maps.ndim else [maps]:
        np.asarray(one.read() if hasattr(one, "read") else one).sum()


def _voc(path: Path) -> None:
    found = path.parent / "found"
    found.mkdir(exist_ok=True)
    (found / "cat.txt").write_text("hurt 0.5 1 2 3 4\n")
    read_voc(path.parent, found, box_format="xyxy")


def _voc_text(path: Path) -> None:
    truth = path.parent / "truth"
    truth.mkdir(exist_ok=True)
    (truth / "a.txt").write_text("cat 1 2 3 4\n")
    read_voc(truth, path.parent, box_format="xyxy")


def _coco(path: Path) -> None:
    results = path.parent / "results.jsn"
    results.write_text(json.dumps(FOUND))
    read_coco(path, results)
    CocoTruth.read(path).column("segm")


def _results(path: Path) -> None:
    truth = path.parent / "truth.jsn"
    truth.write_text(json.dumps(COCO))
    read_coco(truth, path)


def _panoptic(path: Path) -> None:
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    (folder / "a.png").write_bytes(png(RGB, colour=2))
    data = read_panoptic(path, path)
    for cell in data.y_true:
        cell.read()


def _pictures(path: Path) -> None:
    for read in (size_of, read_labels, read_ids, read_picture):
        try:
            read(path)
        except AssayError:
            continue


def _zipped() -> bytes:
    return written(np.savez_compressed, a=RGB[..., 0], b=RGB[..., 1])


CASES: dict[str, tuple[str, Callable[[], bytes], Callable[[Path], None]]] = {
    "grey png": ("png", lambda: png(RGB[..., 0]), _pictures),
    "colour png": ("png", lambda: png(RGB, colour=2, interlaced=True), _pictures),
    "palette png": ("png", lambda: png(RGB[..., 0] % 16, 4, 3), _pictures),
    "npy": ("npy", lambda: written(np.save, RGB), _maps),
    "npz": ("npz", _zipped, _maps),
    "csv": ("csv", lambda: written(FRAME.drop("l").write_csv), _table),
    "tsv": ("tsv", lambda: written(FRAME.drop("l").write_csv, separator="\t"), _table),
    "jsonl": ("jsonl", lambda: written(FRAME.write_ndjson), _table),
    "parquet": ("parquet", lambda: written(FRAME.write_parquet), _table),
    "plain parquet": ("parquet", lambda: written(FRAME.write_parquet, compression="uncompressed"), _table),
    "arrow": ("arrow", lambda: written(FRAME.write_ipc, compression="zstd"), _table),
    "stream": ("arrow", lambda: written(FRAME.write_ipc_stream), _table),
    "coco": ("json", lambda: json.dumps(COCO).encode(), _coco),
    "results": ("json", lambda: json.dumps(FOUND).encode(), _results),
    "panoptic": ("json", lambda: json.dumps(PANOPTIC).encode(), _panoptic),
    "xml": ("xml", lambda: XML.encode(), _voc),
    "txt": ("txt", lambda: b"a 0.5 1 2 3 4\na 0.25 1 2 3 4\n", _voc_text),
}
SLOW = ("arrow", "stream", "parquet", "plain parquet")  # a child process each
_PIECES = (
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\0",
    b"\0\0\0\x80",
    b"nan",
    b"1e999",
    b"-",
    b'"',
    b"\n",
    b"\xfe\xff",
    b"[[[[",
    b"&x;",
)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """One to three changes: a byte, a bit, a piece cut out, put in, doubled or exchanged, the end cut off."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at, to = rng.randrange(len(found) or 1), rng.randrange(len(found) or 1)
        size = rng.randint(1, 30)
        kind = rng.randrange(7)
        if kind == 0 and found:
            found[at] = rng.randrange(256)
        elif kind == 1 and found:
            found[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del found[at : at + size]
        elif kind == 3:
            found[at : at + 4] = rng.choice(_PIECES)
        elif kind == 4:
            found[at:at] = found[to : to + size]
        elif kind == 5:
            found[at : at + size] = found[to : to + size]
        else:
            del found[at:]
    return bytes(found)


def main(seed: int, count: int, folder: Path) -> None:
    warnings.simplefilter("ignore")
    for name, (suffix, make, read) in CASES.items():
        whole, place = make(), folder / name
        place.mkdir()
        path = place / f"hurt.{suffix}"
        path.write_bytes(whole)
        read(path)  # the right file is read
        for at in range(max(2, count // 20) if name in SLOW else count):
            path.write_bytes(mutated(whole, random.Random(f"{name} {seed} {at}")))
            try:
                read(path)
            except AssayError:
                continue
            except BaseException:
                sys.stdout.write(f"{name}, seed {seed}, mutation {at}:\n{traceback.format_exc()}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
