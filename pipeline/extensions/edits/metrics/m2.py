"""MaxMatch or M² (Dahlmeier and Ng 2012): F-beta of the edits of an output, chosen to match the
annotators' edits.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from pipeline import kernel
from pipeline.arrays import Floats, Ints
from pipeline.data.inputs import GOLD
from pipeline.kernel.common import Lines
from pipeline.kernel.gold_edits import GoldRecords, MaxMatches, alternatives, gold_records
from pipeline.metrics.base.capabilities import (
    MISSED,
    RIGHT,
    WRONG,
    ChoosesReferences,
    CountWarning,
    Explains,
    JudgesEdits,
    Texts,
    Verdict,
    Verdicts,
    Warns,
)
from pipeline.metrics.base.choices import SequentialAnnotatorChoice, f_of_counts, ratio
from pipeline.metrics.base.metric import Counted, Metric
from pipeline.metrics.base.options import beta_option, level_option, option
from pipeline.metrics.base.statistics_spec import (
    Columns,
    Field,
    StatisticsSpec,
    Text,
    as_text,
    last_present,
)
from pipeline.tokenizers.tokenization import Tokenization

from ..correction_references import python2_order
from ..options import choice_option
from ..records import (
    NOTHING,
    GoldEdit,
    Judged,
    ProposedEdit,
    annotation_of,
    is_match,
    unchanged_words,
)

ABSENT = -1


class Gold(NamedTuple):
    """The edits of all annotators of some sentences."""

    records: GoldRecords
    """The edits that count, as arrays."""
    order: Ints
    """The place of each annotator among those of the sentence: int64 [lines, annotators]."""
    counts: Ints
    """How many edits each annotator has, -1 where the annotator does not take part: int64 [lines,
    annotators]."""


def read_gold(source: Lines, annotators: Sequence[Lines], *, every: bool) -> Gold:
    """Return the edits of a shard. `every` says that annotators without a line for a sentence take
    part, without edits.

    Edits that reach beyond the sentence are left out. Of those that remain, all count, in the order
    of the file."""
    compiled = kernel.native_function("gold_records", "m2_edits")
    records = (compiled and compiled(source, annotators)) or gold_records(source, annotators)
    shape = records.heads.shape[:2]
    counts = np.diff(records.edits.firsts).reshape(shape)
    if every:
        return Gold(records, np.broadcast_to(np.arange(shape[1]), shape).copy(), counts)
    rows = map(tuple, records.heads.reshape(shape[0], -1).tolist())
    order = np.array(list(map(_dictionary_places, rows)), np.int64).reshape(shape)
    return Gold(records, order, np.where(records.heads[..., 0] < 0, ABSENT, counts))


@lru_cache(1024)
def _dictionary_places(heads: tuple[int, ...]) -> list[int]:
    """Return the place of each annotator in m2scorer's dictionary; most sentences of a file have
    the same annotators.

    Of each annotator there are the place in the file and the number, both -1 for one who is absent,
    who comes last."""
    numbers = heads[1::2]
    present = [
        number for place, number in sorted(zip(heads[::2], numbers, strict=True)) if place >= 0
    ]
    order = python2_order(present, abs)
    return [order.index(number) if number in order else len(order) for number in numbers]


def listed_edits(
    source: Lines, annotators: Sequence[Lines], *, every: bool
) -> list[list[list[GoldEdit] | None]]:
    """Return the same edits for people, for each sentence and annotator; None where one does not
    take part.
    """
    listed = []
    for text, *records in zip(
        source.texts(), *(lines.texts() for lines in annotators), strict=True
    ):
        tokens, absent = len(text.decode().split()), list[GoldEdit]() if every else None
        own = [annotation_of(record) for record in records]
        kept = [
            [
                GoldEdit(start, end, alternatives(correction), correction, type_)
                for start, end, type_, correction, _ in item.edits
                if 0 <= start <= tokens and 0 <= end <= tokens and type_ != "noop"
            ]
            if item
            else absent
            for item in own
        ]
        listed.append(kept)
    return listed


COUNTS = ("correct", "proposed", "gold")


@dataclass(frozen=True)
class MaxMatchSpec(StatisticsSpec):
    """Counts of edits, for the settings that can change them."""

    max_unchanged_words: int = 2
    """How many unchanged words an edit may hold."""
    ignore_whitespace_casing: bool = False
    """Whether proposed edits that change only white space and upper case are left out."""
    code: str = "master"
    """Which version of the scorer is followed: master or 3.2."""
    annotators: str = "listed"
    """listed, or all: annotators without a line for a sentence take part, without edits."""
    source = True
    input = GOLD
    tokenization = Tokenization()

    @property
    def key(self) -> str:
        """A name, safe in file names. It is different for any two needs whose columns can differ."""
        casing = ["casing"] * self.ignore_whitespace_casing
        return "-".join(["m2", self.code, f"u{self.max_unchanged_words}", *casing, self.annotators])

    @property
    def columns(self) -> tuple[Field, ...]:
        """The order of annotators, their edits (ref_len), right and proposed edits, and whether it
        is exact.
        """
        names = ("order", "ref_len", "correct", "proposed")
        return (*(Field(name, per_reference=True) for name in names), Field("reduced"))

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard, with the edits of annotators read once for all systems."""
        gold, matches = self.matches(text)
        shared = {"order": gold.order, "ref_len": gold.counts}
        return [
            {**shared, "correct": correct, "proposed": proposed, "reduced": reduced}
            for correct, proposed, reduced in zip(
                matches.correct, matches.proposed, matches.reduced, strict=True
            )
        ]

    def matches(self, text: Text, *, edits: bool = False) -> tuple[Gold, MaxMatches]:
        """Return the edits of the annotators of a shard, and what matches them: with `edits`, each
        proposed edit.
        """
        assert text.source is not None  # noqa: S101 (source is True)
        gold = read_gold(text.source, text.references, every=self.annotators == "all")
        texts = [text.source, *text.systems, gold.records.edits.corrections]
        source, *systems, encoded = self.tokenization.encode(texts)
        folded = None
        if (
            self.ignore_whitespace_casing
        ):  # each token in lower case, by its id: each letter alone, as Python 2 does it
            tokens: dict[int, str] = {}
            for lines, ids in zip(texts, [source, *systems, encoded], strict=True):
                words = (word for line in lines.texts() for word in line.decode().split())
                tokens |= dict(zip(ids.ids.tolist(), words, strict=True))
            each = (
                "".join(letter.lower()[:1] for letter in tokens[number])
                for number in range(len(tokens))
            )
            folded = [token.encode() for token in each]
        return gold, kernel.max_match(
            source,
            systems,
            gold.records.edits._replace(corrections=encoded),
            len(text.references),
            max_unchanged=self.max_unchanged_words,
            first_row=self.code == "3.2",
            folded=folded,
            edits=edits,
        )


