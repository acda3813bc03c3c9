"""What only some metrics can do. A capability is a small class that a metric inherits from too.

The functions beside a capability are the only places that ask whether a metric has it, and say what
holds for the others. So nothing else depends on which metric it has.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from ...arrays import Floats
from ...errors import Problem
from .declared import Declared
from .metric import Metric
from .statistics_spec import Columns, Text

if TYPE_CHECKING:
    from ...data import Corpus
    from ...data.config import Config

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
    returns what computes single outputs (Prepared in `statistics_spec.py`).
    """

    declared: ClassVar[Declared | None] = None
    """What results keep of the metric, so that they can be read without its code."""

    @abstractmethod
    def computation(self) -> type[Any]:
        """Return the subclass of Computation (`execution/computation.py`) that computes them."""

    def for_run(self, systems: int, corpora: "Collection[Corpus]") -> Metric:
        """Return the metric for a number of systems and data sets, if it depends on them."""
        return cast("Metric", self)

    @property
    @abstractmethod
    def has_code(self) -> bool:
        """Whether numbers can be computed. Results can be read without the code."""


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
        adapted.append(
            code_metric.for_run(systems, corpora) if code_metric else metric
        )
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
    if code_metric is None or code_metric.has_code:
        return ""
    return without_code(metric.name)


def without_code(name: str) -> str:
    """Return the message for a metric that needs its code, which is missing."""
    ways = "name it with --plugin, or install its package"
    reading = "(where results are there, 'show' and 'report' need none)"
    return f"{name}: its code is not at hand; {ways} {reading}"


class ScoresLines:
    """Sentences have all outputs at level mean, not only the score."""

    def line_outputs(self: Any, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of the terms, which are not per reference here."""
        outputs: dict[str, Floats] = self.score(self.make_terms(columns))
        return outputs


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
        self,
        sources: Texts,
        outputs: Sequence[Texts],
        annotations: Sequence[Texts],
    ) -> Verdicts:
        """Return for each output and each line the edits in order, with each annotator's verdict.

        The arguments are lines of the input that the metric reads: of the source, of each output,
        and of each annotator, such as records of edits. An annotator without the sentence has None.
        """

    def references_of(
        self, source: str, annotations: Sequence[str]
    ) -> Sequence[int]:
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


def edit_judge(metric: Metric) -> JudgesEdits | None:
    """Return the metric if it says which edits of an output are right, else None."""
    if isinstance(metric, JudgesEdits) and metric.has_verdicts:
        return metric
    return None


def by_annotator(metric: Metric) -> Metric:
    """Return the metric whose columns have a reference for each annotator; by default itself."""
    judge = edit_judge(metric)
    return (judge and judge.by_annotator()) or metric


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
