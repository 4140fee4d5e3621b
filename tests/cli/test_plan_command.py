"""`assay plan`: questions, answers, and what is missing for them."""

import json

import pytest
from cli_support import call, refused

from assay.inference.plan import plan


def test_rows_for_an_interval(capsys):
    found = call(capsys, "plan", "--metric", "accuracy", "--value", "0.9", "--width", "0.02")
    assert found.code == 0
    assert found.out == f"{plan('accuracy', value=0.9, width=0.02)}\n"


def test_rows_for_a_comparison(capsys):
    arguments = (
        "plan",
        "-m",
        "accuracy",
        "--effect",
        "0.02",
        "--discordance",
        "0.1",
        "--power",
        "0.9",
        "--level",
        "0.99",
    )
    found = json.loads(call(capsys, *arguments, "--json").out)
    own = plan("accuracy", effect=0.02, discordance=0.1, power=0.9, level=0.99)
    assert found == json.loads(json.dumps(own.to_dict()))
    assert found["question"] == "rows"


@pytest.mark.parametrize(
    ("arguments", "question"),
    [
        (("-m", "recall", "--n", "500", "--value", "0.8", "--prevalence", "0.2"), "width"),
        (("-m", "mae", "--width", "0.1", "--sd", "1"), "rows"),
        (("-m", "accuracy", "--n", "400", "--discordance", "0.1"), "effect"),
        (("-m", "accuracy", "--n", "400", "--effect", "0.03", "--discordance", "0.1"), "power"),
    ],
)
def test_every_question(capsys, arguments, question):
    assert json.loads(call(capsys, "plan", *arguments, "--json").out)["question"] == question


def test_limits_around_no_value_are_not_invented(capsys):
    found = json.loads(call(capsys, "plan", "-m", "log_loss", "--sd", "1", "--width", "0.02", "-f", "json").out)
    assert (found["low"], found["high"]) == (None, None)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("-m", "accuracy"),
        ("-m", "acuracy", "--width", "0.1"),
        ("-m", "accuracy", "--width", "0.1"),
        ("-m", "accuracy", "--width", "0.1", "--effect", "0.1"),
        ("-m", "accuracy", "--width", "0.1", "--value", "0.9", "--power", "80"),
        ("-m", "accuracy", "--n", "9", "--effect", "0.1", "--power", "0.9"),
        ("-m", "accuracy", "-m", "recall", "--n", "9"),
        ("-m", "f1", "--width", "0.1", "--value", "0.9"),
        ("-m", "mae", "--width", "0.1", "--sd", "1", "--share", "0.1"),
        ("-m", "f1", "--width", "0.1", "--json", "-f", "text"),
        ("-m", "accuracy", "--width", "0.1", "--value", "2"),
        ("-m", "accuracy", "--width", "0.1", "--value", "0.5", "--level", "95"),
    ],
)
def test_refused(capsys, arguments):
    refused(call(capsys, "plan", *arguments))
