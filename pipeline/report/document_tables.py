"""The tables of the reports in Markdown and LaTeX: ranked systems, systems by metrics, types,
agreement with people.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ..metrics.names import factor
from ..scoring.results import Results
from ..scoring.significance_tests import with_samples
from .context import ReportContext
from .overview import MetricTable, Overview, overviews
from .tables.by_type import NONE, caption, side_by_side, types_of
from .tables.comparisons import BETTER, WORSE, level_name, settings_line
from .tables.extra_tables import extra_tables
from .tables.ranked import (
    HUMAN,
    SOURCE,
    Group,
    best_of,
    cluster_ends,
    groups,
    notes_of,
    ranked_table,
    size,
)
from .tables.series import best_sentences

MOST = 12
"""A table of types has at most so many rows: those that references ask for most often."""
BESIDE = {SOURCE: "†", HUMAN: "‡"}
"""Marks of rows that do not compete for the best."""


class Cell(NamedTuple):
    """A cell of a table."""

    text: str
    best: bool = False
    """Whether it is set in bold."""
    spread: str = ""
    """What follows after ±."""
    mark: str = ""
    """What follows raised."""


@dataclass(frozen=True, kw_only=True)
class DocumentTable:
    """A table with what stands around it."""

    name: str
    """What its label in LaTeX is made of."""
    caption: str
    header: list[str]
    rows: list[list[Cell]]
    heads: list[str] = field(default_factory=list)
    """What stands above each column, once above those of the same metric; empty where there is
    nothing."""
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
    table for each data set and metric, agreement with people, the other sections of the results,
    and what was expected follow. Where columns are asked for, there is the first table alone: that
    of systems by metrics, or the only ranked one."""
    tables = overviews(context.results, context.digits, context.columns)
    results = context.results
    for overview in tables:
        yield _overview(results, overview, spread=not context.columns)
    for group in groups(results) if not (tables and context.columns) else ():
        yield _ranked(results, group, context.digits, context.columns)
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


def _ranked(results: Results, group: Group, digits: int, columns: Sequence[str]) -> DocumentTable:
    header, rows = ranked_table(results, group.scores, digits, columns)
    whole, outputs = MetricTable(results, group, digits), group.scores[0].outputs
    titles = {
        own: " ".join(filter(None, whole.heads(n)))
        for n, own in enumerate(whole.header)
        if own in outputs
    }
    best = best_of(results.datasets[group.dataset], group, digits)
    cells = [
        [Cell(text, best=column == 2 and row[1] in best) for column, text in enumerate(row)]
        for row in rows
    ]
    for row in cells:
        row[2:] = [
            Cell(c.text[:-1], mark=c.text[-1]) if c.text.endswith((BETTER, WORSE)) else c
            for c in row[2:]
        ]
    notes = _missing(results, group.dataset)
    if any(score.samples for score in group.scores):
        notes.append(
            "Draws: the score over random draws of references, which is no interval over sentences."
        )
    if any(score.bootstrap for score in group.scores):
        notes.append("Intervals, ranks and clusters: bootstrap over sentences.")
    if "groups" in header:
        notes.append("Systems that share a letter do not differ significantly.")
    own = (note if ": " in note else note[:1].upper() + note[1:] for note in notes_of(group.scores))
    said = [f"{note.rstrip('.')}." for note in own]
    return DocumentTable(
        name=f"{group.dataset}-{group.label}",
        caption=f"{group.dataset}: {size(results.datasets[group.dataset])}; {group.called}",
        header=[titles.get(title, title) for title in header],
        rows=cells,
        rules=cluster_ends(group.scores),
        names=(1,),
        notes=[*notes, *_settings(results), *said, *best_sentences(results, group)],
        signatures=_signatures(results, [group]),
    )


def _missing(results: Results, dataset: str) -> list[str]:
    """Return a note for each score that an incomplete run lacks."""
    return [f"Incomplete: {item}." for item in results.missing if item.dataset == dataset]


