"""Reads scores and their columns from run directories, joins two runs, and selects some scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..data import TEXTS, TextFile
from ..errors import CorpusError, InputError, StoreError, known_names
from ..execution import RunDirectory, StoredCounts, Task, folder_of, ids_file
from ..metrics import Declared, from_text, metrics_called
from ..metrics.base import StatisticsSpec
from .aggregation import POLICIES
from .metric_results import MetricResult
from .results import Results
from .rows import DatasetInfo, MetricRows, Score

if TYPE_CHECKING:
    from ..data import Corpus
    from ..data.config import StatisticsConfig
    from .resampling.samples import Progress, SampleCluster


class ScoredRun(NamedTuple):
    """Results with the columns that their scores are made of, of a run or of a call."""

    results: Results
    metric_results: Sequence[MetricResult]
    """The scores of each metric on each data set, with columns."""

    @classmethod
    def read(cls, run: str | Path, run2: str | Path | None = None) -> ScoredRun:
        """Return the results in a run directory, or what two of them have in common.

        Raises StoreError. Of two runs see load_two().
        """
        path = folder_of(run)
        if run2 is not None:
            return load_two(path, folder_of(run2))
        results = Results.read(path / "results.json")
        if RunDirectory(path, make=False).manifest.get("state") == "running":
            raise StoreError(
                f"{path}: the run was not finished, or still goes on; run its config again first"
            )
        scored_run = cls.of(path, results)
        for metric_result in scored_run.metric_results:
            for name, counts in metric_result.by_system.items():
                if not isinstance(counts, StoredCounts):
                    continue
                if not counts.path.exists():
                    raise StoreError(
                        f"{path}: the counts of {name} on {metric_result.dataset} are missing; "
                        "run its config again"
                    )
                counts.check_size()
        return scored_run

    @classmethod
    def of(cls, path: Path, results: Results) -> ScoredRun:
        """Return the results of a run with the columns in its directory.

        Counts are read when they are needed. Raises StoreError if a signature is of no metric.
        """
        ids = {}
        for name, info in results.datasets.items():
            if "ids" in info.digests:
                ids[name] = _ids(path, name, info.digests["ids"])
        metric_results = []
        for rows in results.by_metric():
            metric_result = _metric_result(path, results, rows)
            metric_results.append(
                replace(metric_result, ids=ids.get(rows.dataset))
            )
        return cls(results, metric_results)

    @classmethod
    def in_memory(
        cls,
        metric_results: Sequence[MetricResult],
        warnings: Iterable[str] = (),
    ) -> ScoredRun:
        """Return scores as a run has them, with what is known of their data sets without texts."""
        datasets: dict[str, DatasetInfo] = {}
        groups: dict[str, list[MetricResult]] = {}
        for metric_result in metric_results:
            groups.setdefault(metric_result.dataset, []).append(metric_result)
        for name, group in groups.items():
            views = {one.metric.spec.input: one.references for one in group}
            references = views.pop(TEXTS, group[0].references)
            datasets[name] = DatasetInfo(
                lines=group[0].lines,
                references=references,
                digests={},
                views=views,
                categories=group[0].categories,
            )
        results = Results(datasets=datasets, scores=[], warnings=list(warnings))
        return cls(results.with_rows(metric_results), metric_results)

    def only(self, selection: Selection) -> ScoredRun:
        """Return the run with some metrics and systems on some data sets.

        Raises StoreError if there are none.
        """
        metric_results = selection.of(self.metric_results)
        return ScoredRun(self.results.narrowed(metric_results), metric_results)

    def without_statistics(self) -> ScoredRun:
        """Return the run without earlier statistics and scores by type."""
        bare = []
        for metric_result in self.metric_results:
            scores = [
                replace(score, bootstrap=None) for score in metric_result.scores
            ]
            bare.append(
                replace(
                    metric_result,
                    scores=tuple(scores),
                    tests=(),
                    breakdown=(),
                    parts=(),
                )
            )
        return ScoredRun(self.results.with_rows(bare, means=None), bare)

    def with_statistics(
        self,
        settings: StatisticsConfig,
        progress: Progress | None = None,
        threads: int | None = None,
        cluster: SampleCluster | None = None,
    ) -> ScoredRun:
        """Return the run with intervals, rank ranges and comparisons.

        The threads share samples and trials. None: there are as many as processors. If memory does
        not hold the counts, the workers of a cluster share them.
        """
        # here, because most scores have no statistics
        from .resampling.significance import with_statistics

        results, metric_results = with_statistics(
            self.results,
            self.metric_results,
            settings,
            progress,
            threads,
            cluster,
        )
        return ScoredRun(results, metric_results)

    def used_counts(self, path: Path) -> set[str]:
        """Return the names of the files of counts in a run directory that the scores are made of."""
        files = set()
        for metric_result in self.metric_results:
            for counts in metric_result.columns:
                if isinstance(counts, StoredCounts):
                    files.add(counts.path.relative_to(path).as_posix())
        return files


def _ids(path: Path, dataset: str, digest: str) -> TextFile:
    """Return the ids of the lines of a data set in a run directory.

    Raises StoreError if they are damaged.
    """
    file = path / ids_file(dataset)
    try:
        ids = TextFile.open(file)
    except CorpusError as error:
        raise StoreError(f"{error}; run the config again") from None
    if ids.digest_like(digest) != digest:
        raise StoreError(f"{file}: is damaged; run the config again")
    return ids


def _metric_result(
    path: Path, results: Results, rows_of_metric: MetricRows
) -> MetricResult:
    dataset = rows_of_metric.dataset
    scores = rows_of_metric.scores
    info = results.datasets[dataset]
    try:
        metric = results.metric(rows_of_metric.signature)
    except InputError as error:
        file = path / "results.json"
        raise StoreError(
            f"{file}: is not the results file of a run ({error})"
        ) from None
    references = info.references_of(metric.spec)

    # The mean of the references comes last, and has no columns.
    rows = POLICIES[metric.policy].rows(references)
    if rows:
        scores = sorted(
            scores, key=lambda score: score.system == Score.REFERENCES
        )
    names = [score.system for score in scores]
    if rows and names[-1] == Score.REFERENCES:
        del names[-1]

    def counts_of(spec: StatisticsSpec) -> tuple[StoredCounts, ...]:
        schema = spec.schema(references)
        lines = info.lines_of(spec)
        paths = [
            StoredCounts.path_in(path, dataset, name, spec.key)
            for name in names
        ]
        return tuple(StoredCounts(file, schema, lines) for file in paths)

    breakdown = tuple(rows_of_metric.breakdown)
    of_categories = metric.category_spec(info.categories) if breakdown else None
    parts = counts_of(of_categories) if of_categories else ()
    if not all(part.path.exists() for part in parts):
        parts = ()
    return MetricResult(
        metric=metric,
        dataset=dataset,
        signature=rows_of_metric.signature,
        lines=info.lines_of(metric.spec),
        references=references,
        scores=tuple(scores),
        columns=counts_of(metric.spec),
        reference_of_system=tuple(rows.get(name) for name in names),
        categories=info.categories,
        parts=parts,
        breakdown=breakdown,
        tests=tuple(rows_of_metric.tests),
        left_out=info.left_out.get(metric.spec.key, ()),
    )


@dataclass(frozen=True)
class EarlierResults:
    """The results in a run directory that is about to be used again."""

    directory: RunDirectory
    results: Results
    """They are empty if there are none, or they are unreadable."""

    @classmethod
    def read(cls, directory: RunDirectory) -> EarlierResults:
        """Read the results of a run directory."""
        try:
            results = Results.read(directory.path / "results.json")
        except StoreError:
            results = Results(datasets={}, scores=[])
        return cls(directory, results)

    def refuse_other_config(self, written: Mapping[str, Any]) -> None:
        """Raise StoreError if they are of another config than the one of a new run.json.

        A config that was moved, renamed or copied is the same: the earlier file is gone, or has the
        same content. Counts without results belong to no config: every config uses those that it
        needs, and leaves the others.
        """
        manifest = self.directory.manifest
        earlier = manifest.get("config")
        config = written.get("config")
        if not isinstance(earlier, str) or not isinstance(config, str):
            return
        if manifest.get("written") == written.get("written"):
            return
        if "results.json" not in manifest["files"]:
            return
        if Path(earlier).is_file() and not Path(earlier).samefile(config):
            raise StoreError(
                f"{self.directory.path}: has the results of another config, {earlier}, which this "
                "run would replace; name another folder with --output or `output.dir`, or delete "
                "them first with --fresh"
            )

    @property
    def has_old_digests(self) -> bool:
        """Whether they have digests of an earlier version."""
        return any(
            info.has_old_digests for info in self.results.datasets.values()
        )

    def scores_beside(self, tasks: Iterable[Task]) -> list[Score]:
        """Return the scores that are not of these tasks, whatever their version."""
        new = set()
        for task in tasks:
            metric = _unversioned(task.signature)
            for system in (*task.corpus.systems, Score.REFERENCES):
                new.add((task.corpus.name, system, metric))
        scores = []
        for score in self.results.scores:
            if (
                score.dataset,
                score.system,
                _unversioned(score.metric),
            ) not in new:
                scores.append(score)
        return scores

    def refuse_changed_texts(
        self, corpora: Iterable[Corpus], scores: int
    ) -> None:
        """Raise StoreError if a text has changed: new counts would not fit the scores that stay.

        `scores` is how many scores --only leaves out.
        """
        for corpus in corpora:
            info = self.results.datasets.get(corpus.name)
            if info is None:
                continue
            now = DatasetInfo.of(corpus, info.digests).digests
            changed = [
                name
                for name, digest in info.digests.items()
                if now.get(name, digest) != digest
            ]
            if changed:
                raise StoreError(
                    f"{self.directory.path}: {corpus.name}: {changed[0]} has changed since the "
                    f"results here, of which --only leaves out {scores:,} scores; run without --only, or name "
                    "another folder with --output"
                )


def _unversioned(signature: str) -> str:
    return signature.rpartition("|v:")[0]


def load_two(one: Path, two: Path) -> ScoredRun:
    """Return the scores that two runs have in common, with the systems of both.

    Data sets are the same if source and references are. Metrics are the same if all settings are.
    Systems with the same name are the same if their outputs are; otherwise both get the name of
    their run, as NAME@RUN. Raises StoreError if the runs have nothing in common, or if a data set
    of the same name has other texts.
    """
    first_run = _Run(one, *ScoredRun.read(one))
    second_run = _Run(two, *ScoredRun.read(two))
    datasets = dict(first_run.results.datasets)
    for name, info in second_run.results.datasets.items():
        if name in datasets:
            _check_data(name, first_run, second_run)
            digests = datasets[name].digests | info.digests
            datasets[name] = replace(datasets[name], digests=digests)
    first_label = one.resolve().name
    second_label = two.resolve().name
    if first_label == second_label:
        first_label = "1"
        second_label = "2"

    joined: list[MetricResult] = []
    refused: list[str] = []
    for metric_result in first_run.metric_results:
        partner = second_run.partner_of(metric_result)
        if partner is None:
            continue
        dataset = metric_result.dataset
        name = metric_result.metric.name
        declared = first_run.results.declared.get(name)
        reason = _difference(metric_result, partner, declared)
        if reason:
            refused.append(
                f"{dataset}: {name} is left out: {reason}; run all systems in one config"
            )
            continue
        same = _same_systems(first_run, second_run, dataset)
        joined.append(
            _joined(metric_result, partner, same, first_label, second_label)
        )

    if not joined and refused:
        raise StoreError("\n".join(refused))
    if not joined:
        raise StoreError(
            f"{one} and {two} have no metric on the same data set in common:"
            f"\n  1: {first_run.listing()}\n  2: {second_run.listing()}"
        )
    used = {metric_result.dataset for metric_result in joined}
    warnings = [
        *first_run.results.warnings,
        *second_run.results.warnings,
        *refused,
    ]
    results = Results(
        datasets={
            name: info for name, info in datasets.items() if name in used
        },
        scores=[],
        warnings=list(dict.fromkeys(warnings)),
        missing=[*first_run.results.missing, *second_run.results.missing],
        statistics=_joined_statistics(first_run.results, first_label, joined),
    )
    return ScoredRun(results.with_rows(joined), joined)


class _Run(NamedTuple):
    """A run directory with its scores."""

    path: Path
    results: Results
    metric_results: Sequence[MetricResult]

    def partner_of(self, other: MetricResult) -> MetricResult | None:
        """Return the scores by the same metric on the data set of the same name."""
        for metric_result in self.metric_results:
            same_dataset = metric_result.dataset == other.dataset
            if same_dataset and metric_result.metric == other.metric:
                return metric_result
        return None

    def listing(self) -> str:
        """Return the data sets and metrics of the run, for a message."""
        names = [
            f"{one.dataset} {one.signature}" for one in self.metric_results
        ]
        return ", ".join(dict.fromkeys(names))


def _joined_statistics(
    results: Results, label: str, joined: Sequence[MetricResult]
) -> dict[str, Any] | None:
    """Return the settings of a run's statistics, with the name that its baseline has in both."""
    statistics = dict(results.statistics or {})
    names: set[str] = set()
    for metric_result in joined:
        names.update(metric_result.names)
    renamed = f"{statistics.get('baseline')}@{label}"
    if renamed in names and statistics["baseline"] not in names:
        statistics["baseline"] = renamed
    return statistics or None


