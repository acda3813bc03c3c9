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
        """Return the columns of each system: int64 [lines, annotators] each, and reduced [lines].

        The references of `text` are the records of annotators. `ref_len` is how many edits an
        annotator has, and `reduced` whether the linear method was used.
        """
        gold, matches = self.matches(text)
        columns_of_systems = []
        for system in range(len(text.systems)):
            columns = {
                "order": gold.order,
                "ref_len": gold.counts,
                "correct": matches.correct[system],
                "proposed": matches.proposed[system],
                "reduced": matches.reduced[system],
            }
            columns_of_systems.append(columns)
        return columns_of_systems

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
    """Return each token in lower case, by its id: each letter alone, as Python 2 does it.

    `encoded` has the ids of the tokens of `texts`.
    """
    token_of: dict[int, str] = {}
    for lines, encoded_lines in zip(texts, encoded, strict=True):
        tokens: list[str] = []
        for line in lines.texts():
            tokens += line.decode().split()
        token_of.update(zip(encoded_lines.ids.tolist(), tokens, strict=True))
    folded = []
    for token_id in range(len(token_of)):
        letters = [letter.lower()[:1] for letter in token_of[token_id]]
        folded.append("".join(letters).encode())
    return folded


def proposed_edits(spec: MaxMatchSpec, text: Text) -> list[list[list[Judged]]]:
    """Return the edits of outputs beside those of annotators, for each system and line.

    A line has a Judged for each annotator who takes part, as m2scorer orders them.
    """
    gold, matches = spec.matches(text, edits=True)
    proposed = matches.edits
    assert proposed is not None  # noqa: S101 (it is requested)
    assert text.source is not None  # noqa: S101 (source is True)
    gold_edits = listed_edits(
        text.source, text.references, every=spec.annotators == "all"
    )
    sources = [line.decode().split() for line in text.source.texts()]
    annotators = len(text.references)
    judged_systems = []
    row = 0  # of proposed.offsets: systems, lines and annotators one after the other
    for system in text.systems:
        judged_lines = []
        for line, output in enumerate(system.texts()):
            output_tokens = output.decode().split()
            judged_annotators = []
            for index in np.argsort(gold.order[line], kind="stable").tolist():
                edits_of_annotator = gold_edits[line][index]
                if edits_of_annotator is None:
                    continue
                low = int(proposed.offsets[row + index])
                high = int(proposed.offsets[row + index + 1])
                edits = _matched(
                    sources[line],
                    output_tokens,
                    proposed.spans[low:high].tolist(),
                    proposed.compared[low:high].tolist(),
                    edits_of_annotator,
                )
                annotator = int(gold.records.heads[line, index, 1])
                if annotator == ABSENT:
                    annotator = index
                judged = Judged(
                    annotator=annotator,
                    reference=index,
                    tokens=sources[line],
                    gold=edits_of_annotator,
                    edits=edits,
                )
                judged_annotators.append(judged)
            judged_lines.append(judged_annotators)
            row += annotators
        judged_systems.append(judged_lines)
    return judged_systems


