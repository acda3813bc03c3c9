"""What max_match() takes and returns, its limits, and checks of arguments."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.arrays import Bools, Ints
from pipeline.errors import LongTextError
from pipeline.kernel.common import Encoded, Texts, check_parallel

MAX_ARCS = 20_000_000
"""The most arcs (with repetitions) of a lattice that is searched exactly.

Such a lattice takes 750 MB and some seconds.
"""

MAX_MAX_ARCS = 1 << 30
"""The highest value of max_arcs."""

MAX_LATTICE = 1 << 27
"""The most cells of a pair of lines that differ: source tokens + 1 times output tokens + 1.

A cell takes a byte.
"""

MAX_ROW = 1 << 22
"""The most states in a row of the linear method: output tokens + 1 times max_unchanged + 2."""

MAX_STATES = 1 << 29
"""The most states of the linear method in all rows.

A state takes some nanoseconds for each annotator.
"""

MAX_CHECKED = 1 << 28
"""The most cells in which the linear method looks for gold edits of an annotator in a line."""

MAX_UNCHANGED = 1 << 14
"""The highest limit to the unchanged tokens of an edit.

No lattice within MAX_LATTICE has a longer diagonal.
"""


class GoldEdits(NamedTuple):
    """The edits of all annotators of some lines, in the order of the file."""

    firsts: Ints
    """The first edit of each line and annotator: [lines * annotators + 1].

    The last is the number of edits. The edits of line i by annotator a are firsts[i * annotators +
    a] up to but not firsts[i * annotators + a + 1].
    """
    starts: NDArray[np.int32]
    """The first token of the source that an edit replaces."""
    ends: NDArray[np.int32]
    """The token behind the last that it replaces.

    An edit that ends before it starts is gold and never matches.
    """
    alternatives: Ints
    """The first correction of each edit in corrections: [edits + 1].

    The last is the number of corrections.
    """
    corrections: Any
    """The tokens of each correction, as Encoded in the same call as source and outputs.

    A correction that can never match, because of white space in it that is no single blank, is not
    among them.
    """


class GoldRecords(NamedTuple):
    """The edits of some lines, with corrections as texts, and their annotators."""

    heads: Ints
    """The position of each annotator among those of the line, and the annotator's number.

    Both are -1 for one who has no record for the line: [lines, annotators, 2].
    """
    edits: GoldEdits
    """Its `corrections` are Lines: each correction that can match, tokens joined by single blanks."""


class ProposedEdits(NamedTuple):
    """The edits that outputs are taken to have made."""

    offsets: Ints
    """The first edit of each system, line and annotator: [systems * lines * annotators + 1].

    The last is the number of edits.
    """
    spans: NDArray[np.int32]
    """Source tokens from and up to but not, then output tokens from and up to but not: [edits, 4]."""
    compared: NDArray[np.int32]
    """The span of source tokens that was compared with gold edits: [edits, 2].

    It is that of `spans`, but for edits in front of the first source token with the code 3.2.
    """
    hits: NDArray[np.int32]
    """How many gold edits each matches: [edits]. More than one if a gold edit is listed twice."""
    matched: NDArray[np.uint8]
    """Whether each gold edit was matched: [systems, gold edits]."""


class MaxMatches(NamedTuple):
    """What max_match() returns."""

    correct: Ints
    """How many gold edits were matched: [systems, lines, annotators]."""
    proposed: Ints
    """How many edits the output made, divided as suits the annotator best.

    The shape is [systems, lines, annotators].
    """
    reduced: Bools
    """Where the lattice had too many arcs, so that the linear method was used: [systems, lines]."""
    edits: ProposedEdits | None
    """The proposed edits themselves, if they were requested."""


def check_max_match(
    source: Encoded,
    systems: Texts,
    gold: GoldEdits,
    annotators: int,
    max_unchanged: int,
    folded: Sequence[bytes] | None,
    max_arcs: int,
) -> None:
    """Check the arguments of max_match(); raises ValueError for what does not fit together.

    That is texts with different numbers of lines, numbers outside of their limits, `folded` without
    a text for each id, and gold edits of other lines or annotators, or beyond their lines.
    """
    check_parallel([source], systems)
    if annotators < 1:
        raise ValueError(f"annotators: expected at least 1, found {annotators}")
    if not 0 <= max_unchanged <= MAX_UNCHANGED:
        raise ValueError(
            f"max_unchanged: expected 0 to {MAX_UNCHANGED}, found {max_unchanged}"
        )
    if not 0 <= max_arcs <= MAX_MAX_ARCS:
        raise ValueError(
            f"max_arcs: expected 0 to {MAX_MAX_ARCS}, found {max_arcs}"
        )
    highest = max(int(text.ids.max(initial=-1)) for text in [source, *systems])
    if folded is not None and len(folded) <= highest:
        raise ValueError(
            f"folded: there are {len(folded)} tokens, but ids reach {highest}"
        )
    # the arrays of gold edits must fit each other
    tokens_of_lines = np.diff(source.offsets)
    edits = len(gold.starts)
    lengths = (len(gold.firsts), len(gold.ends), len(gold.alternatives))
    cells = len(tokens_of_lines) * annotators
    if lengths != (cells + 1, edits, edits + 1):
        raise ValueError(
            "gold: its arrays do not fit lines, annotators and each other"
        )
    check_parallel([gold.corrections], [])
    _check_offsets(gold.firsts, edits)
    _check_offsets(gold.alternatives, len(gold.corrections.offsets) - 1)

    # and each edit its line
    edits_of_lines = np.diff(gold.firsts[::annotators])
    last_positions = np.repeat(tokens_of_lines, edits_of_lines)
    for positions in (gold.starts, gold.ends):
        if ((positions < 0) | (positions > last_positions)).any():
            raise ValueError("gold: edits reach outside of their lines")


def _check_offsets(offsets: Ints, last: int) -> None:
    if (
        offsets[0] != 0
        or offsets[-1] != last
        or (offsets[1:] < offsets[:-1]).any()
    ):
        raise ValueError(
            "gold: offsets do not rise from 0 to the number of edits or corrections"
        )


def too_long(system: int, line: int, tokens: int, output: int) -> LongTextError:
    """Return the error for a pair of lines that cannot be compared in bounded memory.

    The source is text 0.
    """
    message = f"an output of {output:,} tokens and a source of {tokens:,} are too long for MaxMatch"
    return LongTextError(1 + system, line, message)
