"""What the tests of I-measure share: the official rules written naively, texts of ids, and the
golden cases.
"""

from __future__ import annotations

import itertools
import json
import math
import tarfile
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tests.support.kernels import encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pipeline.arrays import Ints
    from pipeline.extensions.edits.correction_references import (
        Alternative,
        CorrectedSentence,
    )
    from pipeline.kernel.common import Encoded

ORDER = (
    (1, 1, 1),
    (1, 1, 0),
    (1, 0, 1),
    (0, 1, 1),
    (1, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
)
"""Which sequences a move takes a token of: the order of section "Alignment" of the paper's program,
read and run."""


def naive_columns(*texts: Sequence[int]) -> list[int]:
    """Count the columns of the full three-way alignment, by the definition: c_tp, tn, d_fp, d_fn,
    fpn.
    """
    counts = [0] * 5
    for column in naive_alignment(*texts):
        counts[naive_kind(column)] += 1
    return counts


def naive_kind(column: Sequence[int]) -> int:
    """Return which of the five counts a column of tokens belongs to."""
    s, h, r = column
    return (
        (1 if h == r else 3) if s == h else 2 if s == r else 0 if h == r else 4
    )


def naive_alignment(*texts: Sequence[int]) -> list[list[int]]:
    """Return the columns of the full three-way alignment, by the definition; -1 is a gap."""

    def column(at: tuple[int, ...], move: tuple[int, ...]) -> list[int]:
        return [
            text[i - 1] if taken else -1
            for text, i, taken in zip(texts, at, move, strict=True)
        ]

    def price(a: int, b: int) -> int:
        return 0 if a == b else 2 if -1 in (a, b) else 3

    @cache
    def best(at: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """The cost of a cell and the first move that attains it."""
        ways = [(0, (0, 0, 0))] if not any(at) else []
        for move in ORDER:
            if all(i >= taken for i, taken in zip(at, move, strict=True)):
                s, h, r = column(at, move)
                before = best(
                    tuple(i - taken for i, taken in zip(at, move, strict=True))
                )[0]
                ways.append(
                    (before + price(s, h) + price(s, r) + price(h, r), move)
                )
        return min(ways, key=lambda way: way[0])

    columns = list[list[int]]()
    at = tuple(map(len, texts))
    while any(at):
        move = best(at)[1]
        columns.insert(0, column(at, move))
        at = tuple(i - taken for i, taken in zip(at, move, strict=True))
    return columns


def naive_references(
    sentence: CorrectedSentence, *, mix: bool
) -> set[str] | None:
    """Return the references by the rules of candgen.py (mfelice/imeasure at fc79fdf); None where it
    crashes.

    Numbers are raw: what is replaced is a Python slice of the tokens that are there by then.
    """

    def joined(
        alternative: Alternative,
    ) -> tuple[tuple[tuple[int, int], tuple[str, ...]], ...]:
        texts: dict[tuple[int, int], tuple[str, ...]] = {}
        for start, end, words in alternative.corrections:
            texts[start, end] = (*texts.get((start, end), ()), *words)
        return tuple(texts.items())

    def applied(
        edits: Iterable[tuple[tuple[int, int], tuple[str, ...]]],
    ) -> str:
        tokens = list(sentence.tokens)
        for (start, end), words in sorted(
            edits, key=lambda edit: edit[0], reverse=True
        ):
            before = list(tokens)
            tokens[start:end] = words
            tokens = tokens or before
        return " ".join(tokens)

    if mix:
        choices = [
            {
                *map(joined, error.alternatives),
                *(() if error.required else ((),)),
            }
            for error in sentence.errors
        ]
        ways = [
            list(itertools.chain(*way)) for way in itertools.product(*choices)
        ]
        return {
            applied(way) for way in ways if len(dict(way)) == len(way)
        } or None
    by_annotator: dict[int, list[Any]] = {}
    for alternative in itertools.chain(
        *(error.alternatives for error in sentence.errors)
    ):
        by_annotator.setdefault(alternative.annotator, []).extend(
            joined(alternative)
        )
    silent = (
        {applied([])}
        if len(by_annotator) < max(sentence.annotators, 1)
        else set()
    )
    return silent | set(map(applied, by_annotator.values()))


def naive_scores(
    counts: Sequence[int], base: Sequence[int]
) -> list[tuple[float, float, float]]:
    """Return WAcc, I and Acc of correction and of detection, by the formulas of ieval.py (fc79fdf),
    with w = 2.
    """

    def accuracies(
        numbers: Sequence[int], *, correction: bool
    ) -> tuple[float, float]:
        c_tp, tn, d_fp, d_fn, fpn = numbers
        both = fpn if correction else 0
        tp = c_tp + fpn - both
        fp = d_fp + both
        fn = d_fn + both
        weighted = (2 * tp + tn) / (2 * (tp + fp) + tn + fn - 3 * (both / 2))
        return weighted, (tp + tn) / (tp + tn + fp + fn - both)

    result = []
    for correction in (True, False):
        wacc, acc = accuracies(counts, correction=correction)
        least = accuracies(base, correction=correction)[0]
        gain = (
            math.floor(wacc)
            if wacc == least
            else (wacc - least) / (1 - least)
            if wacc > least
            else wacc / least - 1
        )
        result.append((wacc, gain, acc))
    return result


class Vocabulary(dict[str, int]):
    """Ids of words: one for each call of encode()."""

    def text(self, lines: Iterable[Sequence[str]]) -> Encoded:
        """Return lines of words as the kernel takes them."""
        return ids_of(
            [
                [self.setdefault(word, len(self)) for word in line]
                for line in lines
            ]
        )


ids_of = encoded


def firsts_of(groups: Iterable[Sequence[Any]]) -> Ints:
    """Return the first number of each group, and at last how many there are in all."""
    return np.cumsum([0, *map(len, groups)], dtype=np.int64)


class Golden(NamedTuple):
    """The 3,000 random sentences, and what the official functions said of them."""

    sentences: list[CorrectedSentence]
    outputs: list[tuple[str, ...]]
    nomix: list[Any]
    """For each: references, the chosen one, its five counts, tn and fn of its baseline, and [D.TP,
    C.FP, C.FN]."""
    mix: list[Any]
    """The same with mixing, or None where the official program crashes. The last row of both is the
    final scores."""


def golden(shared: Path, folder: Path) -> Golden:
    """Unpack the golden cases into a folder, and read them."""
    from pipeline.extensions.edits.correction_references import split_words

    with tarfile.open(
        shared / "edits" / "golden" / "imeasure" / "cases.tar.gz"
    ) as packed:
        packed.extractall(folder, filter="data")
    rows = [
        [
            json.loads(line)
            for line in (folder / f"official.{name}.jsonl")
            .read_text(encoding="utf-8")
            .splitlines()
        ]
        for name in ("nomix", "mix")
    ]
    lines = (folder / "hyp.txt").read_text(encoding="utf-8").split("\n")[:-1]
    return Golden(
        corrections(folder / "gold.xml"),
        [split_words(line) for line in lines],
        rows[0],
        rows[1],
    )


def corrections(path: Path) -> list[CorrectedSentence]:
    """Read the sentences of a gold file."""
    from pipeline.extensions.edits.correction_references import (
        corrections_of_m2,
        split_words,
    )
    from pipeline.extensions.edits.correction_xml import xml_blocks
    from pipeline.extensions.edits.m2_files import edits_of

    return [
        corrections_of_m2(
            split_words(block.sentence), edits_of(block.lines), split_words
        )
        for block in xml_blocks(path, str(path))
    ]
