"""What both kernels share: names, types of results, limits, and checks of arguments."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import LongTextError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..arrays import Floats, Ints

Texts = Sequence["Encoded"]
"""Several references, or several outputs, of the same lines, from one call of encode()."""

Allowed = Sequence[Texts]
"""A text for each system and reference: its tokens may be hit, each as often as the text has it."""

FOLDS = ("google", "perl")
"""How words() can lower-case text: google as str.lower() does, perl only A-Z.

Words are then runs of a-z and 0-9.
"""

SPLITS = (
    "whitespace",
    "ascii_whitespace",
    "blank",
    "char",
    "nonspace",
    "chrf",
    "fields",
    "13a",
    "zh",
    "intl",
)
"""How encode() can split lines; fields are those of a record of edits, between ||| and newlines."""


class Kind(NamedTuple):
    """How often an n-gram is counted, from its counts in source, reference and output.

    Fields name texts by letters: s, the source, r, the reference, and h, the output.
    """

    of: str
    """An n-gram is counted as often as all of these texts have it (the minimum)."""
    less: str = ""
    """What one of these texts has (the maximum) is subtracted."""
    without: str = ""
    """An n-gram of this text is not counted at all."""
    within: str = ""
    """An n-gram is counted at most as often as this text has it."""

    def times(self, source: int, reference: int, output: int) -> int:
        """Return how often an n-gram is counted, from how often each text has it."""
        occurrences = {"s": source, "r": reference, "h": output}
        if self.without and occurrences[self.without]:
            return 0
        common = min(occurrences[text] for text in self.of)
        subtracted = max((occurrences[text] for text in self.less), default=0)
        count = max(common - subtracted, 0)
        if self.within:
            count = min(count, occurrences[self.within])
        return count


COUNTED = {
    "match": Kind("hr"),
    "penalty": Kind("hs", without="r"),
    "source_only": Kind("hs", less="r"),
    "common": Kind("hsr"),
    "source_match": Kind("sr"),
    "union_match": Kind("hr"),
    "new_match": Kind("hr", without="s"),
    "gone_match": Kind("hs", without="r"),
    "added_match": Kind("r", less="s", within="h"),
    "removed_match": Kind("s", less="r", within="h"),
    "added": Kind("r", less="s"),
}
"""All that overlap() can count.

The penalty of GLEU+ is `penalty`, that of its paper `source_only`.
"""

MERGED_KINDS = (
    "union_match",
    "new_match",
    "gone_match",
    "added_match",
    "removed_match",
    "added",
)
"""What is counted with all references merged by the maximum of their counts."""

KINDS = tuple(kind for kind in COUNTED if kind not in MERGED_KINDS)
"""What is counted with each reference."""

WITHOUT_OUTPUT = frozenset(
    kind for kind, rule in COUNTED.items() if "h" not in rule.of + rule.within
)
"""The kinds that do not depend on the output, so that n-grams which the output lacks count too."""

MAX_ORDER = 16
"""The longest n-grams that overlap() counts."""

MAX_NGRAMS = 1 << 25
"""The most n-grams of a line, of all orders in source and references. Each takes up to 100 bytes."""


class Lines(NamedTuple):
    """The text of some lines."""

    data: bytes
    """UTF-8 that has the lines at any positions."""
    starts: Ints
    """Where each line begins in data."""
    ends: Ints
    """Where each line ends in data; the newline at its end is not part of it."""

    def trimmed(self) -> Lines:
        """Return the same lines without the bytes of data before the first and after the last."""
        if not len(self.starts):
            return self
        start = int(self.starts.min())
        end = int(self.ends.max())
        if (start, end) == (0, len(self.data)):
            return self
        return Lines(
            data=self.data[start:end],
            starts=self.starts - start,
            ends=self.ends - start,
        )

    def __reduce__(self) -> tuple[type[Lines], tuple[bytes, Ints, Ints]]:
        """Pickle only the bytes of these lines, since data may be that of a whole text."""
        lines = self.trimmed()
        return Lines, (lines.data, lines.starts, lines.ends)

    def texts(self) -> Iterator[bytes]:
        """Yield each line's bytes."""
        starts = self.starts.tolist()
        ends = self.ends.tolist()
        for start, end in zip(starts, ends, strict=True):
            yield self.data[start:end]


