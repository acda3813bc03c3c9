"""StatisticsSpec with surveys, for `test_surveys.py`. Workers import this file, so it imports little."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pipeline.arrays import Ints
from pipeline.metrics.base.statistics_spec import (
    Columns,
    CorpusPass,
    Field,
    StatisticsSpec,
    Text,
)


@dataclass(frozen=True)
class LengthSurvey(CorpusPass):
    """How many references of the data set have each number of bytes: a row for each number, sorted."""

    columns: ClassVar[Any] = (Field("size"), Field("times"))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count the references of a shard."""
        assert not text.systems
        sizes = np.concatenate(
            [lines.ends - lines.starts for lines in text.references]
        )
        return [self.reduced({"size": sizes, "times": np.ones_like(sizes)})]

    def reduced(self, columns: Columns) -> dict[str, Ints]:
        """Join rows of the same size."""
        sizes, rows = np.unique(columns["size"], return_inverse=True)
        times = np.zeros(len(sizes), np.int64)
        np.add.at(times, rows.ravel(), columns["times"])
        return {"size": sizes, "times": times}

    def opened(self, columns: Columns) -> Counter[int]:
        """Return the same as a table."""
        return Counter(
            dict(
                zip(
                    columns["size"].tolist(),
                    columns["times"].tolist(),
                    strict=True,
                )
            )
        )


@dataclass(frozen=True)
class LengthSpec(StatisticsSpec):
    """How many references of the whole data set are as long as each output, in bytes."""

    columns: ClassVar[Any] = (Field("alike"), Field("every"))

    @property
    def corpus_pass(self) -> LengthSurvey:
        """The lengths of all references."""
        return LengthSurvey()

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Look up each output."""
        every = sum(text.corpus_data.values())
        sizes = [(lines.ends - lines.starts).tolist() for lines in text.systems]
        return [
            {
                "alike": np.array([text.corpus_data[n] for n in s]),
                "every": np.full(len(s), every),
            }
            for s in sizes
        ]


@dataclass(frozen=True)
class AgreementSurvey(CorpusPass):
    """How many systems give the most common output of each line: a row for each line, in order."""

    of_systems: ClassVar[bool] = True
    columns: ClassVar[Any] = (Field("most"),)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Compare the outputs of a shard."""
        outputs = zip(*(lines.texts() for lines in text.systems), strict=True)
        return [
            {
                "most": np.array(
                    [max(Counter(values).values()) for values in outputs],
                    np.int64,
                )
            }
        ]

    def reduced(self, columns: Columns) -> Columns:
        """There is nothing to join."""
        return columns

    def opened(self, columns: Columns) -> Ints:
        """Return the numbers by line."""
        return columns["most"]


@dataclass(frozen=True)
class AgreementSpec(StatisticsSpec):
    """How many systems give the most common output of a line."""

    columns: ClassVar[Any] = (Field("most"),)

    @property
    def corpus_pass(self) -> AgreementSurvey:
        """The outputs of all systems."""
        return AgreementSurvey()

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Look up each line."""
        return [{"most": text.corpus_data[text.rows]} for _ in text.systems]
