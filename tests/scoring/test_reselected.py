"""`statistics: {annotators: reselected}`: samples whose annotators are chosen in them, and not in
the whole set.

The oracle draws each sample as a list of sentences, sorts them, and goes through them one after the
other."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pipeline.cli.dispatch import main
from pipeline.data.config.models import StatisticsConfig
from pipeline.errors import ConfigError
from pipeline.metrics.base.capabilities import reference_rules
from pipeline.metrics.base.choices import first_best, rounded
from pipeline.reopen import revisit
from pipeline.scoring.resampling import reselected as chosen_anew
from pipeline.scoring.resampling.significance import analyse
from pipeline.scoring.results import Results
from pipeline.scoring.terms import present_blocks
from tests.conftest import called, run
from tests.extensions.edits.test_breakdown import write_edits
from tests.oracles.naive_errant import chosen, f_beta, summed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pipeline.report.context import ReportContext
    from pipeline.scoring.metric_results import MetricResult
    from pipeline.scoring.terms import HasBlocks


LINES, SEED, SAMPLES = 30, 7, 12
METRICS = [
    *("errant", "errant[mode=dt,beta=2]", "errant[mode=ds,beta=1]", "errant[types=NOUN]"),
    *("cleme", "cleme[version=2]", "cleme[weights=sentence]", "cleme[weights=none,beta=1]"),
]
OF_TEXTS = [
    "m2",
    "m2[beta=1,mu=0]",
    "m2[annotators=all]",
    "imeasure[optimise=corpus]",
    "imeasure[optimise=corpus,w=3]",
]
SETTINGS = StatisticsConfig(resamples=SAMPLES, seed=SEED, annotators="reselected", trials=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("anew")
    run(write_edits(folder, LINES, metrics=METRICS), folder / "run")
    of_texts = json.loads((folder / "c.yaml").read_text(encoding="utf-8")) | {"metrics": OF_TEXTS}
    one = [
        line
        for line in (folder / "C.m2").read_text(encoding="utf-8").split("\n")
        if not line.endswith("|||1")
    ]
    (folder / "one.m2").write_text("\n".join(one), encoding="utf-8")
    of_texts["systems"] = {"A": {"m2": "A.m2"}, "C": {"m2": "one.m2"}}
    (folder / "texts.yaml").write_text(json.dumps(of_texts), encoding="utf-8")
    run(folder / "texts.yaml", folder / "texts")
    return folder


@pytest.fixture(scope="module", params=["run", "texts"])
def context(request: pytest.FixtureRequest, folder: Path) -> ReportContext:
    return revisit(folder / request.param)


def samples_of(seed: int = SEED, samples: int = SAMPLES) -> list[list[int]]:
    """Return the sentences of each bootstrap sample, in the order of the file."""
    drawn = np.random.default_rng(seed).choice(LINES, (samples, LINES))
    return [sorted(row) for row in drawn.tolist()]


def naive(measured: MetricResult, sentences: Iterable[tuple[HasBlocks, int]]) -> float:
    """Return the score of a sequence of sentences, each of some system, with annotators chosen one
    by one.
    """
    metric = measured.metric
    choice = reference_rules(metric).sequential_choice()
    assert choice
    totals, sums = (
        (0,) * len(choice.names),
        dict.fromkeys((field.name for field in metric.terms), 0),
    )
    for system, line in sentences:
        (columns,) = present_blocks(metric, system)
        counts, terms = choice.counts_of(columns), metric.make_terms(columns)
        best: tuple[tuple[float, ...], int] | None = None
        for number in sorted(range(measured.references), key=lambda n: counts["order"][line, n]):
            own = np.array([int(counts[name][line, number]) for name in choice.names])
            key = tuple(
                float(part[0]) for part in choice.keys(np.array(totals)[:, None], own[:, None])
            )
            if best is None or key > best[0]:
                best = key, number
        assert best
        totals = tuple(
            a + int(counts[name][line, best[1]])
            for a, name in zip(totals, choice.names, strict=True)
        )
        sums = {name: value + int(terms[name][line, best[1]]) for name, value in sums.items()}
    return float(
        next(iter(metric.score({name: np.array(value) for name, value in sums.items()}).values()))
    )


def scores_of(measured: MetricResult, monkeypatch: pytest.MonkeyPatch, room: int = 1 << 26) -> Any:
    """Return the scores of the samples [samples, systems], from which intervals and ranks are made."""
    kept = []
    original = chosen_anew.ReselectedSamples.sums

    def noted(self: chosen_anew.ReselectedSamples, weights: Any) -> Any:
        sums = original(self, weights)
        kept.append(self.terms.score(sums))
        return sums

    monkeypatch.setattr(chosen_anew.ReselectedSamples, "sums", noted)
    monkeypatch.setattr(chosen_anew, "ROOM", room)
    analyse(replace(measured, breakdown=()), SETTINGS.model_copy(update={"test": "none"}))
    return np.concatenate(kept)


def test_bootstrap_samples_choose_as_one_sample_alone(
    context: ReportContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of errant and cleme with two annotators on both sides, m2 and imeasure: every sample of every
    system.
    """
    other = 0
    for measured in context.measured:
        found = scores_of(measured, monkeypatch)
        expected = [
            [naive(measured, [(system, line) for line in sample]) for system in measured.columns]
            for sample in samples_of()
        ]
        assert found.tolist() == expected, measured.scores[0].metric
        assert scores_of(measured, monkeypatch, room=1).tolist() == expected  # line by line
        whole = analyse(measured, SETTINGS.model_copy(update={"annotators": "whole"})).scores
        other += sum(
            s.bootstrap.mean != m
            for s, m in zip(whole, found.mean(axis=0), strict=True)
            if s.bootstrap
        )
    assert other > 0  # with the choice of the whole set, some samples have other scores


