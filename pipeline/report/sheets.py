"""The tables of the reports in Markdown and LaTeX: ranked systems, systems by metrics, agreement with people."""

from __future__ import annotations

from dataclasses import dataclass, field
from string import ascii_letters
from typing import TYPE_CHECKING, NamedTuple

from .overview.systems_by_metrics import overviews
from .tables.columns.directions import BETTER, WORSE
from .tables.comparisons import is_significant, level_name, settings_line, tests_of
from .tables.human import correlation_table, permutation_table, rank_table, sentence_table, statistic_table
from .tables.labels import HUMAN, SOURCE, best_of, groups, remarks, size
from .tables.ranked import ranked_table
from .tables.sections import finding_tables
from .tables.verdicts import expectation_table, misses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..scoring.results import Results, Score
    from .material import Material
    from .overview.systems_by_metrics import Column, Overview
    from .tables.labels import Group


NONE = "-"
"""What is shown where a system has no score."""
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
class Sheet:
    """A table with what stands around it."""

    name: str
    """What its label in LaTeX is made of."""
    caption: str
    header: list[str]
    rows: list[list[Cell]]
    names: tuple[int, ...] = (0,)
    """Numbers of the columns of names, which are aligned to the left."""
    notes: list[str] = field(default_factory=list)
    """Sentences below it."""
    items: list[str] = field(default_factory=list)
    """The points of a list below it."""
    signatures: list[str] = field(default_factory=list)
    """Signatures of its metrics."""


def sheets(material: Material) -> Iterator[Sheet]:
    """Yield the tables of a run.

    Tables of systems by metrics, if there are several metrics or data sets, come first. A ranked table for each data
    set and metric, agreement with people, the other sections of the results, and what was expected follow.
    """
    for overview in overviews(material.results, material.digits):
        yield _overview(material.results, overview, beaten=material.beaten)
    for group in groups(material.results):
        yield _ranked(material.results, group, material.digits, material.columns)
    if material.results.human and material.results.human.get("correlations"):
        yield from _human(material)
    yield from _findings(material.results, material.digits)


def _about(results: Results, dataset: str) -> str:
    return f"{dataset}: {size(results.datasets[dataset])}"


def _ranked(results: Results, group: Group, digits: int, columns: Sequence[str]) -> Sheet:
    header, rows = ranked_table(results, group.scores, digits, columns)
    best = best_of(results.datasets[group.dataset], group, digits)
    cells = [[Cell(text, best=column == 2 and row[1] in best) for column, text in enumerate(row)] for row in rows]
    for row in cells:
        row[2:] = [Cell(cell.text[:-1], mark="*") if cell.text.endswith("*") else cell for cell in row[2:]]
    notes = _missing(results, group.dataset)
    if any(score.samples for score in group.scores):
        notes.append("std, draws: of the score over random draws of references.")
    if any(score.bootstrap for score in group.scores):
        notes.append("Intervals, ranks and clusters: bootstrap over sentences.")
    if "groups" in header:
        notes.append("Systems that share a letter do not differ significantly.")
    notes += [*_settings(results), *remarks(group.scores)]
    caption = f"{_about(results, group.dataset)}; {group.label}"
    return Sheet(
        name=f"{group.dataset}-{group.label}",
        caption=caption,
        header=header,
        rows=cells,
        names=(1,),
        notes=notes,
        signatures=_signatures([group]),
    )


def _missing(results: Results, dataset: str) -> list[str]:
    """Return a note for each score that an incomplete run lacks."""
    return [f"Incomplete: {item}." for item in results.missing if item.dataset == dataset]


def _overview(results: Results, overview: Overview, *, beaten: bool) -> Sheet:
    """Return a table of systems by metrics.

    If `beaten` is set, each system has a letter, and a score is marked with the letters of the systems that it beats.
    """
    names, own = overview.systems, [column.group for column in overview.columns]
    columns = [_column(results, column, names if beaten else ()) for column in overview.columns]
    before = [f"{letter} " for letter in _letters(len(names))] if beaten else [""] * len(names)
    rows = [
        [
            Cell(letter + name, mark=BESIDE.get(overview.kinds.get(name, ""), "")),
            *(column.get(name, Cell(NONE)) for column in columns),
        ]
        for letter, name in zip(before, names, strict=True)
    ]
    notes = [note for name in dict.fromkeys(group.dataset for group in own) for note in _missing(results, name)]
    if any(cell.spread for row in rows for cell in row):
        boot = any(score.bootstrap for group in own for score in group.scores)
        over = "bootstrap samples of the sentences" if boot else "random draws of references"
        notes.append(f"±: standard deviation of the score over {over}.")
    for kind, text in ((SOURCE, "the unchanged source"), (HUMAN, "a reference")):
        if kind in overview.kinds.values():
            notes.append(f"{BESIDE[kind]}: {text}, which is not compared for the best.")
    if lower := [column.title for column in overview.columns if column.lower_is_better]:
        notes.append(f"{', '.join(lower)}: the lowest score is the best.")
    if results.tests:
        notes += ["Raised letters name the systems that are significantly worse."] if beaten else [overview.marks]
    notes += _settings(results, f"{BETTER} {WORSE}" if overview.baseline is not None else "significant")
    return Sheet(
        name=overview.name,
        caption=f"{overview.about}; in percent, the best of each metric in bold",
        header=["system", *(column.title for column in overview.columns)],
        rows=rows,
        names=(0,),
        notes=[note for note in notes if note],
        items=[f"{column.title}: {column.verdict}" for column in overview.columns if column.verdict],
        signatures=_signatures(own),
    )


