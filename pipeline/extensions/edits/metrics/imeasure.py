"""I-measure (Felice and Briscoe 2015): how much a system improves a text, from -1 to 1."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline import kernel
from pipeline.arrays import Floats, Ints
from pipeline.data.inputs import GOLD
from pipeline.errors import LongTextError
from pipeline.kernel.common import THREE_WAY_COUNTS, Encoded, join_lines
from pipeline.metrics.base.capabilities import (
    MISSED,
    RIGHT,
    WRONG,
    ChoosesReferences,
    JudgesEdits,
    Texts,
    Verdict,
    Verdicts,
    Warns,
)
from pipeline.metrics.base.choices import SequentialAnnotatorChoice, best_by
from pipeline.metrics.base.metric import Counted, Metric
from pipeline.metrics.base.options import level_option, number_option, option
from pipeline.metrics.base.statistics_spec import Columns, Field, StatisticsSpec, Text, as_text
from pipeline.tokenizers.tokenization import Tokenization

from ..correction_references import (
    SPLITS,
    CorrectedSentence,
    MixingError,
    Tokens,
    corrections_of_m2,
    of_annotators,
    references,
)
from ..records import annotation_of

Numbers = NDArray[np.number[Any]]


# Scores of I-measure, made of counts of columns.
#
# Each function takes arrays of any equal shape, with the counts of sentences or of totals, and
# returns float64 of this shape. The expressions are those of the official program, because equal
# doubles decide which score is taken. Where its denominators are 0, in a sentence without any
# token, they count as 1.
#
# Source: Felice and Briscoe 2015 (N15-1060), and its program.


ASPECTS = ("correction", "detection")
MEASURES = ("p", "r", "f", "acc", "wacc", "i")


class Aspect(NamedTuple):
    """Counts of one aspect."""

    tp: Ints
    tn: Ints
    fp: Ints
    fn: Ints
    fpn: Ints
    """The columns that are counted in fp and in fn: changed by the output and by the reference,
    differently."""


def aspect_of(counts: Ints, aspect: str) -> Aspect:
    """Return the counts of an aspect, made of the five counts that the kernel's three_way() has on
    its last axis.

    Where the output is changed at the right place in a wrong way, detection counts that it is
    right."""
    c_tp, tn, d_fp, d_fn, fpn = np.moveaxis(counts, -1, 0)
    if aspect == "detection":
        return Aspect(c_tp + fpn, tn, d_fp, d_fn, np.zeros_like(fpn))
    return Aspect(c_tp, tn, d_fp + fpn, d_fn + fpn, fpn)


def improvement(score: Floats, baseline: Floats) -> Floats:
    """Return I, from -1 to 1: weighted accuracies of an output and of its unchanged source become
    one number.

    It is the gain as a share of the greatest possible gain, or the loss as a share of the greatest
    possible loss, below
    0. Where both are equal it is 0, or 1 where both are perfect.
    """
    greatest = np.where(baseline < 1, 1 - baseline, 1)
    least = np.where(baseline > 0, baseline, 1)
    gain, loss = (score - baseline) / greatest, score / least - 1
    return np.where(score == baseline, np.floor(score), np.where(score > baseline, gain, loss))


def measures(
    counts: Aspect, baseline: Aspect, w: float = 2.0, beta: float = 1.0
) -> dict[str, Floats]:
    """Return all of MEASURES; the counts of `baseline` are those of the source as an output.

    Precision is 1 where nothing is changed, recall 1 where nothing is to be changed, and F 0 where
    both are 0."""
    tp, tn, fp, fn, fpn = counts
    precision, recall = _ratio(tp, tp + fp, otherwise=1), _ratio(tp, tp + fn, otherwise=1)
    f = (1.0 + beta**2) * _ratio(precision * recall, beta**2 * precision + recall, otherwise=0)
    accuracy = _ratio(tp + tn, tp + tn + fp + fn - fpn, otherwise=0)
    score, least = _weighted_accuracy(counts, w), _weighted_accuracy(baseline, w)
    return {
        "p": precision,
        "r": recall,
        "f": f,
        "acc": accuracy,
        "wacc": score,
        "i": improvement(score, least),
    }


def _weighted_accuracy(counts: Aspect, w: float) -> Floats:
    tp, tn, fp, fn, fpn = counts
    return _ratio(w * tp + tn, w * (tp + fp) + tn + fn - (w + 1) * (fpn / 2.0), otherwise=0)


def reference_keys(
    counts: Ints,
    baseline: Ints,
    *,
    aspect: str = "correction",
    measure: str = "wacc",
    w: float = 2.0,
    beta: float = 1.0,
) -> Floats:
    """Return the numbers by which references are compared, the most important one first: float64
    [..., KEYS].

    `counts` and `baseline` are int64 [..., 5], as aspect_of() takes them. The numbers are the
    measure, I, weighted accuracy and accuracy of the aspect, and then the same of the other aspect.
    """
    keys = []
    for name in (aspect, *(other for other in ASPECTS if other != aspect)):
        values = measures(aspect_of(counts, name), aspect_of(baseline, name), w, beta)
        keys += [values[key] for key in (measure, "i", "wacc", "acc")]
    return np.stack(keys, axis=-1)


def best_references(keys: Floats, firsts: Ints) -> Ints:
    """Return for each line its best reference, and of equal ones the first: int64 [lines].

    `keys` is float64 [references of all lines, KEYS]; those of line i are firsts[i] to firsts[i +
    1] - 1, at least one."""
    lines = np.repeat(np.arange(len(firsts) - 1), firsts[1:] - firsts[:-1])
    order = np.lexsort((*(-key for key in keys.T[::-1]), lines))  # it is stable
    return order[firsts[:-1]]


def _ratio(one: Numbers, two: Numbers, *, otherwise: float) -> Floats:
    return np.where(two != 0, one / np.where(two != 0, two, 1), otherwise)


COUNTS = (*THREE_WAY_COUNTS, "base_tn", "base_fn")
TN, FN = THREE_WAY_COUNTS.index("tn"), THREE_WAY_COUNTS.index("d_fn")
ABSENT = -1


@dataclass(frozen=True)
class ImeasureSpec(StatisticsSpec):
    """Counts of aligned tokens with each reference, or with the best of all mixed references."""

    words: str = "whitespace"
    """How a correction becomes words: a key of SPLITS in `extensions/edits/correction_references.py`.
    """
    mix: tuple[str, ...] = ()
    """Empty: a reference for each annotator. Otherwise the corrections of annotators are mixed in
    all ways, and this says how the best reference of a sentence is found: aspect, measure, w and
    beta."""
    source = True
    input = GOLD
    tokenization = Tokenization("ascii_whitespace")

    @property
    def columns(self) -> tuple[Field, ...]:
        """The counts, those of the unchanged source, and the lengths of references (-1: there is
        none).
        """
        return tuple(Field(name, per_reference=not self.mix) for name in ("ref_len", *COUNTS))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Align a shard, with the references made once for all systems."""
        each = []
        for line, sentence in enumerate(self.sentences(text)):
            try:
                each.append(references(sentence, mix=bool(self.mix)))
            except MixingError as error:
                raise LongTextError(0, line, str(error)) from None
        source, systems, encoded, firsts = self.aligned(text, each)
        counts = kernel.three_way(source, [source, *systems], encoded, firsts)
        sizes = np.diff(encoded.offsets)
        return [
            self._columns(own, counts[0], sizes, firsts, len(text.references)) for own in counts[1:]
        ]

    def aligned(
        self, text: Text, each: Sequence[Sequence[Tokens]]
    ) -> tuple[Encoded, list[Encoded], Encoded, Ints]:
        """Return what the kernel takes: source, systems, references, and where those of each line
        begin.

        `each` are the references of each line; the kernel gets them one line after the other.
        """
        assert text.source is not None  # noqa: S101 (source is True)
        firsts = np.cumsum([0, *map(len, each)]).astype(np.int64)
        lines = join_lines(" ".join(words).encode() for own in each for words in own)
        source, *systems, encoded = self.tokenization.encode([text.source, *text.systems, lines])
        return source, systems, encoded, firsts

    def sentences(self, text: Text) -> Iterator[CorrectedSentence]:
        """Yield the sentences with their corrections."""
        assert text.source is not None  # noqa: S101 (source is True)
        for line, *records in zip(
            text.source.texts(), *(lines.texts() for lines in text.references), strict=True
        ):
            own = [annotation for annotation in map(annotation_of, records) if annotation]
            edits = [
                edit
                for annotation in sorted(own, key=lambda item: item.order)
                for edit in annotation.edits
            ]
            yield corrections_of_m2(
                [token.decode() for token in line.split()], edits, SPLITS[self.words]
            )

    def _columns(
        self, counts: Ints, base: Ints, sizes: Ints, firsts: Ints, references: int
    ) -> dict[str, Ints]:
        """Return the columns of a system; the arrays have a row for each reference of each line."""
        rows = np.concatenate([sizes[:, None], counts, base[:, [TN, FN]]], axis=1)
        names = ["ref_len", *COUNTS]
        if self.mix:
            aspect, measure, w, beta = self.mix
            keys = reference_keys(
                counts, base, aspect=aspect, measure=measure, w=float(w), beta=float(beta)
            )
            best = rows[best_references(keys, firsts)]
            return {name: best[:, number] for number, name in enumerate(names)}
        table = np.zeros((len(firsts) - 1, references, len(names)), np.int64)
        table[..., 0] = ABSENT
        line = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
        table[line, np.arange(len(rows)) - firsts[line]] = rows
        return {name: table[..., number] for number, name in enumerate(names)}


