"""I-measure (Felice and Briscoe 2015): how much a system improves a text, from -1 to 1."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Floats, Ints
from pipeline.errors import LongTextError
from pipeline.extensions.edits.annotators import (
    SequentialAnnotatorChoice,
    as_text,
)
from pipeline.kernel.common import Encoded, join_lines
from pipeline.metrics.base import (
    Columns,
    Counted,
    Field,
    Metric,
    StatisticsSpec,
    Text,
    Verdict,
    Verdicts,
    best_by,
)
from pipeline.metrics.options import level_option, number_option, option
from pipeline.tokenizers import Tokenization

from .. import kernel
from ..correction_references import (
    SPLITS,
    CorrectedSentence,
    MixingError,
    Tokens,
    corrections_of_m2,
    of_annotators,
    references,
)
from ..kernel.alignments import THREE_WAY_COUNTS
from ..m2_files import DELETED, FIELD_SEPARATOR, Edit
from ..records import annotation_of
from ..view_names import GOLD

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
    """Counts of columns (aligned tokens) for one aspect, correction or detection."""

    tp: Ints
    tn: Ints
    fp: Ints
    fn: Ints
    fpn: Ints
    """The columns that count in fp and in fn: output and reference change them differently."""


def aspect_of(counts: Ints, aspect: str) -> Aspect:
    """Return the counts of an aspect, made of the five counts of the kernel's three_way().

    They are on the last axis. A wrong change of a token that is to be changed is right for
    detection.
    """
    c_tp, tn, d_fp, d_fn, fpn = np.moveaxis(counts, -1, 0)
    if aspect == "detection":
        return Aspect(c_tp + fpn, tn, d_fp, d_fn, np.zeros_like(fpn))
    return Aspect(c_tp, tn, d_fp + fpn, d_fn + fpn, fpn)


def improvement(score: Floats, baseline: Floats) -> Floats:
    """Return I, from -1 to 1, of the weighted accuracies of an output and of its source.

    It is the gain as a share of the greatest possible gain, or the loss as a share of the greatest
    possible loss, below 0. If both are equal it is 0, or 1 if both are perfect.
    """
    largest_gain = np.where(baseline < 1, 1 - baseline, 1)
    gain = (score - baseline) / largest_gain
    loss = score / np.where(baseline > 0, baseline, 1) - 1
    change = np.where(score > baseline, gain, loss)
    return np.where(score == baseline, np.floor(score), change)


def measures(
    counts: Aspect,
    baseline: Aspect,
    w: float = 2.0,
    beta: float = 1.0,
) -> dict[str, Floats]:
    """Return all of MEASURES; the counts of `baseline` are those of the source as an output.

    Precision is 1 if nothing is changed, recall 1 if nothing is to be changed, and F 0 if both are
    0. `w` is the weight of changed tokens in weighted accuracy, and `beta` that of recall in F.
    """
    tp, tn, fp, fn, fpn = counts
    precision = _ratio(tp, tp + fp, otherwise=1)
    recall = _ratio(tp, tp + fn, otherwise=1)
    f = (1.0 + beta**2) * _ratio(
        precision * recall, beta**2 * precision + recall, otherwise=0
    )
    # fpn is in fp and in fn, but is one column
    accuracy = _ratio(tp + tn, tp + tn + fp + fn - fpn, otherwise=0)
    weighted_accuracy = _weighted_accuracy(counts, w)
    baseline_accuracy = _weighted_accuracy(baseline, w)
    return {
        "p": precision,
        "r": recall,
        "f": f,
        "acc": accuracy,
        "wacc": weighted_accuracy,
        "i": improvement(weighted_accuracy, baseline_accuracy),
    }


def _weighted_accuracy(counts: Aspect, w: float) -> Floats:
    """Return the accuracy in which columns with a change of the output (tp, fp) have the weight w."""
    tp, tn, fp, fn, fpn = counts
    return _ratio(
        w * tp + tn,
        w * (tp + fp) + tn + fn - (w + 1) * (fpn / 2.0),
        otherwise=0,
    )


def reference_keys(
    counts: Ints,
    baseline: Ints,
    *,
    aspect: str = "correction",
    measure: str = "wacc",
    w: float = 2.0,
    beta: float = 1.0,
) -> Floats:
    """Return the numbers by which references are compared: float64 [..., KEYS].

    `counts` and `baseline` are int64 [..., 5], as aspect_of() takes them. The numbers are the
    measure, I, weighted accuracy and accuracy of the aspect, and then the same of the other aspect.
    The first is the most important. `w` and `beta` are as in measures().
    """
    keys = []
    # False sorts first: the aspect before the other
    for name in sorted(ASPECTS, key=lambda name: name != aspect):
        measured = measures(
            aspect_of(counts, name), aspect_of(baseline, name), w, beta
        )
        keys += [measured[key] for key in (measure, "i", "wacc", "acc")]
    return np.stack(keys, axis=-1)


def best_references(keys: Floats, firsts: Ints) -> Ints:
    """Return for each line its best reference, and of equal ones the first: int64 [lines].

    `keys` is float64 [references of all lines, KEYS]; those of line i are firsts[i] to firsts[i +
    1] - 1, at least one.
    """
    lines = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    # the last key of lexsort() decides most; the sort is stable
    order = np.lexsort((*-keys.T[::-1], lines))
    return order[firsts[:-1]]


def _ratio(part: Numbers, total: Numbers, *, otherwise: float) -> Floats:
    divisor = np.where(total != 0, total, 1)
    return np.where(total != 0, part / divisor, otherwise)


COUNTS = (*THREE_WAY_COUNTS, "base_tn", "base_fn")
COLUMNS = ("ref_len", *COUNTS)
TN = THREE_WAY_COUNTS.index("tn")
FN = THREE_WAY_COUNTS.index("d_fn")
ABSENT = -1
"""The length, or the index, of the reference of an annotator who takes no part."""


@dataclass(frozen=True)
class ImeasureSpec(StatisticsSpec):
    """Counts of aligned tokens with each reference, or with the best of all mixed references."""

    words: str = "whitespace"
    """How a correction becomes words: a key of SPLITS in `correction_references.py`."""
    mix: tuple[str, ...] = ()
    """How the best of all mixed references is chosen: aspect, measure, w and beta.

    Empty: there is a reference for each annotator."""
    source = True
    input = GOLD
    tokenization = Tokenization("ascii_whitespace")

    @property
    def columns(self) -> tuple[Field, ...]:
        """The counts, those of the unchanged source, and the lengths of references, or ABSENT."""
        return tuple(
            Field(name, per_reference=not self.mix) for name in COLUMNS
        )

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Return COLUMNS of each system: int64 [lines, references] each, or [lines] with `mix`.

        The references of `text` are the records of annotators. Raises LongTextError if the
        corrections of a sentence cannot be mixed.
        """
        # the references of each line, made once for all systems
        references_of_line = []
        for line, sentence in enumerate(self.sentences(text)):
            try:
                references_of_line.append(
                    references(sentence, mix=bool(self.mix))
                )
            except MixingError as error:
                raise LongTextError(0, line, str(error)) from None
        encoded = self.encode(text, references_of_line)

        # the counts of aligned tokens, first with the source as an output: int64 [references of
        # all lines, 5] each
        baseline, *counts = kernel.three_way(
            encoded.source,
            [encoded.source, *encoded.systems],
            encoded.references,
            encoded.firsts,
        )
        reference_lengths = np.diff(encoded.references.offsets)
        columns_of_systems = []
        for system_counts in counts:
            # COLUMNS of each reference
            rows = np.concatenate(
                [
                    reference_lengths[:, None],
                    system_counts,
                    baseline[:, [TN, FN]],
                ],
                axis=1,
            )
            if self.mix:
                columns = self._best_columns(
                    rows, system_counts, baseline, encoded.firsts
                )
            else:
                columns = _columns(rows, encoded.firsts, len(text.references))
            columns_of_systems.append(columns)
        return columns_of_systems

    def encode(
        self,
        text: Text,
        references_of_line: Sequence[Sequence[Tokens]],
    ) -> "Encodings":
        """Return a shard and the references of each line, which are tokens, as ids of tokens."""
        assert text.source is not None  # noqa: S101 (source is True)
        reference_counts = [len(texts) for texts in references_of_line]
        firsts = np.cumsum([0, *reference_counts], dtype=np.int64)
        reference_texts = []
        for texts in references_of_line:
            reference_texts += [" ".join(tokens).encode() for tokens in texts]
        lines = [text.source, *text.systems, join_lines(reference_texts)]
        source, *systems, encoded = self.tokenization.encode(lines)
        return Encodings(source, systems, encoded, firsts)

    def sentences(self, text: Text) -> Iterator[CorrectedSentence]:
        """Yield each sentence of the source with the corrections of all annotators.

        Annotators are in the order of the gold file.
        """
        assert text.source is not None  # noqa: S101 (source is True)
        record_texts = [lines.texts() for lines in text.references]
        for line, *records in zip(
            text.source.texts(), *record_texts, strict=True
        ):
            annotations = []
            for record in records:
                annotation = annotation_of(record)
                if annotation:
                    annotations.append(annotation)
            annotations.sort(key=lambda annotation: annotation.order)
            edits: list[Edit] = []
            for annotation in annotations:
                edits += annotation.edits
            tokens = [token.decode() for token in line.split()]
            yield corrections_of_m2(tokens, edits, SPLITS[self.words])

    def _best_columns(
        self,
        rows: Ints,
        counts: Ints,
        base: Ints,
        firsts: Ints,
    ) -> dict[str, Ints]:
        """Return COLUMNS of the best reference of each line: int64 [lines] each.

        `rows` has COLUMNS of each reference of all lines, `counts` and `base` the five counts of
        the output and of the source. `firsts` is as in best_references().
        """
        aspect, measure, w, beta = self.mix
        keys = reference_keys(
            counts,
            base,
            aspect=aspect,
            measure=measure,
            w=float(w),
            beta=float(beta),
        )
        best = rows[best_references(keys, firsts)]
        return dict(zip(COLUMNS, best.T, strict=True))


