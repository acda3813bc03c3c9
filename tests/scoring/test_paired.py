"""Paired tests and corrections: sacreBLEU's own code, scipy, shuffled text, and values by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sacrebleu.significance as peer
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from scipy import stats

from pipeline import stages
from pipeline.data import Corpus
from pipeline.execution.count import count_in_memory
from pipeline.execution.options import RunOptions
from pipeline.metrics.build import from_text
from pipeline.scoring.resampling import paired_tests
from pipeline.scoring.resampling import samples as sample_groups
from pipeline.scoring.resampling.intervals import (
    bootstrap,
    percentile_interval,
    summands,
)
from pipeline.scoring.resampling.paired_tests import (
    bonferroni,
    holm,
    sentencewise,
)
from pipeline.scoring.resampling.samples import Resources
from pipeline.scoring.sentences import reduce
from pipeline.scoring.significance_tests import SIGNIFICANCE_TESTS, PairedScores
from pipeline.scoring.significance_tests import sign_test as sign_test_file
from pipeline.scoring.significance_tests.sign_test import (
    binomial_tail,
    sign_test,
)
from pipeline.scoring.terms import first
from tests.conftest import write_run
from tests.oracles import naive_statistics as oracle
from tests.oracles.naive import read_lines
from tests.scoring.test_intervals import (
    ITERATIONS,
    LINES,
    POLICIES,
    SEED,
    corpus,
    counted,
)
from tests.support.extensions import needs
from tests.support.metrics import system_counts

TRIALS = 60
SYSTEMS = ("AMU", "CAMB", "CUUI", "INPUT")


def p_values(test: str, **fields: Any) -> Sequence[float]:
    names = "samples sentencewise summands lines settings resources"
    values: dict[str, Any] = dict.fromkeys(names.split())
    return SIGNIFICANCE_TESTS[test].p_values(PairedScores(**values | fields))


def approximate_randomization(
    summands: Any,
    scores: Any,
    pairs: Any,
    lines: int,
    trials: int,
    seed: int,
    resources: Resources = Resources(),  # noqa: B008
) -> Sequence[float]:
    return p_values(
        "approximate_randomization",
        summands=summands,
        scores=scores,
        pairs=pairs,
        lines=lines,
        settings=SimpleNamespace(trials=trials, seed=seed),
        resources=resources,
    )


def paired_bootstrap(
    samples: Any, scores: Sequence[float], pairs: Sequence[tuple[int, int]]
) -> Sequence[float]:
    return p_values(
        "paired_bootstrap", samples=samples, scores=scores, pairs=pairs
    )


# ---- sacreBLEU, live


class Setting:
    """Systems of CoNLL-2014 with their columns and scores by one metric."""

    def __init__(
        self, shared: Path, metric: str, lines: int | None = None
    ) -> None:
        folder = shared / "conll14"
        self.texts = {
            n: read_lines(folder / n)[:lines]
            for n in (*SYSTEMS, "REF0", "REF1")
        }
        self.metric = from_text(metric)
        references, source = (
            [self.texts["REF0"], self.texts["REF1"]],
            self.texts["INPUT"],
        )
        found = Corpus.in_memory(
            {name: self.texts[name] for name in SYSTEMS}, references, source
        )
        statistics = count_in_memory(
            found, [self.metric.spec], RunOptions(n_jobs=1)
        )
        columns = [statistics[name, self.metric.spec] for name in SYSTEMS]
        self.lines = found.lines
        self.scores = [
            one.score
            for one in reduce(
                system_counts(self.metric, columns, self.lines, 2)
            )
        ]
        self.summands = summands(
            system_counts(self.metric, columns, self.lines, 2)
        )


@pytest.mark.parametrize("lines", [None, 40])
@pytest.mark.parametrize("seed", [12345, 1])
def test_p_values_of_bleu_are_those_that_sacrebleu_finds(
    shared: Path, monkeypatch: pytest.MonkeyPatch, lines: int | None, seed: int
) -> None:
    """sacrebleu's PairedTest itself; its scores are in percent, so only ties could differ by
    rounding.
    """
    setting = Setting(shared, "bleu", lines)
    texts, trials = setting.texts, 300
    monkeypatch.setenv("SACREBLEU_SEED", str(seed))
    named: list[tuple[str, Sequence[str]]] = [
        (name, texts[name]) for name in SYSTEMS
    ]
    pairs = [(number, 0) for number in range(1, len(SYSTEMS))]
    for kind in ("ar", "bs"):
        test = peer.PairedTest(
            named,
            {"BLEU": BLEU()},
            [texts["REF0"], texts["REF1"]],
            kind,
            n_samples=trials,
        )
        expected: list[Any] = next(
            list(scores)
            for name, scores in test()[1].items()
            if name != "System"
        )
        samples = first(
            bootstrap(
                setting.summands, len(SYSTEMS), setting.lines, trials, seed
            )
        )
        if kind == "ar":
            found = approximate_randomization(
                setting.summands,
                setting.scores,
                pairs,
                setting.lines,
                trials,
                seed,
            )
        else:
            found = paired_bootstrap(samples, setting.scores, pairs)
            low, high = percentile_interval(samples, 0.95)
            # sacrebleu's samples are float32: 24 bits
            for number, result in enumerate(expected):
                assert 50 * (high[number] - low[number]) == pytest.approx(
                    result.ci, rel=1e-5
                )
                assert 100 * samples[:, number].mean() == pytest.approx(
                    result.mean, rel=1e-6
                )
        assert found == [result.p_value for result in expected[1:]]
        assert 100 * setting.scores[0] == pytest.approx(
            expected[0].score, rel=1e-12
        )
        assert len(set(found)) > 1


class Shim:
    """What sacrebleu's tests ask of a metric, for any metric of ours: a row of integers a sentence,
    and their score.
    """

    def __init__(self, setting: Setting) -> None:
        (part,) = setting.summands
        rows = np.concatenate([block.fixed for block in part._blocks()])
        self.terms, self.rows = (
            part.terms,
            {name: rows[:, n].astype(int) for n, name in enumerate(SYSTEMS)},
        )

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], _: Any
    ) -> Any:
        return self.rows[hypotheses[0]]

    def _aggregate_and_compute(self, rows: Any) -> Any:
        return self._compute_score_from_stats(np.sum(rows, axis=0))

    def _compute_score_from_stats(self, sums: Any) -> Any:
        return peer.Result(
            float(self.terms.score(np.asarray(sums, np.float64)[None])[0])
        )


@pytest.mark.parametrize(
    "metric", ["google_gleu", "green", "gleu[refs=max]", "bleu[level=mean]"]
)
@pytest.mark.parametrize("kind", ["ar", "bs"])
def test_p_values_of_other_metrics_are_those_of_sacrebleus_code(
    shared: Path, metric: str, kind: str
) -> None:
    """sacrebleu's functions of the tests, which see our integers and our score and do all the rest
    themselves.
    """
    setting, trials = Setting(shared, metric, 150), 200
    shim: Any = Shim(setting)
    lines = {name: [name] * setting.lines for name in SYSTEMS}
    start = {
        "m": (shim.rows["AMU"], shim._aggregate_and_compute(shim.rows["AMU"]))
    }
    if metric.endswith("[level=mean]") and kind == "bs":
        pytest.skip("sacrebleu sums in float32 here, which holds 24 bits")
    for number, name in enumerate(SYSTEMS[1:], 1):
        test = {"ar": peer._paired_ar_test, "bs": peer._paired_bs_test}[kind]
        expected = test(
            start, name, lines[name], None, {"m": shim}, trials, seed=SEED
        )[1]["m"].p_value
        if kind == "ar":
            found = approximate_randomization(
                setting.summands,
                setting.scores,
                [(0, number)],
                setting.lines,
                trials,
                SEED,
            )
        else:
            samples = first(
                bootstrap(
                    setting.summands, len(SYSTEMS), setting.lines, trials, SEED
                )
            )
            found = paired_bootstrap(samples, setting.scores, [(0, number)])
        assert found == [expected]


# ---- shuffled text


@pytest.mark.parametrize("metric", POLICIES)
def test_approximate_randomization_is_that_of_shuffled_text(
    tmp_path: Path, metric: str
) -> None:
    """For every policy: sentences change places as text, and text is scored with the draws of the
    trial.
    """
    texts, job = corpus(tmp_path, metric)
    columns = counted(job)
    scores = [
        one.score
        for one in reduce(system_counts(job.metrics[0], columns, LINES, 3))
    ]
    chosen = summands(system_counts(job.metrics[0], columns, LINES, 3))
    (found,) = approximate_randomization(
        chosen, scores, [(0, 1)], LINES, TRIALS, SEED
    )
    real = scores[0] - scores[1]
    assert found == oracle.approximate_randomization(
        POLICIES[metric](texts), real, ("A", "B"), LINES, TRIALS, SEED
    )
    assert 1 / (TRIALS + 1) < found < 1


@needs("functions")
def test_every_kind_of_shuffle_of_two_sentences_by_hand() -> None:
    """Hits of A: 3, 0; of B: 1, 1. Kept or swapped as a whole: |3 - 2| = 1, the real difference,
    not above it.

    Swapping one sentence: A has 1 + 0 or 3 + 1, so |1 - 4| = 3, above. p = (trials with one swap +
    1) / (trials + 1)."""

    class Rows:
        def __init__(self, tp: list[int]) -> None:
            self.tp = tp

        def blocks(self) -> Any:
            yield {"value": np.array(self.tp, float)}

    metric, trials = from_text("external[score=sum]"), 50
    systems: list[Any] = [Rows([3, 0]), Rows([1, 1])]
    masks = np.array(oracle.shuffle_rows(2, trials, 5))
    one_swap = int((masks[:, 0] != masks[:, 1]).sum())
    assert 0 < one_swap < trials
    chosen = summands(system_counts(metric, systems, 2, 1))
    found = approximate_randomization(
        chosen, [0.03, 0.02], [(0, 1)], 2, trials, 5
    )
    assert found == [(one_swap + 1) / (trials + 1)]


@pytest.mark.parametrize(
    "metric", [f"gleu[iter={ITERATIONS}]", "gleu[level=mean]", "green"]
)
def test_the_order_of_a_pair_and_other_pairs_do_not_matter(
    tmp_path: Path, metric: str
) -> None:
    job = stages.prepare(
        write_run(tmp_path, LINES, systems="ABC", chosen=[metric])
    )
    columns = counted(job, "ABC")
    scores = [
        one.score
        for one in reduce(system_counts(job.metrics[0], columns, LINES, 2))
    ]
    chosen = summands(system_counts(job.metrics[0], columns, LINES, 2))
    every = list(itertools.permutations(range(3), 2))
    found = dict(
        zip(
            every,
            approximate_randomization(chosen, scores, every, LINES, 99, 3),
            strict=True,
        )
    )
    for one, two in every:
        assert found[one, two] == found[two, one]
        assert approximate_randomization(
            chosen, scores, [(one, two)], LINES, 99, 3
        ) == [found[one, two]]
    samples = first(bootstrap(chosen, 3, LINES, 50, 3))
    assert paired_bootstrap(samples, scores, [(0, 1)]) == paired_bootstrap(
        samples, scores, [(1, 0)]
    )


def test_groups_of_trials_cannot_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, job = corpus(tmp_path, f"gleu[iter={ITERATIONS}]")
    columns = counted(job)
    scores = [
        one.score
        for one in reduce(system_counts(job.metrics[0], columns, LINES, 3))
    ]
    arguments = (
        summands(system_counts(job.metrics[0], columns, LINES, 3)),
        scores,
        [(0, 1)],
        LINES,
        TRIALS,
        SEED,
    )
    expected = approximate_randomization(*arguments)
    reported: list[tuple[int, int]] = []
    monkeypatch.setattr(sample_groups, "MAX_ROWS", 7)
    assert (
        approximate_randomization(
            *arguments, Resources(lambda *done: reported.append(done))
        )
        == expected
    )
    assert reported[0] == (7, TRIALS)
    assert reported[-1] == (TRIALS, TRIALS)
    monkeypatch.setattr(sample_groups, "MIN_THREADED_WEIGHTS", 1)
    assert (
        approximate_randomization(
            *arguments, Resources(lambda *done: reported.append(done), 2)
        )
        == expected
    )
    assert reported[-1] == (TRIALS, TRIALS)


# ---- paired bootstrap, by definition


EXACT = st.integers(0, 64).map(lambda whole: whole / 64)
"""Numbers whose sums float64 holds, so that the order of summing, which the definition leaves open,
changes nothing."""


@given(
    rows=st.lists(st.tuples(EXACT, EXACT), min_size=1, max_size=40),
    real=st.tuples(EXACT, EXACT),
)
def test_paired_bootstrap_by_its_definition(
    rows: list[tuple[float, float]], real: tuple[float, float]
) -> None:
    expected = oracle.paired_bootstrap(
        [a for a, _ in rows], [b for _, b in rows], real[0] - real[1]
    )
    assert paired_bootstrap(np.array(rows), real, [(0, 1)]) == [expected]


# ---- sentence by sentence


@given(wins=st.integers(0, 3000), losses=st.integers(0, 3000))
@example(wins=15, losses=1060)
def test_the_sign_test_is_scipys(wins: int, losses: int) -> None:
    """Where scipy's is near 0, the sum in whole numbers: of 15 and 1,060 scipy's is 0, for a part
    of it underflows.
    """
    trials = wins + losses
    expected = stats.binomtest(wins, trials).pvalue if trials else 1.0
    if expected < 1e-250:
        expected = (
            2
            * sum(
                math.comb(trials, heads)
                for heads in range(min(wins, losses) + 1)
            )
            / 2**trials
        )
    assert sign_test(wins, losses) == pytest.approx(
        expected, rel=1e-11, abs=1e-300
    )


@pytest.mark.parametrize(
    "trials", [1, 7, 1000, 1001, 1002, 20_001, 1_000_000, 10_000_001]
)
def test_tails_of_the_binomial_distribution_are_scipys(trials: int) -> None:
    deviation = math.sqrt(trials) / 2
    for positions in (0.0, 0.5, 1, 3, 10, 30):
        successes = int(trials / 2 - positions * deviation)
        if successes >= 0:
            expected = stats.binom.cdf(successes, trials, 0.5)
            assert binomial_tail(successes, trials) == pytest.approx(
                expected, rel=2e-11, abs=1e-290
            )


@pytest.mark.parametrize("trials", [1001, 1002, 1500])
def test_long_and_short_ways_to_a_tail_agree(
    trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # whole numbers take long
    every = range(0, trials // 2, 1 if trials < 1500 else 13)
    series = [binomial_tail(successes, trials) for successes in every]
    monkeypatch.setattr(sign_test_file, "MAX_EXACT_TRIALS", trials)
    exact = [binomial_tail(successes, trials) for successes in every]
    assert series == pytest.approx(exact, rel=1e-12, abs=1e-290)


SCORES = st.sampled_from([0.0, 1 / 3, 0.25, 0.5, 1.0, 7.5])


@given(
    rows=st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=30),
    cut=st.integers(0, 30),
)
def test_systems_compared_sentence_by_sentence(
    rows: list[tuple[float, float]], cut: int
) -> None:
    one, two = np.array(rows).T
    blocks = [
        block
        for block in (
            np.array([one[:cut], two[:cut]]),
            np.array([one[cut:], two[cut:]]),
        )
        if block.size
    ]
    (found,) = sentencewise(blocks, [(0, 1)])
    wins, losses = sum(a > b for a, b in rows), sum(a < b for a, b in rows)
    assert (found.wins, found.losses, found.ties) == (
        wins,
        losses,
        len(rows) - wins - losses,
    )
    assert sign_test(found.wins, found.losses) == pytest.approx(
        oracle.sign_test(one.tolist(), two.tolist()), rel=1e-12
    )
    differences = [a - b for a, b in rows]
    if len(set(differences)) == 1:
        assert (
            found.cohen_d == 0
            if differences[0] == 0
            else math.isnan(found.cohen_d)
        )
    else:
        # Cohen's d of paired samples is t over the root of n
        t = stats.ttest_rel(one, two).statistic
        assert found.cohen_d == pytest.approx(
            t / math.sqrt(len(rows)), rel=1e-9, abs=1e-12
        )
    (turned,) = sentencewise(blocks, [(1, 0)])
    assert (turned.wins, turned.losses) == (found.losses, found.wins)
    assert turned.cohen_d == pytest.approx(
        -found.cohen_d, rel=1e-15, nan_ok=True
    )


def test_scores_that_differ_by_rounding_alone_are_ties() -> None:
    block = np.array(
        [[0.1 + 0.2, 1 / 3, 0.0, 1e-9], [0.3, (1 - 2 / 3), 0.0, 2e-9]]
    )
    (found,) = sentencewise([block], [(0, 1)])
    assert (found.wins, found.losses, found.ties) == (0, 1, 3)


# ---- corrections


P = st.lists(
    st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 1.0]), max_size=12
)


@given(values=P)
def test_holm_by_its_definition(values: list[float]) -> None:
    assert holm(values) == pytest.approx(oracle.holm(values), abs=0)
    assert bonferroni(values) == [
        min(1.0, len(values) * value) for value in values
    ]
    assert all(
        p <= one <= two
        for p, one, two in zip(
            values, holm(values), bonferroni(values), strict=True
        )
    )


def test_holm_by_hand() -> None:
    """Holm 1979: 4 * .005, then max(., 3 * .01), 2 * .03, 1 * .04 but not below its predecessor."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx(
        [0.03, 0.06, 0.06, 0.02], abs=1e-15
    )
    assert paired_tests.CORRECTIONS["none"]([0.2, 0.1]) == [0.2, 0.1]


@given(values=P, level=st.sampled_from([0.01, 0.05, 0.1]))
def test_holm_rejects_what_its_steps_reject(
    values: list[float], level: float
) -> None:
    """The step-down procedure: from the smallest p on, reject while p(j) < level / (m - j + 1)."""
    rejected: set[int] = set()
    for position, number in enumerate(
        sorted(range(len(values)), key=values.__getitem__)
    ):
        if Fraction(values[number]) * (len(values) - position) >= Fraction(
            level
        ):
            break
        rejected.add(number)
    found = {
        number for number, value in enumerate(holm(values)) if value < level
    }
    assert found == rejected or any(
        math.isclose(value, level) for value in holm(values)
    )
