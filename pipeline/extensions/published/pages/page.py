"""The report on published results as one HTML file: printed values beside ours, and leader boards."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from pipeline.data.dataset_cache import cache
from pipeline.extensions.page.shell import Design, PageTable, render
from pipeline.files.remote import PREFIX

from ..recipe import Outcome
from ..tables import counted, difference, misses, summary
from ..verdicts import ORDER, VERDICTS
from .leader_boards import (
    KINDS,
    NOBODY,
    NOT_RUN,
    ScoredBoard,
    board_part,
    family_tables,
    short_citation,
)

DESIGN = Design(
    "reproductions.html",
    ("page.css", "print.css", "reproductions.css"),
    ("base.js", "results.js", "boxes.js", "copying.js", "reproductions.js"),
    "pipeline.extensions.published.pages",
)
MOST, LETTERS, APART = 4, 140, 8
"""At most so many entries stand beside each other in a table, of so many letters; a gap is as wide
as 8."""
SIGNS = {"equal": "=", "tolerance": "≈", "differs": "≠"}
FIELD = "grammatical error correction"
"""The field of publications that name none."""
ABOUT = {"recipe": "How", "note": "Note", "tried": "What was tried", "not_compared": "Not compared"}
"""What a recipe says of itself, with the titles that it has on the page."""


def reproduction_report(
    outcomes: Sequence[Outcome], boards: Sequence[ScoredBoard], explorer: Callable[[str], str]
) -> str:
    """Return the page. `explorer` returns the address of the report.html of a run directory's name,
    or "".

    Needs jinja2. It depends on the outcomes alone: no time and no path is on it, but for the
    addresses."""
    cited = by_publication(outcomes)
    verdicts = {
        one.recipe.name: one.expectations["verdict"] if one.expectations else NOT_RUN
        for one in outcomes
    }
    counts = Counter(verdicts.values())
    entries = [
        e for one in outcomes for e in (one.expectations or {}).get("entries", ()) if e["published"]
    ]
    publications = []
    for number, (cite, own) in enumerate(cited):
        urls = dict.fromkeys(one.recipe.publication.get("url") or "" for one in own)
        publications.append(
            {
                "name": f"publication-{number}",
                "field": _field(own[0]),
                "short": short_citation(own[0].recipe.publication),
                "cite": cite or NOBODY,
                "urls": [url for url in urls if url.startswith(("https://", "http://"))],
                "results": [_result(one, explorer(one.recipe.name)) for one in own],
            }
        )
    not_run = [[one.recipe.name, one.message] for one in outcomes if one.message]
    content = {
        "title": "Published rankings, reproduced",
        "publications": publications,
        "families": family_tables(boards),
        "boards": [board_part(board, explorer(board.board.folder)) for board in boards],
        "counts": [
            (one, KINDS.get(one, "none"), counts[one])
            for one in dict.fromkeys((*VERDICTS, NOT_RUN))
            if counts[one]
        ],
        "values_equal": sum(entry["equal"] for entry in entries),
        "values_all": sum(entry["values"] for entry in entries),
        "verdicts": [
            (one, KINDS.get(one, "none"), VERDICTS[one]) for one in (*ORDER, "not published")
        ],
        "not_run": PageTable(["result", "why"], not_run, left=(0, 1)),
    }
    return render(DESIGN, content)


def by_publication(outcomes: Sequence[Outcome]) -> list[tuple[str, list[Outcome]]]:
    """Return the citations with their outcomes, by field and then the oldest first; those without a
    year come last.
    """
    cited: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        cited.setdefault(" ".join(outcome.recipe.publication.get("cite", "").split()), []).append(
            outcome
        )
    fields = list(dict.fromkeys([FIELD, *map(_field, outcomes)]))
    return sorted(
        cited.items(),
        key=lambda item: (
            fields.index(_field(item[1][0])),
            not item[0],
            item[1][0].recipe.year or 9999,
            item[0],
        ),
    )


def _field(outcome: Outcome) -> str:
    return str(outcome.recipe.publication.get("field", FIELD))


def _result(outcome: Outcome, href: str) -> dict[str, Any]:
    """Return a published result for the template. `href` is the address of its explorer, or an
    empty text.
    """
    publication, expectations = outcome.recipe.publication, outcome.expectations
    equal, largest, verdict = summary(outcome)
    told = ((title, publication.get(key) or []) for key, title in ABOUT.items())
    about = ((title, value if isinstance(value, list) else [value]) for title, value in told)
    entries = (outcome.expectations or {}).get("entries", [])
    if outcome.recipe.family:  # of many results there are only the values that are not equal
        entries = [entry for entry in entries if entry["equal"] < entry["values"]]
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
        "about": [(title, list(map(str, texts))) for title, texts in about if texts],
        "signatures": outcome.signatures,
        "warnings": [text.replace(f"{cache()}{os.sep}", PREFIX) for text in outcome.warnings],
        "tables": value_tables(entries),
        "href": href if expectations else "",
    }


def value_tables(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the tables of a recipe for the template, from the entries of its expectations, which
    results.json has.

    Entries with the same systems share a table, as in a publication. They are its `columns`. Each
    of its `rows` is a place, such as a system, and a cell for each column."""
    tables: list[list[tuple[dict[str, Any], dict[str, dict[str, str]]]]] = []
    room = 0
    for column, cells in map(_compared, entries):
        shown = ("printed", "ours", "difference")
        width = APART + sum(
            max((len(cell[key]) for cell in cells.values()), default=0) for key in shown
        )
        room -= width
        if tables and len(tables[-1]) < MOST and set(tables[-1][0][1]) == set(cells) and room >= 0:
            tables[-1].append((column, cells))
        else:
            tables.append([(column, cells)])
            room = LETTERS - width - max(map(len, cells), default=0)
    return [
        {
            "columns": [column for column, _ in beside],
            "rows": [(place, [own[place] for _, own in beside]) for place in beside[0][1]],
        }
        for beside in tables
    ]


def _compared(entry: dict[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """Return an entry of results.json as a column, and its cells, a published value beside ours, by
    their places.
    """
    facts = [
        f"{counted(entry)} equal, largest difference {difference(entry['largest_difference'])}"
    ]
    if entry["rounding"]:
        facts.append(
            "cut by the publication" if entry["rounding"] == "cut" else "rounded by the publication"
        )
    if entry["tolerance"] is not None:
        facts.append(f"tolerance {entry['tolerance']}")
    if len(entry["compared"]) < entry["values"]:
        facts.append("only values that differ are listed")
    facts += [str(text) for text in (entry["why"], entry["message"]) if text]
    printed, verdict = "printed" if entry["published"] else "expected", entry["verdict"]
    cells = {}
    for item in entry["compared"]:
        cells[item["place"]] = {
            "printed": item["expected"],
            "ours": item["found"] or "-",
            "difference": f"{SIGNS[item['verdict']]} {difference(item['difference'])}",
            "kind": KINDS[item["verdict"]],
        }
    column = {"title": entry["title"], "printed": printed, "verdict": VERDICTS[verdict]}
    return {**column, "kind": KINDS.get(verdict, "bad"), "facts": facts}, cells
