"""PT-ERRANT, PT-M2 with ERRANT's edits (Gong et al. 2022): each edit weighs what it moves BERTScore
by.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from pipeline.arrays import Floats, Ints
from pipeline.extensions.edits.errant_report import NOOP, Comparison
from pipeline.extensions.edits.m2_files import Edit
from pipeline.extensions.edits.metrics.errant import Errant
from pipeline.extensions.edits.records import annotation_of, outputs_of
from pipeline.extensions.edits.view_names import EDITS_OF_BOTH
from pipeline.metrics.base.capabilities import ComputesNumbers, CountWarning
from pipeline.metrics.base.metric import Counted, Metric
from pipeline.metrics.base.options import option
from pipeline.metrics.base.statistics_spec import Columns, Field, Text
from pipeline.metrics.functions.declare import Model, metric
from pipeline.metrics.functions.metric import FunctionMetricSpec, parameter_option

from .bertscore import WithPairs, f_of
from .networks import AT_ONCE, built_in

Key = tuple[int | str, ...] | None
"""What makes two edits equal."""

WEIGHTS, EDITS = ("tp", "fp", "fn"), ("edits", "weightless")
NAMES = ("order", "ref_len", *WEIGHTS, *EDITS)
"""The columns of each annotator. Those of WEIGHTS are sums, in units of 1 / UNIT."""
UNIT = 10**9
MANY = 0.05
"""The share of edits without a weight from which there is a warning."""
CS = Comparison("cs")


def _distinct(edits: Iterable[Edit]) -> dict[Key, Edit]:
    return {key: edit for edit in edits if edit.type != NOOP for key in CS.keys_of(edit)}


def corrected(source: str, edits: Iterable[Edit]) -> str:
    """Return a text, split at single blanks, with edits applied, but for noops."""
    words = source.split(" ")
    for edit in sorted(
        (each for each in edits if each.start >= 0), key=lambda each: each[:2], reverse=True
    ):
        words[edit.start : edit.end] = (
            [edit.correction] if edit.correction not in ("", "-NONE-") else []
        )
    return " ".join(words)


@metric(name="pt_errant", version="1", names=NAMES, each_reference=True, batch_size=AT_ONCE)
@dataclass(eq=False)
class Weights(WithPairs):
    """The weights of the edits that an output and an annotator have in common, and of the others."""

    model: Model = Model(Path("bert-base-uncased"))  # noqa: RUF009 (a path, which nobody can change)
    layer: int | None = None
    prefix_space: Literal["true", "false"] | None = None
    idf: Path | Literal["references"] | None = None
    weightless: Literal["zero", "equal"] = "zero"
    late = ("annotator",)

    def __call__(
        self, sources: list[str], outputs: list[str], references: list[str | tuple[str, ...]]
    ) -> list[tuple[int, ...]]:
        """Return the numbers of NAMES for each output beside an annotator.

        `outputs` and `references` are records of edits. The record of an annotator may have its
        text beside it; without one that is the source with the edits applied."""
        lines = [_Beside(*line) for line in zip(sources, outputs, references, strict=True)]
        texts = [pair for line in lines for pair in line.pairs]
        scores = iter(
            self.pairs([text for text, _ in texts], [text for _, text in texts]) if texts else ()
        )
        return [
            line.counted([f_of(*next(scores)) for _ in line.pairs], self.weightless == "equal")
            for line in lines
        ]

    def of_line(self, answers: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        """Return the numbers of all annotators, one after the other."""
        return tuple(number for answer in answers for number in answer)


class _Beside:
    """An output of a sentence beside an annotator."""

    def __init__(self, source: str, output: str, reference: str | tuple[str, ...]) -> None:
        record, *texts = (reference,) if isinstance(reference, str) else reference
        outputs, self.annotation = outputs_of(output.encode()), annotation_of(record.encode())
        self.is_there = self.annotation is not None and self.annotation.output < len(outputs)
        self.own, self.gold = dict[Key, Edit](), dict[Key, Edit]()
        if self.annotation and self.is_there:
            self.own, self.gold = (
                _distinct(outputs[self.annotation.output]),
                _distinct(self.annotation.edits),
            )
        (text,) = texts or [corrected(source, self.annotation.edits if self.annotation else ())]
        self.edits = self.own | self.gold
        alone = [corrected(source, [edit]) for edit in self.edits.values()]
        self.pairs = [(each, text) for each in (source, *alone)] if alone else []

    def counted(self, scores: list[float], equal: bool) -> tuple[int, ...]:
        """Return the numbers of NAMES, from BERTScore of all pairs in their order."""
        if not self.annotation or not self.is_there:
            return (0, -1, *(0 for _ in NAMES[2:]))
        moved = [abs(score - scores[0]) for score in scores[1:]]
        weightless = moved.count(0)
        if equal and weightless == len(moved):
            moved = [1 / max(len(moved), 1)] * len(moved)
        weights = {key: round(UNIT * weight) for key, weight in zip(self.edits, moved, strict=True)}
        sides = (
            self.own.keys() & self.gold,
            self.own.keys() - self.gold,
            self.gold.keys() - self.own,
        )
        sums = (sum(map(weights.__getitem__, keys)) for keys in sides)
        return (self.annotation.order, len(self.gold), *sums, len(moved), weightless)


Weighing = built_in(Weights)
_OPTIONS = {
    parameter.name: parameter_option(parameter) for parameter in Weighing.declared.parameters
}


@dataclass(frozen=True)
class PtErrantSpec(FunctionMetricSpec):
    """The weights of hits and misses with each annotator."""

    annotator: str = ""
    """The annotator of texts, as signatures call it; empty: there are only M2 files."""
    input = EDITS_OF_BOTH
    source = True
    references = True
    comparison = CS
    types = ()

    @property
    def columns(self) -> tuple[Field, ...]:
        """The columns, each for every annotator."""
        return tuple(Field(name, per_reference=True) for name in NAMES)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Read the numbers of each system."""
        return [
            self.columns_of([tuple(map(int, row.split())) for row in lines.texts()])
            for lines in text.systems
        ]

    def columns_of(self, rows: Sequence[tuple[float, ...]]) -> dict[str, Ints]:
        """Return the columns of lines with these numbers, those of one annotator after the other."""
        table = np.array(rows, np.int64).reshape(len(rows), -1, len(NAMES))
        return {name: np.ascontiguousarray(table[..., number]) for number, name in enumerate(NAMES)}


