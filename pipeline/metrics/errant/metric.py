"""ERRANT (Bryant et al. 2017): precision, recall and F-beta of edits, as errant_compare scores M2 files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats, Ints
from ...corpus.edits.errant_report import MODES, NOOP, STYLES, Comparison, category, is_of
from ...corpus.edits.records import annotation_of, outputs_of
from ..base.capabilities import (
    MISSED,
    RIGHT,
    WRONG,
    AnnotatesTexts,
    ChoosesInSequence,
    CountsCategories,
    CountWarning,
    JudgesEdits,
    Verdict,
    Warns,
)
from ..base.choices import SequentialAnnotatorChoice, f_of_counts, rounded
from ..base.metric import Counted, Metric
from ..base.needs import Columns, Field
from ..base.options import annotator_option, beta_option, choice_option, gold_option, level_option, option
from .counts import COUNTS, ErrantNeeds, TypeNeeds


def verdicts(
    comparison: Comparison, only: tuple[str, ...], source: str, output: str, annotation: str
) -> list[Verdict] | None:
    """Return a verdict for each hit and miss of a sentence, as they are counted; None without the annotator's line.

    `only` are the types that are shown; empty: all. `output` and `annotation` are records of edits.
    """
    gold, outputs = annotation_of(annotation.encode()), outputs_of(output.encode())
    if gold is None or gold.output >= len(outputs):
        return None
    tokens = source.split()
    own, other = map(comparison.by_key, (outputs[gold.output], gold.edits))
    found = []  # each edit with its key, type and verdict, as compare() of errant_report.py counts them
    for key, edits in own.items():
        if edits[0].type != NOOP:
            hits = [(edits[0], key, edit.type, RIGHT) for edit in other.get(key, ())]
            found += hits or [(edit, key, edit.type, WRONG) for edit in edits]
    for key, edits in other.items():
        if edits[0].type != NOOP and key not in own:
            found += [(edit, key, edit.type, MISSED) for edit in edits]
    result = []
    for edit, key, type_, verdict in found:
        if not only or is_of(type_, only):
            # the place is that of the key: where each token counts, this is one token
            start, end = (max(int(place), 0) for place in key[:2])
            correction = "" if edit.correction == "-NONE-" else edit.correction
            result.append(Verdict(start, end, " ".join(tokens[start:end]), correction, type_, verdict))
    return sorted(result, key=lambda item: (item.start, item.end, item.verdict == MISSED))


_LIST: dict[str, Any] = {
    "pattern": r"[A-Za-z0-9_.:*-]+(\+[A-Za-z0-9_.:*-]+)*",
    "form": "types joined by +, such as R:OTHER+R:SPELL",
}


@dataclass(frozen=True)
class Errant(AnnotatesTexts, ChoosesInSequence, CountsCategories, JudgesEdits, Warns, Metric):
    """F-beta of edits that the output and an annotator have in common, with tp, fp and fn summed over sentences.

    Precision is tp / (tp + fp), or 1 without fp. Recall is tp / (tp + fn), or 1 without fn. For each sentence the
    annotator counts with whom F of all sentences so far, rounded to 4 decimals, is highest. Of equals, the one with
    more tp counts, then with fewer fp, then with fewer fn, then the first in the file. The source is errant_compare.
    """

    name: ClassVar[str] = "errant"
    summary: ClassVar[str] = "F0.5 of annotated edits (Bryant et al. 2017), as errant_compare"
    name_in_text: ClassVar[str] = "ERRANT"
    score_in_text: ClassVar[str] = "F{beta}"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "ERRANT F0.5": {},
        "errant_compare": {},
        "SentERRANT": {"level": "mean"},
    }
    counts: ClassVar[frozenset[str]] = frozenset(COUNTS)
    citations: ClassVar[tuple[str, ...]] = ("bryant-etal-2017-automatic",)
    terms: ClassVar[tuple[Field, ...]] = tuple(Field(name, per_reference=True) for name in COUNTS)
    """The counts."""

    mode: str = option(
        "cs",
        help="what is compared: correction by span (cs), by span and type (cse), detection by span (ds), by token (dt)",
        choices=MODES,
    )
    beta: str = beta_option()
    single: bool = option(False, help="only edits of one word on both sides", implicit=True)
    multi: bool = option(False, help="only edits of several words on one side", implicit=True)
    filter: str = option("", help="types that are left out", implicit=True, **_LIST)
    types: str = option(
        "",
        help="score only these types: whole types (R:NOUN), categories (NOUN, R) or patterns (R:VERB*); annotators are "
        "chosen by all edits",
        implicit=True,
        **_LIST,
    )
    style: str = option(
        "errant",
        help="how files are read: as errant_compare does, or as ChERRANT does (Chinese): blanks in corrections mean "
        "nothing, and sentences that the only annotator did not judge (NA) do not count",
        choices=STYLES,
        implicit=True,
    )
    choice: str = choice_option()
    level: str = level_option()
    annotator: str = annotator_option()
    gold: str = gold_option()

    @property
    def needs(self) -> ErrantNeeds:
        """Hits and misses with each annotator."""
        left_out = tuple(self.filter.split("+")) if self.filter else ()
        comparison = Comparison(self.mode, self.single, self.multi, left_out, self.style)
        types = tuple(self.types.split("+")) if self.types else ()
        return ErrantNeeds(comparison, types, annotator=self.annotation)

    def breakdown(self, categories: tuple[str, ...]) -> TypeNeeds | None:
        """Return the counts of each type of edit; None where sentences are scored, whose mean has no parts."""
        return TypeNeeds(self.needs, categories) if self.level == "corpus" else None

    def category(self, name: str, tier: int) -> str:
        """Return the category of a type as errant_compare has it with -cat 1, 2 or 3."""
        return category(name, tier)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts, of the types that are asked for."""
        prefix = "type_" if self.types else ""
        return {name: columns[prefix + name] for name in COUNTS}

    def verdicts(
        self, sources: Sequence[str], outputs: Sequence[Sequence[str]], annotations: Sequence[Sequence[str]]
    ) -> list[list[list[list[Verdict] | None]]]:
        """Return the edits of each sentence that are counted, and whether they are hits (right) or misses."""
        judge = partial(verdicts, self.needs.comparison, self.needs.types)
        return [
            [
                [judge(source, edits, own) for own in gold]
                for source, edits, *gold in zip(sources, output, *annotations, strict=True)
            ]
            for output in outputs
        ]

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts with each annotator."""
        return [Counted(name, values, per_reference=True) for name, values in self.make_terms(columns).items()]

    def count_warnings(self, counts: Mapping[str, Iterable[Columns]]) -> list[CountWarning]:
        """Return that no edit of the annotators is of the types that are scored, which may make scores 1."""
        if not self.types:
            return []
        annotated = proposed = 0
        for blocks in counts.values():
            for columns in blocks:
                annotated += int((columns["type_tp"] + columns["type_fn"]).sum())
                proposed += int(columns["type_fp"].sum())
        if annotated:
            return []
        where = "of the annotators is" if proposed else "at all is"
        return [CountWarning(f"errant: no edit {where} of the types {self.types}; are they written as in the files?")]

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return the score, precision, recall, and the counts."""
        score, precision, recall = self._scores(totals)
        counts = {name: totals[name].astype(np.float64) for name in COUNTS}
        return {self.name: score, "precision": precision, "recall": recall} | counts

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return what chooses annotators with the totals of the sentences before; None where each is chosen alone."""
        return SequentialAnnotatorChoice(self._keys, COUNTS) if self.choice == "official" else None

    def choose(self, columns: Columns) -> Ints:
        """Return the annotator of each sentence, chosen for the sentence alone: int64 [lines]."""
        return SequentialAnnotatorChoice(self._keys, COUNTS, running=False)(columns)

    def _keys(self, totals: Ints, counts: Ints) -> list[Floats]:
        """Return what is greatest for the annotator that is taken, as errant_compare compares it (preference())."""
        tp, fp, fn = counts.astype(np.float64)
        score = self._scores(dict(zip(COUNTS, totals + counts, strict=True)))[0]
        return [rounded(score, 4), tp, -fp, -fn]

    def _scores(self, counts: Columns) -> tuple[Floats, ...]:
        """Return F-beta, precision and recall."""
        tp, fp, fn = (counts[name] for name in COUNTS)
        return f_of_counts(tp, tp + fp, tp + fn, float(self.beta))
