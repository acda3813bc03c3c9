"""What was expected or published and what was found, as tables, Markdown and JSON: formatting only."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.report.tables import Table

from .verdicts import VERDICTS

if TYPE_CHECKING:
    from .recipe import Outcome, Recipe

SHOWN = 10
"""How many missed values of an entry have a line of their own."""
HEADER = ["result", "equal", "difference", "verdict", "on record", "seconds"]
SHORT = HEADER[:4]
"""The titles of the table in `gec-pipeline help reproduce`."""
LEFT = (0, 3, 4)
WIDTH, SUBJECT = 78, 60  # commands indent a little


def expectation_table(expectations: dict[str, Any]) -> Table:
    """Return a row for each entry: its title, how many values are equal, the largest difference,
    the verdict.
    """
    rows = []
    for number, entry in enumerate(expectations["entries"], 1):
        as_recorded = " (as recorded)" if entry["verdict"] == entry["recorded"] == "differs" else ""
        verdict = VERDICTS[entry["verdict"]] + (" MISSED" if entry["missed"] else as_recorded)
        rows.append(
            [
                str(number),
                entry["title"],
                counted(entry),
                difference(entry["largest_difference"]),
                verdict,
            ]
        )
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

    def in_words(item: dict[str, Any]) -> str:
        label = f"{item['place']}: " if item["place"] else ""
        if item.get("message"):
            return f"{label}expected {item['expected']}: {item['message']}"
        return f"{label}expected {item['expected']}, found {'no number' if item['found'] is None else item['found']}"

    for number in expectations["missed"]:
        entry = expectations["entries"][number - 1]
        wrong = [item for item in entry["compared"] if item["verdict"] == "differs"]
        lines = [in_words(item) for item in wrong[:SHOWN]]
        if len(wrong) > SHOWN:
            lines.append(f"and {len(wrong) - SHOWN} more")
        if entry["message"] and not any(
            entry["message"] == item.get("message") for item in wrong[:SHOWN]
        ):
            lines.append(entry["message"])
        yield from (f"{number}. {entry['title']}: {line}" for line in lines)
        if not lines:
            verdict, recorded = (VERDICTS[entry[key]] for key in ("verdict", "recorded"))
            yield f"{number}. {entry['title']}: {verdict}; on record is: {recorded}"


def list_table(recipes: Sequence[Recipe]) -> Table:
    """Return a row for each file of recipes: verdicts, whether its data is here, and the
    publication.
    """
    rows = []
    files: dict[Path, list[Recipe]] = {}
    for recipe in recipes:
        files.setdefault(recipe.path, []).append(recipe)
    for own in files.values():
        lacking = len({file for recipe in own for file in recipe.lacking()})
        here = "here" if not lacking else f"{lacking} to fetch"
        verdicts = dict.fromkeys(recipe.publication["verdict"] for recipe in own)
        verdict = ", ".join([*verdicts, *(["slow"] if any(recipe.slow for recipe in own) else [])])
        what = f"{len(own)} results: " * bool(own[0].family) + own[0].publication["what"]
        rows.append(
            [
                own[0].family or own[0].name,
                verdict,
                here,
                textwrap.shorten(what, SUBJECT, placeholder=" ..."),
            ]
        )
    return ["result", "on record", "data", "publication"], rows


def summary_table(outcomes: Sequence[Outcome]) -> Table:
    """Return a row for each outcome."""
    rows = []
    for outcome in outcomes:
        equal, largest, verdict = summary(outcome)
        seconds = f"{outcome.seconds:.1f}" if outcome.expectations else "-"
        cells = [equal, largest, verdict + (" WORSE" if outcome.worse else "")]
        rows.append([outcome.recipe.name, *cells, outcome.recipe.publication["verdict"], seconds])
    return HEADER, rows


def summary(outcome: Outcome) -> tuple[str, str, str]:
    """Return how many values are equal, the largest difference, and the verdict; dashes where a
    recipe did not run.
    """
    if outcome.expectations is None:
        return "-", "-", "not run"
    entries = outcome.expectations["entries"]
    differences = [e["largest_difference"] for e in entries if e["largest_difference"] is not None]
    whole = {key: sum(entry[key] for entry in entries) for key in ("equal", "values")}
    return (
        counted(whole),
        difference(max(differences, default=None)),
        outcome.expectations["verdict"],
    )


def notes_of(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield lines below the table: why recipes were not run, and what is worse than on record."""
    for outcome in outcomes:
        if outcome.message:
            yield f"{outcome.recipe.name}: not run: {outcome.message}"
        elif outcome.worse and outcome.expectations:
            for line in misses(outcome.expectations):
                yield f"{outcome.recipe.name}: missed: {line}"
            if not outcome.expectations["missed"]:
                verdict, recorded = (
                    outcome.expectations["verdict"],
                    outcome.recipe.publication["verdict"],
                )
                yield f"{outcome.recipe.name}: missed: the verdict is {verdict}, on record is {recorded}"