def proposed_edits(spec: MaxMatchSpec, text: Text) -> list[list[list[Judged]]]:
    """Return for each system and each line the annotators who take part, as m2scorer orders them."""
    gold, matches = spec.matches(text, edits=True)
    listed = matches.edits
    assert listed is not None and text.source is not None  # noqa: S101, PT018 (asked for; source is True)
    golds = listed_edits(text.source, text.references, every=spec.annotators == "all")
    sources = [line.decode().split() for line in text.source.texts()]
    result = []
    for number, system in enumerate(text.systems):
        of_system = []
        for line, words in enumerate(text_line.decode().split() for text_line in system.texts()):
            first = (number * len(sources) + line) * len(text.references)
            row = []
            for place in np.argsort(gold.order[line], kind="stable").tolist():
                own, name = golds[line][place], int(gold.records.heads[line, place, 1])
                if own is not None:
                    low, high = listed.offsets[first + place :][:2].tolist()
                    spans, compared = (
                        listed.spans[low:high].tolist(),
                        listed.compared[low:high].tolist(),
                    )
                    edits = _matched(sources[line], words, spans, compared, own)
                    row.append(
                        Judged(place if name == ABSENT else name, place, sources[line], own, edits)
                    )
            of_system.append(row)
        result.append(of_system)
    return result


def _matched(
    source: list[str],
    output: list[str],
    spans: list[list[int]],
    compared: list[list[int]],
    golds: list[GoldEdit],
) -> list[ProposedEdit]:
    """Return proposed edits with the gold edits that each matches: of those behind the last match,
    in file order.
    """
    edits, first = [], 0
    for (low, high, output_low, output_high), (start, end) in zip(spans, compared, strict=True):
        original, correction = " ".join(source[low:high]), " ".join(output[output_low:output_high])
        edit = ProposedEdit(start, end, original, correction, [])
        edit.matched.extend(
            place for place in range(first, len(golds)) if is_match(edit, golds[place], source)
        )
        first = edit.matched[-1] + 1 if edit.matched else first
        edits.append(edit)
    return edits


