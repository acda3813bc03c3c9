"""Tables of checks for texts that can be scored but are probably not what was meant.

A check marks lines of a text, and its warning is given where enough of them are marked. One more
check is one more row of TEXT_CHECKS, STYLE_CHECKS or DATA_SET_CHECKS. Thresholds lie between what
was measured in right texts and in texts with the mistake; `help warnings` has the numbers.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import ceil
from os.path import commonprefix
from typing import NamedTuple

from .inputs import TextReader
from .samples import FEW, Sample, Samples, likeness, mean
from .texts import MemoryText


class LineMarks(NamedTuple):
    """The lines of a text that a check has marked."""

    marks: Sequence[bool | None] = ()
    """Whether each line is marked; None where a line cannot tell."""
    affix: str = ""
    """The beginning or end that the marked lines have in common."""

    @property
    def known(self) -> int:
        """How many lines can tell."""
        return len(self.marks) - self.marks.count(None)

    @property
    def share(self) -> float:
        """The share of marked lines among those that can tell."""
        return self.marks.count(True) / max(self.known, 1)


def message_fields(sample: Sample, found: LineMarks) -> dict[str, str]:
    """Return what messages say of a text and its marked lines."""
    line = 0
    if len(found.marks) == len(sample.lines):
        line = sample.number(found.marks.index(True))
    return {
        "called": sample.called,
        "named": sample.named,
        "share": f"{100 * found.share:.0f} %",
        "line": f"{line:,}",
        "affix": found.affix,
    }


# ---- checks of each text

EDITED = 0.5
"""Above this likeness to the source a text is an edited source, as corrections are and translations
are not."""
ALIKE_SHARE = 0.9
"""The share of lines with the same beginning or end from which on there is a warning."""
BASE_ALIKE_SHARE = 0.1
"""The share of lines of the first reference that may have this beginning or end, too."""
EDGE_CHARACTERS = 30
"""Characters of a line that are compared, at its beginning or end."""
NEARBY_LINES = (1, -1, 7, -7)
"""How far from a line those lines are that tell which likeness is chance."""
_RECORD = re.compile(r'\{\s*".*\}$')
_EACH_DIGIT_IS_0 = str.maketrans("123456789", "000000000")


class TextCheck(NamedTuple):
    """A check of the lines of each text.

    Messages have the fields of message_fields() and {base}, the first reference, or the source
    where there are gold edits alone.
    """

    find: Callable[[Sample, Samples], LineMarks]
    min_share: float
    """The share of marked lines from which on there is a warning."""
    message: str
    min_lines: int = FEW
    """How many lines are marked at least where there is a warning."""
    outputs_only: bool = True
    """Whether outputs alone are checked, where there is a reference to compare them with."""


def json_objects(sample: Sample, _: Samples) -> LineMarks:
    """Mark lines that are JSON objects."""
    marks: list[bool | None] = []
    for line in sample.lines:
        text = line.strip()
        marks.append(_RECORD.match(text) is not None if text else None)
    return LineMarks(marks)


def same_edges(sample: Sample, samples: Samples, step: int) -> LineMarks:
    """Mark lines that begin as nearly all lines do, and lines of the first reference do not.

    With the step -1 they are lines that end so.
    """
    edges = _edges(sample, step)
    prefix = _common_prefix(edges)
    if not prefix:
        return LineMarks()
    of_base = _with_prefix(_edges(samples.base, step), prefix)
    if of_base.share > BASE_ALIKE_SHARE:
        return LineMarks()
    found = _with_prefix(edges, prefix)
    first = sample.lines[found.marks.index(True)].strip()
    affix = first[: len(prefix)] if step == 1 else first[-len(prefix) :]
    return found._replace(affix=affix)


def _edges(sample: Sample, step: int) -> list[str]:
    """Return how lines begin, or how they end, read backwards, where the step is -1.

    Each digit is 0, since numbers of lines differ.
    """
    edges = [line.strip()[::step][:EDGE_CHARACTERS] for line in sample.lines]
    return [
        edge.replace("\n", " ").translate(_EACH_DIGIT_IS_0) for edge in edges
    ]


def _common_prefix(edges: Sequence[str]) -> str:
    """Return the longest prefix that ALIKE_SHARE of the lines have; "" where it is a full stop."""
    # Lines with the same prefix are neighbours in this order, so the outer two of them tell.
    ordered = sorted(filter(None, edges))
    neighbours = max(ceil(ALIKE_SHARE * len(ordered)), 1)
    pairs = zip(ordered, ordered[neighbours - 1 :], strict=False)
    longest = max(map(commonprefix, pairs), key=len, default="")
    return longest if longest.strip(" .!?\u3002") else ""


def _with_prefix(edges: Sequence[str], prefix: str) -> LineMarks:
    return LineMarks(
        [edge.startswith(prefix) if edge else None for edge in edges]
    )


def source_lines(sample: Sample, samples: Samples) -> LineMarks:
    """Mark lines of the source in a translation or summary; in corrections they are normal."""
    source = samples.source
    base = samples.base
    if source is None or source.like(base) >= EDITED:
        return LineMarks()
    if likeness(source.vocabulary, base.vocabulary) >= EDITED:
        return LineMarks()
    marks: list[bool | None] = []
    for differs, words in zip(sample.differ(source), sample.words, strict=True):
        marks.append(not differs if words else None)
    return LineMarks(marks)


def misplaced_lines(sample: Sample, samples: Samples) -> LineMarks:
    """Mark lines that are no more like their line of the first reference than like other lines."""
    if not samples.references or sample in (samples.source, samples.base):
        return LineMarks()
    if len(sample.lines) < 2 * FEW:
        return LineMarks()
    base = samples.base
    marks: list[bool | None] = []
    for line, share in enumerate(sample.shares(base)):
        words = sample.words[line]
        chance = 0.0
        # chance never gives as much
        if share < EDITED and words and base.words[line]:
            nearby = [
                base.words[(line + offset) % len(base.words)]
                for offset in NEARBY_LINES
            ]
            chance = mean([likeness(words, others) for others in nearby])
        marks.append(share <= chance if share or chance else None)
    if marks.count(True) < FEW or line_shift(sample, base)[0]:
        return LineMarks()
    return LineMarks(marks)


TEXT_CHECKS = (
    TextCheck(
        json_objects,
        0.9,
        "{called} looks like JSON objects, not texts; take the text out of each "
        "(`{{jsonl: FILE, column: NAME}}`)",
        min_lines=1,
        outputs_only=False,
    ),
    TextCheck(
        partial(same_edges, step=1),
        ALIKE_SHARE,
        "{named}: {share} of the lines begin with '{affix}', such as line {line}, and those of "
        "{base} do not; take it away before scoring",
    ),
    TextCheck(
        partial(same_edges, step=-1),
        ALIKE_SHARE,
        "{named}: {share} of the lines end with '{affix}', such as line {line}, and those of "
        "{base} do not; take it away before scoring",
    ),
    TextCheck(
        source_lines,
        0.2,
        "{named}: {share} of the lines are those of the source, such as line {line}; were the "
        "outputs meant?",
    ),
    TextCheck(
        misplaced_lines,
        0.2,
        "{named} seems to be shuffled, or of another data set: {share} of the lines, such as line "
        "{line}, fit their own lines in {base} no better than other lines; do both have the same "
        "order?",
        outputs_only=False,
    ),
)


def text_warning(sample: Sample, samples: Samples) -> str:
    """Return the warning of the first check that a text fails, or an empty string.

    Others may come of the same mistake.
    """
    is_output = bool(samples.references) and sample in samples.others
    for check in TEXT_CHECKS:
        if check.outputs_only and not is_output:
            continue
        found = check.find(sample, samples)
        if (
            found.share >= check.min_share
            and found.marks.count(True) >= check.min_lines
        ):
            base = samples.base.called if samples.references else ""
            return check.message.format(
                **message_fields(sample, found), base=base
            )
    return ""


# ---- checks of styles, such as typographic quotes, which a data set should not mix if they change a score

_CURLY_QUOTE = re.compile("[\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb]")


class StyleCheck(NamedTuple):
    """A check whether some texts of a data set are written in one way and others in another.

    Messages have the fields {high} and {low}, the texts written in either way, {share} and {line}
    of the first of {high}, and {tok}, the tokeniser.
    """

    find: Callable[[Sample], LineMarks]
    min_share: float
    """The share of marks from which on a text is written in the first way."""
    max_share: float
    """The share of marks up to which a text is written in the second way."""
    applies: Callable[[TextReader], bool]
    """Whether a metric scores texts lower that are written in another way."""
    message: str
    of_source: bool = False
    """Whether the source is checked too, where a metric reads it."""
    rare: bool = False
    """Whether few lines can tell, so that more of them are read."""


def separate_stops(sample: Sample) -> LineMarks:
    """Mark full stops and commas (in place of lines) that are tokens of their own."""
    return LineMarks(sample.stops)


def typographic_quotes(sample: Sample) -> LineMarks:
    """Mark lines with typographic quotation marks or apostrophes among those with either kind."""
    marks: list[bool | None] = []
    for line in sample.lines:
        is_curly = not line.isascii() and _CURLY_QUOTE.search(line) is not None
        is_straight = "'" in line or '"' in line
        marks.append(is_curly if is_curly is not is_straight else None)
    return LineMarks(marks)


def small_letters(sample: Sample) -> LineMarks:
    """Mark lines without a capital letter among those that could have one."""
    marks: list[bool | None] = []
    for line in sample.lines:
        small = line.lower()
        marks.append(small == line if small != line.upper() else None)
    return LineMarks(marks)


def expects(metric: TextReader) -> str:
    """Return which texts the tokeniser of a metric is for, or the metric itself."""
    if dict(metric.settings()).get("legacy"):
        return "tokens"
    tokenization = metric.spec.tokenization
    return tokenization.expects if tokenization else ""


def _compares_tokens(metric: TextReader) -> bool:
    return expects(metric) == "tokens"


def _compares_quotes(metric: TextReader) -> bool:
    return metric.spec.references and expects(metric) != "words"


def _compares_case(metric: TextReader) -> bool:
    settings = dict(metric.settings())
    if settings.get("lc") or settings.get("cased") is False:
        return False
    return _compares_quotes(metric)


TOKENISED_SHARE = 0.8
"""The share of full stops and commas that are tokens of their own in a tokenised text, at least."""

STYLE_CHECKS = (
    StyleCheck(
        separate_stops,
        TOKENISED_SHARE,
        0.2,
        _compares_tokens,
        "full stops and commas are tokens of their own in {high}, and belong to the word before in "
        "{low}: with the tokenizer {tok} they do not match; tokenise all texts alike",
        of_source=True,
    ),
    StyleCheck(
        typographic_quotes,
        0.95,
        0.05,
        _compares_quotes,
        "quotation marks and apostrophes are typographic in {high} ({share} of the lines that have "
        "any, such as line {line}), and straight in {low}: they do not match; write them alike in "
        "all texts",
        rare=True,
    ),
    StyleCheck(
        small_letters,
        0.9,
        0.5,
        _compares_case,
        "there are no capital letters in {high} ({share} of the lines, such as line {line}), and "
        "there are in {low}: such words do not match; write all texts alike, or have metrics "
        "lower-case them",
    ),
)


# ---- checks of the texts of a data set beside each other

CLEARLY = 0.1
"""How much more of their words, from 0 to 1, neighbouring lines must have in common for a warning
of a shift."""
MOSTLY = 0.5
"""The share of lines that fit the neighbouring ones so much better where a text is shifted, and not
shuffled."""
ROLE_WORDS = {
    "source": "source src input orig original uncorrected",
    "reference": "ref refs reference references gold",
    "output": "hyp hyps hypothesis hypotheses out output outputs pred preds predictions",
}
"""Words in names of files that say what a file is."""
FARTHER = 0.05
"""How much farther outputs may be from a reference than from the source where the two seem to be
swapped."""
ENOUGH_LINES = 50
"""With fewer lines than this, nothing is said of the words that the source and a reference have,
and with fewer than twice as many nothing of outputs that are the source: a timid system left 30
lines of CoNLL-2014 as they were."""
RICHER = 1.2
"""How many times as many words of its own the uncorrected text has at least: each error is a word
of its own."""
MIN_DEVIATIONS = 2.0
"""How many standard deviations lie between the two numbers of words at least. Chance gave up to 1.6
in 50 lines."""
MIN_CHANGED_LINES = 50
"""With fewer changed lines than this, nothing is said of how many words are changed in each."""
TIMID = 1.4
"""Below this mean number of words in a changed line a reference is a suspect."""
BOLDER = 1.5
"""How many times as many words the outputs change in a line, at least, where they seem to be
swapped."""


def repeated_references(samples: Samples) -> Iterator[str]:
    """Warn of references that are the same text."""
    for number, reference in enumerate(samples.references):
        for other in samples.references[:number]:
            # A few lines may be equal by chance, if they are not of one file.
            one_file = other.text.display_name == reference.text.display_name
            if other.text.identity == reference.text.identity and (
                one_file or reference.text.lines >= FEW
            ):
                yield (
                    f"{reference.called} is the same text as {other.called}; was another file meant?"
                )
                break


def line_shift(sample: Sample, base: Sample) -> tuple[int, int]:
    """Return by how many lines (-1, 0 or 1) a text is shifted, and the line from which on.

    In a shifted text, most lines of a block share clearly more words with the line before (1) or
    after (-1) theirs in the base than with their own line.
    """
    low = 0
    for start, stop in base.blocks:
        high = low + stop - start
        shares = sample.shares(base)[low:high]
        words = sample.words[low:high]
        base_words = base.words[low:high]
        if len(words) >= FEW and mean(shares) < 1 - CLEARLY:
            if _fit_better(words[1:], base_words, shares[1:]):
                return 1, start
            if _fit_better(words, base_words[1:], shares):
                return -1, start
        low = high
    return 0, 0


def _fit_better(
    words: Sequence[set[str]],
    base_words: Sequence[set[str]],
    shares: Sequence[float],
) -> bool:
    """Return whether most lines are clearly more like the lines of another text than `shares` are."""
    better = []
    for line_words, base_line_words, share in zip(
        words, base_words, shares, strict=False
    ):
        better.append(likeness(line_words, base_line_words) > share + CLEARLY)
    return mean(better) >= MOSTLY


def shifted_texts(samples: Samples) -> Iterator[str]:
    """Warn of texts that fit neighbouring lines of the first reference better than their own."""
    if not samples.references:
        return
    base = samples.short.base
    others = [sample for sample in samples.short.all if sample is not base]
    shifts = {sample.called: line_shift(sample, base) for sample in others}
    fitted = base.called
    offsets = {offset for offset, _ in shifts.values()}
    # then the first reference is the wrong one
    if len(others) > 1 and offsets in ({1}, {-1}):
        offset, start = shifts[others[0].called]
        shifts = {base.called: (-offset, start)}
        fitted = "the other texts"
    for called, (offset, start) in shifts.items():
        if offset:
            side = "before" if offset > 0 else "after"
            part = (
                f" from line {base.text.number(start + 1)} on" if start else ""
            )
            yield (
                f"{called} seems to be shifted by one line{part}: its lines fit the lines {side} "
                f"theirs in {fitted} better; is a line missing or added?"
            )


def swapped_texts(samples: Samples) -> Iterator[str]:
    """Warn of texts in each other's place, by the names of their files or else by their words."""
    warnings = list(swapped_names(samples))
    if not warnings:
        warnings = [*swapped_source(samples), *swapped_outputs(samples)]
    yield from warnings


