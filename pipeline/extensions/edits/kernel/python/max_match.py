"""MaxMatch (M²) in Python: the edits of an output, divided to match as many gold edits as possible.

All ways from source to output are in a lattice (Lattice, below). Arcs that match gold edits get a
large negative weight, so the shortest path through the lattice has as many of them as possible.
Ties are decided as the official program decides them. That depends on the order of arcs, on the
rounding of weights, and on details explained where they are.

Source: Dahlmeier and Ng 2012 (N12-1067).
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pipeline.kernel.common import Encoded, Texts

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

CHANGE_WEIGHT = 0.001
"""What an arc that changes something weighs beyond its steps, so that fewer of them are better."""


class Gold(NamedTuple):
    """A gold edit: the tokens of the source that it replaces, and its corrections."""

    start: int
    end: int
    corrections: tuple[Sentence, ...]


class Label(NamedTuple):
    """What is known of an arc."""

    steps: int
    """The number of steps that are joined; 1 for a step of the alignment."""
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
    """All arcs in the order in which they are searched. An arc that was joined repeatedly is
    repeated."""
    labels: Mapping[Arc, Label]
    """What is known of each arc."""


def steps_of(source: Sequence[int], output: Sequence[int]) -> Counter[Arc]:
    """Return the steps of all best alignments (Levenshtein) of source and output, and their counts.

    Substitutions cost 1 or 2, which give different best alignments. A step that is in one for both
    costs counts twice.
    """
    counts = Counter(_best_steps(source, output, 1))
    counts.update(_best_steps(source, output, 2))
    return counts


def _best_steps(
    source: Sequence[int],
    output: Sequence[int],
    substitution: int,
) -> Iterator[Arc]:
    """Yield the steps of all alignments of least cost, from the last to the first.

    Insertions and deletions cost 1, equal tokens nothing, and substitutions `substitution`.
    """
    costs: dict[Vertex, int] = {(0, 0): 0}
    # the vertices from which each is reached at the least cost
    before: dict[Vertex, list[Vertex]] = {(0, 0): []}
    for i, j in itertools.product(
        range(len(source) + 1), range(len(output) + 1)
    ):
        costs_by_step = {}
        if i and j:
            differs = source[i - 1] != output[j - 1]
            cost = substitution if differs else 0
            costs_by_step[i - 1, j - 1] = costs[i - 1, j - 1] + cost
        if i:
            costs_by_step[i - 1, j] = costs[i - 1, j] + 1
        if j:
            costs_by_step[i, j - 1] = costs[i, j - 1] + 1
        if costs_by_step:
            least = min(costs_by_step.values())
            costs[i, j] = least
            before[i, j] = []
            for vertex, cost in costs_by_step.items():
                if cost == least:
                    before[i, j].append(vertex)
    # go back from the ends of both, by all steps of least cost
    reached = {(len(source), len(output))}
    for vertex in sorted(before, reverse=True):
        if vertex in reached:
            reached.update(before[vertex])
            for earlier in before[vertex]:
                yield earlier, vertex


def changes_nothing(
    source: Sequence[int], output: Sequence[int], step: Arc
) -> bool:
    """Return whether a step leaves a token as it is."""
    (i, j), (next_i, next_j) = step
    return next_i > i and next_j > j and source[i] == output[j]


def lattice(
    source: Sequence[int],
    output: Sequence[int],
    max_unchanged: int,
    limit: float = math.inf,
) -> Lattice | None:
    """Return the lattice of a line: the steps of best alignments, and arcs that join such steps.

    A joined arc has at most `max_unchanged` steps that leave a token as it is. Returns None if
    there are more arcs than the limit, repetitions included.
    """
    counts = steps_of(source, output)
    vertices = sorted({(0, 0), *itertools.chain.from_iterable(counts)})

    # the steps from each vertex, and whether they leave a token as it is
    after: dict[Vertex, dict[Vertex, bool]] = {}
    for vertex in vertices:
        after[vertex] = {}
    for step in sorted(counts):
        start, end = step
        after[start][end] = changes_nothing(source, output, step)

    # from each vertex, join step after step
    labels: dict[Arc, Label] = {}
    # each with the vertex before its last step
    joined: list[tuple[Vertex, Arc]] = []
    for start in vertices:
        ends: dict[Vertex, Label] = {}
        for end, unchanged in after[start].items():
            ends[end] = Label(1, unchanged, end[0] == start[0])
        # vertices are in ascending order, so all arcs to `middle` are known by then
        for middle in vertices:
            if middle not in ends:
                continue
            label = ends[middle]
            for end, unchanged in after[middle].items():
                steps = label.steps + 1
                longer = Label(
                    steps, label.unchanged + unchanged, label.inserting
                )
                # A way of fewer steps replaces one of more steps, even if more of its tokens are
                # unchanged. It is then appended again.
                is_shortest = end not in ends or steps < ends[end].steps
                if longer.unchanged <= max_unchanged and is_shortest:
                    ends[end] = longer
                    joined.append((middle, (start, end)))
        for end, label in ends.items():
            labels[start, end] = label
        if counts.total() + len(joined) > limit:
            return None

    # Joined arcs that change nothing are left out, but not one that follows such an arc: the
    # official program removes arcs from a list while it goes through it, so it passes over the next
    # one.
    arcs = sorted(counts.elements())
    removed = False
    for _middle, arc in sorted(joined):
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
        """Return whether the edit equals a gold edit: the span, the text in it, and a correction.

        `output` has the ids of the output's tokens.
        """
        if (self.start, self.end) != (gold.start, gold.end):
            return False
        # With equal spans the texts differ only if `start` and `end` are not those of the tokens.
        same_text = self.i2 - self.i1 == gold.end - gold.start
        return same_text and output[self.j1 : self.j2] in gold.corrections


def edit_of(arc: Arc, inserting: bool, first_row: bool) -> Edit:
    """Return the edit of an arc; `inserting`: whether its first step is an insertion.

    With `first_row` it has the wrong span that version 3.2 of the program takes for insertions
    before the first token of the source: their position in the output, as if that many tokens of
    the source had been read.
    """
    (i1, j1), (i2, j2) = arc
    start = j1 if first_row and i1 == 0 and inserting else i1
    end = j2 - 1 if first_row and i2 == 0 else i2
    return Edit(i1, i2, j1, j2, start, end)


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
    """Count for each annotator which edits of outputs are gold, as the official M² scorer does.

    All texts and corrections come from one call of encode, split at white space. `gold` has the
    edits of all lines and annotators. An edit goes over at most `max_unchanged` unchanged tokens.
    `first_row` gives what version 3.2 of the program gives, else it is its last version. With
    `folded`, which has the lower-cased bytes of each id, edits that only change case and white
    space are not counted as proposed. Lines whose lattice has more than `max_arcs` arcs are
    searched by a linear method in the compiled kernel, which may decide ties otherwise; here such a
    lattice would take minutes and gigabytes, and they are refused. `edits` asks for the edits
    themselves. Raises ValueError for what does not fit together, and LongTextError for lines beyond
    the limits in `gold_edits.py`.
    """
    check_max_match(
        source, systems, gold, annotators, max_unchanged, folded, max_arcs
    )
    shape = (len(systems), len(source.offsets) - 1, annotators)
    correct = np.zeros(shape, np.int64)
    proposed = np.zeros(shape, np.int64)
    reduced = np.zeros(shape[:2], np.bool_)
    matched = np.zeros((len(systems), len(gold.starts)), np.uint8)
    offsets = [0]
    rows: list[tuple[int, ...]] = []  # an edit, and how many gold edits it hits
    source_lines = source.lines()
    output_lines = [system.lines() for system in systems]
    all_golds = _gold_edits(gold)
    for system, line in np.ndindex(*shape[:2]):
        output = output_lines[system][line]
        way = Way(
            source_lines[line], output, max_unchanged, first_row, max_arcs
        )
        reduced[system, line] = way.lattice is None
        for annotator in range(annotators):
            # the gold edits of this annotator for this line
            cell = line * annotators + annotator
            first = int(gold.firsts[cell])
            golds = all_golds[first : int(gold.firsts[cell + 1])]

            # the edits of the output that match as many of them as possible
            proposed_edits = way.edits(golds)
            if proposed_edits is None:
                raise too_long(system, line, len(way.source), len(way.output))
            if folded is not None:
                proposed_edits = [
                    edit
                    for edit in proposed_edits
                    if not _is_same_text(edit, way, folded)
                ]
            proposed[system, line, annotator] = len(proposed_edits)

            hits_of_edits = matches(proposed_edits, golds, output)
            for edit, hits in zip(proposed_edits, hits_of_edits, strict=True):
                correct[system, line, annotator] += len(hits)
                for hit in hits:
                    matched[system, first + hit] = 1
                rows.append((*edit, len(hits)))
            offsets.append(len(rows))
    if not edits:
        return MaxMatches(correct, proposed, reduced, None)
    table = np.array(rows, np.int32).reshape(-1, len(Edit._fields) + 1)
    listed = ProposedEdits(
        offsets=np.array(offsets, np.int64),
        spans=table[:, :4].copy(),
        compared=table[:, 4:6].copy(),
        hits=table[:, 6].copy(),
        matched=matched,
    )
    return MaxMatches(correct, proposed, reduced, listed)


def _gold_edits(gold: GoldEdits) -> list[Gold]:
    """Return the gold edits of all lines and annotators, in their order."""
    corrections = gold.corrections.lines()
    golds = []
    starts = gold.starts.tolist()
    ends = gold.ends.tolist()
    bounds = itertools.pairwise(gold.alternatives.tolist())
    for start, end, (first, last) in zip(starts, ends, bounds, strict=True):
        golds.append(Gold(start, end, tuple(corrections[first:last])))
    return golds


class Way:
    """A line of the source, one of an output, and the lattice of the ways from one to the other."""

    def __init__(
        self,
        source: Sentence,
        output: Sentence,
        max_unchanged: int,
        first_row: bool,
        max_arcs: int,
    ) -> None:
        """Make the lattice of two lines of tokens. The other arguments are as in max_match()."""
        self.source = source
        self.output = output
        self.max_unchanged = max_unchanged
        self.first_row = first_row
        self.lattice: Lattice | None = None
        """None: it would have too many cells or arcs. Equal lines have one without arcs."""
        cells = (len(source) + 1) * (len(output) + 1)
        self.is_too_long = source != output and cells > MAX_LATTICE
        if source == output:
            self.lattice = lattice((), (), 0)
        elif not self.is_too_long:
            self.lattice = lattice(source, output, max_unchanged, max_arcs)

    def edits(self, golds: Sequence[Gold]) -> list[Edit] | None:
        """Return the edits that match as many gold edits as possible, from left to right.

        `golds` are those of an annotator for the line. Returns None if there is no lattice.
        """
        if self.lattice is None:
            return None
        labels = self.lattice.labels
        edits = {}
        for arc, label in labels.items():
            edits[arc] = edit_of(arc, label.inserting, self.first_row)
        path = shortest_path(
            self.lattice, weigh(self.lattice, edits, self.output, golds)
        )
        return [edits[arc] for arc in path if not labels[arc].is_unchanged]


def _is_same_text(edit: Edit, way: Way, folded: Sequence[bytes]) -> bool:
    """Return whether an edit only changes case and white space."""
    source = way.source[edit.i1 : edit.i2]
    output = way.output[edit.j1 : edit.j2]
    before = b"".join(folded[token] for token in source)
    after = b"".join(folded[token] for token in output)
    return before == after


def weigh(
    graph: Lattice,
    edits: dict[Arc, Edit],
    output: Sentence,
    golds: Sequence[Gold],
) -> dict[Arc, float]:
    """Return the weight of each arc for an annotator, whose gold edits are `golds`.

    It is far below 0 for a gold edit, so that the shortest path has as many of them as possible.
    Others weigh their steps and, if they change anything, CHANGE_WEIGHT for each time that the
    arc is listed.
    """
    weights = {}
    for arc, label in graph.labels.items():
        weights[arc] = float(label.steps)
    spans: dict[tuple[int, int], list[Gold]] = defaultdict(list)
    for gold in golds:
        spans[gold.start, gold.end].append(gold)
    insertions: dict[int, list[Arc]] = defaultdict(list)
    for arc in graph.arcs:
        edit = edits[arc]
        if edit.start == edit.end:
            insertions[edit.start].append(arc)
        elif any(
            edit.fits(gold, output) for gold in spans[edit.start, edit.end]
        ):
            weights[arc] = -float(len(graph.arcs))
        elif not graph.labels[arc].is_unchanged:
            weights[arc] += CHANGE_WEIGHT
    for position, arcs in insertions.items():
        same_span = spans[position, position]
        _weigh_insertions(
            graph, sorted(arcs), weights, edits, output, same_span
        )
    return weights


def _weigh_insertions(
    graph: Lattice,
    arcs: list[Arc],
    weights: dict[Arc, float],
    edits: dict[Arc, Edit],
    output: Sentence,
    golds: Sequence[Gold],
) -> None:
    """Weigh the arcs that insert tokens at one position, so that they match gold edits in order.

    `arcs` are sorted, and `golds` are the gold edits at this position. `weights` is changed. As in
    the official program, arcs are taken from both ends: the next arc is taken from the left, and if
    it is no gold edit then one from the right, then from the left again. After an arc that is gold
    come only arcs that start where it ends, or from the right those that end where it starts. A
    passed arc may have been weighed from the other side already. Its weight then grows again.
    """
    # the arcs and the gold edits that are left
    left = 0
    right = len(arcs) - 1
    first = 0
    last = len(golds) - 1
    from_left = True
    while left <= right:
        from_left = from_left or left == right
        candidates: Sequence[int] = range(first, last + 1)
        if from_left:
            arc = arcs[left]
            left += 1
        else:
            arc = arcs[right]
            right -= 1
            candidates = candidates[::-1]
        hit = None
        for candidate in candidates:
            if edits[arc].fits(golds[candidate], output):
                hit = candidate
                break
        if hit is None:
            if not graph.labels[arc].is_unchanged:
                weights[arc] += CHANGE_WEIGHT
            from_left = not from_left
            continue
        weights[arc] = -float(len(graph.arcs))
        # pass over arcs that do not adjoin it
        if from_left:
            first = hit + 1
            while left < len(arcs) and arcs[left][0] != arc[1]:
                weights[arcs[left]] += CHANGE_WEIGHT
                left += 1
        else:
            last = hit - 1
            while right >= 0 and arcs[right][1] != arc[0]:
                weights[arcs[right]] += CHANGE_WEIGHT
                right -= 1


def shortest_path(graph: Lattice, weights: dict[Arc, float]) -> list[Arc]:
    """Return the arcs of the shortest path, by the method of Bellman and Ford.

    Arcs are taken in the order of the lattice. Of several ways to the same smallest length, the one
    that was seen first stays.
    """
    lengths = dict.fromkeys(graph.vertices, math.inf)
    lengths[graph.vertices[0]] = 0.0
    before: dict[Vertex, Arc] = {}
    for _vertex in graph.vertices[1:]:
        changed = False
        for arc in graph.arcs:
            length = lengths[arc[0]] + weights[arc]
            if length < lengths[arc[1]]:
                lengths[arc[1]] = length
                before[arc[1]] = arc
                changed = True
        if not changed:
            break
    path: list[Arc] = []
    vertex = graph.vertices[-1]
    while vertex != graph.vertices[0]:
        path.append(before[vertex])
        vertex = path[-1][0]
    return path[::-1]


def matches(
    edits: Sequence[Edit],
    golds: Sequence[Gold],
    output: Sentence,
) -> list[list[int]]:
    """Return the indexes of the gold edits that each edit matches.

    Gold edits are compared in their order, from the one behind the last match. So an edit matches a
    gold edit that is listed twice twice, and gold edits that are not in the order of the sentence
    may be missed.
    """
    start = 0
    hits_of_edits = []
    for edit in edits:
        hits = []
        for index in range(start, len(golds)):
            if edit.fits(golds[index], output):
                hits.append(index)
        if hits:
            start = hits[-1] + 1
        hits_of_edits.append(hits)
    return hits_of_edits
