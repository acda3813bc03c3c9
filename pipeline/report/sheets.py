"""The tables of the reports in Markdown and LaTeX: ranked systems, systems by metrics, agreement with people."""

from __future__ import annotations

from dataclasses import dataclass, field
from string import ascii_letters
from typing import TYPE_CHECKING, NamedTuple

from .tables.comparisons import baseline_of, compared, is_significant, level_name, settings_line, tests_of
from .tables.digits import percent
from .tables.human import correlation_table, permutation_table, rank_table, sentence_table, statistic_table
from .tables.labels import best_of, groups, remarks, size
from .tables.ranked import ranked_table
from .tables.sections import finding_tables
from .tables.verdicts import expectation_table, misses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..scoring.results import Results, Score
    from .material import Material
    from .tables.labels import Group


BETTER, WORSE = "↑", "↓"
"""Marks of scores that are significantly better or worse than the baseline's."""
NONE = "-"
"""What is shown for a score that is no number."""


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

    For each data set these are a table of systems by metrics, if there are several metrics, and a ranked table for
    each metric. Agreement with people, the other sections of the results, and what was expected follow.
    """
    all_groups = groups(material.results)
    for dataset in material.results.datasets:
        own = [group for group in all_groups if group.dataset == dataset]
        if len(own) > 1:
            yield _overview(material.results, own, material.digits, beaten=material.beaten)
        for group in own:
            yield _ranked(material.results, group, material.digits, material.columns)
    if material.results.human and material.results.human.get("correlations"):
        yield from _human(material)
    yield from _findings(material.results, material.digits)


def _about(results: Results, dataset: str) -> str:
    return f"{dataset}: {size(results.datasets[dataset])}"


def _ranked(results: Results, group: Group, digits: int, columns: Sequence[str]) -> Sheet:
    header, rows = ranked_table(results, group.scores, digits, columns)
    best = best_of(group, digits)
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


def _overview(results: Results, own: Sequence[Group], digits: int, *, beaten: bool) -> Sheet:
    """Return a table of systems by metrics, with systems in the order of the first metric.

    If `beaten` is set, each system has a letter, and a score is marked with the letters of the systems that it beats.
    """
    names = list(dict.fromkeys(score.system for group in own for score in group.scores))
    columns = [_column(results, group, digits, names if beaten else ()) for group in own]
    before = [f"{letter} " for letter in _letters(len(names))] if beaten else [""] * len(names)
    rows = [
        [Cell(letter + name), *(column.get(name, Cell(NONE)) for column in columns)]
        for letter, name in zip(before, names, strict=True)
    ]
    notes = _missing(results, own[0].dataset)
    if any(cell.spread for row in rows for cell in row):
        boot = any(score.bootstrap for group in own for score in group.scores)
        over = "bootstrap samples of the sentences" if boot else "random draws of references"
        notes.append(f"±: standard deviation of the score over {over}.")
    baseline = baseline_of(results)
    if results.tests and beaten:
        notes.append("Raised letters name the systems that are significantly worse.")
    elif results.tests and baseline is None:
        notes.append("In a column, systems that share a letter do not differ significantly.")
    elif results.tests:
        notes.append(f"{BETTER} {WORSE}: significantly better or worse than {baseline}.")
    header = ["system", *(group.label for group in own)]
    caption = f"{_about(results, own[0].dataset)}; in percent, the best of each metric in bold"
    notes += _settings(results, f"{BETTER} {WORSE}" if baseline is not None else "significant")
    return Sheet(
        name=own[0].dataset,
        caption=caption,
        header=header,
        rows=rows,
        names=(0,),
        notes=notes,
        signatures=_signatures(own),
    )


def _column(results: Results, group: Group, digits: int, lettered: Sequence[str]) -> dict[str, Cell]:
    """Return the cells of a metric by system; `lettered` are the systems that have letters as marks."""
    best = best_of(group, digits)
    marks = _beaten(results, group.scores, lettered) if lettered else _marks(results, group.scores)
    cells = {}
    for score in group.scores:
        spread = score.bootstrap.std if score.bootstrap else score.samples.std if score.samples else None
        shown = "" if spread is None else percent(spread, digits)
        text = percent(score.score, digits)
        cells[score.system] = Cell(text, score.system in best, shown, marks.get(score.system, ""))
    return cells


def _marks(results: Results, scores: Sequence[Score]) -> dict[str, str]:
    """Return the mark of each system: whether it is better or worse than the baseline, or the letters of its groups."""
    baseline = baseline_of(results)
    if baseline is not None:
        places = {score.system: place for place, score in enumerate(scores)}  # the best is first
        different = [test.system for test in tests_of(results, scores[0]) if is_significant(test, results)]
        return {name: BETTER if places[name] < places[baseline] else WORSE for name in different if name in places}
    titles, cells = compared(results, scores, 2)
    return {score.system: cell[0] for score, cell in zip(scores, cells, strict=True)} if titles else {}


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
