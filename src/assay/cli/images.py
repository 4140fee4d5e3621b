"""``assay score`` and ``assay compare`` of images: truth and predictions are files or folders, a row is an image."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from assay.cli.output import chosen_format, refuse_overwriting, write_result
from assay.cli.progress import resampling
from assay.cli.score import LIMIT_MISSED, Intervals, missed_of
from assay.core.errors import DependencyError, ParameterError, did_you_mean
from assay.core.signatures import from_spec, spec_fields
from assay.evaluation.compare import compare
from assay.evaluation.evaluate import evaluate
from assay.evaluation.presets import IMAGES, TABLES

TASKS = tuple(IMAGES)
KINDS = ("bbox", "segm", "keypoints")
FORMATS = ("xyxy", "xywh", "cxcywh")
OPTIONS = ("iou_type", "ignore_index", "sigmas", "use_area")  # parameters that the user's own options say


@dataclass(frozen=True)
class Images:
    """What is scored and how: the task, the truth, and what only some tasks need."""

    task: str
    truth: str
    iou_type: str = "bbox"
    features: str | None = None
    ignore_index: int | None = None
    pictures: str | None = None
    crowdpose: bool = False
    exhaustive: bool = False
    box_format: str | None = None
    normalized: bool | None = None

    def check(self) -> None:
        """What can be refused before a file is read."""
        if self.iou_type not in KINDS:
            raise ParameterError(f"--iou-type {self.iou_type!r}:{did_you_mean(self.iou_type, KINDS)}")
        idle = {
            "--iou-type": self.iou_type != "bbox" and self.task != "detection",
            "--features": self.features and self.task != "image_generation",
        }
        idle["--ignore-index"] = self.ignore_index is not None and self.task != "segmentation"
        idle["--images"] = self.pictures and self.task != "detection"
        idle["--exhaustive"] = self.exhaustive and self.task != "detection"
        idle["--box-format"] = self.box_format and self.task != "detection"
        idle["--normalized"] = self.normalized is not None and self.task != "detection"
        if self.box_format not in (None, *FORMATS):
            raise ParameterError(f"--box-format {self.box_format!r}:{did_you_mean(self.box_format, FORMATS)}")
        if self.crowdpose and self.iou_type != "keypoints":
            raise ParameterError("--crowdpose is about poses: say --task detection --iou-type keypoints, or drop it.")
        for option, there in idle.items():
            if there:
                raise ParameterError(f"{option} says nothing about --task {self.task}. Drop it.")


@dataclass(frozen=True, eq=False)
class Pair:
    """Both sides of an evaluation, what the files tell the metrics, and the names of classes."""

    y_true: Any
    y_pred: Any
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    names: dict[Any, str] = field(default_factory=dict[Any, str])

    def told(self, metrics: list[str] | None) -> dict[str, Any]:
        """What the metrics chosen can be told; an option of the user's must fit them, what a file happens to tell need not."""
        if metrics is None:
            return self.parameters
        known = {name for spec in metrics for name in spec_fields(spec)}
        return {name: value for name, value in self.parameters.items() if name in known or name in OPTIONS}


def specs_of(task: str, metrics: list[str] | None) -> list[str] | None:
    """The metrics chosen, or the usual ones and what a panoptic json tells beyond them."""
    if metrics is None and task == "panoptic":
        return [*IMAGES[task], "panoptic_quality:over=things", "panoptic_quality:over=stuff"]
    return metrics


def refuse_columns(given: dict[str, Any]) -> None:
    """Options of tables say nothing about images."""
    for option, value in given.items():
        if value:
            raise ParameterError(f"{option} names a column of a table, and images have none. Drop it.")


def refuse_table(file: str, found: str | None, task: str | None) -> NoReturn:
    """A table is one file with the truth among its columns."""
    if task is not None and task not in TABLES:
        raise ParameterError(f"--task {task!r}:{did_you_mean(task, (*TABLES, *TASKS))}")
    if found is None and Path(file).is_dir():
        raise ParameterError(
            f"{file} is a folder. Of images, name the truth and the predictions, and say --task {', '.join(TASKS[:-1])} or {TASKS[-1]}."
        )
    if found is not None:
        raise ParameterError(
            f"two files were named, but a table is one: which task is this? Say --task {', '.join(TASKS[:-1])} or {TASKS[-1]}."
        )
    raise ParameterError("--truth must name the column of true values; see assay score --help.")


