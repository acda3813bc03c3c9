"""What was expected and what was found, as tables: formatting only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...reproduction.verdicts import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from . import Table

SHOWN = 10
"""Values of an entry that are told one by one where they are missed."""


def expectation_table(found: dict[str, Any]) -> Table:
    """Return a row for each entry: what it is, how many values are equal, the largest difference, the verdict."""
    rows = []
    for number, entry in enumerate(found["entries"], 1):
        known = " (as recorded)" if entry["verdict"] == entry["recorded"] == "differs" else ""
        known = " MISSED" if entry["missed"] else known
        verdict = VERDICTS[entry["verdict"]] + known
        rows.append([str(number), entry["title"], counted(entry), difference(entry["largest_difference"]), verdict])
    return ["", "expected", "equal", "largest difference", "verdict"], rows


def counted(entry: dict[str, Any]) -> str:
    """Return how many values are equal, of how many."""
    return f"{entry['equal']:,} of {entry['values']:,}"


def difference(value: float | None) -> str:
    """Return a difference with two digits."""
    return "-" if value is None else "0" if value == 0 else f"{value:.2g}"


def misses(found: dict[str, Any]) -> Iterator[str]:
    """Yield what was missed: the values of the entries that are worse than their record, and why there are none."""
    for number in found["missed"]:
        entry = found["entries"][number - 1]
        wrong = [one for one in entry["compared"] if one["verdict"] == "differs"]
        for one in wrong[:SHOWN]:
            yield f"{number}. {entry['title']}: {said(one)}"
        if len(wrong) > SHOWN:
            yield f"{number}. {entry['title']}: and {len(wrong) - SHOWN} more"
        if entry["message"] and not any(entry["message"] == one.get("message") for one in wrong[:SHOWN]):
            yield f"{number}. {entry['title']}: {entry['message']}"
        if not wrong and not entry["message"]:
            verdict, recorded = (VERDICTS[entry[key]] for key in ("verdict", "recorded"))
            yield f"{number}. {entry['title']}: {verdict}; on record is: {recorded}"


def said(one: dict[str, Any]) -> str:
    """Return a value that differs in words."""
    what = f"{one['place']}: " if one["place"] else ""
    if one.get("message"):
        return f"{what}expected {one['expected']}: {one['message']}"
    found = "no number" if one["found"] is None else one["found"]
    return f"{what}expected {one['expected']}, found {found}"
