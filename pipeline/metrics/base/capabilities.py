"""What only some metrics can do. A capability is a small class that a metric mixes in.

The function below each capability is the only place that asks whether a metric has it, and says
what holds for the others. So nobody asks which metric it has."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, cast

from ...arrays import Floats, Ints
from ...kernel.common import COUNTED, Kind
from ...tokenizers.tokenization import Tokenization
from .choices import Draws, SequentialAnnotatorChoice
from .declared import Declared
from .metric import Metric
from .statistics_spec import Columns, NumberSpec, StatisticsSpec, Text

Grams = Counter[tuple[str, ...]]
Texts = Sequence[str]


# --- what is read


class ReadsFiles(ABC):
    """Its columns come from files that a config names, not from text."""

    title: str
    """The name of its score."""
    files: str
    """The path of its files, in which {system} and {dataset} may stand."""
    columns: str
    """The names of the columns, joined by +, or nothing where the file has no names."""
    decimals: int
    """The most decimals that its numbers have."""

    @property
    @abstractmethod
    def spec(self) -> NumberSpec:
        """The columns that it reads."""


def reads_files(metric: Metric | type[Metric]) -> bool:
    """Return whether a metric reads files of numbers."""
    return issubclass(metric if isinstance(metric, type) else type(metric), ReadsFiles)


class ComputesNumbers:
    """Its columns are numbers that code of a user, or a model, computes of whole texts before
    anything is counted.

    Its needs say which texts are read and by which code, as `metrics/functions/metric.py` does.
    """

    declared: ClassVar[Declared | None] = None
    """What results keep of it, so that they can be read without the code, and written as numbers
    for others."""
    is_built_in: ClassVar[bool] = False
    """Whether it is one of the program, which every reader of results has."""

    def for_run(self, systems: int, references: Callable[[], list[str]]) -> Metric:
        """Return the metric for so many systems and for all references, where its numbers depend on
        them together.
        """
        return cast("Metric", self)

    def computed(self, text: Text) -> Columns:
        """Return the numbers of the first system of a text, which its code computes in this
        process.
        """
        columns: Columns = cast("Any", self).spec.computed(text)
        return columns


def computes_numbers(metric: Metric | type[Metric]) -> ComputesNumbers | None:
    """Return the metric, or its class, if code computes its numbers; else None."""
    does = issubclass(metric if isinstance(metric, type) else type(metric), ComputesNumbers)
    return cast("ComputesNumbers", metric) if does else None


def columns_of(metric: Metric, text: Text) -> Columns:
    """Return the columns of the first system of a text."""
    own = computes_numbers(metric)
    return own.computed(text) if own else metric.spec.count(text)[0]


def for_run(
    metrics: Iterable[Metric], systems: int, references: Callable[[], list[str]]
) -> tuple[Metric, ...]:
    """Return metrics for so many systems, and for all the references that a function returns."""
    own = {metric: computes_numbers(metric) for metric in metrics}
    return tuple(
        code.for_run(systems, references) if code else metric for metric, code in own.items()
    )


def declared_of(metrics: Iterable[Metric]) -> dict[str, Declared]:
    """Return what results keep of the metrics of users, by name."""
    return {m.name: own.declared for m in metrics if (own := computes_numbers(m)) and own.declared}


def is_built_in(metric: type[Metric]) -> bool:
    """Return whether a metric, of which results keep what is declared, is one of the program all
    the same.
    """
    own = computes_numbers(metric)
    return own is not None and own.is_built_in


def lacks_code(metric: Metric) -> str:
    """Return the message for a metric of a user of which only results are at hand; an empty text
    for others.
    """
    spec: Any = metric.spec if computes_numbers(metric) else None
    return without_code(metric.name) if spec is not None and spec.code is None else ""


def without_code(name: str) -> str:
    """Return the message for a metric of a user that is to be computed without its code."""
    ways = "name it with --plugin, or install its package"
    return f"{name}: its code is not at hand; {ways} (where results are there, 'show' and 'report' need none)"


class LimitsReferences(ABC):
    """It cannot score with every number of references."""

    @abstractmethod
    def misfit(self, references: int, *, missing: bool = False) -> str | None:
        """Return why the metric cannot score with this number of references, some perhaps missing,
        or None.
        """


def misfit(metric: Metric, references: int, *, missing: bool = False) -> str | None:
    """Return why a metric cannot score with this number of references, or None."""
    return (
        metric.misfit(references, missing=missing) if isinstance(metric, LimitsReferences) else None
    )


class ReadsDataSet:
    """Its terms depend on the whole data set. make_terms() gets columns that no worker counts."""

    @property
    def reads_last(self) -> bool:
        """Whether make_terms() reads the column LAST."""
        return False

    whole_sums: ClassVar[tuple[str, ...]] = ()
    """The columns whose sums over all sentences of a system are read beside the columns; see WHOLE.
    """


def data_set_columns(metric: Metric) -> ReadsDataSet:
    """Return which columns of the whole data set a metric reads."""
    return metric if isinstance(metric, ReadsDataSet) else ReadsDataSet()


# --- which references count


class DrawsReferences(ABC):
    """References are drawn at random, or have weights."""

    @abstractmethod
    def draws(self, lines: int, references: int) -> Draws | None:
        """Return how references are drawn at random, or None if they are not, as with a single
        reference.
        """

    @property
    @abstractmethod
    def shares(self) -> tuple[float, ...]:
        """The weights of the references, with sum 1. Without weights all references count the same."""


def draws_references(metric: Metric) -> DrawsReferences:
    """Return what says how references are drawn and weighed. Only policies that need it may ask."""
    assert isinstance(metric, DrawsReferences)  # noqa: S101 (a metric with such a policy has it)
    return metric


class ChoosesInSequence(ABC):
    """The reference of a sentence may depend on the sentences before, as the official programs of
    edits choose it.
    """

    @abstractmethod
    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return what chooses references with the totals of the sentences before; None where each
        is chosen alone.

        It is a new object, which carries what it has to know from block to block.
        """