@dataclass(frozen=True)
class PtErrant(ComputesNumbers, Errant):
    """F-beta of the weights of edits that the output and an annotator have in common.

    The weight of an edit is how far BERTScore of the source with the annotator's text moves where
    the edit alone is applied. Precision and recall are those of ERRANT, of sums of weights. For
    each sentence the annotator counts with whom F of all sentences so far is highest; of equals the
    one with more right, then with less wrong, then with less missed, then the first. With ties: m2
    the one with the least sum of what is below F counts, as in the authors' code."""

    name: ClassVar[str] = "pt_errant"
    summary: ClassVar[str] = (
        "F0.5 of edits, each weighed by what it moves BERTScore by (Gong et al. 2022)"
    )
    name_in_text: ClassVar[str] = "PT-ERRANT"
    help_page: ClassVar[str] = "neural"
    is_built_in: ClassVar[bool] = True
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    counts: ClassVar[frozenset[str]] = frozenset({*WEIGHTS, *EDITS})
    table_outputs: ClassVar[str] = "weightless"
    citations: ClassVar[tuple[str, ...]] = (
        "gong-etal-2022-revisiting",
        "zhang-etal-2020-bertscore",
    )

    mode: str = option("cs", help="what is compared: correction by span", choices=("cs",))
    single: ClassVar[bool] = False  # type: ignore[misc]
    multi: ClassVar[bool] = False  # type: ignore[misc]
    filter: ClassVar[str] = ""  # type: ignore[misc]
    types: ClassVar[str] = ""  # type: ignore[misc]
    style: ClassVar[str] = "errant"  # type: ignore[misc]
    terms: ClassVar[tuple[Field, ...]] = tuple(
        Field(name, per_reference=True) for name in (*WEIGHTS, *EDITS)
    )
    """The weights, how many edits there are, and how many have none."""
    model: str = _OPTIONS["model"]
    layer: str = _OPTIONS["layer"]
    prefix_space: str = _OPTIONS["prefix_space"]
    idf: str = _OPTIONS["idf"]
    ties: str = option(
        "errant",
        help="which of annotators with equal F and hits counts: as ERRANT chooses, or as the M² scorer does",
        choices=("errant", "m2"),
        implicit=True,
    )
    weightless: str = option(
        "zero",
        help="what edits weigh of a line where all weigh nothing: nothing (zero), or all the same (equal)",
        choices=("zero", "equal"),
        implicit=True,
        applies=lambda m: m.level == "mean",
        why="only level mean scores single lines",
    )
    version: str = option("1", help="the version of the numbers", choices=("1",))

    @property
    def _weighing(self) -> Any:
        return Weighing(**{name: getattr(self, name) for name in _OPTIONS})

    @property
    def spec(self) -> PtErrantSpec:  # type: ignore[override]
        """The weights of hits and misses with each annotator."""
        inner = self._weighing.spec
        told = (
            f"{inner.signature}|annotator:{self.annotation}" if self.annotation else inner.signature
        )
        return PtErrantSpec(
            self.name, NAMES, 0, signature=told, code=inner.code, annotator=self.annotation
        )

    def for_run(self, systems: int, references: Callable[[], list[str]]) -> Metric:
        """Return the metric with the weights of pieces in data with these references, where these
        are asked for.
        """
        return replace(self, idf=self._weighing.for_run(systems, references).idf)

    def breakdown(self, categories: tuple[str, ...]) -> None:
        """Return None: weights are not counted by type."""

    make_terms = Metric.make_terms

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the weights with each annotator, and how many edits have none."""
        weights = [Counted(name, columns[name] / UNIT, per_reference=True) for name in WEIGHTS]
        return [*weights, Counted("weightless", columns["weightless"], per_reference=True)]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return pt_errant, precision, recall, the sums of weights, and how many edits there are
        and have none.
        """
        weights: dict[str, Floats] = {name: totals[name] / UNIT for name in WEIGHTS}
        return (
            super().score(totals)
            | weights
            | {name: totals[name].astype(np.float64) for name in EDITS}
        )

    def _keys(self, totals: Ints, counts: Ints) -> list[Floats]:
        tp, fp, fn = counts.astype(np.float64)
        score = self._scores(dict(zip(WEIGHTS, totals + counts, strict=True)))[0]
        if self.ties == "m2":
            return [score, tp, -(tp + fp + float(self.beta) ** 2 * (tp + fn))]
        return [score, tp, -fp, -fn]

    def settings(self, references: int | None = None) -> list[tuple[str, object]]:
        """Return the options as signatures have them, the model by its digest."""
        inner = {
            key: value
            for key, value in self._weighing.settings()
            if key in _OPTIONS and key != "weightless"
        }
        own = dict(super().settings(references)) | inner
        return [
            (key, own[key])
            for key in (*(option.key for option in self.options), "nrefs")
            if key in own
        ]

    def count_warnings(self, counts: Mapping[str, Iterable[Columns]]) -> list[CountWarning]:
        """Return that many edits have no weight, so that nothing counts them."""
        sums = [
            [int(each[name].sum()) for name in EDITS]
            for blocks in counts.values()
            for each in blocks
        ]
        whole, weightless = map(sum, zip(*sums, strict=True)) if sums else (0, 0)
        if weightless <= MANY * whole:
            return []
        why = "for the model they change nothing, as letters of another case do not for an uncased one"
        return [
            CountWarning(
                f"pt_errant: {weightless:,} of {whole:,} edits weigh 0 and do not count: {why}"
            )
        ]
