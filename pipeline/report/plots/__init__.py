"""Plots by name, and their files.

To add one, write a function that takes Material and yields figures into a file of this folder, and add a line to
PLOTS.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...errors import InputError, did_you_mean
from ...io.safe_files import file_name
from ...lookup import later
from .canvas import saved, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from matplotlib.figure import Figure

    from ..material import Material
    from ..tables.ranked import Group


class Plot(NamedTuple):
    """A kind of plot."""

    about: str
    """What it shows."""
    needs: str
    """What a run needs for it."""
    figures: Callable[[Material], Iterator[tuple[Group, str, Figure]]]
    """Yields the group of scores that a figure shows, a further name or "", and the figure.

    The metric of a group is "" where the figure shows several metrics.
    """


CURVES = "curves"
"""The plot that takes several runs."""
_STATISTICS = "`statistics` in the config"
PLOTS: dict[str, Plot] = {
    "scores": Plot("scores with their intervals", "scores", later(__name__, "figures.scores")),
    CURVES: Plot(
        "scores over steps, such as the checkpoints of a training, also of several runs",
        "systems with numbers, such as step-1000 and step-2000, or `output: {x: ..}`",
        later(__name__, "figures.curves"),
    ),
    "ranks": Plot("rank ranges, and clusters", _STATISTICS, later(__name__, "figures.ranks")),
    "differences": Plot(
        "differences from the baseline with their intervals",
        "`statistics: {baseline: ..}`",
        later(__name__, "figures.differences"),
    ),
    "p_values": Plot(
        "p-values of all pairs", f"{_STATISTICS}, without a baseline", later(__name__, "figures.p_values")
    ),
    "people": Plot(
        "rank ranges by people, and clusters",
        "`human` in the config, with a file of judgements that is at hand",
        later(__name__, "figures.people"),
    ),
    "correlations": Plot(
        "correlations of each metric with people, with intervals",
        "`human` in the config",
        later(__name__, "figures.correlations"),
    ),
    "human": Plot("metric against human score", "`human` in the config", later(__name__, "figures.human")),
    "windows": Plot(
        "correlation among neighbours in the human ranking", "`human: {window: ..}`", later(__name__, "figures.windows")
    ),
}


class Drawn(NamedTuple):
    """A plot as a file."""

    stem: str
    """The name of the file without its suffix."""
    plot: str
    """The name of the plot in PLOTS."""
    data: bytes


def drawn(material: Material, names: Iterable[str] = (), kind: str = "png") -> Iterator[Drawn]:
    """Yield those of the named plots, or of all, that the run has data for, as files of a kind: png, svg or pdf.

    Raises InputError for a name that is no plot.
    """
    names = dict.fromkeys(names or PLOTS)
    for name in names:
        if name not in PLOTS:
            suggestion = did_you_mean(name, PLOTS)
            raise InputError(f"--plot {name}: no plot is called so{suggestion}; there are {', '.join(PLOTS)}")
    taken: set[str] = set()
    for name in names:
        with styled(material.plot_style):
            figures = PLOTS[name].figures(material)
            plots = [Drawn(_stem(name, group, more, taken), name, saved(plot, kind)) for group, more, plot in figures]
        yield from plots


def _stem(name: str, group: Group, more: str, taken: set[str]) -> str:
    """Return the name of a file and add it to `taken`. Labels may differ in signs alone, so a number may follow."""
    label = re.sub("[^A-Za-z0-9]+", "_", f"{group.label} {more}").strip("_")
    parts = [part for part in (name, file_name(group.dataset) if group.dataset else "", label) if part]
    number = 1
    while (stem := ".".join([*parts, *([str(number)] if number > 1 else [])])) in taken:
        number += 1
    taken.add(stem)
    return stem


def plot_files(material: Material) -> dict[str, bytes]:
    """Return those of the plots in material.plots that the run has data for."""
    kind = material.plot_type
    return {f"{plot.stem}.{kind}": plot.data for plot in drawn(material, material.plots, kind)}
