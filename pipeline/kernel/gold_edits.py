"""What gold_records() and max_match() take and return: edits of annotators, counts, proposed edits;
limits, checks.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Ints
from ..errors import LongTextError
from .common import Encoded, Lines, Texts, check_parallel, join_lines

MAX_ARCS = 20_000_000
"""The most arcs (with repetitions) of a lattice that is searched exactly. Such a one takes 750 MB
and some seconds."""

MOST_ARCS = 1 << 30
"""The highest value of max_arcs."""

MAX_LATTICE = 1 << 27
"""The most cells, source tokens + 1 times output tokens + 1, of a pair of lines that differ. A cell
takes a byte."""

MAX_ROW = 1 << 22
"""The most states in a row of the linear method: output tokens + 1 times max_unchanged + 2."""

MAX_STATES = 1 << 29
"""The most states of the linear method in all rows. A state takes some nanoseconds for each
annotator."""

MAX_CHECKED = 1 << 28
"""The most cells in which the linear method looks for gold edits of an annotator in a line."""

MAX_UNCHANGED = 1 << 14
"""The highest limit to the unchanged tokens of an edit. No lattice within MAX_LATTICE has a longer
diagonal."""


class GoldEdits(NamedTuple):
    """The edits of all annotators of some lines, in the order of the file."""

    firsts: Ints
    """The first edit of each line and annotator, and at last the number of edits: [lines *
    annotators + 1]. The edits of line i by annotator a are firsts[i * annotators + a] up to but not
    firsts[i * annotators + a + 1]."""
    starts: NDArray[np.int32]
    """The first token of the source that an edit replaces."""
    ends: NDArray[np.int32]
    """The token behind the last that it replaces. An edit that ends before it starts is gold and
    never matches."""
    alternatives: Ints
    """The first correction of each edit in corrections, and at last the number of corrections:
    [edits + 1]."""
    corrections: Any
    """The tokens of each correction, as Encoded in the same call as source and outputs. A
    correction that can never match, because of white space in it that is no single blank, is not
    among them."""


class GoldRecords(NamedTuple):
    """What gold_records() returns: the edits of some lines, whose corrections are texts, and whose
    they are.
    """

    heads: Ints
    """The place of each annotator among those of the line, and the annotator's number; both are -1
    for one who has no record for the line: [lines, annotators, 2]."""
    edits: GoldEdits
    """Its `corrections` are Lines: the text of each correction that can match, tokens with single
    blanks between."""


class ProposedEdits(NamedTuple):
    """The edits that outputs are taken to have made."""

    offsets: Ints
    """The first edit of each system, line and annotator, and at last the number of edits:
    [systems * lines * annotators + 1]."""
    spans: NDArray[np.int32]
    """Source tokens from and up to but not, then output tokens from and up to but not: [edits, 4].
    """
    compared: NDArray[np.int32]
    """The span of source tokens that was compared with gold edits: [edits, 2]. It is that of
    `spans`, but for edits in front of the first source token with the code 3.2."""
    hits: NDArray[np.int32]
    """How many gold edits each matches: [edits]. More than one where a gold edit is given twice."""
    matched: NDArray[np.uint8]
    """Whether each gold edit was matched: [systems, gold edits]."""


class MaxMatches(NamedTuple):
    """What max_match() returns."""

    correct: Ints
    """How many gold edits were matched: [systems, lines, annotators]."""
    proposed: Ints
    """How many edits the output made, divided as suits the annotator best: [systems, lines,
    annotators]."""
    reduced: Bools
    """Where the lattice had too many arcs, so that the linear method was used: [systems, lines]."""
    edits: ProposedEdits | None
    """The proposed edits themselves, where they were asked for."""


def check_max_match(
    source: Encoded,
    systems: Texts,
    gold: GoldEdits,
    annotators: int,
    max_unchanged: int,
    folded: Sequence[bytes] | None,
    max_arcs: int,
) -> None:
    """Check the arguments of max_match(); raises ValueError for what does not fit together."""
    check_parallel([source], systems)
    if annotators < 1:
        raise ValueError(f"annotators: expected at least 1, found {annotators}")
    if not 0 <= max_unchanged <= MAX_UNCHANGED:
        raise ValueError(f"max_unchanged: expected 0 to {MAX_UNCHANGED}, found {max_unchanged}")
    if not 0 <= max_arcs <= MOST_ARCS:
        raise ValueError(f"max_arcs: expected 0 to {MOST_ARCS}, found {max_arcs}")
    highest = max(int(text.ids.max(initial=-1)) for text in [source, *systems])
    if folded is not None and len(folded) <= highest:
        raise ValueError(f"folded: there are {len(folded)} tokens, but ids reach {highest}")
    # Raise ValueError for gold edits that do not fit lines of these numbers of tokens.
    sizes = source.offsets[1:] - source.offsets[:-1]
    edits = len(gold.starts)
    lengths = len(gold.firsts), len(gold.ends), len(gold.alternatives)
    if lengths != (len(sizes) * annotators + 1, edits, edits + 1):
        raise ValueError("gold: its arrays do not fit lines, annotators and each other")
    check_parallel([gold.corrections], [])
    for offsets, last in (
        (gold.firsts, edits),
        (gold.alternatives, len(gold.corrections.offsets) - 1),
    ):
        if offsets[0] != 0 or offsets[-1] != last or (offsets[1:] < offsets[:-1]).any():
            raise ValueError(
                "gold: offsets do not rise from 0 to the number of edits or corrections"
            )
    bounds = np.repeat(sizes, np.diff(gold.firsts[::annotators]))
    for places in (gold.starts, gold.ends):
        if ((places < 0) | (places > bounds)).any():
            raise ValueError("gold: edits reach outside of their lines")


def too_long(system: int, line: int, tokens: int, output: int) -> LongTextError:
    """Return the error for a pair of lines that cannot be compared in bounded memory; the source is
    text 0.
    """
    message = f"an output of {output:,} tokens and a source of {tokens:,} are too long for MaxMatch"
    return LongTextError(1 + system, line, message)


def gold_records(source: Lines, records: Sequence[Lines]) -> GoldRecords:
    """Return the edits that count, of the annotators of some sentences, whose records `records` has
    for each annotator.

    An edit that reaches beyond its sentence does not count, nor does one of type noop. Of
    alternatives (a||b) each may match. Records are as `record_of()` makes them of lines that were
    checked; raises ValueError for others, and where there is not one for each sentence."""
    if any(len(own.starts) != len(source.starts) for own in records):
        raise ValueError("records: expected one for each sentence")
    heads, sizes, spans, counts = list[int](), list[int](), list[tuple[int, int]](), list[int]()
    corrections = list[bytes]()
    for text, *own in zip(source.texts(), *(each.texts() for each in records), strict=True):
        tokens = len(text.decode().split())
        for record in own:
            before = len(spans)
            head, *edits = record.decode().split("\n")
            number, annotator, _ = map(int, head.split()) if head else (-1, -1, -1)
            heads += number, annotator
            for span, possible in map(_counting, edits):
                if 0 <= span[0] <= tokens and 0 <= span[1] <= tokens:
                    spans.append(span)
                    counts.append(len(possible))
                    corrections += possible
            sizes.append(len(spans) - before)
    bounds = np.fromiter(chain.from_iterable(spans), np.int32, 2 * len(spans)).reshape(
        len(spans), 2
    )
    starts, ends = bounds[:, 0].copy(), bounds[:, 1].copy()
    own_edits = GoldEdits(_offsets(sizes), starts, ends, _offsets(counts), join_lines(corrections))
    return GoldRecords(
        np.array(heads, np.int64).reshape(len(source.starts), len(records), 2), own_edits
    )


@lru_cache(1 << 14)
def _counting(edit: str) -> tuple[tuple[int, int], list[bytes]]:
    """Return the span of an edit, (-1, -1) of a noop, and the alternatives that can match: tokens
    with single blanks.

    Nobody may change them: many edits of a file are written alike.
    """
    span, type_, correction, _, _, _ = edit.removeprefix("A ").split("|||")
    start, end = map(int, span.split())
    kept = [text.encode() for text in alternatives(correction) if text == " ".join(text.split())]
    return (-1, -1) if type_ == "noop" else (start, end), kept


def alternatives(correction: str) -> list[str]:
    """Return the alternatives of a correction (a||b), of which -NONE- is an empty text."""
    return ["" if text == "-NONE-" else text.strip() for text in correction.split("||")]


def _offsets(sizes: Sequence[int]) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(sizes, np.int64))])
