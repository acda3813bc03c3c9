"""MaxMatch for lattices with too many arcs: a search in one pass, whose states are linear in the number of vertices.

A state is a vertex, and either no edit is open there or one with u unchanged tokens so far is. Costs are whole numbers:
1000 for each step, 1 for each edit (or for each of the two alignments that a step is in), and GOLD for each edit that
is gold. So the result is that of the lattice but where arcs there come into being greedily, where insertions at one
place are matched in order, and in ties.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from ..gold_edits import MAX_CHECKED, MAX_ROW, MAX_STATES
from .max_match_lattice import changes_nothing, steps_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping, Sequence

    from .max_match import Gold
    from .max_match_lattice import Arc, Vertex

    State = tuple[Vertex, int]

GOLD = -(1 << 40)
"""The cost of a gold edit: below all steps of a line within the limits."""
STEP = 1000
OUTSIDE = -1
"""The state in which no edit is open. In the others one with 0, 1 and so on unchanged tokens is."""


class Way(NamedTuple):
    """The best way to a state."""

    cost: int
    state: State | None
    """The state before it, or None at the start."""
    is_jump: bool = False
    """Whether a gold edit leads from the state before it."""


def linear_path(
    source: Sequence[int], output: Sequence[int], golds: Sequence[Gold], max_unchanged: int, first_row: bool
) -> list[tuple[Arc, bool]] | None:
    """Return the edits of an output from left to right, each as an arc and whether its first step is an insertion.

    Returns None where the line is beyond the limits.
    """
    row = (len(output) + 1) * (max_unchanged + 2)
    if row > MAX_ROW or row * (len(source) + 1) > MAX_STATES:
        return None
    steps = steps_of(source, output)
    jumps = _jumps(source, output, golds, max_unchanged, first_row, steps)
    if jumps is None:
        return None
    ways = _ways(source, output, max_unchanged, steps, jumps)
    return _edits(source, output, ways)


def _ways(
    source: Sequence[int], output: Sequence[int], max_unchanged: int, steps: Counter[Arc], jumps: Sequence[Arc]
) -> dict[State, Way]:
    """Return the best way to each state. Of several of the same cost it is the first; jumps come before steps."""
    ways: dict[State, Way] = {((0, 0), OUTSIDE): Way(0, None)}
    before: dict[Vertex, list[Vertex]] = {vertex: [] for _, vertex in steps}
    for earlier, vertex in sorted(steps):
        before[vertex].append(earlier)
    gold: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in before}
    for earlier, vertex in sorted(jumps):
        gold[vertex].append(earlier)
    for vertex in sorted(before):
        for earlier in gold[vertex]:
            _take(ways, (vertex, OUTSIDE), (earlier, OUTSIDE), GOLD, is_jump=True)
        for earlier in before[vertex]:
            step = earlier, vertex
            unchanged = changes_nothing(source, output, step)
            _take(ways, (vertex, OUTSIDE), (earlier, OUTSIDE), STEP + (0 if unchanged else steps[step]))
            if unchanged <= max_unchanged:
                _take(ways, (vertex, int(unchanged)), (earlier, OUTSIDE), STEP + 1)
            for number in range(max_unchanged + 1 - unchanged):
                _take(ways, (vertex, OUTSIDE), (earlier, number), STEP)
                _take(ways, (vertex, number + unchanged), (earlier, number), STEP)
    return ways


def _take(ways: dict[State, Way], state: State, before: State, cost: int, is_jump: bool = False) -> None:
    """Note a way to a state if there was none that costs as little."""
    if before in ways and (state not in ways or ways[before].cost + cost < ways[state].cost):
        ways[state] = Way(ways[before].cost + cost, before, is_jump)


def _edits(source: Sequence[int], output: Sequence[int], ways: Mapping[State, Way]) -> list[tuple[Arc, bool]]:
    """Return the edits on the best way to the ends of source and output."""
    edits: list[tuple[Arc, bool]] = []
    state: State | None = ((len(source), len(output)), OUTSIDE)
    end = (len(source), len(output))
    while state is not None:
        vertex, number = state
        way = ways[state]
        if number == OUTSIDE:
            end = vertex
        if way.state is not None and way.state[1] == OUTSIDE:  # an edit starts there
            start = way.state[0]
            if not ((end == vertex and changes_nothing(source, output, (start, end))) and _is_step(start, end)):
                edits.append(((start, end), start[0] == vertex[0]))
        state = way.state
    return edits[::-1]


def _is_step(start: Vertex, end: Vertex) -> bool:
    return end[0] - start[0] <= 1 and end[1] - start[1] <= 1


def _jumps(
    source: Sequence[int],
    output: Sequence[int],
    golds: Sequence[Gold],
    max_unchanged: int,
    first_row: bool,
    steps: Counter[Arc],
) -> list[Arc] | None:
    """Return the arcs that are gold edits, or None where there is too much to look at."""
    vertices = {(0, 0), *itertools.chain.from_iterable(steps)}
    work, jumps = 0, []
    for gold in golds:
        tokens = gold.end - gold.start
        for correction in gold.corrections if tokens >= 0 else ():
            size = len(correction)
            work += (len(output) + 1) * (size + 1)
            if work > MAX_CHECKED:
                return None
            if tuple(source[gold.start : gold.end]) == correction and tokens != 1:
                continue  # it changes nothing, or there is nothing of it
            for start, end in _places(gold, size, len(output), first_row):
                if {start, end} <= vertices and tuple(output[start[1] : end[1]]) == correction:
                    work += (tokens + 1) * (size + 1)
                    if work > MAX_CHECKED:
                        return None
                    inserting = not (first_row and start[0] == 0 and start[1] > 0 and tokens > 0)
                    unchanged = _least_unchanged(source, output, (start, end), steps, inserting)
                    if unchanged <= max_unchanged or (_is_step(start, end) and (start, end) in steps):
                        jumps.append((start, end))
    return jumps


def _places(gold: Gold, size: int, outputs: int, first_row: bool) -> Iterator[Arc]:
    """Yield the arcs that span a gold edit with a correction of this size.

    With the code 3.2 (first_row) insertions before the first token have another span (see edit_of()).
    """
    is_insertion = gold.start == gold.end
    if first_row and is_insertion and size == 1 and gold.start < outputs:
        yield (0, gold.start), (0, gold.start + 1)
    if not (first_row and is_insertion and gold.start == 0):
        for column in range(outputs - size + 1):
            yield (gold.start, column), (gold.end, column + size)


def _least_unchanged(
    source: Sequence[int], output: Sequence[int], arc: Arc, steps: Counter[Arc], inserting: bool
) -> float:
    """Return how many tokens stay unchanged, at least, on a way from one vertex to another; infinity without a way.

    inserting: whether the first step may be an insertion.
    """
    (i1, j1), (i2, j2) = arc
    least: dict[Vertex, float] = {arc[0]: 0}
    for i, j in itertools.product(range(i1, i2 + 1), range(j1, j2 + 1)):
        for earlier in ((i - 1, j - 1), (i - 1, j), (i, j - 1)):
            if earlier in least and (earlier, (i, j)) in steps:
                if earlier == arc[0] and i == i1 and not inserting:
                    continue
                unchanged = least[earlier] + changes_nothing(source, output, (earlier, (i, j)))
                least[i, j] = min(least.get((i, j), unchanged), unchanged)
    return least.get(arc[1], float("inf"))