def verdicts(row: Sequence[Judged], annotators: int) -> list[list[Verdict] | None]:
    """Return what each annotator of the data set says of the edits of a line, None for those who
    take no part.

    A proposed edit is right once for each edit of the annotator that it matches. A right or a
    missed edit has the type that the annotator gave it; a wrong one has none."""
    by_place: list[list[Verdict] | None] = [None] * annotators
    for judged in row:
        own = []
        for edit in judged.edits:
            said = [(judged.gold[place].type, RIGHT) for place in edit.matched] or [("", WRONG)]
            own += [
                Verdict(edit.start, edit.end, edit.original, edit.correction, *each)
                for each in said
            ]
        for gold in judged.missed:
            corrections = (
                " | ".join(text or NOTHING for text in gold.alternatives)
                if any(gold.alternatives)
                else ""
            )
            own.append(
                Verdict(gold.start, gold.end, judged.original(gold), corrections, gold.type, MISSED)
            )
        by_place[judged.place] = sorted(
            own, key=lambda item: (item.start, item.end, item.verdict == MISSED)
        )
    return by_place


@dataclass(frozen=True)
class MaxMatch(ChoosesReferences, JudgesEdits, Explains, Warns, Metric):
    """F-beta of the edits from source to output, among all ways to see them the one that fits an
    annotator best.

    Precision is correct / proposed edits, or 1 where none is proposed. Recall is correct /
    annotated edits, or 1 where there is none. For each sentence the annotator counts with whom F of
    all sentences so far is highest. Of equals, the one with more correct edits counts, then with
    fewer edits. The source is m2scorer, github.com/nusnlp/m2scorer."""

    name: ClassVar[str] = "m2"
    summary: ClassVar[str] = (
        "MaxMatch F0.5 (Dahlmeier and Ng 2012), as m2scorer; outputs are texts, gold is an M2 file"
    )
    name_in_text: ClassVar[str] = "M²"
    score_in_text: ClassVar[str] = "F{beta}"
    help_page: ClassVar[str] = "maxmatch"
    hint: ClassVar[str] = "the M2 file under `gold` has it"
    spellings: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "M²": {},
        "M^2": {},
        "MaxMatch": {},
        "m2scorer": {},
        "SentM2": {"level": "mean"},
        "m2scorer_fork": {"choice": "sentence"},
    }
    counts: ClassVar[frozenset[str]] = frozenset(COUNTS)
    citations: ClassVar[tuple[str, ...]] = ("dahlmeier-ng-2012-better",)
    terms: ClassVar[tuple[Field, ...]] = tuple(Field(name, per_reference=True) for name in COUNTS)
    """Right, proposed and annotated edits."""

    beta: str = beta_option()
    max_unchanged_words: int = option(
        2, key="mu", help="unchanged words that an edit may hold", maximum=100
    )
    ignore_whitespace_casing: bool = option(
        False,
        key="iwc",
        help="leave out proposed edits that change only white space and upper case",
        implicit=True,
    )
    code: str = option(
        "master",
        help="the version of m2scorer: master (2016), or 3.2 (2014), which misplaces insertions before the first word",
        choices=("master", "3.2"),
        implicit=True,
    )
    annotators: str = option(
        "listed",
        help="who takes part in a sentence: the annotators who have a line for it, or all (those without one see "
        "nothing to correct)",
        choices=("listed", "all"),
        implicit=True,
    )
    choice: str = choice_option(last=True)
    level: str = level_option()

    @property
    def spec(self) -> MaxMatchSpec:
        """Counts of edits with each annotator."""
        return MaxMatchSpec(
            self.max_unchanged_words, self.ignore_whitespace_casing, self.code, self.annotators
        )

    @property
    def by_reference(self) -> bool:
        """Whether the scores with all annotators are compared, and not only that of the last one is
        taken.
        """
        return self.choice != "last"

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts."""
        return {
            "correct": columns["correct"],
            "proposed": columns["proposed"],
            "gold": columns["ref_len"],
        }

    def shown_counts(self, columns: Columns) -> list[Counted]:
        """Return the counts with each annotator, or with the last."""
        each, own = self.by_reference, self._compared(columns)
        return [
            Counted(name, values if each else values[:, 0], per_reference=each)
            for name, values in own.items()
        ]

    def _compared(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts with each annotator, or the last: int64 [lines, annotators or 1]."""
        terms = self.make_terms(columns)
        if self.by_reference:
            return terms
        rows, last = np.arange(len(columns["ref_len"])), last_present(columns)
        return {name: values[rows, last, None] for name, values in terms.items()}

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return m2, precision, recall, and the counts."""
        score, precision, recall = self._scores(totals)
        counts = {name: totals[name].astype(np.float64) for name in COUNTS}
        return {"m2": score, "precision": precision, "recall": recall} | counts

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the score of each sentence with each annotator, or the last: float64 [lines,
        annotators or 1].
        """
        return self._scores(self._compared(columns))[0]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs of each sentence with each annotator, or the last: float64 [lines,
        annotators or 1].
        """
        return self.score(self._compared(columns))

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return what chooses annotators with the totals of the sentences before; None where each
        is chosen alone.
        """
        return self._by_key(running=True) if self.choice == "official" else None

    def choose(self, columns: Columns) -> Ints:
        """Return the annotator of each sentence, chosen for the sentence alone: int64 [lines]."""
        if self.choice == "last":
            return last_present(columns)
        return self._by_key(running=False)(columns)

    def _by_key(self, *, running: bool) -> SequentialAnnotatorChoice:
        return SequentialAnnotatorChoice(
            self._keys,
            COUNTS,
            counts_of=lambda columns: {**columns, "gold": columns["ref_len"]},
            running=running,
        )

    def key(self, totals: tuple[int, ...], counts: tuple[int, ...]) -> tuple[float, ...]:
        """Return what is greatest for the annotator that is taken, as m2scorer compares it."""
        return tuple(float(part) for part in self._keys(np.array(totals), np.array(counts)))

    def _keys(self, totals: Ints, counts: Ints) -> list[Floats]:
        """Return the same for arrays of totals and counts."""
        correct, proposed, gold = (totals + counts).astype(np.float64)
        beta = float(self.beta)
        denominator = beta**2 * gold + proposed
        score = np.where(
            denominator != 0, ratio((1.0 + beta**2) * correct, denominator), correct == 0
        )
        return [score, correct, -(proposed + beta**2 * gold)]

    def _scores(self, counts: Columns) -> tuple[Floats, ...]:
        return f_of_counts(counts["correct"], counts["proposed"], counts["gold"], float(self.beta))

    def judged(self, text: Text) -> list[list[Judged]]:
        """Return for each line the proposed edits of one output beside the edits of each annotator
        who takes part.

        Annotators come in the order in which m2scorer has them. `text` has one system.
        """
        return proposed_edits(self.spec, text)[0]

    def verdicts(
        self, sources: Texts, outputs: Sequence[Texts], annotations: Sequence[Texts]
    ) -> Verdicts:
        """Return the proposed edits of each sentence as right or wrong, and the annotators' edits
        that are missed.
        """
        each = proposed_edits(self.spec, as_text(sources, outputs, annotations))
        return [[verdicts(row, len(annotations)) for row in lines] for lines in each]

    def explained(self, text: Text) -> list[tuple[str, str]]:
        """Return the right and the wrong edits of an output with each annotator, and the missing
        ones.
        """
        (annotators,) = self.judged(text)
        lines = [line for judged in annotators for line in self._with_annotator(judged)]
        if any(unchanged_words(edit) for judged in annotators for edit in judged.edits):
            why = "so neighbouring changes make one edit, unless an edit of the annotator fits a part of it"
            lines.append(
                (
                    "",
                    f"unchanged: an edit may hold up to {self.max_unchanged_words} words as they were; {why}",
                )
            )
        return lines

    def _with_annotator(self, judged: Judged) -> Iterator[tuple[str, str]]:
        correct, proposed, gold = judged.counts
        counts = {name: np.array(count) for name, count in zip(COUNTS, judged.counts, strict=True)}
        told = f"{correct} right of {proposed} proposed edits, {gold} of the annotator"
        file = f" ({judged.annotator} in the file)" if judged.annotator != judged.place else ""
        yield (
            "",
            f"annotator {judged.place}{file}: {self.output} {100 * float(self._scores(counts)[0]):.2f} ({told})",
        )
        for edit in judged.edits:
            unchanged = ", ".join(unchanged_words(edit))
            yield (
                "match" if edit.matched else "wrong",
                f"{edit}{f' (unchanged: {unchanged})' if unchanged else ''}",
            )
        for missed in judged.missed:
            yield "missing", judged.written(missed)

    def count_warnings(self, counts: Mapping[str, Iterable[Columns]]) -> list[CountWarning]:
        """Return the lines that are too long for the official method."""
        notes = []
        for system, blocks in counts.items():
            first = 1
            for columns in blocks:
                lines = (np.flatnonzero(columns["reduced"]) + first).tolist()
                message = "m2: too long for the official method; a method in linear time counts it, nearly always alike"
                notes += [CountWarning(message, system=system, line=line) for line in lines]
                first += len(columns["reduced"])
        return notes
