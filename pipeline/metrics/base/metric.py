"""What every metric is made of: options, specification of statistics, terms, score.

A metric is a small frozen object. Its *specification* names statistics: columns of numbers for each
sentence, or for each sentence and reference, which workers count from text. From the columns the
metric makes *terms*, which are summed over sentences. From the sums, with any number of leading
axes (iterations, bootstrap samples), it makes the *score*.

What only some metrics can do, such as judging single edits, is a class of its own in
`capabilities.py`.
"""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats, Ints
from .description import Counted, Description, shown_matches, why_all_zero, why_zero
from .options import Options, settings_of
from .statistics_spec import Columns, Field, StatisticsSpec

__all__ = ["Counted", "Metric", "shown_matches", "why_all_zero", "why_zero"]


class Metric(Description, ABC):
    """A metric with its settings. Subclasses are frozen dataclasses whose fields are their options.

    A metric defines name, summary and the abstract members below. All other members have a default;
    those that only name and describe the metric are in Description.

    `columns` are the statistics of sentences by name: arrays [lines, ...]. `totals` are sums of
    terms by name, with any leading axes. `references` is a number of references.
    """

    options: ClassVar[Options] = Options()
    """The options that the fields declare; see `options.py`."""
    level: str = "corpus"
    """corpus is the score of summed terms; mean and sum are the mean and sum of sentence scores;
    bootstrap is what a metric makes of all sentences together (ScoresLines in `capabilities.py`).
    """
    lower_is_better: bool = False
    """Whether the best system has the lowest score, as for rates of errors.

    Ranks, comparisons, choices of references and correlations follow it. Scores stay as they are.
    """

    def __post_init__(self) -> None:
        """Resolve values of options (see Option.resolved). Raises ConfigError."""
        for option in self.options:
            value = getattr(self, option.attribute)
            if option.resolved and value:
                object.__setattr__(
                    self, option.attribute, option.resolved(value, Path())
                )

    @property
    @abstractmethod
    def spec(self) -> StatisticsSpec:
        """The statistics that this metric reads."""

    @property
    @abstractmethod
    def terms(self) -> tuple[Field, ...]:
        """What is summed over sentences; fields per reference for the reference that was chosen."""

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms of each sentence: arrays [lines, ...] of the fields of `terms`.

        The default is for terms that are columns.
        """
        return {field.name: columns[field.name] for field in self.terms}

    @abstractmethod
    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs from sums of terms with any leading axes; the first one ranks systems."""

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with each reference: float64 [lines, references].

        The default is what score() makes of the terms, [lines, 1] if these are not per reference.
        """
        scores = next(iter(self.score(self.make_terms(columns)).values()))
        if scores.ndim > 1:
            return scores
        return scores[:, None]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of score() for each sentence: float64 [lines, references] each.

        The first is what sentence_scores() returns. The axis of references has the length 1 where
        that of sentence_scores() has it.
        """
        per_reference = {field.name for field in self.terms if field.per_reference}
        terms = {}
        for name, term in self.make_terms(columns).items():
            terms[name] = term if name in per_reference else term[:, None]
        outputs = self.score(terms)
        scores = self.sentence_scores(columns)
        result = {
            name: np.broadcast_to(values, scores.shape)
            for name, values in outputs.items()
        }
        result[next(iter(outputs))] = scores
        return result

    @property
    def policy(self) -> str:
        """Which references count, by a name in POLICIES (`scoring/aggregation.py`)."""
        return "max"

    @property
    def by_reference(self) -> bool:
        """Whether a sentence has a score with each single reference, which reports can show."""
        return any(field.per_reference for field in self.terms)

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence, the first of equals: int64 [lines]."""
        best: Ints = np.argmax(self.goodness(self.sentence_scores(columns)), axis=-1)
        return best

    def goodness(self, scores: Any) -> Any:
        """Return scores, a number or an array, with the highest as the best."""
        if self.lower_is_better:
            return -scores
        return scores

    def conflicts(self) -> list[tuple[str, str]]:
        """Return the options that contradict each other, each by its name and a message."""
        return []

    def settings(self, references: int | None = None) -> list[tuple[str, object]]:
        """Return the options that can change a number, by their keys in signatures."""
        settings = settings_of(self)
        if references is not None:
            settings.append(("nrefs", references))
        return settings