def sequential_choice(metric: Metric) -> SequentialAnnotatorChoice | None:
    """Return what chooses references where a choice depends on the sentences before; None where
    none does.
    """
    return metric.sequential_choice() if isinstance(metric, ChoosesInSequence) else None


def chooser(metric: Metric) -> Callable[[Columns], Ints]:
    """Return what chooses the references of a system, to be called with its blocks in the order of
    lines.
    """
    return sequential_choice(metric) or metric.choose


# --- how sentences and sums are scored


class ScoresLines:
    """Sentences have all outputs at level mean, and not the score alone."""

    def line_outputs(self: Any, columns: Columns) -> dict[str, Floats]:
        """Return all outputs of each sentence at level mean, the score first: float64 [lines] each.

        References are combined as the policy says. The default is for terms that are not per
        reference."""
        outputs: dict[str, Floats] = self.score(self.make_terms(columns))
        return outputs


def line_outputs(metric: Metric, columns: Columns) -> dict[str, Floats]:
    """Return all outputs of each sentence at level mean; an empty mapping where sentence_scores()
    is the only one.
    """
    return metric.line_outputs(columns) if isinstance(metric, ScoresLines) else {}


class ScoresSamples(ABC):
    """It has the level bootstrap."""

    @abstractmethod
    def aggregated(self, outputs: Mapping[str, Floats]) -> dict[str, float]:
        """Return the outputs at level bootstrap, from those of all sentences: float64 [lines] each."""


def aggregated(metric: Metric, outputs: Mapping[str, Floats]) -> dict[str, float]:
    """Return the outputs of a metric at level bootstrap."""
    assert isinstance(metric, ScoresSamples)  # noqa: S101 (no other metric has this level)
    return metric.aggregated(outputs)


class Compiled(ABC):
    """It has a compiled form of sentence_scores(), which returns the same, bit for bit, faster
    where lines are few.
    """

    @abstractmethod
    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return a function that returns what sentence_scores() does.

        Where one of the references counts that has the highest score, it may return these highest
        scores alone, float64 [lines, 1]. None: there is no such form for the settings, or none with
        the kernel that is used."""


def compiled_form(metric: Metric) -> Callable[[Columns], Floats] | None:
    """Return the compiled form of sentence_scores() of a metric, or None where it has none."""
    return metric.compiled() if isinstance(metric, Compiled) else None


class CountsCategories(ABC):
    """It can count categories of edits apart."""

    @abstractmethod
    def breakdown(self, categories: tuple[str, ...]) -> StatisticsSpec | None:
        """Return the columns that count the terms of each category, such as each type of edit, or
        None.

        `categories` are those of the data set. The fields are those of the terms, per reference,
        each with an order for each category and one more for what is of none of them. Sums over the
        orders are the terms."""

    @abstractmethod
    def category(self, name: str, tier: int) -> str:
        """Return the category of a tier (3 is the finest, 1 the coarsest) to which one of the data
        set belongs.
        """


def counts_categories(metric: Metric) -> CountsCategories | None:
    """Return the metric if it can count categories apart, else None."""
    return metric if isinstance(metric, CountsCategories) else None


def category_needs(metric: Metric, categories: tuple[str, ...]) -> StatisticsSpec | None:
    """Return the columns that count the categories of a data set, None where there are none."""
    own = counts_categories(metric)
    return own.breakdown(categories) if own and categories else None


# --- what is shown and told


class Rule(NamedTuple):
    """How a metric counts n-grams."""

    name: str
    """The name of the rule, which roles() reads."""
    tokenization: Tokenization
    first: int
    """The shortest order."""
    last: int
    """The longest order."""
    merged: bool = False
    """Whether references are merged: then an n-gram counts as often as in the reference that has it
    most often."""


class Tokens(Hashable, Protocol):
    """Finds the tokens of a text as a metric counts them, such as Tokenization."""

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text."""


