"""Several runs as one, for a page of the leader boards of one's own runs.

Scores stand on one board where the metric has the same settings, and source, references and gold
are the same texts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pipeline.extensions.page.page import render
from pipeline.extensions.page.shell import Link, PageTable
from pipeline.metrics.names import goodness
from pipeline.report.context import ReportContext
from pipeline.report.tables import shown_role
from pipeline.report.tables.ranked import labels
from pipeline.scoring.results import REFERENCES_ROW, DatasetInfo, Results, Score, ranks
from pipeline.scoring.stored_runs import differing_texts

NAME = "board.html"


class NamedRun(NamedTuple):
    """A run, and what the page calls it."""

    name: str
    results: Results
    href: str = ""
    """The address of its explorer, or an empty text."""


class Joined:
    """Several runs as one."""

    def __init__(self, runs: Sequence[NamedRun]) -> None:
        """Join them. Warnings tell other texts, versions and intervals, and what the runs
        themselves warn of.
        """
        self.runs: dict[tuple[str, str], list[str]] = {}
        """The runs that have a system, by the names of data set and system."""
        self.results = Results(datasets={}, scores=[])
        named = labels(score.metric for run in runs for score in run.results.scores)
        boards: dict[tuple[str, str], list[Score]] = {}
        for run in runs:
            self.results.declared.update(run.results.declared)
            for dataset, info in run.results.datasets.items():
                place = self._place(run.name, dataset, info)
                scores = [score for score in run.results.scores if score.dataset == dataset]
                systems = dict.fromkeys(one.system for one in scores)
                names = {name: self._system(run.name, place, name, info) for name in systems}
                for score in scores:
                    own = boards.setdefault((place, named[score.metric]), [])
                    name = names[score.system]
                    twin = next((one for one in own if one.system == name), None)
                    if twin is None:
                        own.append(replace(score, dataset=place, system=name))
                    elif twin.score != score.score:
                        self._warn(
                            f"{place}: {named[score.metric]} of {name} is another number in {run.name}"
                        )
        for (place, label), scores in boards.items():
            versions = dict.fromkeys(score.metric.rpartition("|v:")[2] for score in scores)
            if len(versions) > 1:
                self._warn(
                    f"{place}: {label} is of versions {' and '.join(versions)} of gec-pipeline"
                )
            rows = zip(
                scores,
                ranks([goodness(score.metric, score.score) for score in scores]),
                strict=True,
            )
            # a board has one signature, that of its first score
            self.results.scores.extend(
                replace(score, rank=rank, metric=scores[0].metric) for score, rank in rows
            )
        asked = [run.results.statistics for run in runs if run.results.statistics]
        if any(one != asked[0] for one in asked):
            self._warn(
                "runs have intervals with other settings than those that are named, which are of the first one"
            )
        for run in runs:
            for text in (*run.results.missing, *run.results.warnings):
                self._warn(f"{run.name}: {text}")
        self.results = replace(self.results, statistics=asked[0] if asked else None)

    def _warn(self, text: str) -> None:
        if text not in self.results.warnings:
            self.results.warnings.append(text)

    def _place(self, run: str, dataset: str, info: DatasetInfo) -> str:
        """Return what a data set of a run is called: as it is, or DATASET (RUN) where it has other
        texts.
        """
        known = [
            name
            for name in self.results.datasets
            if name == dataset or name.startswith(f"{dataset} (")
        ]
        differing = {name: _differing(self.results.datasets[name], info) for name in known}
        place = next(
            (name for name in known if not differing[name]),
            f"{dataset} ({run})" if known else dataset,
        )
        if place in known:
            return place
        shared = {
            role: digest for role, digest in info.digests.items() if not role.startswith("system ")
        }
        self.results.datasets[place] = replace(info, digests=shared)
        if known:
            texts = ", ".join(map(shown_role, differing[dataset][:3]))
            self._warn(
                f"{dataset}: {texts} is not the same in {run} as before: its scores cannot "
                "be compared with those, and stand on boards of their own"
            )
        return place

    def _system(self, run: str, place: str, system: str, info: DatasetInfo) -> str:
        """Return what a system of a run is called: as it is, or SYSTEM@RUN where it is another
        text.
        """
        known, role = self.results.datasets[place].digests, f"system {system}"
        digest, name = info.digests.get(role, ""), system
        if (
            (place, system) in self.runs
            and system != REFERENCES_ROW
            and not known[role] == digest != ""
        ):
            name = f"{system}@{run}"
            self._warn(f"{place}: {system} is another text in {run}, and is called {name}")
        known[f"system {name}"] = digest
        self.runs.setdefault((place, name), []).append(run)
        return name


def _differing(one: DatasetInfo, two: DatasetInfo) -> list[str]:
    """Return in what two data sets differ, but for their systems."""
    if (one.lines, one.references, one.views) != (two.lines, two.references, two.views):
        return ["number of lines or references"]
    return differing_texts(one, two)


def board_page(runs: Sequence[NamedRun], digits: int) -> str:
    """Return the page of some runs as one, with tables of the runs and their systems. StatisticsSpec jinja2."""
    joined, told = Joined(runs), []
    for run in runs:
        counts = [
            str(len(part))
            for part in (run.results.datasets, run.results.scores, run.results.warnings)
        ]
        told.append([run.name, *counts, Link("explorer", run.href) if run.href else "-"])
    systems = [[place, system, ", ".join(names)] for (place, system), names in joined.runs.items()]
    tables = {
        "Runs": PageTable(
            ["run", "data sets", "scores", "warnings", "sentences"], told, left=(0, 4)
        ),
        "Systems": PageTable(["data set", "system", "runs"], systems, left=(0, 1, 2)),
    }
    context = ReportContext(results=joined.results, digits=digits)
    return render(context, None, title="Leader boards", findings=tables, unread=False)