def _check_data(name: str, one: _Run, two: _Run) -> None:
    """Raise StoreError unless source and references of a data set are the same in both runs."""
    first = one.results.datasets[name]
    second = two.results.datasets[name]
    if (first.lines, first.references) != (second.lines, second.references):
        sizes = [
            f"{info.lines:,} lines and {info.references} references"
            for info in (first, second)
        ]
        raise StoreError(
            f"{name}: is another data set in {two.path} ({sizes[1]}) than in {one.path} ({sizes[0]})"
        )
    differing = first.differing_texts(second)
    if not differing:
        return
    for run in (one, two):
        infos = run.results.datasets.values()
        if any(info.has_old_digests for info in infos):
            raise StoreError(
                f"{run.path}: is of an earlier version, whose digests of texts are others; "
                "run its config again"
            )
    raise StoreError(
        f"{name}: {differing[0]} is not the same text in {one.path} and in {two.path}"
    )


def _difference(
    one: MetricResult, two: MetricResult, declared: Declared | None
) -> str:
    """Return why numbers of two runs cannot be compared although the metric is the same.

    The text is empty if they can.
    """
    in_one_run = sorted(set(one.names) ^ set(two.names))
    if declared and declared.listwise and in_one_run:
        names = ", ".join(in_one_run)
        return f"its numbers depend on all systems of a run, and {names} is in one run alone"
    lines = set(one.left_out) ^ set(two.left_out)
    if lines:
        return f"the runs leave out other lines, such as line {min(lines) + 1}"
    return ""


