"""What metrics of numbers of each sentence have in common: their columns, and their scores."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pipeline.arrays import Floats, Ints
from pipeline.metrics.base import (
    Columns,
    Counted,
    Field,
    Metric,
    StatisticsSpec,
    Text,
    f_of_counts,
)

COUNTS = ("tp", "fp", "fn")
"""The columns from which F-beta is computed."""


class Numbers(Metric):
    """The mean or sum of numbers of each sentence, or F-beta of summed counts.

    The counts are true positives, false positives and false negatives. F-beta is that of ERRANT and
    the M² scorer. Precision is 1 if nothing was proposed, and recall is 1 if nothing had to be
    corrected. F is 0 if both are 0. The score of a sentence is computed in the same way from its
    own numbers.
    """

    counts: ClassVar[frozenset[str]] = frozenset(COUNTS)
    terms: ClassVar[tuple[Field, ...]] = tuple(map(Field, COUNTS))
    """The counts."""
    policy: ClassVar[str] = "merged"
    """References have no effect, since each sentence has its own numbers."""
    scores_lines: ClassVar[bool] = True
    beta: str
    decimals: int

    @property
    @abstractmethod
    def is_counts(self) -> bool:
        """Whether the numbers are counts, from which F-beta is computed."""

    @property
    @abstractmethod
    def divisor(self) -> float:
        """The number that is printed as 100."""

    @property
    @abstractmethod
    def outputs(self) -> tuple[str, ...]:
        """The names of the numbers of a sentence, the score first."""

    @property
    def output(self) -> str:
        """The name of the score."""
        return self.outputs[0]

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts of F-beta; none for a single number, which is the score itself."""
        names = COUNTS if self.is_counts else ()
        return [Counted(name, columns[name]) for name in names]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return F-beta under the name of the score, precision, recall, and the counts."""
        score, precision, recall = self._scores(totals)
        outputs = {self.output: score, "precision": precision, "recall": recall}
        for name in COUNTS:
            outputs[name] = totals[name] / 10**self.decimals
        return outputs

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence: float64 [lines, 1]."""
        if self.is_counts:
            scores = self._scores(columns)[0]
        else:
            scores = columns[self.column(self.output)] / self.divisor
        return scores[:, None]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return all outputs of each sentence: float64 [lines, 1]."""
        if self.is_counts:
            return super().sentence_outputs(columns)
        outputs = {}
        for name, values in self.line_outputs(columns).items():
            outputs[name] = values[:, None]
        return outputs

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the numbers of each sentence: float64 [lines]. Counts have no outputs at level
        mean.
        """
        outputs = {}
        if not self.is_counts:
            for name in self.outputs:
                outputs[name] = columns[self.column(name)] / self.divisor
        return outputs

    def column(self, output: str) -> str:
        """Return the name of the column of an output."""
        return output

    def _scores(self, counts: Columns) -> tuple[Floats, ...]:
        """Return F-beta, precision and recall of counts."""
        tp = counts["tp"]
        proposed = tp + counts["fp"]
        expected = tp + counts["fn"]
        return f_of_counts(tp, proposed, expected, float(self.beta))


@dataclass(frozen=True)
class NumberSpec(StatisticsSpec):
    """Numbers of each sentence, joined by blanks, as `number_files.py` writes them."""

    title: str
    names: tuple[str, ...]
    """The names of the columns."""
    decimals: int | None
    """Numbers are integer multiples of 10**-decimals, or floats if this is None."""
    source: bool = False
    references: ClassVar[bool] = False

    @property
    def columns(self) -> tuple[Field, ...]:
        """One field for each name."""
        return tuple(
            Field(name, real=self.decimals is None) for name in self.names
        )

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system, whose texts have the numbers of each line."""
        number_type = float if self.decimals is None else int
        columns_of_systems = []
        for lines in text.systems:
            rows = []
            for line in lines.texts():
                rows.append(tuple(map(number_type, line.split())))
            columns_of_systems.append(self.columns_of(rows))
        return columns_of_systems

    def columns_of(self, rows: Sequence[tuple[float, ...]]) -> dict[str, Ints]:
        """Return the columns of lines with these numbers."""
        number_type = np.float64 if self.decimals is None else np.int64
        table: Any = np.array(rows, number_type)
        columns = table.reshape(len(rows), len(self.names)).T
        return dict(zip(self.names, columns, strict=True))
