"""Run directories read back for more statistics: scores with their columns, never texts; two runs joined."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..errors import StoreError, did_you_mean
from ..execution.store.columns_file import Statistics
from ..execution.store.remote_copy import folder_of
from ..execution.store.run_directory import RunDirectory
from ..metrics.build import from_text
from .results import MORE, REFERENCES_ROW, Results, Score, ranks
from .scored_columns import ScoredColumns, scored_columns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .results import DatasetInfo


def load_runs(run: str | Path, run2: str | Path | None = None) -> tuple[Results, list[ScoredColumns]]:
    """Return what load() does of a run directory, or what load_two() does of two; they may be addresses."""
    folder = folder_of(run)
    return load(folder) if run2 is None else load_two(folder, folder_of(run2))


def load(path: Path) -> tuple[Results, list[ScoredColumns]]:
    """Return what a run found, and its scores with their columns; raises StoreError."""
    results = Results.read(path / "results.json")
    if RunDirectory(path, make=False).manifest().get("state") == "running":
        raise StoreError(f"{path}: the run was not finished, or still goes on; run its config again first")
    found = []
    for dataset, signature in dict.fromkeys((score.dataset, score.metric) for score in results.scores):
        metric, info = from_text(signature), results.datasets[dataset]
        scores = [score for score in results.scores if (score.dataset, score.metric) == (dataset, signature)]
        schema = metric.needs.schema(info.references)
        places = [Statistics.path_in(path, dataset, score.system, metric.needs.key) for score in scores]
        columns = [Statistics(place, schema, info.lines) if place.exists() else None for place in places]
        lacking = [
            s.system for s, blocks in zip(scores, columns, strict=True) if not blocks and s.system != REFERENCES_ROW
        ]
        if lacking:
            raise StoreError(f"{path}: the counts of {lacking[0]} on {dataset} are missing; run its config again")
        found.append(scored_columns(metric, info, scores, columns))
    return results, found


def load_two(one: Path, two: Path) -> tuple[Results, list[ScoredColumns]]:
    """Return what two runs have in common, with the systems of both; raises StoreError where that is nothing.

    Data sets are the same where source and references are; metrics, where all settings are. A system of the same
    name is one where its output is the same too, else both get the name of their run: NAME@RUN.
    """
    (results, found), (more_results, more) = load(one), load(two)
    datasets, joined = dict(results.datasets), list[ScoredColumns]()
    for name in (name for name in results.datasets if name in more_results.datasets):
        _check_data(name, results.datasets[name], more_results.datasets[name], one, two)
        known = results.datasets[name].digests | more_results.datasets[name].digests
        datasets[name] = replace(results.datasets[name], digests=known)
    for measured in found:
        dataset = measured.scores[0].dataset
        partner = next((m for m in more if m.scores[0].dataset == dataset and m.metric == measured.metric), None)
        if partner and dataset in more_results.datasets:
            digests = results.datasets[dataset].digests, more_results.datasets[dataset].digests
            joined.append(_joined(measured, partner, digests, _labels(one, two)))
    if not joined:
        raise StoreError(f"{one} and {two} have no metric on the same data set in common:{_listed(found, more)}")
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
        {key: value for key, value in info.digests.items() if key == "source" or key.startswith("reference ")}
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
    """Return the systems of both. Ranks are made anew among them."""
    scores, columns, own = list[Score](), list(one.columns)[:0], list[int | None]()
    names = set(one.names) & set(two.names)
    same = {name for name in names if digests[0].get(f"system {name}") == digests[1].get(f"system {name}")}
    for measured, label, skipped in ((one, labels[0], set[str]()), (two, labels[1], same)):
        for score, blocks, number in zip(measured.scores, measured.columns, measured.own, strict=False):
            if score.system in skipped or number is not None:
                continue  # references as systems are left out: they would come twice
            called = f"{score.system}@{label}" if score.system in names - same else score.system
            scores.append(replace(score, system=called, metric=one.scores[0].metric))
            columns.append(blocks)
            own.append(None)
    return replace(one, scores=ranked(scores), columns=tuple(columns), own=tuple(own), human=False)


def ranked(scores: Sequence[Score]) -> tuple[Score, ...]:
    """Return scores with their ranks among each other."""
    places = ranks([score.score for score in scores])
    return tuple(replace(score, rank=place) for score, place in zip(scores, places, strict=True))


def _listed(*runs: Sequence[ScoredColumns]) -> str:
    return "".join(
        f"\n  {number}: " + ", ".join(dict.fromkeys(f"{m.scores[0].dataset} {m.scores[0].metric}" for m in found))
        for number, found in enumerate(runs, 1)
    )


def only(found: Sequence[ScoredColumns], metric: str | None, dataset: str | None) -> list[ScoredColumns]:
    """Return what is of a metric (its name, or its signature) and of a data set; raises StoreError for nothing."""
    kept = [m for m in found if metric in (None, m.metric.name, m.metric.output, m.scores[0].metric)]
    if found and metric is not None and not kept:
        names = list(dict.fromkeys(m.metric.output for m in found))
        raise StoreError(
            f"--metric {metric}: there is no such one{did_you_mean(metric, names)}; there are {_all(found)}"
        )
    chosen = [m for m in kept if dataset in (None, m.scores[0].dataset)]
    if not found:
        raise StoreError("the run has no scores: its config has no data sets, systems and metrics")
    if not chosen:
        names = list(dict.fromkeys(m.scores[0].dataset for m in kept))
        hint = did_you_mean(str(dataset), names)
        raise StoreError(f"--dataset {dataset}: there is no such one{hint}; there are {', '.join(names)}")
    return chosen


def _all(found: Sequence[ScoredColumns]) -> str:
    return ", ".join(dict.fromkeys(measured.scores[0].metric for measured in found))


def narrowed(results: Results, found: Sequence[ScoredColumns]) -> Results:
    """Return of the results what is of these scores, with the statistics that they have.

    What was found of the run as a whole, such as correlations of columns and verdicts on what was expected, is not.
    """
    pairs = {(measured.scores[0].dataset, measured.scores[0].metric) for measured in found}
    human = results.human and {
        key: [item for item in value if _is_of(item, pairs)] if key in LISTS else value
        for key, value in results.human.items()
    }
    datasets = {name: info for name, info in results.datasets.items() if any(name == pair[0] for pair in pairs)}
    scores = [score for score in results.scores if (score.dataset, score.metric) in pairs]
    tests = [test for test in results.tests if (test.dataset, test.metric) in pairs]
    missing = [item for item in results.missing if item.dataset in datasets]
    whole: dict[str, Any] = dict.fromkeys(key for key in MORE if key != "human")
    return replace(results, datasets=datasets, scores=scores, missing=missing, tests=tests, human=human, **whole)


def _is_of(item: dict[str, Any], pairs: set[tuple[str, str]]) -> bool:
    """Whether what is told of a metric, or of two that were compared, is of these data sets and metrics alone."""
    return all((item["dataset"], item[key]) in pairs for key in ("metric", "other") if key in item)


LISTS = ("correlations", "sentences", "tests", "windows")
"""What of the agreement with people is told metric by metric."""


def restricted(results: Results, found: Sequence[ScoredColumns]) -> Results:
    """Return the results with these scores only, without earlier statistics."""
    scores = [replace(score, bootstrap=None) for measured in found for score in measured.scores]
    return replace(results, scores=scores, tests=[])
