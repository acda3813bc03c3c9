"""MaxMatch (M²) in Python: which edits an output made, divided so that most of them are gold
(Dahlmeier and Ng 2012).

All ways from source to output are in a lattice (Lattice, below). Arcs that match gold edits get a
large negative weight, so the shortest path through the lattice has most of them. Ties are decided
as the official program decides them, which depends on the order of arcs, on the rounding of
weights, and on details explained where they are."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..common import Encoded, Texts
from ..gold_edits import (
    MAX_ARCS,
    MAX_LATTICE,
    GoldEdits,
    MaxMatches,
    ProposedEdits,
    check_max_match,
    too_long,
)

Sentence = tuple[int, ...]

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
    """All arcs in the order in which they are searched. An arc that came into being repeatedly is
    repeated."""
    labels: Mapping[Arc, Label]
    """What is known of each arc."""


def steps_of(source: Sequence[int], output: Sequence[int]) -> Counter[Arc]:
    """Return the steps of all best alignments, each with the number of costs (1 and 2 for a
    substitution) it is in.
    """
    return Counter(
        step for substitution in (1, 2) for step in _best_steps(source, output, substitution)
    )


def _best_steps(source: Sequence[int], output: Sequence[int], substitution: int) -> Iterator[Arc]:
    """Yield the steps of all alignments that cost least; insertions and deletions cost 1, equal
    tokens nothing.
    """
    costs: dict[Vertex, int] = {(0, 0): 0}
    before: dict[Vertex, list[Vertex]] = {(0, 0): []}
    for i, j in itertools.product(range(len(source) + 1), range(len(output) + 1)):
        ways = {}
        if i and j:
            ways[i - 1, j - 1] = costs[i - 1, j - 1] + (
                substitution if source[i - 1] != output[j - 1] else 0
            )
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
    """Return the lattice of a line, or None where it has more arcs than the limit, repetitions
    included.
    """
    counts = steps_of(source, output)
    vertices = sorted({(0, 0), *itertools.chain.from_iterable(counts)})
    after: dict[Vertex, dict[Vertex, bool]] = {vertex: {} for vertex in vertices}
    for step in sorted(counts):
        after[step[0]][step[1]] = changes_nothing(source, output, step)
    labels: dict[Arc, Label] = {}
    joined: list[
        tuple[Vertex, Arc]
    ] = []  # arcs that join steps, each with the vertex before its last step
    for start in vertices:
        ends = {
            end: Label(1, unchanged, end[0] == start[0]) for end, unchanged in after[start].items()
        }
        for middle in vertices:
            if middle not in ends:
                continue
            label = ends[middle]
            for end, unchanged in after[middle].items():
                # A way of fewer steps replaces one of more steps, even if more of its tokens are
                # unchanged. It is then appended again.
                longer = label._replace(
                    steps=label.steps + 1, unchanged=label.unchanged + unchanged
                )
                if longer.unchanged <= max_unchanged and (
                    end not in ends or longer.steps < ends[end].steps
                ):
                    ends[end] = longer
                    joined.append((middle, (start, end)))
        labels.update({(start, end): label for end, label in ends.items()})
        if counts.total() + len(joined) > limit:
            return None
    # Joined arcs that change nothing are left out, but not one that follows such an arc: the
    # official program removes arcs from a list while it goes through it, so it passes over the next
    # one.
    arcs, removed = sorted(counts.elements()), False
    for _, arc in sorted(joined):
        removed = not removed and labels[arc].is_unchanged
        if not removed:
            arcs.append(arc)
    return Lattice(vertices, arcs, labels)


class Edit(NamedTuple):
    """An edit of an output. Source tokens i1 to i2 became output tokens j1 to j2."""

    i1: int
    i2: int
    j1: int
    j2: int
    start: int
    """The first source token that is compared with gold edits."""
    end: int
    """The source token behind the last that is compared."""

    def fits(self, gold: Gold, output: Sentence) -> bool:
        """Return whether the edit equals a gold edit: the span, the text in it, and a correction."""
        same_text = (
            self.i2 - self.i1 == gold.end - gold.start
        )  # spans are equal too, or else that of the edit is wrong
        same_span = (self.start, self.end) == (gold.start, gold.end)
        return same_span and same_text and output[self.j1 : self.j2] in gold.corrections


def edit_of(arc: Arc, inserting: bool, first_row: bool) -> Edit:
    """Return the edit of an arc; inserting: whether its first step is an insertion.

    The code 3.2 (first_row) takes a wrong span for insertions before the first token of the source:
    they are where the output was before them, as if that many tokens of the source had been read.
    """
    (i1, j1), (i2, j2) = arc
    start = j1 if first_row and i1 == 0 and inserting else i1
    return Edit(i1, i2, j1, j2, start, j2 - 1 if first_row and i2 == 0 else i2)


def max_match(
    source: Encoded,
    systems: Texts,
    gold: GoldEdits,
    annotators: int,
    *,
    max_unchanged: int = 2,
    first_row: bool = False,
    folded: Sequence[bytes] | None = None,
    max_arcs: int = MAX_ARCS,
    edits: bool = False,
) -> MaxMatches:
    """Count which edits of outputs are gold, for each annotator, exactly as the official M² scorer
    counts them.

    All texts and corrections come from one call of encode, split at white space. An edit goes over
    at most `max_unchanged` unchanged tokens. `first_row` gives what version 3.2 of the program
    gives, else it is its last version. With `folded`, which has the lower-cased bytes of each id,
    edits that only change case and white space are not counted as proposed. Lines whose lattice has
    more than `max_arcs` arcs are searched by a linear method in the compiled kernel, which may
    decide ties otherwise; here such a lattice would take minutes and gigabytes, and they are
    refused. `edits` asks for the edits themselves. Raises ValueError for what does not fit
    together, and LongTextError for lines beyond the limits in `gold_edits.py`."""
    check_max_match(source, systems, gold, annotators, max_unchanged, folded, max_arcs)
    shape = len(systems), len(source.offsets) - 1, annotators
    correct, proposed = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    reduced = np.zeros(shape[:2], np.bool_)
    matched = np.zeros((len(systems), len(gold.starts)), np.uint8)
    offsets, rows = [0], []
    sources, outputs, corrections = (
        source.lines(),
        [system.lines() for system in systems],
        gold.corrections.lines(),
    )
    alternatives = (
        tuple(corrections[low:high]) for low, high in itertools.pairwise(gold.alternatives.tolist())
    )
    every = [*map(Gold, gold.starts.tolist(), gold.ends.tolist(), alternatives)]

    def text(tokens: Sentence) -> bytes:
        """Return tokens without regard to case and white space."""
        return b"".join(folded[token] for token in tokens) if folded else b""

    for s, line in np.ndindex(*shape[:2]):
        way = Way(sources[line], outputs[s][line], max_unchanged, first_row, max_arcs)
        reduced[s, line] = way.lattice is None
        for a in range(annotators):
            first = int(gold.firsts[line * annotators + a])
            golds = every[first : int(gold.firsts[line * annotators + a + 1])]
            path = way.edits(golds)
            if path is None:
                raise too_long(s, line, len(way.source), len(way.output))
            if folded is not None:
                path = [
                    e
                    for e in path
                    if text(way.source[e.i1 : e.i2]) != text(way.output[e.j1 : e.j2])
                ]
            hits = matches(path, golds, way.output)
            correct[s, line, a], proposed[s, line, a] = sum(map(len, hits)), len(path)
            matched[s, [first + place for hit in hits for place in hit]] = 1
            rows += [(*edit, len(hit)) for edit, hit in zip(path, hits, strict=True)]
            offsets.append(len(rows))
    table = np.array(rows, np.int32).reshape(-1, 7)
    spans, compared, counts = table[:, :4].copy(), table[:, 4:6].copy(), table[:, 6].copy()
    listed = ProposedEdits(np.array(offsets, np.int64), spans, compared, counts, matched)
    return MaxMatches(correct, proposed, reduced, listed if edits else None)


class Way:
    """From a line of the source to one of an output."""

    def __init__(
        self, source: Sentence, output: Sentence, max_unchanged: int, first_row: bool, max_arcs: int
    ) -> None:
        self.source, self.output = source, output
        self.max_unchanged, self.first_row = max_unchanged, first_row
        self.is_too_long = (len(source) + 1) * (len(output) + 1) > MAX_LATTICE and source != output
        self.lattice: Lattice | None = None
        if source == output:
            self.lattice = lattice((), (), 0)
        elif not self.is_too_long:
            self.lattice = lattice(source, output, max_unchanged, max_arcs)

    def edits(self, golds: Sequence[Gold]) -> list[Edit] | None:
        """Return the edits that were made, from left to right; None if the lattice has too many
        arcs.
        """
        if self.lattice is None:
            return None
        labels = self.lattice.labels
        edits = {
            arc: edit_of(arc, label.inserting, self.first_row) for arc, label in labels.items()
        }
        path = shortest_path(self.lattice, weigh(self.lattice, edits, self.output, golds))
        return [edits[arc] for arc in path if not labels[arc].is_unchanged]


def weigh(
    graph: Lattice, edits: dict[Arc, Edit], output: Sentence, golds: Sequence[Gold]
) -> dict[Arc, float]:
    """Return the weight of each arc: its steps and .001 for each time it is listed, or far below 0
    if it is gold.
    """
    weights = {arc: float(label.steps) for arc, label in graph.labels.items()}
    spans: dict[tuple[int, int], list[Gold]] = defaultdict(list)
    for gold in golds:
        spans[gold.start, gold.end].append(gold)
    insertions: dict[int, list[Arc]] = defaultdict(list)
    for arc in graph.arcs:
        edit = edits[arc]
        if edit.start == edit.end:
            insertions[edit.start].append(arc)
        elif any(edit.fits(gold, output) for gold in spans[edit.start, edit.end]):
            weights[arc] = -float(len(graph.arcs))
        elif not graph.labels[arc].is_unchanged:
            weights[arc] += 0.001
    for place, arcs in insertions.items():
        _weigh_insertions(graph, sorted(arcs), weights, edits, output, spans[place, place])
    return weights


def _weigh_insertions(
    graph: Lattice,
    arcs: list[Arc],
    weights: dict[Arc, float],
    edits: dict[Arc, Edit],
    output: Sentence,
    golds: Sequence[Gold],
) -> None:
    """Weigh the arcs that insert tokens at one place: from both ends, so that they match gold edits
    in their order.

    The next arc is taken from the left; when it is no gold edit from the right, then from the left
    again. After an arc that is gold come only arcs that start where it ends, or from the right
    those that end where it starts. A passed arc may have been weighed from the other side already.
    Its weight then grows again."""
    left, right, from_left = 0, len(arcs) - 1, True
    first, last = 0, len(golds) - 1
    while left <= right:
        from_left = from_left or left == right
        arc = arcs[left if from_left else right]
        order = range(first, last + 1) if from_left else range(last, first - 1, -1)
        hit = next((place for place in order if edits[arc].fits(golds[place], output)), None)
        left, right = (left + 1, right) if from_left else (left, right - 1)
        if hit is None:
            weights[arc] += 0.0 if graph.labels[arc].is_unchanged else 0.001
            from_left = not from_left
            continue
        weights[arc] = -float(len(graph.arcs))
        if from_left:
            first = hit + 1
            while left < len(arcs) and arcs[left][0] != arc[1]:
                weights[arcs[left]] += 0.001
                left += 1
        else:
            last = hit - 1
            while right >= 0 and arcs[right][1] != arc[0]:
                weights[arcs[right]] += 0.001
                right -= 1


def shortest_path(graph: Lattice, weights: dict[Arc, float]) -> list[Arc]:
    """Return the arcs of the shortest path, found by Bellman and Ford's method with arcs in the
    order of the lattice.

    Of several ways to the same smallest length, the one that was seen first stays.
    """
    lengths = dict.fromkeys(graph.vertices, math.inf)
    lengths[graph.vertices[0]] = 0.0
    before: dict[tuple[int, int], Arc] = {}
    for _ in graph.vertices[1:]:
        changed = False
        for arc in graph.arcs:
            length = lengths[arc[0]] + weights[arc]
            if length < lengths[arc[1]]:
                lengths[arc[1]], before[arc[1]], changed = length, arc, True
        if not changed:
            break
    path: list[Arc] = []
    vertex = graph.vertices[-1]
    while vertex != graph.vertices[0]:
        path.append(before[vertex])
        vertex = path[-1][0]
    return path[::-1]


def matches(edits: Sequence[Edit], golds: Sequence[Gold], output: Sentence) -> list[list[int]]:
    """Return which gold edits each edit matches.

    Gold edits are compared in their order, from the one behind the last match. So an edit matches a
    gold edit that is given twice twice, and gold edits that are not in the order of the sentence
    may be missed."""
    start, result = 0, []
    for edit in edits:
        hit = [place for place in range(start, len(golds)) if edit.fits(golds[place], output)]
        start = hit[-1] + 1 if hit else start
        result.append(hit)
    return result