def swapped_names(samples: Samples) -> Iterator[str]:
    """Warn of two texts whose files have names of each other's role."""
    source = samples.source
    for reference in samples.references:
        role = _role(reference)
        if source and _role(source) == "reference" and role == "source":
            yield f"{source.called} and {reference.called} seem to be swapped, by their names"
        for system in samples.systems:
            if _role(system) == "reference" and role == "output":
                named = f"{system.called} ({system.text.name})"
                yield f"{reference.called} and {named} seem to be swapped, by their names"


def _role(sample: Sample) -> str:
    """Return what the name of a file says that it is, or an empty string."""
    if isinstance(sample.text, MemoryText):
        return ""
    words = words_of_name(sample.text.name)
    roles = [
        role
        for role, known in ROLE_WORDS.items()
        if not words.isdisjoint(known.split())
    ]
    return roles[0] if len(roles) == 1 else ""


def words_of_name(name: str) -> set[str]:
    """Return the words of letters in a name, in lower case."""
    return set(re.findall("[a-z]+", name.lower()))


def swapped_source(samples: Samples) -> Iterator[str]:
    """Warn of a reference that seems to be the source.

    It has more words that the source does not have than the other way round, since each error is a
    word of its own, and outputs are nearly as like it as the source, of which they are made.
    """
    source = samples.source
    outputs = samples.others
    if source is None or not outputs or source.text.lines < ENOUGH_LINES:
        return
    for reference in samples.references:
        in_reference = len(reference.vocabulary - source.vocabulary)
        in_source = len(source.vocabulary - reference.vocabulary)
        deviation = (in_reference + in_source) ** 0.5
        is_richer = in_reference > RICHER * in_source
        is_sure = in_reference - in_source > MIN_DEVIATIONS * deviation
        if not (is_richer and is_sure and _is_edited(source, reference)):
            continue
        nearer = [
            output.like(reference) - output.like(source) for output in outputs
        ]
        if sum(nearer) > -FARTHER * len(outputs):
            yield (
                f"{source.called} and {reference.called} seem to be swapped: this reference has "
                "more different words than the source, as uncorrected texts have, and outputs are "
                "near to it"
            )


