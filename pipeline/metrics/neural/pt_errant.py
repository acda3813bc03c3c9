"""PT-ERRANT, PT-M2 with ERRANT's edits (Gong et al. 2022): each edit weighs what it moves BERTScore by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ...corpus.edits.errant_report import NOOP, Comparison
from ...corpus.edits.records import annotation_of, outputs_of
from ..base.capabilities import AnnotatesTexts, ChoosesInSequence, ComputesNumbers, CountWarning, Warns
from ..base.choices import SequentialAnnotatorChoice, f_of_counts
from ..base.metric import Counted, Metric
from ..base.needs import Field, annotated_by
from ..base.options import annotator_option, beta_option, choice_option, gold_option, level_option, option
from ..plugged.declare import Model, metric
from ..plugged.metric import PluggedNeeds, computed_here, parameter_option
from .bertscore import Similarity, documents, f_of, has_prefix, known_layer, similarity_options
from .networks import EXTRA, built_in, files_of, special_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ...arrays import Floats, Ints
    from ...corpus.edits.m2_files import Edit
    from ..base.needs import Columns, Text

    Key = tuple[Any, ...]

COUNTS = ("tp", "fp", "fn")
NAMES = ("order", "ref_len", *COUNTS, "edits", "weightless")
"""The columns of each annotator. Those of COUNTS are sums of weights, in units of 1 / UNIT."""
UNIT = 10**9
MANY = 0.05
"""The share of edits without a weight from which there is a warning."""
CS = Comparison("cs")


def _edits(edits: Iterable[Edit]) -> dict[Key, Edit]:
    """Return the distinct edits that are compared, without noops, by what makes two of them equal."""
    return {key: edit for edit in edits if edit.type != NOOP for key in CS.keys_of(edit)}


def corrected(tokens: Sequence[str], edits: Iterable[Edit]) -> str:
    """Return a text, split at single blanks, with edits applied."""
    words = list(tokens)
    for edit in sorted(edits, key=lambda each: (each.start, each.end), reverse=True):
        words[edit.start : edit.end] = [edit.correction] if edit.correction not in ("", "-NONE-") else []
    return " ".join(words)


@metric(name="pt_errant", version="1", names=NAMES, **EXTRA)
class Weights:
    """The weights of the edits that an output and each annotator have in common, and of the others."""

    def __init__(
        self,
        model: Model = Model("bert-base-uncased"),  # type: ignore[arg-type]  # noqa: B008
        layer: int | None = None,
        prefix_space: Literal["true", "false"] | None = None,
        idf: Path | Literal["references"] | None = None,
        weightless: Literal["equal"] | None = None,
    ) -> None:
        self.model, self.layer, self.prefix_space, self.idf = model, layer, prefix_space, idf
        self.weightless = weightless

    def check(self) -> None:
        """Raise InputError for options that do not go together."""
        known_layer(self.model, self.layer)
        has_prefix(self.model, self.prefix_space)

    def told(self) -> dict[str, object]:
        """Return what signatures say of options whose values mean something else here."""
        prefix = str(has_prefix(self.model, self.prefix_space)).lower() if files_of(self.model).byte_level else None
        return {"layer": known_layer(self.model, self.layer), "prefix_space": prefix}

    def with_references(self, references: Callable[[], list[str]]) -> dict[str, Any]:
        """Return the option idf for data with these references."""
        return {"idf": documents(references())} if self.idf == "references" else {}

    def notes(self, sources: list[str], references: list[tuple[str, ...]], **_: Any) -> Any:
        """Warn of special pieces."""
        return special_notes([self.model], [(own, *others) for own, others in zip(sources, references, strict=True)])

    def __call__(
        self,
        sources: list[str],
        outputs: list[str],
        references: list[tuple[str, ...]],
        ask: Callable[..., Any],
        **more: Any,
    ) -> list[Any]:
        """Return for each line, and each of its annotators, the numbers of NAMES.

        `outputs` are records of edits, and so are the items of `edits`, those of the annotators. Where a line has not
        as many references, the text of an annotator is the source with the edits applied.
        """
        lines = [_Line(*each) for each in zip(sources, outputs, references, more["edits"], strict=True)]
        wanted = [[(text, own) for _, text, texts in line.pairs for own in texts.values()] for line in lines]
        options = similarity_options(self.model, self.layer, self.prefix_space, self.idf)
        found = ask(Similarity, wanted, **options)
        return [
            line.counted(iter(answers), equal=self.weightless == "equal")
            for line, answers in zip(lines, found, strict=True)
        ]


class _Line:
    """An output of a sentence beside each annotator."""

    def __init__(self, source: str, output: str, references: tuple[str, ...], edits: tuple[str, ...]) -> None:
        tokens, each = source.split(" "), outputs_of(output.encode())
        self.annotations = [annotation_of(record.encode()) for record in edits]
        self.hits: list[tuple[dict[Key, Edit], dict[Key, Edit]]] = []
        self.pairs: list[tuple[int, str, dict[Key | None, str]]] = []
        """For each annotator that has a line: the number, the text, and the source with each edit alone, by its key."""
        for number, annotation in enumerate(self.annotations):
            own = each[annotation.output] if annotation and annotation.output < len(each) else None
            if annotation is None or own is None:
                self.annotations[number] = None
                self.hits.append(({}, {}))
                continue
            both = _edits(own), _edits(annotation.edits)
            self.hits.append(both)
            text = references[number] if len(references) == len(edits) else corrected(tokens, both[1].values())
            texts: dict[Key | None, str] = {key: corrected(tokens, [edit]) for key, edit in (both[0] | both[1]).items()}
            self.pairs.append((number, text, ({None: source} | texts) if texts else {}))

    def counted(self, answers: Any, *, equal: bool) -> list[tuple[int, ...]]:
        """Return the numbers of each annotator, from BERTScore of all texts in their order."""
        rows = [(0, -1, 0, 0, 0, 0, 0)] * len(self.annotations)
        for number, _, texts in self.pairs:
            annotation = self.annotations[number]
            assert annotation is not None  # noqa: S101 (only those that are there have a pair)
            scores = {key: next(answers) for key in texts}
            weights = {key: _weight(scores[None], scores[key]) for key in texts if key is not None}
            weightless = sum(weight == 0 for weight in weights.values())
            if equal and weights and weightless == len(weights):
                weights = dict.fromkeys(weights, UNIT // len(weights))
            own, gold = self.hits[number]
            sides = (own.keys() & gold.keys(), own.keys() - gold.keys(), gold.keys() - own.keys())
            sums = [sum(weights[key] for key in keys) for keys in sides]
            rows[number] = (annotation.order, len(gold), *sums, len(weights), weightless)
        return rows


def _weight(before: Sequence[float], after: Sequence[float]) -> int:
    """Return how far two scores lie apart; 0 where the texts have the same pieces, whatever noise there is."""
    change = abs(f_of(after[0], after[1]) - f_of(before[0], before[1]))
    return 0 if before[2] == after[2] else round(change * UNIT)


_declared = Weights.declared  # type: ignore[attr-defined]
Weighing = built_in(replace(Weights, declared=replace(_declared, reads=(*_declared.reads, "edits"))))  # type: ignore[type-var]
_OPTIONS = {parameter.name: parameter_option(parameter) for parameter in Weights.declared.parameters}  # type: ignore[attr-defined]


@dataclass(frozen=True)
class PtErrantNeeds(PluggedNeeds):
    """The weights of hits and misses with each annotator."""

    annotator: str = ""
    """The annotator of texts, as signatures call it; empty: there are only M2 files."""
    source = True
    references = True

    @property
    def input(self) -> str:  # type: ignore[override]
        """Edits on both sides."""
        return annotated_by(self.annotator)

    @property
    def columns(self) -> tuple[Field, ...]:
        """The columns, each for every annotator."""
        return tuple(Field(name, per_reference=True) for name in NAMES)

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Read the numbers of each system."""
        return [_columns([list(map(int, row.split())) for row in lines.texts()]) for lines in text.systems]


