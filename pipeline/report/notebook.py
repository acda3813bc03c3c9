"""Results in notebooks and programs: tables as HTML or text, data frames, figures."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from ..errors import InputError, did_you_mean, printable
from ..extension import missing_extension
from ..metrics import from_text, metrics_called
from ..metrics.base import Metric
from ..scoring.results import Results
from . import FORMATS, PLOTS, unavailable
from .context import PlotStyle, ReportContext
from .tables.ranked import labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .document_tables import Cell, DocumentTable

Form = Literal["markdown", "latex", "html", "csv", "json"]
"""The forms of reports as text."""
MAX_ROWS = 100
"""Rows that a table shows. A note counts the others."""
MAX_NAMES = 10
"""How many names a message lists."""
THICK = "2px solid"
THIN = "1px solid"
NO_RULE = "none"
SHADE = "; background: rgba(127, 127, 127, 0.2); font-weight: bold"


def frame(rows: Any) -> Any:
    """Return a DataFrame of rows, or of columns by name. Missing values of a row are missing in it.

    Raises InputError if pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise InputError(
            "to_pandas() needs pandas: pip install 'gec-pipeline[pandas]'"
        ) from None
    return pd.DataFrame(rows)


def known_table(table: str, tables: Iterable[str]) -> None:
    """Raise InputError for a table that is none of these."""
    if table not in tables:
        raise InputError(
            f"to_pandas: expected one of {', '.join(tables)}, found {table!r}"
        )


class NotebookResults:
    """An object with results. Jupyter, and others that show results, call its methods with an
    underscore.
    """

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
        forms = [name for name, one in FORMATS.items() if one.printed or one.returned]
        if form not in forms:
            hint = did_you_mean(form, forms)
            raise InputError(
                f"report: expected one of {', '.join(forms)}, found {form!r}{hint}"
            )
        columns = tuple(columns)
        if columns and form == "json":
            raise InputError("report: json has all columns; leave out columns")
        missing = unavailable([form])
        if missing:
            raise InputError(missing[0])
        context = ReportContext(
            results=self._as_results(),
            digits=digits,
            columns=columns,
        )
        files = FORMATS[form].files(context)
        return str(next(iter(files.values())))

    def _repr_html_(self) -> str:
        """Return tables, signatures and warnings as HTML; all but the first table can be unfolded,
        and signatures too.

        Letters and colours are those of the notebook; the best cells are shaded, and clusters are
        parted by rules.
        """
        from .document_tables import (
            document_tables,
        )  # here, because most programs show no tables

        results = self._as_results()
        parts: list[str] = []
        for document_table in document_tables(ReportContext(results=results)):
            caption = document_table.caption
            table = _table_with_notes(document_table)
            if parts:
                parts.append(_folded(caption, table))
            else:
                parts.append(f"<p>{_text(caption)}</p>{table}")
        if results.warnings:
            parts.append(f"<p>warnings</p>{_items(results.warnings)}")
        return "\n".join(parts)


def _text(text: str) -> str:
    """Return text as HTML on one line, with control characters shown as escapes."""
    return escape(printable(text.replace("\n", " ")))


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{_text(title)}</summary>{content}</details>"


def _items(texts: Iterable[str], tag: str = "span") -> str:
    """Return texts as a list, or nothing if there are none."""
    items = "".join(f"<li><{tag}>{_text(text)}</{tag}></li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _table_with_notes(document_table: "DocumentTable") -> str:
    parts = [_table(document_table)]
    notes = list(document_table.notes)
    hidden_rows = len(document_table.rows) - MAX_ROWS
    if hidden_rows > 0:
        notes.insert(0, f"And {hidden_rows:,} more rows.")
    if notes:
        parts.append(f"<p>{_text(' '.join(notes))}</p>")
    parts.append(_items(document_table.items))
    if document_table.signatures:
        parts.append(_folded("signatures", _items(document_table.signatures, "code")))
    return "".join(parts)


def _table(document_table: "DocumentTable") -> str:
    """Return a table with rules as in a paper, and at the ends of clusters. A single system is not
    the best.
    """

    def cell_element(
        tag: str,
        number: int,
        text: str,
        rules: str,
        shade: str = "",
    ) -> str:
        side = "left" if number in document_table.names else "right"
        return f'<{tag} style="text-align: {side}; {rules}{shade}">{text}</{tag}>'

    header = ""
    rules = f"border-top: {THICK}; border-bottom: {THIN}"
    heads = document_table.heads or [""] * len(document_table.header)
    for number, (head, title) in enumerate(
        zip(heads, document_table.header, strict=True)
    ):
        header += cell_element("th", number, _text(f"{head} {title}".strip()), rules)
    lines = [f"<tr>{header}</tr>"]
    rows = document_table.rows[:MAX_ROWS]
    has_rivals = len(document_table.rows) > 1
    for row_number, row in enumerate(rows):
        below = NO_RULE
        if row_number == len(rows) - 1:
            below = THICK
        elif row_number in document_table.rules:
            below = THIN
        rules = f"border-top: {NO_RULE}; border-bottom: {below}"
        cells = ""
        for number, cell in enumerate(row):
            shade = SHADE if cell.best and has_rivals else ""
            cells += cell_element("td", number, _cell_text(cell), rules, shade)
        lines.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _cell_text(cell: "Cell") -> str:
    text = _text(cell.text)
    if cell.spread:
        text += f" ± {_text(cell.spread)}"
    if cell.mark:
        text += f"<sup>{_text(cell.mark)}</sup>"
    return text


def matching_signatures(metrics: Mapping[str, Metric], name: str) -> set[str]:
    """Return those of the signatures that a name of a metric may mean.

    It is a name, a signature, the text that was asked for ("gleu[refs=max]"), or the short name
    that tables print.
    """
    short = labels(metrics)
    named = metrics_called(name, metrics.values())
    return {
        text
        for text, one in metrics.items()
        if name in (text, short[text]) or one in named
    }


def plotted(
    results: Results,
    name: str,
    metric: str | None,
    dataset: str | None,
    style: PlotStyle,
) -> "Figure":
    """Return the figure of a plot, of the metric and data set that are named, as Evaluation.plot()
    does.
    """
    if find_spec("matplotlib") is None:
        raise InputError("plot() needs matplotlib: pip install 'gec-pipeline[plot]'")
    missing = missing_extension("plots", name) or missing_extension(
        "report_formats", "plots"
    )
    if missing:
        raise InputError(f"plot({name!r}): {missing}")
    scores = results.scores
    if metric:
        metrics = {score.metric: from_text(score.metric) for score in scores}
        signatures = matching_signatures(metrics, metric)
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
    context = ReportContext(results=replace(results, scores=scores), plot_style=style)
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
