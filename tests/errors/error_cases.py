"""How a bad call is written and checked: it must raise our error with this text, and nothing else may be heard."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import assay

nan, inf = float("nan"), float("inf")
Bad = tuple[str, Callable[[], Any], type[assay.AssayError], str]


def params(cases: list[Bad]) -> Any:
    return [pytest.param(*case[1:], id=case[0]) for case in cases]


def check(call: Callable[[], Any], kind: type[assay.AssayError], text: str) -> None:
    """The exact text, or its beginning where it ends in dots; warnings of any kind, NumPy's too, are errors here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(assay.AssayError) as caught:
            call()
    assert type(caught.value) is kind
    said = str(caught.value)
    assert said.startswith(text[:-3]) if text.endswith("...") else said == text