def _same_systems(one: _Run, two: _Run, dataset: str) -> set[str]:
    """Return the systems of which both runs have the same outputs."""
    digests = two.results.datasets[dataset].digests
    same = set()
    for role, digest in one.results.datasets[dataset].digests.items():
        is_output = role.startswith(DatasetInfo.SYSTEM)
        if is_output and digests.get(role) == digest:
            same.add(role.removeprefix(DatasetInfo.SYSTEM))
    return same


def _joined(
    one: MetricResult,
    two: MetricResult,
    same: set[str],
    first_label: str,
    second_label: str,
) -> MetricResult:
    """Return the scores of the systems of both runs, with new ranks among them.

    `same` are the systems with the same outputs in both. References are left out: one would come
    twice.
    """
    in_both = set(one.names) & set(two.names)
    rows: list[tuple[MetricResult, int]] = []
    names: list[str] = []
    for metric_result, label in ((one, first_label), (two, second_label)):
        for number, reference in enumerate(metric_result.reference_of_system):
            name = metric_result.names[number]
            is_repeated = metric_result is two and name in same
            if reference is not None or is_repeated:
                continue
            if name in in_both and name not in same:
                name = f"{name}@{label}"
            rows.append((metric_result, number))
            names.append(name)
    metric_result = MetricResult.of_rows(rows)
    scores = []
    for score, name in zip(metric_result.scores, names, strict=True):
        scores.append(replace(score, system=name, metric=one.signature))
    joined = replace(
        metric_result, scores=tuple(scores), breakdown=(), tests=(), parts=()
    )
    return joined.reranked()