def join_lines(texts: Iterable[bytes]) -> Lines:
    """Return texts, which may contain newlines, as the lines of one text, a line for each."""
    import numpy as np

    lines = list(texts)
    bounds = np.zeros(len(lines) + 1, np.int64)
    sizes = np.fromiter(map(len, lines), np.int64, len(lines))
    np.cumsum(sizes, out=bounds[1:])
    return Lines(b"".join(lines), bounds[:-1], bounds[1:])


class Encoded(NamedTuple):
    """The tokens of some lines."""

    ids: NDArray[np.int32]
    """The ids of all tokens, line after line."""
    offsets: Ints
    """Where each line begins in ids, and at last the number of ids: [lines + 1]."""

    def lines(self) -> list[tuple[int, ...]]:
        """Return the ids of each line."""
        ids = self.ids.tolist()
        bounds = itertools.pairwise(self.offsets.tolist())
        return [tuple(ids[start:end]) for start, end in bounds]


class Words(NamedTuple):
    """The ids of each text, and the distinct tokens in the order of their ids; see words()."""

    texts: list[Encoded]
    data: bytes
    """All distinct tokens, one after the other, in UTF-8."""
    ends: Ints
    """The end of each token in data."""

    def distinct(self) -> list[str]:
        """Return the token of each id."""
        bounds = itertools.pairwise([0, *self.ends.tolist()])
        return [self.data[start:end].decode() for start, end in bounds]


class Sentences(NamedTuple):
    """The tokens of some lines that have several sentences each."""

    ids: NDArray[np.int32]
    """The ids of all tokens, sentence after sentence."""
    offsets: Ints
    """Where each sentence begins in ids, and at last the number of ids: [sentences + 1]."""
    firsts: Ints
    """The first sentence of each line, and at last the number of sentences: [lines + 1]."""

    @property
    def as_lines(self) -> Encoded:
        """The same with each line as one sequence of tokens."""
        return Encoded(self.ids, self.offsets[self.firsts])


MAX_SKIPPED = 100_000
"""The longest line, in tokens, of which skip_bigrams() counts pairs with any gap.

Their number is quadratic.
"""

MAX_CELLS = 1 << 32
"""The most pairs of tokens of two sentences that are aligned with weights.

A pair takes a nanosecond or two.
"""

BEAM = 25
"""How many columns on each side of the diagonal edit_rate() computes.

If the numbers of rows and columns differ very much, it computes more.
"""

LONGEST_SHIFT = 10
"""The most tokens of a block that edit_rate() shifts."""

FARTHEST = 50
"""The most tokens between the positions in output and reference of a block that is shifted."""

MOST_SHIFTS = 1000
"""How many shifts edit_rate() tries for an output and a reference before it stops shifting."""

MAX_BEAM_CELLS = 1 << 27
"""The most cells that edit_rate() computes for an alignment, which take about half a gigabyte."""


def check_lines(texts: Sequence[Lines]) -> None:
    """Raise ValueError for lines that reach outside of their data.

    The compiled kernel would read foreign memory.
    """
    for text in texts:
        if len(text.starts) != len(text.ends):
            raise ValueError("lines: there are not as many ends as starts")
        inside = (
            (text.starts >= 0)
            & (text.starts <= text.ends)
            & (text.ends <= len(text.data))
        )
        if not inside.all():
            raise ValueError("lines: they reach outside of the data")


def check_overlap(
    source: Encoded | None,
    references: Texts,
    systems: Texts,
    order: int,
    kinds: Sequence[str],
) -> None:
    """Check the arguments of overlap().

    Raises KeyError for an unknown kind, LongTextError for a line whose source and references have
    more than MAX_NGRAMS n-grams, and ValueError for an order outside of 1 to MAX_ORDER and texts
    that do not fit together.
    """
    import numpy as np

    check_order(order, kinds)
    sources = [] if source is None else [source]
    check_parallel(references, [*sources, *systems])
    compared = [*references, *sources]
    # only if all lines together have too many can one line have too many
    if sum(len(text.ids) for text in compared) * order > MAX_NGRAMS:
        sizes = np.sum([_lengths(text.offsets) for text in compared], axis=0)
        check_sizes(sizes, order)


def _lengths(offsets: Ints) -> Ints:
    """Return the length of each line from the beginnings of all."""
    return offsets[1:] - offsets[:-1]


def check_sizes(sizes: Ints, order: int) -> None:
    """Raise LongTextError for the first line with more than MAX_NGRAMS n-grams of 1 to `order`.

    `sizes` is the number of tokens in source and references together: int64 [lines].
    """
    too_long = sizes * order > MAX_NGRAMS
    if too_long.any():
        line = int(too_long.argmax())
        texts = f"source and references of {sizes[line]:,} tokens"
        message = f"{texts} have too many n-grams (at most {MAX_NGRAMS:,})"
        raise LongTextError(0, line, message)


