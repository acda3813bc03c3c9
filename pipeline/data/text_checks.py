"""The table of looks at texts: what is counted in some lines, and what is told where many lines
have it.

One more look is one more entry of LOOKS. Thresholds lie between what was measured in right texts
and in texts with the mistake; `help warnings` has the numbers."""

import re
from collections.abc import Callable, Sequence
from math import ceil
from os.path import commonprefix
from typing import NamedTuple

from ..tokenizers import tokenizer_called
from .inputs import TextReader
from .samples import FEW, Sample, Samples, likeness, mean

EDITED = 0.5
"""Above this likeness to the source a text is an edited source, as corrections are and translations
are not."""
CLEARLY = 0.1
"""How much more of their words, from 0 to 1, neighbouring lines must have in common for a warning
of a shift."""
MOSTLY = 0.5
"""The share of lines that fit the neighbouring ones so much better where a text is shifted, and not
shuffled."""
ALIKE, UNLIKE, EDGE = 0.9, 0.1, 30
"""The shares of lines that begin or end alike in a text where that is told, and in the first
reference at most; and how many characters are looked at."""
LONGER, LONG = 1.25, 0.4
"""A line is cut where its reference has so many times its characters, and it has such a share of
the longest line's."""
ELSEWHERE = (1, -1, 7, -7)
"""How far from a line the lines are that it is compared with: what it shares with those is chance.
"""
_RECORD = re.compile(r'\{\s*".*\}$')
_CURLY = re.compile("[\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb]")


class Seen(NamedTuple):
    """What a look found in the lines of a text."""

    marks: Sequence[bool | None] = ()
    """Whether each line has what is looked for; None where the line cannot tell."""
    sign: str = ""
    """What the lines have in common."""

    @property
    def known(self) -> int:
        """How many lines can tell."""
        return len(self.marks) - self.marks.count(None)

    @property
    def share(self) -> float:
        """The share of the lines that have it, among those that can tell."""
        return self.marks.count(True) / max(self.known, 1)


class Look(NamedTuple):
    """Something that is counted in the lines of a text, and told where many lines have it.

    Messages have the fields {called}, {named} with the file, {share}, {line} and {sign}, and
    {base}, the first reference, or the source where there are gold edits alone.
    """

    seen: Callable[[Sample, Samples], Seen]
    least: float
    """The share of lines from which on it is told."""
    told: str
    lines: int = FEW
    """How many lines have it at least where it is told."""
    of_outputs: bool = True
    """Whether outputs alone are looked at, beside the first reference."""


def _records(sample: Sample, _: Samples) -> Seen:
    """Lines that are records of JSON."""
    texts = [line.strip() for line in sample.lines]
    return Seen(
        [text.startswith("{") and bool(_RECORD.match(text)) if text else None for text in texts]
    )


def _alike(sample: Sample, samples: Samples, step: int = 1) -> Seen:
    """Lines that begin as nearly all do, or end so where the step is -1; one digit is as good as
    another.
    """
    own = _edges(sample, step)
    ordered = sorted(filter(None, own))
    pairs = zip(ordered, ordered[max(ceil(ALIKE * len(ordered)) - 1, 0) :], strict=False)
    sign = max(map(commonprefix, pairs), key=len, default="")
    is_stop = not sign.strip(" .!?\u3002")
    if (
        is_stop
        or Seen([edge.startswith(sign) for edge in _edges(samples.base, step)]).share > UNLIKE
    ):
        return Seen()
    marks = [edge.startswith(sign) if edge else None for edge in own]
    first = sample.lines[marks.index(True)].strip()
    return Seen(marks, first[: len(sign)] if step == 1 else first[-len(sign) :])


def _edges(sample: Sample, step: int) -> list[str]:
    """Return how lines begin, or their ends from right to left, with 0 for each digit."""
    edges = "\n".join(line.strip()[::step][:EDGE].replace("\n", " ") for line in sample.lines)
    return re.sub("[1-9]", "0", edges).split("\n")


def _cut(sample: Sample, samples: Samples) -> Seen:
    """Lines whose reference goes on, and that are as long as the longest one, or long without a
    sign at the end.
    """
    pairs = [
        (own.strip(), its.strip())
        for own, its in zip(sample.lines, samples.base.lines, strict=True)
    ]
    longest = max((len(own) for own, _ in pairs), default=0)
    most = max((own.count(" ") for own, _ in pairs), default=0)
    marks = []
    for own, its in pairs if longest >= FEW else ():
        is_shorter = len(its) > LONGER * len(own) > LONGER * LONG * longest
        at_limit = is_shorter and (len(own) >= longest - 1 or own.count(" ") == most >= FEW)
        marks.append(at_limit or (is_shorter and own[-1].isalnum() and not its[-1].isalnum()))
    return Seen(marks)


def _copied(sample: Sample, samples: Samples) -> Seen:
    """Lines of the source, where the references are no edited source."""
    source, base = samples.source, samples.base
    if (
        source is None
        or max(source.like(base), likeness(source.vocabulary, base.vocabulary)) >= EDITED
    ):
        return Seen()
    return Seen(
        [
            not d if words else None
            for d, words in zip(sample.differ(source), sample.words, strict=True)
        ]
    )


