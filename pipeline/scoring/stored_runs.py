"""Reads scores and their columns from run directories, joins those of two runs, and selects some of them."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ..dataclass import dataclass
from ..errors import InputError, StoreError, did_you_mean
from ..execution.store.columns_file import Statistics
from ..execution.store.remote_copy import folder_of
from ..execution.store.run_directory import RunDirectory
from ..metrics.build import from_text
from ..metrics.names import class_of, is_called
from .board import Board, describe, scored_columns, signed, with_means
from .results import MORE, REFERENCES_ROW, Results, Score, ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ..corpus.corpus import Corpus
    from ..metrics.base.metric import Metric
    from .results import DatasetInfo


def load_runs(run: str | Path, run2: str | Path | None = None) -> tuple[Results, list[Board]]:
    """Return what load() reads from a run directory, or load_two() from two, each of which may be at an address."""
    folder = folder_of(run)
    return load(folder) if run2 is None else load_two(folder, folder_of(run2))


def load(path: Path) -> tuple[Results, list[Board]]:
    """Return the results of a run, and its scores with their columns; raises StoreError."""
    results = Results.read(path / "results.json")
    if RunDirectory(path, make=False).manifest().get("state") == "running":
        raise StoreError(f"{path}: the run was not finished, or still goes on; run its config again first")
    scored = []
    grouped: dict[tuple[str, str], list[Score]] = {}
    for score in results.scores:
        grouped.setdefault((score.dataset, score.metric), []).append(score)
    for (dataset, signature), scores in grouped.items():
        metric, info = _metric(path, signature), results.datasets[dataset]
        schema = metric.needs.schema(info.references_of(metric.needs))
        paths = [Statistics.path_in(path, dataset, score.system, metric.needs.key) for score in scores]
        columns = [Statistics(file, schema, info.lines) if file.exists() else None for file in paths]
        pairs = zip(scores, columns, strict=True)
        lacking = [score.system for score, blocks in pairs if not blocks and score.system != REFERENCES_ROW]
        for blocks in filter(None, columns):
            blocks.check_size()
        if lacking:
            raise StoreError(f"{path}: the counts of {lacking[0]} on {dataset} are missing; run its config again")
        parts = _parts(path, metric, info, scores) if results.breakdown else []
        scored.append(scored_columns(metric, info, scores, columns, parts))
    return results, scored


def _metric(path: Path, signature: str) -> Metric:
    """Return the metric of a signature; raises StoreError where there is none."""
    try:
        return from_text(signature)
    except InputError as error:
        raise StoreError(f"{path / 'results.json'}: is not the results file of a run ({error})") from None


def _parts(path: Path, metric: Metric, info: DatasetInfo, scores: Sequence[Score]) -> list[Statistics | None]:
    """Return the columns of the categories of each system; None where they are not there."""
    apart = metric.breakdown(info.categories) if info.categories else None
    if apart is None:
        return []
    schema = apart.schema(info.references_of(apart))
    paths = [Statistics.path_in(path, score.dataset, score.system, apart.key) for score in scores]
    return [Statistics(file, schema, info.lines) if file.exists() else None for file in paths]


def replaced(path: Path, corpora: Sequence[Corpus], metrics: Sequence[Metric]) -> list[Score]:
    """Return the scores in the results of a run directory that are not of these data sets, systems and metrics."""
    try:
        stored = Results.read(path / "results.json")
    except StoreError:
        return []
    each = ((corpus, metric) for corpus in corpora for metric in metrics)
    new = {
        (corpus.name, system, _unversioned(signed(metric, len(corpus.read_by(metric.needs).references))))
        for corpus, metric in each
        for system in (*corpus.systems, REFERENCES_ROW)
    }
    return [score for score in stored.scores if (score.dataset, score.system, _unversioned(score.metric)) not in new]


def left_out(path: Path, corpora: Sequence[Corpus], metrics: Sequence[Metric]) -> int:
    """Return how many scores in the results of a run directory are not of these data sets, systems and metrics.

    Raises StoreError where a text of these data sets is another one than in the results, although such scores are
    there: the new counts would not fit the results.
    """
    count = len(replaced(path, corpora, metrics))
    before = Results.read(path / "results.json").datasets if count else {}
    for corpus in corpora if count else ():
        now = describe(corpus).digests
        known = before[corpus.name].digests if corpus.name in before else {}
        changed = [name for name, digest in known.items() if now.get(name, digest) != digest]
        if changed:
            raise StoreError(
                f"{path}: {corpus.name}: {changed[0]} has changed since the results here, of which --only leaves out "
                f"{count:,} scores; run without --only, or name another folder with --output"
            )
    return count


def used_counts(path: Path) -> set[str]:
    """Return the names of the files of counts that the results in a run directory are made of; raises StoreError."""
    files = (columns for measured in load(path)[1] for columns in measured.columns)
    return {file.path.relative_to(path).as_posix() for file in files if isinstance(file, Statistics)}


def _unversioned(signature: str) -> str:
    return signature.rpartition("|v:")[0]


def load_two(one: Path, two: Path) -> tuple[Results, list[Board]]:
    """Return the scores on the data sets and metrics that two runs have in common, with the systems of both.

    Data sets are the same if source and references are. Metrics are the same if all settings are. Systems with the
    same name are the same if their outputs are; otherwise both get the name of their run, as NAME@RUN. Raises
    StoreError where the runs have nothing in common, or where a data set of the same name has other texts.
    """
    (results, scored), (more_results, more) = load(one), load(two)
    datasets, joined = dict(results.datasets), list[Board]()
    for name in (name for name in results.datasets if name in more_results.datasets):
        _check_data(name, results.datasets[name], more_results.datasets[name], one, two)
        digests = results.datasets[name].digests | more_results.datasets[name].digests
        datasets[name] = replace(results.datasets[name], digests=digests)
    for measured in scored:
        dataset = measured.scores[0].dataset
        partner = next((m for m in more if m.scores[0].dataset == dataset and m.metric == measured.metric), None)
        if partner and dataset in more_results.datasets:
            of_both = results.datasets[dataset].digests, more_results.datasets[dataset].digests
            joined.append(_joined(measured, partner, of_both, _labels(one, two)))
    if not joined:
        raise StoreError(f"{one} and {two} have no metric on the same data set in common:{_listed(scored, more)}")
    scores = [score for measured in joined for score in measured.scores]
    datasets = {name: info for name, info in datasets.items() if any(score.dataset == name for score in scores)}
    warnings = list(dict.fromkeys([*results.warnings, *more_results.warnings]))
    missing = [*results.missing, *more_results.missing]
    return Results(
        datasets=datasets, scores=scores, warnings=warnings, missing=missing, statistics=results.statistics
    ), joined


def _check_data(name: str, one: DatasetInfo, two: DatasetInfo, first: Path, second: Path) -> None:
    """Raise StoreError unless source and references are the same."""
    texts = [
        {key: value for key, value in info.digests.items() if key == "source" or key.startswith(SHARED)}
        for info in (one, two)
    ]
    if (one.lines, one.references) != (two.lines, two.references):
        sizes = [f"{info.lines:,} lines and {info.references} references" for info in (one, two)]
        raise StoreError(f"{name}: is another data set in {second} ({sizes[1]}) than in {first} ({sizes[0]})")
    differing = [key for key in texts[0] if key in texts[1] and texts[0][key] != texts[1][key]]
    if differing:
        raise StoreError(f"{name}: {differing[0]} is not the same text in {first} and in {second}")


def _labels(one: Path, two: Path) -> tuple[str, str]:
    names = one.resolve().name, two.resolve().name
    return names if names[0] != names[1] else ("1", "2")


def _joined(one: Board, two: Board, digests: tuple[dict[str, str], dict[str, str]], labels: tuple[str, str]) -> Board:
    """Return the scores of the systems of both runs, with new ranks among them. References are left out."""
    scores, columns, own = list[Score](), list(one.columns)[:0], list[int | None]()
    names = set(one.names) & set(two.names)
    same = {name for name in names if digests[0].get(f"system {name}") == digests[1].get(f"system {name}")}
    for measured, label, skipped in ((one, labels[0], set[str]()), (two, labels[1], same)):
        for score, blocks, number in zip(measured.scores, measured.columns, measured.own, strict=False):
            if score.system in skipped or number is not None:
                continue  # a reference would come twice
            called = f"{score.system}@{label}" if score.system in names - same else score.system
            scores.append(replace(score, system=called, metric=one.scores[0].metric))
            columns.append(blocks)
            own.append(None)
    return replace(one, scores=ranked(scores), columns=tuple(columns), own=tuple(own), has_mean=False)


def ranked(scores: Sequence[Score]) -> tuple[Score, ...]:
    """Return scores of one metric with new ranks among each other."""
    goodness = [class_of(score.metric).goodness(score.score) for score in scores]
    pairs = zip(scores, ranks(goodness), strict=True)
    return tuple(replace(score, rank=rank) for score, rank in pairs)


def _listed(*runs: Sequence[Board]) -> str:
    return "".join(
        f"\n  {number}: " + ", ".join(dict.fromkeys(f"{m.scores[0].dataset} {m.scores[0].metric}" for m in scored))
        for number, scored in enumerate(runs, 1)
    )


SHARED = ("reference ", "gold annotator ", "edits annotator ")
"""What the names of texts begin with that all systems share."""


# Parts of a run that a command names: metrics, data sets and systems, by names or by patterns such as `A*`.


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


EVERYTHING = Selection()


def names_like(flag: str, patterns: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the names that each pattern means, in the order of the patterns: the name itself, or all that match it.

    Where neither is there, upper and lower case do not matter. Raises StoreError for a pattern without a name.
    """
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
            hint = did_you_mean(pattern, known)
            raise StoreError(f"{flag} {pattern}: there is no such one{hint}; there are {', '.join(known)}")
        chosen += own
    return chosen


