"""Reads scores and their columns from run directories, joins two runs, and selects some scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..data import TextFile
from ..errors import CorpusError, InputError, StoreError, known_names
from ..execution import RunDirectory, StoredCounts, Task, folder_of, ids_file
from ..metrics import Declared, from_text, metrics_called
from ..metrics.base import StatisticsSpec
from .aggregation import POLICIES
from .metric_results import MetricResult, describe, picked, rows_of, with_means
from .results import (
    REFERENCES_ROW,
    UNTYPED_SECTIONS,
    Breakdown,
    Comparison,
    DatasetInfo,
    Results,
    Score,
    grouped,
)

if TYPE_CHECKING:
    from ..data import Corpus


def load_runs(
    run: str | Path, run2: str | Path | None = None
) -> tuple[Results, list[MetricResult]]:
    """Return what load() reads from a run directory, or load_two() from two."""
    folder = folder_of(run)
    return load(folder) if run2 is None else load_two(folder, folder_of(run2))


def load(path: Path) -> tuple[Results, list[MetricResult]]:
    """Return the results of a run, and its scores with their columns; raises StoreError."""
    results = Results.read(path / "results.json")
    if RunDirectory(path, make=False).manifest.get("state") == "running":
        raise StoreError(
            f"{path}: the run was not finished, or still goes on; run its config again first"
        )
    metric_results = metric_results_of(path, results)
    for metric_result in metric_results:
        of_systems = zip(
            metric_result.names, metric_result.columns, strict=False
        )
        for name, counts in of_systems:
            if not isinstance(counts, StoredCounts):
                continue
            if not counts.path.exists():
                raise StoreError(
                    f"{path}: the counts of {name} on {metric_result.dataset} are missing; "
                    "run its config again"
                )
            counts.check_size()
    return results, metric_results


def metric_results_of(path: Path, results: Results) -> list[MetricResult]:
    """Return the scores of each metric and data set with their columns, from the results of a run.

    Counts are read when they are needed. Raises StoreError if a signature is of no metric.
    """
    breakdown = grouped(results.breakdown)
    tests = grouped(results.tests)
    ids = {}
    for name, info in results.datasets.items():
        if "ids" in info.digests:
            ids[name] = _ids(path, name, info.digests["ids"])
    metric_results = []
    for key, scores in grouped(results.scores).items():
        metric_result = _metric_result(
            path, results, scores, breakdown.get(key, ()), tests.get(key, ())
        )
        metric_results.append(
            replace(metric_result, ids=ids.get(metric_result.dataset))
        )
    return metric_results


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
    path: Path,
    results: Results,
    scores: Sequence[Score],
    breakdown: Sequence[Breakdown],
    tests: Sequence[Comparison],
) -> MetricResult:
    dataset = scores[0].dataset
    signature = scores[0].metric
    info = results.datasets[dataset]
    try:
        metric = results.metric(signature)
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
            scores, key=lambda score: score.system == REFERENCES_ROW
        )
    names = [score.system for score in scores]
    if rows and names[-1] == REFERENCES_ROW:
        del names[-1]

    def counts_of(spec: StatisticsSpec) -> tuple[StoredCounts, ...]:
        schema = spec.schema(references)
        lines = info.lines_of(spec)
        paths = [
            StoredCounts.path_in(path, dataset, name, spec.key)
            for name in names
        ]
        return tuple(StoredCounts(file, schema, lines) for file in paths)

    of_categories = metric.category_spec(info.categories) if breakdown else None
    parts = counts_of(of_categories) if of_categories else ()
    if not all(part.path.exists() for part in parts):
        parts = ()
    return MetricResult(
        metric=metric,
        dataset=dataset,
        signature=signature,
        lines=info.lines_of(metric.spec),
        references=references,
        scores=tuple(scores),
        columns=counts_of(metric.spec),
        reference_of_system=tuple(rows.get(name) for name in names),
        categories=info.categories,
        parts=parts,
        breakdown=tuple(breakdown),
        tests=tuple(tests),
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
        return has_old_digests(self.results)

    def scores_beside(self, tasks: Iterable[Task]) -> list[Score]:
        """Return the scores that are not of these tasks, whatever their version."""
        new = set()
        for task in tasks:
            metric = _unversioned(task.signature)
            for system in (*task.corpus.systems, REFERENCES_ROW):
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
            changed = changed_texts(corpus, info) if info else []
            if changed:
                raise StoreError(
                    f"{self.directory.path}: {corpus.name}: {changed[0]} has changed since the "
                    f"results here, of which --only leaves out {scores:,} scores; run without --only, or name "
                    "another folder with --output"
                )


def changed_texts(corpus: Corpus, info: DatasetInfo) -> list[str]:
    """Return the names of the texts that a data set still has, but with another content."""
    now = describe(corpus, info.digests).digests
    return [
        name
        for name, digest in info.digests.items()
        if now.get(name, digest) != digest
    ]


def has_old_digests(results: Results) -> bool:
    """Return whether results have digests of an earlier version."""
    for info in results.datasets.values():
        if not all(
            digest.startswith(TextFile.DIGEST_PREFIX)
            for digest in info.digests.values()
        ):
            return True
    return False


def used_counts(path: Path) -> set[str]:
    """Return the names of the files of counts that the results in a run directory are made of.

    Raises StoreError.
    """
    files = set()
    _, metric_results = load(path)
    for metric_result in metric_results:
        for counts in metric_result.columns:
            if isinstance(counts, StoredCounts):
                files.add(counts.path.relative_to(path).as_posix())
    return files


def _unversioned(signature: str) -> str:
    return signature.rpartition("|v:")[0]


def load_two(one: Path, two: Path) -> tuple[Results, list[MetricResult]]:
    """Return the scores that two runs have in common, with the systems of both.

    Data sets are the same if source and references are. Metrics are the same if all settings are.
    Systems with the same name are the same if their outputs are; otherwise both get the name of
    their run, as NAME@RUN. Raises StoreError if the runs have nothing in common, or if a data set
    of the same name has other texts.
    """
    first_run = _Run(one, *load(one))
    second_run = _Run(two, *load(two))
    datasets = _common_datasets(first_run, second_run)
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
        warnings=list(dict.fromkeys(warnings)),
        missing=[*first_run.results.missing, *second_run.results.missing],
        statistics=_joined_statistics(first_run.results, first_label, joined),
        **rows_of(joined),
    )
    return results, joined


class _Run(NamedTuple):
    """A run directory with its scores."""

    path: Path
    results: Results
    metric_results: list[MetricResult]

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


def _common_datasets(one: _Run, two: _Run) -> dict[str, DatasetInfo]:
    """Return the data sets of both runs, with the digests of all systems.

    Raises StoreError if those of the same name are not the same.
    """
    datasets = dict(one.results.datasets)
    for name, info in one.results.datasets.items():
        if name in two.results.datasets:
            other = two.results.datasets[name]
            _check_data(name, one, two)
            datasets[name] = replace(info, digests=info.digests | other.digests)
    return datasets


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
    differing = differing_texts(first, second)
    if not differing:
        return
    for run in (one, two):
        if has_old_digests(run.results):
            raise StoreError(
                f"{run.path}: is of an earlier version, whose digests of texts are others; "
                "run its config again"
            )
    raise StoreError(
        f"{name}: {differing[0]} is not the same text in {one.path} and in {two.path}"
    )


def differing_texts(one: DatasetInfo, two: DatasetInfo) -> list[str]:
    """Return the names of the texts, shared by all systems, that differ between two data sets."""
    names = []
    for name, digest in one.digests.items():
        is_shared = name == "source" or name.startswith(SHARED)
        if is_shared and two.digests.get(name, digest) != digest:
            names.append(name)
    return names


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
        if role.startswith(SYSTEM) and digests.get(role) == digest:
            same.add(role.removeprefix(SYSTEM))
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
    metric_result = picked(rows)
    scores = []
    for score, name in zip(metric_result.scores, names, strict=True):
        scores.append(replace(score, system=name, metric=one.signature))
    joined = replace(
        metric_result, scores=tuple(scores), breakdown=(), tests=(), parts=()
    )
    return joined.reranked()


SYSTEM = "system "
"""The prefix of the names of outputs in digests."""
SHARED = ("reference ", "gold annotator ", "edits annotator ")
"""The prefixes of the names of texts that all systems share."""


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


def names_like(
    flag: str, patterns: Iterable[str], names: Iterable[str]
) -> list[str]:
    """Return the names that match each pattern, in the order of the patterns.

    These are the name itself, or all that match it; if there are none, upper and lower case do not
    matter. Raises StoreError for a pattern that matches no name.
    """
    known = list(dict.fromkeys(names))
    chosen = []
    for pattern in patterns:
        matching = [name for name in known if name == pattern]
        if not matching:
            matching = [name for name in known if fnmatchcase(name, pattern)]
        if not matching:
            folded = pattern.casefold()
            matching = [
                name for name in known if fnmatchcase(name.casefold(), folded)
            ]
        if not matching:
            raise StoreError(
                f"{flag} {pattern}: there is no such one{known_names(pattern, known)}"
            )
        chosen += matching
    return chosen


def only(
    scored: Sequence[MetricResult], selection: Selection
) -> list[MetricResult]:
    """Return the scores of these metrics and systems on these data sets.

    Raises StoreError if there are none.
    """
    if not scored:
        raise StoreError(
            "the run has no scores: its config has no data sets, systems and metrics"
        )
    chosen = list(scored)
    if selection.metrics:
        ids: set[int] = set()
        for text in selection.metrics:
            ids.update(map(id, _by_metric(scored, text)))
        chosen = [one for one in chosen if id(one) in ids]
    if selection.datasets:
        names = [one.dataset for one in chosen]
        datasets = set(names_like("--dataset", selection.datasets, names))
        chosen = [one for one in chosen if one.dataset in datasets]
    if selection.systems:
        names = []
        for one in chosen:
            names += one.names
        systems = set(names_like("--system", selection.systems, names))
        chosen = [
            one.only(systems) for one in chosen if systems & set(one.names)
        ]
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


def narrowed(
    results: Results, metric_results: Sequence[MetricResult]
) -> Results:
    """Return the results for these data sets, metrics and systems alone, with their statistics.

    Results of the run as a whole, such as correlations of columns and verdicts on expectations, are
    left out. So is agreement with human judgements if systems are left out, since it is that of all
    systems.
    """
    pairs = {(one.dataset, one.signature) for one in metric_results}
    names: set[str] = set()
    for metric_result in metric_results:
        names.update(metric_result.names)
    all_systems = True
    for score in results.scores:
        if (score.dataset, score.metric) in pairs and score.system not in names:
            all_systems = False

    used = {dataset for dataset, _ in pairs}
    datasets = {
        name: info for name, info in results.datasets.items() if name in used
    }
    missing = []
    for item in results.missing:
        if item.dataset in datasets and (all_systems or item.system in names):
            missing.append(item)
    sections: dict[str, Any] = dict.fromkeys(UNTYPED_SECTIONS)
    if all_systems and results.human:
        sections["human"] = _narrowed_human(results.human, pairs)
    elif all_systems:
        sections["human"] = results.human
    part = replace(
        results,
        means=None,
        datasets=datasets,
        missing=missing,
        **sections,
        **rows_of(metric_results),
    )
    if results.means and len(datasets) > 1:
        return with_means(part)
    return part


def _narrowed_human(
    human: dict[str, Any], pairs: set[tuple[str, str]]
) -> dict[str, Any]:
    """Return the section `human` with the items of these data sets and metrics alone."""
    narrowed_human = {}
    for key, value in human.items():
        if key in LISTS:
            narrowed_human[key] = [
                item for item in value if _is_about(item, pairs)
            ]
        else:
            narrowed_human[key] = value
    return narrowed_human


def _is_about(item: dict[str, Any], pairs: set[tuple[str, str]]) -> bool:
    """Whether an item about a metric, or a comparison of two, is about these pairs alone.

    A pair is a data set and a metric.
    """
    for key in ("metric", "other"):
        if key in item and (item["dataset"], item[key]) not in pairs:
            return False
    return True


LISTS = ("correlations", "sentences", "tests", "windows")
"""The parts of the section `human` that are lists with items for each metric."""


def restricted(
    results: Results, metric_results: Sequence[MetricResult]
) -> tuple[Results, list[MetricResult]]:
    """Return the results with only these scores, and these scores.

    Both are without earlier statistics and scores by type.
    """
    bare = []
    for metric_result in metric_results:
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
    return replace(results, means=None, **rows_of(bare)), bare