class Encodings(NamedTuple):
    """Encoded texts as the kernel takes them."""

    source: Encoded
    systems: list[Encoded]
    references: Encoded
    """The references of all lines, one line after the other."""
    firsts: Ints
    """Where the references of each line begin, and their number: int64 [lines + 1]."""


def _columns(rows: Ints, firsts: Ints, references: int) -> dict[str, Ints]:
    """Return COLUMNS of a system: int64 [lines, references] each.

    `rows` has COLUMNS of each reference, [references of all lines, columns]; those of line i begin
    at firsts[i]. A line may have fewer than `references`, the greatest number: for the others,
    ref_len is ABSENT and all counts are 0.
    """
    lines = len(firsts) - 1
    table = np.zeros((lines, references, len(COLUMNS)), np.int64)
    table[..., COLUMNS.index("ref_len")] = ABSENT
    line_of_row = np.repeat(np.arange(lines), np.diff(firsts))
    reference_of_row = np.arange(len(rows)) - firsts[line_of_row]
    table[line_of_row, reference_of_row] = rows
    return dict(zip(COLUMNS, np.moveaxis(table, -1, 0), strict=True))


# An edit is a column of the alignment that I-measure counts, so it has at most one token of each
# text. There are as many right, wrong and missed ones as tp, fp and fn. Where output and annotator
# change a token differently, correction counts a wrong and a missed edit; detection counts a right
# one.