def only(scored: Sequence[Board], selection: Selection) -> list[Board]:
    """Return the scores of these metrics and systems on these data sets; raises StoreError if there are none."""
    if not scored:
        raise StoreError("the run has no scores: its config has no data sets, systems and metrics")
    kept = [m for m in scored if not selection.metrics or any(_is_metric(m, text) for text in selection.metrics)]
    for text in selection.metrics:
        if not any(_is_metric(m, text) for m in scored):
            hint = did_you_mean(text, dict.fromkeys(m.metric.output for m in scored))
            raise StoreError(f"--metric {text}: there is no such one{hint}; there are {_all(scored)}")
    if selection.datasets:
        datasets = set(names_like("--dataset", selection.datasets, (m.scores[0].dataset for m in kept)))
        kept = [m for m in kept if m.scores[0].dataset in datasets]
    if selection.systems:
        systems = set(names_like("--system", selection.systems, (name for m in kept for name in m.names)))
        kept = [_with_systems(m, systems) for m in kept if systems & set(m.names)]
    return kept


def _is_metric(measured: Board, text: str) -> bool:
    """Whether a text is a name of a metric, its signature, or a pattern of one of these."""
    names = (measured.metric.output, measured.scores[0].metric)
    return any(text == name or fnmatchcase(name, text) for name in names) or is_called(measured.metric, text)