# --- parts of a run: metrics, data sets and systems, by names or by patterns such as `A*`


@dataclass(frozen=True)
class Selection:
    """The parts of a run that a command names. An empty part stands for all."""

    metrics: Sequence[str] = ()
    """Names of metrics, signatures, or patterns of these."""
    datasets: Sequence[str] = ()
    systems: Sequence[str] = ()

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return bool(self.metrics or self.datasets or self.systems)

    def of(self, scored: Sequence[MetricResult]) -> list[MetricResult]:
        """Return the scores of these metrics and systems on these data sets.

        Raises StoreError if there are none.
        """
        if not scored:
            raise StoreError(
                "the run has no scores: its config has no data sets, systems and metrics"
            )
        chosen = list(scored)
        if self.metrics:
            ids: set[int] = set()
            for text in self.metrics:
                ids.update(map(id, _by_metric(scored, text)))
            chosen = [one for one in chosen if id(one) in ids]
        if self.datasets:
            names = [one.dataset for one in chosen]
            datasets = self.names_like("--dataset", self.datasets, names)
            chosen = [one for one in chosen if one.dataset in datasets]
        if self.systems:
            names = []
            for one in chosen:
                names += one.names
            systems = set(self.names_like("--system", self.systems, names))
            chosen = [
                one.only(systems) for one in chosen if systems & set(one.names)
            ]
        return chosen

    @staticmethod
    def names_like(
        flag: str, patterns: Iterable[str], names: Iterable[str]
    ) -> list[str]:
        """Return the names that match each pattern, in the order of the patterns.

        These are the name itself, or all that match it; if there are none, upper and lower case do
        not matter. Raises StoreError for a pattern that matches no name.
        """
        known = list(dict.fromkeys(names))
        chosen = []
        for pattern in patterns:
            folded = pattern.casefold()
            matching = [name for name in known if name == pattern]
            if not matching:
                matching = [
                    name for name in known if fnmatchcase(name, pattern)
                ]
            if not matching:
                matching = [
                    name
                    for name in known
                    if fnmatchcase(name.casefold(), folded)
                ]
            if not matching:
                raise StoreError(
                    f"{flag} {pattern}: there is no such one{known_names(pattern, known)}"
                )
            chosen += matching
        return chosen


def _by_metric(scored: Sequence[MetricResult], text: str) -> list[MetricResult]:
    """Return the scores by a metric, or by metrics that match a pattern; raises StoreError."""
    metrics = metrics_called(text, [one.metric for one in scored])
    chosen = []
    for one in scored:
        names = (one.metric.output, one.signature)
        is_named = any(
            name == text or fnmatchcase(name, text) for name in names
        )
        if is_named or one.metric in metrics:
            chosen.append(one)
    if not chosen:
        if "[" in text:
            from_text(text)  # raises the error that is in the text
        known = dict.fromkeys(one.metric.output for one in scored)
        raise StoreError(
            f"--metric {text}: there is no such one{known_names(text, known)}"
        )
    return chosen
