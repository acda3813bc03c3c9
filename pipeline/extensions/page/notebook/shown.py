"""What notebooks and programs get of results: tables as text, data frames, figures."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from pipeline.errors import InputError, did_you_mean, printable
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.build import from_text, metrics_called
from pipeline.report import FORMATS, unavailable
from pipeline.report.context import PlotStyle, ReportContext
from pipeline.report.tables.ranked import labels
from pipeline.scoring.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pipeline.report.document_tables import DocumentTable
Form = Literal["markdown", "latex", "html", "csv", "json"]
"""The forms of reports as text."""
MOST = 100
"""Rows that a table shows. The number of the others is said."""


def frame(rows: Any) -> Any:
    """Return a DataFrame of rows, or of columns by name. What a row lacks is missing in it.

    Raises InputError where pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise InputError("to_pandas() needs pandas: pip install 'gec-pipeline[pandas]'") from None
    return pd.DataFrame(rows)


def known_table(table: str, tables: Iterable[str]) -> None:
    """Raise InputError for a table that is none of these."""
    if table not in tables:
        raise InputError(f"to_pandas: expected one of {', '.join(tables)}, found {table!r}")


class Shown:
    """Something with results. Jupyter, and others that show results, call its methods with an
    underscore.
    """

    __slots__ = ()

    @abstractmethod
    def _as_results(self) -> Results:
        """Return the results as a run directory has them."""

    def report(self, form: Form = "markdown", digits: int = 2, columns: Iterable[str] = ()) -> str:
        """Return the report that `gec-pipeline report --format` prints or writes in this `form`, as
        text.

        `digits` are the decimals of percentages, `columns` what `--columns` takes; json has all.
        The page of html is without sentences. Raises InputError for another form or column, and
        where a package that it needs is missing."""
        forms = [name for name, one in FORMATS.items() if one.printed or name == "html"]
        if form not in forms:
            raise InputError(
                f"report: expected one of {', '.join(forms)}, found {form!r}{did_you_mean(form, forms)}"
            )
        if (columns := tuple(columns)) and form == "json":
            raise InputError("report: json has all columns; leave out columns")
        if lacking := unavailable([form]):
            raise InputError(lacking[0])
        files = FORMATS[form].files(
            ReportContext(results=self._as_results(), digits=digits, columns=columns)
        )
        return str(next(iter(files.values())))

    def _repr_html_(self) -> str:
        """Return tables, signatures and warnings as HTML; all but the first table can be unfolded,
        and signatures too.

        Letters and colours are those of the notebook; the best cells are shaded, and clusters are
        parted by rules."""
        from pipeline.report.document_tables import (
            document_tables,  # here, because most programs show no tables
        )

        results, parts = self._as_results(), list[str]()
        for number, document_table in enumerate(document_tables(ReportContext(results=results))):
            more = (
                [f"And {len(document_table.rows) - MOST:,} more rows."]
                if len(document_table.rows) > MOST
                else []
            )
            below = [
                *(
                    f"<p>{_text(' '.join(notes))}</p>"
                    for notes in ([*more, *document_table.notes],)
                    if notes
                )
            ]
            table = "".join([_table(document_table), *below, _items(document_table.items)])
            if document_table.signatures:
                table += _folded("signatures", _items(document_table.signatures, "code"))
            parts.append(
                _folded(document_table.caption, table)
                if number
                else f"<p>{_text(document_table.caption)}</p>{table}"
            )
        if results.warnings:
            parts.append(f"<p>warnings</p>{_items(results.warnings)}")
        return "\n".join(parts)


def _text(text: str) -> str:
    """Return text as HTML on one line, with control characters shown as escapes."""
    return escape(printable(text.replace("\n", " ")))


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{_text(title)}</summary>{content}</details>"


