"""Records of edits (`corpus/edits/records.py`) to arrays: the gold edits of MaxMatch, as its program has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..gold_edits import GoldRecords
from ..lines import Lines, join_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

NONE = "-NONE-"


def gold_records(source: Lines, records: Sequence[Lines]) -> GoldRecords:
    """Return the edits that count, of the annotators of some sentences, whose records `records` has for each annotator.

    An edit that reaches beyond its sentence does not count, nor does one of type noop. Of alternatives (a||b) each may
    match. Records are as `record_of()` makes them of lines that were checked; raises ValueError for others, and where
    there is not one for each sentence.
    """
    if any(len(own.starts) != len(source.starts) for own in records):
        raise ValueError("records: expected one for each sentence")
    heads = np.full((len(source.starts), len(records), 2), -1, np.int64)
    sizes, spans, counts, corrections = list[int](), list[tuple[int, int]](), list[int](), list[str]()
    for line, (text, *own) in enumerate(zip(source.texts(), *(each.texts() for each in records), strict=True)):
        tokens = len(text.decode().split())
        for place, record in enumerate(own):
            before = len(spans)
            head, *edits = record.decode().split("\n")
            if head:
                heads[line, place] = _numbers(head, 3)[:2]
            for edit in edits:
                span, type_, correction, _, _, _ = edit.removeprefix("A ").split("|||")
                start, end = _numbers(span, 2)
                if type_ != "noop" and 0 <= start <= tokens and 0 <= end <= tokens:
                    possible = _possible(correction)
                    spans.append((start, end))
                    counts.append(len(possible))
                    corrections += possible
            sizes.append(len(spans) - before)
    bounds = np.array(spans, np.int32).reshape(len(spans), 2)
    texts = join_lines(text.encode() for text in corrections)
    return GoldRecords(heads, _offsets(sizes), bounds[:, 0].copy(), bounds[:, 1].copy(), _offsets(counts), texts)


def _numbers(text: str, count: int) -> list[int]:
    numbers = [int(number) for number in text.split()]
    if len(numbers) != count:
        raise ValueError(f"expected {count} numbers, found '{text}'")
    return numbers


def _possible(correction: str) -> list[str]:
    """Return the alternatives that can match: outputs are compared as tokens with a blank between."""
    texts = ["" if text == NONE else text.strip() for text in correction.split("||")]
    return [text for text in texts if text == " ".join(text.split())]


def _offsets(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(sizes, np.int64))])
