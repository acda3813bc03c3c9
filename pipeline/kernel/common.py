"""What both kernels share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..errors import LongTextError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .lines import Lines


FOLDS = ("google", "perl")
"""How words() can fold text: lower-cased as str.lower() does, or its ASCII letters alone; then runs of a-z and 0-9."""

SPLITS = ("whitespace", "ascii_whitespace", "blank", "char", "nonspace", "chrf", "13a", "zh", "intl")
"""How encode() can split lines."""

KINDS = ("match", "penalty", "source_only", "common", "source_match")
"""What overlap() can count with each reference."""

MERGED_KINDS = ("union_match", "new_match", "gone_match", "added_match", "removed_match", "added")
"""What overlap() can count with all references merged by maximum count."""


WITHOUT_OUTPUT = frozenset({"source_match", "added"})
"""Kinds that do not look at the output: n-grams that it has not count too."""

MAX_ORDER = 16
"""The longest n-grams that overlap() counts."""


class Encoded(NamedTuple):
    """Tokens of some lines: int32 ids, and int64 offsets, one more than lines, of each line's first id."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]


class Words(NamedTuple):
    """What words() returns: each text's ids; the words, behind one another in bytes; int64 end of each word there."""

    texts: list[Encoded]
    data: bytes
    ends: NDArray[np.int64]


class Sentences(NamedTuple):
    """Texts of several sentences: int32 ids, int64 offsets of each sentence's first id, and each line's first sentence.

    offsets are one more than sentences, firsts one more than lines.
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    firsts: NDArray[np.int64]

    @property
    def whole(self) -> Encoded:
        """The same with each line as one sequence of tokens."""
        return Encoded(self.ids, self.offsets[self.firsts])


MAX_SKIPPED = 100_000
"""Tokens in a line up to which skip_bigrams() counts pairs without a limit to their gap: their number is quadratic."""
MAX_CELLS = 1 << 32
"""Pairs of tokens of two sentences up to which they are aligned with weights (a pair takes a nanosecond or two)."""


def check_texts(texts: Sequence[Lines], split: str) -> None:
    """Check what encode() is given, before memory is read: KeyError for the split, ValueError for impossible lines."""
    if split not in SPLITS:
        raise KeyError(split)
    check_lines(texts)


def check_lines(texts: Sequence[Lines]) -> None:
    """Raise ValueError for lines that are not in their data."""
    for text in texts:
        if len(text.starts) != len(text.ends):
            raise ValueError("lines: there are not as many ends as starts")
        inside = (text.starts >= 0) & (text.starts <= text.ends) & (text.ends <= len(text.data))
        if not inside.all():
            raise ValueError("lines: they reach outside of the data")


def check_overlap(
    source: Encoded | None, references: Sequence[Encoded], systems: Sequence[Encoded], order: int, kinds: Sequence[str]
) -> None:
    """Check what overlap() is given, before memory is read: ValueError, and KeyError for an unknown kind."""
    if not 1 <= order <= MAX_ORDER:
        raise ValueError(f"order: expected 1 to {MAX_ORDER}, found {order}")
    for kind in kinds:
        if kind not in KINDS and kind not in MERGED_KINDS:
            raise KeyError(kind)
    check_parallel(references, [*([] if source is None else [source]), *systems])


def check_parallel(references: Sequence[Encoded], others: Sequence[Encoded]) -> None:
    """Raise ValueError unless there is a reference, all texts have equally many lines, and offsets are sound."""
    if not references:
        raise ValueError("references: at least one is needed")
    for text in [*references, *others]:
        offsets = text.offsets
        if len(offsets) != len(references[0].offsets) or len(offsets) == 0:
            raise ValueError("texts: they have different numbers of lines")
        _check_rising(offsets, len(text.ids))
        if text.ids.size and text.ids.min() < 0:
            raise ValueError("texts: ids are below 0")


def _check_rising(offsets: NDArray[np.int64], size: int) -> None:
    if offsets[0] != 0 or offsets[-1] > size or (offsets[1:] < offsets[:-1]).any():
        raise ValueError("texts: offsets do not rise from 0 to the number of ids")


def check_sentences(references: Sequence[Sentences], systems: Sequence[Sentences]) -> None:
    """Check texts of sentences as check_parallel() does."""
    for text in [*references, *systems]:
        if len(text.offsets) == 0 or len(text.firsts) == 0:
            raise ValueError("texts: they have different numbers of lines")
        _check_rising(text.offsets, len(text.ids))
        _check_rising(text.firsts, len(text.offsets) - 1)
    check_parallel([text.whole for text in references], [text.whole for text in systems])


def check_skip(references: Sequence[Encoded], systems: Sequence[Encoded], gap: int) -> None:
    """Check what skip_bigrams() is given; LongTextError where gap is below 0 and a line is longer than MAX_SKIPPED."""
    check_parallel(references, systems)
    for number, text in enumerate([*references, *systems] if gap < 0 else []):
        sizes = text.offsets[1:] - text.offsets[:-1]
        if (sizes > MAX_SKIPPED).any():
            line = int((sizes > MAX_SKIPPED).argmax())
            message = f"{sizes[line]:,} tokens have too many skip bigrams without a limit to the gap (at most "
            raise LongTextError(number, line, f"{message}{MAX_SKIPPED:,} tokens); ask for a gap, such as S4 or SU4")


def check_weighted(references: Sequence[Sentences], systems: Sequence[Sentences], powers: NDArray[np.float64]) -> None:
    """Check what weighted_lcs() and weighted_union() are given.

    ValueError where powers do not reach to the longest sentence; LongTextError where two sentences of a line are
    longer than MAX_CELLS together.
    """
    check_sentences(references, systems)
    longest = [_longest(text) for text in [*references, *systems]]
    if max(int(sizes.max(initial=0)) for sizes in longest) >= len(powers):
        raise ValueError("powers: there are fewer than the longest sentence has tokens")
    for number, system in enumerate(longest[len(references) :], len(references)):
        for reference in longest[: len(references)]:
            wrong = system * reference > MAX_CELLS
            if wrong.any():
                line = int(wrong.argmax())
                sizes = f"sentences of {reference[line]:,} and {system[line]:,} tokens"
                raise LongTextError(number, line, f"{sizes} are too long to be aligned with weights (ROUGE-W)")


def _longest(text: Sentences) -> NDArray[np.int64]:
    """Return the tokens of the longest sentence of each line: int64 [lines]."""
    sizes = text.offsets[1:] - text.offsets[:-1]
    longest = text.firsts[:-1] * 0
    full = text.firsts[:-1] < text.firsts[1:]
    if full.any():
        import numpy as np

        ends = sizes[: text.firsts[-1]]
        longest[full] = np.maximum.reduceat(ends, text.firsts[:-1][full])
    return longest
