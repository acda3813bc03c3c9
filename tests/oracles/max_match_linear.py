"""MaxMatch for lattices with too many arcs: the specification of the linear method of the compiled
kernel.

It is a search in one pass, whose states are linear in the number of vertices. A state is a vertex,
and either no edit is open there or one with u unchanged tokens so far is. Costs are whole numbers:
1000 for each step, 1 for each edit (or for each of the two alignments that a step is in), and GOLD
for each edit that is gold. So the result is that of the lattice but where arcs there come into
being greedily, where insertions at one place are matched in order, and in ties."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from pipeline.extensions.edits.kernel.gold_edits import (
    MAX_CHECKED,
    MAX_ROW,
    MAX_STATES,
)
from pipeline.extensions.edits.kernel.python import max_match
from pipeline.extensions.edits.kernel.python.max_match import (
    changes_nothing,
    edit_of,
    steps_of,
)

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping, Sequence

    from pipeline.extensions.edits.kernel.python.max_match import (
        Arc,
        Edit,
        Gold,
        Vertex,
    )

    State = tuple[Vertex, int]


class WayOrLinear(max_match.Way):
    """Way of the Python kernel, which refuses such lines, with the linear method in its place."""

    def edits(self, golds: Sequence[Gold]) -> list[Edit] | None:
        """Return the edits that were made, from left to right; None if the line is too long for the
        linear method.
        """
        if self.lattice is not None or self.is_too_long:
            return super().edits(golds)
        path = linear_path(
            self.source, self.output, golds, self.max_unchanged, self.first_row
        )
        if path is None:
            return None
        return [edit_of(arc, first, self.first_row) for arc, first in path]


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
    source: Sequence[int],
    output: Sequence[int],
    golds: Sequence[Gold],
    max_unchanged: int,
    first_row: bool,
) -> list[tuple[Arc, bool]] | None:
    """Return the edits of an output from left to right, each as an arc and whether its first step
    is an insertion.

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
    source: Sequence[int],
    output: Sequence[int],
    max_unchanged: int,
    steps: Counter[Arc],
    jumps: Sequence[Arc],
) -> dict[State, Way]:
    """Return the best way to each state. Of several of the same cost it is the first; jumps come
    before steps.
    """
    ways: dict[State, Way] = {((0, 0), OUTSIDE): Way(0, None)}
    before: dict[Vertex, list[Vertex]] = {vertex: [] for _, vertex in steps}
    for earlier, vertex in sorted(steps):
        before[vertex].append(earlier)
    gold: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in before}
    for earlier, vertex in sorted(jumps):
        gold[vertex].append(earlier)
    for vertex in sorted(before):
        for earlier in gold[vertex]:
            _take(
                ways, (vertex, OUTSIDE), (earlier, OUTSIDE), GOLD, is_jump=True
            )
        for earlier in before[vertex]:
            step = earlier, vertex
            unchanged = changes_nothing(source, output, step)
            _take(
                ways,
                (vertex, OUTSIDE),
                (earlier, OUTSIDE),
                STEP + (0 if unchanged else steps[step]),
            )
            if unchanged <= max_unchanged:
                _take(
                    ways, (vertex, int(unchanged)), (earlier, OUTSIDE), STEP + 1
                )
            for number in range(max_unchanged + 1 - unchanged):
                _take(ways, (vertex, OUTSIDE), (earlier, number), STEP)
                _take(
                    ways, (vertex, number + unchanged), (earlier, number), STEP
                )
    return ways


def _take(
    ways: dict[State, Way],
    state: State,
    before: State,
    cost: int,
    is_jump: bool = False,
) -> None:
    """Note a way to a state if there was none that costs as little."""
    if before in ways and (
        state not in ways or ways[before].cost + cost < ways[state].cost
    ):
        ways[state] = Way(ways[before].cost + cost, before, is_jump)


