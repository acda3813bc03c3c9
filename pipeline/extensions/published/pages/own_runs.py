"""Several runs as one, for a page of the leader boards of one's own runs.

Scores stand on one board where the metric has the same settings, and source, references and gold
are the same texts."""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.extensions.page.page import render
from pipeline.extensions.page.shell import Link, PageTable
from pipeline.report import NamedRun, ReportContext, SeveralRunsFormat
from pipeline.report.tables import labels, shown_role
from pipeline.scoring import DatasetInfo, Results, Score


class Joined:
    """Several runs as one."""

    def __init__(self, runs: Sequence[NamedRun]) -> None:
        """Join the runs. Warnings report other texts, versions and intervals, and include those of
        the runs.
        """
        self.runs: dict[tuple[str, str], list[str]] = {}
        """The runs that have a system, by the names of data set and system."""
        self.results = Results(datasets={}, scores=[])
        signatures = []
        for run in runs:
            signatures += [score.metric for score in run.results.scores]
        self._labels = labels(signatures)
        self._boards: dict[tuple[str, str], list[Score]] = {}
        """The scores by data set and metric."""
        for run in runs:
            self.results.declared.update(run.results.declared)
            for dataset, info in run.results.datasets.items():
                self._add(run, dataset, info)
        for (dataset, label), scores in self._boards.items():
            self._rank(dataset, label, scores)
        settings = []
        for run in runs:
            if run.results.statistics:
                settings.append(run.results.statistics)
        if any(other != settings[0] for other in settings):
            self._warn(
                "runs have intervals with other settings than those that are named, "
                "which are of the first one"
            )
        for run in runs:
            for text in (*run.results.missing, *run.results.warnings):
                self._warn(f"{run.name}: {text}")
        self.results = replace(
            self.results, statistics=settings[0] if settings else None
        )

    def _add(self, run: NamedRun, dataset: str, info: DatasetInfo) -> None:
        """Add the scores of a run on a data set to the boards, under the names that data set and
        systems have there.

        A system that is on a board already keeps its score; another number is a warning."""
        board_dataset = self._dataset(run.name, dataset, info)
        scores = [
            score for score in run.results.scores if score.dataset == dataset
        ]
        # The names on the boards by those in the run.
        systems: dict[str, str] = {}
        for system in dict.fromkeys(score.system for score in scores):
            systems[system] = self._system(
                run.name, board_dataset, system, info
            )
        for score in scores:
            system = systems[score.system]
            label = self._labels[score.metric]
            board = self._boards.setdefault((board_dataset, label), [])
            present = [other for other in board if other.system == system]
            if not present:
                board.append(
                    replace(score, dataset=board_dataset, system=system)
                )
            elif present[0].score != score.score:
                self._warn(
                    f"{board_dataset}: {label} of {system} is another number in {run.name}"
                )

    def _rank(self, dataset: str, label: str, scores: Sequence[Score]) -> None:
        """Add the scores of a board, that of a data set and the metric of a label, to the results
        with their ranks. Several versions of the program in the signatures are a warning.
        """
        versions = {score.metric.rpartition("|v:")[2]: None for score in scores}
        if len(versions) > 1:
            listed = " and ".join(versions)
            self._warn(
                f"{dataset}: {label} is of versions {listed} of gec-pipeline"
            )
        # a board has one signature, that of its first score
        signature = scores[0].metric
        for score in Score.ranked(scores):
            self.results.scores.append(replace(score, metric=signature))

    def _warn(self, text: str) -> None:
        if text not in self.results.warnings:
            self.results.warnings.append(text)

    def _dataset(self, run: str, dataset: str, info: DatasetInfo) -> str:
        """Return the name of a run's data set on the boards, and add it to the results if it is
        new: DATASET, or DATASET (RUN), with a warning, if another run's has other texts.
        """
        same_name = False
        for name, other in self.results.datasets.items():
            if name == dataset or name.startswith(f"{dataset} ("):
                if not _differing(other, info):
                    return name
                same_name = True
        name = dataset
        if same_name:
            name = f"{dataset} ({run})"
            differing = _differing(self.results.datasets[dataset], info)
            texts = ", ".join(map(shown_role, differing[:3]))
            self._warn(
                f"{dataset}: {texts} is not the same in {run} as before: its scores cannot "
                "be compared with those, and stand on boards of their own"
            )
        digests = {}
        for role, digest in info.digests.items():
            if not role.startswith("system "):
                digests[role] = digest
        self.results.datasets[name] = replace(info, digests=digests)
        return name

    def _system(
        self, run: str, dataset: str, system: str, info: DatasetInfo
    ) -> str:
        """Return the name of a run's system on the boards of a data set: SYSTEM, or SYSTEM@RUN, with
        a warning, if another run's output of that name is another or unknown text.
        """
        digests = self.results.datasets[dataset].digests
        role = f"system {system}"
        digest = info.digests.get(role, "")
        name = system
        if (dataset, system) in self.runs and system != Score.REFERENCES:
            is_same = digest != "" and digests[role] == digest
            if not is_same:
                name = f"{system}@{run}"
                self._warn(
                    f"{dataset}: {system} is another text in {run}, and is called {name}"
                )
        digests[f"system {name}"] = digest
        self.runs.setdefault((dataset, name), []).append(run)
        return name


def _differing(one: DatasetInfo, two: DatasetInfo) -> list[str]:
    """Return in what two data sets differ, but for their systems."""
    for name in ("lines", "references", "views"):
        if getattr(one, name) != getattr(two, name):
            return ["number of lines or references"]
    return one.differing_texts(two)


def board_page(runs: Sequence[NamedRun], digits: int) -> str:
    """Return an HTML page of several runs as one, with tables of the runs and their systems; scores
    have so many decimals. Needs jinja2.
    """
    joined = Joined(runs)
    run_rows: list[list[str | Link]] = []
    for run in runs:
        results = run.results
        counts = [
            len(results.datasets),
            len(results.scores),
            len(results.warnings),
        ]
        explorer = Link("explorer", run.href) if run.href else "-"
        run_rows.append([run.name, *map(str, counts), explorer])
    system_rows: list[list[str | Link]] = []
    for (dataset, system), run_names in joined.runs.items():
        system_rows.append([dataset, system, ", ".join(run_names)])
    tables = {
        "Runs": PageTable(
            ["run", "data sets", "scores", "warnings", "sentences"],
            run_rows,
            left=(0, 4),
        ),
        "Systems": PageTable(
            ["data set", "system", "runs"],
            system_rows,
            left=(0, 1, 2),
        ),
    }
    context = ReportContext(results=joined.results, digits=digits)
    return render(
        context, None, title="Leader boards", findings=tables, unread=False
    )


BOARD = SeveralRunsFormat(
    about="a page with leader boards of several runs",
    page=board_page,
    file="board.html",
    package="jinja2",
    extra="report",
)
