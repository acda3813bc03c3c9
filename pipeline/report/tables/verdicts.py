"""What was expected and what was found, as tables: formatting only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...reproduction.verdicts import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from . import Table

SHOWN = 10
"""How many missed values of an entry have a line of their own."""


def expectation_table(expectations: dict[str, Any]) -> Table:
    """Return a row for each entry: its title, how many values are equal, the largest difference, the verdict."""
    rows = []
    for number, entry in enumerate(expectations["entries"], 1):
        as_recorded = " (as recorded)" if entry["verdict"] == entry["recorded"] == "differs" else ""
        verdict = VERDICTS[entry["verdict"]] + (" MISSED" if entry["missed"] else as_recorded)
        rows.append([str(number), entry["title"], counted(entry), difference(entry["largest_difference"]), verdict])
    return ["", "expected", "equal", "largest difference", "verdict"], rows


def counted(entry: dict[str, Any]) -> str:
    """Return how many of the values are equal, such as "9 of 10"."""
    return f"{entry['equal']:,} of {entry['values']:,}"


def difference(value: float | None) -> str:
    """Return a difference with two significant digits."""
    return "-" if value is None else "0" if value == 0 else f"{value:.2g}"


def misses(expectations: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each value that differs in an entry that is worse than on record.

    For an entry without such values there is a line that says why it is worse.
    """
    for number in expectations["missed"]:
        entry = expectations["entries"][number - 1]
        wrong = [item for item in entry["compared"] if item["verdict"] == "differs"]
        lines = [in_words(item) for item in wrong[:SHOWN]]
        if len(wrong) > SHOWN:
            lines.append(f"and {len(wrong) - SHOWN} more")
        if entry["message"] and not any(entry["message"] == item.get("message") for item in wrong[:SHOWN]):
            lines.append(entry["message"])
        yield from (f"{number}. {entry['title']}: {line}" for line in lines)
        if not lines:
            verdict, recorded = (VERDICTS[entry[key]] for key in ("verdict", "recorded"))
            yield f"{number}. {entry['title']}: {verdict}; on record is: {recorded}"


def in_words(item: dict[str, Any]) -> str:
    """Return in words how a value differs from what was expected."""
    label = f"{item['place']}: " if item["place"] else ""
    if item.get("message"):
        return f"{label}expected {item['expected']}: {item['message']}"
    return f"{label}expected {item['expected']}, found {'no number' if item['found'] is None else item['found']}"
