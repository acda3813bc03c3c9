"""Reads scores and their columns from run directories, joins those of two runs, and selects some of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import InputError, StoreError
from ..execution.store.counts import StoredCounts
from ..execution.store.remote_copy import folder_of
from ..execution.store.run_directory import RunDirectory
from ..metrics.build import from_text
from ..metrics.names import class_of
from .results import REFERENCES_ROW, Results, Score, ranks
from .scored_columns import ScoredColumns, scored_columns, signed
from .scores import describe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..corpus.corpus import Corpus
    from ..metrics.base.metric import Metric
    from .results import DatasetInfo


def load_runs(run: str | Path, run2: str | Path | None = None) -> tuple[Results, list[ScoredColumns]]:
    """Return what load() reads from a run directory, or load_two() from two, each of which may be at an address."""
    folder = folder_of(run)
    return load(folder) if run2 is None else load_two(folder, folder_of(run2))


def load(path: Path) -> tuple[Results, list[ScoredColumns]]:
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
        paths = [StoredCounts.path_in(path, dataset, score.system, metric.needs.key) for score in scores]
        columns = [StoredCounts(file, schema, info.lines) if file.exists() else None for file in paths]
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


def _parts(path: Path, metric: Metric, info: DatasetInfo, scores: Sequence[Score]) -> list[StoredCounts | None]:
    """Return the columns of the categories of each system; None where they are not there."""
    apart = metric.breakdown(info.categories) if info.categories else None
    if apart is None:
        return []
    schema = apart.schema(info.references_of(apart))
    paths = [StoredCounts.path_in(path, score.dataset, score.system, apart.key) for score in scores]
    return [StoredCounts(file, schema, info.lines) if file.exists() else None for file in paths]


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
    return {file.path.relative_to(path).as_posix() for file in files if isinstance(file, StoredCounts)}


def _unversioned(signature: str) -> str:
    return signature.rpartition("|v:")[0]


def load_two(one: Path, two: Path) -> tuple[Results, list[ScoredColumns]]:
    """Return the scores on the data sets and metrics that two runs have in common, with the systems of both.

    Data sets are the same if source and references are. Metrics are the same if all settings are. Systems with the
    same name are the same if their outputs are; otherwise both get the name of their run, as NAME@RUN. Raises
    StoreError where the runs have nothing in common, or where a data set of the same name has other texts.
    """
    (results, scored), (more_results, more) = load(one), load(two)
    datasets, joined = dict(results.datasets), list[ScoredColumns]()
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


def _joined(
    one: ScoredColumns, two: ScoredColumns, digests: tuple[dict[str, str], dict[str, str]], labels: tuple[str, str]
) -> ScoredColumns:
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


def _listed(*runs: Sequence[ScoredColumns]) -> str:
    return "".join(
        f"\n  {number}: " + ", ".join(dict.fromkeys(f"{m.scores[0].dataset} {m.scores[0].metric}" for m in scored))
        for number, scored in enumerate(runs, 1)
    )


SHARED = ("reference ", "gold annotator ", "edits annotator ")
"""What the names of texts begin with that all systems share."""
