"""What a metric says about itself, for the parts of the program that show, explain, report and cite it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...arrays import Floats, Ints
    from .columns import Columns
    from .ngram_roles import Rule, Shared


class Counted(NamedTuple):
    """A count of each sentence, as reports show it."""

    name: str
    values: Ints | Floats
    """The shape is [lines], then [references] if it is per reference, then [orders] if it has orders."""
    per_reference: bool = False
    orders: bool = False


RIGHT, WRONG, MISSED = "right", "wrong", "missed"
"""What an edit of an output is, and an edit that only the annotator has."""


class Verdict(NamedTuple):
    """An edit of a sentence, and what an annotator says of it."""

    start: int
    """The first token of the source that it replaces, from 0."""
    end: int
    """The token after the last that it replaces."""
    original: str
    """The tokens that it replaces, with blanks between them."""
    correction: str
    """What it puts in their place; empty for a deletion."""
    type: str
    verdict: str
    """One of RIGHT, WRONG and MISSED."""


class Described:
    """The members of a metric that only describe it. Each has a default, and none changes a score."""

    name: ClassVar[str]
    help_page: ClassVar[str] = ""
    """The page of `gec-pipeline help` about the metric. An empty string means that it has the name of the metric."""
    counts: ClassVar[frozenset[str]] = frozenset()
    """The outputs that count n-grams or tokens, by their names without the order. They are not shown in percent."""
    beside_score: ClassVar[str] = ""
    """A regular expression for the names of outputs that stand beside the score in tables."""

    explains_edits: ClassVar[bool] = False
    """Whether explained() says more of the edits of a sentence than verdicts() does."""

    @property
    def has_verdicts(self) -> bool:
        """Whether verdicts() says which edits of an output are right."""
        return False

    @property
    def output(self) -> str:
        """The name of the score."""
        return self.name

    @property
    def name_in_text(self) -> str:
        """The name of the metric in a sentence."""
        return self.output

    @property
    def edition(self) -> str:
        """Which of several programs of the same name the metric follows, or an empty string."""
        return ""

    @property
    def citations(self) -> tuple[str, ...]:
        """The publications to cite for the metric with its settings, as keys of `io/citations.bib`."""
        return ()

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return what a reader of these outputs should know, such as why they are 0."""
        del outputs
        return []

    def peer_signature(self, references: int, *, missing: bool = False) -> str | None:
        """Return the signature that the field's own tool prints for these settings, or None if it does not have them.

        Each line has this number of references; `missing` says that some lines have fewer.
        """
        del references, missing
        return None

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams of tokens are counted, or None if the metric counts none. Reports show this."""
        return None

    def overlaps(self) -> tuple[Shared, ...]:
        """Return what the HTML report marks in an output as shared with a reference, beside what a Rule says."""
        return ()

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts of each sentence that reports and `explain` show.

        If the metric scores references one at a time (see by_reference), some of them may be missing, and their counts
        mean nothing. Otherwise no reference is missing.
        """
        del columns
        return []

    def verdicts(
        self, sources: Sequence[str], outputs: Sequence[Sequence[str]], annotations: Sequence[Sequence[str]]
    ) -> list[list[list[list[Verdict] | None]]]:
        """Return for each output and each line the edits with what each annotator says of them, as they stand there.

        The arguments are lines of the view that the metric reads: of the source, of each output, and of each annotator,
        such as records of edits. There is None for an annotator who takes no part in the sentence. Only metrics that
        say has_verdicts have any.
        """
        del sources, outputs, annotations
        return []

    def references_of(self, source: str, annotations: Sequence[str]) -> Sequence[int]:
        """Return for each annotator of a sentence the number of the reference that the columns have of them.

        It is -1 for an annotator who takes no part. Several annotators may share a reference. The arguments are as for
        verdicts().
        """
        del source
        return range(len(annotations))


def why_zero(outputs: Mapping[str, float], orders: Iterable[int], hits: str = "match") -> str:
    """Return why a score is 0 that is 0 wherever an order has no hits. `hits` is the output that counts them."""
    order = next((n for n in orders if outputs[f"{hits}_{n}"] <= 0), 0)
    if outputs["hyp_len"] == 0:
        return "all outputs are empty"
    if order and outputs[f"total_{order}"] == 0:
        return f"no output has {order} tokens"
    if order and outputs[f"match_{order}"] == 0:
        return f"no {order}-gram matches"
    if order:
        return f"the penalty takes all {order}-grams that match"
    if outputs["brevity_penalty"] > 1e-300 and outputs["ref_len"]:  # means, over references, of scores of 0
        return "with each reference, some order has no n-gram that matches, or the penalty takes all that do"
    return "the reference length is 0" if outputs["ref_len"] == 0 else "the brevity penalty is 0"


def why_all_zero(reasons: str) -> str:
    """Return why the mean of sentence scores is 0. `reasons` says what every sentence is or lacks."""
    return f"every sentence scores 0: {reasons}"
