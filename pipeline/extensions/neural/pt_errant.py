"""PT-ERRANT, PT-M2 with ERRANT's edits (Gong et al. 2022): each edit is weighed by its effect on
BERTScore.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from pipeline.arrays import Floats, Ints
from pipeline.data import Corpus
from pipeline.extensions.edits.m2_files import Edit
from pipeline.extensions.edits.records import (
    Annotation,
    annotation_of,
    outputs_of,
)
from pipeline.extensions.errant.errant_report import NOOP, Comparison
from pipeline.extensions.errant.metrics.errant import Errant
from pipeline.extensions.errant.view_names import EDITS_OF_BOTH
from pipeline.extensions.functions.answers import Values
from pipeline.extensions.functions.computation import ComputedByCode
from pipeline.extensions.functions.declare import Model, metric
from pipeline.extensions.functions.function_spec import FunctionMetricSpec
from pipeline.extensions.functions.metric import parameter_option
from pipeline.metrics.base import Columns, Counted, CountWarning, Field, Metric
from pipeline.metrics.options import option

from .bertscore import WithPairs, f_of
from .networks import CALL_SIZE, built_in

Key = tuple[int | str, ...] | None
"""The properties in which edits have to be equal."""

WEIGHTS = ("tp", "fp", "fn")
"""The sums of the weights of hits and misses, in units of 1 / UNIT."""
EDITS = ("edits", "weightless")
"""The number of edits, and of those that weigh 0."""
NAMES = ("order", "ref_len", *WEIGHTS, *EDITS)
"""The columns of each annotator."""
UNIT = 10**9
MAX_WEIGHTLESS_SHARE = 0.05
"""The share of edits without a weight, above which there is a warning."""
CS = Comparison("cs")


def _by_key(edits: Iterable[Edit]) -> dict[Key, Edit]:
    """Return edits by the properties in which they are compared, without noops; of equal edits the
    last.
    """
    by_key: dict[Key, Edit] = {}
    for edit in edits:
        if edit.type != NOOP:
            for key in CS.keys_of(edit):
                by_key[key] = edit
    return by_key


def corrected(source: str, edits: Iterable[Edit]) -> str:
    """Return a text, split at single blanks, with edits applied, but for noops."""
    words = source.split(" ")
    replacements = [edit for edit in edits if edit.start >= 0]
    for edit in sorted(replacements, key=lambda edit: edit[:2], reverse=True):
        is_deletion = edit.correction in ("", "-NONE-")
        words[edit.start : edit.end] = [] if is_deletion else [edit.correction]
    return " ".join(words)


@metric(
    name="pt_errant",
    version="1",
    names=NAMES,
    each_reference=True,
    batch_size=CALL_SIZE,
)
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
        self,
        sources: list[str],
        outputs: list[str],
        references: list[str | tuple[str, ...]],
    ) -> list[tuple[int, ...]]:
        """Return the numbers of NAMES for each item: a source, an output of it and an annotator.

        `outputs` and `references` are records of edits (see pipeline.extensions.edits.records). That
        of an annotator may have its text beside it; without one that is the source with the edits
        applied."""
        items = []
        variants: list[str] = []
        annotated: list[str] = []
        for source, output, reference in zip(
            sources, outputs, references, strict=True
        ):
            item = _OutputAndAnnotator(source, output, reference)
            items.append(item)
            variants += item.texts
            annotated += [item.annotated_text] * len(item.texts)
        # BERTScore compares all variants of all items at once.
        scores = iter(self.pairs(variants, annotated) if variants else ())
        equal = self.weightless == "equal"
        numbers = []
        for item in items:
            f_scores = [f_of(*next(scores)) for _ in item.texts]
            numbers.append(item.numbers(f_scores, equal=equal))
        return numbers

    def of_line(self, answers: Sequence[Values]) -> Values:
        """Return the numbers of all annotators, one after the other."""
        return tuple(chain.from_iterable(answers))


class _OutputAndAnnotator:
    """The edits of an output of a sentence and those of an annotator."""

    def __init__(
        self,
        source: str,
        output: str,
        reference: str | tuple[str, ...],
    ) -> None:
        if isinstance(reference, str):
            reference = (reference,)
        record, *texts = reference
        outputs = outputs_of(output.encode())
        annotation = annotation_of(record.encode())
        self.annotation: Annotation | None = None
        self.proposed: dict[Key, Edit] = {}
        self.gold: dict[Key, Edit] = {}
        if annotation and annotation.output < len(outputs):
            self.annotation = annotation
            self.proposed = _by_key(outputs[annotation.output])
            self.gold = _by_key(annotation.edits)
        if texts:
            self.annotated_text = texts[0]
        else:
            gold_edits = annotation.edits if annotation else ()
            self.annotated_text = corrected(source, gold_edits)
        self.edits = self.proposed | self.gold
        self.texts: list[str] = []
        """The source, and the source with each of the edits; empty without edits."""
        if self.edits:
            self.texts.append(source)
            for edit in self.edits.values():
                self.texts.append(corrected(source, [edit]))

    def numbers(self, scores: list[float], *, equal: bool) -> tuple[int, ...]:
        """Return the numbers of NAMES: sums of weights in units of 1 / UNIT, and numbers of edits. An
        annotator who takes no part has ref_len -1.

        `scores` are those of BERTScore for `texts`: the weight of an edit is how far it alone moves
        the score of the source. With `equal` all edits weigh the same if all weigh nothing."""
        if not self.annotation:
            return (0, -1, 0, 0, 0, 0, 0)
        # The first score is that of the source.
        weights = [abs(score - scores[0]) for score in scores[1:]]
        weightless = weights.count(0)
        if equal and weightless == len(weights):
            weights = [1 / max(len(weights), 1)] * len(weights)
        weight_of = {}
        for key, weight in zip(self.edits, weights, strict=True):
            weight_of[key] = round(UNIT * weight)
        hits = self.proposed.keys() & self.gold
        false_positives = self.proposed.keys() - self.gold
        false_negatives = self.gold.keys() - self.proposed
        return (
            self.annotation.order,
            len(self.gold),
            sum(weight_of[key] for key in hits),
            sum(weight_of[key] for key in false_positives),
            sum(weight_of[key] for key in false_negatives),
            len(weights),
            weightless,
        )


Weighing = built_in(Weights)
_OPTIONS = {
    parameter.name: parameter_option(parameter)
    for parameter in Weighing.declared.parameters
}


@dataclass(frozen=True)
class PtErrantSpec(FunctionMetricSpec):
    """The weights of hits and misses with each annotator."""

    annotator: str = ""
    """The annotator of texts, as in signatures; empty: there are only M2 files."""
    input = EDITS_OF_BOTH
    source = True
    references = True
    comparison = CS
    types = ()

    @property
    def columns(self) -> tuple[Field, ...]:
        """The columns, each for every annotator."""
        return tuple(Field(name, per_reference=True) for name in NAMES)

    def columns_of(self, rows: Sequence[Values]) -> dict[str, Ints]:
        """Return a column int64 [lines, annotators] for each of NAMES. A row has the numbers of a
        line, those of one annotator after those of the other.
        """
        table = np.array(rows, np.int64)
        by_annotator = table.reshape(len(rows), -1, len(NAMES))
        columns = np.ascontiguousarray(np.moveaxis(by_annotator, -1, 0))
        return dict(zip(NAMES, columns, strict=True))


@dataclass(frozen=True)
class PtErrant(ComputedByCode, Errant):
    """F-beta of the weights of edits that the output and an annotator have in common.

    The weight of an edit is the change of BERTScore of the source with the annotator's text if the
    edit alone is applied. Precision and recall are those of ERRANT, of sums of weights. For each
    sentence the annotator counts with whom F of all sentences so far is highest; of equals the one
    with more hits, then with fewer false positives, then with fewer false negatives, then the
    first. With ties: m2 the one with the least denominator of F counts, as in the authors' code.
    """

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

    mode: str = option(
        "cs",
        help="what is compared: correction by span",
        choices=("cs",),
    )
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
        help="which of annotators with equal F and hits counts: as ERRANT chooses, or as the M² "
        "scorer does",
        choices=("errant", "m2"),
        implicit=True,
    )
    weightless: str = option(
        "zero",
        help="what edits weigh of a line where all weigh nothing: nothing (zero), or all the same "
        "(equal)",
        choices=("zero", "equal"),
        implicit=True,
        applies=lambda m: m.level == "mean",
        why="only level mean scores single lines",
    )
    version: str = option(
        "1", help="the version of the numbers", choices=("1",)
    )

    @property
    def _weighing(self) -> Any:
        values = {name: getattr(self, name) for name in _OPTIONS}
        return Weighing(**values)

    @property
    def spec(self) -> PtErrantSpec:  # type: ignore[override]
        """The weights of hits and misses with each annotator."""
        weighing = self._weighing.spec
        signature = weighing.signature
        if self.annotation:
            signature += f"|annotator:{self.annotation}"
        return PtErrantSpec(
            self.name,
            NAMES,
            0,
            signature=signature,
            code=weighing.code,
            annotator=self.annotation,
        )

    def for_run(self, systems: int, corpora: Collection[Corpus]) -> Metric:
        """Return the metric with the weights of tokens in these references, if it has the option."""
        return replace(self, idf=self._weighing.for_run(systems, corpora).idf)

    def breakdown(self, categories: tuple[str, ...]) -> None:
        """Return None: weights are not counted by type."""

    make_terms = Metric.make_terms

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the weights with each annotator, and how many edits have none."""
        counts = []
        for name in (*WEIGHTS, "weightless"):
            values: Floats | Ints = columns[name]
            if name in WEIGHTS:
                values = values / UNIT
            counts.append(Counted(name, values, per_reference=True))
        return counts

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return pt_errant, precision, recall, the sums of weights, and how many edits there are
        and have none.
        """
        outputs = super().score(totals)
        for name in WEIGHTS:
            outputs[name] = totals[name] / UNIT
        for name in EDITS:
            outputs[name] = totals[name].astype(np.float64)
        return outputs

    def _keys(self, totals: Ints, counts: Ints) -> list[Floats]:
        """Return the sort keys by which an annotator is chosen, the highest first, for the weights
        of a line with each annotator (`counts`) and those of all lines before it (`totals`). The
        first axis of both is that of WEIGHTS.
        """
        tp, fp, fn = counts.astype(np.float64)
        sums = dict(zip(WEIGHTS, totals + counts, strict=True))
        score = self._scores(sums)[0]
        if self.ties == "m2":
            # F divides by this sum.
            proposed = tp + fp
            weighted_gold = float(self.beta) ** 2 * (tp + fn)
            return [score, tp, -(proposed + weighted_gold)]
        return [score, tp, -fp, -fn]

    def settings(
        self, references: int | None = None
    ) -> list[tuple[str, object]]:
        """Return the options as signatures have them, the model by its digest."""
        settings = dict(super().settings(references))
        for key, value in self._weighing.settings():
            if key in _OPTIONS and key != "weightless":
                settings[key] = value
        keys = [*(option.key for option in self.options), "nrefs"]
        return [(key, settings[key]) for key in keys if key in settings]

    def count_warnings(
        self,
        counts: Mapping[str, Iterable[Columns]],
    ) -> list[CountWarning]:
        """Return a warning if more than MAX_WEIGHTLESS_SHARE of the edits weigh 0. `counts` are blocks
        of columns by system.
        """
        edits = 0
        weightless = 0
        for blocks in counts.values():
            for columns in blocks:
                edits += int(columns["edits"].sum())
                weightless += int(columns["weightless"].sum())
        if weightless <= MAX_WEIGHTLESS_SHARE * edits:
            return []
        problem = f"{weightless:,} of {edits:,} edits weigh 0 and do not count"
        reason = "for the model they change nothing"
        example = "as letters of another case do not for an uncased one"
        return [CountWarning(f"pt_errant: {problem}: {reason}, {example}")]
