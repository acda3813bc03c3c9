"""Leader boards of published systems: our score of each beside what was printed; and timelines as drawings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from ..html.page import as_yaml
from ..html.shell import Link, PageTable, Row
from ..html.svg import NAME, ROW, Drawing, Scale, interval_axis, interval_bar, interval_scale, scale, width_of
from ..tables import percent
from ..tables.comparisons import is_significant, p_cell, settings_line, shown_interval, signed
from ..tables.ranked import size
from ..terminal.printing import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...reproduction.leader_boards import Entrant, LeaderBoard
    from ...scoring.results import Results, Score

DIGITS = 2
TITLES = ("95% interval", "less the next", "p", "less the best", "p", "printed", "year", "first scored by")
NOBODY = "in no publication"
NOT_RUN = "not run"
KINDS = {
    **dict.fromkeys(("exact", "rounding", "equal"), "good"),
    "tolerance": "near",
    **dict.fromkeys(("partly", "differs"), "bad"),
}
"""The class of the style sheet for a verdict; others have the class none."""
SIGNS = {"exact": "=", "rounding": "=", "tolerance": "≈", "partly": "≠", "differs": "≠", "not published": "·"}
"""What the square of a verdict has written in it, for those who do not see its colour."""
SQUARE, ACROSS = 11, 6
"""Side of a square in pixels, which stands for a result, and how many a row has at most; more are put below them."""
YEAR = 64
"""Width of a year in pixels."""
_YEAR = re.compile(r"(.+?),? ((?:19|20)[0-9]{2})")


class ScoredBoard(NamedTuple):
    """A leader board with the results of its run."""

    board: LeaderBoard
    config: dict[str, Any] | None
    """The config of the run; None where too little is here to run it."""
    results: Results | None
    message: str
    """Why it was not run, or an empty text."""


class Told(NamedTuple):
    """A publication on the timeline."""

    name: str
    year: int
    verdicts: Sequence[tuple[str, str]]
    """The name of each result, and its verdict."""


class Standing(NamedTuple):
    """A system on the timeline of a board."""

    system: str
    year: int
    score: float
    interval: tuple[float, float]
    ours: bool
    """Whether the score is ours. Otherwise it is what was printed."""


def authors(publication: Mapping[str, Any]) -> str:
    """Return who wrote a publication, such as "Ng et al."; where there is no year, all before the first colon."""
    return _cited(publication)[0]


def short_citation(publication: Mapping[str, Any]) -> str:
    """Return authors and year, such as "Ng et al. 2014"."""
    return " ".join(filter(None, _cited(publication)))


def _cited(publication: Mapping[str, Any]) -> tuple[str, str]:
    text = " ".join(publication.get("cite", "").split()).partition(":")[0]
    named = _YEAR.fullmatch(text)
    if not named:
        return text or NOBODY, ""
    people = re.split(r", | and ", named[1])
    return (f"{people[0]} et al." if len(people) > 2 else " and ".join(people)), named[2]


def board_part(scored: ScoredBoard, href: str) -> dict[str, Any]:
    """Return a board for the template; `href` is the address of its explorer, or an empty text."""
    board, results = scored.board, scored.results
    scores = sorted(results.scores, key=lambda score: score.rank) if results else []
    ours = {score.system: score for score in scores}
    entrants = {entrant.name: entrant for entrant in board.entrants}
    where = interval_scale(scores) if scores else None
    rows = []
    for number, score in enumerate(scores):
        cells = [*(_compared(results, scores, number) if results else []), *_about(entrants[score.system])]
        bar = interval_bar(score, where) if where else None
        rows.append(Row(str(score.rank), score.system, percent(score.score, DIGITS), bar, cells, score.rank == 1))
    lacking = [entrant for entrant in board.entrants if entrant.name not in ours]
    for entrant in sorted(lacking, key=lambda entrant: -_best_printed(entrant)):
        rows.append(Row("", entrant.name, "", None, [""] * 5 + _about(entrant)))
    size_of = f"{size(results.datasets[board.name])}; {settings_line(results.statistics or {})}" if results else ""
    return {
        "name": f"board-{board.name}",
        "title": board.title,
        "what": board.what,
        "facts": size_of,
        "signature": scores[0].metric if scores else board.metric,
        "axis": interval_axis(where) if where else None,
        "titles": TITLES,
        "rows": rows,
        "printed": _printed(board.entrants, ours),
        "progress": progress_of(_standings(board.entrants, ours), board.title),
        "message": scored.message,
        "config": as_yaml(scored.config) if scored.config else "",
        "href": href,
        "folder": board.folder,
    }


def _compared(results: Results, scores: Sequence[Score], number: int) -> list[str]:
    """Return the cells of a system: its interval, and its differences from the next and from the best system."""
    score, boot = scores[number], scores[number].bootstrap
    cells = [shown_interval(boot.interval, DIGITS) if boot else "-"]
    tests = {frozenset((test.system, test.other)): test for test in results.tests}
    for other in (scores[number + 1] if number + 1 < len(scores) else None, scores[0] if number else None):
        if other is None:
            cells += ["-", "-"]
            continue
        test = tests.get(frozenset((score.system, other.system)))
        star = "*" if test and is_significant(test, results) else ""
        cells += [signed(score.score - other.score, DIGITS) + star, p_cell(test, results) if test else "-"]
    return cells


def _about(entrant: Entrant) -> list[str]:
    """Return what was printed for a system with the settings of the board, its year, and who scored it first."""
    known = [printed for printed in entrant.printed if printed.published]
    own = list(dict.fromkeys(printed.value for printed in known if not printed.metric))
    others = list(dict.fromkeys(printed.value for printed in known if printed.metric))
    text = ", ".join(own) if own else f"({others[0]})" if others else "-"
    return [text, str(entrant.first.year or "-"), authors(entrant.first.publication)]


def _best_printed(entrant: Entrant) -> float:
    own = [float(printed.value) for printed in entrant.printed if not printed.metric]
    return max(own or [float(printed.value) for printed in entrant.printed])


def _printed(entrants: Sequence[Entrant], scores: Mapping[str, Score]) -> PageTable:
    """Return a row for each printed score."""
    rows: list[list[str | Link]] = []
    for entrant in entrants:
        ours = percent(scores[entrant.name].score, 4) if entrant.name in scores else "-"
        for printed in entrant.printed:
            settings = (printed.metric or "as the board") + ("" if printed.published else "; not published")
            result = Link(printed.recipe, f"#result-{quote(printed.recipe)}")  # on the same page
            rows.append([entrant.name, printed.value, ours, settings, str(printed.year or "-"), result])
    header = ["system", "printed", "ours, as the board", "settings of the print", "year", "result"]
    return PageTable(header, rows, left=(0, 3, 5))


def _standings(entrants: Sequence[Entrant], ours: Mapping[str, Score]) -> list[Standing]:
    """Return the systems that have a year: with our score and interval, or else with what was printed."""
    standings = []
    for entrant in entrants:
        if (year := entrant.first.year) is None:
            continue
        if score := ours.get(entrant.name):
            ends = score.bootstrap.interval if score.bootstrap else (score.score, score.score)
            standings.append(Standing(entrant.name, year, score.score, ends, ours=True))
        else:
            value = _best_printed(entrant) / 100
            standings.append(Standing(entrant.name, year, value, (value, value), ours=False))
    return standings


def timeline(publications: Sequence[Told]) -> Drawing | None:
    """Draw a row for each publication, and in the column of its year a square for each of its results."""
    if not publications:
        return None
    first, last = min(one.year for one in publications), max(one.year for one in publications)
    names = [one.name if len(one.name) <= 34 else f"{one.name[:33]}…" for one in publications]
    left = width_of(names)
    heights = [ROW + SQUARE * ((len(one.verdicts) - 1) // ACROSS) for one in publications]
    wide, bottom = left + (YEAR + SQUARE) * (last - first + 1) + 8, sum(heights) + 4
    drawing = Drawing(wide, bottom + 22, "publications by year, with a square for each result")
    for year in range(first, last + 1):
        start = left + (YEAR + SQUARE) * (year - first)
        drawing.line(start, 2, start, bottom, "grid")
        drawing.text(start + 4, bottom + 16, str(year), "small")
    top = 0
    for one, shown, height in zip(publications, names, heights, strict=True):
        drawing.text(left - 6, top + 15, shown, "end", one.name)
        for number, (name, verdict) in enumerate(one.verdicts):
            x = left + (YEAR + SQUARE) * (one.year - first) + 5 + (SQUARE + 1) * (number % ACROSS)
            y, kind = top + 5 + (SQUARE + 1) * (number // ACROSS), KINDS.get(verdict, "none")
            drawing.rect(x, y, SQUARE, SQUARE, f"square {kind}", f"{name}: {verdict}")
            drawing.text(x + SQUARE / 2, y + 9, SIGNS.get(verdict, ""), f"middle sign {kind}")
        top += height
    return drawing


def progress_of(standings: Sequence[Standing], title: str) -> Drawing | None:
    """Draw the systems of a board by year with their intervals, and the best score so far as steps with their names."""
    years = sorted({one.year for one in standings})
    if len(years) < 2:
        return None
    wide, bottom = min(max(360, 90 * (years[-1] - years[0] + 1)), 900), 240
    drawing = Drawing(wide, bottom + 26, f"{title}: scores by year; the line is the best so far")
    across = Scale(years[0], years[-1], 74, wide - 70)
    up = scale([end for one in standings for end in (*one.interval, one.score)], bottom - 6, 14)
    for tick in up.ticks():
        drawing.line(40, up(tick), wide - 6, up(tick), "grid")
        drawing.text(36, up(tick) + 4, f"{100 * tick:.4g}", "end small")
    for year in range(years[0], years[-1] + 1):
        drawing.text(across(year), bottom + 18, str(year), "middle small")
    best: Standing | None = None
    for year, following in zip(years, [*years[1:], years[-1]], strict=True):
        top = max((one for one in standings if one.year == year), key=lambda one: one.score)
        if best is None or top.score > best.score:
            if best is not None:
                drawing.line(across(year), up(best.score), across(year), up(top.score), "record")
            best = top
            at_end = across(year) + width_of([shortened(top.system, NAME)]) > drawing.width
            x, kind = (across(year) - 6, "end small") if at_end else (across(year) + 6, "small")
            drawing.text(x, up(top.score) - 5, shortened(top.system, NAME), kind, top.system)
        if year < following:
            drawing.line(across(year), up(best.score), across(following), up(best.score), "record")
    for one in standings:
        x, shown = across(one.year), f"{one.system}: {percent(one.score, 2)}{'' if one.ours else ' as printed'}"
        if one.interval[0] < one.interval[1]:
            drawing.line(x, up(one.interval[0]), x, up(one.interval[1]), "whisker", shown)
        drawing.dot(x, up(one.score), 3.5, "dot" if one.ours else "dot hollow", shown)
    return drawing