def test_shuffles_choose_as_one_shuffle_alone(
    context: ReportContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Approximate randomisation: both sides of each pair of systems in each trial."""
    trials = 3
    kept = np.random.default_rng(SEED).integers(2, size=(trials, LINES), dtype=bool)
    for measured in context.measured:
        expected = []
        for a, b in combinations(range(len(measured.columns)), 2):
            one, two = measured.columns[a], measured.columns[b]
            real = abs(measured.scores[a].score - measured.scores[b].score)
            above = 0
            for row in kept.tolist():
                sides = [
                    [(x if own else y, line) for line, own in enumerate(row)]
                    for x, y in ((one, two), (two, one))
                ]
                first, second = (naive(measured, side) for side in sides)
                above += abs(first - second) > real + 1e-12 * max(
                    abs(s.score) for s in measured.scores
                )
            expected.append((above + 1) / (trials + 1))
        for room in (1, 1 << 26):
            monkeypatch.setattr(chosen_anew, "ROOM", room)
            tests = analyse(
                measured, SETTINGS.model_copy(update={"trials": trials, "correction": "none"})
            ).tests
            assert [test.p for test in tests] == expected


def test_a_sample_is_scored_as_its_sentences_would_be(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oracle of errant_compare reads files that hold the sentences of each sample; scores by
    type as well.
    """
    measured = revisit(folder / "run").measured[0]
    found = scores_of(measured, monkeypatch)
    texts = {
        name: (folder / f"{name}.m2").read_text(encoding="utf-8").strip().split("\n\n")
        for name in ["gold", "A", "B"]
    }
    results = Results.read(folder / "run" / "results.json")
    for number, sample in enumerate(samples_of()):
        gold, *outputs = ("\n\n".join(texts[name][line] for line in sample) for name in texts)
        for column, output in enumerate(outputs):
            types = summed(chosen(output, gold), 3)
            totals = [sum(counts[kind] for counts in types.values()) for kind in range(3)]
            assert found[number, column] == f_beta(totals[0], totals[1], totals[2])[0]
    assert results.statistics is None


def test_the_section_says_it_and_defaults_stay_as_they_were(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = folder / "c.yaml"
    content = json.loads(config.read_text(encoding="utf-8")) | {"metrics": ["errant"]}
    few = {"resamples": 50, "test": "none"}
    results = {}
    ways = {
        "none": {},
        "whole": {"annotators": "whole"},
        "reselected": {"annotators": "reselected"},
    }
    for choice, written in ways.items():
        own = {**few, **written}
        config.write_text(json.dumps(content | {"statistics": own}), encoding="utf-8")
        run(config, folder / choice)
        results[choice] = (folder / choice / "results.json").read_bytes()
    assert results["none"] == results["whole"]
    assert b'"annotators"' not in results["whole"]
    read = Results.read(folder / "reselected" / "results.json")
    assert read.statistics is not None
    assert read.statistics["annotators"] == "reselected"
    bounds = [
        s.bootstrap.interval
        for s in Results.read(folder / "none" / "results.json").scores
        if s.bootstrap
    ]
    assert [s.bootstrap.interval for s in read.scores if s.bootstrap] != bounds
    types = [c.intervals for part in read.breakdown for c in part.categories]
    assert types != [
        c.intervals
        for p in Results.read(folder / "none" / "results.json").breakdown
        for c in p.categories
    ]
    assert main(["show", str(folder / "reselected")]) == 0
    assert "50 bootstrap samples, annotators chosen anew in each" in capsys.readouterr().out
    ar = ("--test", "ar", "--trials", 50)
    code, out, _ = called(capsys, "compare", folder / "none", "--annotators", "reselected", *ar)
    assert (code, "annotators chosen anew in each" in out) == (0, True)
    code, out, _ = called(capsys, "compare", folder / "reselected", "--annotators", "whole", *ar)
    assert (code, "anew" in out) == (0, False)


def test_where_nobody_is_chosen_by_running_totals_it_is_refused(tmp_path: Path) -> None:
    config = write_edits(
        tmp_path, 10, metrics=["errant[choice=sentence]"], statistics={"annotators": "reselected"}
    )
    with pytest.raises(
        ConfigError,
        match="annotators: reselected is for metrics that choose annotators with running totals",
    ):
        run(config, tmp_path / "run")


def test_the_first_of_the_best() -> None:
    keys = [
        np.array([[0.5, 1.0, 2.0], [0.5, 1.0, 1.0], [0.5, 3.0, 2.0]]),
        np.array([[1.0], [2.0], [2.0]]),
    ]
    assert first_best(keys).tolist() == [1, 2, 2]


def test_rounding_is_that_of_python() -> None:
    rng = np.random.default_rng(0)
    tp, fp = rng.integers(0, 5000, (2, 20_000))
    values = np.concatenate([tp / np.maximum(tp + fp, 1), np.arange(20_001) / 20_000])
    assert rounded(values, 4).tolist() == [round(value, 4) for value in values.tolist()]
