"""Plots by name, and their files.

To add one: a function that takes Material and yields figures, in a file of this folder, and a line in PLOTS.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...errors import InputError, did_you_mean
from ...lookup import later
from .canvas import TYPES, saved, styled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from matplotlib.figure import Figure

    from ..material import Material
    from ..tables.labels import Group


class Plot(NamedTuple):
    """A kind of plot: what it shows, what a run needs for it, and its figures.

    figures: yields for each the scores it shows (metric "": those of several), a further name or "", and the figure.
    """

    told: str
    needs: str
    figures: Callable[[Material], Iterator[tuple[Group, str, Figure]]]


_STATISTICS = "`statistics` in the config"
PLOTS: dict[str, Plot] = {
    "scores": Plot("scores with their intervals", "scores", later(__name__, "scores.scores")),
    "precision": Plot(
        "precision of each order",
        "a metric with precisions of n-grams, at level corpus",
        later(__name__, "scores.precision"),
    ),
    "ranks": Plot("ranges of ranks, and clusters", _STATISTICS, later(__name__, "scores.ranks")),
    "differences": Plot(
        "differences from the baseline with their intervals",
        "`statistics: {baseline: ..}`",
        later(__name__, "scores.differences"),
    ),
    "p_values": Plot("p-values of all pairs", f"{_STATISTICS}, without a baseline", later(__name__, "scores.p_values")),
    "draws": Plot(
        "spread of the score over draws of references",
        "gleu with references: sample, at least two",
        later(__name__, "human.draws"),
    ),
    "human": Plot(
        "metric against human score, a point a system", "`human` in the config", later(__name__, "human.scatter")
    ),
    "windows": Plot(
        "correlation among neighbours in the human ranking", "`human: {window: ..}`", later(__name__, "human.windows")
    ),
}


class Drawn(NamedTuple):
    """A plot as a file: its name without suffix, kind of plot, data set, metric (""), title, and its bytes."""

    stem: str
    plot: str
    dataset: str
    metric: str
    told: str
    data: bytes


def drawn(
    material: Material, names: Iterable[str] = (), kind: str = "png", *, lenient: bool = False
) -> Iterator[Drawn]:
    """Yield the plots of these names (none: all that the run has something for) as PNG, SVG or PDF.

    Raises InputError for names and kinds that are unknown and, unless lenient, for a plot asked for that the run has
    nothing for.
    """
    if kind not in TYPES:
        raise InputError(f"--type {kind}: expected one of {', '.join(TYPES)}{did_you_mean(kind, TYPES)}")
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in PLOTS:
            raise InputError(
                f"--plot {name}: no plot is called so{did_you_mean(name, PLOTS)}; there are {', '.join(PLOTS)}"
            )
    for name in wanted or PLOTS:
        with styled():
            made = [
                Drawn(
                    stem=_stem(name, group, more),
                    plot=name,
                    dataset=group.dataset,
                    metric=group.metric,
                    told=PLOTS[name].told,
                    data=saved(figure, kind),
                )
                for group, more, figure in PLOTS[name].figures(material)
            ]
        if wanted and not made and not lenient:
            raise InputError(f"--plot {name}: this run has nothing for it; it needs {PLOTS[name].needs}")
        yield from made


def _stem(name: str, group: Group, more: str) -> str:
    """Return the name of a file: no two plots of a run share one, since labels and data sets differ."""
    label = re.sub("[^A-Za-z0-9]+", "_", f"{group.label} {more}").strip("_")
    dataset = re.sub("[^A-Za-z0-9._+-]", "_", group.dataset)
    return ".".join(part for part in (name, dataset, label) if part)


def plot_files(material: Material) -> dict[str, bytes]:
    """Return the plots that the run has something for, of those that are asked for."""
    kind = material.plot_type
    return {f"{plot.stem}.{kind}": plot.data for plot in drawn(material, material.plots, kind, lenient=True)}
