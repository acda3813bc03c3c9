"""What results do in Python: reports as text, HTML in notebooks, figures."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from ..errors import InputError, did_you_mean
from ..extension import missing_extension
from ..metrics import from_text, metrics_called
from ..metrics.base import Metric
from ..scoring import Results
from .context import PlotStyle, ReportContext
from .formats import DISPLAYS, FORMATS, PLOTS, unavailable_formats
from .tables import labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Form = Literal["markdown", "latex", "html", "csv", "json"]
"""The forms of reports as text."""
MAX_NAMES = 10
"""How many names a message lists."""


class Reportable:
    """An object with results, which can be reported and shown in a notebook."""

    __slots__ = ()

    @abstractmethod
    def _as_results(self) -> Results:
        """Return the results as a run directory has them."""

    def report(
        self,
        form: Form = "markdown",
        digits: int = 2,
        columns: Iterable[str] = (),
    ) -> str:
        """Return the report that `gec-pipeline report --format` prints or writes in this `form`, as
        text.

        `digits` are the decimals of percentages, `columns` what `--columns` takes; json has all.
        The page of html is without sentences. Raises InputError for another form or column, and
        if a package that it needs is missing.
        """
        forms = [
            name for name, one in FORMATS.items() if one.printed or one.returned
        ]
        if form not in forms:
            hint = did_you_mean(form, forms)
            raise InputError(
                f"report: expected one of {', '.join(forms)}, found {form!r}{hint}"
            )
        columns = tuple(columns)
        if columns and form == "json":
            raise InputError("report: json has all columns; leave out columns")
        missing = unavailable_formats([form])
        if missing:
            raise InputError(missing[0])
        context = ReportContext(
            results=self._as_results(),
            digits=digits,
            columns=columns,
        )
        files = FORMATS[form].files(context)
        return str(next(iter(files.values())))

    def _repr_html_(self) -> str | None:
        """Return the results as HTML for Jupyter; None, for plain text, if no extension makes it."""
        display = DISPLAYS.get("text/html")
        return display(self._as_results()) if display else None

    @staticmethod
    def _matching_signatures(
        metrics: Mapping[str, Metric], name: str
    ) -> set[str]:
        """Return the signatures that a name of a metric may mean.

        It is a name, a signature, the text that was requested ("gleu[refs=max]"), or the short name
        that tables print.
        """
        short = labels(metrics)
        named = metrics_called(name, metrics.values())
        matching = set()
        for text, metric in metrics.items():
            if name in (text, short[text]) or metric in named:
                matching.add(text)
        return matching

    def _plotted(
        self,
        name: str,
        metric: str | None,
        dataset: str | None,
        style: PlotStyle,
    ) -> "Figure":
        """Return the figure of a plot, of the metric and data set that are named, as Evaluation.plot()
        does.
        """
        results = self._as_results()
        if find_spec("matplotlib") is None:
            raise InputError(
                "plot() needs matplotlib: pip install 'gec-pipeline[plot]'"
            )
        missing = missing_extension("plots", name) or missing_extension(
            "report_formats", "plots"
        )
        if missing:
            raise InputError(f"plot({name!r}): {missing}")
        scores = results.scores
        if metric:
            metrics = {
                score.metric: from_text(score.metric) for score in scores
            }
            signatures = self._matching_signatures(metrics, metric)
            scores = [score for score in scores if score.metric in signatures]
        if dataset is not None:
            scores = [score for score in scores if score.dataset == dataset]
        if not scores:
            requested = [text for text in (metric, dataset) if text]
            message = f"plot({name!r}): there are no scores"
            if requested:
                names = [
                    *labels(score.metric for score in results.scores).values(),
                    *results.datasets,
                ]
                message += f" of {', '.join(requested)}{did_you_mean(requested[0], names)}"
            raise InputError(message)
        if name not in PLOTS:
            hint = did_you_mean(name, PLOTS)
            raise InputError(
                f"plot({name!r}): there is no such plot{hint}; there are {_listed(PLOTS)}"
            )
        context = ReportContext(
            results=replace(results, scores=scores), plot_style=style
        )
        plots = list(PLOTS[name].figures(context))
        if not plots:
            requirement = PLOTS[name].requires
            raise InputError(
                f"plot({name!r}): there is nothing for it here; it needs {requirement}"
            )
        if len(plots) > 1:
            groups = dict.fromkeys(
                f"{plot.group.dataset}/{plot.group.label}" for plot in plots
            )
            count = f"there are {len(plots)}; say which by metric= and dataset="
            raise InputError(f"plot({name!r}): {count}: {_listed(groups)}")
        return plots[0].figure


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    if len(listed) > MAX_NAMES:
        listed[MAX_NAMES:] = ["..."]
    return ", ".join(listed)
