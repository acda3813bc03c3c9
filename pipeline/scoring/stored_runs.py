"""Reads scores and their columns from run directories, joins those of two runs, and selects some of
them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ..data.scan import index_text
from ..data.texts import KIND, NEWLINE, TextFile, digest_like
from ..errors import CorpusError, InputError, StoreError, known_names
from ..execution.store.counts import StoredCounts, ids_file
from ..execution.store.run_directory import RunDirectory, folder_of
from ..files.plain_files import Origin, StoredTexts
from ..metrics.base.capabilities import category_spec
from ..metrics.base.declared import Declared
from ..metrics.base.metric import Metric
from ..metrics.base.statistics_spec import StatisticsSpec
from ..metrics.build import from_text, metrics_called
from .aggregation import POLICIES
from .metric_results import MetricResult, Task, describe, picked, rows_of, with_means
from .results import (
    MORE,
    REFERENCES_ROW,
    Breakdown,
    Comparison,
    DatasetInfo,
    Results,
    Score,
    grouped,
)


def load_runs(
    run: str | Path, run2: str | Path | None = None
) -> tuple[Results, list[MetricResult]]:
    """Return what load() reads from a run directory, or load_two() from two."""
    folder = folder_of(run)
    return load(folder) if run2 is None else load_two(folder, folder_of(run2))


def load(path: Path) -> tuple[Results, list[MetricResult]]:
    """Return the results of a run, and its scores with their columns; raises StoreError."""
    results = Results.read(path / "results.json")
    if RunDirectory(path, make=False).manifest().get("state") == "running":
        raise StoreError(
            f"{path}: the run was not finished, or still goes on; run its config again first"
        )
    metric_results = boards_of(path, results)
    for metric_result in metric_results:
        for name, blocks in zip(metric_result.names, metric_result.columns, strict=False):
            if isinstance(blocks, StoredCounts) and not blocks.path.exists():
                raise StoreError(
                    f"{path}: the counts of {name} on {metric_result.dataset} are missing; run its config again"
                )
        for blocks in (
            blocks for blocks in metric_result.columns if isinstance(blocks, StoredCounts)
        ):
            blocks.check_size()
    return results, metric_results


def boards_of(path: Path, results: Results) -> list[MetricResult]:
    """Return the boards of which results in a run directory were written. Counts are read when they
    are asked for.

    Raises StoreError where a signature is of no metric.
    """
    breakdown, tests = grouped(results.breakdown), grouped(results.tests)
    digests = {
        name: info.digests["ids"]
        for name, info in results.datasets.items()
        if "ids" in info.digests
    }
    ids = {name: _ids(path, name, digest) for name, digest in digests.items()}
    rows = (
        (scores, breakdown.get(key, ()), tests.get(key, ()))
        for key, scores in grouped(results.scores).items()
    )
    metric_results = [_metric_result(path, results, *own) for own in rows]
    return [
        replace(metric_result, ids=ids.get(metric_result.dataset))
        for metric_result in metric_results
    ]


def _ids(path: Path, dataset: str, digest: str) -> TextFile:
    """Return the ids of the lines of a data set in a run directory; raises StoreError where they
    are damaged.
    """
    file = path / ids_file(dataset)
    try:
        ids = index_text(StoredTexts(file, NEWLINE, Origin(str(file))))
    except CorpusError as error:
        raise StoreError(f"{error}; run the config again") from None
    if digest_like(ids, digest) != digest:
        raise StoreError(f"{file}: is damaged; run the config again")
    return ids


def _metric_result(
    path: Path,
    results: Results,
    scores: Sequence[Score],
    breakdown: Sequence[Breakdown],
    tests: Sequence[Comparison],
) -> MetricResult:
    dataset, printed = scores[0].dataset, scores[0].metric
    info = results.datasets[dataset]
    try:
        metric = results.metric(printed)
    except InputError as error:
        raise StoreError(
            f"{path / 'results.json'}: is not the results file of a run ({error})"
        ) from None
    references = info.references_of(metric.spec)
    rows = POLICIES[metric.policy].rows(references)
    scores = sorted(scores, key=lambda score: bool(rows) and score.system == REFERENCES_ROW)
    names = [score.system for score in scores if not rows or score.system != REFERENCES_ROW]

    def counts_of(spec: StatisticsSpec) -> tuple[StoredCounts, ...]:
        schema = spec.schema(references)
        paths = (StoredCounts.path_in(path, dataset, name, spec.key) for name in names)
        return tuple(StoredCounts(file, schema, info.lines_of(spec)) for file in paths)

    apart = category_spec(metric, info.categories) if breakdown else None
    parts = counts_of(apart) if apart else ()
    return MetricResult(
        metric=metric,
        dataset=dataset,
        signature=printed,
        lines=info.lines_of(metric.spec),
        references=references,
        scores=tuple(scores),
        columns=counts_of(metric.spec),
        own=tuple(map(rows.get, names)),
        categories=info.categories,
        parts=parts if all(part.path.exists() for part in parts) else (),
        breakdown=tuple(breakdown),
        tests=tuple(tests),
        left_out=info.left_out.get(metric.spec.key, ()),
    )


def left_out(path: Path, tasks: Sequence[Task], *, stay: bool) -> list[Score]:
    """Return the scores in the results of a run directory that are not of these tasks.

    Where they `stay`, StoreError is raised if a text of their data sets is another one than in the
    results: the new counts would not fit them."""
    try:
        stored = Results.read(path / "results.json")
    except StoreError:
        return []
    new = {
        (task.corpus.name, system, _unversioned(task.signature))
        for task in tasks
        for system in (*task.corpus.systems, REFERENCES_ROW)
    }
    scores = [s for s in stored.scores if (s.dataset, s.system, _unversioned(s.metric)) not in new]
    for corpus in (
        {task.corpus.name: task.corpus for task in tasks}.values() if stay and scores else ()
    ):
        known = stored.datasets[corpus.name].digests if corpus.name in stored.datasets else {}
        now = describe(corpus, known).digests
        changed = [name for name, digest in known.items() if now.get(name, digest) != digest]
        if changed:
            raise StoreError(
                f"{path}: {corpus.name}: {changed[0]} has changed since the results here, of which --only leaves out "
                f"{len(scores):,} scores; run without --only, or name another folder with --output"
            )
    return scores


def has_old_digests(path: Path) -> bool:
    """Return whether the results in a run directory are of an earlier version, whose digests are
    others.
    """
    try:
        stored = Results.read(path / "results.json")
    except StoreError:
        return False
    return not all(
        digest.startswith(KIND)
        for info in stored.datasets.values()
        for digest in info.digests.values()
    )


def used_counts(path: Path) -> set[str]:
    """Return the names of the files of counts that the results in a run directory are made of;
    raises StoreError.
    """
    files = (columns for metric_result in load(path)[1] for columns in metric_result.columns)
    return {
        file.path.relative_to(path).as_posix() for file in files if isinstance(file, StoredCounts)
    }


def _unversioned(signature: str) -> str:
    return signature.rpartition("|v:")[0]


def load_two(one: Path, two: Path) -> tuple[Results, list[MetricResult]]:
    """Return the scores on the data sets and metrics that two runs have in common, with the systems
    of both.

    Data sets are the same if source and references are. Metrics are the same if all settings are.
    Systems with the same name are the same if their outputs are; otherwise both get the name of
    their run, as NAME@RUN. Raises StoreError where the runs have nothing in common, or where a data
    set of the same name has other texts."""
    (results, scored), (more_results, more) = load(one), load(two)
    datasets, joined, refused = dict(results.datasets), list[MetricResult](), list[str]()
    for name in (name for name in results.datasets if name in more_results.datasets):
        _check_data(name, results.datasets[name], more_results.datasets[name], one, two)
        digests = results.datasets[name].digests | more_results.datasets[name].digests
        datasets[name] = replace(results.datasets[name], digests=digests)
    labels = (one.resolve().name, two.resolve().name)
    labels = labels if labels[0] != labels[1] else ("1", "2")
    for metric_result in scored:
        partner = next(
            (
                m
                for m in more
                if m.dataset == metric_result.dataset and m.metric == metric_result.metric
            ),
            None,
        )
        if partner and (
            reason := _unlike(
                metric_result, partner, results.declared.get(metric_result.metric.name)
            )
        ):
            refused.append(
                f"{metric_result.dataset}: {metric_result.metric.name} is left out: {reason}; run all systems in one config"
            )
        elif partner:
            of_both = (
                results.datasets[metric_result.dataset].digests,
                more_results.datasets[metric_result.dataset].digests,
            )
            joined.append(_joined(metric_result, partner, of_both, labels))
    if not joined and refused:
        raise StoreError("\n".join(refused))
    if not joined:
        known = [
            dict.fromkeys(f"{own.dataset} {own.signature}" for own in metric_results)
            for metric_results in (scored, more)
        ]
        listed = "".join(f"\n  {number}: {', '.join(own)}" for number, own in enumerate(known, 1))
        raise StoreError(f"{one} and {two} have no metric on the same data set in common:{listed}")
    datasets = {
        name: info
        for name, info in datasets.items()
        if any(metric_result.dataset == name for metric_result in joined)
    }
    warnings = list(dict.fromkeys([*results.warnings, *more_results.warnings, *refused]))
    missing, statistics = [*results.missing, *more_results.missing], dict(results.statistics or {})
    names = {name for metric_result in joined for name in metric_result.names}
    if (renamed := f"{statistics.get('baseline')}@{labels[0]}") in names and statistics[
        "baseline"
    ] not in names:
        statistics["baseline"] = (
            renamed  # the baseline of a config, as the first of the runs has it
        )
    sections: dict[str, Any] = {"missing": missing, "statistics": statistics or None} | rows_of(
        joined
    )
    return Results(datasets=datasets, warnings=warnings, **sections), joined


def _check_data(name: str, one: DatasetInfo, two: DatasetInfo, first: Path, second: Path) -> None:
    """Raise StoreError unless source and references are the same."""
    if (one.lines, one.references) != (two.lines, two.references):
        sizes = [f"{info.lines:,} lines and {info.references} references" for info in (one, two)]
        raise StoreError(
            f"{name}: is another data set in {second} ({sizes[1]}) than in {first} ({sizes[0]})"
        )
    differing = differing_texts(one, two)
    if differing and (old := [path for path in (first, second) if has_old_digests(path)]):
        raise StoreError(
            f"{old[0]}: is of an earlier version, whose digests of texts are others; run its config again"
        )
    if differing:
        raise StoreError(f"{name}: {differing[0]} is not the same text in {first} and in {second}")


def differing_texts(one: DatasetInfo, two: DatasetInfo) -> list[str]:
    """Return the names of the texts, shared by all systems, that are not the same in two data sets
    that have them.
    """
    shared = [key for key in one.digests if key == "source" or key.startswith(SHARED)]
    return [key for key in shared if key in two.digests and one.digests[key] != two.digests[key]]


def _unlike(one: MetricResult, two: MetricResult, declared: Declared | None) -> str:
    """Return why the numbers of two runs cannot be compared although the metric is the same, or an
    empty text.
    """
    if declared and declared.listwise and (apart := sorted(set(one.names) ^ set(two.names))):
        return f"its numbers depend on all systems of a run, and {', '.join(apart)} is in one run alone"
    if lines := set(one.left_out) ^ set(two.left_out):
        return f"the runs leave out other lines, such as line {min(lines) + 1}"
    return ""


def _joined(
    one: MetricResult,
    two: MetricResult,
    digests: tuple[dict[str, str], dict[str, str]],
    labels: tuple[str, str],
) -> MetricResult:
    """Return the scores of the systems of both runs, with new ranks among them. References are left
    out.
    """
    names = set(one.names) & set(two.names)
    same = {
        name
        for name in names
        if digests[0].get(f"system {name}") == digests[1].get(f"system {name}")
    }
    rows, called = list[tuple[MetricResult, int]](), list[str]()
    for metric_result, label, skipped in ((one, labels[0], set[str]()), (two, labels[1], same)):
        for number, (name, reference) in enumerate(
            zip(metric_result.names, metric_result.reference_of_system, strict=False)
        ):
            if name not in skipped and reference is None:  # a reference would come twice
                rows.append((metric_result, number))
                called.append(f"{name}@{label}" if name in names - same else name)
    metric_result = picked(rows)
    named = zip(metric_result.scores, called, strict=True)
    scores = tuple(replace(score, system=name, metric=one.signature) for score, name in named)
    return replace(metric_result, scores=scores, breakdown=(), tests=(), parts=()).reranked()


SHARED = ("reference ", "gold annotator ", "edits annotator ")
"""What the names of texts begin with that all systems share."""


# --- parts of a run that a command names: metrics, data sets and systems, by names or by patterns
# such as `A*`


@dataclass(frozen=True)
class Selection:
    """What a command asks for. An empty part stands for all."""

    metrics: Sequence[str] = ()
    """Names as people write them, signatures, or patterns of these."""
    datasets: Sequence[str] = ()
    systems: Sequence[str] = ()

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return bool(self.metrics or self.datasets or self.systems)


def names_like(flag: str, patterns: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the names that each pattern means, in the order of the patterns: the name itself, or
    all that match it.

    Where neither is there, upper and lower case do not matter. Raises StoreError for a pattern
    without a name."""
    known = list(dict.fromkeys(names))
    chosen = []
    for pattern in patterns:
        ways = (
            [name for name in known if name == pattern],
            [name for name in known if fnmatchcase(name, pattern)],
            [name for name in known if fnmatchcase(name.casefold(), pattern.casefold())],
        )
        own = next(filter(None, ways), None)
        if own is None:
            raise StoreError(f"{flag} {pattern}: there is no such one{known_names(pattern, known)}")
        chosen += own
    return chosen