def check_order(order: int, kinds: Sequence[str]) -> None:
    """Raise ValueError for an order outside of 1 to MAX_ORDER, and KeyError for an unknown kind."""
    if not 1 <= order <= MAX_ORDER:
        raise ValueError(f"order: expected 1 to {MAX_ORDER}, found {order}")
    for kind in kinds:
        if kind not in COUNTED:
            raise KeyError(kind)


def check_parallel(references: Texts, others: Texts) -> None:
    """Raise ValueError for texts that do not fit together.

    There must be a reference, all texts must have equally many lines, offsets must rise from 0 to
    at most the number of ids, and no id may be below 0.
    """
    if not references:
        raise ValueError("references: at least one is needed")
    for text in [*references, *others]:
        offsets = text.offsets
        if len(offsets) != len(references[0].offsets) or len(offsets) == 0:
            raise ValueError("texts: they have different numbers of lines")
        check_rising(offsets, len(text.ids))
        if text.ids.size and text.ids.min() < 0:
            raise ValueError("texts: ids are below 0")


def check_rising(offsets: Ints, size: int) -> None:
    """Raise ValueError unless offsets rise from 0 to at most `size`."""
    if (
        offsets[0] != 0
        or offsets[-1] > size
        or (offsets[1:] < offsets[:-1]).any()
    ):
        raise ValueError(
            "texts: offsets do not rise from 0 to the number of ids"
        )


def check_sentences(
    references: Sequence[Sentences], systems: Sequence[Sentences]
) -> None:
    """Raise ValueError for texts that do not fit together, as check_parallel() does.

    Sentences must fit to the ids, and lines to the sentences.
    """
    for text in [*references, *systems]:
        if len(text.offsets) == 0 or len(text.firsts) == 0:
            raise ValueError("texts: they have different numbers of lines")
        check_rising(text.offsets, len(text.ids))
        check_rising(text.firsts, len(text.offsets) - 1)
    check_parallel(
        [text.as_lines for text in references],
        [text.as_lines for text in systems],
    )


def check_allowed(
    references: Sequence[Sentences],
    systems: Sequence[Sentences],
    allowed: Allowed | None,
) -> None:
    """Raise ValueError unless `allowed` is None, or has a text for each system with each reference.

    allowed[system][reference] has as many lines as the references. Its n-grams limit the hits; None
    sets no limit.
    """
    if allowed is None:
        return
    if [len(texts) for texts in allowed] != [len(references)] * len(systems):
        raise ValueError(
            "allowed: expected a text for each system with each reference"
        )
    check_parallel(
        [text.as_lines for text in references], [*itertools.chain(*allowed)]
    )


def check_skip(references: Texts, systems: Texts, gap: int) -> None:
    """Check the arguments of skip_bigrams().

    Raises ValueError as check_parallel() does, and LongTextError if the gap has no limit (it is
    below 0) and a line is longer than MAX_SKIPPED.
    """
    check_parallel(references, systems)
    if gap >= 0:
        return
    for number, text in enumerate([*references, *systems]):
        sizes = _lengths(text.offsets)
        too_long = sizes > MAX_SKIPPED
        if too_long.any():
            line = int(too_long.argmax())
            message = (
                f"{sizes[line]:,} tokens have too many skip bigrams without a limit to the gap "
                f"(at most {MAX_SKIPPED:,} tokens); ask for a gap, such as S4 or SU4"
            )
            raise LongTextError(number, line, message)


def check_weighted(
    references: Sequence[Sentences],
    systems: Sequence[Sentences],
    powers: Floats,
) -> None:
    """Check the arguments of weighted_lcs() and weighted_union().

    `powers` has the weight of each run length, from 0 tokens. Raises ValueError as
    check_sentences() does, and if `powers` has no weight for the longest sentence. Raises
    LongTextError if the lengths of two sentences of a line, multiplied, exceed MAX_CELLS.
    """
    check_sentences(references, systems)
    longest = [_longest(text) for text in [*references, *systems]]
    longest_of_all = max(int(lengths.max(initial=0)) for lengths in longest)
    if longest_of_all >= len(powers):
        raise ValueError(
            "powers: there are fewer than the longest sentence has tokens"
        )
    for text in range(len(references), len(longest)):
        output_lengths = longest[text]
        for reference_lengths in longest[: len(references)]:
            too_long = output_lengths * reference_lengths > MAX_CELLS
            if too_long.any():
                line = int(too_long.argmax())
                sizes = f"sentences of {reference_lengths[line]:,} and {output_lengths[line]:,} tokens"
                message = (
                    f"{sizes} are too long to be aligned with weights (ROUGE-W)"
                )
                raise LongTextError(text, line, message)