# An edit is a column of the alignment that I-measure counts, so it has at most one token of each
# text. There are as many right, wrong and missed ones as tp, fp and fn. Where output and annotator
# change a token differently, correction counts a wrong and a missed edit; detection counts a right
# one.


OF_OUTPUT = {"c_tp": RIGHT, "d_fp": WRONG, "fpn": WRONG}
"""What the output's token of a column is."""


def references_of_lines(
    spec: ImeasureSpec, text: Text
) -> list[tuple[tuple[Tokens, ...], list[int]]]:
    """Return the references of each line of a shard, distinct texts in the order of the columns,
    and whose they are.

    There is the place of each annotator's text among them, and ABSENT for one who takes no part.
    """
    records = zip(*(lines.texts() for lines in text.references), strict=True)
    result = []
    for sentence, row in zip(spec.sentences(text), records, strict=True):
        texts, corrected = references(sentence, mix=False), of_annotators(sentence)
        places = {" ".join(words): place for place, words in enumerate(texts)}
        numbers = []
        for annotation in map(annotation_of, row):
            corrections = annotation and corrected.get(annotation.annotator, sentence.tokens)
            numbers.append(ABSENT if corrections is None else places[" ".join(corrections)])
        result.append((texts, numbers))
    return result


def _of_column(
    row: Sequence[int], texts: tuple[Tokens, Tokens, Tokens], aspect: str
) -> list[Verdict]:
    """Return the verdicts of a changed column, whose fields are those of the kernel's changed
    columns.
    """
    start, end, output, reference, place = row
    source_words, output_words, words = texts
    kind, original = THREE_WAY_COUNTS[place], " ".join(source_words[start:end])
    correction = output_words[output] if output >= 0 else ""
    wanted = words[reference] if reference >= 0 else ""
    if kind == "fpn" and aspect == "detection":
        return [Verdict(start, end, original, correction, "", RIGHT)]
    own = (
        [Verdict(start, end, original, correction, "", OF_OUTPUT[kind])]
        if kind in OF_OUTPUT
        else []
    )
    return own + (
        [Verdict(start, end, original, wanted, "", MISSED)] if kind in ("d_fn", "fpn") else []
    )


