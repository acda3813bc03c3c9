"""Leader boards of published systems: our score of each beside what was printed."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import quote

from pipeline.extensions.page.page import as_yaml
from pipeline.extensions.page.shell import Link, PageTable, Row
from pipeline.extensions.page.svg import interval_axis, interval_bar, interval_scale
from pipeline.report.tables import percent
from pipeline.report.tables.comparisons import (
    EXTRA,
    bootstrap_columns,
    is_significant,
    settings_line,
)
from pipeline.report.tables.ranked import size
from pipeline.scoring.results import Results, Score

from ..leader_boards import Entrant, LeaderBoard

DIGITS, FEW = 2, 2
"""How many decimals a score has, and how many different printed scores a system has in its row."""
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
    config: dict[str, Any] | None
    """The config of the run; None where too little is here to run it."""
    results: Results | None
    message: str
    """Why it was not run, or an empty text."""


def short_citation(publication: Mapping[str, Any]) -> str:
    """Return authors and year, such as "Ng et al. 2014"; where there is no year, all before the
    first colon.
    """
    text = " ".join(publication.get("cite", "").split()).partition(":")[0]
    named = _YEAR.fullmatch(text)
    if not named:
        return text or NOBODY
    authors = re.split(r", | and ", named[1])
    return f"{f'{authors[0]} et al.' if len(authors) > 2 else ' and '.join(authors)} {named[2]}"


def board_part(scored: ScoredBoard, href: str) -> dict[str, Any]:
    """Return a board for the template; `href` is the address of its explorer, or an empty text."""
    board, results = scored.board, scored.results
    scores = sorted(results.scores, key=lambda score: score.rank) if results else []
    ours = {score.system: score for score in scores}
    entrants = {entrant.name: entrant for entrant in board.entrants}
    where = interval_scale(scores) if scores else None
    titles, sampled = bootstrap_columns(results, scores, DIGITS) if results else ([], [])
    rows, facts, after = [], list(board.facts.values()), ["printed", "first scored by"]
    if board.family:  # whose systems were all scored first by the publication of the result
        kept, after = (
            [number for number, title in enumerate(titles) if not EXTRA.fullmatch(title)],
            after[:1],
        )
        titles, sampled = (
            [titles[number] for number in kept],
            [[own[number] for number in kept] for own in sampled],
        )

    def about(entrant: Entrant) -> list[str]:
        """Return the cells of what is known of a system: what was printed, by whom, and the facts
        of the board.
        """
        return [*_about(entrant)[: len(after)], *(known.get(entrant.name, "-") for known in facts)]

    for score, own in zip(scores, sampled, strict=True):
        bar, cells = (
            interval_bar(score, where) if where else None,
            [*own, *about(entrants[score.system])],
        )
        names, known = " = ".join(entrants[score.system].names), entrants[score.system].file.sha256
        shown = percent(score.score, DIGITS, score.metric)
        rows.append(Row(str(score.rank), names, shown, bar, cells, score.rank == 1, sha256=known))
    lacking = [entrant for entrant in board.entrants if entrant.name not in ours]
    for entrant in sorted(
        lacking, key=lambda one: min((bool(p.metric), -float(p.value)) for p in one.printed)
    ):
        rows.append(
            Row("", " = ".join(entrant.names), "", None, [""] * len(titles) + about(entrant))
        )
    size_of = (
        f"{size(results.datasets[board.name])}; {settings_line(results.statistics or {})}"
        if results
        else ""
    )
    return {
        "name": f"board-{board.name}",
        "title": board.title,
        "what": board.what,
        "facts": size_of,
        "lines": results.datasets[board.name].lines if results else 0,
        "signature": scores[0].metric if scores else board.metric,
        "axis": interval_axis(where) if where else None,
        "titles": [*titles, *after, *board.facts],
        "rows": rows,
        "bare": bool(board.family),
        "printed": None if board.family else _printed(board.entrants, ours),
        "message": scored.message,
        "config": as_yaml(scored.config) if scored.config and not board.family else "",
        "href": href,
        "folder": board.folder,
    }


def family_tables(boards: Sequence[ScoredBoard]) -> dict[str, PageTable]:
    """Return a table for each file of several results with boards, such as a year: a row for each
    result.

    For each metric it has the best system, how many clusters of ranks there are, and how many
    systems cannot be told apart from the next one by the paired test."""
    families: dict[str, dict[str, list[ScoredBoard]]] = {}
    for one in boards:
        if one.board.family and one.results:
            families.setdefault(one.board.family, {}).setdefault(one.board.result, []).append(one)
    tables = {}
    for family, results in families.items():
        metrics = list(
            dict.fromkeys(
                one.board.title.rpartition(", ")[2] for own in results.values() for one in own
            )
        )
        titles = [
            f"{title} {name}"
            for name in metrics
            for title in ("best by", "clusters by", "not told apart by")
        ]
        rows: list[list[str | Link]] = []
        for result, own in results.items():
            summaries = [_summary(one.results) for one in own if one.results]
            same = "yes" if len({best for best, _, _ in summaries}) == 1 else "no"
            systems = str(max(len(one.board.entrants) for one in own))
            cells = [cell for summary in summaries for cell in summary]
            cells += ["-"] * (len(titles) - len(cells))
            rows.append([Link(result, f"#board-{quote(own[0].board.name)}"), systems, *cells, same])
        tables[family] = PageTable(
            ["result", "systems", *titles, "same best"], rows, left=(0, 2, 5)
        )
    return tables


def _summary(results: Results) -> tuple[str, str, str]:
    """Return the best system, how many clusters there are, and how many neighbours are not told
    apart of how many.
    """
    scores = sorted(results.scores, key=lambda score: score.rank)
    apart = {
        frozenset((test.system, test.other))
        for test in results.tests
        if is_significant(test, results)
    }
    neighbours = [frozenset((one.system, two.system)) for one, two in pairwise(scores)]
    alike = sum(pair not in apart for pair in neighbours)
    clusters = {score.bootstrap.cluster for score in scores if score.bootstrap}
    best = " = ".join(score.system for score in scores if score.rank == 1)
    return best, str(len(clusters)), f"{alike} of {len(neighbours)}"


def _about(entrant: Entrant) -> list[str]:
    """Return what was printed for a system with the settings of the board, and which publication
    scored it first.
    """
    known = [printed for printed in entrant.printed if printed.published]
    own = list(dict.fromkeys(printed.value for printed in known if not printed.metric))
    others = list(dict.fromkeys(printed.value for printed in known if printed.metric))
    text = ", ".join(own[:FEW]) if own else f"({others[0]})" if others else "-"
    text += (
        f" and {len(own) - FEW} more" if len(own) > FEW else ""
    )  # below the board is a table of all
    return [text, short_citation(entrant.first.publication)]


def _printed(entrants: Sequence[Entrant], scores: Mapping[str, Score]) -> PageTable:
    """Return a row for each printed score."""
    rows: list[list[str | Link]] = []
    for entrant in entrants:
        ours = percent(scores[entrant.name].score, 4) if entrant.name in scores else "-"
        for printed in entrant.printed:
            settings = (printed.metric or "as the board") + (
                "" if printed.published else "; not published"
            )
            result = Link(printed.recipe, f"#result-{quote(printed.recipe)}")  # on the same page
            rows.append(
                [entrant.name, printed.value, ours, settings, str(printed.year or "-"), result]
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
