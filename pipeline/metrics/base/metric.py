"""What every metric is made of: options, needed columns, summed terms, score.

A metric is a small frozen object. It *needs* columns: numbers for each sentence, or for each
sentence and reference. Workers count these columns from text. From the columns the metric makes
*terms*, which are summed over sentences. From the sums, with any number of leading axes
(iterations, bootstrap samples), it makes the *score*.

What only some metrics can do, such as judging single edits, is a class of its own in
`capabilities.py`."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from .options import Options, settings_of
from .statistics_spec import Columns, Field, StatisticsSpec


class Counted(NamedTuple):
    """A count of each sentence, as reports show it."""

    name: str
    values: Ints | Floats
    """The shape is [lines], then [references] if it is per reference, then [orders] if it has
    orders."""
    per_reference: bool = False
    orders: bool = False


class Metric(ABC):
    """A metric with its settings. Subclasses are frozen dataclasses whose fields are their options.

    A metric must define name, summary and the abstract members below. All other members have a
    default.

    `columns` are everywhere the counts of sentences by the names of the needs: arrays [lines, ...].
    `totals` are sums of terms by their names, with any leading axes. `references` is how many there
    are."""

    # --- what counts

    options: ClassVar[Options] = Options()
    """The options that the fields declare; see `options.py`."""
    level: str = "corpus"
    """corpus is the score of summed terms; mean and sum are the mean and sum of sentence scores;
    bootstrap is what a metric makes of all sentences together (ScoresSamples in
    `capabilities.py`)."""
    lower_is_better: bool = False
    """Whether the best system is the one with the lowest score, as where errors are counted.

    Ranks, comparisons, choices of references and correlations with people go by it. Scores stay as
    they are. """

    def __post_init__(self) -> None:
        """Keep what the values of options mean here; see Option.resolved. Raises ConfigError."""
        for option in self.options:
            if option.resolved and getattr(self, option.attribute):
                object.__setattr__(
                    self, option.attribute, option.resolved(getattr(self, option.attribute), Path())
                )

    @property
    @abstractmethod
    def spec(self) -> StatisticsSpec:
        """The columns that this metric reads."""

    @property
    @abstractmethod
    def terms(self) -> tuple[Field, ...]:
        """What is summed over sentences. Fields per reference are summed for the reference that was
        chosen.
        """

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms of each sentence from its columns: arrays [lines, ...] of the fields of
        `terms`.

        The default is for terms that are columns.
        """
        return {field.name: columns[field.name] for field in self.terms}

    @abstractmethod
    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs from sums of terms with any leading axes. The first output is the score
        that ranks systems.
        """

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with each reference: float64 [lines, references].

        The default is what score() makes of its terms, [lines, 1] where these are not per
        reference."""
        scores = next(iter(self.score(self.make_terms(columns)).values()))
        return scores if scores.ndim > 1 else scores[:, None]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of score() for each sentence with each reference: float64 [lines,
        references].

        The first is what sentence_scores() returns. The axis of references has length 1 where that
        one has it."""
        apart = {field.name for field in self.terms if field.per_reference}
        terms = {
            n: term if n in apart else term[:, None] for n, term in self.make_terms(columns).items()
        }
        outputs, scores = self.score(terms), self.sentence_scores(columns)
        alike = {name: np.broadcast_to(values, scores.shape) for name, values in outputs.items()}
        return alike | {next(iter(outputs)): scores}

    @property
    def policy(self) -> str:
        """Which references count, by a name in POLICIES (`scoring/aggregation.py`)."""
        return "max"

    @property
    def by_reference(self) -> bool:
        """Whether a sentence has a score with each single reference, which reports can show."""
        return any(field.per_reference for field in self.terms)

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence, numbered from 0: int64 [lines]. Of equals it
        is the first.
        """
        best: Ints = np.argmax(self.goodness(self.sentence_scores(columns)), axis=-1)
        return best

    def goodness(self, scores: Any) -> Any:
        """Return scores, a number or an array, so that the highest is the best: negated where lower
        is better.
        """
        return -scores if self.lower_is_better else scores

    def conflicts(self) -> list[tuple[str, str]]:
        """Return the options that do not go together, each by its name and a message."""
        return []

    def settings(self, references: int | None = None) -> list[tuple[str, object]]:
        """Return the options that can change a number, by their keys in signatures, and their
        values.
        """
        return settings_of(self) + ([("nrefs", references)] if references is not None else [])

    # --- what names and describes it; none of this changes a score

    name: ClassVar[str]
    origin: ClassVar[Mapping[str, str]] = {}
    """Where the code of a metric of a user came from, and its digest, as run.json has them."""
    summary: ClassVar[str]
    """One line for lists of metrics."""
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """Other names that people write for the metric, each with the options that it implies.

    Case, spaces, hyphens and underscores do not matter, and the metric's own name need not be here.
    A name that two metrics declare is ambiguous: the user is asked which one is meant. """
    short_names: ClassVar[Mapping[str, str]] = {}
    """Settings, as signatures have them, with which tables call it otherwise than `name`, such as
    nw:2 for chrf++."""
    hint: ClassVar[str] = ""
    """What the user perhaps meant. It is printed when the metric lacks a source."""
    help_page: ClassVar[str] = ""
    """The page of `gec-pipeline help` about the metric. An empty string means that it has the name
    of the metric."""
    counts: ClassVar[frozenset[str]] = frozenset()
    """The outputs that count n-grams or tokens, by their names without the order. They are not
    shown in percent."""
    in_percent: ClassVar[bool] = True
    """Whether scores are fractions, which are shown in percent. Other scores are shown as they are.
    """
    table_outputs: ClassVar[str] = ""
    """A regular expression for the names of outputs that are columns of tables, beside the score.
    """

    @property
    def output(self) -> str:
        """The name of the score."""
        return self.name

    @property
    def name_in_text(self) -> str:
        """The name of the metric in a sentence."""
        return self.output

    @property
    def score_in_text(self) -> str:
        """The name of the score below that of the metric in a table, such as F{beta}; nothing where
        that says all.
        """
        return ""

    def in_text(self, output: str) -> tuple[str, str]:
        """Return how papers head the column of an output: the name of the metric, and P, R, F₀.₅
        ... below it.

        The second is empty where the first says all, as of ROUGE-2.
        """
        small = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
        score = self.score_in_text.format(**vars(self)).translate(small)
        below = {self.output: score, "precision": "P", "recall": "R"}
        return self.name_in_text, below.get(output, output.replace("_", " "))

    @property
    def edition(self) -> str:
        """Which of several programs of the same name the metric follows, or an empty string."""
        return ""

    @property
    def citations(self) -> tuple[str, ...]:
        """The publications to cite for the metric with its settings, as keys of `data/citations.bib`."""
        return ()

    def notes(self, outputs: Mapping[str, float]) -> list[str]:
        """Return what a reader of these outputs should know, such as why they are 0."""
        return []

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts of each sentence that reports and `explain` show.

        If the metric scores references one at a time (see by_reference), some of them may be
        missing, and their counts mean nothing. Otherwise no reference is missing."""
        return []


def why_zero(outputs: Mapping[str, float], orders: Iterable[int], hits: str = "match") -> str:
    """Return why a score is 0 that is 0 wherever an order has no hits. `hits` is the output that
    counts them.
    """
    order = next((n for n in orders if outputs[f"{hits}_{n}"] <= 0), 0)
    if outputs["hyp_len"] == 0:
        return "all outputs are empty"
    if order and outputs[f"total_{order}"] == 0:
        return f"no output has {order} tokens"
    if order and outputs[f"match_{order}"] == 0:
        return f"no {order}-gram matches"
    if order:
        return f"the penalty takes all {order}-grams that match"
    if (
        outputs["brevity_penalty"] > 1e-300 and outputs["ref_len"]
    ):  # means, over references, of scores of 0
        return "with each reference, some order has no n-gram that matches, or the penalty takes all that do"
    return "the reference length is 0" if outputs["ref_len"] == 0 else "the brevity penalty is 0"


def why_all_zero(reasons: str) -> str:
    """Return why the mean of sentence scores is 0. `reasons` says what every sentence is or lacks."""
    return f"every sentence scores 0: {reasons}"


def shown_matches(columns: Columns) -> list[Counted]:
    """Return the lengths of output and references, and the matches with each reference, for
    reports.
    """
    lengths = [
        Counted("hyp_len", columns["hyp_len"]),
        Counted("ref_len", columns["ref_len"], per_reference=True),
    ]
    return [*lengths, Counted("match", columns["match"], per_reference=True, orders=True)]
