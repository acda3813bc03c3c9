"""I-measure (Felice and Briscoe 2015): how much a system improves a text, from -1 to 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ... import kernel
from ...arrays import Floats, Ints
from ...corpus.edits.correction_references import Tokens, of_annotators, references
from ...corpus.edits.records import annotation_of
from ...kernel.common import THREE_WAY_COUNTS
from ..base.capabilities import MISSED, RIGHT, WRONG, ChoosesInSequence, JudgesEdits, Verdict, Warns
from ..base.choices import SequentialAnnotatorChoice, best_by
from ..base.metric import Counted, Metric
from ..base.needs import Columns, Field, Text, as_text
from ..base.options import level_option, option
from .counts import ASPECTS, COUNTS, MEASURES, ImeasureNeeds, aspect_of, measures, reference_keys

# An edit is a column of the alignment that I-measure counts, so it has at most one token of each text. There are as
# many right, wrong and missed ones as tp, fp and fn. Where output and annotator change a token differently, correction
# counts a wrong and a missed edit; detection counts a right one.


ABSENT = -1
OF_OUTPUT = {"c_tp": RIGHT, "d_fp": WRONG, "fpn": WRONG}
"""What the output's token of a column is."""


def references_of_lines(needs: ImeasureNeeds, text: Text) -> list[tuple[tuple[Tokens, ...], list[int]]]:
    """Return the references of each line of a shard, distinct texts in the order of the columns, and whose they are.

    There is the place of each annotator's text among them, and ABSENT for one who takes no part.
    """
    records = zip(*(lines.texts() for lines in text.references), strict=True)
    result = []
    for sentence, row in zip(needs.sentences(text), records, strict=True):
        texts, corrected = references(sentence, mix=False), of_annotators(sentence)
        places = {" ".join(words): place for place, words in enumerate(texts)}
        numbers = []
        for annotation in map(annotation_of, row):
            corrections = annotation and corrected.get(annotation.annotator, sentence.tokens)
            numbers.append(ABSENT if corrections is None else places[" ".join(corrections)])
        result.append((texts, numbers))
    return result


def _of_column(row: Sequence[int], texts: tuple[Tokens, Tokens, Tokens], aspect: str) -> list[Verdict]:
    """Return the verdicts of a changed column, whose fields are those of the kernel's changed columns."""
    start, end, output, reference, place = row
    source_words, output_words, words = texts
    kind, original = THREE_WAY_COUNTS[place], " ".join(source_words[start:end])
    correction = output_words[output] if output >= 0 else ""
    wanted = words[reference] if reference >= 0 else ""
    if kind == "fpn" and aspect == "detection":
        return [Verdict(start, end, original, correction, "", RIGHT)]
    own = [Verdict(start, end, original, correction, "", OF_OUTPUT[kind])] if kind in OF_OUTPUT else []
    missed = [Verdict(start, end, original, wanted, "", MISSED)] if kind in ("d_fn", "fpn") else []
    return own + missed


@lru_cache(1 << 14)
def _words(line: bytes) -> Tokens:
    return tuple([token.decode() for token in line.split()])


WORD = "-NONE-"
"""How NUCLE writes that a correction is empty."""
_NUMBER: dict[str, Any] = {
    "pattern": r"[0-9]{1,3}(\.[0-9]{1,6})?",
    "form": "a number such as 2 or 0.5, with at most 6 decimals",
    "numbers": True,
}


