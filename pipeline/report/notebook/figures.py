"""Figures of results, as matplotlib's Figure. Needs the extra `plot`."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError, did_you_mean
from ..material import Material
from ..plots import PLOTS
from ..plots.canvas import BLUE, ORANGE, figure, saved, styled, text
from ..tables.plot_look import PLAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from ...arrays import Floats
    from ...scoring.results import Results
    from ..tables.plot_look import Look


def drawn(results: Results, name: str, look: Look = PLAIN) -> Figure:
    """Return the figure of a plot (`gec-pipeline help reports`).

    Raises InputError for an unknown name, where results have nothing for it or several such figures, and where
    matplotlib is not installed.
    """
    _check_installed()
    if name not in PLOTS:
        raise InputError(
            f"plot({name!r}): there is no such plot{did_you_mean(name, PLOTS)}; there are {_listed(PLOTS)}"
        )
    with styled(look):
        figures = list(PLOTS[name].figures(Material(results=results)))
    if not figures:
        raise InputError(f"plot({name!r}): there is nothing for it here; it needs {PLOTS[name].needs}")
    if len(figures) > 1:
        named = _listed(dict.fromkeys(f"{group.dataset}/{group.label}" for group, _, _ in figures))
        raise InputError(f"plot({name!r}): there are {len(figures)}; say which by metric= and dataset=: {named}")
    return _shown(figures[0][2], look)


def histogram(scores: Floats, title: str) -> Figure:
    """Return a figure of how many sentences have which score, with a line at their mean."""
    _check_installed()
    from matplotlib.ticker import MaxNLocator

    with styled():
        whole, axes = figure(height=3.0)
        values = 100 * scores[np.isfinite(scores)]
        axes.hist(values, bins=40, color=BLUE)
        if len(values):
            mean = float(values.mean())
            axes.axvline(mean, color=ORANGE, linestyle="--", linewidth=1)
            title = f"{title}; mean of its sentences: {mean:.2f}"
        axes.set_xlabel("score of a sentence (percent)")
        axes.set_ylabel("sentences")
        axes.set_title(text(title, 80), loc="left", fontsize=10)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _shown(whole)


def _check_installed() -> None:
    if find_spec("matplotlib") is None:
        raise InputError("plot() needs matplotlib: pip install 'gec-pipeline[plot]'")


def _listed(names: Any) -> str:
    shown: Sequence[str] = list(names)
    return ", ".join([*shown[:10], *(["..."] if len(shown) > 10 else [])])


def _shown(whole: Figure, look: Look = PLAIN) -> Figure:
    """Have a notebook show the figure, also where pyplot was not imported."""

    def as_png() -> bytes:
        with styled(look):
            return saved(whole, "png")

    setattr(whole, "_repr_png_", as_png)  # noqa: B010 (Figure has no such attribute, which a type checker would say)
    return whole
