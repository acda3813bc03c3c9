"""The lines that m2scorer prints, to the character: texts and numbers as Python 2 shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ..corpus.edits.records import is_match, shrunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..corpus.edits.records import GoldEdit, Judged, ProposedEdit

Totals: TypeAlias = "tuple[int, int, int]"
"""Right, proposed and annotated edits."""
RULE = "-" * 43


def added(one: Totals, two: Totals) -> Totals:
    """Return the sums of counts."""
    return one[0] + two[0], one[1] + two[1], one[2] + two[2]


def sentence_lines(source: str, output: str, judged: Judged) -> Iterator[str]:
    """Yield the lines of a sentence with an annotator: first signs of edits, then texts and edits."""
    yield f">> Annotator: {judged.annotator}"
    right = [edit for edit in judged.edits for _ in edit.matched]
    for edit in right:
        sign = _sign(edit, judged)
        if sign:
            yield f"{sign} {_shown(edit)}"
    yield f"SOURCE        : {source}"
    yield f"HYPOTHESIS    : {output}"
    yield f"EDIT SEQ      : {_listed(_shown(shrunk(edit)) for edit in judged.edits)}"
    yield f"GOLD EDITS    : {_listed(_shown_gold(edit, judged) for edit in judged.gold)}"
    yield f"CORRECT EDITS : {_listed(map(_shown, right))}"


def _sign(edit: ProposedEdit, judged: Judged) -> str:
    """Return the sign of a right deletion beside an insertion, or of a right insertion beside a deletion, or "".

    Neighbours are taken without the words that they leave unchanged. The sign is ! where one of them is right too,
    else & for a deletion and * for an insertion.
    """
    inserts = edit.start == edit.end
    if not inserts and (edit.start > edit.end or edit.correction):
        return ""
    sides = [shrunk(other) for other in judged.edits if edit.end == other.start or edit.start == other.end]
    if inserts:
        beside = [other for other in sides if other.start < other.end and not other.correction]
    else:
        beside = [other for other in sides if other.start == other.end]
    if any(is_match(other, gold, judged.tokens) for other in beside for gold in judged.gold):
        return "!"
    return ("*" if inserts else "&") if beside else ""


def count_lines(counts: Totals, beta: float) -> Iterator[str]:
    """Yield the counts of all sentences up to one with an annotator, and what they make."""
    correct, proposed, gold = map(float, counts)
    denominator = beta * beta * gold + proposed
    score = (1 + beta * beta) * correct / denominator if denominator else float(correct == 0)
    for name, count in zip(("correct", "proposed", "gold"), counts, strict=True):
        yield f"# {name:<12}: {count}"
    yield f"precision     : {_number(correct / proposed if proposed else 1.0)}"
    yield f"recall        : {_number(correct / gold if gold else 1.0)}"
    yield f"f_{beta:.1f}         : {_number(score)}"
    yield RULE


def total_lines(totals: Totals, beta: float, *, verbose: bool) -> Iterator[str]:
    """Yield what the counts of all sentences make."""
    correct, proposed, gold = map(float, totals)
    precision, recall = correct / proposed if proposed else 1.0, correct / gold if gold else 1.0
    denominator = beta * beta * precision + recall
    score = (1.0 + beta * beta) * precision * recall / denominator if denominator else 0.0
    if verbose:
        yield f"CORRECT EDITS  : {totals[0]}"
        yield f"PROPOSED EDITS : {totals[1]}"
        yield f"GOLD EDITS     : {totals[2]}"
        yield f"P = {_number(precision)}"
        yield f"R = {_number(recall)}"
        yield f"F_{beta:.1f} = {_number(score)}"
    yield f"Precision   : {precision:.4f}"
    yield f"Recall      : {recall:.4f}"
    yield f"F_{beta:.1f}       : {score:.4f}"


def _listed(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _shown(edit: ProposedEdit) -> str:
    """Return an edit as Python 2 shows a tuple."""
    return f"({edit.start}, {edit.end}, {_text(edit.original)}, {_text(edit.correction)})"


def _shown_gold(edit: GoldEdit, judged: Judged) -> str:
    """Return an annotator's edit. Of its corrections, only -NONE- became a text of bytes."""
    parts = edit.written.split("||")
    texts = ["''" if part == "-NONE-" else f"u{part.strip()!a}" for part in parts]
    return f"({edit.start}, {edit.end}, {_text(judged.original(edit))}, {_listed(texts)})"


def _text(text: str) -> str:
    """Return a text as Python 2 shows it: an empty one is of bytes here, all others are Unicode."""
    return f"u{text!a}" if text else "''"


def _number(value: float) -> str:
    """Return a number as Python 2 prints it: with 12 digits."""
    text = f"{value:.12g}"
    return text if set(text) & set(".en") else f"{text}.0"
