"""What results have in common that notebooks show: an Evaluation, a Result, and what `compare` returns."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal

from ...errors import InputError, did_you_mean
from ...metrics.build import from_text, is_called
from ...scoring.results import Results
from ..tables.labels import labels
from .frames import ends, frame, test_row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

    from ...metrics.base.metric import Metric


class Shown:
    """Something with results. Jupyter, and others that show results, call its methods with an underscore."""

    __slots__ = ()

    @abstractmethod
    def _as_results(self) -> Results:
        """Return the results as a run directory has them."""

    def _repr_html_(self) -> str:
        """Return tables, signatures and warnings, as a part of a page."""
        from .tables import as_html

        results = self._as_results()
        return as_html(results, results.warnings)

    def _repr_markdown_(self) -> str:
        """Return tables, signatures and warnings."""
        from .tables import as_markdown

        results = self._as_results()
        return as_markdown(results, results.warnings)


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
        from ..tables.plot_look import look_of
        from .figures import drawn

        look = look_of(width, font, title=title)
        results = self._as_results()
        known = {score.metric: from_text(score.metric) for score in results.scores} if metric else {}
        meant = called(known, metric) if metric else set()
        kept = [s for s in results.scores if dataset in (None, s.dataset) and (metric is None or s.metric in meant)]
        if not kept:
            asked = [text for text in (metric, dataset) if text]
            names = [*labels(score.metric for score in results.scores).values(), *results.datasets]
            hint = "".join(did_you_mean(text, names) for text in asked[:1])
            raise InputError(f"plot({name!r}): there are no scores{' of ' if asked else ''}{', '.join(asked)}{hint}")
        return drawn(replace(results, scores=kept), name, look)


def called(known: Mapping[str, Metric], metric: str) -> set[str]:
    """Return those of the signatures that a name of a metric may mean.

    It is a name, a signature, the text that was asked for ("gleu[refs=max]"), or the short name that tables print.
    """
    short = labels(known)
    try:
        asked = from_text(metric)
    except InputError:  # no form in which a metric is asked for
        asked = None
    return {
        text
        for text, measure in known.items()
        if metric in (text, short[text]) or is_called(measure, metric) or measure == asked
    }


class Compared(Results, Drawable):
    """What `compare` returns: the results of a run with intervals, ranges of ranks and paired tests."""

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
            return [test_row(test) for test in self.tests]
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
