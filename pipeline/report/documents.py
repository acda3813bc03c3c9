"""The tables of the reports in Markdown and LaTeX: ranked systems, systems by metrics, types, and
the tables of extensions.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ..metrics import factor
from ..scoring import SIGNIFICANCE_TESTS, Results
from .context import ReportContext
from .overview import MetricTable, Overview, overviews
from .tables import (
    BETTER,
    WORSE,
    Group,
    Types,
    extra_tables,
    groups,
    settings_line,
    shown_level,
)

MAX_TYPES = 12
"""A table of types has at most so many rows: the types with most edits of references."""
BESIDE = {Group.SOURCE: "†", Group.REFERENCE: "‡"}
"""Marks of rows that do not compete for the best."""


class Cell(NamedTuple):
    """A cell of a table."""

    text: str
    best: bool = False
    """Whether it is set in bold."""
    spread: str = ""
    """The number after ±."""
    mark: str = ""
    """The raised text behind it."""


@dataclass(frozen=True, kw_only=True)
class DocumentTable:
    """A table with its caption, notes and signatures."""

    name: str
    """The name that its label in LaTeX is made of."""
    caption: str
    header: list[str]
    rows: list[list[Cell]]
    heads: list[str] = field(default_factory=list)
    """The title above each column, once above those of the same metric; empty if there is none."""
    rules: Sequence[int] = ()
    """Numbers of the rows at which a cluster ends."""
    names: tuple[int, ...] = (0,)
    """Numbers of the columns of names, which are aligned to the left."""
    notes: list[str] = field(default_factory=list)
    """Sentences below it."""
    items: list[str] = field(default_factory=list)
    """The points of a list below it."""
    signatures: list[str] = field(default_factory=list)
    """Signatures of its metrics."""


def document_tables(context: ReportContext) -> Iterator[DocumentTable]:
    """Yield the tables of a run.

    Tables of systems by metrics, if there are several metrics or data sets, come first. A ranked
    table for each data set and metric, and the tables of extensions follow. If columns are
    requested, there is the first table alone: that of systems by metrics, or the only ranked one.
    """
    results = context.results
    tables = overviews(results, context.digits, context.columns)
    for overview in tables:
        yield _overview_table(results, overview, spread=not context.columns)
    if not tables or not context.columns:
        for group in groups(results):
            yield _ranked_table(group, context.digits, context.columns)
    if context.columns:
        return
    for table in extra_tables(results, context.digits):
        header, rows = table.table
        yield DocumentTable(
            name=table.name,
            caption=table.caption or table.title,
            header=header,
            rows=_plain(rows),
            names=table.text_columns,
            notes=list(table.notes),
            items=list(table.items),
            signatures=list(table.signatures),
        )


def _ranked_table(
    group: Group, digits: int, columns: Sequence[str]
) -> DocumentTable:
    results = group.results
    header, rows = group.ranked_table(digits, columns)
    best = group.best(digits)
    cells = []
    for row in rows:
        rank, system, score, *others = row
        score_cell = _marked(score)._replace(best=system in best)
        cells.append(
            [Cell(rank), Cell(system), score_cell, *map(_marked, others)]
        )
    notes = _missing(results, group.dataset)
    if any(score.samples for score in group.scores):
        notes.append(
            "Draws: the score over random draws of references, which is no interval over sentences."
        )
    if any(score.bootstrap for score in group.scores):
        notes.append("Intervals, ranks and clusters: bootstrap over sentences.")
    if "groups" in header:
        notes.append("Systems that share a letter do not differ significantly.")
    notes += _settings(results)
    for note in group.notes:
        text = note.rstrip(".")
        notes.append(f"{text}." if ": " in note else f"{_capitalized(text)}.")
    notes += group.best_sentences
    titles = _paper_titles(group, digits)
    return DocumentTable(
        name=f"{group.dataset}-{group.label}",
        caption=f"{group.dataset}: {group.info.size}; {group.called}",
        header=[titles.get(title, title) for title in header],
        rows=cells,
        rules=group.cluster_ends,
        names=(1,),
        notes=notes,
        signatures=_signatures([group]),
    )


def _marked(text: str) -> Cell:
    """Return a cell whose arrow, if it has one, is its mark."""
    if text.endswith((BETTER, WORSE)):
        return Cell(text[:-1], mark=text[-1])
    return Cell(text)


def _paper_titles(group: Group, digits: int) -> dict[str, str]:
    """Return the titles of the outputs of a metric in papers."""
    table = MetricTable(group, digits)
    titles = {}
    for number, title in enumerate(table.header):
        if title in group.scores[0].outputs:
            titles[title] = " ".join(
                head for head in table.heads(number) if head
            )
    return titles


def _missing(results: Results, dataset: str) -> list[str]:
    """Return a note for each missing score of an incomplete run."""
    return [
        f"Incomplete: {item}."
        for item in results.missing
        if item.dataset == dataset
    ]


def _overview_table(
    results: Results, overview: Overview, *, spread: bool
) -> DocumentTable:
    """Return a table of systems by metrics, with half the width of their intervals if `spread` is
    set.
    """
    rows = []
    for name in overview.systems:
        kind = overview.kinds.get(name, "")
        mark = BESIDE.get(kind, "")
        rows.append([Cell(name, mark=mark)])
    heads = [""]
    header = ["system"]
    for name, columns in groupby(
        overview.columns, lambda column: column.heads[0]
    ):
        below = [column.heads[1] for column in columns]
        if len(below) > 1:
            heads += [name] * len(below)
            header += [text or "score" for text in below]
        else:
            heads.append("")
            header.append(f"{name} {below[0]}".strip())
    has_spreads = False
    for number, column in enumerate(overview.columns, 1):
        column_has_spreads = False
        for row, name in zip(rows, overview.systems, strict=True):
            entry = column.entries.get(name)
            cell = Cell(Types.NONE)
            if entry:
                half_width = entry.spread if spread else ""
                cell = Cell(entry.text, entry.best, half_width, entry.mark)
            column_has_spreads = column_has_spreads or bool(cell.spread)
            row.append(cell)
        if column_has_spreads:
            has_spreads = True
            header[number] += f" ± {overview.level}"
    items = []
    for column in overview.columns:
        if column.verdict_sentence:
            items.append(f"{column.printed}: {column.verdict_sentence}")
    unit = "in percent"
    if has_spreads:
        interval = (
            f"{overview.level} interval over bootstrap samples of the sentences"
        )
        unit += f", ± half the width of the {interval}"
    return DocumentTable(
        name=overview.name,
        caption=f"{overview.about}; {unit}, the best of each metric in bold",
        header=header,
        heads=heads,
        rows=rows,
        notes=_overview_notes(results, overview),
        items=items,
        signatures=_signatures([group for _, group in overview.groups]),
    )


def _overview_notes(results: Results, overview: Overview) -> list[str]:
    """Return the notes below an overview, as sentences.

    They are about missing scores, rows of the source and references, columns whose lowest score is
    the best or that are not in percent, marks of significance, and settings of statistics.
    """
    notes = []
    datasets = dict.fromkeys(group.dataset for _, group in overview.groups)
    for dataset in datasets:
        notes += _missing(results, dataset)
    for kind, text in (
        (Group.SOURCE, "the unchanged source"),
        (Group.REFERENCE, "a reference"),
    ):
        if kind in overview.kinds.values():
            notes.append(
                f"{BESIDE[kind]}: {text}, which is not compared for the best."
            )
    lowest_best = []
    not_in_percent = []
    for column in overview.columns:
        # only columns of scores have a sentence about the first system
        if not column.verdict_sentence:
            continue
        if column.lower_is_better:
            lowest_best.append(column.printed)
        if factor(column.group.metric) == 1:
            not_in_percent.append(column.printed)
    if lowest_best:
        notes.append(f"{', '.join(lowest_best)}: the lowest score is the best.")
    if not_in_percent:
        notes.append(
            f"{', '.join(not_in_percent)}: shown as it is, not in percent."
        )
    if results.tests and overview.marks:
        notes.append(overview.marks)
    return notes + _settings(results)


def _settings(results: Results) -> list[str]:
    if not results.statistics or "resamples" not in results.statistics:
        return []
    line = _capitalized(settings_line(results))
    return [f"{line}; intervals at {shown_level(results.level)}."]


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _signatures(groups_of_table: Sequence[Group]) -> list[str]:
    """Return the signatures of metrics, each with the one that the field's own tool gives it, with
    its samples.
    """
    signatures: dict[str, None] = {}
    for group in groups_of_table:
        statistics = group.results.statistics or {}
        signatures[group.metric] = None
        peer = group.scores[0].peer_signature
        if peer and "resamples" in statistics:
            peer = SIGNIFICANCE_TESTS.signature(peer, statistics)
        if peer:
            signatures[peer] = None
    return list(signatures)


def _plain(rows: Iterable[Sequence[str]]) -> list[list[Cell]]:
    return [list(map(Cell, row)) for row in rows]


def type_tables(
    results: Results, digits: int, tier: int
) -> Iterator[DocumentTable]:
    """Yield for each data set and metric a table by systems of the MAX_TYPES types with most edits
    of references.

    The best scores of a type are bold, if there are several and they are not all equal.
    """
    for types in Types.of(results, tier):
        frequent = _frequent_types(types)
        header, rows = types.side_by_side(digits)
        cells = _plain([row for row in rows if row[0] in frequent])
        for row in cells:
            row[1:] = _with_best(types, row)
        notes = []
        if len(types.systems) > 1:
            notes.append(
                "Score of each type in percent, the best of each in bold."
            )
        left_out = len(types.names) - len(cells)
        if left_out:
            frequent_text = f"The {MAX_TYPES} most frequent types"
            notes.append(f"{frequent_text}; {left_out} more are in types.csv.")
        notes.append(f"{Types.NONE}: the type does not occur with this system.")
        yield DocumentTable(
            name=f"{types.group.dataset}-{types.group.label}-types",
            caption=types.caption,
            header=header,
            rows=cells,
            notes=notes,
            signatures=[types.group.metric],
        )


def _frequent_types(types: Types) -> set[str]:
    """Return the MAX_TYPES types with most edits of references, found or missed."""
    sizes = Counter[str]()
    keys = [key for key in types.counts if key != "fp"]
    for (_, name), cell in types.cells.items():
        count = int(sum(cell.outputs[key] for key in keys))
        sizes[name] = max(sizes[name], count)
    return {name for name, _ in sizes.most_common(MAX_TYPES)}


def _with_best(types: Types, row: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a type with the best of them in bold."""
    name, *cells = row
    if len({cell.text for cell in cells} - {Types.NONE}) < 2:
        return cells
    categories = [
        types.cells.get((system, name.text)) for system in types.systems
    ]
    best = max(category.score for category in categories if category)
    marked = []
    for cell, category in zip(cells, categories, strict=True):
        is_best = category is not None and category.score == best
        marked.append(cell._replace(best=is_best))
    return marked
