"""Reproductions of published results as tables, Markdown and JSON: formatting only."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from ...reproduction.verdicts import VERDICTS
from .verdicts import counted, difference, misses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...reproduction.recipe import Outcome, Recipe
    from . import Table

HEADER = ["result", "equal", "difference", "verdict", "on record", "seconds"]
SHORT = ["result", "equal", "difference", "verdict"]
"""The titles of the table in `gec-pipeline help reproduce`."""
LEFT = (0, 3, 4)
WIDTH = 80
LEGEND = (
    "exact: every published digit; rounding: equal after rounding; tolerance: within the stated tolerance; "
    "partly: some values differ; differs: not reproducible; not published: held against an independent computation; "
    "not run: some data is not here (on record: the recipe's author did not have it). "
    "difference: the largest, in units of the values."
)


def list_table(recipes: Sequence[Recipe]) -> Table:
    """Return a row for each recipe: the verdict on record, whether its data is here, and the publication."""
    rows = []
    for recipe in recipes:
        lacking = len(recipe.lacking())
        here = "here" if not lacking else f"{lacking} to fetch"
        verdict = recipe.publication["verdict"] + (", slow" if recipe.slow else "")
        rows.append([recipe.name, verdict, here, textwrap.shorten(recipe.publication["what"], 22, placeholder=" ...")])
    return ["result", "on record", "data", "publication"], rows


def summary_table(outcomes: Sequence[Outcome]) -> Table:
    """Return a row for each outcome."""
    return HEADER, [_row(outcome) for outcome in outcomes]


def _row(outcome: Outcome) -> list[str]:
    recorded = outcome.recipe.publication["verdict"]
    equal, largest, verdict = summary(outcome)
    seconds = f"{outcome.seconds:.1f}" if outcome.expectations else "-"
    return [outcome.recipe.name, equal, largest, verdict + (" WORSE" if outcome.worse else ""), recorded, seconds]


def summary(outcome: Outcome) -> tuple[str, str, str]:
    """Return how many values are equal, the largest difference, and the verdict; dashes where a recipe did not run."""
    if outcome.expectations is None:
        return "-", "-", "not run"
    entries = outcome.expectations["entries"]
    differences = [e["largest_difference"] for e in entries if e["largest_difference"] is not None]
    whole = {key: sum(entry[key] for entry in entries) for key in ("equal", "values")}
    return counted(whole), difference(max(differences, default=None)), outcome.expectations["verdict"]


def remarks(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield lines below the table: why recipes were not run, and what is worse than on record."""
    for outcome in outcomes:
        if outcome.message:
            yield f"{outcome.recipe.name}: not run: {outcome.message}"
        elif outcome.worse and outcome.expectations:
            for line in misses(outcome.expectations):
                yield f"{outcome.recipe.name}: missed: {line}"
            if not outcome.expectations["missed"]:
                verdict, recorded = outcome.expectations["verdict"], outcome.recipe.publication["verdict"]
                yield f"{outcome.recipe.name}: missed: the verdict is {verdict}, on record is {recorded}"


def about(recipe: Recipe) -> Iterator[str]:
    """Yield lines on the publication: what it is, where it is, how its numbers come about, and what was tried."""
    publication = recipe.publication
    for key in ("what", "cite", "url", "recipe", "note"):
        if publication.get(key):
            yield from _wrapped(key, publication[key])
    for key in ("tried", "not_compared"):
        for text in publication.get(key, ()):
            yield from _wrapped(key.replace("_", " "), text)
    yield from _wrapped("on record", f"{publication['verdict']} ({VERDICTS[publication['verdict']]})")


def legend() -> str:
    """Return what the words of the table mean."""
    return "\n".join(textwrap.wrap(LEGEND, WIDTH))


def _wrapped(key: str, text: str) -> list[str]:
    first, rest = f"{key + ':':<14}", " " * 14
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False)


def values_table(entry: dict[str, Any]) -> Table:
    """Return a row for each value of an entry: the published value, ours, their difference, and a verdict."""
    words = {"equal": "equal", "tolerance": "within the tolerance", "differs": "differs"}
    rows = [
        [item["place"], item["expected"], item["found"] or "-", difference(item["difference"]), words[item["verdict"]]]
        for item in entry["compared"]
    ]
    return ["", "published" if entry["published"] else "expected", "ours", "difference", ""], rows


def to_markdown(outcomes: Sequence[Outcome]) -> str:
    """Return the table in Markdown, with a column for the publications."""
    header = [HEADER[0], "publication", *HEADER[1:]]
    rows = [(name, _publication(one.recipe), *cells) for one in outcomes for name, *cells in [_row(one)]]
    lines = markdown_lines(header, rows)
    notes = [f"- {_escaped(line)}" for line in remarks(outcomes)]
    return "\n".join([*lines, *([""] if notes else []), *notes, "", LEGEND]) + "\n"


def to_short_markdown(outcomes: Sequence[Outcome]) -> str:
    """Return the table that `gec-pipeline help reproduce` has, and below it what was not run, and what is worse."""
    ran = [[outcome.recipe.name, *summary(outcome)] for outcome in outcomes if outcome.expectations]
    notes = [f"- {_escaped(line)}" for line in remarks(outcomes)]
    return "\n".join([*markdown_lines(SHORT, ran), *([""] if notes else []), *notes]) + "\n"


def recorded_markdown(recipes: Sequence[Recipe]) -> str:
    """Return a table of the verdicts on record, which nothing has to be run for."""
    rows = [[recipe.name, _publication(recipe), recipe.publication["verdict"]] for recipe in recipes]
    return "\n".join(markdown_lines(["result", "publication", "verdict on record"], rows)) + "\n"


def markdown_lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    return [*lines, *("| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows)]


def _publication(recipe: Recipe) -> str:
    cite = " ".join(recipe.publication.get("cite", "").split()).partition(":")[0]
    return ", ".join(filter(None, (cite, recipe.publication["what"])))


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def plain(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return all outcomes as mappings and lists, for JSON."""
    entries = []
    for outcome in outcomes:
        expectations = outcome.expectations or {}
        entries.append(
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
    return {"schema": 1, "results": entries}