def _misplaced(sample: Sample, samples: Samples) -> Seen:
    """Lines that share no more words with their own line of the first reference than with other
    lines on average.
    """
    if (
        not samples.references
        or sample in (samples.source, samples.base)
        or len(sample.lines) < 2 * FEW
    ):
        return Seen()
    base, marks = samples.base, list[bool | None]()
    for line, own in enumerate(sample.shares(base)):
        words, chance = sample.words[line], 0.0
        if own < EDITED and words and base.words[line]:  # chance never gives as much
            others = [base.words[(line + far) % len(base.words)] for far in ELSEWHERE]
            chance = mean([likeness(words, its) for its in others])
        marks.append(own <= chance if own or chance else None)
    return Seen() if marks.count(True) < FEW or shift(sample, base)[0] else Seen(marks)


def shift(sample: Sample, base: Sample) -> tuple[int, int]:
    """Return by how many lines, -1, 0 or 1, a text is shifted, and where the first stretch begins
    where it is.

    Its lines then fit neighbouring lines of the other text clearly better than their own.
    """
    low = 0
    for start, stop in base.stretches:
        high = low + stop - start
        shares, one, two = (
            sample.shares(base)[low:high],
            sample.words[low:high],
            base.words[low:high],
        )
        for offset, pairs in (
            (1, zip(one[1:], two, shares[1:], strict=False)),
            (-1, zip(one, two[1:], shares, strict=False)),
        ):
            if len(one) >= FEW and mean(shares) < 1 - CLEARLY:
                better = [likeness(words, its) > share + CLEARLY for words, its, share in pairs]
                if mean(better) >= MOSTLY:
                    return offset, start
        low = high
    return 0, 0


LOOKS = (
    Look(
        _records,
        0.9,
        "{called} looks like JSON objects, not texts; take the text out of each (`{{jsonl: FILE, column: NAME}}`)",
        lines=1,
        of_outputs=False,
    ),
    Look(
        _alike,
        ALIKE,
        "{named}: {share} of the lines begin with '{sign}', such as line {line}, and those of {base} do not; take it "
        "away before scoring",
    ),
    Look(
        lambda sample, samples: _alike(sample, samples, -1),
        ALIKE,
        "{named}: {share} of the lines end with '{sign}', such as line {line}, and those of {base} do not; take it "
        "away before scoring",
    ),
    Look(
        _cut,
        0.1,
        "{named} seems to be cut: {share} of the lines, such as line {line}, end where their lines in {base} go on; "
        "was the longest length of an output too small?",
    ),
    Look(
        _copied,
        0.2,
        "{named}: {share} of the lines are those of the source, such as line {line}; were the outputs meant?",
    ),
    Look(
        _misplaced,
        0.2,
        "{named} seems to be shuffled, or of another data set: {share} of the lines, such as line {line}, fit their "
        "own lines in {base} no better than other lines; do both have the same order?",
        of_outputs=False,
    ),
)
"""What is looked for in each text alone."""


class Style(NamedTuple):
    """Two ways to write the same, which a data set should not mix where a metric minds.

    Messages have the fields {high} and {low}, the texts of both ways, {share} and {line} of the
    first of {high}, and {tok}, the tokeniser."""

    seen: Callable[[Sample], Seen]
    least: float
    """The share of lines from which on a text is written in the first way."""
    most: float
    """The share of lines up to which a text is written in the other way."""
    minds: Callable[[TextReader], bool]
    told: str
    of_source: bool = False
    """Whether the source is looked at too, where a metric reads it."""
    rare: bool = False
    """Whether few lines have what is looked for, so that more of them are looked at."""


def stops(sample: Sample) -> Seen:
    """Full stops and commas that are tokens of their own, and those at the end of a word, in place
    of lines.
    """
    return Seen(sample.stops)


def _typographic(sample: Sample) -> Seen:
    """Lines with typographic quotation marks or apostrophes, and those with straight ones."""
    marks = [
        (not line.isascii() and bool(_CURLY.search(line)), "'" in line or '"' in line)
        for line in sample.lines
    ]
    return Seen([curly if curly is not straight else None for curly, straight in marks])


def _small(sample: Sample) -> Seen:
    """Lines without a capital letter among those that could have one."""
    return Seen(
        [low == line if (low := line.lower()) != line.upper() else None for line in sample.lines]
    )


def expects(metric: TextReader) -> str:
    """Return which texts the tokeniser of a metric is for, or the metric itself, as SARI's legacy."""
    if dict(metric.settings()).get("legacy"):
        return "tokens"
    tokenization = metric.spec.tokenization
    return tokenizer_called(tokenization.tokenizer).expects if tokenization else ""


def _minds_signs(metric: TextReader) -> bool:
    return metric.spec.references and expects(metric) != "words"


def _minds_capitals(metric: TextReader) -> bool:
    settings = dict(metric.settings())
    return _minds_signs(metric) and not settings.get("lc") and settings.get("cased") is not False


STYLES = (
    Style(
        stops,
        0.8,
        0.2,
        lambda metric: expects(metric) == "tokens",
        "full stops and commas are tokens of their own in {high}, and belong to the word before in {low}: with the "
        "tokenizer {tok} they do not match; tokenise all texts alike",
        of_source=True,
    ),
    Style(
        _typographic,
        0.95,
        0.05,
        _minds_signs,
        "quotation marks and apostrophes are typographic in {high} ({share} of the lines that have any, such as line "
        "{line}), and straight in {low}: they do not match; write them alike in all texts",
        rare=True,
    ),
    Style(
        _small,
        0.9,
        0.5,
        _minds_capitals,
        "there are no capital letters in {high} ({share} of the lines, such as line {line}), and there are in {low}: "
        "such words do not match; write all texts alike, or have metrics lower-case them",
    ),
)
"""What texts should not mix. One more is one more entry."""
