"""The input of reports: a run, the style of its plots, and the types of plots and report formats.

All of it follows from config, inputs and version, so equal runs have equal reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ..errors import InputError, did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..data import Corpus
    from ..scoring import MetricResult, Results
    from .tables import Group


@dataclass(frozen=True)
class PlotStyle:
    """The look of plots."""

    width: str = ""
    """One of WIDTHS, which every figure then has; "" lets each plot have a width that suits it."""
    font: str = "sans"
    """One of FONTS."""
    title: bool = True
    """Whether the figure has a title above the axes; in a paper the caption replaces it."""
    WIDTHS: ClassVar[dict[str, float]] = {
        "column": 219 / 72.27,
        "text": 455 / 72.27,
    }
    """Widths in inches: a column and the whole text of an A4 page in two columns, 219 and 455
    points of TeX."""
    FONTS: ClassVar[dict[str, list[str]]] = {
        "sans": ["DejaVu Sans"],
        "serif": ["STIXGeneral", "DejaVu Serif"],
    }
    """Letters by name. All come with matplotlib, so figures are the same on every machine. STIX
    looks as Times does."""
    MIN_POINTS: ClassVar[float] = 7.0
    """The smallest letters, in points, of a figure for a paper."""

    @classmethod
    def of(cls, width: str | None, font: str, *, title: bool) -> PlotStyle:
        """Return the style of settings. Raises InputError for an unknown width or font."""
        settings = (
            ("width", width, [*cls.WIDTHS]),
            ("font", font, [*cls.FONTS]),
        )
        for name, value, known in settings:
            if value is not None and value not in known:
                hint = did_you_mean(value, known)
                raise InputError(
                    f"{name} '{value}': expected one of {', '.join(known)}{hint}"
                )
        return cls(width or "", font, title)

    @property
    def narrow(self) -> bool:
        """Whether figures have to fit a column."""
        return self.width == "column"

    def points(self, usual: float) -> float:
        """Return the size of letters in points from the usual size, which applies without a width."""
        if self.narrow:
            return self.MIN_POINTS
        return max(usual, self.MIN_POINTS) if self.width else usual


@dataclass(frozen=True, kw_only=True)
class ReportContext:
    """A run to report."""

    results: Results
    measured: tuple[MetricResult, ...] = ()
    """The scores of each metric on each data set, with the columns of counts that they are made of.
    """
    corpora: Mapping[str, Corpus] = field(default_factory=dict)
    """The texts by data set; empty if they are unavailable."""
    config: Any = None
    """The config as it was written."""
    opened: Callable[[str], Any] = lambda _: None
    """Returns what a stage of an extension opened for the run, by the name of the stage; None if
    it is unavailable."""
    unread: str = ""
    """Why the texts are unavailable."""
    digits: int = 2
    """Decimals of percentages."""
    by_type: bool = False
    """Whether only the scores by type are requested."""
    tier: int = 2
    """The granularity of types of edits: 3 is finest."""
    plots: tuple[str, ...] = ()
    """Names of the plots to draw; empty for all."""
    plot_type: str = "png"
    plot_style: PlotStyle = PlotStyle()
    """Width, letters and title of plots."""
    name: str = ""
    """The name of this run in figures of several runs."""
    beside: tuple[tuple[str, Results], ...] = ()
    """Names and results of the other runs in a figure."""
    columns: tuple[str, ...] = ()
    """Names or patterns of the columns of tables beside names and score; empty for the usual ones."""
    lines: int | None = None
    """The number of sentences of a data set on the page; None for as many as fit."""
    effects: int = 0
    """The number of these sentences with the effects of their edits."""
    PLOT_TYPES: ClassVar[tuple[str, ...]] = ("png", "svg", "pdf")
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
    """A description."""
    requires: str
    """The data that a run needs for it."""
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
    """A description in a line of help."""
    files: Callable[
        [ReportContext], Mapping[str, str | bytes | Iterable[bytes]]
    ]
    """Makes its files, by their names."""
    printed: bool = False
    """Whether the command `report` prints it if no folder is named, to be pasted."""
    returned: bool = False
    """Whether `report()` of results in Python returns it as text, although it is not printed."""
    package: str = ""
    """The package it needs that a plain installation lacks."""
    extra: str = ""
    """The extra of gec-pipeline with this package."""
    columns: bool = False
    """Whether its columns can be chosen."""
    by_type: bool = False
    """Whether it can have the scores by type alone."""
    texts: bool = False
    """Whether it shows texts. If no requested format does, the texts are not read again."""