@lru_cache(1 << 14)
def _words(line: bytes) -> Tokens:
    return tuple([token.decode() for token in line.split()])


WORD = "-NONE-"
"""How NUCLE writes that a correction is empty."""


@dataclass(frozen=True)
class Imeasure(ChoosesReferences, JudgesEdits, Warns, Metric):
    """The gain in weighted accuracy over the source left as it is, as a share of the greatest
    possible gain.

    Source, output and reference are aligned. A loss is a share of the greatest possible loss, below
    0. For each sentence the reference counts with which the measure is highest; the source is
    compared with the same references. The source is github.com/mfelice/imeasure."""

    name: ClassVar[str] = "imeasure"
    summary: ClassVar[str] = (
        "I-measure (Felice and Briscoe 2015), from -1 to 1; outputs are texts, gold is M2 or XML"
    )
    name_in_text: ClassVar[str] = "I-measure"
    hint: ClassVar[str] = "the file under `gold` has it"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {"I": {}, "I-measure": {}, "ieval": {}}
    counts: ClassVar[frozenset[str]] = frozenset({"tp", "tn", "fp", "fn", "fpn"})
    citations: ClassVar[tuple[str, ...]] = ("felice-briscoe-2015-towards",)
    by_reference: ClassVar[bool] = False
    """A sentence's references are distinct texts, whose numbers mean nothing to a reader."""

    aspect: str = option(
        "correction", help="correction, or detection of what is to be corrected", choices=ASPECTS
    )
    w: str = number_option("2", "weight of changed tokens")
    mix: bool = option(
        False, help="mix the corrections of annotators in all ways (public numbers do not)"
    )
    optimise: str = option(
        "sentence",
        help="which reference counts: the best for the sentence, or the best for all sentences so far",
        choices=("sentence", "corpus"),
        implicit=True,
    )
    measure: str = option(
        "wacc", help="the measure by which references are chosen", choices=MEASURES, implicit=True
    )
    chosen_by: str = option(
        "correction",
        help="the aspect by which references are chosen",
        choices=ASPECTS,
        implicit=True,
    )
    beta: str = number_option("1", "weight of recall against precision in F", implicit=True)
    words: str = option(
        "whitespace",
        help="how corrections become words; nltk as the official converter makes its XML (needs the package nltk)",
        choices=tuple(SPLITS),
        implicit=True,
    )
    level: str = level_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return mixed references chosen for the corpus, which would all have to be kept."""
        if self.mix and self.optimise == "corpus":
            return [
                (
                    "optimise",
                    "mixed references are chosen for each sentence; write optimise: sentence",
                )
            ]
        return []

    @property
    def spec(self) -> ImeasureSpec:
        """Counts of aligned tokens."""
        return ImeasureSpec(
            self.words, (self.chosen_by, self.measure, self.w, self.beta) if self.mix else ()
        )

    def by_annotator(self) -> Metric:
        """Return the metric that scores each annotator apart."""
        return ByAnnotator(**{item.name: getattr(self, item.name) for item in fields(self)})

    @property
    def has_verdicts(self) -> bool:
        """Whether references are those of annotators."""
        return not self.mix

    def references_of(self, source: str, annotations: Sequence[str]) -> list[int]:
        """Return the number of the text that the corrections of each annotator make."""
        return references_of_lines(
            self.spec, as_text([source], [], [[own] for own in annotations])
        )[0][1]

    def verdicts(
        self, sources: Texts, outputs: Sequence[Texts], annotations: Sequence[Texts]
    ) -> Verdicts:
        """Return the changed tokens of each sentence as right or wrong, and those that are missed."""
        text = as_text(sources, outputs, annotations)
        assert text.source is not None  # noqa: S101 (as_text() gives it)
        each = references_of_lines(self.spec, text)
        aligned = self.spec.aligned(text, [texts for texts, _ in each])
        offsets, columns = kernel.three_way_columns(*aligned)
        firsts = aligned[-1].tolist()
        rows, bounds = columns.tolist(), offsets.tolist()
        words_of_sources = [_words(line) for line in text.source.texts()]
        result = []
        for number, system in enumerate(text.systems):
            judged = []
            for line, output in enumerate(map(_words, system.texts())):
                by_reference, (distinct, places) = [], each[line]
                for reference, words in enumerate(distinct, firsts[line]):
                    at = reference * len(text.systems) + number
                    own, texts = (
                        rows[bounds[at] : bounds[at + 1]],
                        (words_of_sources[line], output, words),
                    )
                    by_reference.append(
                        [verdict for row in own for verdict in _of_column(row, texts, self.aspect)]
                    )
                judged.append(
                    [None if place == ABSENT else by_reference[place] for place in places]
                )
            result.append(judged)
        return result

    @property
    def terms(self) -> tuple[Field, ...]:
        """The counts, with those of the source."""
        return tuple(Field(name, per_reference=not self.mix) for name in COUNTS)

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts with the reference of each sentence."""
        terms = self._best_terms(columns)
        return [Counted(name, terms[name]) for name in COUNTS]

    def gold_warnings(self, annotations: Iterable[str]) -> list[str]:
        """Return that deletions are written as a word, which I-measure takes for what is to be put
        in their place.
        """
        lines = [
            line for record in annotations for line in record.split("\n") if line.startswith("A ")
        ]
        own = [line.split("|||") for line in lines]
        several = sum(fields[2] == WORD and fields[1] != "noop" for fields in own)
        if not several:
            return []
        message = f"imeasure: {several} corrections of the gold are {WORD}, which is a word for ieval.py: it is expected in"
        return [
            f"{message} outputs; `gec-pipeline m2 convert --to errant` makes deletions of them, and other scores"
        ]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return imeasure, wacc, that of the source (base_wacc), acc, precision, recall, f, and the
        counts.
        """
        counts, base = _stacked(totals)
        own, least = aspect_of(counts, self.aspect), aspect_of(base, self.aspect)
        values = measures(own, least, float(self.w), float(self.beta))
        baseline = measures(least, least, float(self.w), float(self.beta))["wacc"]
        outputs = {
            "imeasure": values["i"],
            "wacc": values["wacc"],
            "base_wacc": baseline,
            "acc": values["acc"],
        }
        outputs |= {"precision": values["p"], "recall": values["r"], "f": values["f"]}
        return outputs | {name: getattr(own, name).astype(np.float64) for name in own._fields}

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the I of each sentence with its own best reference: float64 [lines, 1]."""
        return self.sentence_outputs(columns)["imeasure"]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of each sentence with its own best reference: float64 [lines, 1]."""
        return {
            name: values[:, None] for name, values in self.score(self._best_terms(columns)).items()
        }

    def _best_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts of each sentence with its own best reference: int64 [lines]."""
        terms, rows = self.make_terms(columns), np.arange(len(columns["ref_len"]))
        return (
            terms
            if self.mix
            else {name: terms[name][rows, self.choose(columns)] for name in COUNTS}
        )

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return what chooses references with the totals of the sentences before; None where each
        is chosen alone.
        """
        if self.optimise == "sentence":
            return None

        def in_order(
            columns: Columns,
        ) -> Columns:  # the order of references is that of their places
            shape = columns["ref_len"].shape
            return {**columns, "order": np.broadcast_to(np.arange(shape[1]), shape)}

        def keys(totals: Ints, counts: Ints) -> list[Floats]:
            return [
                *np.moveaxis(self._keys(dict(zip(COUNTS, totals + counts, strict=True))), -1, 0)
            ]

        return SequentialAnnotatorChoice(keys, COUNTS, counts_of=in_order)

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence: int64 [lines]."""
        keys = self._keys(columns)
        return best_by([keys[..., number] for number in range(keys.shape[-1])])

    def _keys(self, columns: Columns) -> Floats:
        counts, base = _stacked(columns)
        settings = {"w": float(self.w), "beta": float(self.beta)}
        return reference_keys(counts, base, aspect=self.chosen_by, measure=self.measure, **settings)


@dataclass(frozen=True)
class ByAnnotator(Imeasure):
    """The same for columns whose references are those of annotators, as reports show them beside
    each other.
    """

    by_reference: ClassVar[bool] = True
    """The numbers of references are those of annotators."""

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts with each annotator."""
        return [Counted(name, columns[name], per_reference=True) for name in COUNTS]

    sentence_scores = Metric.sentence_scores


def _stacked(counts: Columns) -> tuple[Ints, Ints]:
    """Return the counts of the output and those of the source, int64 [..., 5] each, as the formulas
    take them.
    """
    own = np.stack([counts[name] for name in COUNTS[:5]], axis=-1)
    none = np.zeros_like(counts["base_tn"])
    return own, np.stack([none, counts["base_tn"], none, counts["base_fn"], none], axis=-1)
