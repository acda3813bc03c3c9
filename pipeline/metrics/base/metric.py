"""What every metric is made of: options, specification of statistics, terms, score.

A metric is a small frozen object. Its *specification* names statistics: columns of numbers for each
sentence, or for each sentence and reference, which workers count from text. From the columns the
metric makes *terms*, which are summed over sentences. From the sums, with any number of leading
axes (iterations, bootstrap samples), it makes the *score*.

Members without a default are abstract. The others say what most metrics do, and a metric overrides
those that differ. What only few metrics can do, such as judging single edits, is in a section at
the end, whose defaults say that a metric cannot do it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ..options import HasOptions
from .choices import Draws
from .declared import Declared
from .description import Counted, Description
from .ngrams import Rule, Shared
from .statistics_spec import Columns, Field, StatisticsSpec, Text

if TYPE_CHECKING:
    from ...data import Corpus


class CountWarning(NamedTuple):
    """A warning of a metric about its counts, and the text and line that it is about."""

    message: str
    system: str | None = None
    reference: int | None = None
    """The number of the reference, from 0, if the message is about one."""
    line: int = 0
    """The number of the line, from 1; 0 means that the message is about no single line."""


class _JudgedEdit(NamedTuple):
    """The fields of Verdict, which has constants too: a NamedTuple cannot."""

    start: int
    """The first token of the source that it replaces, from 0."""
    end: int
    """The token after the last that it replaces."""
    original: str
    """The tokens that it replaces, with blanks between them."""
    correction: str
    """What replaces them; empty for a deletion."""
    type: str
    verdict: str
    """One of the constants of Verdict."""


class Verdict(_JudgedEdit):
    """An edit of a sentence, and whether an annotator has it too."""

    __slots__ = ()
    RIGHT: ClassVar[str] = "right"
    """The annotator has the edit too."""
    WRONG: ClassVar[str] = "wrong"
    """The annotator does not have the edit."""
    MISSED: ClassVar[str] = "missed"
    """Only the annotator has the edit."""


Verdicts = list[list[list[list[Verdict] | None]]]
"""The edits for each output, line and annotator; None for an annotator without the sentence."""


class Metric(Description, HasOptions, ABC):
    """A metric with its settings. Subclasses are frozen dataclasses whose fields are their options.

    A metric defines name, summary and the abstract members below. All other members have a default;
    those that only name and describe the metric are in Description.

    `columns` are the statistics of sentences by name: arrays [lines, ...]. `totals` are sums of
    terms by name, with any leading axes. `references` is a number of references.
    """

    level: str = "corpus"
    """corpus is the score of summed terms; mean and sum are the mean and sum of sentence scores;
    bootstrap is what a metric makes of all sentences together; see aggregated().
    """
    lower_is_better: bool = False
    """Whether the best system has the lowest score, as for rates of errors.

    Ranks, comparisons, choices of references and correlations follow it. Scores stay as they are.
    """
    corpus_sums: ClassVar[tuple[str, ...]] = ()
    """The columns whose sums over all sentences of a system make_terms() reads too; see CORPUS_SUM."""

    def __post_init__(self) -> None:
        """Resolve values of options (see Option.resolved). Raises ConfigError."""
        for option in self.options:
            value = getattr(self, option.attribute)
            if option.resolved and value:
                object.__setattr__(
                    self, option.attribute, option.resolved(value, Path())
                )

    # --- from counts to the score

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

    @property
    def reads_last(self) -> bool:
        """Whether make_terms() reads the column LAST."""
        return False

    @abstractmethod
    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs from sums of terms with any leading axes; the first one ranks systems."""

    # --- scores of sentences

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
        per_reference = {
            field.name for field in self.terms if field.per_reference
        }
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

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return all outputs of each sentence at level mean, the score first: float64 [lines] each.

        References are combined as the policy says. Empty: sentences have the score alone. The
        default for metrics that `scores_lines` is for terms that are not per reference.
        """
        if self.scores_lines:
            return self.score(self.make_terms(columns))
        return {}

    def aggregated(self, outputs: Mapping[str, Floats]) -> dict[str, float]:
        """Return the outputs at level bootstrap from those of all sentences: float64 [lines] each.

        Only metrics with this level have it.
        """
        raise NotImplementedError

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return a compiled form of sentence_scores(), equal bit for bit and faster for few lines.

        If the reference with the highest score counts, it may return these highest scores alone,
        float64 [lines, 1]. None: the settings or the kernel have no compiled form.
        """
        return None

    # --- several references

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
        best: Ints = np.argmax(
            self.goodness(self.sentence_scores(columns)), axis=-1
        )
        return best

    def goodness(self, scores: Any) -> Any:
        """Return scores, a number or an array, with the highest as the best."""
        if self.lower_is_better:
            return -scores
        return scores

    def sequential_choice(self) -> Callable[[Columns], Ints] | None:
        """Return a new function that chooses references with the totals of the sentences before.

        The official programs of edits choose annotators so. The function carries these totals from
        block to block. None: the reference of each sentence is chosen for itself, by choose().
        """
        return None

    def chooser(self) -> Callable[[Columns], Ints]:
        """Return the function that chooses the references of a system, block after block in order."""
        return self.sequential_choice() or self.choose

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Return why this number of references, some perhaps missing, cannot be scored, or None."""
        return None

    def draws(self, lines: int, references: int) -> Draws | None:
        """Return how references are drawn at random; None if they are not."""
        return None

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights of the references, with sum 1; empty if all count the same."""
        return ()

    # --- settings

    def conflicts(self) -> list[tuple[str, str]]:
        """Return the options that contradict each other, each by its name and a message."""
        return []

    def settings(
        self, references: int | None = None
    ) -> list[tuple[str, object]]:
        """Return the options that can change a number, by their keys in signatures."""
        settings = self.option_settings()
        if references is not None:
            settings.append(("nrefs", references))
        return settings

    def peer_signature(
        self, references: int, *, missing: bool = False
    ) -> str | None:
        """Return the signature that the field's own tool prints, or None for unknown settings.

        Each line has this number of references; `missing` says that some lines have fewer.
        """
        return None

    # --- what reports show

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams of tokens are counted, or None if no rule says it."""
        return None

    def overlaps(self) -> tuple[Shared, ...]:
        """Return what else the HTML report marks in an output as shared with a reference."""
        return ()

    def counted(self, columns: Columns, *names: str) -> list[Counted]:
        """Return the `columns` or terms of some `names` for shown_counts().

        They have the shape that their fields declare.
        """
        fields = {field.name: field for field in self.terms}
        fields |= {field.name: field for field in self.spec.columns}
        counts = []
        for name in names:
            _, orders, per_reference, _ = fields[name]
            values = columns[name]
            counts.append(Counted(name, values, per_reference, orders > 0))
        return counts

    def row_names(self) -> list[str]:
        """Return the names of the rows in tables of counts with orders: the orders themselves."""
        orders = max((field.orders for field in self.terms), default=0)
        rule = self.ngram_rule()
        if not orders and rule:
            orders = rule.last
        return [str(n) for n in range(1, orders + 1)]

    def count_warnings(
        self, counts: Mapping[str, Iterable[Columns]]
    ) -> list[CountWarning]:
        """Return warnings about the counts of a data set.

        `counts` has blocks of columns by system, which can be read once.
        """
        return []

    def gold_warnings(self, annotations: Iterable[str]) -> list[str]:
        """Return warnings about `annotations`, the records of annotators that the metric reads."""
        return []

    # --- what only few metrics can do

    scores_lines: ClassVar[bool] = False
    """Whether sentences have all outputs at level mean, not only the score."""
    reads_files: ClassVar[bool] = False
    """Whether the columns are numbers of each sentence in files or arrays, read in place of texts.

    `Corpus.external` of a data set has them by the key of the specification.
    """
    computes_numbers: ClassVar[bool] = False
    """Whether code computes the columns before counting: numbers of each sentence.

    `Corpus.external` of a data set has them by the key of the specification, whose method `prepare`
    returns what computes single outputs (Prepared in `statistics_spec.py`).
    """
    declared: ClassVar[Declared | None] = None
    """What results keep of a metric that computes numbers, to be read without its code."""
    explains: ClassVar[bool] = False
    """Whether explained() returns more than n-grams and verdicts."""

    def computation(self) -> type[Any]:
        """Return the subclass of Computation (`execution/computation.py`) that computes the numbers."""
        raise NotImplementedError

    def for_run(self, systems: int, corpora: "Collection[Corpus]") -> "Metric":
        """Return the metric for a number of `systems` and the data sets `corpora`.

        It is the metric itself, unless it depends on them.
        """
        return self

    @property
    def missing_code(self) -> str:
        """Why the numbers cannot be computed although results can be read, or an empty text."""
        return ""

    def explained(self, text: Text) -> list[tuple[str, str]]:
        """Return the lines that `explain` prints about one sentence of one system: roles and texts.

        `text` has what the specification reads. A role is match, wrong or missing; a heading has an
        empty one.
        """
        return []

    @property
    def has_verdicts(self) -> bool:
        """Whether verdicts() says which edits of an output are right."""
        return False

    def verdicts(
        self,
        sources: Sequence[str],
        outputs: Sequence[Sequence[str]],
        annotations: Sequence[Sequence[str]],
    ) -> Verdicts:
        """Return for each output and each line the edits in order, with each annotator's verdict.

        `sources`, `outputs` and `annotations` are lines of the input that the metric reads: of the
        source, of each output, and of each annotator, such as records of edits. An annotator
        without the sentence has None.
        """
        raise NotImplementedError

    def references_of(
        self, source: str, annotations: Sequence[str]
    ) -> Sequence[int]:
        """Return the number of the reference in the columns for each annotator of a sentence.

        It is -1 for an annotator without the sentence. Several annotators may share a reference.
        `source` and `annotations` are the sentence's line of the source and of each annotator.
        """
        return range(len(annotations))

    def by_annotator(self) -> "Metric":
        """Return the metric whose columns have a reference for each annotator: mostly this one.

        See references_of().
        """
        return self

    # --- scores of categories, such as types of edits

    def category_spec(
        self, categories: tuple[str, ...]
    ) -> StatisticsSpec | None:
        """Return the columns that count the categories of a data set, or None if there are none."""
        return self.breakdown(categories) if categories else None

    def breakdown(self, categories: tuple[str, ...]) -> StatisticsSpec | None:
        """Return the columns that count the terms of each category, or None.

        `categories` are those of the data set. The fields are those of the terms, per reference,
        each with an order for each category and one more for edits of none of them. Sums over the
        orders are the terms.
        """
        return None

    def category(self, name: str, tier: int) -> str:
        """Return the category of a tier, from 3 (finest) to 1, for one of the data set.

        Metrics with a breakdown() have it.
        """
        raise NotImplementedError
