"""The hits and misses that are counted as arrays are those of compare(), sentence by sentence."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.corpus.edits.errant_report import CHERRANT, NOOP, UNJUDGED, Comparison, Hits, compare
from pipeline.corpus.edits.m2_files import NOOP as NOOP_LINE
from pipeline.corpus.edits.records import annotation_of, outputs_of, record_of
from pipeline.kernel.lines import join_lines
from pipeline.metrics.base.metric import Text
from pipeline.metrics.errant.hits import hits_of

if TYPE_CHECKING:
    from pipeline.metrics.errant.hits import Compared

TYPES = [NOOP, "UNK", "R:NOUN", "M:DET", UNJUDGED]
COMPARISONS = st.builds(
    Comparison,
    mode=st.sampled_from(["cs", "cse", "ds", "dt"]),
    single=st.booleans(),
    multi=st.booleans(),
    left_out=st.sampled_from([(), (), ("R:NOUN",)]),
    style=st.sampled_from(["errant", CHERRANT]),
)


@st.composite
def lines(draw: st.DrawFn, annotator: int) -> list[str]:
    edit = st.tuples(st.integers(-1, 2), st.integers(0, 2), st.sampled_from(TYPES), st.sampled_from(["", "a", "a b"]))
    edits = draw(st.lists(edit, min_size=1, max_size=4))
    return [f"A {a} {max(a, 0) + b}|||{name}|||{text}|||REQUIRED|||-NONE-|||{annotator}" for a, b, name, text in edits]


@st.composite
def texts(draw: st.DrawFn) -> Text:
    """References are pairs of two annotators of the gold and two of an output, any of whom may lack a line."""
    count, systems = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    gold = [[draw(st.none() | lines(number)) for number in range(2)] for _ in range(count)]
    references = []
    for output in range(2):
        for number in range(2):
            records = [b"" if not (own := line[number]) else record_of(number, number, output, own) for line in gold]
            references.append(join_lines(records))
    outputs = []
    for _ in range(systems):
        each = [draw(lines(0)) + (draw(st.just([]) | lines(1))) for _ in range(count)]
        outputs.append(join_lines("\n".join(own or [NOOP_LINE]).encode() for own in each))
    return Text(None, references, outputs, {})


def one_by_one(comparison: Comparison, text: Text, system: int, line: int) -> list[tuple[int, int, Hits] | None]:
    """Return for each pair its order, the edits of the annotator, and the hits and misses."""
    outputs = [comparison.keys(edits) for edits in outputs_of(list(text.systems[system].texts())[line])]
    annotations = [annotation_of(list(reference.texts())[line]) for reference in text.references]
    keys = [comparison.keys(own.edits) if own else {} for own in annotations]
    first = [own for own, item in zip(keys, annotations, strict=True) if item and item.output == 0]
    judged = comparison.style != CHERRANT or len(first) != 1 or [*first[0].values()] != [[UNJUDGED]]
    pairs: list[tuple[int, int, Hits] | None] = []
    for item, own in zip(annotations, keys, strict=True):
        if item is None or item.output >= len(outputs):
            pairs.append(None)
            continue
        edits = sum(len(types) for types in own.values() if types[0] != NOOP)
        hits = compare(outputs[item.output], own) if judged else Hits([], [], [])
        pairs.append((item.output * len(annotations) + item.order, edits, hits))
    return pairs


def counted(compared: Compared, pair: int, place: int, row: int) -> Counter[str]:
    rows, types = compared.hits[pair][place]
    return Counter(compared.types[number] for number in types[rows == row].tolist())


@settings(max_examples=120, deadline=None)
@given(text=texts(), comparison=COMPARISONS)
def test_hits_as_arrays_are_those_of_each_sentence(text: Text, comparison: Comparison) -> None:
    compared = hits_of(comparison, text)
    systems, count, pairs = compared.edits.shape
    for system, line in np.ndindex(systems, count):
        for pair, expected in enumerate(one_by_one(comparison, text, system, line)):
            order, edits, hits = expected or (0, -1, Hits([], [], []))
            assert (compared.orders[system, line, pair], compared.edits[system, line, pair]) == (order, edits)
            for place, types in enumerate(hits):
                assert counted(compared, pair, place, system * count + line) == Counter(types)
    assert hits_of(comparison, text) is compared  # by type and in total they are made once
    assert pairs == len(text.references)
