"""The kernel in Python: the specification that its compiled twin must equal on every input.

Text becomes ids, ids become n-grams, n-grams become counts. Everything is an integer.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidTextError
from .common import MAX_ORDER, Encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from ..corpus import Lines

NAME = "python"

Ngrams = Counter[tuple[int, ...]]

SPLITS: dict[str, Callable[[bytes], Iterable[str | bytes]]] = {
    "whitespace": lambda line: line.decode().split(),
    "ascii_whitespace": lambda line: line.decode() and line.split(),
    "blank": lambda line: line.decode().split(" "),
    "char": lambda line: line.decode(),
}
"""How a line becomes tokens. Each decodes, so that invalid UTF-8 is refused whatever the split."""


def encode(texts: Sequence[Lines], split: str) -> list[Encoded]:
    """Turn texts into ids that are equal where tokens are equal, across all texts of the call.

    Ids count up from 0 in the order in which tokens first occur. Raises InvalidTextError for bytes that
    are not UTF-8 and KeyError for an unknown split.
    """
    vocabulary: dict[str | bytes, int] = {}
    tokenize = SPLITS[split]
    result = []
    for number, text in enumerate(texts):
        ids: list[int] = []
        offsets = [0]
        for index, line in enumerate(text.texts()):
            try:
                ids.extend(vocabulary.setdefault(token, len(vocabulary)) for token in tokenize(line))
            except UnicodeDecodeError as error:
                raise InvalidTextError(number, index, error.start) from None
            offsets.append(len(ids))
        result.append(Encoded(np.array(ids, np.int32), np.array(offsets, np.int64)))
    return result


def ngrams(ids: Sequence[int], order: int) -> Ngrams:
    """Count the n-grams of one order."""
    return Counter(zip(*(ids[start:] for start in range(order)), strict=False))


def match(hypothesis: Ngrams, reference: Ngrams, _source: Ngrams) -> int:
    """Return the n-grams of the hypothesis that are in the reference: Σ min(η, ρ)."""
    return sum(min(count, reference[gram]) for gram, count in hypothesis.items() if gram in reference)


def penalty(hypothesis: Ngrams, reference: Ngrams, source: Ngrams) -> int:
    """Return the n-grams of the hypothesis in the source and nowhere in the reference: Σ min(η, σ·[ρ = 0])."""
    return sum(
        min(count, source[gram]) for gram, count in hypothesis.items() if gram in source and gram not in reference
    )


KINDS: dict[str, Callable[[Ngrams, Ngrams, Ngrams], int]] = {"match": match, "penalty": penalty}
"""What can be counted for each order, with each reference."""


def overlap(
    source: Encoded | None,
    references: Sequence[Encoded],
    systems: Sequence[Encoded],
    order: int,
    kinds: Sequence[str],
) -> dict[str, NDArray[np.int64]]:
    """Count the n-grams, of orders 1 to order, that outputs share with references and source.

    All texts come from one call of encode and have equally many lines; without a source its counts are 0.
    Returns for each kind asked for an int64 array [systems, lines, references, order]. Raises ValueError for an
    order that is not in 1 to MAX_ORDER, and KeyError for an unknown kind.
    """
    if not 1 <= order <= MAX_ORDER:
        raise ValueError(f"order: expected 1 to {MAX_ORDER}, found {order}")
    counters = {kind: KINDS[kind] for kind in kinds}
    lines = len(references[0].offsets) - 1
    counts = {kind: np.zeros((len(systems), lines, len(references), order), np.int64) for kind in kinds}
    for line in range(lines):
        source_grams = _orders(_line(source, line) if source else (), order)
        reference_grams = [_orders(_line(reference, line), order) for reference in references]
        seen: dict[tuple[int, ...], int] = {}
        for number, system in enumerate(systems):
            ids = _line(system, line)
            twin = seen.setdefault(ids, number)
            if twin != number:  # outputs are often equal: copy what an equal one gave
                for array in counts.values():
                    array[number, line] = array[twin, line]
                continue
            for n, grams in enumerate(_orders(ids, order)):
                for r, by_order in enumerate(reference_grams):
                    for kind, counter in counters.items():
                        counts[kind][number, line, r, n] = counter(grams, by_order[n], source_grams[n])
    return counts


def _line(text: Encoded, line: int) -> tuple[int, ...]:
    start, stop = text.offsets[line : line + 2].tolist()
    return tuple(text.ids[start:stop].tolist())


def _orders(ids: Sequence[int], order: int) -> list[Ngrams]:
    return [ngrams(ids, n) for n in range(1, order + 1)]
