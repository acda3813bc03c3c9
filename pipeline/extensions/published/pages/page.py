"""The report on published results as one HTML file: printed values beside ours, and leader boards."""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pipeline.data import DatasetCache
from pipeline.extensions.human.json_objects import JsonObject
from pipeline.extensions.page.shell import Design, PageTable, render
from pipeline.files import WrittenPath

from ..recipe import Outcome
from ..tables import counted, difference, misses, summary
from ..verdicts import ORDER, VERDICTS, Verdict
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
MAX_BESIDE = 4
"""Entries that stand beside each other in a table."""
MAX_LETTERS = 140
"""Letters of a row of such a table."""
GAP = 8
"""The width of the gap between two entries, in letters."""
SIGNS = {"equal": "=", "tolerance": "≈", "differs": "≠"}
NOT_PUBLISHED: Verdict = "not published"
FIELD = "grammatical error correction"
"""The field of publications that name none."""
ABOUT = {
    "recipe": "How",
    "note": "Note",
    "tried": "What was tried",
    "not_compared": "Not compared",
}
"""What a recipe says of itself, with the titles that it has on the page."""


def reproduction_report(
    outcomes: Sequence[Outcome],
    boards: Sequence[ScoredBoard],
    explorer: Callable[[str], str],
) -> str:
    """Return the reproduction report, an HTML page: the results of each publication, and leader
    boards.

    `explorer` returns the address of the report.html in the run directory of a name, or "". The
    page depends on the outcomes alone: but for these addresses it has no time and no path. Needs
    jinja2."""
    verdict_counts = Counter[str]()
    equal = 0
    values = 0
    not_run = []
    for outcome in outcomes:
        expectations = outcome.expectations
        verdict_counts[
            expectations["verdict"] if expectations else NOT_RUN
        ] += 1
        for entry in _entries(outcome):
            if entry["published"]:
                equal += entry["equal"]
                values += entry["values"]
        if outcome.message:
            not_run.append([outcome.recipe.name, outcome.message])
    publications = []
    for index, (cite, cited) in enumerate(by_publication(outcomes)):
        urls: dict[str, None] = {}
        results = []
        for outcome in cited:
            recipe = outcome.recipe
            url = recipe.publication.get("url") or ""
            if url.startswith(("https://", "http://")):
                urls[url] = None
            results.append(_result(outcome, explorer(recipe.name)))
        first = cited[0]
        publications.append(
            {
                "name": f"publication-{index}",
                "field": _field(first),
                "short": short_citation(first.recipe.publication),
                "cite": cite or NOBODY,
                "urls": list(urls),
                "results": results,
            }
        )
    # Verdicts come with their class of the style sheet.
    counts = []
    for name in dict.fromkeys((*VERDICTS, NOT_RUN)):
        if verdict_counts[name]:
            kind = KINDS.get(name, "none")
            counts.append((name, kind, verdict_counts[name]))
    legend = []
    for verdict in (*ORDER, NOT_PUBLISHED):
        kind = KINDS.get(verdict, "none")
        legend.append((verdict, kind, VERDICTS[verdict]))
    board_parts = []
    for scored in boards:
        board_parts.append(board_part(scored, explorer(scored.board.folder)))
    content = {
        "title": "Published rankings, reproduced",
        "publications": publications,
        "families": family_tables(boards),
        "boards": board_parts,
        "counts": counts,
        "values_equal": equal,
        "values_all": values,
        "verdicts": legend,
        "not_run": PageTable(["result", "why"], not_run, left=(0, 1)),
    }
    return render(DESIGN, content)


def _entries(outcome: Outcome) -> list[JsonObject]:
    """Return the entries of `expect` with their verdicts; none if the recipe did not run."""
    return outcome.expectations["entries"] if outcome.expectations else []


def by_publication(
    outcomes: Sequence[Outcome],
) -> list[tuple[str, list[Outcome]]]:
    """Return the citation of each publication with its outcomes. They are sorted by field and year;
    in each field those without a year are behind, and "", what is in no publication, is last.
    """
    by_citation: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        cite = " ".join(outcome.recipe.publication.get("cite", "").split())
        by_citation.setdefault(cite, []).append(outcome)
    fields = list(dict.fromkeys([FIELD, *map(_field, outcomes)]))

    def sort_key(item: tuple[str, list[Outcome]]) -> tuple[int, bool, int, str]:
        cite, cited = item
        field_index = fields.index(_field(cited[0]))
        year = cited[0].recipe.year or 9999
        return field_index, not cite, year, cite

    return sorted(by_citation.items(), key=sort_key)


