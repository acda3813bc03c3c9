"""What a metric reads of a data set: texts or another input.

Metrics import the data room; the data room never imports metrics, and knows them by the protocols
of this module.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..tokenizers import Tokenization

MAX_REFERENCES = 255
"""Limits the references of a data set, so that their numbers fit into a byte."""

TEXTS = "texts"
"""Source, references and outputs as lines of text."""


class InputSpec(Protocol):
    """What a metric reads: a StatisticsSpec (`metrics/base/statistics_spec.py`) as this room sees it."""

    @property
    def key(self) -> str:
        """A name that is different for specifications whose columns can differ."""

    @property
    def input(self) -> str:
        """The name of the input that is read."""

    @property
    def source(self) -> bool:
        """Whether the source is read."""

    @property
    def references(self) -> bool:
        """Whether references are read, or edits in place of them."""

    @property
    def tokenization(self) -> "Tokenization | None":
        """How text becomes tokens, or None."""


class TextReader(Protocol):
    """A metric that reads texts: a Metric (`metrics/base/metric.py`) as this room sees it."""

    @property
    def name(self) -> str:
        """The name of the metric."""

    @property
    def hint(self) -> str:
        """How to score without a source, or nothing."""

    @property
    def spec(self) -> InputSpec:
        """What the metric reads."""

    def gold_warnings(self, annotations: Iterable[str]) -> list[str]:
        """Return warnings about records of annotators."""

    def settings(self) -> Sequence[tuple[str, object]]:
        """Return the options that can change a number, by their keys in signatures."""
