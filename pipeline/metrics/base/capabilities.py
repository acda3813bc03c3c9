"""What only some metrics can do. A capability is a small class that a metric inherits from too.

The functions beside a capability are the only places that ask whether a metric has it, and say what
holds for the others. So nothing else depends on which metric it has.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, cast

from ...arrays import Floats, Ints
from ...errors import Problem
from ...kernel.common import COUNTED, Kind
from ...tokenizers.tokenization import Tokenization
from .choices import Draws, SequentialAnnotatorChoice
from .declared import Declared
from .metric import Metric
from .statistics_spec import Columns, StatisticsSpec, Text

if TYPE_CHECKING:
    from ...data.config.resolved import Config
    from ...data.corpus import Corpus

Grams = Counter[tuple[str, ...]]
Texts = Sequence[str]


# --- what is read


class ReadsFiles(ABC):
    """Its columns are numbers of each sentence in files or arrays, which are read in place of texts.

    `Corpus.external` of a data set has them by the key of its specification. Metrics of one class
    are opened together.
    """

    @classmethod
    @abstractmethod
    def with_files(
        cls, config: "Config", metrics: Sequence[Any], problems: list[Problem]
    ) -> "Config":
        """Return a config with the files of metrics of this class as further systems.

        Adds to problems.
        """

    @classmethod
    @abstractmethod
    def with_numbers(cls, corpus: "Corpus", metrics: Sequence[Any]) -> "Corpus":
        """Return an opened data set with the numbers of these further systems apart.

        Raises CorpusError if a line has no number.
        """

    @classmethod
    @abstractmethod
    def with_arrays(
        cls,
        corpus: "Corpus",
        metrics: Sequence[Any],
        scores: Mapping[str, Mapping[str, Any]],
    ) -> "Corpus":
        """Return a data set with numbers in memory, by the outputs of metrics, and by system.

        Raises InputError.
        """


def file_readers(
    metrics: Iterable[Metric],
) -> dict[type[ReadsFiles], list[ReadsFiles]]:
    """Return the metrics that read files of numbers, by their classes."""
    readers: dict[type[ReadsFiles], list[ReadsFiles]] = {}
    for metric in metrics:
        if isinstance(metric, ReadsFiles):
            readers.setdefault(type(metric), []).append(metric)
    return readers


def reads_files(metric: Metric | type[Metric]) -> bool:
    """Return whether a metric reads files of numbers."""
    kind = metric if isinstance(metric, type) else type(metric)
    return issubclass(kind, ReadsFiles)


class ComputesNumbers(ABC):
    """Its columns are numbers of each sentence that are computed before counting.

    `Corpus.external` of a data set has them by the key of its specification, whose method `prepare`
    returns what computes single outputs (`metrics/prepared.py`).
    """

    declared: ClassVar[Declared | None] = None
    """What results keep of the metric, so that they can be read without its code."""

    @abstractmethod
    def computation(self) -> type[Any]:
        """Return the subclass of Computation (`execution/computation.py`) that computes them."""

    def for_run(self, systems: int, corpora: "Collection[Corpus]") -> Metric:
        """Return the metric for a number of systems and data sets, if it depends on them."""
        return cast("Metric", self)

    @abstractmethod
    def missing_code(self) -> str:
        """Return why nothing can be computed although results can be read; empty: it can."""


def computes_numbers(metric: Metric | type[Metric]) -> ComputesNumbers | None:
    """Return the metric, or its class, if code computes its numbers; else None."""
    kind = metric if isinstance(metric, type) else type(metric)
    if not issubclass(kind, ComputesNumbers):
        return None
    return cast("ComputesNumbers", metric)


def for_run(
    metrics: Iterable[Metric], systems: int, corpora: "Collection[Corpus]"
) -> tuple[Metric, ...]:
    """Return metrics for a number of systems and for data sets."""
    adapted = []
    for metric in metrics:
        code_metric = computes_numbers(metric)
        adapted.append(code_metric.for_run(systems, corpora) if code_metric else metric)
    return tuple(adapted)


def declared_of(metrics: Iterable[Metric]) -> dict[str, Declared]:
    """Return what results keep of metrics whose numbers are computed, by name."""
    result = {}
    for metric in metrics:
        code_metric = computes_numbers(metric)
        if code_metric and code_metric.declared:
            result[metric.name] = code_metric.declared
    return result


def missing_code(metric: Metric) -> str:
    """Return why the numbers of a metric cannot be computed although results can be read."""
    code_metric = computes_numbers(metric)
    return code_metric.missing_code() if code_metric else ""


class ReadsDataSet:
    """Its terms depend on the whole data set. make_terms() gets columns that no worker counts."""

    @property
    def reads_last(self) -> bool:
        """Whether make_terms() reads the column LAST."""
        return False

    whole_sums: ClassVar[tuple[str, ...]] = ()
    """The columns whose sums over all sentences of a system are read too; see WHOLE."""


def data_set_columns(metric: Metric) -> ReadsDataSet:
    """Return which columns of the whole data set a metric reads."""
    if isinstance(metric, ReadsDataSet):
        return metric
    return ReadsDataSet()


# --- which references count


class ChoosesReferences:
    """It has rules of its own for references, beyond taking the best or the mean."""

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

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return a new object that chooses references with the totals of the sentences before.

        The official programs of edits choose annotators so. The object carries these totals from
        block to block. None: the reference of each sentence is chosen for itself.
        """
        return None