class Shared(NamedTuple):
    """What an output shares with a reference by one row of a metric's counts, where no Rule says
    it.
    """

    row: int
    """The row of the counts, from 0. The counts are called match and, if they are known, ref_total.
    """
    kind: str
    """What is shared: "ngrams", or "sequence" for the longest common subsequence, or "characters"
    for n-grams that are marked in the text itself. """
    tokenization: Tokens
    n: int = 1
    """The length of n-grams."""


class ShowsNgrams:
    """Reports show which n-grams, subsequences or characters an output shares."""

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams of tokens are counted, or None if no rule says it."""
        return None

    def overlaps(self) -> tuple[Shared, ...]:
        """Return what the HTML report marks in an output as shared with a reference, beside what a
        Rule says.
        """
        return ()

    def row_names(self) -> list[str]:
        """Return the names of the rows in tables of counts with orders; none: their numbers."""
        return []


def shown_ngrams(metric: Metric) -> ShowsNgrams:
    """Return what reports show of n-grams."""
    return metric if isinstance(metric, ShowsNgrams) else ShowsNgrams()


def row_names(metric: Metric) -> list[str]:
    """Return the names of the rows in tables of counts with orders, those of the terms or of the
    n-gram rule.
    """
    own = shown_ngrams(metric)
    rule = own.ngram_rule()
    orders = max((field.orders for field in metric.terms), default=0) or (rule.last if rule else 0)
    return own.row_names() or [str(n) for n in range(1, orders + 1)]


def grams(tokens: Sequence[str], n: int) -> Grams:
    """Return the n-grams of tokens with their counts."""
    return Counter(zip(*(tokens[start:] for start in range(n)), strict=False))


def merged(references: Sequence[Grams]) -> Grams:
    """Return each n-gram as often as in the reference that has it most often."""
    union: Grams = Counter()
    for reference in references:
        union |= reference
    return union


_COMMON = {"match": COUNTED["match"]}
_EDITED = {
    "inserted": Kind("h", less="sr"),
    "kept": Kind("sh", less="r"),
    "missing": Kind("r", less="sh"),
    "removed": Kind("s", less="rh"),
    "lost": Kind("sr", less="h"),
}
ROLES: dict[str, dict[str, Kind]] = {
    "match": {**_COMMON, "missing": Kind("r", less="h")},
    "gleu": {**_COMMON, "penalised": COUNTED["penalty"], "missing": Kind("r", less="h")},
    "paper": {**_COMMON, "penalised": COUNTED["source_only"], "missing": Kind("r", less="h")},
    "green": {**_COMMON, **_EDITED},
    "sari": {"match": COUNTED["common"], "added": COUNTED["new_match"], **_EDITED},
}
"""The roles by the names of rules, as the kernel counts them (`kernel/common.py`).