def _column(results: Results, column: Column, lettered: Sequence[str]) -> dict[str, Cell]:
    """Return the cells of a metric by system; `lettered` are the systems that have letters as marks."""
    beaten = _beaten(results, column.group.scores, lettered) if lettered else {}
    return {
        name: Cell(entry.text, entry.best, entry.spread, beaten.get(name, "") if lettered else entry.mark)
        for name, entry in column.entries.items()
    }


def _beaten(results: Results, scores: Sequence[Score], names: Sequence[str]) -> dict[str, str]:
    """Return for each system the letters of those that are significantly worse, in the order of the letters."""
    places = {score.system: place for place, score in enumerate(scores)}  # the best is first
    worse: dict[str, set[str]] = {}
    for test in tests_of(results, scores[0]):
        if is_significant(test, results) and {test.system, test.other} <= set(places):
            winner, loser = sorted((test.system, test.other), key=places.__getitem__)
            worse.setdefault(winner, set()).add(loser)
    between = "" if len(names) <= len(ascii_letters) else " "
    letters = list(zip(names, _letters(len(names)), strict=True))
    return {name: between.join(letter for other, letter in letters if other in own) for name, own in worse.items()}


def _letters(count: int) -> list[str]:
    """Return a letter for each of so many systems, or numbers where there are more systems than letters."""
    return list(ascii_letters[:count]) if count <= len(ascii_letters) else [str(n) for n in range(1, count + 1)]


def _settings(results: Results, mark: str = "*") -> list[str]:
    if not results.statistics or "resamples" not in results.statistics:
        return []
    line = settings_line(results.statistics, mark)
    return [f"{line[:1].upper()}{line[1:]}; intervals at {level_name(results)}."]


def _signatures(own: Sequence[Group]) -> list[str]:
    """Return the signatures of metrics, each with the one that the field's own tool gives it."""
    return list(dict.fromkeys(text for group in own for text in (group.metric, group.scores[0].peer_signature) if text))


def _human(material: Material) -> Iterator[Sheet]:
    human = material.results.human or {}
    signatures = list(dict.fromkeys(item["metric"] for item in human["correlations"]))
    parts = {
        "people": ("agreement with people: systems", correlation_table(human), (0, 1)),
        "people-sentences": ("agreement with people: pairs of outputs", sentence_table(human), (0,)),
        "people-statistics": ("agreement with people: statistics", statistic_table(human), (0, 1, 2)),
        "people-permutations": ("agreement with people: permutation tests", permutation_table(human), (0, 1, 2, 3)),
        "people-ranks": ("agreement with people: pairs of outputs by rank", rank_table(human), (0,)),
    }
    for name, (caption, (header, rows), names) in parts.items():
        if rows:
            cells = [[Cell(text) for text in row] for row in rows]
            note = f"Intervals: bootstrap, {human['settings'].get('resamples', '-')} samples."
            notes = [note] if name in ("people", "people-sentences") else []
            yield Sheet(
                name=name, caption=caption, header=header, rows=cells, names=names, notes=notes, signatures=signatures
            )


def _findings(results: Results, digits: int) -> Iterator[Sheet]:
    """Yield means, judgements, correlations of columns, agreement on sentences, and verdicts on what was expected."""
    for number, (title, (header, rows), left) in enumerate(finding_tables(results, digits), 1):
        yield Sheet(
            name=f"findings-{number}",
            caption=title,
            header=header,
            rows=[[Cell(text) for text in row] for row in rows],
            names=left,
        )
    if results.expectations:
        header, rows = expectation_table(results.expectations)
        missed = [f"missed: {line}" for line in misses(results.expectations)]
        cells = [[Cell(text) for text in row] for row in rows]
        yield Sheet(
            name="expected", caption="expected and found", header=header, rows=cells, names=(1, 4), items=missed
        )
