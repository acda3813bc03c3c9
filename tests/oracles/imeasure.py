"""What the tests of I-measure share: a naive three-way alignment, texts of ids, and the golden cases."""

from __future__ import annotations

import json
import tarfile
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipeline.corpus.edits.correction_references import split_words
from pipeline.corpus.edits.correction_xml import read_corrections
from pipeline.kernel.common import Encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pipeline.arrays import Ints
    from pipeline.corpus.edits.correction_references import CorrectedSentence

ORDER = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
"""Which sequences a move takes a token of: the order of section "Alignment" of the paper's program, read and run."""


def naive_columns(*texts: Sequence[int]) -> list[int]:
    """Count the columns of the full three-way alignment, by the definition: c_tp, tn, d_fp, d_fn, fpn."""
    counts = [0] * 5
    for column in naive_alignment(*texts):
        counts[naive_kind(column)] += 1
    return counts


def naive_kind(column: Sequence[int]) -> int:
    """Return which of the five counts a column of tokens belongs to."""
    s, h, r = column
    return (1 if h == r else 3) if s == h else 2 if s == r else 0 if h == r else 4


def naive_alignment(*texts: Sequence[int]) -> list[list[int]]:
    """Return the columns of the full three-way alignment, by the definition; -1 is a gap."""

    def column(at: tuple[int, ...], move: tuple[int, ...]) -> list[int]:
        return [text[i - 1] if taken else -1 for text, i, taken in zip(texts, at, move, strict=True)]

    def price(a: int, b: int) -> int:
        return 0 if a == b else 2 if -1 in (a, b) else 3

    @cache
    def best(at: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """The cost of a cell and the first move that attains it."""
        ways = [(0, (0, 0, 0))] if not any(at) else []
        for move in ORDER:
            if all(i >= taken for i, taken in zip(at, move, strict=True)):
                s, h, r = column(at, move)
                before = best(tuple(i - taken for i, taken in zip(at, move, strict=True)))[0]
                ways.append((before + price(s, h) + price(s, r) + price(h, r), move))
        return min(ways, key=lambda way: way[0])

    columns, at = list[list[int]](), tuple(map(len, texts))
    while any(at):
        move = best(at)[1]
        columns.insert(0, column(at, move))
        at = tuple(i - taken for i, taken in zip(at, move, strict=True))
    return columns


class Vocabulary(dict[str, int]):
    """Ids of words: one for each call of encode()."""

    def text(self, lines: Iterable[Sequence[str]]) -> Encoded:
        """Return lines of words as the kernel takes them."""
        return ids_of([[self.setdefault(word, len(self)) for word in line] for line in lines])


def ids_of(lines: Sequence[Sequence[int]]) -> Encoded:
    """Return lines of ids as the kernel takes them."""
    offsets = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    return Encoded(np.array([token for line in lines for token in line], np.int32), offsets)


def firsts_of(groups: Iterable[Sequence[Any]]) -> Ints:
    """Return the first number of each group, and at last how many there are in all."""
    return np.cumsum([0, *map(len, groups)], dtype=np.int64)


class Golden(NamedTuple):
    """The 3,000 random sentences, and what the official functions said of them."""

    sentences: list[CorrectedSentence]
    outputs: list[tuple[str, ...]]
    nomix: list[Any]
    """For each: references, the chosen one, its five counts, tn and fn of its baseline, and [D.TP, C.FP, C.FN]."""
    mix: list[Any]
    """The same with mixing, or None where the official program crashes. The last row of both is the final scores."""


def golden(shared: Path, folder: Path) -> Golden:
    """Unpack the golden cases into a folder, and read them."""
    with tarfile.open(shared / "edits" / "golden" / "imeasure" / "cases.tar.gz") as packed:
        packed.extractall(folder, filter="data")
    rows = [
        [json.loads(line) for line in (folder / f"official.{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        for name in ("nomix", "mix")
    ]
    lines = (folder / "hyp.txt").read_text(encoding="utf-8").split("\n")[:-1]
    return Golden(corrections(folder / "gold.xml"), [split_words(line) for line in lines], rows[0], rows[1])


def corrections(path: Path) -> list[CorrectedSentence]:
    """Read the sentences of a gold file."""
    return [placed.sentence for placed in read_corrections(path, str(path))]
