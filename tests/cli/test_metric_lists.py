"""`-m a,b`: what commas separate, what they do not, and sequences as parameters."""

import json

import pytest
from cli_support import BINARY, call, refused

import assay
from assay.core.signatures import from_spec, specs_in
from messages import refusal

LISTS = {
    "accuracy": ["accuracy"],
    "accuracy,f1": ["accuracy", "f1"],
    " accuracy , f1 ": ["accuracy", "f1"],
    "f_beta:beta=2,average=macro": ["f_beta:beta=2,average=macro"],
    "f_beta:beta=2,average=macro,accuracy": ["f_beta:beta=2,average=macro", "accuracy"],
    "accuracy,f_beta:beta=2,f_beta:beta=0.5": ["accuracy", "f_beta:beta=2", "f_beta:beta=0.5"],
    "expected_cost:cost=[[0,1],[5,0]],f1": ["expected_cost:cost=[[0,1],[5,0]]", "f1"],
    "coco:sigmas=(.1,.2),f1": ["coco:sigmas=(.1,.2)", "f1"],
    'recall:average="a,b=c",f1': ['recall:average="a,b=c"', "f1"],
}


@pytest.mark.parametrize(("text", "specs"), LISTS.items())
def test_commas(text, specs):
    assert specs_in(text) == specs


def test_every_way_to_write_two_metrics_is_the_same(files, capsys):
    ways = (("-m", "accuracy,f1"), ("-m", "accuracy", "-m", "f1"), ("--metrics", "accuracy, f1"))
    found = [call(capsys, "score", files / "binary.parquet", *BINARY, *way, "--json").out for way in ways]
    assert found[0] == found[1] == found[2]
    assert list(json.loads(found[0])["scores"]) == ["accuracy", "f1"]


def test_a_metric_named_twice_is_measured_once(files, capsys):
    found = call(capsys, "compare", files / "binary.parquet", "--task", "binary", "--truth", "y", "--prob", "p",
                 "--prob", "p0", "-m", "f1,accuracy,f1", "--json")  # fmt: skip
    assert list(json.loads(found.out)["metrics"]) == ["f1", "accuracy"]


@pytest.mark.parametrize(
    "text", ["accuracy,average=macro", "average=macro", "accuracy,", "accuracy,,f1", "accuracy,f11"]
)
def test_lists_that_cannot_be_read(files, capsys, text):
    refused(call(capsys, "score", files / "binary.parquet", *BINARY, "-m", text))


def test_a_sequence_as_a_parameter(files, capsys):
    found = call(
        capsys, "score", files / "binary.parquet", *BINARY, "-m", "expected_cost:cost=[[0,1],[5,0]],f1", "--json"
    )
    assert found.code == 0, found.err
    scores = json.loads(found.out)["scores"]
    assert len(scores) == 2
    assert next(iter(scores)).startswith("expected_cost")


SEQUENCES = {
    "coco:iou_type=keypoints,sigmas=[.1,.2]": ("sigmas", (0.1, 0.2)),
    "coco:iou_thresholds=[0.5, .75]": ("iou_thresholds", (0.5, 0.75)),
    "coco:iou_thresholds=(0.5,.75)": ("iou_thresholds", (0.5, 0.75)),
    "expected_cost:cost=[[0,1],[5,0]]": ("cost", ((0, 1), (5, 0))),
    "f1:average=macro,classes=[cat,dog]": ("classes", ("cat", "dog")),
    'f1:average=macro,classes=["a,b",c]': ("classes", ("a,b", "c")),
}


@pytest.mark.parametrize("spec", SEQUENCES)
def test_sequences(spec):
    name, value = SEQUENCES[spec]
    assert getattr(from_spec(spec), name) == value


@pytest.mark.parametrize(
    "spec", ["coco:iou_thresholds=[.5,,.75]", "coco:iou_thresholds=[.5", "expected_cost:cost=[[0,1]"]
)
def test_sequences_that_cannot_be_read(spec):
    with refusal(assay.ParameterError):
        from_spec(spec)


def test_a_word_that_is_a_choice_is_not_a_truth_value():
    assert from_spec("confusion_matrix:normalize=true").normalize == "true"
    assert from_spec("confusion_matrix:normalize=none").normalize is None
