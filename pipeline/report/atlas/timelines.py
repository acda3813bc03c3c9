"""Timelines as drawings: which results each publication has, and how the best score of a board rose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..html.figures.names import short
from ..html.figures.plots import ROW
from ..html.figures.svg import Drawing, Scale, scale, width_of
from ..tables import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

SQUARE = 11
"""Side of a square in pixels. Each stands for a result."""
ACROSS = 6
"""How many squares a row has at most; more are put below them."""
YEAR = 64
"""Width of a year in pixels."""
SIGNS = {"exact": "=", "rounding": "=", "tolerance": "≈", "partly": "≠", "differs": "≠", "not published": "·"}
"""What the square of a verdict has written in it, for those who do not see its colour."""
NOT_RUN = "not run"


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


def timeline(publications: Sequence[Told]) -> Drawing | None:
    """Draw a row for each publication, and in the column of its year a square for each of its results."""
    if not publications:
        return None
    first, last = min(one.year for one in publications), max(one.year for one in publications)
    left = width_of([short_name(one.name) for one in publications])
    heights = [ROW + SQUARE * ((len(one.verdicts) - 1) // ACROSS) for one in publications]
    wide, bottom = left + (YEAR + SQUARE) * (last - first + 1) + 8, sum(heights) + 4
    drawing = Drawing(wide, bottom + 22, "publications by year, with a square for each result")
    for year in range(first, last + 1):
        start = left + (YEAR + SQUARE) * (year - first)
        drawing.line(start, 2, start, bottom, "grid")
        drawing.text(start + 4, bottom + 16, str(year), "small")
    top = 0
    for one, height in zip(publications, heights, strict=True):
        drawing.text(left - 6, top + 15, short_name(one.name), "end", one.name)
        for number, (name, verdict) in enumerate(one.verdicts):
            x = left + (YEAR + SQUARE) * (one.year - first) + 5 + (SQUARE + 1) * (number % ACROSS)
            y = top + 5 + (SQUARE + 1) * (number // ACROSS)
            drawing.rect(x, y, SQUARE, SQUARE, f"square {kind_of(verdict)}", f"{name}: {verdict}")
            drawing.text(x + SQUARE / 2, y + 9, SIGNS.get(verdict, ""), f"middle sign {kind_of(verdict)}")
        top += height
    return drawing


def kind_of(verdict: str) -> str:
    """Return the class of the style sheet for a verdict: good, near, bad, or none."""
    return {"exact": "good", "rounding": "good", "tolerance": "near", "partly": "bad", "differs": "bad"}.get(
        verdict, "none"
    )


def short_name(name: str) -> str:
    """Return a name of a publication, cut where it is long."""
    return name if len(name) <= 34 else f"{name[:33]}…"


def progress_of(standings: Sequence[Standing], title: str) -> Drawing | None:
    """Draw the systems of a board by year with their intervals, and a line for the best score so far."""
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
    _record(drawing, standings, years, across, up)
    for one in standings:
        x = across(one.year)
        said = percent(one.score, 2) if one.ours else f"{percent(one.score, 2)} as printed"
        shown = f"{one.system}: {said}"
        if one.interval[0] < one.interval[1]:
            drawing.line(x, up(one.interval[0]), x, up(one.interval[1]), "whisker", shown)
        drawing.dot(x, up(one.score), 3.5, "dot" if one.ours else "dot hollow", shown)
    return drawing


def _record(drawing: Drawing, standings: Sequence[Standing], years: Sequence[int], across: Scale, up: Scale) -> None:
    """Draw the best score so far as steps, with the name of the system at each step."""
    best: Standing | None = None
    for year, following in zip(years, [*years[1:], years[-1]], strict=True):
        top = max((one for one in standings if one.year == year), key=lambda one: one.score)
        if best is None or top.score > best.score:
            if best is not None:
                drawing.line(across(year), up(best.score), across(year), up(top.score), "record")
            best = top
            at_end = across(year) + width_of([short(top.system)]) > drawing.width
            x, kind = (across(year) - 6, "end small") if at_end else (across(year) + 6, "small")
            drawing.text(x, up(top.score) - 5, short(top.system), kind, top.system)
        if year < following:
            drawing.line(across(year), up(best.score), across(following), up(best.score), "record")
