"""Words as numbers: compiled and plain code agree with Python's own split, and equal words have equal numbers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay import kernels
from assay.core.inputs import Inputs
from assay.data.texts import joined, text_column
from assay.metrics.text import words as module
from assay.metrics.text.tokenizers import SPACES

FEW = settings(max_examples=60, deadline=None, derandomize=True)
TEXTS = st.lists(st.text(alphabet=st.sampled_from("ab \t\n\x1c\x85\xa0\u2003\u3000\u200bé😀"), max_size=12), max_size=6)


def columns(truth: list, found: list) -> Inputs:
    names = {"y_true": truth, "y_pred": found}
    return Inputs({k: text_column(v, name=k, who="test", several=k == "y_true") for k, v in names.items()}, who="test")


@FEW
@given(TEXTS)
@example(["", " ", "a", "\ud800 a"])
def test_kernel_splits_as_python_does(texts: list[str]) -> None:
    codes, offsets = joined(texts)
    begins, ends, starts = kernels.words.split(codes, offsets)
    found = [
        [codes[begins[w] : ends[w]].tobytes().decode("utf-32-le", "surrogatepass") for w in range(a, b)]
        for a, b in itertools.pairwise(starts)
    ]
    assert found == [text.split() for text in texts]


def test_every_code_point_is_space_where_python_says_so() -> None:
    for block in range(0, 0x110000, 0x8000):
        texts = [chr(c) for c in range(block, block + 0x8000)]
        *_, starts = kernels.words.split(*joined(texts))
        np.testing.assert_array_equal(np.diff(starts) == 0, [text.isspace() for text in texts])


@FEW
@given(TEXTS.filter(len))
def test_both_routes_number_words_alike(texts: list[str]) -> None:
    found = []
    for border in (0, 1 << 60):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "compiled_pays", lambda n, border=border: n >= border)
            found.append(module.words(columns(texts, texts[::-1]), SPACES))
    compiled, plain = found
    np.testing.assert_array_equal(compiled.ids, plain.ids)
    np.testing.assert_array_equal(compiled.starts, plain.starts)
    assert compiled.vocabulary == plain.vocabulary
    assert compiled.size == plain.size == len(set(compiled.vocabulary))


def test_rows_and_references() -> None:
    found = module.words(columns([["a b", "c"], "d"], ["b", "a"]), SPACES)
    assert found.rows == 2
    assert found.first.tolist() == [0, 2, 3]
    assert [found.text(at) for at in range(5)] == [[0, 1], [2], [3], [1], [0]]


def test_many_words_collide_in_no_table() -> None:
    """Every slot is tried in turn: 60,000 distinct words keep 60,000 numbers."""
    text = " ".join(map(str, range(60_000)))
    codes, offsets = joined([text])
    begins, ends, _ = kernels.words.split(codes, offsets)
    ids, first = kernels.words.number(codes, begins, ends)
    np.testing.assert_array_equal(ids, np.arange(60_000))
    np.testing.assert_array_equal(first, np.arange(60_000))