def swapped_outputs(samples: Samples) -> Iterator[str]:
    """Warn of a reference that changes fewer words in a line, and fewer lines, than every output.

    People mostly change several words of a line that they correct: between 2.3 and 4.2 on average
    in the references of CoNLL-2014, JFLEG and SEEDA. How many lines are changed tells nothing
    alone: that depends on how good the texts are.
    """
    source = samples.source
    outputs = samples.others
    if source is None or not outputs or source.text.lines < 2 * FEW:
        return
    for reference in samples.references:
        changes = reference.changes(source)
        if len(changes) < MIN_CHANGED_LINES or mean(changes) >= TIMID:
            continue
        if not _is_edited(source, reference):
            continue
        changes_of_outputs = [output.changes(source) for output in outputs]
        if min(map(len, changes_of_outputs)) < MIN_CHANGED_LINES:
            continue
        least = min(map(mean, changes_of_outputs))
        is_nearer = all(
            _is_nearer(reference, output, source) for output in outputs
        )
        if least >= BOLDER * mean(changes) and is_nearer:
            yield (
                f"{reference.called} and the output seem to be swapped: in the lines that they "
                f"change, this reference changes {mean(changes):.1f} words and the output "
                f"{least:.1f}; references mostly change more than outputs"
            )


def _is_nearer(reference: Sample, output: Sample, source: Sample) -> bool:
    """Return whether a reference is nearer to the source than an output that is an edited source."""
    if reference.same_as(source) <= output.same_as(source):
        return False
    return source.like(reference) > output.like(source) > EDITED


def _is_edited(source: Sample, reference: Sample) -> bool:
    """Return whether a reference is the source with edits, and has spaces between words."""
    return not reference.spaceless and EDITED < source.like(reference) < 1


DATA_SET_CHECKS = (repeated_references, shifted_texts, swapped_texts)
"""Functions that yield the warnings about the texts of a data set beside each other."""
