"""Bootstrap samples and intervals: against text resampled line by line, and against sacreBLEU's own streams."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline import stages
from pipeline.errors import InputError
from pipeline.execution.count import count_in_memory
from pipeline.execution.options import RunOptions
from pipeline.execution.store import counts as columns_file
from pipeline.metrics.build import from_text
from pipeline.scoring import sentences, weighted_sums
from pipeline.scoring import summands as summands_file
from pipeline.scoring.reduce import reduce
from pipeline.scoring.resampling import bootstrap as bootstrap_file
from pipeline.scoring.resampling import sample_groups
from pipeline.scoring.resampling.bootstrap import bootstrap, cut, percentile_interval, summands
from pipeline.scoring.resampling.sample_weights import Bootstrap, Shuffles
from pipeline.scoring.weighted_sums import weighted_sums as sums_for
from tests.conftest import forced_kernel, write_run
from tests.oracles import naive_statistics as oracle
from tests.oracles.naive import read_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pipeline.scoring.column_blocks import HasBlocks

LINES, SAMPLES, SEED, ITERATIONS = 23, 40, 7, 9


def read_texts(folder: Path, references: int) -> oracle.Texts:
    """Return the texts of a written run."""
    own = [read_lines(folder / "d" / f"ref{number}") for number in range(references)]
    outputs = {name: read_lines(folder / "d" / name) for name in "AB"}
    return oracle.Texts(read_lines(folder / "d" / "source"), own, outputs)


def corpus(folder: Path, metric: str, references: int = 3, lines: int = LINES) -> tuple[oracle.Texts, Any]:
    """Write a random corpus and a config of one metric; return the texts, and the checked run."""
    job = stages.prepare(write_run(folder, lines, seed=3, references=references, chosen=[metric]))
    return read_texts(folder, references), job


def counted(job: Any, names: Sequence[str] = ("A", "B")) -> list[HasBlocks]:
    (found,), (metric,) = job.corpora, job.metrics
    columns = count_in_memory(found, [metric.needs], RunOptions(n_jobs=1))
    return [columns[name, metric.needs] for name in names]


def check(folder: Path, metric: str, scorer: Any, references: int = 3) -> None:
    """The scores of bootstrap samples are those of the resampled text."""
    texts, job = corpus(folder, metric, references)
    columns, score = counted(job), scorer(texts)
    chosen = summands(job.metrics[0], columns, LINES, references)
    found = bootstrap(chosen, 2, LINES, SAMPLES, SEED)
    for number, row in enumerate(oracle.bootstrap_rows(LINES, SAMPLES, SEED)):
        for place, name in enumerate("AB"):
            expected = score(number, [(i, name) for i in row])
            assert math.isclose(found[number, place], expected, rel_tol=1e-12, abs_tol=1e-15), (number, name)
    assert len(np.unique(found)) > SAMPLES  # the samples do differ


POLICIES = {
    f"gleu[iter={ITERATIONS}]": lambda texts: oracle.gleu_sampled(texts, ITERATIONS),
    "gleu[refs=expected,iter=5,seed=4]": lambda texts: oracle.gleu_expected(texts, 5, 4),
    "gleu[refs=max]": oracle.gleu_max,
    "gleu[refs=mean]": lambda texts: oracle.gleu_weighted(texts, [1, 1, 1]),
    "gleu[refs=each]": lambda texts: oracle.gleu_weighted(texts, [1, 1, 1]),
    "gleu[refs=weighted,weights=0.5+0.2+0.3]": lambda texts: oracle.gleu_weighted(texts, [0.5, 0.2, 0.3]),
    f"gleu[refs=leave_one_out,iter={ITERATIONS}]": lambda texts: oracle.gleu_left_out(texts, ITERATIONS),
    "gleu[variant=2015]": oracle.gleu_merged,
    "gleu[level=mean]": oracle.gleu_mean,
    "google_gleu": oracle.google,
    "green": oracle.green,
}


@pytest.mark.parametrize("metric", POLICIES)
def test_bootstrap_scores_are_those_of_resampled_text(tmp_path: Path, metric: str) -> None:
    check(tmp_path, metric, POLICIES[metric])


@pytest.mark.parametrize("metric", ["gleu[iter=9]", "gleu[refs=max]"])
def test_with_one_reference_nothing_is_drawn(tmp_path: Path, metric: str) -> None:
    check(tmp_path, metric, oracle.gleu_max, references=1)


@pytest.mark.parametrize("metric", [f"gleu[iter={ITERATIONS}]", "gleu[refs=expected,iter=5,seed=4]"])
@pytest.mark.parametrize("references", [2, 4, 5, 7])
def test_draws_are_turned_evenly(tmp_path: Path, metric: str, references: int) -> None:
    check(tmp_path, metric, POLICIES[metric], references)


def test_missing_references_are_drawn_among_those_present(tmp_path: Path) -> None:
    config = write_run(
        tmp_path,
        LINES,
        seed=3,
        references=3,
        chosen=[f"gleu[iter={ITERATIONS}]"],
        defaults={"datasets": {"empty_references": "none"}},
    )
    folder = tmp_path / "d"
    for number in range(3):
        kept = [text if text.split() else "filled in" for text in read_lines(folder / f"ref{number}")]
        texts = [text if number == 0 or (i + number) % 3 else "" for i, text in enumerate(kept)]
        (folder / f"ref{number}").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    job = stages.prepare(config)
    assert job.corpora[0].missing
    score = oracle.gleu_sampled_missing(read_texts(tmp_path, 3), ITERATIONS)
    samples = bootstrap(summands(job.metrics[0], counted(job), LINES, 3), 2, LINES, SAMPLES, SEED)
    for number, row in enumerate(oracle.bootstrap_rows(LINES, SAMPLES, SEED)):
        assert samples[number, 0] == pytest.approx(score(number, [(i, "A") for i in row]), rel=1e-12)


def test_references_scored_as_systems_are_resampled_without_themselves(tmp_path: Path) -> None:
    texts, job = corpus(tmp_path, f"gleu[refs=leave_one_out,iter={ITERATIONS}]")
    names, own = ["A", "reference1"], [None, 1]
    columns = counted(job, names)
    found = bootstrap(summands(job.metrics[0], columns, LINES, 3, own), 2, LINES, SAMPLES, SEED)
    human = oracle.gleu_left_out(texts._replace(systems={"h": texts.references[1]}), ITERATIONS, own=1)
    system = oracle.gleu_left_out(texts, ITERATIONS)
    for number, row in enumerate(oracle.bootstrap_rows(LINES, SAMPLES, SEED)):
        assert found[number, 0] == pytest.approx(system(number, [(i, "A") for i in row]), rel=1e-12)
        assert found[number, 1] == pytest.approx(human(number, [(i, "h") for i in row]), rel=1e-12)


@pytest.mark.parametrize("metric", POLICIES)
@pytest.mark.parametrize("limits", [(1, 1000, 1 << 28, 1), (50, 3, 0, 1), (100, 9, 1 << 20, 2), (1 << 20, 7, 900, 3)])
def test_neither_blocks_nor_groups_nor_memory_can_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metric: str, limits: tuple[int, int, int, int]
) -> None:
    """Bit for bit: groups of samples, threads, blocks of lines, and of packed lines, addends kept or made anew."""
    _, job = corpus(tmp_path, metric)
    columns = counted(job)
    expected = bootstrap(summands(job.metrics[0], columns, LINES, 3), 2, LINES, SAMPLES, SEED)
    group, rows, kept, threads = limits
    for file in (bootstrap_file, sample_groups):
        monkeypatch.setattr(file, "GROUP", group)
    monkeypatch.setattr(bootstrap_file, "ALONE", group)
    monkeypatch.setattr(sample_groups, "ROWS", rows)
    monkeypatch.setattr(sample_groups, "THREADED", 1)
    monkeypatch.setattr(summands_file, "KEPT", kept)
    monkeypatch.setattr(summands_file, "MANY", 20 + threads)
    monkeypatch.setattr(summands_file, "TOGETHER", 7)
    monkeypatch.setattr(weighted_sums, "DRAWN_LINES", 5)
    monkeypatch.setattr(columns_file, "BLOCK", 4)
    found = bootstrap(summands(job.metrics[0], columns, LINES, 3), 2, LINES, SAMPLES, SEED, threads=threads)
    assert found.tobytes() == expected.tobytes()


def test_all_weights_1_give_the_score_itself(tmp_path: Path) -> None:
    for metric in ("google_gleu", "green", "gleu[refs=max]", "gleu[level=mean]", "gleu[refs=mean]"):
        _, job = corpus(tmp_path, metric)
        columns = counted(job)
        ones = np.ones((1, LINES), np.uint8)
        chosen = summands(job.metrics[0], columns, LINES, 3)
        found = [p.shares[0] * p.score(sums_for(p, ones, 0).weighted[:, :, 0]).item() for p in chosen]
        score = reduce(job.metrics[0], columns, LINES, 3)[0].score
        assert sum(found) == pytest.approx(score, rel=1e-14)


# ---- sums are exact


def test_numbers_that_cannot_be_summed_exactly_are_refused() -> None:
    metric = from_text("external[score=f_beta]")

    class Large:
        def blocks(self) -> Any:
            yield {name: np.array([1 << 52], np.int64) for name in ("tp", "fp", "fn")}

    with pytest.raises(InputError, match="cannot be summed"):
        bootstrap(summands(metric, [Large()], 2, 1), 1, 2, 3, 0)


@given(
    scores=st.lists(st.floats(-1e300, 1e300, allow_subnormal=True) | st.sampled_from([0.1, 1 / 3, 1e-300]), min_size=1),
    counts=st.lists(st.integers(0, 9), min_size=1),
    bits=st.sampled_from([sentences.BITS, 24, 20]),
)
def test_sentence_scores_add_up_as_if_exactly(scores: list[float], counts: list[int], bits: int) -> None:
    """The error is at most half a unit in the last place of the largest score, a sentence."""
    counts = (counts * len(scores))[: len(scores)]
    exponent = math.frexp(max(map(abs, scores)))[1]
    kind = sentences.Sentences(from_text("external"), exponent, 1, bits)
    made = kind.make({"value": np.array(scores)}).fixed
    assert made.tolist() == np.rint(made).tolist()
    assert np.abs(made).max() <= 1 << bits
    found = Fraction(float(kind.score(np.array(counts, float) @ made)))
    exact = sum((Fraction(s) * w for s, w in zip(scores, counts, strict=True)), Fraction(0))
    unit = Fraction(2) ** (exponent - 2 * bits - 1)
    assert abs(found - exact) <= unit * (sum(counts) / 2 + 1) + abs(exact) * Fraction(2) ** -53 + Fraction(2) ** -1074


@pytest.mark.parametrize(("lines", "bits"), [(1, 26), (1 << 26, 26), ((1 << 26) + 1, 25), (200_000_000, 24)])
def test_sums_of_halves_stay_exact_however_many_sentences_there_are(lines: int, bits: int) -> None:
    """By hand: 2 * 2**bits * lines <= 2**53, which Table asks for."""
    assert sentences.Sentences.of(from_text("bleu[level=mean]"), [], lines).bits == bits
    assert 2 * (1 << bits) * lines <= 1 << 53


# ---- streams


@given(
    lines=st.integers(1, 170),
    rows=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    seed=st.integers(0, 9),
    later=st.booleans(),
)
def test_rows_are_those_of_one_call_of_sacrebleu(lines: int, rows: list[int], seed: int, later: bool) -> None:
    """numpy's generator called once for all rows, as sacrebleu/significance.py does; also where rows are made later."""
    streams: list[Any] = [Bootstrap(lines, seed), Shuffles(lines, seed)]
    if later:
        makers = [[stream.later(count) for count in rows] for stream in streams]
        counts, kept = (np.concatenate([make() for make in reversed(own)][::-1]) for own in makers)
    else:
        counts, kept = (np.concatenate([stream.take(count) for count in rows]) for stream in streams)
    expected = [np.bincount(row, minlength=lines).tolist() for row in oracle.bootstrap_rows(lines, sum(rows), seed)]
    assert counts.tolist() == expected
    assert kept.tolist() == oracle.shuffle_rows(lines, sum(rows), seed)