def only(scored: Sequence[MetricResult], selection: Selection) -> list[MetricResult]:
    """Return the scores of these metrics and systems on these data sets; raises StoreError if there
    are none.
    """
    if not scored:
        raise StoreError("the run has no scores: its config has no data sets, systems and metrics")

    def is_meant(metric_result: MetricResult, text: str, metrics: Sequence[Metric]) -> bool:
        names = (metric_result.metric.output, metric_result.signature)
        return (
            text in names
            or any(fnmatchcase(name, text) for name in names)
            or metric_result.metric in metrics
        )

    called = {
        text: metrics_called(text, [metric_result.metric for metric_result in scored])
        for text in selection.metrics
    }
    meant = {
        text: [one for one in scored if is_meant(one, text, metrics)]
        for text, metrics in called.items()
    }
    chosen = {
        id(metric_result) for metric_results in meant.values() for metric_result in metric_results
    }
    kept = [metric_result for metric_result in scored if not meant or id(metric_result) in chosen]
    for text, metric_results in meant.items():
        if not metric_results:
            if "[" in text:
                from_text(text)  # says what is wrong in it
            known = dict.fromkeys(metric_result.metric.output for metric_result in scored)
            raise StoreError(f"--metric {text}: there is no such one{known_names(text, known)}")
    if selection.datasets:
        datasets = set(
            names_like(
                "--dataset", selection.datasets, (metric_result.dataset for metric_result in kept)
            )
        )
        kept = [metric_result for metric_result in kept if metric_result.dataset in datasets]
    if selection.systems:
        systems = set(
            names_like("--system", selection.systems, (name for m in kept for name in m.names))
        )
        kept = [
            metric_result.only(systems)
            for metric_result in kept
            if systems & set(metric_result.names)
        ]
    return kept


