"""Published results reproduced, as text, Markdown and JSON: formatting only."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from ...reproduction.verdicts import VERDICTS
from .verdicts import counted, difference, misses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...reproduction.published import Outcome, Recipe
    from . import Table

HEADER = ["result", "equal", "difference", "verdict", "on record", "seconds"]
LEFT = (0, 3, 4)
WIDTH = 80
LEGEND = (
    "exact: every published digit; rounding: equal after rounding; tolerance: within the stated tolerance; "
    "partly: some values differ; differs: not reproducible; not published: held against an independent computation. "
    "difference: the largest, in units of the values."
)


def list_table(wanted: Sequence[Recipe]) -> Table:
    """Return a row for each recipe: recorded verdict, whether the data is here, where the numbers stand."""
    rows = []
    for recipe in wanted:
        lacking = len(recipe.lacking())
        here = "here" if not lacking else f"{lacking} to fetch"
        verdict = recipe.publication["verdict"] + (", slow" if recipe.slow else "")
        rows.append([recipe.name, verdict, here, textwrap.shorten(recipe.publication["what"], 22, placeholder=" ...")])
    return ["result", "on record", "data", "publication"], rows


def summary_table(outcomes: Sequence[Outcome]) -> Table:
    """Return a row for each recipe that was to be run."""
    return HEADER, [_row(outcome) for outcome in outcomes]


def _row(outcome: Outcome) -> list[str]:
    found, recorded = outcome.expectations, outcome.recipe.publication["verdict"]
    if found is None:
        return [outcome.recipe.name, "-", "-", "not run", recorded, "-"]
    verdict = found["verdict"] + (" WORSE" if outcome.worse else "")
    largest = max((e["largest_difference"] or 0.0 for e in found["entries"]), default=0.0)
    known = any(entry["largest_difference"] is not None for entry in found["entries"])
    whole = {key: sum(entry[key] for entry in found["entries"]) for key in ("equal", "values")}
    shown = difference(largest if known else None)
    return [outcome.recipe.name, counted(whole), shown, verdict, recorded, f"{outcome.seconds:.1f}"]


def remarks(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield what a reader of the table must know: why something did not run, and what is worse than on record."""
    for outcome in outcomes:
        if outcome.message:
            yield f"{outcome.recipe.name}: not run: {outcome.message}"
        elif outcome.worse and outcome.expectations:
            for line in misses(outcome.expectations):
                yield f"{outcome.recipe.name}: missed: {line}"
            if not outcome.expectations["missed"]:
                found, recorded = outcome.expectations["verdict"], outcome.recipe.publication["verdict"]
                yield f"{outcome.recipe.name}: missed: the verdict is {found}, on record is {recorded}"


def about(recipe: Recipe) -> Iterator[str]:
    """Yield lines on the publication: what, where, how, and what was tried."""
    said = recipe.publication
    for key in ("what", "cite", "url", "recipe", "note"):
        if said.get(key):
            yield from _wrapped(key, said[key])
    for key in ("tried", "not_compared"):
        for text in said.get(key, ()):
            yield from _wrapped(key.replace("_", " "), text)
    yield from _wrapped("on record", f"{said['verdict']} ({VERDICTS[said['verdict']]})")


def legend() -> str:
    """Return what the words of the table mean."""
    return "\n".join(textwrap.wrap(LEGEND, WIDTH))


def _wrapped(key: str, text: str) -> list[str]:
    indent = " " * 14
    return textwrap.wrap(
        text, WIDTH, initial_indent=f"{key + ':':<14}", subsequent_indent=indent, break_long_words=False
    )


def values_table(entry: dict[str, Any]) -> Table:
    """Return a row for each value of an entry: expected, found, difference, whether it is equal."""
    words = {"equal": "equal", "tolerance": "within the tolerance", "differs": "differs"}
    rows = [
        [one["place"], one["expected"], one["found"] or "-", difference(one["difference"]), words[one["verdict"]]]
        for one in entry["compared"]
    ]
    return ["", "published" if entry["published"] else "expected", "ours", "difference", ""], rows


def to_markdown(outcomes: Sequence[Outcome]) -> str:
    """Return a table with the publications."""
    header = [HEADER[0], "publication", *HEADER[1:]]
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for outcome in outcomes:
        name, *cells = _row(outcome)
        said = outcome.recipe.publication
        where = ", ".join(part for part in (said.get("cite", "").partition(":")[0], said["what"]) if part)
        lines.append("| " + " | ".join(_escaped(cell) for cell in (name, where, *cells)) + " |")
    notes = [f"- {_escaped(line)}" for line in remarks(outcomes)]
    return "\n".join([*lines, *([""] if notes else []), *notes, "", LEGEND]) + "\n"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def plain(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return everything as mappings and lists."""
    found = []
    for outcome in outcomes:
        expectations = outcome.expectations or {}
        found.append(
            {
                "name": outcome.recipe.name,
                "publication": outcome.recipe.publication,
                "recorded": outcome.recipe.publication["verdict"],
                "verdict": expectations.get("verdict"),
                "worse": outcome.worse,
                "message": outcome.message or None,
                "signatures": outcome.signatures,
                "seconds": round(outcome.seconds, 3),
                "entries": expectations.get("entries", []),
                "warnings": outcome.warnings,
            }
        )
    return {"schema": 1, "results": found}