def _items(texts: Iterable[str], tag: str = "span") -> str:
    """Return texts as a list; nothing where there are none."""
    items = "".join(f"<li><{tag}>{_text(text)}</{tag}></li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


THICK, THIN, NO_RULE = "2px solid", "1px solid", "none"
SHADE = "; background: rgba(127, 127, 127, 0.2); font-weight: bold"


def _table(document_table: "DocumentTable") -> str:
    """Return a table with rules as in a paper, and at the ends of clusters. A single system is not
    the best.
    """

    def row(tag: str, cells: Iterable[tuple[str, bool]], below: str, above: str = NO_RULE) -> str:
        shown = []
        for number, (text, best) in enumerate(cells):
            side = "left" if number in document_table.names else "right"
            style = f"text-align: {side}; border-top: {above}; border-bottom: {below}{SHADE if best else ''}"
            shown.append(f'<{tag} style="{style}">{text}</{tag}>')
        return f"<tr>{''.join(shown)}</tr>"

    heads = zip(
        document_table.heads or [""] * len(document_table.header),
        document_table.header,
        strict=True,
    )
    lines = [
        row("th", ((_text(f"{head} {title}".strip()), False) for head, title in heads), THIN, THICK)
    ]
    rows = document_table.rows[:MOST]
    for number, cells in enumerate(rows):
        ended = (
            THICK
            if number == len(rows) - 1
            else THIN
            if number in document_table.rules
            else NO_RULE
        )
        texts = []
        for cell in cells:
            spread = f" ± {_text(cell.spread)}" if cell.spread else ""
            mark = f"<sup>{_text(cell.mark)}</sup>" if cell.mark else ""
            texts.append(
                (f"{_text(cell.text)}{spread}{mark}", cell.best and len(document_table.rows) > 1)
            )
        lines.append(row("td", texts, ended))
    return f"<table>{''.join(lines)}</table>"


def called(known: Mapping[str, Metric], metric: str) -> set[str]:
    """Return those of the signatures that a name of a metric may mean.

    It is a name, a signature, the text that was asked for ("gleu[refs=max]"), or the short name
    that tables print."""
    short, meant = labels(known), metrics_called(metric, known.values())
    return {
        text for text, measure in known.items() if metric in (text, short[text]) or measure in meant
    }


def drawn(
    results: Results, name: str, metric: str | None, dataset: str | None, style: PlotStyle
) -> "Figure":
    """Return the figure of a plot, of the metric and data set that are named, as Evaluation.plot()
    does.
    """
    if find_spec("matplotlib") is None:
        raise InputError("plot() needs matplotlib: pip install 'gec-pipeline[plot]'")
    from pipeline.extensions.plots.canvas import saved, styled
    from pipeline.report import PLOTS

    known = {score.metric: from_text(score.metric) for score in results.scores} if metric else {}
    meant = called(known, metric) if metric else set()
    kept = [
        s
        for s in results.scores
        if dataset in (None, s.dataset) and (metric is None or s.metric in meant)
    ]
    if not kept:
        asked = [text for text in (metric, dataset) if text]
        names = [*labels(score.metric for score in results.scores).values(), *results.datasets]
        hint = "".join(did_you_mean(text, names) for text in asked[:1])
        raise InputError(
            f"plot({name!r}): there are no scores{' of ' if asked else ''}{', '.join(asked)}{hint}"
        )
    if name not in PLOTS:
        hint = did_you_mean(name, PLOTS)
        raise InputError(f"plot({name!r}): there is no such plot{hint}; there are {_listed(PLOTS)}")
    with styled(style):
        figures = list(PLOTS[name].figures(ReportContext(results=replace(results, scores=kept))))
    if not figures:
        raise InputError(
            f"plot({name!r}): there is nothing for it here; it needs {PLOTS[name].requires}"
        )
    if len(figures) > 1:
        named = _listed(dict.fromkeys(f"{group.dataset}/{group.label}" for group, _, _ in figures))
        raise InputError(
            f"plot({name!r}): there are {len(figures)}; say which by metric= and dataset=: {named}"
        )
    whole = figures[0][2]

    def as_png() -> bytes:
        with styled(style):
            return saved(whole, "png")

    # notebooks show it so, also where pyplot was not imported
    setattr(whole, "_repr_png_", as_png)  # noqa: B010 (Figure has no such attribute, which a type checker would say)
    return whole


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    return ", ".join([*shown[:10], *(["..."] if len(shown) > 10 else [])])