def _with_systems(measured: Board, systems: set[str]) -> Board:
    kept = [number for number, name in enumerate(measured.names) if name in systems]
    counted = [number for number in kept if number < len(measured.columns)]
    return replace(
        measured,
        scores=tuple(measured.scores[number] for number in kept),
        columns=tuple(measured.columns[number] for number in counted),
        own=tuple(measured.own[number] for number in counted),
        has_mean=measured.has_mean and len(kept) > len(counted),
    )


def _all(scored: Sequence[Board]) -> str:
    return ", ".join(dict.fromkeys(measured.scores[0].metric for measured in scored))


def narrowed(results: Results, scored: Sequence[Board]) -> Results:
    """Return the results for these data sets, metrics and systems alone, with their statistics.

    Results of the run as a whole, such as correlations of columns and verdicts on expectations, are left out. So is
    agreement with people where systems are left out, for it is that of all systems.
    """
    pairs = {(measured.scores[0].dataset, measured.scores[0].metric) for measured in scored}
    human = results.human and {
        key: [item for item in value if _is_of(item, pairs)] if key in LISTS else value
        for key, value in results.human.items()
    }
    datasets = {name: info for name, info in results.datasets.items() if any(name == pair[0] for pair in pairs)}
    scores = [score for measured in scored for score in measured.scores]
    names = {score.system for score in scores}
    tests = [
        test for test in results.tests if (test.dataset, test.metric) in pairs and {test.system, test.other} <= names
    ]
    all_systems = names >= {score.system for score in results.scores if (score.dataset, score.metric) in pairs}
    missing = [item for item in results.missing if item.dataset in datasets and (all_systems or item.system in names)]
    whole: dict[str, Any] = dict.fromkeys(key for key in MORE if key != "human" or not all_systems)
    parts = [part for part in results.breakdown if (part.dataset, part.metric) in pairs and part.system in names]
    whole |= {"datasets": datasets, "scores": scores, "missing": missing, "tests": tests, "human": human}
    whole |= {"breakdown": parts}
    part = replace(results, means=None, **whole)
    return with_means(part) if results.means and len(datasets) > 1 else part


def _is_of(item: dict[str, Any], pairs: set[tuple[str, str]]) -> bool:
    """Whether an item about a metric, or a comparison of two, is about these data sets and metrics alone."""
    return all((item["dataset"], item[key]) in pairs for key in ("metric", "other") if key in item)


LISTS = ("correlations", "sentences", "tests", "windows")
"""The parts of the section `human` that are lists with items for each metric."""


def restricted(results: Results, scored: Sequence[Board]) -> Results:
    """Return the results with only these scores, and without earlier statistics and scores by type."""
    scores = [replace(score, bootstrap=None) for measured in scored for score in measured.scores]
    return replace(results, scores=scores, tests=[], means=None, breakdown=[])
