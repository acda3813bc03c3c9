"""Several runs as one: which of their scores may stand on one leader board, and what a reader has to be warned of.

Scores stand on one board where the metric has the same settings, and source, references and gold are the same texts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...scoring.results import REFERENCES_ROW, ranks
from ...scoring.stored_runs import SHARED
from ..tables.labels import labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...scoring.results import DatasetInfo, Results, Score


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
    """Return the boards of some runs, and warnings: other settings, other texts, other versions, lines not counted."""
    named = labels(score.metric for run in runs for score in run.results.scores)
    variants: dict[str, list[tuple[DatasetInfo, list[str]]]] = {}
    boards: dict[tuple[str, int, str], Joined] = {}
    warnings: list[str] = []
    for run in runs:
        for dataset, info in run.results.datasets.items():
            number = _variant(variants.setdefault(dataset, []), info, run.name)
            for score in (one for one in run.results.scores if one.dataset == dataset):
                key = dataset, number, named[score.metric]
                board = boards.setdefault(key, Joined(dataset=dataset, label=named[score.metric], info=info))
                _add(board, run, score, info, warnings)
        warnings += [f"{run.name}: {missing}" for missing in run.results.missing]
    for dataset, own in variants.items():
        warnings += _other_texts(dataset, own)
    warnings += _other_settings(boards)
    for (dataset, number, _), board in boards.items():
        warnings += _other_versions(board)
        if len(variants[dataset]) > 1:
            board.dataset = f"{dataset} ({', '.join(variants[dataset][number][1])})"
    return [_ranked(board) for board in boards.values()], list(dict.fromkeys(warnings))


def _variant(variants: list[tuple[DatasetInfo, list[str]]], info: DatasetInfo, run: str) -> int:
    """Return the number of the variant of a data set that a run has, and note the run there."""
    for number, (known, names) in enumerate(variants):
        if not _differing(known, info):
            names.append(run)
            return number
    variants.append((info, [run]))
    return len(variants) - 1


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


def _other_texts(dataset: str, variants: Sequence[tuple[DatasetInfo, list[str]]]) -> list[str]:
    first, names = variants[0]
    return [
        f"{dataset}: {', '.join(_differing(first, info)[:3])} is not the same in {names[0]} and in {others[0]}: "
        "their scores cannot be compared, and stand on boards of their own"
        for info, others in variants[1:]
    ]


def _other_settings(boards: dict[tuple[str, int, str], Joined]) -> list[str]:
    """Return a warning for each metric that runs have with other settings on the same data set."""
    warnings = []
    for (dataset, number, label), board in boards.items():
        for (other_dataset, other_number, other_label), other in boards.items():
            same_name = label.partition(" (")[0] == other_label.partition(" (")[0]
            if (dataset, number) == (other_dataset, other_number) and same_name and label < other_label:
                runs = [sorted({run for names in one.runs.values() for run in names}) for one in (board, other)]
                if runs[0] != runs[1]:
                    ones, others = (", ".join(names) for names in runs)
                    warnings.append(
                        f"{dataset}: {label} ({ones}) and {other_label} ({others}) have other settings: "
                        f"{board.scores[0].metric} and {other.scores[0].metric} cannot be compared"
                    )
    return warnings


def _other_versions(board: Joined) -> list[str]:
    versions = dict.fromkeys(signature.rpartition("|v:")[2] for signature in board.signatures)
    if len(versions) < 2:
        return []
    return [f"{board.dataset}: {board.label} is of versions {' and '.join(versions)} of gec-pipeline"]


def _ranked(board: Joined) -> Joined:
    """Return a board with its scores ranked among each other, the best first."""
    numbers = ranks([score.score for score in board.scores])
    pairs = [replace(score, rank=rank) for score, rank in zip(board.scores, numbers, strict=True)]
    return replace(board, scores=sorted(pairs, key=lambda score: score.rank))