def narrowed(results: Results, metric_results: Sequence[MetricResult]) -> Results:
    """Return the results for these data sets, metrics and systems alone, with their statistics.

    Results of the run as a whole, such as correlations of columns and verdicts on expectations, are
    left out. So is agreement with people where systems are left out, for it is that of all systems.
    """
    pairs = {(metric_result.dataset, metric_result.signature) for metric_result in metric_results}

    def is_kept(item: dict[str, Any]) -> bool:
        """Whether an item about a metric, or a comparison of two, is about these data sets and
        metrics alone.
        """
        return all(
            (item["dataset"], item[key]) in pairs for key in ("metric", "other") if key in item
        )

    human = results.human and {
        key: list(filter(is_kept, value)) if key in LISTS else value
        for key, value in results.human.items()
    }
    datasets = {
        name: info
        for name, info in results.datasets.items()
        if any(name == pair[0] for pair in pairs)
    }
    names = {name for metric_result in metric_results for name in metric_result.names}
    all_systems = names >= {
        score.system for score in results.scores if (score.dataset, score.metric) in pairs
    }
    missing = [
        item
        for item in results.missing
        if item.dataset in datasets and (all_systems or item.system in names)
    ]
    whole: dict[str, Any] = dict.fromkeys(key for key in MORE if key != "human" or not all_systems)
    whole |= {"datasets": datasets, "missing": missing, "human": human if all_systems else None}
    part = replace(results, means=None, **whole | rows_of(metric_results))
    return with_means(part) if results.means and len(datasets) > 1 else part


LISTS = ("correlations", "sentences", "tests", "windows")
"""The parts of the section `human` that are lists with items for each metric."""


def restricted(
    results: Results, metric_results: Sequence[MetricResult]
) -> tuple[Results, list[MetricResult]]:
    """Return the results with only these scores, and the boards; both without earlier statistics
    and scores by type.
    """
    bare = [
        replace(
            metric_result,
            scores=tuple(replace(s, bootstrap=None) for s in metric_result.scores),
            tests=(),
            breakdown=(),
            parts=(),
        )
        for metric_result in metric_results
    ]
    return replace(results, means=None, **rows_of(bare)), bare
