"""Columns by name and pattern; gaps, words among numbers and wrong names are refused with the file's name."""

import datetime

import numpy as np
import polars as pl
import pytest

from assay.core.errors import InputError, ParameterError, UnknownNameError
from assay.data.columns import Columns, Matrix, as_labels, distinct_parts
from messages import refusal


def table(**columns):
    return Columns(pl.DataFrame(columns, strict=False), "preds.csv")


def test_one_and_several():
    t = table(y=[1, 2], p0=[0.1, 0.2], p1=[0.9, 0.8])
    assert t.numbers("y").tolist() == [1, 2]
    assert t.values("p0").tolist() == [0.1, 0.2]
    matrix = t.values("p0,p1")
    assert isinstance(matrix, Matrix)
    assert matrix.names == ("0", "1")
    assert matrix.values.tolist() == [[0.1, 0.9], [0.2, 0.8]]
    assert t.values("p*").names == ("0", "1")
    assert t.expand("p1, p0") == ["p1", "p0"]


def test_a_name_with_a_comma_or_star_is_a_name():
    t = table(**{"a,b": [1], "c*": [2]})
    assert t.expand("a,b") == ["a,b"]
    assert t.expand("c*") == ["c*"]


def test_lists_are_matrices():
    t = table(p=[[0.1, 0.9], [0.2, 0.8]], q=[[1.0], [1.0, 2.0]])
    assert t.values("p").values.tolist() == [[0.1, 0.9], [0.2, 0.8]]
    with refusal(InputError):
        t.values("q")


def test_unknown_columns():
    t = table(truth=[1], prob=[0.5])
    with refusal(UnknownNameError):
        t.numbers("trut")
    with refusal(UnknownNameError):
        t.numbers("zzz")
    with refusal(UnknownNameError):
        t.values("q_*")
    with refusal(ParameterError):
        t.expand("truth,truth")
    with refusal(ParameterError):
        t.one("truth,prob")


def test_gaps():
    t = table(p=[0.1, None, None])
    with refusal(InputError):
        t.numbers("p")


def test_words_among_numbers():
    t = table(p=["0.5", "NA", "x"], q=["1", " 2.5", "3"], d=[datetime.date(2020, 1, 1)] * 3)
    with refusal(InputError):
        t.numbers("p")
    assert t.numbers("q").tolist() == [1, 2.5, 3]
    with refusal(InputError):
        t.numbers("d")
    with refusal(InputError):
        t.labels("d")


def test_labels():
    t = Columns(pl.DataFrame({"c": pl.Series(["a", "b"], dtype=pl.Categorical), "b": [True, False]}), "x")
    assert t.labels("c").tolist() == ["a", "b"]
    assert t.labels("b").tolist() == [True, False]


def test_slices_keep_gaps_and_refuse_many():
    t = table(site=["a", None, "b"], f=[0.5, 0.5, 1.0])
    assert t.slices("site").tolist() == ["a", "(missing)", "b"]
    assert t.slices("f").tolist() == ["0.5", "0.5", "1.0"]
    with refusal(InputError):
        table(x=list(range(60))).slices("x")


@pytest.mark.parametrize(
    ("names", "wanted", "parts"),
    [
        (["p0", "p1", "p2"], "p0,p1,p2", ("0", "1", "2")),
        (["p10", "p11"], "p10,p11", ("10", "11")),
        (["prob_cat", "prob_cow"], "prob_cat,prob_cow", ("cat", "cow")),
        (["prob_cat", "prob_cow"], "prob_*", ("cat", "cow")),
        (["cat", "cow"], "cat,cow", ("cat", "cow")),
        (["m_a_x", "m_a_y"], "m_*", ("a_x", "a_y")),
        (["m_a_x", "m_a_y"], "m_a_x,m_a_y", ("x", "y")),
        (["one"], "one", ("one",)),
    ],
)
def test_distinct_parts(names, wanted, parts):
    assert distinct_parts(names, wanted) == parts


def test_as_labels():
    assert as_labels(["0", "1"], np.array([0, 1])) == (0, 1)
    assert as_labels(["0", "1"], np.array(["0", "1"])) == ("0", "1")
    assert as_labels(["cat", "1"], np.array([0, 1])) == ("cat", "1")
    assert as_labels(["true", "False"], np.array([True])) == (1, 0)
