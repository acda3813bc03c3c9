"""What reports are made of, and the style of their plots: the width of the place for them, letters
and title.

All of it follows from config, inputs and version, so equal runs have equal reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputError, did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..data.corpus import Corpus
    from ..files.safe_files import Content
    from ..scoring.metric_results import MetricResult
    from ..scoring.results import Results
    from .tables.ranked import Group

WIDTHS = {"column": 219 / 72.27, "text": 455 / 72.27}
"""Widths in inches: a column and the whole text of an A4 page in two columns, 219 and 455 points of
TeX."""
FONTS = {"sans": ["DejaVu Sans"], "serif": ["STIXGeneral", "DejaVu Serif"]}
"""Letters by name. All come with matplotlib, so figures are the same on every machine. STIX looks
as Times does."""
SMALLEST = 7.0
"""No letter is smaller, in points, in a figure that is made for a paper."""


class PlotStyle(NamedTuple):
    """What people choose for plots."""

    width: str = ""
    """One of WIDTHS, which every figure then has; "" lets each plot have a width that suits it."""
    font: str = "sans"
    """One of FONTS."""
    title: bool = True
    """Whether the figure says above the axes what it shows; in a paper the caption says so."""

    @property
    def narrow(self) -> bool:
        """Whether figures have to fit a column."""
        return self.width == "column"

    def points(self, usual: float) -> float:
        """Return the size of letters in points, given what it is where no width was asked for."""
        return SMALLEST if self.narrow else max(usual, SMALLEST) if self.width else usual


PLAIN = PlotStyle()
STYLE: ContextVar[PlotStyle] = ContextVar("STYLE", default=PLAIN)
"""The style of the figures that are being drawn; `styled` of canvas.py sets it."""


def plot_style(width: str | None, font: str, *, title: bool) -> PlotStyle:
    """Return the style of these settings. Raises InputError for a width or font that is not there."""
    for name, value, known in (("width", width, WIDTHS), ("font", font, FONTS)):
        if value is not None and value not in known:
            raise InputError(
                f"{name} '{value}': expected one of {', '.join(known)}{did_you_mean(value, known)}"
            )
    return PlotStyle(width or "", font, title)


@dataclass(frozen=True, kw_only=True)
class ReportContext:
    """A run to report."""

    results: Results
    measured: tuple[MetricResult, ...] = ()
    """The scores of each metric on each data set, with the columns of counts that they are made of.
    """
    corpora: Mapping[str, Corpus] = field(default_factory=dict)
    """The texts by data set; empty where they are not at hand."""
    config: Any = None
    """The config as it was written."""
    opened: Callable[[str], Any] = lambda _: None
    """Returns what a stage of an extension opened for the run, by the name of the stage; None if
    it is unavailable."""
    unread: str = ""
    """Why the texts are not at hand."""
    digits: int = 2
    """Decimals of percentages."""
    by_type: bool = False
    """Whether the scores by type are asked for, and nothing else."""
    tier: int = 2
    """How finely types of edits are told apart: 3 is finest."""
    plots: tuple[str, ...] = ()
    """Names of the plots to draw; empty for all."""
    plot_type: str = "png"
    plot_style: PlotStyle = PLAIN
    """Width, letters and title of plots."""
    name: str = ""
    """What this run is called in figures of several runs."""
    beside: tuple[tuple[str, Results], ...] = ()
    """Names and results of the other runs that a figure shows."""
    columns: tuple[str, ...] = ()
    """Names or patterns of the columns that tables have beside names and score; empty for the usual
    ones."""
    lines: int | None = None
    """How many sentences of a data set the page shows; None for as many as fit."""
    effects: int = 0
    """For how many of these it says what each edit does to their scores."""


CURVES = "curves"
"""The plot that takes several runs."""
PLOT_TYPES = ("png", "svg", "pdf")
"""The types of files that plots are saved as."""


class PlotFigure(NamedTuple):
    """A figure of a plot."""

    group: Group
    """The scores that it shows; the metric is "" if it shows several metrics."""
    name: str
    """A further name, or ""."""
    figure: Figure


class Plot(NamedTuple):
    """A kind of plot."""

    about: str
    """What it shows."""
    requires: str
    """What a run has to have for it."""
    figures: Callable[[ReportContext], Iterator[PlotFigure]]
    """Draws the figures in the style of the report."""


class NamedRun(NamedTuple):
    """A run, and its name in a report of several runs."""

    name: str
    results: Results
    href: str = ""
    """The address of its page, or an empty text."""


@dataclass(frozen=True, kw_only=True)
class SeveralRunsFormat:
    """A form of report of several runs, as one HTML page."""

    about: str
    """What it is, in a line of help."""
    page: Callable[[Sequence[NamedRun], int], str]
    """Takes the runs and the decimals of percentages; returns the page."""
    file: str
    """The name of its file."""
    package: str = ""
    """The package it needs that a plain installation lacks."""
    extra: str = ""
    """The extra of gec-pipeline that brings this package."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A form of report."""

    about: str
    """What it is, in a line of help."""
    files: Callable[[ReportContext], Mapping[str, Content]]
    """Makes its files, by their names."""
    printed: bool = False
    """Whether the command `report` prints it when no folder is named, so that people can paste it.
    """
    returned: bool = False
    """Whether `report()` of results in Python returns it as text, although it is not printed."""
    package: str = ""
    """The package it needs that a plain installation lacks."""
    extra: str = ""
    """The extra of gec-pipeline that brings this package."""
    texts: bool = False
    """Whether it shows texts. If no form that is asked for does, the texts are not read again."""
