"""N-grams of very long lines, counted with little memory: about 30 bytes for each token.

The tables of overlap() keep every n-gram of a line at once, which takes up to a hundred bytes for each n-gram. Here
only the n-grams of one order are numbered at a time, by sorting. The counts are the same.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from .. import kernel
from .common import COUNTED, KINDS, Encoded, check_overlap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Counts = NDArray[np.int32]
    """How often each n-gram of an order is in a text."""

LONG = 1 << 21
"""A line is long where its source and references may have more different n-grams than this, of all orders together."""
ROOM = 1 << 22
"""At most so many tokens of a line are numbered at once, unless source, references and one output have more."""

PIECE = 1 << 16
"""Keys that are numbered at once."""


def overlap(
    source: Encoded | None,
    references: Sequence[Encoded],
    systems: Sequence[Encoded],
    order: int,
    kinds: Sequence[str],
) -> dict[str, NDArray[np.int64]]:
    """Return what the kernel does, and raise what it raises. Lines too long for its tables are counted here."""
    given = [*([] if source is None else [source]), *references]
    if sum(len(text.ids) for text in given) * order <= LONG:
        return kernel.overlap(source, references, systems, order, kinds)
    check_overlap(source, references, systems, order, kinds)
    long = _ngrams(given, order) > LONG
    if not long.any():
        return kernel.overlap(source, references, systems, order, kinds)
    short = [_without(text, long) for text in [*given, *systems]]
    first = short.pop(0) if source is not None else None
    counts = kernel.overlap(first, short[: len(references)], short[len(references) :], order, kinds)
    for line in np.flatnonzero(long).tolist():
        sources = [] if source is None else [_line(source, line)]
        theirs, own = ([_line(text, line) for text in texts] for texts in (references, systems))
        for kind, place, number, n, value in _counted(sources, theirs, own, order, kinds):
            counts[kind][(number, line, *place, n)] = value
    return counts


def _ngrams(texts: list[Encoded], order: int) -> NDArray[np.int64]:
    """Return for each line how many different n-grams its texts have at most, of all orders together: int64 [lines]."""
    sizes: NDArray[np.int64] = sum((np.diff(text.offsets) for text in texts), np.zeros(1, np.int64))
    tokens = 1 + max(int(text.ids.max(initial=0)) for text in texts)
    return sum((np.minimum(sizes, min(tokens**n, 1 << 62)) for n in range(1, order + 1)), 0 * sizes)


def _without(text: Encoded, lines: NDArray[np.bool_]) -> Encoded:
    """Return a text in which some lines are empty."""
    sizes = np.diff(text.offsets)
    kept = np.repeat(~lines, sizes)
    offsets = np.concatenate((text.offsets[:1], np.cumsum(np.where(lines, 0, sizes))))
    return Encoded(text.ids[: len(kept)][kept], offsets)


def _line(text: Encoded, line: int) -> NDArray[np.int32]:
    start, end = text.offsets[line : line + 2].tolist()
    return text.ids[start:end]


def _counted(
    source: list[NDArray[np.int32]],
    references: list[NDArray[np.int32]],
    systems: list[NDArray[np.int32]],
    order: int,
    kinds: Sequence[str],
) -> Iterator[tuple[str, tuple[int, ...], int, int, int]]:
    """Yield sums of each kind: kind, reference (none where they are merged), system, order less 1, and the sum."""
    single = [kind for kind in kinds if kind in KINDS]
    merged = [kind for kind in kinds if kind not in KINDS]
    for number, reference in enumerate(references if single else []):
        for sums in _summed(source, [reference], systems, order, single):
            yield sums[0], (number,), *sums[1:]
    for sums in _summed(source, references, systems, order, merged) if merged else ():
        yield sums[0], (), *sums[1:]


def _summed(
    source: list[NDArray[np.int32]],
    references: list[NDArray[np.int32]],
    systems: list[NDArray[np.int32]],
    order: int,
    kinds: Sequence[str],
) -> Iterator[tuple[str, int, int, int]]:
    """Yield each kind with its sums over the n-grams of merged references: kind, system, order less 1, and the sum."""
    given = [*source, *references]
    for group in _groups([len(system) for system in systems], ROOM - sum(map(len, given))):
        texts = [*given, *(systems[number] for number in group)]
        for n, (size, grams) in enumerate(_orders(texts, order)):
            sigma = _times(grams[: len(source)], size)
            rho = _times(grams[len(source) : len(given)], size)
            for number, own in zip(group, grams[len(given) :], strict=True):
                eta = _times([own], size)
                for kind in kinds:
                    sums = COUNTED[kind].times(sigma, rho, eta, np.minimum, np.maximum)
                    yield kind, number, n, int(sums.sum(dtype=np.int64))


def _times(texts: Iterable[NDArray[np.int32]], size: int) -> Counts:
    """Return how often each n-gram is in the text that has most of it: int32 [size]."""
    most = np.zeros(size, np.int32)
    for text in texts:
        np.maximum(most, np.bincount(text, minlength=size), out=most, casting="same_kind")
    return most


def _groups(sizes: list[int], room: int) -> Iterator[list[int]]:
    """Yield numbers of texts in groups, each of one text or of texts that have no more than `room` tokens together."""
    group: list[int] = []
    total = 0
    for number, size in enumerate(sizes):
        if group and total + size > room:
            yield group
            group, total = [], 0
        group.append(number)
        total += size
    if group:
        yield group


def _orders(texts: list[NDArray[np.int32]], order: int) -> Iterator[tuple[int, list[NDArray[np.int32]]]]:
    """Yield for each order a number above all, and for each text the numbers of its n-grams, equal for equal ones."""
    size = width = 1 + max(int(text.max(initial=0)) for text in texts)
    numbers = texts
    yield size, numbers
    for n in range(1, order):
        sizes = [max(len(text) - n, 0) for text in texts]
        cuts = list(accumulate(sizes, initial=0))
        keys = np.empty(cuts[-1], np.int64)
        for low, high, before, text in zip(cuts, cuts[1:], numbers, texts, strict=False):
            keys[low:high] = before[: high - low]
            keys[low:high] *= width
            keys[low:high] += text[n:]
        del numbers
        size, joined = _numbered(keys)
        del keys
        numbers = np.split(joined, cuts[1:-1])
        yield size, numbers


def _numbered(keys: NDArray[np.int64]) -> tuple[int, NDArray[np.int32]]:
    """Return how many different keys there are, and a number for each key: int32 [keys]."""
    places = np.argsort(keys)
    numbers = np.empty(len(keys), np.int32)
    last, size = -1, 0
    for low in range(0, len(keys), PIECE):  # piece by piece: the arrays that are made take no memory worth the name
        here = places[low : low + PIECE]
        ordered = keys[here]
        new = np.diff(ordered, prepend=last) != 0
        numbers[here] = np.cumsum(new) + (size - 1)
        last, size = int(ordered[-1]), size + int(new.sum())
    return size, numbers
