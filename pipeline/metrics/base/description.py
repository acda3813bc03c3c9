"""What a metric says about itself to those who show, explain, report and cite it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...arrays import Floats, Ints
    from .columns import Columns
    from .ngram_roles import Rule


class Counted(NamedTuple):
    """A count of each sentence, as reports show it."""

    name: str
    values: Ints | Floats
    """The shape is [lines], then [references] if it is per reference, then [orders] if it has orders."""
    per_reference: bool = False
    orders: bool = False


class Described:
    """The members of a metric that only tell about it. Each has a default, and none changes a score."""

    name: ClassVar[str]
    help_page: ClassVar[str] = ""
    """The page of `gec-pipeline help` that tells of the metric, where it is called otherwise than the metric."""
    counts: ClassVar[frozenset[str]] = frozenset()
    """Outputs that are numbers of n-grams or tokens, named without their order. They are not shown in percent."""
    beside_score: ClassVar[str] = ""
    """A regular expression for the names of outputs that stand beside the score in tables."""

    @property
    def output(self) -> str:
        """What the score is called."""
        return self.name

    @property
    def name_in_text(self) -> str:
        """What the metric is called in a sentence."""
        return self.output

    @property
    def edition(self) -> str:
        """Which of several codes of the same name it follows, or nothing."""
        return ""

    @property
    def citations(self) -> tuple[str, ...]:
        """What is cited for the metric with its settings: keys of `io/citations.bib`."""
        return ()

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return what a reader of these outputs should know, such as why they are 0."""
        del outputs
        return []

    def peer_signature(self, references: int, *, missing: bool = False) -> str | None:
        """Return what the field's own tool would print for the same settings, or None where it has them not.

        references: how many each line has; missing: not all lines have as many.
        """
        del references, missing
        return None

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams count, to be shown; None where the metric is not one of n-grams of tokens."""
        return None

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts of each sentence that reports and `explain` show; of a missing reference they mean nothing.

        columns: of a metric that does not score one reference at a time (see by_reference), no reference is missing.
        """
        del columns
        return []
