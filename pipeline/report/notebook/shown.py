"""What notebooks and programs get of results: tables in Markdown, data frames, figures. `compare` returns Compared."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import fields, replace
from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from ...errors import InputError, did_you_mean, printable
from ...metrics.build import from_text, metrics_called
from ...metrics.names import factor
from ...scoring.results import Results
from ..tables.plot_style import PLAIN, plot_style
from ..tables.ranked import labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.figure import Figure

    from ...arrays import Floats
    from ...metrics.base.metric import Metric
    from ...scoring.results import Bootstrap
    from ..tables.plot_style import PlotStyle
MOST = 100
"""Rows that a table shows. The number of the others is said."""


def frame(library: str, rows: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> Any:
    """Return a DataFrame of pandas or polars, of rows, or of columns by name. What a row lacks is missing in the frame.

    Raises InputError where the package is not installed.
    """
    try:
        package = import_module(library)
    except ImportError:
        raise InputError(f"to_{library}() needs {library}: pip install {library}") from None
    if hasattr(rows, "keys"):
        return package.DataFrame(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    if library == "pandas":
        return package.DataFrame(list(rows), columns=names)
    return package.DataFrame({name: [row.get(name) for row in rows] for name in names}, strict=False)


def are_few(columns: str, others: Sequence[str] = ("all",)) -> bool:
    """Return whether a frame is to have scores alone; raises InputError for a word that is none of the others."""
    if columns not in ("scores", *others):
        known = " or ".join(map(repr, ("scores", *others)))
        raise InputError(f"columns: expected {known}, found {columns!r}")
    return columns == "scores"


def ends(bootstrap: Bootstrap | None) -> dict[str, float]:
    """Return the ends of an interval as columns, or none."""
    return dict(zip(("low", "high"), bootstrap.interval, strict=True)) if bootstrap else {}


class Shown:
    """Something with results. Jupyter, and others that show results, call its methods with an underscore."""

    __slots__ = ()

    @abstractmethod
    def _as_results(self) -> Results:
        """Return the results as a run directory has them."""

    def _repr_markdown_(self) -> str:
        """Return tables, signatures and warnings; all but the first table can be unfolded.

        A notebook has no other form than this: Markdown takes its colours and letters from there.
        """
        from .. import markdown  # here, because most programs show no tables
        from ..material import Material
        from ..sheets import sheets

        results, parts = self._as_results(), []
        for number, sheet in enumerate(sheets(Material(results=results))):
            if len(sheet.rows) == 1:  # a single system is not the best
                sheet.rows[0][:] = [cell._replace(best=False) for cell in sheet.rows[0]]
            left_out = len(sheet.rows) - MOST
            notes = [*([f"And {left_out:,} more rows."] if left_out > 0 else []), *sheet.notes]
            table = markdown.table(replace(sheet, rows=sheet.rows[:MOST], notes=notes))
            folded = f"<details><summary>{escape(printable(sheet.caption))}</summary>\n\n{table}\n</details>\n"
            parts.append(folded if number else table)
        if results.warnings:
            items = "".join(f"- {markdown.paragraph(warning)}\n" for warning in results.warnings)
            parts.append(f"**warnings**\n\n{items}")
        return "\n".join(parts)


class Drawable(Shown):
    """Something with results of which there are plots."""

    __slots__ = ()

    def plot(
        self,
        name: str = "scores",
        *,
        metric: str | None = None,
        dataset: str | None = None,
        width: Literal["column", "text"] | None = None,
        font: Literal["sans", "serif"] = "sans",
        title: bool = True,
    ) -> Figure:
        """Return a plot as a figure of matplotlib, which notebooks show, and whose savefig() writes it to a file.

        `name` is one of those of `gec-pipeline report --format plots` (scores, precision, ranks, differences, p_values,
        types ...). Where there are several metrics or data sets, `metric` and `dataset` say which.
        For a paper, `width` is that of a column (219 points) or of the text (455 points), `font` is sans or serif, and
        `title` False leaves the title to the caption.

        Raises InputError for an unknown name, width or font, where results have nothing for it, and where matplotlib
        is missing.
        """
        style = plot_style(width, font, title=title)
        results = self._as_results()
        known = {score.metric: from_text(score.metric) for score in results.scores} if metric else {}
        meant = called(known, metric) if metric else set()
        kept = [s for s in results.scores if dataset in (None, s.dataset) and (metric is None or s.metric in meant)]
        if not kept:
            asked = [text for text in (metric, dataset) if text]
            names = [*labels(score.metric for score in results.scores).values(), *results.datasets]
            hint = "".join(did_you_mean(text, names) for text in asked[:1])
            raise InputError(f"plot({name!r}): there are no scores{' of ' if asked else ''}{', '.join(asked)}{hint}")
        return drawn(replace(results, scores=kept), name, style)


def called(known: Mapping[str, Metric], metric: str) -> set[str]:
    """Return those of the signatures that a name of a metric may mean.

    It is a name, a signature, the text that was asked for ("gleu[refs=max]"), or the short name that tables print.
    """
    short, meant = labels(known), metrics_called(metric, known.values())
    return {text for text, measure in known.items() if metric in (text, short[text]) or measure in meant}


class Compared(Results, Drawable):
    """What `compare` returns: the results of a run with intervals, rank ranges and paired tests."""

    def __eq__(self, other: object) -> bool:
        """Return whether the results are the same, also where the other ones are not of this class."""
        return self._as_results() == (other._as_results() if isinstance(other, Compared) else other)

    __hash__ = Results.__hash__

    def _as_results(self) -> Results:
        return Results(**{field.name: getattr(self, field.name) for field in fields(self)})

    def to_pandas(self, table: Literal["tests", "scores"] = "tests") -> Any:
        """Return a DataFrame with a row for each paired test, or for each score with its interval and ranks.

        Raises InputError where pandas is not installed.
        """
        return frame("pandas", self._rows(table))

    def to_polars(self, table: Literal["tests", "scores"] = "tests") -> Any:
        """Return the same as a DataFrame of polars. Raises InputError where polars is not installed."""
        return frame("polars", self._rows(table))

    def _rows(self, table: str) -> list[dict[str, Any]]:
        if table == "tests":
            names = ("dataset", "metric", "system", "other", "difference", "low", "high")
            rows = [dict(vars(test)) for test in self.tests]
            for row in rows:
                row["low"], row["high"] = row.pop("interval")
            return [{name: row[name] for name in dict.fromkeys((*names, *row))} for row in rows]
        if table != "scores":
            raise InputError(f"table: expected 'tests' or 'scores', found {table!r}")
        rows = []
        for score in self.scores:
            row = {"dataset": score.dataset, "system": score.system, "metric": score.metric, "score": score.score}
            row |= {**ends(score.bootstrap), "rank": score.rank}
            if score.bootstrap:
                best, worst = score.bootstrap.ranks
                row |= {"rank_best": best, "rank_worst": worst, "cluster": score.bootstrap.cluster}
            rows.append(row)
        return rows

    @classmethod
    def of(cls, results: Results) -> Compared:
        """Return results as what `compare` returns."""
        return cls(**{field.name: getattr(results, field.name) for field in fields(results)})


def drawn(results: Results, name: str, style: PlotStyle = PLAIN) -> Figure:
    """Return the figure of a plot (`gec-pipeline help reports`).

    Raises InputError for an unknown name, where results have nothing for it or several such figures, and where
    matplotlib is not installed.
    """
    _check_installed()
    from ..material import Material
    from ..plots import PLOTS
    from ..plots.canvas import styled

    if name not in PLOTS:
        raise InputError(
            f"plot({name!r}): there is no such plot{did_you_mean(name, PLOTS)}; there are {_listed(PLOTS)}"
        )
    with styled(style):
        figures = list(PLOTS[name].figures(Material(results=results)))
    if not figures:
        raise InputError(f"plot({name!r}): there is nothing for it here; it needs {PLOTS[name].needs}")
    if len(figures) > 1:
        named = _listed(dict.fromkeys(f"{group.dataset}/{group.label}" for group, _, _ in figures))
        raise InputError(f"plot({name!r}): there are {len(figures)}; say which by metric= and dataset=: {named}")
    return _showing(figures[0][2], style)


def histogram(scores: Floats, title: str, metric: str) -> Figure:
    """Return a figure of how many sentences have which score by a metric, with a line at their mean."""
    _check_installed()
    import numpy as np
    from matplotlib.ticker import MaxNLocator

    from ..plots.canvas import BLUE, ORANGE, figure, styled, text

    with styled():
        whole, axes = figure(height=3.0)
        values = factor(metric) * scores[np.isfinite(scores)]
        axes.hist(values, bins=40, color=BLUE)
        if len(values):
            mean = float(values.mean())
            axes.axvline(mean, color=ORANGE, linestyle="--", linewidth=1)
            title = f"{title}; mean of its sentences: {mean:.2f}"
        axes.set_xlabel(f"score of a sentence{' (percent)' * (factor(metric) > 1)}")
        axes.set_ylabel("sentences")
        axes.set_title(text(title, 80), loc="left", fontsize=10)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return _showing(whole, PLAIN)


def _check_installed() -> None:
    if find_spec("matplotlib") is None:
        raise InputError("plot() needs matplotlib: pip install 'gec-pipeline[plot]'")


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join([*shown[:10], *(["..."] if len(shown) > 10 else [])])


def _showing(whole: Figure, style: PlotStyle) -> Figure:
    """Have a notebook show the figure, also where pyplot was not imported."""
    from ..plots.canvas import saved, styled

    def as_png() -> bytes:
        with styled(style):
            return saved(whole, "png")

    setattr(whole, "_repr_png_", as_png)  # noqa: B010 (Figure has no such attribute, which a type checker would say)
    return whole