@dataclass(frozen=True)
class Imeasure(ChoosesInSequence, JudgesEdits, Warns, Metric):
    """The gain in weighted accuracy over the source left as it is, as a share of the greatest possible gain.

    Source, output and reference are aligned. A loss is a share of the greatest possible loss, below 0. For each
    sentence the reference counts with which the measure is highest; the source is compared with the same references.
    The source is github.com/mfelice/imeasure.
    """

    name: ClassVar[str] = "imeasure"
    summary: ClassVar[str] = "I-measure (Felice and Briscoe 2015), from -1 to 1; outputs are texts, gold is M2 or XML"
    name_in_text: ClassVar[str] = "I-measure"
    hint: ClassVar[str] = "the file under `gold` has it"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {"I": {}, "I-measure": {}, "ieval": {}}
    counts: ClassVar[frozenset[str]] = frozenset({"tp", "tn", "fp", "fn", "fpn"})
    citations: ClassVar[tuple[str, ...]] = ("felice-briscoe-2015-towards",)
    by_reference: ClassVar[bool] = False
    """A sentence's references are distinct texts, whose numbers mean nothing to a reader."""

    aspect: str = option("correction", help="correction, or detection of what is to be corrected", choices=ASPECTS)
    w: str = option("2", help="weight of changed tokens", **_NUMBER)
    mix: bool = option(False, help="mix the corrections of annotators in all ways (public numbers do not)")
    optimise: str = option(
        "sentence",
        help="which reference counts: the best for the sentence, or the best for all sentences so far",
        choices=("sentence", "corpus"),
        implicit=True,
    )
    measure: str = option("wacc", help="the measure by which references are chosen", choices=MEASURES, implicit=True)
    chosen_by: str = option(
        "correction", help="the aspect by which references are chosen", choices=ASPECTS, implicit=True
    )
    beta: str = option("1", help="weight of recall against precision in F", implicit=True, **_NUMBER)
    words: str = option(
        "whitespace",
        help="how corrections become words; nltk as the official converter makes its XML (needs the package nltk)",
        choices=("whitespace", "nltk"),
        implicit=True,
    )
    level: str = level_option()

    def conflicts(self) -> list[tuple[str, str]]:
        """Return mixed references chosen for the corpus, which would all have to be kept."""
        if self.mix and self.optimise == "corpus":
            return [("optimise", "mixed references are chosen for each sentence; write optimise: sentence")]
        return []

    @property
    def needs(self) -> ImeasureNeeds:
        """Counts of aligned tokens."""
        return ImeasureNeeds(self.words, (self.chosen_by, self.measure, self.w, self.beta) if self.mix else ())

    def by_annotator(self) -> Metric:
        """Return the metric that scores each annotator apart."""
        return ByAnnotator(**{item.name: getattr(self, item.name) for item in fields(self)})

    @property
    def has_verdicts(self) -> bool:
        """Whether references are those of annotators."""
        return not self.mix

    def references_of(self, source: str, annotations: Sequence[str]) -> list[int]:
        """Return the number of the text that the corrections of each annotator make."""
        text = as_text([source], [], [[own] for own in annotations])
        return references_of_lines(self.needs, text)[0][1]

    def verdicts(
        self, sources: Sequence[str], outputs: Sequence[Sequence[str]], annotations: Sequence[Sequence[str]]
    ) -> list[list[list[list[Verdict] | None]]]:
        """Return the changed tokens of each sentence as right or wrong, and those that are missed."""
        text = as_text(sources, outputs, annotations)
        assert text.source is not None  # noqa: S101 (as_text() gives it)
        each = references_of_lines(self.needs, text)
        aligned = self.needs.aligned(text, [texts for texts, _ in each])
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
                    own, texts = rows[bounds[at] : bounds[at + 1]], (words_of_sources[line], output, words)
                    by_reference.append([verdict for row in own for verdict in _of_column(row, texts, self.aspect)])
                judged.append([None if place == ABSENT else by_reference[place] for place in places])
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
        """Return that deletions are written as a word, which I-measure takes for what is to be put in their place."""
        lines = [line for record in annotations for line in record.split("\n") if line.startswith("A ")]
        own = [line.split("|||") for line in lines]
        several = sum(fields[2] == WORD and fields[1] != "noop" for fields in own)
        if not several:
            return []
        message = (
            f"imeasure: {several} corrections of the gold are {WORD}, which is a word for ieval.py: it is expected in"
        )
        return [f"{message} outputs; `gec-pipeline m2 convert --to errant` makes deletions of them, and other scores"]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return imeasure, wacc, that of the source (base_wacc), acc, precision, recall, f, and the counts."""
        counts, base = _stacked(totals)
        own, least = aspect_of(counts, self.aspect), aspect_of(base, self.aspect)
        values = measures(own, least, float(self.w), float(self.beta))
        baseline = measures(least, least, float(self.w), float(self.beta))["wacc"]
        outputs = {"imeasure": values["i"], "wacc": values["wacc"], "base_wacc": baseline, "acc": values["acc"]}
        outputs |= {"precision": values["p"], "recall": values["r"], "f": values["f"]}
        return outputs | {name: getattr(own, name).astype(np.float64) for name in own._fields}

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the I of each sentence with its own best reference: float64 [lines, 1]."""
        return self.sentence_outputs(columns)["imeasure"]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of each sentence with its own best reference: float64 [lines, 1]."""
        return {name: values[:, None] for name, values in self.score(self._best_terms(columns)).items()}

    def _best_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts of each sentence with its own best reference: int64 [lines]."""
        terms, rows = self.make_terms(columns), np.arange(len(columns["ref_len"]))
        return terms if self.mix else {name: terms[name][rows, self.choose(columns)] for name in COUNTS}

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return what chooses references with the totals of the sentences before; None where each is chosen alone."""
        if self.optimise == "sentence":
            return None

        def in_order(columns: Columns) -> Columns:  # the order of references is that of their places
            shape = columns["ref_len"].shape
            return {**columns, "order": np.broadcast_to(np.arange(shape[1]), shape)}

        def keys(totals: Ints, counts: Ints) -> list[Floats]:
            return [*np.moveaxis(self._keys(dict(zip(COUNTS, totals + counts, strict=True))), -1, 0)]

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
    """The same for columns whose references are those of annotators, as reports show them beside each other."""

    by_reference: ClassVar[bool] = True
    """The numbers of references are those of annotators."""

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts with each annotator."""
        return [Counted(name, columns[name], per_reference=True) for name in COUNTS]

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the I of each sentence with each annotator: float64 [lines, annotators]."""
        return self.score(self.make_terms(columns))["imeasure"]


def _stacked(counts: Columns) -> tuple[Ints, Ints]:
    """Return the counts of the output and those of the source, int64 [..., 5] each, as the formulas take them."""
    own = np.stack([counts[name] for name in COUNTS[:5]], axis=-1)
    none = np.zeros_like(counts["base_tn"])
    return own, np.stack([none, counts["base_tn"], none, counts["base_fn"], none], axis=-1)