def _columns(rows: Sequence[Sequence[float]]) -> dict[str, Ints]:
    table = np.array(rows, np.int64).reshape(len(rows), -1, len(NAMES))
    return {name: np.ascontiguousarray(table[..., number]) for number, name in enumerate(NAMES)}


@dataclass(frozen=True)
class PtErrant(AnnotatesTexts, ChoosesInSequence, ComputesNumbers, Warns, Metric):
    """F-beta of the weights of edits that the output and an annotator have in common.

    The weight of an edit is how far BERTScore of the source with the annotator's text moves where the edit alone is
    applied. Precision and recall are those of ERRANT, of sums of weights. For each sentence the annotator counts with
    whom F of all sentences so far is highest; of equals the one with more right, then with less wrong, then with less
    missed, then the first. With ties: m2 the one with the least sum of what is below F counts, as in the authors' code.
    """

    name: ClassVar[str] = "pt_errant"
    summary: ClassVar[str] = "F0.5 of edits, each weighed by what it moves BERTScore by (Gong et al. 2022)"
    name_in_text: ClassVar[str] = "PT-ERRANT"
    score_in_text: ClassVar[str] = "F{beta}"
    help_page: ClassVar[str] = "neural"
    is_built_in: ClassVar[bool] = True
    counts: ClassVar[frozenset[str]] = frozenset({*COUNTS, "edits", "weightless"})
    table_outputs: ClassVar[str] = "weightless"
    citations: ClassVar[tuple[str, ...]] = ("gong-etal-2022-revisiting", "zhang-etal-2020-bertscore")

    mode: str = option("cs", help="what is compared: correction by span", choices=("cs",))
    beta: str = beta_option()
    choice: str = choice_option()
    level: str = level_option()
    annotator: str = annotator_option()
    gold: str = gold_option()
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
        help="what edits weigh of a line where all weigh nothing: nothing, or all the same (equal)",
        choices=("zero", "equal"),
        implicit=True,
        applies=lambda m: m.level == "mean",
        why="only level mean scores single lines",
    )
    version: str = option("1", help="the version of the numbers", choices=("1",))

    @property
    def _weighing(self) -> Any:
        """The metric whose numbers are the columns."""
        own = {name: getattr(self, name) for name in ("model", "layer", "prefix_space", "idf")}
        return Weighing(**own, weightless="equal" if self.weightless == "equal" else "")

    @property
    def needs(self) -> PtErrantNeeds:
        """The weights of hits and misses with each annotator."""
        inner = self._weighing.needs
        told = f"{inner.told}|annotator:{self.annotation}" if self.annotation else inner.told
        return PtErrantNeeds(self.name, NAMES, 0, told=told, code=inner.code, annotator=self.annotation)

    def for_data(self, references: Callable[[], list[str]]) -> Metric:
        """Return the metric with the weights of pieces in data with these references, where these are asked for."""
        return replace(self, idf=self._weighing.for_data(references).idf)

    def computed(self, text: Text) -> Columns:
        """Return the columns of the first system of a text, whose references are records of edits."""
        code = self.needs.code
        assert code is not None and text.source is not None  # noqa: S101, PT018 (see the needs)
        source, own, *gold = (
            [line.decode() for line in lines.texts()] for lines in (text.source, text.systems[0], *text.references)
        )
        items = [(one, two, (), tuple(edits)) for one, two, *edits in zip(source, own, *gold, strict=True)]
        return _columns(computed_here(code, items))

    @property
    def terms(self) -> tuple[Field, ...]:
        """The weights, and how many edits have none."""
        return tuple(Field(name, per_reference=True) for name in (*COUNTS, "edits", "weightless"))

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the weights with each annotator, and how many edits have none."""
        weights = [Counted(name, columns[name] / UNIT, per_reference=True) for name in COUNTS]
        return [*weights, Counted("weightless", columns["weightless"], per_reference=True)]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return pt_errant, precision, recall, the sums of weights, and how many edits there are and have none."""
        score, precision, recall = self._scores(totals)
        weights = {name: totals[name] / UNIT for name in COUNTS}
        edits = {name: totals[name].astype(np.float64) for name in ("edits", "weightless")}
        return {"pt_errant": score, "precision": precision, "recall": recall} | weights | edits

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return what chooses annotators with the totals of the sentences before; None where each is chosen alone."""
        return SequentialAnnotatorChoice(self._keys, COUNTS) if self.choice == "official" else None

    def choose(self, columns: Columns) -> Ints:
        """Return the annotator of each sentence, chosen for the sentence alone: int64 [lines]."""
        return SequentialAnnotatorChoice(self._keys, COUNTS, running=False)(columns)

    def _keys(self, totals: Ints, counts: Ints) -> list[Floats]:
        """Return what is greatest for the annotator that is taken."""
        tp, fp, fn = counts.astype(np.float64)
        score = self._scores(dict(zip(COUNTS, totals + counts, strict=True)))[0]
        if self.ties == "m2":
            return [score, tp, -(tp + fp + float(self.beta) ** 2 * (tp + fn))]
        return [score, tp, -fp, -fn]

    def _scores(self, counts: Columns) -> tuple[Floats, ...]:
        """Return F-beta, precision and recall."""
        tp, fp, fn = (counts[name] for name in COUNTS)
        return f_of_counts(tp, tp + fp, tp + fn, float(self.beta))

    def settings(self, references: int | None = None) -> list[tuple[str, object]]:
        """Return the options as signatures have them, the model by its digest."""
        own, inner = dict(super().settings(references)), dict(self._weighing.settings())
        shown = {key: inner.get(key) if key in inner or key in _OPTIONS else value for key, value in own.items()}
        shown |= {key: inner[key] for key in ("layer", "prefix_space") if key in inner}
        order = [*(option.key for option in self.options), "nrefs"]
        return [(key, shown[key]) for key in order if shown.get(key) is not None]

    def count_warnings(self, counts: Mapping[str, Iterable[Columns]]) -> list[CountWarning]:
        """Return that many edits have no weight, so that nothing counts them."""
        whole = weightless = 0
        for blocks in counts.values():
            for columns in blocks:
                whole, weightless = whole + int(columns["edits"].sum()), weightless + int(columns["weightless"].sum())
        if weightless <= MANY * whole:
            return []
        why = "for the model they change nothing, as letters of another case do not for an uncased one"
        return [CountWarning(f"pt_errant: {weightless:,} of {whole:,} edits weigh 0 and do not count: {why}")]