def reference_rules(metric: Metric) -> ChoosesReferences:
    """Return the metric's own rules for references; those of other metrics change nothing."""
    if isinstance(metric, ChoosesReferences):
        return metric
    return ChoosesReferences()


def chooser(metric: Metric) -> Callable[[Columns], Ints]:
    """Return the function that chooses the references of a system, block after block in order."""
    return reference_rules(metric).sequential_choice() or metric.choose


# --- how sentences and sums are scored


class ScoresLines:
    """Sentences have all outputs at level mean, not only the score."""

    def line_outputs(self: Any, columns: Columns) -> dict[str, Floats]:
        """Return all outputs of each sentence at level mean, the score first: float64 [lines] each.

        References are combined as the policy says. The default is for terms that are not per
        reference.
        """
        outputs: dict[str, Floats] = self.score(self.make_terms(columns))
        return outputs

    def aggregated(self, outputs: Mapping[str, Floats]) -> dict[str, float]:
        """Return the outputs at level bootstrap from those of all sentences: float64 [lines] each.

        Only a metric with this level has it.
        """
        raise NotImplementedError


def line_outputs(metric: Metric, columns: Columns) -> dict[str, Floats]:
    """Return all outputs of each sentence at level mean; empty if there is only the score."""
    if isinstance(metric, ScoresLines):
        return metric.line_outputs(columns)
    return {}


def aggregated(metric: Metric, outputs: Mapping[str, Floats]) -> dict[str, float]:
    """Return the outputs of a metric at level bootstrap."""
    return cast("ScoresLines", metric).aggregated(outputs)


class Compiled(ABC):
    """It has a compiled form of sentence_scores(), equal bit for bit and faster for few lines."""

    @abstractmethod
    def compiled(self) -> Callable[[Columns], Floats] | None:
        """Return a function that returns what sentence_scores() does.

        If the reference with the highest score counts, it may return these highest scores alone,
        float64 [lines, 1]. None: the settings or the kernel have no compiled form.
        """


def compiled_form(metric: Metric) -> Callable[[Columns], Floats] | None:
    """Return the compiled form of sentence_scores() of a metric, or None."""
    if isinstance(metric, Compiled):
        return metric.compiled()
    return None


# --- n-grams that reports show


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
    """Whether references are merged: an n-gram counts as often as in the reference that has it most
    often."""


