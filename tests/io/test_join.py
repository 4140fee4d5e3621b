"""Tables of several models on the same rows: by id, by order, and every way in which that can fail."""

import polars as pl

from assay.core.errors import InputError
from assay.io import Columns
from assay.io.table_join import joined
from messages import refusal


def table(name, **columns):
    return Columns(pl.DataFrame(columns), f"{name}.csv")


def test_by_order():
    found = joined([table("a", y=[1, 0]), table("b", y=[1, 0])], None)
    assert found.how == "rows matched by their order"
    found.agree("y")


def test_by_order_needs_equally_many_rows():
    with refusal(InputError):
        joined([table("a", y=[1, 0]), table("b", y=[1, 0, 0])], None)


def test_by_id_brings_rows_into_the_order_of_the_first():
    a, b = table("a", id=[3, 1, 2], y=[30, 10, 20]), table("b", id=["1", "2", "3"], y=[10, 20, 30])
    found = joined([a, b], "id")
    found.agree("y")
    assert found.tables[1].frame["id"].to_list() == ["3", "1", "2"]
    assert found.how == "rows matched by 'id'"


def test_whole_numbers_that_became_floats_are_the_same_ids():
    found = joined([table("a", id=[1, 2], y=[1, 2]), table("b", id=[2.0, 1.0], y=[2, 1])], "id")
    found.agree("y")


def test_truth_that_differs_is_named_by_file_id_and_both_values():
    a, b = table("a", id=["x", "z"], y=["cat", "dog"]), table("b", id=["z", "x"], y=["dog", "cow"])
    with refusal(InputError):
        joined([a, b], "id").agree("y")
    with refusal(InputError):
        joined([a, b], None).agree("y")


def test_numbers_may_have_fewer_digits_but_not_other_values():
    a = table("a", y=[0.1234567891, 5.0])
    joined([a, table("b", y=[0.123456789, 5.0])], None).agree("y")
    joined([table("a", y=[1, 0]), table("b", y=[True, False])], None).agree("y")
    with refusal(InputError):
        joined([a, table("b", y=[0.1235, 5.0])], None).agree("y")
    with refusal(InputError):
        joined([a, table("b", y=[0.1234567891, None])], None).agree("y")


def test_lists_are_compared_as_they_are():
    a = table("a", y=[[1, 0], [0, 1]])
    joined([a, a], None).agree("y")
    with refusal(InputError):
        joined([a, table("b", y=[[1, 0], [1, 1]])], None).agree("y")


def test_a_column_that_only_the_first_has():
    joined([table("a", y=[1], w=[2.0]), table("b", y=[1])], None).agree("w")


def test_a_column_of_one_file_serves_all_where_ids_tell_the_rows():
    a, b = table("a", id=[1, 2], p=[0.1, 0.2]), table("b", id=[2, 1], y=[0, 1])
    found = joined([a, b], "id").filled("y")
    assert [t.frame["y"].to_list() for t in found.tables] == [[1, 0], [1, 0]]
    assert found.how == "rows matched by 'id', 'y' of b.csv for all"
    with refusal(InputError):
        joined([a, b], None).filled("y")


def test_ids_that_are_written_in_two_ways():
    a, b = table("a", id=["0001", "0002"]), table("b", id=[1, 2])
    with refusal(InputError):
        joined([a, b], "id")


def test_missing_rows_are_counted_and_named():
    a, b = table("a", id=list(range(10))), table("b", id=list(range(3, 10)))
    for pair in ([a, b], [b, a]):
        with refusal(InputError):
            joined(pair, "id")
    with refusal(InputError):
        joined([a, table("b", id=list(range(9)))], "id")


def test_missing_rows_may_be_dropped_and_are_counted():
    a, b = table("a", id=[1, 2, 3, 4]), table("b", id=[4, 3, 9])
    found = joined([a, b], "id", "drop")
    assert [t.frame["id"].to_list() for t in found.tables] == [[3, 4], [3, 4]]
    assert found.how == "rows matched by 'id', dropped: 2 of a.csv, 1 of b.csv"
    with refusal(InputError):
        joined([a, table("b", id=[7, 8])], "id", "drop")


def test_ids_that_come_twice_or_are_empty():
    with refusal(InputError):
        joined([table("a", id=[1, 2]), table("b", id=[1, 1, 2, 2])], "id")
    with refusal(InputError):
        joined([table("a", id=[1, None]), table("b", id=[1, 2])], "id")