@contextmanager
def _quiet() -> Generator[None]:
    """Warnings stand below the tables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def read(images: Images, found: str) -> Pair:
    """Truth and predictions of one model."""
    return _READERS[images.task](images, found)


def _detection(images: Images, found: str) -> Pair:
    source = Path(images.truth)
    if not source.is_dir() and source.suffix in (".json", "") and images.pictures is None:
        return _coco(images, found)
    if images.iou_type != "bbox" or images.exhaustive:
        option = "--exhaustive" if images.exhaustive else f"--iou-type {images.iou_type}"
        raise ParameterError(f"{option}: only COCO's json files hold more than boxes.")
    said: Any = {"box_format": images.box_format, "normalized": images.normalized}
    if not source.is_dir():
        from assay.io.detection_frames import objects_from_frames
        from assay.io.tables import read_table

        names = images.truth, found
        return Pair(
            *objects_from_frames(*(read_table(name) for name in names), names=names, pictures=images.pictures, **said)
        )
    if images.pictures is not None:
        from assay.io.yolo import read_yolo

        return Pair(*read_yolo(images.truth, found, images=images.pictures, **said))
    from assay.io.voc import read_voc

    layout = "images" if any(Path(found).glob("*.txt")) and _by_image(images.truth, found) else "classes"
    return Pair(*read_voc(images.truth, found, layout=layout, **said))


def _coco(images: Images, found: str) -> Pair:
    from assay.io.coco import CocoTruth

    kind: Any = images.iou_type
    for option, there in (("--box-format", images.box_format), ("--normalized", images.normalized is not None)):
        if there:
            raise ParameterError(f"{option}: COCO's json has corner and size in pixels. Drop it.")
    truth = CocoTruth.read(images.truth, exhaustive=images.exhaustive)
    said = {} if kind == "bbox" else {"iou_type": kind}
    rule = {"sigmas": "crowdpose", "use_area": False} if images.crowdpose else {}
    return Pair(truth.column(kind), truth.results(found, kind), {**said, **rule}, dict(truth.categories))


def _by_image(truth: str, found: str) -> bool:
    """Whether detections lie in a file an image: then the files have the names of the images."""
    names = {path.stem for path in Path(truth).iterdir()}
    return any(path.stem in names for path in Path(found).glob("*.txt"))


def _segmentation(images: Images, found: str) -> Pair:
    from assay.io.label_maps import read_label_pairs

    y_true, y_pred, _ = read_label_pairs(images.truth, found)
    return Pair(y_true, y_pred, {} if images.ignore_index is None else {"ignore_index": images.ignore_index})


def _panoptic(images: Images, found: str) -> Pair:
    from assay.io.panoptic import read_panoptic

    data = read_panoptic(images.truth, found)
    return Pair(data.y_true, data.y_pred, {"things": data.things, "classes": data.classes}, dict(data.names))


def _pictures(images: Images, found: str) -> Pair:
    from assay.io.pictures import paired_folders

    y_true, y_pred = paired_folders(images.truth, found)
    colour = y_true[0].read().ndim == 3  # files hold colours last
    return Pair(y_true, y_pred, {"channels": "last"} if colour else {})


def _images(images: Images, found: str) -> Pair:
    """Two samples of images: features from files, or from pictures through a network of the user's."""
    if Path(images.truth).is_dir() != Path(found).is_dir():
        raise ParameterError("--task image_generation: give two folders of pictures, or two files of features (npy).")
    if not Path(images.truth).is_dir():
        return Pair(_features(images.truth), _features(found))
    if images.features is None:
        raise ParameterError(
            "--task image_generation: pictures need a network: --features with a file of Inception v3 weights (such as "
            "pt_inception-2015-12-05-6726825d.pth, which torch-fidelity and pytorch-fid use; nothing is downloaded), or give "
            "features as npy files."
        )
    from assay.io.pictures import picture_folder
    from assay.metrics.generation.samples import tag

    network = _network(images.features)
    real, fake = (network(picture_folder(path)) for path in (images.truth, found))
    return Pair(real, fake, {"extractor": tag(network)})


def _network(path: str) -> Any:
    try:
        return importlib.import_module("assay.torch.extractors").inception(path)
    except ImportError as error:
        raise DependencyError("--features needs PyTorch: pip install assay[torch].") from error


def _features(path: str) -> Any:
    from assay.io.arrays import read_npy

    return read_npy(Path(path))


_READERS: dict[str, Callable[[Images, str], Pair]] = {
    "detection": _detection,
    "segmentation": _segmentation,
    "panoptic": _panoptic,
    "image_quality": _pictures,
    "image_generation": _images,
}


def score(
    images: Images, found: str | None, *, metrics: list[str] | None, limits: list[str], format: str | None, as_json: bool,
    output: Path | None, intervals: Intervals,
) -> int:  # fmt: skip
    """Score one model; the exit code is 1 if a limit was missed."""
    if found is None:
        raise ParameterError(
            f"--task {images.task} takes the truth and the predictions: assay score TRUTH PREDICTIONS."
        )
    format = chosen_format(format, output, as_json=as_json)
    refuse_overwriting(output, [images.truth, found])
    images.check()
    for spec in metrics or ():
        from_spec(spec)
    arguments = {k: v for k, v in intervals.arguments().items() if k != "pool"}
    with _quiet(), resampling(intervals.replicates) as progress:
        pair = read(images, found)
        task: Any = images.task
        result = evaluate(
            task=task,
            y_true=pair.y_true,
            y_pred=pair.y_pred,
            metrics=specs_of(task, metrics),
            parameters=pair.told(metrics),
            progress=progress,
            **arguments,
        )
    sentences = missed_of(result, limits)
    write_result(result.named(pair.names), format, output)
    for sentence in sentences:
        from assay.cli import complain

        complain(sentence)
    return LIMIT_MISSED if sentences else 0


def compared(
    images: Images, found: list[str], names: list[str], *, metrics: list[str] | None, format: str | None, as_json: bool,
    output: Path | None, **inference: Any,
) -> int:  # fmt: skip
    """Compare models on the same images."""
    if len(found) < 2:
        raise ParameterError(f"--task {images.task} takes the truth and two models: assay compare TRUTH FIRST SECOND.")
    if images.task == "image_generation":
        raise ParameterError("--task image_generation: two samples have no rows in common. Score each of them.")
    format = chosen_format(format, output, as_json=as_json)
    refuse_overwriting(output, [images.truth, *found])
    images.check()
    with _quiet(), resampling(inference["replicates"]) as progress:
        pairs = [read(images, path) for path in found]
        task: Any = images.task
        result = compare(
            task=task, y_true=pairs[0].y_true, models={n: p.y_pred for n, p in zip(names, pairs, strict=True)},
            metrics=specs_of(task, metrics), parameters=pairs[0].told(metrics), progress=progress, **inference,
        )  # fmt: skip
    write_result(result, format, output)
    return 0