def about(recipe: Recipe) -> Iterator[str]:
    """Yield lines on the publication: what it is, where it is, how its numbers come about, and what
    was tried.
    """
    publication = recipe.publication
    told = [
        (key, publication[key])
        for key in ("what", "cite", "url", "recipe", "note")
        if publication.get(key)
    ]
    told += [
        (key.replace("_", " "), text)
        for key in ("tried", "not_compared")
        for text in publication.get(key, ())
    ]
    told.append(("on record", f"{publication['verdict']} ({VERDICTS[publication['verdict']]})"))
    for key, text in told:
        first, rest = f"{key + ':':<14}", " " * 14
        yield from textwrap.wrap(
            text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False
        )


def legend() -> str:
    """Return what the words of the table mean."""
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in VERDICTS.items())
    return "\n".join(
        textwrap.wrap(f"{meanings}. difference: the largest, in units of the values.", WIDTH)
    )


def values_table(entry: dict[str, Any]) -> Table:
    """Return a row for each value of an entry: the published value, ours, their difference, and a
    verdict.
    """
    words = {"equal": "equal", "tolerance": "within the tolerance", "differs": "differs"}
    rows = [
        [
            item["place"],
            item["expected"],
            item["found"] or "-",
            difference(item["difference"]),
            words[item["verdict"]],
        ]
        for item in entry["compared"]
    ]
    return ["", "published" if entry["published"] else "expected", "ours", "difference", ""], rows


def to_markdown(outcomes: Sequence[Outcome]) -> str:
    """Return the table that `gec-pipeline help reproduce` has, and below it what was not run, and
    what is worse.
    """
    ran = [[outcome.recipe.name, *summary(outcome)] for outcome in outcomes if outcome.expectations]
    return "\n".join(markdown_lines(SHORT, ran, notes_of(outcomes))) + "\n"


def markdown_lines(
    header: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()
) -> list[str]:
    """Return the lines of a table in Markdown, and notes below it as a list."""

    def escaped(text: str) -> str:
        return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")

    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    lines += ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in rows]
    below = [f"- {escaped(line)}" for line in notes]
    return [*lines, *([""] if below else []), *below]


def plain(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return all outcomes as mappings and lists, for JSON."""
    entries = [
        {
            "name": outcome.recipe.name,
            "publication": outcome.recipe.publication,
            "recorded": outcome.recipe.publication["verdict"],
            "verdict": (outcome.expectations or {}).get("verdict"),
            "worse": outcome.worse,
            "message": outcome.message or None,
            "signatures": outcome.signatures,
            "seconds": round(outcome.seconds, 3),
            "entries": (outcome.expectations or {}).get("entries", []),
            "warnings": outcome.warnings,
        }
        for outcome in outcomes
    ]
    return {"schema": 1, "results": entries}
