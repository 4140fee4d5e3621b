"""Base class of metrics of text: how texts come in, and what is summed over them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from assay.core.arrays import ArrayLike
from assay.core.inputs import Inputs
from assay.core.metric import Metric
from assay.core.monoids import Sum
from assay.core.takes import Takes
from assay.data.texts import same_rows, text_column
from assay.metrics.text.tokenizers import TOKENIZERS, Splitter, Tokenizer, TokenizerLike, function_name, tokenizer_of
from assay.metrics.unit_sums import UnitMeasure, UnitSums

TEXTS = ("y_true: texts, or several references per row", "y_pred: texts")


@dataclass(frozen=True, kw_only=True)
class TextMetric(Metric[Sum]):
    """A metric of texts beside their references; a unit is a row: a sentence, a document, an answer.

    ``y_true`` holds one reference per row or a list of them, ``y_pred`` one text per row.
    """

    takes: ClassVar[Takes] = Takes(("y_true", "y_pred"))
    several: ClassVar[bool] = True  # whether a row may have more than one reference

    @abstractmethod
    def measure(self) -> UnitMeasure:
        """What is counted on each row."""

    def statistic(self) -> UnitSums:
        """The sums of the counts."""
        return UnitSums(self.measure())

    def inputs(self, *args: ArrayLike, weight: ArrayLike | None = None, **named: ArrayLike | None) -> Inputs:
        """The texts of a call as columns, checked."""
        bound = self.takes.bind(self.name, args, named)
        columns = {
            name: text_column(value, name=name, who=self.name, several=name == "y_true" and self.several)
            for name, value in bound.items()
        }
        same_rows(columns["y_true"], columns["y_pred"], self.name)
        inputs = Inputs(columns, weight=weight, who=self.name)
        return inputs if self.weights_count else inputs.balance()


@dataclass(frozen=True, kw_only=True)
class WordMetric(TextMetric):
    """A metric of the words of texts.

    ``tokenizer`` says what the words are: a name, or a function of a text that returns its words. Signatures and states name a
    function, and cannot build it again.
    """

    known: ClassVar[Mapping[str, Tokenizer]] = TOKENIZERS
    function: ClassVar[Splitter | None] = None  # of an instance, not a parameter: what ``tokenizer`` was given as

    tokenizer: TokenizerLike = "none"

    def __post_init__(self) -> None:
        """Keep the name of a function as the parameter: states and signatures hold plain data."""
        if callable(self.tokenizer):
            object.__setattr__(self, "function", self.tokenizer)
            object.__setattr__(self, "tokenizer", function_name(self.tokenizer))
        super().__post_init__()

    def check(self) -> None:
        """A tokenizer that exists; a state that was read may name a function that is not here."""
        if isinstance(self.tokenizer, str) and not self.tokenizer.startswith("function "):
            tokenizer_of(self.name, self.tokenizer, self.known)

    @property
    def splitter(self) -> Tokenizer:
        """How texts become words."""
        return tokenizer_of(self.name, self.function or self.tokenizer, self.known)
