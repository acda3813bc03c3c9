"""What only some metrics can do. A capability is a small class that a metric inherits from too.

The functions beside a capability are the only places that ask whether a metric has it, and say what
holds for the others. So nothing else depends on which metric it has.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, cast

from ...arrays import Floats
from .declared import Declared
from .metric import Metric
from .statistics_spec import Columns, NumberSpec, Text

Texts = Sequence[str]


# --- what is read


class ReadsFiles(ABC):
    """Its columns come from files that a config names, not from text."""

    title: str
    """The name of its score."""
    files: str
    """The path of its files, in which {system} and {dataset} may stand."""
    columns: str
    """The names of the columns joined by +, or an empty text if the file has no names."""
    decimals: int
    """The largest number of decimals of its numbers."""

    @property
    @abstractmethod
    def spec(self) -> NumberSpec:
        """The columns that it reads."""


def reads_files(metric: Metric | type[Metric]) -> bool:
    """Return whether a metric reads files of numbers."""
    kind = metric if isinstance(metric, type) else type(metric)
    return issubclass(kind, ReadsFiles)


class ComputesNumbers:
    """Its columns are numbers that a function or a model computes of whole texts before counting.

    Its specification says which texts are read and which code computes, as
    `metrics/functions/metric.py` does.
    """

    declared: ClassVar[Declared | None] = None
    """What results keep of the metric, so that they can be read without its code."""
    is_built_in: ClassVar[bool] = False
    """Whether the metric is part of the program, so that every reader of results has it."""

    def for_run(self, systems: int, references: Callable[[], list[str]]) -> Metric:
        """Return the metric for a number of systems and all references, if it depends on them."""
        return cast("Metric", self)

    def computed(self, text: Text) -> Columns:
        """Return the numbers of the first system of a text, computed in this process."""
        columns: Columns = cast("Any", self).spec.computed(text)
        return columns


def computes_numbers(metric: Metric | type[Metric]) -> ComputesNumbers | None:
    """Return the metric, or its class, if code computes its numbers; else None."""
    kind = metric if isinstance(metric, type) else type(metric)
    if not issubclass(kind, ComputesNumbers):
        return None
    return cast("ComputesNumbers", metric)


def columns_of(metric: Metric, text: Text) -> Columns:
    """Return the columns of the first system of a text."""
    code_metric = computes_numbers(metric)
    if code_metric:
        return code_metric.computed(text)
    return metric.spec.count(text)[0]


def for_run(
    metrics: Iterable[Metric], systems: int, references: Callable[[], list[str]]
) -> tuple[Metric, ...]:
    """Return metrics for a number of systems and for all references that a function returns."""
    adapted = []
    for metric in metrics:
        code_metric = computes_numbers(metric)
        adapted.append(
            code_metric.for_run(systems, references) if code_metric else metric
        )
    return tuple(adapted)


def declared_of(metrics: Iterable[Metric]) -> dict[str, Declared]:
    """Return what results keep of metrics from functions, by name."""
    result = {}
    for metric in metrics:
        code_metric = computes_numbers(metric)
        if code_metric and code_metric.declared:
            result[metric.name] = code_metric.declared
    return result


def is_built_in(metric: type[Metric]) -> bool:
    """Return whether a metric that computes numbers is part of the program."""
    code_metric = computes_numbers(metric)
    return code_metric is not None and code_metric.is_built_in


def lacks_code(metric: Metric) -> str:
    """Return the message for a metric whose code is missing, or an empty text."""
    if not computes_numbers(metric):
        return ""
    spec: Any = metric.spec
    if spec.code is None:
        return without_code(metric.name)
    return ""


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
