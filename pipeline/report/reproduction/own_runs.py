"""Leader boards of one's own runs as a page: systems by data sets and metrics, and a board for each of these.

Scores stand on one board where the metric has the same settings, and source, references and gold are the same texts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...metrics.names import goodness
from ...scoring.results import REFERENCES_ROW, ranks
from ...scoring.stored_runs import SHARED
from ..html.shell import Design, Link, PageTable, Row, render
from ..html.svg import interval_axis, interval_bar, interval_scale
from ..tables import percent
from ..tables.comparisons import shown_interval
from ..tables.ranked import labels, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.results import DatasetInfo, Results, Score


NAME = "board.html"
DESIGN = Design(
    "leader_boards.html",
    ("page.css", "print.css", "reproductions.css"),
    ("base.js", "boxes.js", "copying.js"),
    "pipeline.report.reproduction",
)


@dataclass(frozen=True)
class NamedRun:
    """A run, and what the page calls it."""

    name: str
    results: Results
    href: str = ""
    """The address of its explorer, or an empty text."""


@dataclass(kw_only=True)
class Joined:
    """The scores of several runs that may be compared."""

    dataset: str
    label: str
    """A short name of the metric."""
    info: DatasetInfo
    """The data set of the first run that is on the board."""
    scores: list[Score] = field(default_factory=list)
    """Ranked among each other, the best first."""
    runs: dict[str, list[str]] = field(default_factory=dict)
    """The runs that have the score of a system, by the name of the system."""
    texts: dict[str, str | None] = field(default_factory=dict)
    """The digest of each system's output, by the name of the system; None where a run does not tell it."""

    @property
    def signatures(self) -> list[str]:
        """The signatures of the scores, each once. They differ in the version alone."""
        return list(dict.fromkeys(score.metric for score in self.scores))


def join(runs: Sequence[NamedRun]) -> tuple[list[Joined], list[str]]:
    """Return the boards of some runs, and warnings: other texts, other versions, lines not counted."""
    named = labels(score.metric for run in runs for score in run.results.scores)
    variants: dict[str, list[tuple[DatasetInfo, list[str]]]] = {}
    boards: dict[tuple[str, int, str], Joined] = {}
    warnings: list[str] = []
    for run in runs:
        for dataset, info in run.results.datasets.items():
            known = variants.setdefault(dataset, [])
            number = next((n for n, (other, _) in enumerate(known) if not _differing(other, info)), len(known))
            if number == len(known):
                known.append((info, []))
            known[number][1].append(run.name)
            for score in (one for one in run.results.scores if one.dataset == dataset):
                key = dataset, number, named[score.metric]
                board = boards.setdefault(key, Joined(dataset=dataset, label=named[score.metric], info=info))
                _add(board, run, score, info, warnings)
        warnings += [f"{run.name}: {missing}" for missing in run.results.missing]
    for dataset, ((first, names), *others) in variants.items():
        warnings += [
            f"{dataset}: {', '.join(_differing(first, info)[:3])} is not the same in {names[0]} and in {own[0]}: "
            "their scores cannot be compared, and stand on boards of their own"
            for info, own in others
        ]
    for (dataset, number, _), board in boards.items():
        versions = dict.fromkeys(signature.rpartition("|v:")[2] for signature in board.signatures)
        if len(versions) > 1:
            warnings.append(f"{board.dataset}: {board.label} is of versions {' and '.join(versions)} of gec-pipeline")
        if len(variants[dataset]) > 1:
            board.dataset = f"{dataset} ({', '.join(variants[dataset][number][1])})"
        numbers = ranks([goodness(score.metric, score.score) for score in board.scores])
        ranked = [replace(score, rank=rank) for score, rank in zip(board.scores, numbers, strict=True)]
        board.scores = sorted(ranked, key=lambda score: score.rank)
    return list(boards.values()), list(dict.fromkeys(warnings))