def _edits(
    source: Sequence[int], output: Sequence[int], ways: Mapping[State, Way]
) -> list[tuple[Arc, bool]]:
    """Return the edits on the best way to the ends of source and output."""
    edits: list[tuple[Arc, bool]] = []
    state: State | None = ((len(source), len(output)), OUTSIDE)
    end = (len(source), len(output))
    while state is not None:
        vertex, number = state
        way = ways[state]
        if number == OUTSIDE:
            end = vertex
        # an edit starts there
        if way.state is not None and way.state[1] == OUTSIDE:
            start = way.state[0]
            if not (
                (
                    end == vertex
                    and changes_nothing(source, output, (start, end))
                )
                and _is_step(start, end)
            ):
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
    golds = [gold for gold in golds if gold.start <= gold.end]
    work = sum(
        (len(output) + 1) * (len(correction) + 1)
        for gold in golds
        for correction in gold.corrections
    )
    jumps: list[Arc] = []
    for position in dict.fromkeys(
        gold.start for gold in golds if gold.start == gold.end
    ):
        same = [gold for gold in golds if gold.start == gold.end == position]
        jumps += _insertions(position, same, output, first_row, steps)
    for gold in golds:
        for start, end in _spans(gold, source, output):
            tokens = end[0] - start[0]
            size = end[1] - start[1]
            work += (tokens + 1) * (size + 1)
            if work > MAX_CHECKED:
                return None
            inserting = not (first_row and start[0] == 0 and start[1] > 0)
            unchanged = _least_unchanged(
                source, output, (start, end), steps, inserting
            )
            if unchanged <= max_unchanged or (
                _is_step(start, end) and (start, end) in steps
            ):
                jumps.append((start, end))
    if work <= MAX_CHECKED:
        return jumps
    return None


def _insertions(
    position: int,
    golds: Sequence[Gold],
    output: Sequence[int],
    first_row: bool,
    steps: Counter[Arc],
) -> list[Arc]:
    """Return the insertions at one place that are gold: the first, and so on from its end, in the
    order of gold edits.

    So each gold edit is used once, however often the output repeats its tokens. With the code 3.2
    (first_row) insertions before the first token of the source have another span (see edit_of()),
    and an edit there has no successor."""
    if first_row:
        step = (0, position), (0, position + 1)
        if step in steps and any(
            tuple(output[position : position + 1]) in gold.corrections
            for gold in golds
        ):
            return [step]
        if position == 0:
            return []
    jumps = []
    first = 0
    column = 0
    while column < len(output):
        hits = [
            (len(correction), number)
            for number, gold in enumerate(golds[first:], first)
            for correction in gold.corrections
            if correction
            and tuple(output[column : column + len(correction)]) == correction
            and all(
                ((position, column + k), (position, column + k + 1)) in steps
                for k in range(len(correction))
            )
        ]
        if hits:
            size, number = min(hits)
            jumps.append(((position, column), (position, column + size)))
            first = number + 1
        column += min(hits)[0] if hits else 1
    return jumps


def _spans(
    gold: Gold, source: Sequence[int], output: Sequence[int]
) -> Iterator[Arc]:
    """Yield the arcs that replace the tokens of a gold edit by one of its corrections, and change
    something.
    """
    original = tuple(source[gold.start : gold.end])
    for correction in gold.corrections if original else ():
        if correction != original or len(original) == 1:
            for column in range(len(output) - len(correction) + 1):
                if (
                    tuple(output[column : column + len(correction)])
                    == correction
                ):
                    yield (
                        (gold.start, column),
                        (gold.end, column + len(correction)),
                    )


def _least_unchanged(
    source: Sequence[int],
    output: Sequence[int],
    arc: Arc,
    steps: Counter[Arc],
    inserting: bool,
) -> float:
    """Return how many tokens stay unchanged, at least, on a way from one vertex to another;
    infinity without a way.

    inserting: whether the first step may be an insertion.
    """
    (i1, j1), (i2, j2) = arc
    least: dict[Vertex, float] = {arc[0]: 0}
    for i, j in itertools.product(range(i1, i2 + 1), range(j1, j2 + 1)):
        for earlier in ((i - 1, j - 1), (i - 1, j), (i, j - 1)):
            if earlier in least and (earlier, (i, j)) in steps:
                if earlier == arc[0] and i == i1 and not inserting:
                    continue
                unchanged = least[earlier] + changes_nothing(
                    source, output, (earlier, (i, j))
                )
                least[i, j] = min(least.get((i, j), unchanged), unchanged)
    return least.get(arc[1], float("inf"))
