"""ERRANT's comparison of M2 files sentence by sentence, with the sums of each type, as simply as it can be written."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Edits = dict[tuple[int, int, str], list[str]]
Counts = tuple[int, int, int]
Types = dict[str, list[int]]


def annotators(block: str) -> list[Edits]:
    """Return the edits of each annotator of a block, in the order in which they come first."""
    own: dict[str, Edits] = {}
    for line in block.split("\n")[1:] or ["A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"]:
        span, kind, correction, *_, number = line[2:].split("|||")
        start, end = map(int, span.split())
        edits = own.setdefault(number, {})
        if kind != "UNK":
            edits.setdefault((start, end, correction), []).append(kind)
    return list(own.values())


def compared(output: Edits, gold: Edits) -> Types:
    """Return tp, fp, fn of each type."""
    counts: Types = defaultdict(lambda: [0, 0, 0])
    for key, types in output.items():
        for name in () if types[0] == "noop" else gold.get(key, types):
            counts[name][key not in gold] += 1
    for key, types in gold.items():
        for name in types if types[0] != "noop" and key not in output else ():
            counts[name][2] += 1
    return counts


def f_half(tp: int, fp: int, fn: int) -> tuple[float, float, float]:
    """Return F0.5, precision and recall."""
    p, r = tp / (tp + fp) if fp else 1.0, tp / (tp + fn) if fn else 1.0
    return 1.25 * p * r / (0.25 * p + r) if p + r else 0.0, p, r


def chosen(output: str, gold: str) -> list[Types]:
    """Return for each sentence the counts of each type with the annotators that the running totals choose."""
    totals, rows = (0, 0, 0), []
    for own, other in zip(output.strip().split("\n\n"), gold.strip().split("\n\n"), strict=True):
        best: tuple[tuple[float, int, int, int], Counts, Types] | None = None
        for edits in annotators(own):
            for reference in annotators(other):
                types = compared(edits, reference)
                tp, fp, fn = (sum(counts[kind] for counts in types.values()) for kind in range(3))
                after = (totals[0] + tp, totals[1] + fp, totals[2] + fn)
                key = (round(f_half(*after)[0], 4), tp, -fp, -fn)
                if best is None or key > best[0]:
                    best = key, after, types
        assert best
        totals = best[1]
        rows.append(best[2])
    return rows


def summed(rows: Sequence[Types], tier: int, weights: Sequence[int] | None = None) -> dict[str, Counts]:
    """Return the sums of each category of a tier, with weights of the sentences."""
    sums: Types = defaultdict(lambda: [0, 0, 0])
    for number, row in enumerate(rows):
        for name, counts in row.items():
            category = name if tier == 3 else name[:1] if tier == 1 else name[2:]
            for kind in range(3):
                sums[category][kind] += counts[kind] * (1 if weights is None else weights[number])
    return {name: (tp, fp, fn) for name, (tp, fp, fn) in sums.items()}
