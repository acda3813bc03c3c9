"""What every metric is made of: options, needed columns, summed terms, score.

A metric is a small frozen object. It *needs* columns (integers per sentence, or per sentence and reference), which
workers count from text; from them it makes *terms*, which are summed over sentences; and from sums of terms, over
any number of leading axes (iterations, bootstrap samples), it makes the *score*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

import numpy as np

from . import signature
from .description import Described
from .option import Options

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...arrays import Floats, Ints
    from ...kernel.lines import Lines
    from ...tokenizers.tokenization import Tokenization
    from .columns import Columns, Field, Schema
    from .reference_draws import Draws


class Text(NamedTuple):
    """The lines of a shard: source (or None), references, outputs of some systems."""

    source: Lines | None
    references: Sequence[Lines]
    systems: Sequence[Lines]


class Note(NamedTuple):
    """What a metric has to say of its counts: a message, and the text and line (from 1; 0: none) it is about."""

    message: str
    system: str | None = None
    reference: int | None = None
    line: int = 0


class Needs(Protocol):
    """Columns that workers count; hashable, so that metrics with equal needs share them."""

    @property
    def key(self) -> str:
        """A name that differs whenever the columns can, safe in file names."""

    @property
    def identity(self) -> str:
        """The text that stands for these columns in the keys of stored counts.

        It differs whenever the columns can, as `key` does, and stays the same from one version of the program to the
        next, whatever classes and fields are called: with another text, nothing that was stored is known again.
        """

    @property
    def source(self) -> bool:
        """Whether the source is read."""

    @property
    def tokenization(self) -> Tokenization | None:
        """How text becomes tokens; None where no package outside this program can have a part in it."""

    def schema(self, references: int) -> Schema:
        """Return the columns for a number of references."""

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system: a mapping of int64 arrays as schema() says, lines first."""


class Metric(Described, ABC):
    """A metric with its settings. Subclasses are frozen dataclasses whose fields are their options.

    What a metric must have is abstract here, beside name, summary and options. All else has a default.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    hint: ClassVar[str] = ""
    """Said when the metric misses a source: what was perhaps meant."""
    options: ClassVar[Options] = Options()
    """The options that the fields declare; see `option.py`."""
    reads_files: ClassVar[bool] = False
    """Whether its columns come from files that a config names, not from text.

    Such a metric has the members that `NumberFiles` in `corpus/number_files.py` lists.
    """

    level: str = "corpus"
    """corpus: the score of summed terms; mean, sum: the mean or sum of sentence scores."""

    @property
    def reads_last(self) -> bool:
        """Whether make_terms() reads the column LAST."""
        return False

    @property
    def policy(self) -> str:
        """Which references count: a name in POLICIES (`scoring/references/`)."""
        return "max"

    @property
    def by_reference(self) -> bool:
        """Whether a sentence has a score with each reference alone, which can be shown beside the others."""
        return any(field.per_reference for field in self.terms)

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights of the references, with sum 1; empty where all count the same."""
        return ()

    def unavailable(self) -> str | None:
        """Return why the metric cannot be used here, such as a package that its tokeniser lacks, or None."""
        tokenization = self.needs.tokenization
        return tokenization.unavailable() if tokenization else None

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Return why the metric cannot score with a number of references, some of them missing, or None."""
        del references, missing
        return None

    def conflicts(self) -> list[tuple[str, str]]:
        """Return options that do not go together: the name to blame, and a message."""
        return []

    def settings(self, references: int | None = None) -> list[tuple[str, object]]:
        """Return signature keys and values of all options that can change a number."""
        settings: list[tuple[str, object]] = []
        for option in self.options:
            value = getattr(self, option.attribute)
            idle = option.applies is not None and not option.applies(self)
            if option.in_signatures and not idle and not (option.implicit and value == option.default):
                settings.append((option.key, signature.escape(value) if option.free else value))
        return settings + ([("nrefs", references)] if references is not None else [])

    @property
    @abstractmethod
    def needs(self) -> Needs:
        """The columns that this metric reads."""

    @property
    @abstractmethod
    def terms(self) -> tuple[Field, ...]:
        """What is summed over sentences; fields per reference are summed for the reference chosen."""

    @abstractmethod
    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms of each sentence, [lines, ...] as the fields say, from its columns."""

    @abstractmethod
    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs from sums of terms (over any leading axes); the first output is the ranked score."""

    @abstractmethod
    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with each reference: float64 [lines, references]."""

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return what is told of each sentence with each reference, the score first: float64 [lines, references]."""
        return {self.output: self.sentence_scores(columns)}

    def row_names(self) -> list[str]:
        """Return what the rows of counts with orders are called, where these are shown."""
        return [str(n) for n in range(1, max((field.orders for field in self.terms), default=0) + 1)]

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return all that is told of each sentence at level mean, the score first: float64 [lines] each.

        References are combined as the policy says. Empty: the score alone, from sentence_scores().
        """
        del columns
        return {}

    def remarks(self, statistics: Mapping[str, Iterable[Columns]]) -> list[Note]:
        """Return what should be said of the counts of the systems of a data set; each gives its blocks once."""
        del statistics
        return []

    def draws(self, lines: int, references: int) -> Draws | None:
        """Return how references are drawn, or None where they are not; one reference need not be drawn."""
        del lines, references
        return None

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence, from 0: int64 [lines]. The first of equals."""
        best: Ints = np.argmax(self.sentence_scores(columns), axis=-1)
        return best
