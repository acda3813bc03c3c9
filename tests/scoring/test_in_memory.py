"""Intervals and tests of results in memory: those of a run on the same texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pipeline
from pipeline.errors import InputError
from tests.conftest import write_run

# of what is odd in random texts
pytestmark = pytest.mark.filterwarnings("ignore:memory:UserWarning")
METRICS = ["gleu[iter=5]", "chrf", "ter", "gleu[level=mean]"]
SETTINGS: dict[str, Any] = {
    "resamples": 100,
    "trials": 100,
    "level": 0.9,
    "seed": 3,
}


def texts_of(folder: Path) -> dict[str, Any]:
    """Return what evaluate() takes of the texts that write_run() wrote."""
    run = pipeline.load(folder / "run")
    config = folder / "d"
    assert run

    def lines(name: str) -> list[str]:
        return (config / name).read_text("utf-8").splitlines()

    references = sorted(
        path.name for path in config.iterdir() if path.name.startswith("ref")
    )
    systems = {result.system for result in run}
    return {
        "hypotheses": {name: lines(name) for name in sorted(systems)},
        "references": [lines(name) for name in references],
        "sources": lines("source"),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memory")
    pipeline.run(write_run(path, 30, chosen=METRICS), path / "run")
    return path


def figures(scores: Any, tests: Any) -> tuple[Any, Any]:
    """Return the numbers that statistics add, without names of data sets."""
    values = {
        (score.metric, score.system): (score.score, score.rank, score.bootstrap)
        for score in scores
    }
    pairs = {
        (t.metric, t.system, t.other): (
            t.difference,
            t.interval,
            t.better,
            t.wins,
            t.losses,
            t.p,
            t.p_adjusted,
        )
        for t in tests
    }
    return values, pairs


@pytest.mark.parametrize(
    "more",
    [{}, {"baseline": "A"}, {"test": "paired_bootstrap"}, {"test": "none"}],
)
def test_evaluate_and_compare_give_what_compare_gives_of_a_run(
    folder: Path, more: dict[str, Any]
) -> None:
    stored = pipeline.compare(folder / "run", **SETTINGS, **more)
    expected = figures(stored.scores, stored.tests)
    assert all(bootstrap for _, _, bootstrap in expected[0].values())
    found = pipeline.evaluate(
        **texts_of(folder), metrics=METRICS, statistics=SETTINGS | more
    )
    assert figures([result.found for result in found], found.tests) == expected
    plain = pipeline.evaluate(**texts_of(folder), metrics=METRICS)
    assert not plain.tests
    for results in (plain, found, list(plain), pipeline.load(folder / "run")):
        compared = pipeline.compare(results, **SETTINGS, **more)
        assert figures(compared.scores, compared.tests) == expected


def test_some_results_are_compared_alone(folder: Path) -> None:
    found = pipeline.evaluate(**texts_of(folder), metrics=METRICS)
    few = [result for result in found if result.measure.name == "ter"][:2]
    compared = pipeline.compare(few, **SETTINGS)
    assert len(compared.tests) == 1
    assert [score.system for score in compared.scores] == [
        result.system for result in few
    ]


def test_references_that_are_scored_as_systems_are_not_compared(
    folder: Path,
) -> None:
    texts = texts_of(folder)
    found = pipeline.evaluate(
        **texts, metrics="gleu[refs=leave_one_out,iter=5]", statistics=SETTINGS
    )
    again = pipeline.compare(found, **SETTINGS)
    assert figures(again.scores, again.tests) == figures(
        [result.found for result in found], found.tests
    )
    assert {test.system for test in found.tests} <= set(texts["hypotheses"])


def test_a_single_system_has_an_interval() -> None:
    found = pipeline.evaluate(
        ["a b c d", "e f"], ["a b c e", "e f"], metrics="chrf", statistics={}
    )
    assert found[0].bootstrap is not None
    assert found.tests == ()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"resample": 5},
            r"^statistics: resample 5: is no setting \(did you mean 'resamples'\?\)",
        ),
        ({"level": 2}, "^statistics: level 2: "),
        (
            {"baseline": "systen"},
            r"^statistics: baseline systen: no system is called so \(did you mean 'system'\?\)",
        ),
    ],
)
def test_wrong_settings_are_told(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        pipeline.evaluate(["a"], ["a b"], metrics="chrf", statistics=settings)
    found = pipeline.evaluate(["a"], ["a b"], metrics="chrf")
    with pytest.raises(InputError, match=message.replace("statistics: ", "")):
        pipeline.compare(found, **settings)


def test_what_cannot_be_compared_is_told(folder: Path) -> None:
    found = pipeline.evaluate(["a"], ["a b"], metrics="chrf")
    with pytest.raises(InputError, match="evaluate all systems in one call"):
        pipeline.compare(found, folder / "run")
    with pytest.raises(InputError, match="there is no result to compare"):
        pipeline.compare([])