def _matched(
    source: list[str],
    output: list[str],
    spans: list[list[int]],
    compared: list[list[int]],
    gold_edits: list[GoldEdit],
) -> list[ProposedEdit]:
    """Return the proposed edits of a line with the gold edits that each matches.

    `source` and `output` are the line's tokens, and `gold_edits` those of an annotator. `spans` and
    `compared` have a row for each proposed edit, as ProposedEdits has them. An edit matches gold
    edits after the last match of the edits before, in the order of the file.
    """
    edits = []
    first = 0
    for span, (start, end) in zip(spans, compared, strict=True):
        source_start, source_end, output_start, output_end = span
        original = " ".join(source[source_start:source_end])
        correction = " ".join(output[output_start:output_end])
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

    `row` has the annotators who take part, of so many `annotators`. A proposed edit is right once
    for each edit of the annotator that it matches. A right or a missed edit has the type that the
    annotator gave it; a wrong one has none. Verdicts are sorted by span, missed edits last.
    """
    by_annotator: list[list[Verdict] | None] = [None] * annotators
    for judged in row:
        line_verdicts = []
        for edit in judged.edits:
            change = (edit.start, edit.end, edit.original, edit.correction)
            if not edit.matched:
                line_verdicts.append(Verdict(*change, "", Verdict.WRONG))
            for index in edit.matched:
                gold_type = judged.gold[index].type
                line_verdicts.append(Verdict(*change, gold_type, Verdict.RIGHT))
        for gold in judged.missed:
            corrections = ""
            if any(gold.alternatives):
                corrections = " | ".join(
                    text or NOTHING for text in gold.alternatives
                )
            original = judged.original(gold)
            change = (gold.start, gold.end, original, corrections)
            line_verdicts.append(Verdict(*change, gold.type, Verdict.MISSED))
        line_verdicts.sort(
            key=lambda item: (
                item.start,
                item.end,
                item.verdict == Verdict.MISSED,
            )
        )
        by_annotator[judged.reference] = line_verdicts
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
        for name, counts in self._compared(columns).items():
            if self.by_reference:
                counted.append(Counted(name, counts, per_reference=True))
            else:
                counted.append(Counted(name, counts[:, 0], per_reference=False))
        return counted

    def _compared(self, columns: Columns) -> dict[str, Ints]:
        """Return the counts with each annotator, or the last: int64 [lines, annotators or 1]."""
        terms = self.make_terms(columns)
        if self.by_reference:
            return terms
        lines = np.arange(len(columns["ref_len"]))
        last = last_present(columns)
        return {name: term[lines, last, None] for name, term in terms.items()}

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
        """Return the parts of key() for arrays: F of all sentences so far, correct edits, and edits.

        `totals` of the sentences before and `counts` of this one are int64 [3, ...], in the order
        of COUNTS. More edits are worse, so that their weighted number is negative.
        """
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
        """Return the right, the wrong and the missed edits: by system, line and annotator.

        `annotations` has the records of each annotator for all lines.
        """
        text = as_text(sources, outputs, annotations)
        annotators = len(annotations)
        verdicts_of_systems = []
        for rows in proposed_edits(self.spec, text):
            verdicts_of_systems.append(
                [verdicts(row, annotators) for row in rows]
            )
        return verdicts_of_systems

    def explained(self, text: Text) -> list[tuple[str, str]]:
        """Return the right, the wrong and the missing edits of an output with each annotator.

        They are pairs of a heading (match, wrong, missing, or empty) and a line of text. `text` has
        one line and one system.
        """
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
        """Yield the lines of explained() for one annotator: the score, then the edits."""
        counts = {}
        for name, count in judged.counts._asdict().items():
            counts[name] = np.array(count)
        score = 100 * float(self._scores(counts)[0])
        in_file = ""
        if judged.annotator != judged.reference:
            in_file = f" ({judged.annotator} in the file)"
        correct, proposed, gold = judged.counts
        summary = f"{correct} right of {proposed} proposed edits, {gold} of the annotator"
        yield (
            "",
            f"annotator {judged.reference}{in_file}: {self.output} {score:.2f} ({summary})",
        )
        for edit in judged.edits:
            text = str(edit)
            unchanged = ", ".join(unchanged_words(edit))
            if unchanged:
                text += f" (unchanged: {unchanged})"
            yield "match" if edit.matched else "wrong", text
        for missed in judged.missed:
            yield "missing", judged.written(missed)

    def count_warnings(
        self,
        counts: Mapping[str, Iterable[Columns]],
    ) -> list[CountWarning]:
        """Return a warning for each line that is too long for the official method.

        `counts` has the columns of each system, block after block of lines.
        """
        message = (
            "m2: too long for the official method; a method in linear time counts it, "
            "nearly always alike"
        )
        warnings = []
        for system, blocks in counts.items():
            first = 1  # the number of the block's first line
            for columns in blocks:
                for index in np.flatnonzero(columns["reduced"]).tolist():
                    warnings.append(
                        CountWarning(message, system=system, line=first + index)
                    )
                first += len(columns["reduced"])
        return warnings
