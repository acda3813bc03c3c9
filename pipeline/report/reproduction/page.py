"""The report on published results as one HTML file: printed values beside ours, and leader boards."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ...io.dataset_cache import cache
from ...io.remote import PREFIX
from ...reproduction.verdicts import ORDER, VERDICTS
from ..html.shell import Design, PageTable, render
from ..tables.reproduction import counted, difference, misses, summary
from .leader_boards import KINDS, NOBODY, NOT_RUN, board_part, short_citation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...reproduction.recipe import Outcome
    from .leader_boards import ScoredBoard

DESIGN = Design(
    "reproductions.html",
    ("page.css", "print.css", "reproductions.css"),
    ("base.js", "boxes.js", "copying.js", "reproductions.js"),
    "pipeline.report.reproduction",
)
MOST = 4
"""At most so many entries stand beside each other in a table."""
SIGNS = {"equal": "=", "tolerance": "≈", "differs": "≠"}
ABOUT = {"recipe": "How", "note": "Note", "tried": "What was tried", "not_compared": "Not compared"}
"""What a recipe says of itself, with the titles that it has on the page."""


class Cell(NamedTuple):
    """A published value beside ours."""

    printed: str
    ours: str
    difference: str
    """A sign for equal, tolerated or different, and the difference."""
    kind: str
    """The class of the style sheet."""


class Column(NamedTuple):
    """An entry of a recipe: a column of a table of the publication."""

    title: str
    printed: str
    """The title of what ours is compared with: printed, or expected where no publication has the values."""
    verdict: str
    """What the verdict on the entry means."""
    kind: str
    facts: Sequence[str]
    """How many values are equal, how they were rounded, and why they may differ."""


class ValueTable(NamedTuple):
    """A table of published values: entries with the same systems share one, as in a publication."""

    columns: Sequence[Column]
    rows: Sequence[tuple[str, Sequence[Cell]]]
    """The place of each row, such as a system, and a cell for each column."""


def reproduction_report(
    outcomes: Sequence[Outcome], boards: Sequence[ScoredBoard], explorer: Callable[[str], str]
) -> str:
    """Return the page. `explorer` returns the address of the report.html of a run directory's name, or "".

    Needs jinja2. It depends on the outcomes alone: no time and no path is on it, but for the addresses.
    """
    cited = by_publication(outcomes)
    verdicts = {one.recipe.name: one.expectations["verdict"] if one.expectations else NOT_RUN for one in outcomes}
    counts = Counter(verdicts.values())
    entries = [e for one in outcomes for e in (one.expectations or {}).get("entries", ()) if e["published"]]
    publications = []
    for number, (cite, own) in enumerate(cited):
        urls = dict.fromkeys(one.recipe.publication.get("url") or "" for one in own)
        publications.append(
            {
                "name": f"publication-{number}",
                "short": short_citation(own[0].recipe.publication),
                "cite": cite or NOBODY,
                "urls": [url for url in urls if url.startswith(("https://", "http://"))],
                "results": [_result(one, explorer(one.recipe.name)) for one in own],
            }
        )
    content = {
        "title": "Published rankings, reproduced",
        "publications": publications,
        "boards": [board_part(board, explorer(board.board.folder)) for board in boards],
        "counts": [
            (one, KINDS.get(one, "none"), counts[one]) for one in dict.fromkeys((*VERDICTS, NOT_RUN)) if counts[one]
        ],
        "values_equal": sum(entry["equal"] for entry in entries),
        "values_all": sum(entry["values"] for entry in entries),
        "verdicts": [(one, KINDS.get(one, "none"), VERDICTS[one]) for one in (*ORDER, "not published")],
        "not_run": PageTable(
            ["result", "why"], [[o.recipe.name, o.message] for o in outcomes if o.message], left=(0, 1)
        ),
    }
    return render(DESIGN, content)


def by_publication(outcomes: Sequence[Outcome]) -> list[tuple[str, list[Outcome]]]:
    """Return the citations, the oldest first, each with its outcomes; those without a year and a citation come last."""
    cited: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        cited.setdefault(" ".join(outcome.recipe.publication.get("cite", "").split()), []).append(outcome)
    return sorted(cited.items(), key=lambda item: (not item[0], item[1][0].recipe.year or 9999, item[0]))


def _result(outcome: Outcome, href: str) -> dict[str, Any]:
    """Return a published result for the template. `href` is the address of its explorer, or an empty text."""
    publication, expectations = outcome.recipe.publication, outcome.expectations
    equal, largest, verdict = summary(outcome)
    about = []
    for key, title in ABOUT.items():
        value = publication.get(key) or []
        about.append((title, [str(text) for text in value] if isinstance(value, list) else [str(value)]))
    return {
        "name": outcome.recipe.name,
        "what": publication["what"],
        "verdict": verdict,
        "kind": KINDS.get(verdict, "none"),
        "recorded": publication["verdict"],
        "equal": equal,
        "difference": largest,
        "message": outcome.message,
        "missed": list(misses(expectations)) if expectations and outcome.worse else [],
        "about": [(title, texts) for title, texts in about if texts],
        "signatures": outcome.signatures,
        "warnings": [text.replace(f"{cache()}{os.sep}", PREFIX) for text in outcome.warnings],
        "tables": value_tables(expectations["entries"] if expectations else ()),
        "href": href if expectations else "",
    }


def value_tables(entries: Sequence[dict[str, Any]]) -> list[ValueTable]:
    """Return the tables of a recipe from the entries of its expectations, which results.json has."""
    tables: list[list[tuple[Column, dict[str, Cell]]]] = []
    for column, cells in map(_compared, entries):
        if tables and len(tables[-1]) < MOST and set(tables[-1][0][1]) == set(cells):
            tables[-1].append((column, cells))
        else:
            tables.append([(column, cells)])
    return [
        ValueTable(
            [column for column, _ in beside], [(place, [own[place] for _, own in beside]) for place in beside[0][1]]
        )
        for beside in tables
    ]


def _compared(entry: dict[str, Any]) -> tuple[Column, dict[str, Cell]]:
    """Return an entry of results.json as a column, and its cells by their places."""
    facts = [f"{counted(entry)} equal, largest difference {difference(entry['largest_difference'])}"]
    if entry["rounding"]:
        facts.append("cut by the publication" if entry["rounding"] == "cut" else "rounded by the publication")
    if entry["tolerance"] is not None:
        facts.append(f"tolerance {entry['tolerance']}")
    if len(entry["compared"]) < entry["values"]:
        facts.append("only values that differ are listed")
    facts += [str(text) for text in (entry["why"], entry["message"]) if text]
    printed, verdict = "printed" if entry["published"] else "expected", entry["verdict"]
    cells = {}
    for item in entry["compared"]:
        shown = f"{SIGNS[item['verdict']]} {difference(item['difference'])}"
        cells[item["place"]] = Cell(item["expected"], item["found"] or "-", shown, KINDS[item["verdict"]])
    return Column(entry["title"], printed, VERDICTS[verdict], KINDS.get(verdict, "bad"), facts), cells