class Tokens(Hashable, Protocol):
    """Splits a text into tokens as a metric counts them, such as Tokenization."""

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text."""


class Shared(NamedTuple):
    """What an output shares with a reference, counted in one row of a metric without a Rule."""

    row: int
    """The row of the counts, from 0. The counts are named match and, if known, ref_total."""
    kind: str
    """What is shared: "ngrams", "sequence" for the longest common subsequence, or "characters" for
    n-grams that are marked in the text itself."""
    tokenization: Tokens
    n: int = 1
    """The length of n-grams."""


class ShowsNgrams:
    """Reports show which n-grams, subsequences or characters an output shares."""

    def ngram_rule(self) -> Rule | None:
        """Return how n-grams of tokens are counted, or None if no rule says it."""
        return None

    def overlaps(self) -> tuple[Shared, ...]:
        """Return what else the HTML report marks in an output as shared with a reference."""
        return ()

    def row_names(self) -> list[str]:
        """Return the names of the rows in tables of counts with orders; empty: their numbers."""
        return []


def shown_ngrams(metric: Metric) -> ShowsNgrams:
    """Return what reports show of n-grams."""
    if isinstance(metric, ShowsNgrams):
        return metric
    return ShowsNgrams()


def row_names(metric: Metric) -> list[str]:
    """Return the names of the rows in tables of counts with orders."""
    shown = shown_ngrams(metric)
    names = shown.row_names()
    if names:
        return names
    orders = max((field.orders for field in metric.terms), default=0)
    rule = shown.ngram_rule()
    if not orders and rule:
        orders = rule.last
    return [str(n) for n in range(1, orders + 1)]


def grams(tokens: Sequence[str], n: int) -> Grams:
    """Return the n-grams of tokens with their counts."""
    shifted = [tokens[start:] for start in range(n)]
    return Counter(zip(*shifted, strict=False))


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
    "gleu": {
        **_COMMON,
        "penalised": COUNTED["penalty"],
        "missing": Kind("r", less="h"),
    },
    "paper": {
        **_COMMON,
        "penalised": COUNTED["source_only"],
        "missing": Kind("r", less="h"),
    },
    "green": {**_COMMON, **_EDITED},
    "simplification": {
        "match": COUNTED["common"],
        "added": COUNTED["new_match"],
        **_EDITED,
    },
}
"""The roles of n-grams by the names of rules, as the kernel counts them (`kernel/common.py`).

