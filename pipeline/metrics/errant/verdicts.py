"""Which edits of a sentence are right: the hits and misses of ERRANT, each with its place and its correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...corpus.edits.errant_report import NOOP, is_of
from ...corpus.edits.records import annotation_of, outputs_of
from ..base.capabilities import MISSED, RIGHT, WRONG, Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from ...corpus.edits.errant_report import Comparison
    from ...corpus.edits.m2_files import Edit

    ByKey = dict[Hashable, list[Edit]]


def verdicts(
    comparison: Comparison, only: tuple[str, ...], source: str, output: str, annotation: str
) -> list[Verdict] | None:
    """Return a verdict for each hit and miss of a sentence, as they are counted; None without the annotator's line.

    `only` are the types that are shown; empty: all. `output` and `annotation` are records of edits.
    """
    gold, outputs = annotation_of(annotation.encode()), outputs_of(output.encode())
    if gold is None or gold.output >= len(outputs):
        return None
    tokens = source.split()
    own, other = (_by_key(comparison, edits) for edits in (outputs[gold.output], gold.edits))
    found = [_verdict(tokens, *item) for item in _compared(own, other) if not only or is_of(item[2], only)]
    return sorted(found, key=lambda item: (item.start, item.end, item.verdict == MISSED))


def _by_key(comparison: Comparison, edits: Iterable[Edit]) -> ByKey:
    """Return the edits that are compared by what makes two of them equal."""
    by_key: ByKey = {}
    for edit in edits:
        for key in comparison.keys([edit]):
            by_key.setdefault(key, []).append(edit)
    return by_key


def _compared(own: ByKey, other: ByKey) -> Iterator[tuple[Edit, Hashable, str, str]]:
    """Yield edits with their keys, types and verdicts, as compare() of edit_keys.py counts them."""
    for key, edits in own.items():
        if edits[0].type != NOOP:
            hits = [(edits[0], key, edit.type, RIGHT) for edit in other.get(key, ())]
            yield from hits or [(edit, key, edit.type, WRONG) for edit in edits]
    for key, edits in other.items():
        if edits[0].type != NOOP and key not in own:
            yield from ((edit, key, edit.type, MISSED) for edit in edits)


def _verdict(tokens: list[str], edit: Edit, key: Hashable, type_: str, verdict: str) -> Verdict:
    """Return the verdict of an edit, at the place that its key names: of detections by token, this is one token."""
    start, end = key[:2] if isinstance(key, tuple) else (edit.start, edit.end)
    start, end = max(start, 0), max(end, 0)
    correction = "" if edit.correction == "-NONE-" else edit.correction
    return Verdict(start, end, " ".join(tokens[start:end]), correction, type_, verdict)