In green and sari, removed is rightly deleted, lost wrongly. What sari keeps and deletes counts by
the mean of the references, so that its counts are no sums of roles. """
COUNTS: dict[str, dict[str, tuple[str, ...]]] = {
    "match": {"match": ("match",)},
    "gleu": {"match": ("match",), "penalty": ("penalised",)},
    "paper": {"match": ("match",), "penalty": ("penalised",)},
    "green": {"tp": ("match", "removed"), "fp": ("inserted", "lost"), "fn": ("kept", "missing")},
    "sari": {},
}
"""The counts of metrics, by the names of rules, with the roles that they are the sums of."""


def roles(rule: str, sigma: Grams, rho: Grams, eta: Grams) -> dict[str, Grams]:
    """Return the n-grams of source σ, reference ρ and output η, with their counts, by the roles of
    a rule.

    Those of the output have the roles whose `of` has h, and other; these add up to it.
    """
    texts = {"s": sigma, "r": rho, "h": eta}
    found: dict[str, Grams] = {}
    other = Counter(eta)
    for name, kind in ROLES[rule].items():
        counts = {gram: kind.times(sigma[gram], rho[gram], eta[gram]) for gram in texts[kind.of[0]]}
        found[name] = Counter({gram: count for gram, count in counts.items() if count})
        if "h" in kind.of:
            other -= found[name]
    return {**found, "other": other}


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


Verdicts = list[list[list[list[Verdict] | None]]]
"""For each output, each line and each annotator the edits; None for an annotator who takes no part
in the sentence."""


class JudgesEdits(ABC):
    """It says which edits of an output are right."""

    @property
    def has_verdicts(self) -> bool:
        """Whether it does with these settings."""
        return True

    @abstractmethod
    def verdicts(
        self, sources: Texts, outputs: Sequence[Texts], annotations: Sequence[Texts]
    ) -> Verdicts:
        """Return for each output and each line the edits with what each annotator says of them, as
        they stand there.

        The arguments are lines of the input that the metric reads: of the source, of each output,
        and of each annotator, such as records of edits. There is None for an annotator who takes no
        part in the sentence."""

    def references_of(self, source: str, annotations: Sequence[str]) -> Sequence[int]:
        """Return for each annotator of a sentence the number of the reference that the columns have
        of them.

        It is -1 for an annotator who takes no part. Several annotators may share a reference. The
        arguments are as for verdicts()."""
        return range(len(annotations))

    def by_annotator(self) -> Metric | None:
        """Return the metric for columns in which each reference is that of an annotator; None if
        these have them.

        See references_of().
        """
        return None


def edit_judge(metric: Metric) -> JudgesEdits | None:
    """Return the metric if it says which edits of an output are right, else None."""
    return metric if isinstance(metric, JudgesEdits) and metric.has_verdicts else None


def by_annotator(metric: Metric) -> Metric:
    """Return the metric for columns in which each reference is that of an annotator; itself where
    it reads no other.
    """
    judge = edit_judge(metric)
    return (judge and judge.by_annotator()) or metric


class Explains(ABC):
    """It has more to say of the edits of a sentence than verdicts."""

    @abstractmethod
    def explained(self, text: Text) -> list[tuple[str, str]]:
        """Return what `explain` says of the edits of one sentence of one system: the roles and
        texts of lines.

        `text` has what the needs read. A role is match, wrong or missing; a heading has an empty
        one."""


def explainer(metric: Metric) -> Explains | None:
    """Return the metric if it explains the edits of a sentence, else None."""
    return metric if isinstance(metric, Explains) else None


class HasPeerSignature(ABC):
    """The field's own tool prints a signature for some of its settings."""

    @abstractmethod
    def peer_signature(self, references: int, *, missing: bool = False) -> str | None:
        """Return the signature that the field's own tool prints for these settings, or None if it
        does not have them.

        Each line has this number of references; `missing` says that some lines have fewer.
        """


def peer_signature(metric: Metric, references: int, *, missing: bool = False) -> str | None:
    """Return the signature that the field's own tool prints, or None."""
    return (
        metric.peer_signature(references, missing=missing)
        if isinstance(metric, HasPeerSignature)
        else None
    )


class CountWarning(NamedTuple):
    """A warning of a metric about its counts, and the text and line that it is about."""

    message: str
    system: str | None = None
    reference: int | None = None
    """The number of the reference, from 0, if the message is about one."""
    line: int = 0
    """The number of the line, from 1; 0 means that the message is about no single line."""


class Warns:
    """It sees in its counts, or in the records of annotators, what looks wrong."""

    def count_warnings(self, counts: Mapping[str, Iterable[Columns]]) -> list[CountWarning]:
        """Return warnings about the counts of a data set: blocks of columns by system, which can be
        read once.
        """
        return []

    def gold_warnings(self, annotations: Iterable[str]) -> list[str]:
        """Return warnings about the records that the metric reads in place of references."""
        return []


def warner(metric: Metric) -> Warns:
    """Return what warns of a metric's counts and records."""
    return metric if isinstance(metric, Warns) else Warns()
