"""Leader boards of published systems: our score of each beside what was printed."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import quote

from pipeline.extensions.human.json_objects import JsonObject
from pipeline.extensions.page.page import as_yaml
from pipeline.extensions.page.shell import Link, PageTable, Row
from pipeline.extensions.page.svg import (
    interval_axis,
    interval_bar,
    interval_scale,
)
from pipeline.report.tables import groups, percent, settings_line
from pipeline.scoring import Results, Score

from ..leader_boards import Entrant, LeaderBoard

DIGITS = 2
"""Decimals of a score."""
MAX_PRINTED = 2
"""Different printed scores of a system in its row."""
NOBODY = "in no publication"
NOT_RUN = "not run"
KINDS = {
    "exact": "good",
    "rounding": "good",
    "equal": "good",
    "tolerance": "near",
    "partly": "bad",
    "differs": "bad",
}
"""The class of the style sheet for a verdict; others have the class none."""
_YEAR = re.compile(r"(.+?),? ((?:19|20)[0-9]{2})")


class ScoredBoard(NamedTuple):
    """A leader board with the results of its run."""

    board: LeaderBoard
    config: JsonObject | None
    """The config of the run; None where too little is here to run it."""
    results: Results | None
    message: str
    """Why it was not run, or an empty text."""


def short_citation(publication: Mapping[str, Any]) -> str:
    """Return authors and year from the key `cite` of a section `publication`, such as "Ng et al.
    2014"; without a year all before the first colon.
    """
    citation = " ".join(publication.get("cite", "").split())
    authors_and_year = citation.partition(":")[0]
    match = _YEAR.fullmatch(authors_and_year)
    if not match:
        return authors_and_year or NOBODY
    authors = re.split(r", | and ", match[1])
    names = " and ".join(authors)
    if len(authors) > 2:
        names = f"{authors[0]} et al."
    return f"{names} {match[2]}"


def board_part(scored: ScoredBoard, href: str) -> JsonObject:
    """Return a leader board for the template; without results it has only printed scores. `href` is
    the address of the page of its run, or "".

    The boards of a family, one for each recipe of a file, are shorter: they have no table of printed
    scores and no config."""
    board = scored.board
    results = scored.results
    scores: list[Score] = []
    columns = Columns([], [])
    facts = ""
    lines = 0
    if results:
        (group,) = groups(results)
        scores = list(group.scores)
        columns = Columns(
            *group.statistics_columns(DIGITS, rare=not board.family)
        )
        info = results.datasets[board.name]
        facts = f"{info.size}; {settings_line(results)}"
        lines = info.lines
    entrant_titles = ["printed"]
    printed_table = None
    config = ""
    if not board.family:
        # In a family this is always the publication of the result.
        entrant_titles.append("first scored by")
        ours = {score.system: score for score in scores}
        printed_table = _printed(board.entrants, ours)
        if scored.config:
            config = as_yaml(scored.config)
    scale = interval_scale(scores) if scores else None
    return {
        "name": f"board-{board.name}",
        "title": board.title,
        "what": board.what,
        "facts": facts,
        "lines": lines,
        "signature": scores[0].metric if scores else board.metric,
        "axis": interval_axis(scale) if scale else None,
        "titles": [*columns.titles, *entrant_titles, *board.facts],
        "rows": _board_rows(board, scores, columns),
        "bare": bool(board.family),
        "printed": printed_table,
        "message": scored.message,
        "config": config,
        "href": href,
        "folder": board.folder,
    }


def _board_rows(
    board: LeaderBoard,
    scores: Sequence[Score],
    columns: "Columns",
) -> list[Row]:
    """Return the rows of a board: first the systems with a score of ours, in the order of `scores`
    and with their further columns, then those with printed scores only, the best first.
    """

    def entrant_cells(entrant: Entrant) -> list[str]:
        """Return the last cells of a system: printed scores, who scored it first, and the facts of
        the board.
        """
        cells = [_printed_scores(entrant)]
        if not board.family:
            cells.append(short_citation(entrant.first.publication))
        for texts in board.facts.values():
            cells.append(texts.get(entrant.name, "-"))
        return cells

    entrants = {entrant.name: entrant for entrant in board.entrants}
    scale = None
    if scores:
        scale = interval_scale(scores)
    rows = []
    for score, cells in zip(scores, columns.cells, strict=True):
        entrant = entrants.pop(score.system)
        rows.append(
            Row(
                str(score.rank),
                " = ".join(entrant.names),
                percent(score.score, DIGITS, score.metric),
                interval_bar(score, scale) if scale else None,
                [*cells, *entrant_cells(entrant)],
                score.rank == 1,
                sha256=entrant.file.sha256,
            )
        )
    blank = [""] * len(columns.titles)
    for entrant in sorted(entrants.values(), key=_best_printed):
        cells = [*blank, *entrant_cells(entrant)]
        rows.append(Row("", " = ".join(entrant.names), "", None, cells))
    return rows


class Columns(NamedTuple):
    """Further columns of a board."""

    titles: list[str]
    cells: list[list[str]]
    """A list for each score."""


def _best_printed(entrant: Entrant) -> tuple[bool, float]:
    """Return a key that sorts systems by their best printed score, the highest first; those without
    one with the settings of the board's metric come last.
    """
    keys = []
    for printed in entrant.printed:
        keys.append((bool(printed.metric), -float(printed.value)))
    return min(keys)


def family_tables(boards: Sequence[ScoredBoard]) -> dict[str, PageTable]:
    """Return a table for each file with several recipes whose boards were scored, such as a year of
    WMT: a row for each recipe, such as a language pair. The keys are the names of the files.
    """
    families: dict[str, dict[str, list[ScoredBoard]]] = {}
    for scored in boards:
        board = scored.board
        if board.family and scored.results:
            boards_of_result = families.setdefault(board.family, {})
            boards_of_result.setdefault(board.result, []).append(scored)
    tables = {}
    for family, boards_of_result in families.items():
        tables[family] = _family_table(boards_of_result)
    return tables


def _family_table(
    boards_of_result: Mapping[str, Sequence[ScoredBoard]],
) -> PageTable:
    """Return a row for each result, such as a language pair, with the Summary of each of its
    boards, one for each metric, and whether all metrics have the same best system.
    """
    metrics: dict[str, None] = {}
    for boards in boards_of_result.values():
        for scored in boards:
            # The title of a board ends in the name of its metric.
            metrics[scored.board.title.rpartition(", ")[2]] = None
    titles = []
    for metric in metrics:
        titles += [
            f"best by {metric}",
            f"clusters by {metric}",
            f"not told apart by {metric}",
        ]
    rows: list[list[str | Link]] = []
    for result, boards in boards_of_result.items():
        cells: list[str] = []
        best_systems = set()
        for scored in boards:
            if scored.results:
                summary = _summary(scored.results)
                cells += summary
                best_systems.add(summary.best)
        cells += ["-"] * (len(titles) - len(cells))
        systems = max(len(scored.board.entrants) for scored in boards)
        link = Link(result, f"#board-{quote(boards[0].board.name)}")
        same_best = "yes" if len(best_systems) == 1 else "no"
        rows.append([link, str(systems), *cells, same_best])
    header = ["result", "systems", *titles, "same best"]
    return PageTable(header, rows, left=(0, 2, 5))


class Summary(NamedTuple):
    """A board in three texts."""

    best: str
    """The best system."""
    clusters: str
    """How many clusters there are."""
    neighbours: str
    """How many systems do not differ significantly from the next one in the ranking, of how many:
    such as "3 of 7"."""


def _summary(results: Results) -> Summary:
    """Return the summary of a board, the only one in the results of its run."""
    scores = sorted(results.scores, key=lambda score: score.rank)
    different = set()
    for test in results.tests:
        if results.is_significant(test):
            different.add(frozenset((test.system, test.other)))
    systems = [score.system for score in scores]
    neighbours = list(map(frozenset, pairwise(systems)))
    not_different = sum(pair not in different for pair in neighbours)
    clusters = {score.bootstrap.cluster for score in scores if score.bootstrap}
    best = [score.system for score in scores if score.rank == 1]
    return Summary(
        best=" = ".join(best),
        clusters=str(len(clusters)),
        neighbours=f"{not_different} of {len(neighbours)}",
    )


def _printed_scores(entrant: Entrant) -> str:
    """Return the cell of the published scores of a system with the settings of the board, some at
    most; if there are none, the first one with other settings, in brackets, or "-".
    """
    with_settings: list[str] = []
    with_others: list[str] = []
    for printed in entrant.printed:
        if not printed.published:
            continue
        if printed.metric:
            with_others.append(printed.value)
        elif printed.value not in with_settings:
            with_settings.append(printed.value)
    if not with_settings:
        return f"({with_others[0]})" if with_others else "-"
    text = ", ".join(with_settings[:MAX_PRINTED])
    # Below the board is a table of all.
    if len(with_settings) > MAX_PRINTED:
        text += f" and {len(with_settings) - MAX_PRINTED} more"
    return text


def _printed(
    entrants: Sequence[Entrant], scores: Mapping[str, Score]
) -> PageTable:
    """Return a row for each printed score of a system: the print beside our score (as the board has
    it), the settings and year of the print, and its recipe. `scores` are ours by system.
    """
    rows: list[list[str | Link]] = []
    for entrant in entrants:
        ours = "-"
        if entrant.name in scores:
            ours = percent(scores[entrant.name].score, 4)
        for printed in entrant.printed:
            settings = printed.metric or "as the board"
            if not printed.published:
                settings += "; not published"
            year = str(printed.year or "-")
            # On the same page.
            result = Link(printed.recipe, f"#result-{quote(printed.recipe)}")
            rows.append(
                [entrant.name, printed.value, ours, settings, year, result]
            )
    header = [
        "system",
        "printed",
        "ours, as the board",
        "settings of the print",
        "printed in",
        "result",
    ]
    return PageTable(header, rows, left=(0, 3, 5))
