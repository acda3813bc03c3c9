"""ERRANT's comparison of M2 files sentence by sentence, with the sums of each type, as simply as it
can be written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

Edits = dict[tuple[object, ...], list[str]]
Counts = tuple[int, int, int]
Types = dict[str, list[int]]


def annotators(
    block: str,
    mode: str = "cs",
    *,
    single: bool = False,
    multi: bool = False,
    left_out: Sequence[str] = (),
) -> list[Edits]:
    """Return the types of the edits of each annotator of a block, by what a mode compares."""
    by_annotator: dict[str, Edits] = {}
    for line in block.split("\n")[1:] or [
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"
    ]:
        span, kind, correction, *_, number = line[2:].split("|||")
        start, end = map(int, span.split())
        edits = by_annotator.setdefault(number, {})
        long = end - start >= 2 or len(correction.split()) >= 2
        if (
            (kind == "UNK" and mode in ("cs", "cse"))
            or (single and long)
            or (multi and not long)
            or kind in left_out
        ):
            continue
        keys: list[tuple[object, ...]] = [(start, end)]
        if mode == "cs":
            keys = [(start, end, correction)]
        elif mode == "cse":
            keys = [(start, end, kind, correction)]
        elif mode == "dt" and start != -1:
            keys = [(at, at + 1) for at in range(start, max(end, start + 1))]
        for key in keys:
            edits.setdefault(key, []).append(kind)
    return list(by_annotator.values())


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


def f_beta(
    tp: int, fp: int, fn: int, beta: float = 0.5
) -> tuple[float, float, float]:
    """Return F, precision and recall."""
    p = tp / (tp + fp) if fp else 1.0
    r = tp / (tp + fn) if fn else 1.0
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0, p, r


def chosen(
    output: str, gold: str, beta: float = 0.5, **options: Any
) -> list[Types]:
    """Return for each sentence the counts of each type with the annotators that the running totals
    choose.
    """
    totals = (0, 0, 0)
    rows = []
    for block, other in zip(
        output.strip().split("\n\n"), gold.strip().split("\n\n"), strict=True
    ):
        best: tuple[tuple[float, int, int, int], Counts, Types] | None = None
        for edits in annotators(block, **options):
            for reference in annotators(other, **options):
                types = compared(edits, reference)
                tp, fp, fn = (
                    sum(counts[kind] for counts in types.values())
                    for kind in range(3)
                )
                after = (totals[0] + tp, totals[1] + fp, totals[2] + fn)
                key = (round(f_beta(*after, beta)[0], 4), tp, -fp, -fn)
                if best is None or key > best[0]:
                    best = key, after, types
        assert best
        totals = best[1]
        rows.append(best[2])
    return rows


def summed(
    rows: Sequence[Types], tier: int, weights: Sequence[int] | None = None
) -> dict[str, Counts]:
    """Return the sums of each category of a tier, with weights of the sentences."""
    sums: Types = defaultdict(lambda: [0, 0, 0])
    for number, row in enumerate(rows):
        for name, counts in row.items():
            prefix, _, rest = name.partition(":")
            category = (
                name
                if tier == 3 or prefix not in ("M", "R", "U") or not rest
                else prefix
                if tier == 1
                else rest
            )
            for kind in range(3):
                sums[category][kind] += counts[kind] * (
                    1 if weights is None else weights[number]
                )
    return {name: (tp, fp, fn) for name, (tp, fp, fn) in sums.items()}
