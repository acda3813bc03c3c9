"""What every metric is made of: options, needed columns, summed terms, score.

A metric is a small frozen object. It *needs* columns: numbers for each sentence, or for each sentence and reference.
Workers count these columns from text. From the columns the metric makes *terms*, which are summed over sentences. From
the sums, with any number of leading axes (iterations, bootstrap samples), it makes the *score*.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from . import signature
from .description import Described
from .option import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ...arrays import Floats, Ints
    from ...kernel.lines import Lines
    from ...tokenizers.tokenization import Tokenization
    from .columns import Columns, Field, Schema
    from .reference_draws import Draws
    from .running_choice import RunningChoice

    SumsFormula = Callable[[Columns, Sequence[int] | None], Floats]
    """What compiled_sums() returns."""


class Text(NamedTuple):
    """The lines of a shard: the source, the references, and the outputs of several systems."""

    source: Lines | None
    references: Sequence[Lines]
    systems: Sequence[Lines]
    shared: dict[object, Any] | None = None
    """Where needs that count the same shard may keep what others of them can use, by any keys; None: nowhere."""
    needs: Sequence[Needs] = ()
    """All that count the shard, in order, where more than one do."""


class Note(NamedTuple):
    """A message of a metric about its counts, and the text and line that it is about."""

    message: str
    system: str | None = None
    reference: int | None = None
    """The number of the reference, from 0, if the message is about one."""
    line: int = 0
    """The number of the line, from 1; 0 means that the message is about no single line."""


class Needs(Protocol):
    """Columns that workers count. Objects are hashable, so that metrics with equal needs share their columns."""

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""

    @property
    def identity(self) -> str:
        """The text that stands for these columns in the keys of stored counts.

        It is different for any two needs whose columns can differ, as `key` is. It must not change from one version of
        the program to the next, even if classes and fields get other names: if it changes, stored counts are not found.
        """

    @property
    def source(self) -> bool:
        """Whether the source is read."""

    @property
    def tokenization(self) -> Tokenization | None:
        """How text becomes tokens, or None if no package outside this program can take part in that."""

    @property
    def view(self) -> str:
        """What is read of a data set; see `views.py`. The references of EDITS and GOLD are records of edits."""

    def schema(self, references: int) -> Schema:
        """Return which columns there are for a number of references."""

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return the columns of each system: arrays of the fields of schema(), with an axis for lines first."""