VERDICTS = {
    "tn": [],
    "c_tp": [Verdict.RIGHT],
    "d_fp": [Verdict.WRONG],
    "d_fn": [Verdict.MISSED],
    "fpn": [Verdict.WRONG, Verdict.MISSED],
}
"""The verdicts of an aligned column, by the count that it belongs to."""


class LineReferences(NamedTuple):
    """The references of a line."""

    texts: tuple[Tokens, ...]
    """Distinct texts in the order of the columns."""
    of_annotators: list[int]
    """The index of each annotator's text, and ABSENT for one who takes no part."""


def references_of_lines(spec: ImeasureSpec, text: Text) -> list[LineReferences]:
    """Return the references of each line of a shard, and which of them each annotator makes.

    Annotators who make the same text share a reference.
    """
    records = zip(*(lines.texts() for lines in text.references), strict=True)
    references_by_line = []
    for sentence, records_of_line in zip(
        spec.sentences(text), records, strict=True
    ):
        texts = references(sentence, mix=False)
        index_of = {}
        for index, tokens in enumerate(texts):
            index_of[" ".join(tokens)] = index
        corrected = of_annotators(sentence)
        of_annotator = []
        for record in records_of_line:
            annotation = annotation_of(record)
            if annotation is None:
                of_annotator.append(ABSENT)
            else:
                tokens = corrected.get(annotation.annotator, sentence.tokens)
                of_annotator.append(index_of[" ".join(tokens)])
        references_by_line.append(LineReferences(texts, of_annotator))
    return references_by_line