In green and simplification, removed is a right deletion and lost a wrong one. In simplification
kept and deleted n-grams count by the mean of the references, so that counts are no sums of roles.
"""
COUNTS: dict[str, dict[str, tuple[str, ...]]] = {
    "match": {"match": ("match",)},
    "gleu": {"match": ("match",), "penalty": ("penalised",)},
    "paper": {"match": ("match",), "penalty": ("penalised",)},
    "green": {
        "tp": ("match", "removed"),
        "fp": ("inserted", "lost"),
        "fn": ("kept", "missing"),
    },
    "simplification": {},
}
"""The counts of metrics by the names of rules, with the roles that they are the sums of."""


def roles(
    rule: str,
    sigma: Grams,
    rho: Grams,
    eta: Grams,
) -> dict[str, Grams]:
    """Return the n-grams of source σ, reference ρ and output η with their counts, by role.

    Those of the output have the roles whose `of` has h, or the role other; these add up to it.
    """
    texts = {"s": sigma, "r": rho, "h": eta}
    by_role: dict[str, Grams] = {}
    other = Counter(eta)
    for name, kind in ROLES[rule].items():
        counts: Grams = Counter()
        for gram in texts[kind.of[0]]:
            count = kind.times(sigma[gram], rho[gram], eta[gram])
            if count:
                counts[gram] = count
        by_role[name] = counts
        if "h" in kind.of:
            other -= counts
    return {**by_role, "other": other}


# --- edits


RIGHT = "right"
"""The verdict on an edit that the annotator has too."""
WRONG = "wrong"
"""The verdict on an edit that the annotator does not have."""
MISSED = "missed"
"""The verdict on an edit that only the annotator has."""


class Verdict(NamedTuple):
    """An edit of a sentence, and whether an annotator has it too."""

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
    """RIGHT, WRONG or MISSED."""


Verdicts = list[list[list[list[Verdict] | None]]]
"""The edits for each output, line and annotator; None for an annotator without the sentence."""


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
        """Return for each output and each line the edits in order, with each annotator's verdict.

        The arguments are lines of the input that the metric reads: of the source, of each output,
        and of each annotator, such as records of edits. An annotator without the sentence has None.
        """

    def references_of(self, source: str, annotations: Sequence[str]) -> Sequence[int]:
        """Return the number of the reference in the columns for each annotator of a sentence.

        It is -1 for an annotator without the sentence. Several annotators may share a reference.
        The arguments are as for verdicts().
        """
        return range(len(annotations))

    def by_annotator(self) -> Metric | None:
        """Return the metric whose columns have a reference for each annotator; None: this one.

        See references_of().
        """
        return None

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


def edit_judge(metric: Metric) -> JudgesEdits | None:
    """Return the metric if it says which edits of an output are right, else None."""
    if isinstance(metric, JudgesEdits) and metric.has_verdicts:
        return metric
    return None


def by_annotator(metric: Metric) -> Metric:
    """Return the metric whose columns have a reference for each annotator; by default itself."""
    judge = edit_judge(metric)
    return (judge and judge.by_annotator()) or metric


def category_spec(metric: Metric, categories: tuple[str, ...]) -> StatisticsSpec | None:
    """Return the columns that count the categories of a data set, or None if there are none."""
    if not categories or not isinstance(metric, JudgesEdits):
        return None
    return metric.breakdown(categories)


def category_of(metric: Metric, name: str, tier: int) -> str:
    """Return the category of a tier to which one of the data set belongs; see category_spec()."""
    return cast("JudgesEdits", metric).category(name, tier)


class Explains(ABC):
    """It explains a sentence by more than n-grams and verdicts."""

    @abstractmethod
    def explained(self, text: Text) -> list[tuple[str, str]]:
        """Return the lines that `explain` prints about one sentence of one system: roles and texts.

        `text` has what the specification reads. A role is match, wrong or missing; a heading has an
        empty one.
        """


def explainer(metric: Metric) -> Explains | None:
    """Return the metric if it explains sentences, else None."""
    if isinstance(metric, Explains):
        return metric
    return None


# --- signatures of other programs, warnings


class HasPeerSignature(ABC):
    """The field's own tool prints a signature for some of its settings."""

    @abstractmethod
    def peer_signature(self, references: int, *, missing: bool = False) -> str | None:
        """Return the signature that the field's own tool prints, or None for unknown settings.

        Each line has this number of references; `missing` says that some lines have fewer.
        """


def peer_signature(
    metric: Metric, references: int, *, missing: bool = False
) -> str | None:
    """Return the signature that the field's own tool prints, or None."""
    if not isinstance(metric, HasPeerSignature):
        return None
    return metric.peer_signature(references, missing=missing)


class CountWarning(NamedTuple):
    """A warning of a metric about its counts, and the text and line that it is about."""

    message: str
    system: str | None = None
    reference: int | None = None
    """The number of the reference, from 0, if the message is about one."""
    line: int = 0
    """The number of the line, from 1; 0 means that the message is about no single line."""


class Warns:
    """It warns of suspicious counts or records of annotators."""

    def count_warnings(
        self, counts: Mapping[str, Iterable[Columns]]
    ) -> list[CountWarning]:
        """Return warnings about the counts of a data set.

        `counts` has blocks of columns by system, which can be read once.
        """
        return []

    def gold_warnings(self, annotations: Iterable[str]) -> list[str]:
        """Return warnings about the records of annotators that the metric reads."""
        return []


def warner(metric: Metric) -> Warns:
    """Return the metric's own warnings; other metrics have none."""
    if isinstance(metric, Warns):
        return metric
    return Warns()
