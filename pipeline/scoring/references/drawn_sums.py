"""Sums over all sentences, with the references that are drawn for them.

Sums are of whole numbers, so that they depend neither on blocks nor on their order nor on threads.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from ...io.workers import prefetch
from ..addends import check_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ...arrays import Floats, Ints
    from ...kernel import Drawer
    from ...metrics.base.reference_draws import Draws
    from ..addends import Drawn
    from ..column_blocks import HasBlocks

    Apply = Callable[[Callable[[Drawer], Ints], Iterable[Drawer]], Iterable[Ints]]

THREADED = 1 << 24
"""From so many draws on it is worth starting several threads."""
MOST = 1 << 14
"""At most so many iterations are drawn at once. A stream takes two and a half kilobytes."""


def drawn_sums(kind: Drawn, systems: Sequence[HasBlocks], draws: Draws, threads: int = 1) -> Floats:
    """Return the sums of all sentences in every iteration of some draws: float64 [iterations, systems, width].

    The threads share the iterations. Raises InputError where numbers are too large to be summed exactly in float64.
    """
    groups = [range(low, min(low + MOST, draws.iterations)) for low in range(0, draws.iterations, MOST)]
    if threads == 1 or draws.lines * draws.iterations < THREADED:
        sums = [_sums(kind, systems, draws, group, 1, map) for group in groups]
    else:
        from ...io.workers import threads as shared_by

        with shared_by(threads) as apply:
            sums = [_sums(kind, systems, draws, group, threads, apply) for group in groups]
    return np.concatenate(sums).astype(np.float64)


def _sums(kind: Drawn, systems: Sequence[HasBlocks], draws: Draws, iterations: range, parts: int, apply: Apply) -> Ints:
    """Return the sums in some iterations, which are cut into parts: int64 [iterations, systems, width].

    With several parts another thread reads the next lines meanwhile.
    """
    borders = [len(iterations) * number // parts for number in range(parts + 1)]
    drawers = [draws.drawer(iterations[low:high]) for low, high in itertools.pairwise(borders)]
    sums = np.zeros((len(iterations), len(systems), kind.fixed.width + kind.drawn.width), np.int64)
    blocks = _blocks(kind, systems, draws.lines)
    for fixed, apart, present in prefetch(blocks) if parts > 1 else blocks:
        drawn = np.concatenate(list(apply(lambda drawer: drawer.sums(apart, present), drawers)))  # noqa: B023
        sums[:, :, kind.fixed.width :] += drawn.reshape(len(iterations), len(systems), -1)
        sums[:, :, : kind.fixed.width] += fixed
    return sums


def _blocks(kind: Drawn, systems: Sequence[HasBlocks], lines: int) -> Iterator[tuple[Ints, list[Ints], Ints | None]]:
    """Yield for each block of lines the sums of what is fixed, [systems, width], and the terms with each reference."""
    for several in zip(*map(kind.terms, systems), strict=True):
        apart = [term for terms in several for term in terms.apart]
        check_sums(kind.metric, [*(terms.fixed for terms in several), *apart], lines)
        yield np.stack([terms.fixed.sum(axis=0) for terms in several]), apart, several[0].present