def _of_column(
    row: Sequence[int],
    source: Tokens,
    output: Tokens,
    reference: Tokens,
    aspect: str,
) -> list[Verdict]:
    """Return the verdicts of a changed column of the alignment.

    `row` has FIELDS of the column (see `alignments.py`); the texts are tokens of the line.
    """
    start, end, output_index, reference_index, kind_index = row
    kind = THREE_WAY_COUNTS[kind_index]
    original = " ".join(source[start:end])
    proposed = output[output_index] if output_index >= 0 else ""
    correction = reference[reference_index] if reference_index >= 0 else ""
    outcomes = VERDICTS[kind]
    if kind == "fpn" and aspect == "detection":
        outcomes = [Verdict.RIGHT]
    verdicts = []
    for outcome in outcomes:
        text = correction if outcome == Verdict.MISSED else proposed
        verdicts.append(Verdict(start, end, original, text, "", outcome))
    return verdicts


@lru_cache(1 << 14)
def _words(line: bytes) -> Tokens:
    return tuple([token.decode() for token in line.split()])


@dataclass(frozen=True)
class Imeasure(Metric):
    """The gain in weighted accuracy over the unchanged source, as a share of the greatest gain.

    Source, output and reference are aligned. A loss is a share of the greatest possible loss, below
    0. For each sentence the reference counts with which the measure is highest; the source is
    compared with the same references. The source is github.com/mfelice/imeasure.
    """

    name: ClassVar[str] = "imeasure"
    summary: ClassVar[str] = (
        "I-measure (Felice and Briscoe 2015), from -1 to 1; outputs are texts, gold is M2 or XML"
    )
    name_in_text: ClassVar[str] = "I-measure"
    hint: ClassVar[str] = "the file under `gold` has it"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "I": {},
        "I-measure": {},
        "ieval": {},
    }
    counts: ClassVar[frozenset[str]] = frozenset(
        {"tp", "tn", "fp", "fn", "fpn"}
    )
    citations: ClassVar[tuple[str, ...]] = ("felice-briscoe-2015-towards",)
    by_reference: ClassVar[bool] = False
    """A sentence's references are distinct texts, whose numbers mean nothing to a reader."""

    aspect: str = option(
        "correction",
        help="correction, or detection of what is to be corrected",
        choices=ASPECTS,
    )
    w: str = number_option("2", "weight of changed tokens")
    mix: bool = option(
        False,
        help="mix the corrections of annotators in all ways (public numbers do not)",
    )
    optimise: str = option(
        "sentence",
        help="which reference counts: the best for the sentence, or the best for all sentences so far",
        choices=("sentence", "corpus"),
        implicit=True,
    )
    measure: str = option(
        "wacc",
        help="the measure by which references are chosen",
        choices=MEASURES,
        implicit=True,
    )
    chosen_by: str = option(
        "correction",
        help="the aspect by which references are chosen",
        choices=ASPECTS,
        implicit=True,
    )
    beta: str = number_option(
        "1", "weight of recall against precision in F", implicit=True
    )
    words: str = option(
        "whitespace",
        help="how corrections become words; nltk as the official converter makes its XML (needs "
        "the package nltk)",
        choices=tuple(SPLITS),
        implicit=True,
    )
    level: str = level_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return mixed references chosen for the corpus, which would all have to be kept."""
        if self.mix and self.optimise == "corpus":
            message = "mixed references are chosen for each sentence; write optimise: sentence"
            return [("optimise", message)]
        return []

    @property
    def spec(self) -> ImeasureSpec:
        """Counts of aligned tokens."""
        if self.mix:
            return ImeasureSpec(
                self.words, (self.chosen_by, self.measure, self.w, self.beta)
            )
        return ImeasureSpec(self.words)

    def by_annotator(self) -> Metric:
        """Return the metric that scores each annotator apart, unless references are mixed."""
        if self.mix:
            return self
        return ByAnnotator(
            **{item.name: getattr(self, item.name) for item in fields(self)}
        )

    @property
    def has_verdicts(self) -> bool:
        """Whether references are those of annotators."""
        return not self.mix

    def references_of(
        self, source: str, annotations: Sequence[str]
    ) -> list[int]:
        """Return the number of the text that the corrections of each annotator make."""
        text = as_text(
            [source], [], [[annotation] for annotation in annotations]
        )
        return references_of_lines(self.spec, text)[0].of_annotators

    def verdicts(
        self,
        sources: Sequence[str],
        outputs: Sequence[Sequence[str]],
        annotations: Sequence[Sequence[str]],
    ) -> Verdicts:
        """Return the changed tokens as right, wrong or missed: by system, line and annotator.

        `annotations` has the records of each annotator for all lines. Annotators who take no part
        in a line have None.
        """
        text = as_text(sources, outputs, annotations)
        assert text.source is not None  # noqa: S101 (as_text() gives it)
        line_references = references_of_lines(self.spec, text)
        encoded = self.spec.encode(
            text, [line.texts for line in line_references]
        )
        # the changed columns of reference r and system s: r counts the references of all lines
        offsets, columns = kernel.three_way_columns(*encoded)
        rows = columns.tolist()
        bounds = offsets.tolist()
        firsts = encoded.firsts.tolist()
        source_tokens = [_words(line) for line in text.source.texts()]
        systems = len(text.systems)
        verdicts_of_systems = []
        for system in range(systems):
            verdicts_of_lines = []
            outputs_of_system = map(_words, text.systems[system].texts())
            for line, output in enumerate(outputs_of_system):
                # with each distinct reference of the line
                by_reference: list[list[Verdict]] = []
                for reference, tokens in enumerate(
                    line_references[line].texts, firsts[line]
                ):
                    cell = reference * systems + system
                    verdicts: list[Verdict] = []
                    for row in rows[bounds[cell] : bounds[cell + 1]]:
                        verdicts += _of_column(
                            row,
                            source_tokens[line],
                            output,
                            tokens,
                            self.aspect,
                        )
                    by_reference.append(verdicts)
                # with each annotator
                by_annotator: list[list[Verdict] | None] = []
                for index in line_references[line].of_annotators:
                    by_annotator.append(
                        None if index == ABSENT else by_reference[index]
                    )
                verdicts_of_lines.append(by_annotator)
            verdicts_of_systems.append(verdicts_of_lines)
        return verdicts_of_systems

    @property
    def terms(self) -> tuple[Field, ...]:
        """The counts, with those of the source."""
        return tuple(Field(name, per_reference=not self.mix) for name in COUNTS)

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts with the reference of each sentence."""
        terms = self._best_terms(columns)
        return [Counted(name, terms[name]) for name in COUNTS]

    def gold_warnings(self, annotations: Iterable[str]) -> list[str]:
        """Return a warning if deletions are written as a word, which I-measure expects to read."""
        deletions = 0
        for record in annotations:
            for line in record.split("\n"):
                if line.startswith("A "):
                    edit = line.split(FIELD_SEPARATOR)
                    deletions += edit[2] == DELETED and edit[1] != "noop"
        if not deletions:
            return []
        return [
            f"imeasure: {deletions} corrections of the gold are {DELETED}, which is a word for "
            "ieval.py: it is expected in outputs; `gec-pipeline m2 convert --to errant` makes "
            "deletions of them, and other scores"
        ]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the measures, base_wacc, which is wacc of the source, and the counts."""
        output, source = _stacked(totals)
        counts = aspect_of(output, self.aspect)
        base = aspect_of(source, self.aspect)
        w = float(self.w)
        beta = float(self.beta)
        measured = measures(counts, base, w, beta)
        outputs = {
            "imeasure": measured["i"],
            "wacc": measured["wacc"],
            "base_wacc": measures(base, base, w, beta)["wacc"],
            "acc": measured["acc"],
            "precision": measured["p"],
            "recall": measured["r"],
            "f": measured["f"],
        }
        for name, count in counts._asdict().items():
            outputs[name] = count.astype(np.float64)
        return outputs

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the I of each sentence with its own best reference: float64 [lines, 1]."""
        return self.sentence_outputs(columns)["imeasure"]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of each sentence with its own best reference: float64 [lines, 1]."""
        outputs = self.score(self._best_terms(columns))
        return {name: values[:, None] for name, values in outputs.items()}

    def _best_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts of each sentence with its own best reference: int64 [lines]."""
        terms = self.make_terms(columns)
        if self.mix:
            return terms
        rows = np.arange(len(columns["ref_len"]))
        best = self.choose(columns)
        return {name: terms[name][rows, best] for name in COUNTS}

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return the choice of references by running totals; None if each is chosen alone."""
        if self.optimise == "sentence":
            return None

        def in_order(columns: Columns) -> Columns:
            # references are in the order of their columns
            shape = columns["ref_len"].shape
            return {
                **columns,
                "order": np.broadcast_to(np.arange(shape[1]), shape),
            }

        def keys(totals: Ints, counts: Ints) -> list[Floats]:
            """Return reference_keys() of all sentences so far with each reference of this one."""
            sums = dict(zip(COUNTS, totals + counts, strict=True))
            return [*np.moveaxis(self._keys(sums), -1, 0)]

        return SequentialAnnotatorChoice(keys, COUNTS, counts_of=in_order)

    def choose(self, columns: Columns) -> Ints:
        """Return the best reference of each sentence: int64 [lines]."""
        keys = self._keys(columns)
        return best_by([*np.moveaxis(keys, -1, 0)])

    def _keys(self, columns: Columns) -> Floats:
        """Return the keys by which references are compared: float64 [..., KEYS]."""
        counts, base = _stacked(columns)
        return reference_keys(
            counts,
            base,
            aspect=self.chosen_by,
            measure=self.measure,
            w=float(self.w),
            beta=float(self.beta),
        )


@dataclass(frozen=True)
class ByAnnotator(Imeasure):
    """I-measure of columns whose references are those of annotators, as in reports."""

    by_reference: ClassVar[bool] = True
    """The numbers of references are those of annotators."""

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts with each annotator."""
        return [
            Counted(name, columns[name], per_reference=True) for name in COUNTS
        ]

    sentence_scores = Metric.sentence_scores


def _stacked(counts: Columns) -> tuple[Ints, Ints]:
    """Return the counts of the output and those of the source: int64 [..., 5] each."""
    output = np.stack([counts[name] for name in THREE_WAY_COUNTS], axis=-1)
    source = np.zeros_like(output)
    source[..., TN] = counts["base_tn"]
    source[..., FN] = counts["base_fn"]
    return output, source