def _differing(one: DatasetInfo, two: DatasetInfo) -> list[str]:
    """Return the names of the texts, shared by all systems, that are not the same in two data sets."""
    if (one.lines, one.references, one.views) != (two.lines, two.references, two.views):
        return ["number of lines or references"]
    shared = [key for key in one.digests if key == "source" or key.startswith(SHARED)]
    return [key for key in shared if key in two.digests and one.digests[key] != two.digests[key]]


def _add(board: Joined, run: NamedRun, score: Score, info: DatasetInfo, warnings: list[str]) -> None:
    """Put a score on a board. A system that is the same in two runs comes once, another of its name as NAME@RUN."""
    name, digest = score.system, info.digests.get(f"system {score.system}")
    twin = next((one for one in board.scores if one.system == name), None)
    if twin is not None and board.texts[name] == digest and (digest or name == REFERENCES_ROW):
        board.runs[name].append(run.name)
        if twin.bootstrap is None and score.bootstrap is not None:
            board.scores[board.scores.index(twin)] = score
        if twin.score != score.score:
            warnings.append(f"{board.dataset}: {board.label} of {name} is another number in {run.name}")
        return
    if twin is not None:
        name = f"{name}@{run.name}"
        warnings.append(f"{board.dataset}: {score.system} is another text in {run.name}, and is called {name}")
    board.scores.append(replace(score, system=name))
    board.runs[name], board.texts[name] = [run.name], digest


def board_page(runs: Sequence[NamedRun], digits: int) -> str:
    """Return the page of the leader boards of some runs. Needs jinja2."""
    boards, warnings = join(runs)
    warnings += [f"{run.name}: {text}" for run in runs for text in run.results.warnings]
    told = []
    for run in runs:
        counts = [str(len(part)) for part in (run.results.datasets, run.results.scores, run.results.warnings)]
        told.append([run.name, *counts, Link("explorer", run.href) if run.href else "-"])
    content = {
        "title": "Leader boards",
        "boards": [_board(board, number, digits) for number, board in enumerate(boards, 1)],
        "overview": _overview(boards, digits),
        "warnings": list(dict.fromkeys(warnings)),
        "runs": PageTable(["run", "data sets", "scores", "warnings", "sentences"], told, left=(0, 4)),
    }
    return render(DESIGN, content)


def _board(board: Joined, number: int, digits: int) -> dict[str, Any]:
    """Return a board for the template. Its name is that of its element, for links."""
    where = interval_scale(board.scores)
    sampled = any(score.bootstrap for score in board.scores)
    best = percent(board.scores[0].score, digits, board.scores[0].metric)
    rows = []
    for score in board.scores:
        shown = percent(score.score, digits, score.metric)
        boot = score.bootstrap
        interval = shown_interval(boot.interval, digits, score.metric) if boot else "-"
        cells = [*([interval] if sampled else []), ", ".join(board.runs[score.system])]
        rows.append(Row(str(score.rank), score.system, shown, interval_bar(score, where), cells, shown == best != "-"))
    return {
        "name": f"board-{number}",
        "label": board.label,
        "dataset": board.dataset,
        "facts": size(board.info),
        "output": next(iter(board.scores[0].outputs), board.label),
        "axis": interval_axis(where),
        "titles": [*(["interval"] if sampled else []), "run"],
        "rows": rows,
        "signatures": board.signatures,
    }


def _overview(boards: Sequence[Joined], digits: int) -> PageTable:
    """Return a row for each system, with its score on each board; * stands behind the best."""
    cells: dict[str, dict[int, str]] = {}
    for number, board in enumerate(boards):
        best = percent(board.scores[0].score, digits, board.scores[0].metric)
        for score in board.scores:
            shown = percent(score.score, digits, score.metric)
            cells.setdefault(score.system, {})[number] = f"{shown} *" if shown == best != "-" else shown
    header = ["system", *(f"{board.label} on {board.dataset}" for board in boards)]
    return PageTable(header, [[name, *(own.get(n, "-") for n in range(len(boards)))] for name, own in cells.items()])