def _field(outcome: Outcome) -> str:
    return str(outcome.recipe.publication.get("field", FIELD))


def _result(outcome: Outcome, href: str) -> JsonObject:
    """Return a recipe and its outcome for the template. `href` is the address of the page of its
    run, or "".
    """
    publication = outcome.recipe.publication
    expectations = outcome.expectations
    result = summary(outcome)
    about = []
    for key, title in ABOUT.items():
        texts = publication.get(key)
        if texts:
            if isinstance(texts, str):
                texts = [texts]
            about.append((title, list(map(str, texts))))
    entries = _entries(outcome)
    # A file of many recipes would fill the page: only entries that differ.
    if outcome.recipe.family:
        entries = [
            entry for entry in entries if entry["equal"] < entry["values"]
        ]
    missed: list[str] = []
    if expectations and outcome.worse:
        missed.extend(misses(expectations))
    # The page has no path of this computer.
    cache_folder = f"{DatasetCache().folder}{os.sep}"
    return {
        "name": outcome.recipe.name,
        "what": publication["what"],
        "verdict": result.verdict,
        "kind": KINDS.get(result.verdict, "none"),
        "recorded": publication["verdict"],
        "equal": result.equal,
        "difference": result.difference,
        "message": outcome.message,
        "missed": missed,
        "about": about,
        "signatures": outcome.signatures,
        "warnings": [
            text.replace(cache_folder, WrittenPath.DATA)
            for text in outcome.warnings
        ],
        "tables": value_tables(entries),
        "href": href if expectations else "",
    }


class Column(NamedTuple):
    """An entry of `expect` as a column of a table."""

    heading: JsonObject
    """What stands above it."""
    cells: dict[str, dict[str, str]]
    """A published value beside ours, by the keys that lead to it, such as a system."""

    @property
    def width(self) -> int:
        """Its width in letters."""
        width = GAP
        for key in ("printed", "ours", "difference"):
            lengths = [len(cell[key]) for cell in self.cells.values()]
            width += max(lengths, default=0)
        return width


def value_tables(entries: Sequence[JsonObject]) -> list[JsonObject]:
    """Return tables of published values beside ours for the template, from the entries of
    `expectations` in results.json.

    Each table has `columns`, the headings of entries, and `rows`: the keys of a value, such as a
    system, and its cell in each column. Successive entries with the same keys share a table, as in
    a publication, as long as it is not too wide."""
    tables: list[list[Column]] = []
    free_width = 0
    for column in map(_column, entries):
        free_width -= column.width
        fits = False
        if tables and len(tables[-1]) < MAX_BESIDE and free_width >= 0:
            fits = tables[-1][0].cells.keys() == column.cells.keys()
        if fits:
            tables[-1].append(column)
        else:
            tables.append([column])
            longest_key = max(map(len, column.cells), default=0)
            free_width = MAX_LETTERS - column.width - longest_key
    parts = []
    for columns in tables:
        rows = []
        for key in columns[0].cells:
            rows.append((key, [column.cells[key] for column in columns]))
        headings = [column.heading for column in columns]
        parts.append({"columns": headings, "rows": rows})
    return parts


def _column(entry: JsonObject) -> Column:
    """Return an entry of `expectations` in results.json as a column: a heading with its verdict and
    facts, and the listed values.
    """
    largest = difference(entry["largest_difference"])
    facts = [f"{counted(entry)} equal, largest difference {largest}"]
    if entry["rounding"]:
        verb = "cut" if entry["rounding"] == "cut" else "rounded"
        facts.append(f"{verb} by the publication")
    if entry["tolerance"] is not None:
        facts.append(f"tolerance {entry['tolerance']}")
    if len(entry["compared"]) < entry["values"]:
        facts.append("only values that differ are listed")
    for key in ("why", "message"):
        if entry[key]:
            facts.append(str(entry[key]))
    cells = {}
    for item in entry["compared"]:
        cells[item["place"]] = {
            "printed": item["expected"],
            "ours": item["found"] or "-",
            "difference": f"{SIGNS[item['verdict']]} {difference(item['difference'])}",
            "kind": KINDS[item["verdict"]],
        }
    verdict: Verdict = entry["verdict"]
    heading = {
        "title": entry["title"],
        "printed": "printed" if entry["published"] else "expected",
        "verdict": VERDICTS[verdict],
        "kind": KINDS.get(verdict, "bad"),
        "facts": facts,
    }
    return Column(heading, cells)
