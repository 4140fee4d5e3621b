"""Models side by side."""

import numpy as np

import assay
from assay.evaluation.side_by_side import side_by_side
from messages import refusal

Y = np.array([0, 1, 1, 0, 1, 0, 1, 1])


def result(p, **more):
    return assay.evaluate(task="binary", y_true=Y, y_prob=np.asarray(p), metrics=["accuracy", "log_loss", "f1"], **more)


def test_the_best_of_each_row_is_marked():
    good = result([0.1, 0.9, 0.8, 0.2, 0.7, 0.3, 0.9, 0.8])
    bad = result([0.6, 0.4, 0.8, 0.2, 0.7, 0.3, 0.9, 0.8])
    table = side_by_side({"good": good, "bad": bad}, title="Two models")
    assert table.grid.head == ["metric", "", "good", "bad", "baseline"]
    assert table.grid.best == {(0, 2), (1, 2), (2, 2)}
    assert "**" in table.to_markdown()
    assert table.grid.title == "Two models"


def test_equal_models_have_no_best_and_slices_follow():
    same = result([0.1, 0.9, 0.8, 0.2, 0.7, 0.3, 0.9, 0.8], slices={"site": np.array(list("aabbaabb"))})
    table = side_by_side({"one": same, "two": same})
    assert table.grid.best == frozenset()
    assert [row[0] for row in table.grid.rows[-2:]] == ["  accuracy · site a", "  accuracy · site b"]
    assert table.notes[0].startswith("8 rows")
    assert [note for note in table.notes if note.startswith("!")] == [f"! {w[0].upper()}{w[1:]}" for w in same.warnings]
    assert any(note.startswith("* accuracy") and "rests on 8 rows" in note for note in table.notes)


def test_results_that_do_not_belong_together():
    one = result([0.1, 0.9, 0.8, 0.2, 0.7, 0.3, 0.9, 0.8])
    other = assay.evaluate(task="regression", y_true=[1.0, 2.0], y_pred=[1.0, 3.0])
    with refusal(assay.InputError):
        side_by_side({"a": one, "b": other})
    with refusal(assay.InputError):
        side_by_side({})
