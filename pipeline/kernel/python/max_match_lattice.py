"""The lattice of MaxMatch: all shortest ways from a source to an output, and which of them are joined to one edit.

A vertex (i, j) says that i tokens of the source and j of the output have been read. An arc leads from one vertex to a
later one. It is a step of the alignment, or several steps in a row that are joined.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Vertex = tuple[int, int]
    Arc = tuple[Vertex, Vertex]


class Gold(NamedTuple):
    """A gold edit: the tokens of the source that it replaces, and its corrections."""

    start: int
    end: int
    corrections: tuple[tuple[int, ...], ...]


class Label(NamedTuple):
    """What is known of an arc."""

    steps: int
    """The steps that are joined; 1 for a step of the alignment."""
    unchanged: int
    """How many of them leave a token as it is."""
    inserting: bool
    """Whether the first step is an insertion."""

    @property
    def is_unchanged(self) -> bool:
        """Whether the arc changes nothing."""
        return self.unchanged == self.steps


class Lattice(NamedTuple):
    """The lattice of a line."""

    vertices: list[Vertex]
    """All vertices in ascending order, from (0, 0) to the ends of source and output."""
    arcs: list[Arc]
    """All arcs in the order in which they are searched. An arc that came into being repeatedly is repeated."""
    labels: Mapping[Arc, Label]
    """What is known of each arc."""


def steps_of(source: Sequence[int], output: Sequence[int]) -> Counter[Arc]:
    """Return the steps of all best alignments, each with the number of costs (1 and 2 for a substitution) it is in."""
    counts: Counter[Arc] = Counter()
    for substitution in (1, 2):
        counts.update(_best_steps(source, output, substitution))
    return counts


def _best_steps(source: Sequence[int], output: Sequence[int], substitution: int) -> Iterator[Arc]:
    """Yield the steps of all alignments that cost least; insertions and deletions cost 1, equal tokens nothing."""
    costs: dict[Vertex, int] = {(0, 0): 0}
    before: dict[Vertex, list[Vertex]] = {(0, 0): []}
    for i, j in itertools.product(range(len(source) + 1), range(len(output) + 1)):
        ways = {}
        if i and j:
            ways[i - 1, j - 1] = costs[i - 1, j - 1] + (substitution if source[i - 1] != output[j - 1] else 0)
        if i:
            ways[i - 1, j] = costs[i - 1, j] + 1
        if j:
            ways[i, j - 1] = costs[i, j - 1] + 1
        if ways:
            costs[i, j] = min(ways.values())
            before[i, j] = [vertex for vertex, cost in ways.items() if cost == costs[i, j]]
    reached = {(len(source), len(output))}
    for vertex in sorted(before, reverse=True):
        if vertex in reached:
            reached.update(before[vertex])
            yield from ((earlier, vertex) for earlier in before[vertex])


def changes_nothing(source: Sequence[int], output: Sequence[int], step: Arc) -> bool:
    """Return whether a step leaves a token as it is."""
    (i, j), (next_i, next_j) = step
    return next_i > i and next_j > j and source[i] == output[j]


def lattice(
    source: Sequence[int], output: Sequence[int], max_unchanged: int, limit: float = math.inf
) -> Lattice | None:
    """Return the lattice of a line, or None where it has more arcs than the limit, repetitions included."""
    counts = steps_of(source, output)
    vertices = sorted({(0, 0), *itertools.chain.from_iterable(counts)})
    after: dict[Vertex, dict[Vertex, bool]] = {vertex: {} for vertex in vertices}
    for step in sorted(counts):
        after[step[0]][step[1]] = changes_nothing(source, output, step)
    labels: dict[Arc, Label] = {}
    joined: list[tuple[Vertex, Arc]] = []
    for vertex in vertices:
        _join(vertex, vertices, after, max_unchanged, labels, joined)
        if counts.total() + len(joined) > limit:
            return None
    joined.sort()
    arcs = sorted(counts.elements()) + _without_some(labels, [arc for _, arc in joined])
    return Lattice(vertices, arcs, labels)


def _join(
    start: Vertex,
    vertices: Sequence[Vertex],
    after: Mapping[Vertex, Mapping[Vertex, bool]],
    max_unchanged: int,
    labels: dict[Arc, Label],
    joined: list[tuple[Vertex, Arc]],
) -> None:
    """Label all arcs from a vertex, and append those that join steps, each with the vertex before its last step.

    A way of fewer steps replaces one of more steps, even if more of its tokens are unchanged. It is then appended
    again.
    """
    ends: dict[Vertex, Label] = {
        end: Label(1, unchanged, end[0] == start[0]) for end, unchanged in after[start].items()
    }
    for middle in vertices:
        if middle not in ends:
            continue
        label = ends[middle]
        for end, unchanged in after[middle].items():
            longer = label._replace(steps=label.steps + 1, unchanged=label.unchanged + unchanged)
            if longer.unchanged <= max_unchanged and (end not in ends or longer.steps < ends[end].steps):
                ends[end] = longer
                joined.append((middle, (start, end)))
    labels.update({(start, end): label for end, label in ends.items()})


def _without_some(labels: Mapping[Arc, Label], arcs: list[Arc]) -> list[Arc]:
    """Return joined arcs without those that change nothing, but keep every arc that follows one that is left out.

    The official program removes arcs from a list while it goes through it, so it passes over the next one.
    """
    kept, passed = [], False
    for arc in arcs:
        removed = not passed and labels[arc].is_unchanged
        if not removed:
            kept.append(arc)
        passed = removed
    return kept