def _longest(text: Sentences) -> Ints:
    """Return how many tokens the longest sentence of each line has: int64 [lines]."""
    import numpy as np

    lengths = _lengths(text.offsets)[: text.firsts[-1]]
    firsts = text.firsts[:-1]
    longest = np.zeros(len(firsts), np.int64)
    # reduceat() cannot reduce the range of a line without sentences
    has_sentences = _lengths(text.firsts) > 0
    if has_sentences.any():
        starts = firsts[has_sentences]
        longest[has_sentences] = np.maximum.reduceat(lengths, starts)
    return longest


def check_edit_rate(references: Texts, systems: Texts) -> None:
    """Check the arguments of edit_rate().

    Raises ValueError as check_parallel() does, and LongTextError if the beam of an output and a
    reference has more than MAX_BEAM_CELLS cells.
    """
    check_parallel(references, systems)
    for text, system in enumerate(systems, len(references)):
        rows = _lengths(system.offsets)
        for reference in references:
            columns = _lengths(reference.offsets)
            # The beam is the wider the more columns there are for a row, hence both terms.
            cells = 2 * (BEAM + 1) * rows + 2 * columns
            too_long = cells > MAX_BEAM_CELLS
            if too_long.any():
                line = int(too_long.argmax())
                sizes = f"{rows[line]:,} and {columns[line]:,} tokens"
                message = f"output and reference of {sizes} are too long for the edits of TER"
                raise LongTextError(text, line, message)


# --- samplers of references, and what both kernels check before they draw


SAMPLERS = ("python2", "python3", "numpy")
"""Samplers that a metric can ask for; see the functions of these names in `python/draws.py`."""
BALANCED = ("turned", "all")
"""Samplers of the expected score."""

SEED_STEP = 101
"""The seed of an iteration is so many times its number."""
MOST_DRAWN = 255
"""The most references that can be drawn from: a draw is a byte."""


def check_drawer(
    sampler: str, iterations: Iterable[int], references: int
) -> list[int]:
    """Return the numbers of the iterations.

    Raises ValueError if a Drawer cannot be made for its arguments.
    """
    if sampler not in SAMPLERS + BALANCED:
        raise ValueError(
            f"sampler: expected one of {', '.join(SAMPLERS + BALANCED)}, found '{sampler}'"
        )
    if not 1 <= references <= MOST_DRAWN:
        raise ValueError(
            f"references: expected 1 to {MOST_DRAWN}, found {references}"
        )
    numbers = list(iterations)
    if numbers and not 0 <= min(numbers) <= max(numbers) < 2**32 // SEED_STEP:
        raise ValueError(
            f"iterations: expected numbers of which {SEED_STEP} times is below 2**32"
        )
    return numbers


def check_present(present: Ints | None, lines: int, references: int) -> None:
    """Raise ValueError if the number of lines is below 0 or `present` does not fit.

    `present` is how many references each line has, 1 to `references`: int64 [lines]. None: every
    line has all.
    """
    if lines < 0:
        raise ValueError(f"lines: expected 0 or more, found {lines}")
    if present is None:
        return
    if present.shape != (lines,):
        raise ValueError(
            f"present: expected a number for each of {lines} lines"
        )
    if lines and not 1 <= present.min() <= present.max() <= references:
        raise ValueError(
            f"present: expected 1 to {references} references for each line"
        )


def check_terms(terms: Sequence[Ints], references: int) -> int:
    """Check terms, and return their number of lines.

    Each term is a C-contiguous array, int64 [lines, references, width], with a width of its own.
    `references` is the number of references. Raises ValueError for anything else.
    """
    shape = f"[lines, {references}, width], with as many lines for all"
    if not terms:
        raise ValueError(f"terms: expected the shape {shape}")
    lines = len(terms[0])
    for term in terms:
        if term.ndim != 3 or term.shape[:2] != (lines, references):
            raise ValueError(f"terms: expected the shape {shape}")
        if term.dtype != "int64" or not term.flags.c_contiguous:
            raise ValueError("terms: expected int64 arrays, in the order of C")
    return lines