class Metric(Described, ABC):
    """A metric with its settings. Subclasses are frozen dataclasses whose fields are their options.

    A metric must define name, summary and the abstract members below. All other members have a default.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    """One line for lists of metrics."""
    hint: ClassVar[str] = ""
    """What the user perhaps meant. It is printed when the metric lacks a source."""
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """Other names that people write for the metric, each with the options that it implies.

    Case, spaces, hyphens and underscores do not matter, and the metric's own name need not be here. A name that two
    metrics declare is ambiguous: the user is asked which one is meant.
    """
    options: ClassVar[Options] = Options()
    """The options that the fields declare; see `option.py`."""
    reads_files: ClassVar[bool] = False
    """Whether its columns come from files that a config names, not from text.

    Such a metric has the members that `NumberFiles` in `corpus/number_files.py` lists.
    """

    annotates_texts: ClassVar[bool] = False
    """Whether it has the option annotator, by which edits are found in texts."""

    lower_is_better: ClassVar[bool] = False
    """Whether the best system is the one with the lowest score, as where errors are counted.

    Ranks, comparisons, choices of references and correlations with people go by it. Scores stay as they are.
    """

    spare_terms: ClassVar[frozenset[str]] = frozenset()
    """Terms that are 0 where somebody gives the sums of the others alone; see `metrics/from_counts.py`."""

    level: str = "corpus"
    """corpus is the score of summed terms; mean and sum are the mean and sum of sentence scores; bootstrap is what
    aggregated() makes of them."""

    def __post_init__(self) -> None:
        """Keep what the values of options mean here; see Option.resolved. Raises ConfigError."""
        for option in self.options:
            if option.resolved and getattr(self, option.attribute):
                value = option.resolved(getattr(self, option.attribute), Path())
                object.__setattr__(self, option.attribute, value)

    @property
    def reads_last(self) -> bool:
        """Whether make_terms() reads the column LAST."""
        return False

    @property
    def whole_sums(self) -> tuple[str, ...]:
        """The columns whose sums over all sentences of a system are read beside the columns; see WHOLE."""
        return ()

    @property
    def policy(self) -> str:
        """Which references count, by a name in POLICIES (`scoring/references/`)."""
        return "max"

    @property
    def by_reference(self) -> bool:
        """Whether a sentence has a score with each single reference, which reports can show."""
        return any(field.per_reference for field in self.terms)

    def by_annotator(self) -> Metric:
        """Return the metric for columns in which each reference is that of an annotator; see references_of()."""
        return self

    @property
    def shares(self) -> tuple[float, ...]:
        """The weights of the references, with sum 1. Without weights all references count the same."""
        return ()

    def unavailable(self) -> str | None:
        """Return why the metric cannot be used here (a package of its tokeniser may be missing), or None."""
        tokenization = self.needs.tokenization
        return tokenization.unavailable() if tokenization else None

    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Return why the metric cannot score with this number of references, some perhaps missing, or None."""
        del references, missing
        return None

    def explained(self, text: Text) -> list[tuple[str, str]]:
        """Return what `explain` says of the edits of one sentence of one system: the roles and texts of lines.

        `text` has what the view of the needs shows. A role is match, wrong or missing; a heading has an empty one.
        """
        del text
        return []

    def conflicts(self) -> list[tuple[str, str]]:
        """Return the options that do not go together, each by its name and a message."""
        return []

    def settings(self, references: int | None = None) -> list[tuple[str, object]]:
        """Return the options that can change a number, by their keys in signatures, and their values."""
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
        """What is summed over sentences. Fields per reference are summed for the reference that was chosen."""

    def breakdown(self, categories: tuple[str, ...]) -> Needs | None:
        """Return the columns that count the terms of each category, such as each type of edit, or None.

        `categories` are those of the data set. The fields are those of the terms, per reference, each with an order for
        each category and one more for what is of none of them. Sums over the orders are the terms.
        """
        del categories
        return None

    @staticmethod
    def category(name: str, tier: int) -> str:
        """Return the category of a tier (3 is the finest, 1 the coarsest) to which one of the data set belongs."""
        del tier
        return name

    @abstractmethod
    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the terms of each sentence from its columns: arrays [lines, ...] of the fields of `terms`."""

    @classmethod
    def goodness(cls, scores: Any) -> Any:
        """Return scores, a number or an array, so that the highest is the best: negated where lower is better."""
        return -scores if cls.lower_is_better else scores

    @abstractmethod
    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return outputs from sums of terms with any leading axes. The first output is the score that ranks systems."""

    @abstractmethod
    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with each reference: float64 [lines, references]."""

    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return a function that returns what sentence_scores() does, bit for bit, faster where lines are few.

        Where one of the references counts that has the highest score, it may return these highest scores alone, float64
        [lines, 1]. None: there is no such function for these settings, or none with the kernel that is used.
        """
        return None

    def compiled_sums(self) -> SumsFormula | None:
        """Return a function that returns the outputs of score() for the sums of terms over all lines, bit for bit.

        Its arguments are the columns of all lines, and numbers of references; None: those that choose() takes. Outputs
        are float64 [outputs, references], or [outputs, 1] where references are chosen. None as in compiled().
        """
        return None

    def compiled_lines(self) -> Callable[[Columns], dict[str, Floats]] | None:
        """Return a function that returns what line_outputs() does, bit for bit, or None as in compiled()."""
        return None

    def output_names(self) -> tuple[str, ...]:
        """Return the names of the outputs of score(), in order."""
        nothing = {field.name: np.zeros([field.orders] * (field.orders > 0), np.int64) for field in self.terms}
        return tuple(self.score(nothing))

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of score() for each sentence with each reference: float64 [lines, references].

        The first is what sentence_scores() returns. The axis of references has length 1 where that one has it.
        """
        apart = {field.name for field in self.terms if field.per_reference}
        terms = {n: term if n in apart else term[:, None] for n, term in self.make_terms(columns).items()}
        outputs, scores = self.score(terms), self.sentence_scores(columns)
        alike = {name: np.broadcast_to(values, scores.shape) for name, values in outputs.items()}
        return alike | {next(iter(outputs)): scores}

    def row_names(self) -> list[str]:
        """Return the names of the rows in tables of counts with orders, those of the terms or of the n-gram rule."""
        rule = self.ngram_rule()
        orders = max((field.orders for field in self.terms), default=0) or (rule.last if rule else 0)
        return [str(n) for n in range(1, orders + 1)]

    def line_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return all outputs of each sentence at level mean, the score first: float64 [lines] each.

        References are combined as the policy says. An empty mapping means that sentence_scores() gives the only output.
        """
        del columns
        return {}

    def aggregated(self, outputs: Mapping[str, Floats]) -> dict[str, float]:
        """Return the outputs at level bootstrap, from those of all sentences: float64 [lines] each."""
        raise NotImplementedError(f"{self.name} has no level bootstrap, and {len(outputs)} outputs")

    def remarks(self, counts: Mapping[str, Iterable[Columns]]) -> list[Note]:
        """Return notes about the counts of a data set: blocks of columns by system, which can be read once."""
        del counts
        return []

    def doubts(self, annotations: Iterable[str]) -> list[str]:
        """Return what looks wrong in the records of annotators that the metric reads; see `corpus/edits/records.py`."""
        del annotations
        return []

    def draws(self, lines: int, references: int) -> Draws | None:
        """Return how references are drawn at random, or None if they are not, as with a single reference."""
        del lines, references
        return None

    def running_choice(self) -> RunningChoice | None:
        """Return what chooses references where a choice depends on the sentences before; None where none does.

        It is a new object, which carries what it has to know from block to block.
        """
        return None

    def chooser(self) -> Callable[[Columns], Ints]:
        """Return what chooses the references of a system, to be called with its blocks in the order of lines."""
        return self.running_choice() or self.choose

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence, numbered from 0: int64 [lines]. Of equals it is the first."""
        best: Ints = np.argmax(self.goodness(self.sentence_scores(columns)), axis=-1)
        return best