def test_counts_beyond_a_byte_are_kept() -> None:
    class Stuck:
        bit_generator = np.random.PCG64(0)

        def integers(self, _low: int, _high: int, size: int) -> Any:
            return np.zeros(size, np.int64)

    made = Bootstrap(300, 0)
    made.generator = Stuck()  # type: ignore[assignment]
    with forced_kernel("python"):
        assert made.take(2).tolist() == [[300, *[0] * 299]] * 2


# ---- intervals


@pytest.mark.parametrize(
    ("samples", "level", "outside"),
    # By hand: floor(n (1 - level) / 2); 0.9 of 1,000 is 50 on each side, which 1000 * (1 - 0.9) / 2 in floats misses.
    [(1000, 0.95, 25), (1000, 0.9, 50), (999, 0.95, 24), (1, 0.95, 0), (10, 0.5, 2), (100, 0.99, 0), (400, 0.99, 2)],
)
def test_how_many_values_lie_outside(samples: int, level: float, outside: int) -> None:
    assert cut(samples, level) == outside
    values = np.random.default_rng(1).permutation(samples).astype(float)
    low, high = percentile_interval(values, level)
    assert (float(low), float(high)) == (outside, samples - 1 - outside)


@given(
    values=st.lists(st.floats(0, 1), min_size=1, max_size=60),
    level=st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.123456]),
)
def test_intervals_equal_the_naive_ones(values: list[float], level: float) -> None:
    low, high = percentile_interval(np.array(values), level)
    assert (float(low), float(high)) == oracle.percentile_interval(values, Fraction(str(level)))


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_same_seed_gives_the_same_samples(seed: int) -> None:
    first, second = (Bootstrap(17, seed).take(5).tolist() for _ in range(2))
    assert first == second
    assert first != Bootstrap(17, seed + 1).take(5).tolist()
    assert all(sum(row) == 17 for row in first)
