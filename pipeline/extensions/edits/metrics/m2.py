"""MaxMatch or M² (Dahlmeier and Ng 2012): F-beta of edits of an output, chosen to match gold."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pipeline.arrays import Floats, Ints
from pipeline.extensions.edits.annotators import (
    SequentialAnnotatorChoice,
    as_text,
    last_present,
)
from pipeline.kernel.common import Encoded, Lines
from pipeline.metrics.base import (
    Columns,
    Counted,
    CountWarning,
    Field,
    Metric,
    StatisticsSpec,
    Text,
    Verdict,
    Verdicts,
    f_of_counts,
    ratio,
)
from pipeline.metrics.options import beta_option, level_option, option
from pipeline.tokenizers import Tokenization

from .. import kernel
from ..gold_records import ABSENT, Gold, listed_edits, read_gold
from ..kernel.gold_edits import MaxMatches
from ..options import choice_option
from ..records import (
    NOTHING,
    EditCounts,
    GoldEdit,
    Judged,
    ProposedEdit,
    is_match,
    unchanged_words,
)
from ..view_names import GOLD

COUNTS = EditCounts._fields


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
        """A name, safe in file names, that is different if columns can differ."""
        casing = "-casing" if self.ignore_whitespace_casing else ""
        return f"m2-{self.code}-u{self.max_unchanged_words}{casing}-{self.annotators}"

    @property
    def columns(self) -> tuple[Field, ...]:
        """The order of annotators, numbers of edits, and whether counts are approximate."""
        names = ("order", "ref_len", "correct", "proposed")
        return (
            *(Field(name, per_reference=True) for name in names),
            Field("reduced"),
        )

    def count(self, text: Text) -> list[dict[str, Ints]]:
        """Count a shard, with the edits of annotators read once for all systems."""
        gold, matches = self.matches(text)
        counts = []
        for system in range(len(text.systems)):
            columns = {
                "order": gold.order,
                "ref_len": gold.counts,
                "correct": matches.correct[system],
                "proposed": matches.proposed[system],
                "reduced": matches.reduced[system],
            }
            counts.append(columns)
        return counts

    def matches(
        self, text: Text, *, edits: bool = False
    ) -> tuple[Gold, MaxMatches]:
        """Return the edits of the annotators of a shard, and their matches.

        With `edits`, the matches have each proposed edit.
        """
        assert text.source is not None  # noqa: S101 (source is True)
        gold = read_gold(
            text.source, text.references, every=self.annotators == "all"
        )
        texts = [text.source, *text.systems, gold.records.edits.corrections]
        encoded = self.tokenization.encode(texts)
        source, *systems, corrections = encoded
        folded = None
        if self.ignore_whitespace_casing:
            folded = _folded(texts, encoded)
        return gold, kernel.max_match(
            source,
            systems,
            gold.records.edits._replace(corrections=corrections),
            len(text.references),
            max_unchanged=self.max_unchanged_words,
            first_row=self.code == "3.2",
            folded=folded,
            edits=edits,
        )


def _folded(texts: Sequence[Lines], encoded: Sequence[Encoded]) -> list[bytes]:
    """Return each token in lower case, by its id: each letter alone, as Python 2 does it."""
    tokens: dict[int, str] = {}
    for lines, ids in zip(texts, encoded, strict=True):
        words: list[str] = []
        for line in lines.texts():
            words += line.decode().split()
        tokens.update(zip(ids.ids.tolist(), words, strict=True))
    folded = []
    for number in range(len(tokens)):
        letters = [letter.lower()[:1] for letter in tokens[number]]
        folded.append("".join(letters).encode())
    return folded


def proposed_edits(spec: MaxMatchSpec, text: Text) -> list[list[list[Judged]]]:
    """Return for each system and line the annotators who take part, as m2scorer orders them."""
    gold, matches = spec.matches(text, edits=True)
    proposed = matches.edits
    assert proposed is not None  # noqa: S101 (it is requested)
    assert text.source is not None  # noqa: S101 (source is True)
    gold_edits = listed_edits(
        text.source, text.references, every=spec.annotators == "all"
    )
    sources = [line.decode().split() for line in text.source.texts()]
    annotators = len(text.references)
    result = []
    row = 0  # of `proposed`: systems, lines and annotators one after the other
    for system in text.systems:
        of_system = []
        for line, output in enumerate(system.texts()):
            words = output.decode().split()
            judged = []
            for index in np.argsort(gold.order[line], kind="stable").tolist():
                edits_of_annotator = gold_edits[line][index]
                if edits_of_annotator is None:
                    continue
                low, high = proposed.offsets[
                    row + index : row + index + 2
                ].tolist()
                edits = _matched(
                    sources[line],
                    words,
                    proposed.spans[low:high].tolist(),
                    proposed.compared[low:high].tolist(),
                    edits_of_annotator,
                )
                number = int(gold.records.heads[line, index, 1])
                if number == ABSENT:
                    number = index
                judged.append(
                    Judged(
                        number, index, sources[line], edits_of_annotator, edits
                    )
                )
            of_system.append(judged)
            row += annotators
        result.append(of_system)
    return result


def _matched(
    source: list[str],
    output: list[str],
    spans: list[list[int]],
    compared: list[list[int]],
    gold_edits: list[GoldEdit],
) -> list[ProposedEdit]:
    """Return proposed edits with the gold edits that each matches.

    These are among the gold edits after the last match, in the order of the file.
    """
    edits = []
    first = 0
    for (low, high, output_low, output_high), (start, end) in zip(
        spans, compared, strict=True
    ):
        original = " ".join(source[low:high])
        correction = " ".join(output[output_low:output_high])
        edit = ProposedEdit(start, end, original, correction, [])
        for index in range(first, len(gold_edits)):
            if is_match(edit, gold_edits[index], source):
                edit.matched.append(index)
        if edit.matched:
            first = edit.matched[-1] + 1
        edits.append(edit)
    return edits


def verdicts(
    row: Sequence[Judged], annotators: int
) -> list[list[Verdict] | None]:
    """Return the verdicts of each annotator on the edits of a line, None for absent annotators.

    A proposed edit is right once for each edit of the annotator that it matches. A right or a
    missed edit has the type that the annotator gave it; a wrong one has none.
    """
    by_annotator: list[list[Verdict] | None] = [None] * annotators
    for judged in row:
        annotator_verdicts = []
        for edit in judged.edits:
            text = (edit.start, edit.end, edit.original, edit.correction)
            if not edit.matched:
                annotator_verdicts.append(Verdict(*text, "", Verdict.WRONG))
            for index in edit.matched:
                annotator_verdicts.append(
                    Verdict(*text, judged.gold[index].type, Verdict.RIGHT)
                )
        for gold in judged.missed:
            corrections = ""
            if any(gold.alternatives):
                corrections = " | ".join(
                    text or NOTHING for text in gold.alternatives
                )
            original = judged.original(gold)
            annotator_verdicts.append(
                Verdict(
                    gold.start,
                    gold.end,
                    original,
                    corrections,
                    gold.type,
                    Verdict.MISSED,
                )
            )
        annotator_verdicts.sort(
            key=lambda item: (
                item.start,
                item.end,
                item.verdict == Verdict.MISSED,
            )
        )
        by_annotator[judged.reference] = annotator_verdicts
    return by_annotator


@dataclass(frozen=True)
class MaxMatch(Metric):
    """F-beta of the edits from source to output, divided in the way that fits an annotator best.

    Precision is correct / proposed edits, or 1 where none is proposed. Recall is correct /
    annotated edits, or 1 where there is none. For each sentence the annotator counts with whom F of
    all sentences so far is highest. Of equals, the one with more correct edits counts, then with
    fewer edits. The source is m2scorer, github.com/nusnlp/m2scorer.
    """

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
    terms: ClassVar[tuple[Field, ...]] = tuple(
        Field(name, per_reference=True) for name in COUNTS
    )
    """Right, proposed and annotated edits."""
    explains: ClassVar[bool] = True
    has_verdicts: ClassVar[bool] = True

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
        help="the version of m2scorer: master (2016), or 3.2 (2014), which misplaces insertions "
        "before the first word",
        choices=("master", "3.2"),
        implicit=True,
    )
    annotators: str = option(
        "listed",
        help="who takes part in a sentence: the annotators who have a line for it, or all (those "
        "without one see nothing to correct)",
        choices=("listed", "all"),
        implicit=True,
    )
    choice: str = choice_option(last=True)
    level: str = level_option()

    @property
    def spec(self) -> MaxMatchSpec:
        """Counts of edits with each annotator."""
        return MaxMatchSpec(
            self.max_unchanged_words,
            self.ignore_whitespace_casing,
            self.code,
            self.annotators,
        )

    @property
    def by_reference(self) -> bool:
        """Whether the scores with all annotators are compared, or only the last is taken."""
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
        counted = []
        for name, values in self._compared(columns).items():
            if self.by_reference:
                counted.append(Counted(name, values, per_reference=True))
            else:
                counted.append(Counted(name, values[:, 0], per_reference=False))
        return counted

    def _compared(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts with each annotator, or the last: int64 [lines, annotators or 1]."""
        terms = self.make_terms(columns)
        if self.by_reference:
            return terms
        rows = np.arange(len(columns["ref_len"]))
        last = last_present(columns)
        return {
            name: values[rows, last, None] for name, values in terms.items()
        }

    def score(self, totals: Columns) -> dict[str, Floats]:
        """Return m2, precision, recall, and the counts."""
        score, precision, recall = self._scores(totals)
        counts = {name: totals[name].astype(np.float64) for name in COUNTS}
        return {"m2": score, "precision": precision, "recall": recall} | counts

    def sentence_scores(self, columns: Columns) -> Floats:
        """Return the scores with each annotator, or the last: float64 [lines, annotators or 1]."""
        return self._scores(self._compared(columns))[0]

    def sentence_outputs(self, columns: Columns) -> dict[str, Floats]:
        """Return the outputs with each annotator, or the last: float64 [lines, annotators or 1]."""
        return self.score(self._compared(columns))

    def sequential_choice(self) -> SequentialAnnotatorChoice | None:
        """Return the choice of annotators by running totals; None if each is chosen alone."""
        return self._by_key(running=True) if self.choice == "official" else None

    def choose(self, columns: Columns) -> Ints:
        """Return the annotator of each sentence, chosen for the sentence alone: int64 [lines]."""
        if self.choice == "last":
            return last_present(columns)
        return self._by_key(running=False)(columns)

    def _by_key(self, *, running: bool) -> SequentialAnnotatorChoice:
        def counts_of(columns: Columns) -> Columns:
            return {**columns, "gold": columns["ref_len"]}

        return SequentialAnnotatorChoice(
            self._keys, COUNTS, counts_of=counts_of, running=running
        )

    def key(
        self,
        totals: tuple[int, ...],
        counts: tuple[int, ...],
    ) -> tuple[float, ...]:
        """Return what is greatest for the annotator that is taken, as m2scorer compares it."""
        return tuple(
            float(part)
            for part in self._keys(np.array(totals), np.array(counts))
        )

    def _keys(self, totals: Ints, counts: Ints) -> list[Floats]:
        """Return the same for arrays of totals and counts."""
        correct, proposed, gold = (totals + counts).astype(np.float64)
        beta = float(self.beta)
        denominator = beta**2 * gold + proposed
        score = np.where(
            denominator != 0,
            ratio((1.0 + beta**2) * correct, denominator),
            correct == 0,
        )
        return [score, correct, -(proposed + beta**2 * gold)]

    def _scores(self, counts: Columns) -> tuple[Floats, ...]:
        return f_of_counts(
            counts["correct"],
            counts["proposed"],
            counts["gold"],
            float(self.beta),
        )

    def judged(self, text: Text) -> list[list[Judged]]:
        """Return for each line the proposed edits of one output beside those of each annotator.

        Annotators who take part come in the order of m2scorer. `text` has one system.
        """
        return proposed_edits(self.spec, text)[0]

    def verdicts(
        self,
        sources: Sequence[str],
        outputs: Sequence[Sequence[str]],
        annotations: Sequence[Sequence[str]],
    ) -> Verdicts:
        """Return the right, the wrong and the missed edits of each sentence."""
        result = []
        for lines in proposed_edits(
            self.spec, as_text(sources, outputs, annotations)
        ):
            result.append([verdicts(row, len(annotations)) for row in lines])
        return result

    def explained(self, text: Text) -> list[tuple[str, str]]:
        """Return the right, the wrong and the missing edits of an output with each annotator."""
        (annotators,) = self.judged(text)
        lines: list[tuple[str, str]] = []
        has_unchanged = False
        for judged in annotators:
            lines += self._with_annotator(judged)
            has_unchanged |= any(unchanged_words(edit) for edit in judged.edits)
        if has_unchanged:
            note = (
                f"unchanged: an edit may hold up to {self.max_unchanged_words} words as they were; "
                "so neighbouring changes make one edit, unless an edit of the annotator fits "
                "a part of it"
            )
            lines.append(("", note))
        return lines

    def _with_annotator(self, judged: Judged) -> Iterator[tuple[str, str]]:
        counts = {
            name: np.array(count)
            for name, count in judged.counts._asdict().items()
        }
        score = 100 * float(self._scores(counts)[0])
        file = (
            f" ({judged.annotator} in the file)"
            if judged.annotator != judged.reference
            else ""
        )
        correct, proposed, gold = judged.counts
        summary = f"{correct} right of {proposed} proposed edits, {gold} of the annotator"
        yield (
            "",
            f"annotator {judged.reference}{file}: {self.output} {score:.2f} ({summary})",
        )
        for edit in judged.edits:
            unchanged = ", ".join(unchanged_words(edit))
            text = (
                f"{edit} (unchanged: {unchanged})" if unchanged else str(edit)
            )
            yield "match" if edit.matched else "wrong", text
        for missed in judged.missed:
            yield "missing", judged.written(missed)

    def count_warnings(
        self,
        counts: Mapping[str, Iterable[Columns]],
    ) -> list[CountWarning]:
        """Return the lines that are too long for the official method."""
        message = (
            "m2: too long for the official method; a method in linear time counts it, "
            "nearly always alike"
        )
        notes = []
        for system, blocks in counts.items():
            first = 1
            for columns in blocks:
                for line in np.flatnonzero(columns["reduced"]).tolist():
                    notes.append(
                        CountWarning(message, system=system, line=line + first)
                    )
                first += len(columns["reduced"])
        return notes