def _overview(results: Results, overview: Overview, *, spread: bool) -> DocumentTable:
    """Return a table of systems by metrics, with half the width of their intervals if `spread` is
    set.
    """
    names, own = overview.systems, [group for _, group in overview.groups]
    rows = [[Cell(name, mark=BESIDE.get(overview.kinds.get(name, ""), ""))] for name in names]
    heads, header = [""], ["system"]
    for name, columns in groupby(overview.columns, lambda column: column.heads[0]):
        below = [column.heads[1] for column in columns]
        heads += [name if len(below) > 1 else ""] * len(below)
        header += (
            [text or "score" for text in below]
            if len(below) > 1
            else [f"{name} {below[0]}".strip()]
        )
    for column in overview.columns:
        for name, row in zip(names, rows, strict=True):
            entry = column.entries.get(name)
            row.append(
                Cell(entry.text, entry.best, entry.spread * spread, entry.mark)
                if entry
                else Cell(NONE)
            )
    notes = [
        note
        for name in dict.fromkeys(group.dataset for group in own)
        for note in _missing(results, name)
    ]
    for kind, text in ((SOURCE, "the unchanged source"), (HUMAN, "a reference")):
        if kind in overview.kinds.values():
            notes.append(f"{BESIDE[kind]}: {text}, which is not compared for the best.")
    scores = [
        (" ".join(column.heads).strip(), column)
        for column in overview.columns
        if column.verdict_sentence
    ]
    if lower := [name for name, column in scores if column.lower_is_better]:
        notes.append(f"{', '.join(lower)}: the lowest score is the best.")
    if plain := [name for name, column in scores if factor(column.group.metric) == 1]:
        notes.append(f"{', '.join(plain)}: shown as it is, not in percent.")
    if results.tests:
        notes.append(overview.marks)
    notes += _settings(results)
    spreads = [any(row[n].spread for row in rows) for n in range(len(header))]
    header = [
        f"{title} ± {overview.level}" if has else title
        for title, has in zip(header, spreads, strict=True)
    ]
    deviation = f", ± half the width of the {overview.level} interval over bootstrap samples of the sentences"
    return DocumentTable(
        name=overview.name,
        caption=f"{overview.about}; in percent{deviation * any(spreads)}, the best of each metric in bold",
        header=header,
        heads=heads,
        rows=rows,
        notes=[note for note in notes if note],
        items=[f"{name}: {column.verdict_sentence}" for name, column in scores],
        signatures=_signatures(results, own),
    )


def _settings(results: Results) -> list[str]:
    if not results.statistics or "resamples" not in results.statistics:
        return []
    line = settings_line(results.statistics)
    return [f"{line[:1].upper()}{line[1:]}; intervals at {level_name(results)}."]


def _signatures(results: Results, own: Sequence[Group]) -> list[str]:
    """Return the signatures of metrics, each with the one that the field's own tool gives it, with
    its samples.
    """
    drawn = results.statistics if "resamples" in (results.statistics or {}) else None
    pairs = ((group.metric, group.scores[0].peer_signature) for group in own)
    both = ((text, with_samples(peer, drawn) if peer and drawn else peer) for text, peer in pairs)
    return list(dict.fromkeys(text for pair in both for text in pair if text))


def _plain(rows: Iterable[Sequence[str]]) -> list[list[Cell]]:
    return [[Cell(text) for text in row] for row in rows]


def type_sheets(results: Results, digits: int, tier: int) -> Iterator[DocumentTable]:
    """Yield for each data set and metric a table by systems of the MOST types with most edits that
    were wanted.

    The best scores of a type are bold, where there are several and they are not all equal.
    """
    for types in types_of(results, tier):
        wanted = Counter[str]()
        for (_, name), cell in types.cells.items():
            wanted[name] = max(
                wanted[name], int(sum(cell.outputs[key] for key in types.counts if key != "fp"))
            )
        shown = {name for name, _ in wanted.most_common(MOST)}
        header, rows = side_by_side(types, digits)
        cells = _plain([row for row in rows if row[0] in shown])
        left_out = len(types.names) - len(cells)
        for row in cells:
            own = [types.cells.get((system, row[0].text)) for system in types.systems]
            top = max((cell.score for cell in own if cell), default=0.0)
            if len({cell.text for cell in row[1:]} - {NONE}) > 1:
                best = [cell is not None and cell.score == top for cell in own]
                row[1:] = [
                    Cell(cell.text, best=is_best)
                    for cell, is_best in zip(row[1:], best, strict=True)
                ]
        yield DocumentTable(
            name=f"{types.group.dataset}-{types.group.label}-types",
            caption=caption(types),
            header=header,
            rows=cells,
            notes=[
                *(
                    ["Score of each type in percent, the best of each in bold."]
                    if len(types.systems) > 1
                    else []
                ),
                *(
                    [f"The {MOST} most frequent types; {left_out} more are in types.csv."]
                    if left_out
                    else []
                ),
                f"{NONE}: the type does not occur with this system.",
            ],
            signatures=[types.group.metric],
        )
