"""Samples and what is made of them: intervals of scores and outputs, rank ranges, clusters,
letters.
"""

from __future__ import annotations

import csv
import itertools
import json
import math
import pickle
import random
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib.externals.loky.cloudpickle_wrapper import dumps

import pipeline
from pipeline import stages
from pipeline.errors import ConfigError, InputError, Problem
from pipeline.execution.count import count_in_memory
from pipeline.execution.options import RunOptions
from pipeline.execution.store import counts as columns_file
from pipeline.execution.store import run_directory
from pipeline.execution.store.counts import InMemoryCounts
from pipeline.execution.store.run_directory import RunDirectory
from pipeline.metrics.build import from_text
from pipeline.scoring import group_letters, sentences, sums
from pipeline.scoring.group_letters import letters
from pipeline.scoring.resampling import intervals
from pipeline.scoring.resampling import samples as sample_groups
from pipeline.scoring.resampling.intervals import (
    RankRanges,
    bootstrap,
    cut,
    percentile_interval,
    summands,
)
from pipeline.scoring.resampling.samples import Bootstrap, Resources, Shuffles
from pipeline.scoring.results import Results
from pipeline.scoring.rows import ranks
from pipeline.scoring.sentences import reduce
from pipeline.scoring.terms import HasBlocks, first
from tests.conftest import (
    RunLine,
    forced_kernel,
    printed,
    write_lines,
    write_run,
)
from tests.oracles import naive_statistics as oracle
from tests.oracles.naive import read_lines
from tests.scoring.test_sentence_outputs import HYPOTHESES, ONE, SOURCES, TWO
from tests.support.extensions import needs
from tests.support.metrics import system_counts

# ---- bootstrap samples and intervals: against text resampled line by line, and against sacreBLEU's
# own streams.


LINES, SAMPLES, SEED, ITERATIONS = 23, 40, 7, 9


def read_texts(folder: Path, references: int) -> oracle.Texts:
    """Return the texts of a written run."""
    values = [
        read_lines(folder / "d" / f"ref{number}")
        for number in range(references)
    ]
    outputs = {name: read_lines(folder / "d" / name) for name in "AB"}
    return oracle.Texts(read_lines(folder / "d" / "source"), values, outputs)


def corpus(
    folder: Path, metric: str, references: int = 3, lines: int = LINES
) -> tuple[oracle.Texts, Any]:
    """Write a random corpus and a config of one metric; return the texts, and the checked run."""
    job = stages.prepare(
        write_run(folder, lines, seed=3, references=references, chosen=[metric])
    )
    return read_texts(folder, references), job


def counted(job: Any, names: Sequence[str] = ("A", "B")) -> list[HasBlocks]:
    (found,), (metric,) = job.corpora, job.metrics
    columns = count_in_memory(found, [metric.spec], RunOptions(n_jobs=1))
    return [columns[name, metric.spec] for name in names]


def sample_scores(
    job: Any,
    columns: list[HasBlocks],
    resources: Resources | None = None,
    references: int = 3,
) -> Any:
    """Return the scores of bootstrap samples [samples, systems]."""
    counts = system_counts(job.metrics[0], columns, LINES, references)
    return first(
        bootstrap(
            summands(counts),
            2,
            LINES,
            SAMPLES,
            SEED,
            resources or Resources(),
        )
    )


def check(folder: Path, metric: str, scorer: Any, references: int = 3) -> None:
    """The scores of bootstrap samples are those of the resampled text."""
    texts, job = corpus(folder, metric, references)
    columns, score = counted(job), scorer(texts)
    found = sample_scores(job, columns, references=references)
    for number, row in enumerate(oracle.bootstrap_rows(LINES, SAMPLES, SEED)):
        for position, name in enumerate("AB"):
            expected = score(number, [(i, name) for i in row])
            assert math.isclose(
                found[number, position], expected, rel_tol=1e-12, abs_tol=1e-15
            ), (
                number,
                name,
            )
    assert len(np.unique(found)) > SAMPLES  # the samples do differ


POLICIES = {
    f"gleu[iter={ITERATIONS}]": lambda texts: oracle.gleu_sampled(
        texts, ITERATIONS
    ),
    "gleu[refs=expected,iter=5,seed=4]": lambda texts: oracle.gleu_expected(
        texts, 5, 4
    ),
    "gleu[refs=max]": oracle.gleu_max,
    "gleu[refs=mean]": lambda texts: oracle.gleu_weighted(texts, [1, 1, 1]),
    "gleu[refs=each]": lambda texts: oracle.gleu_weighted(texts, [1, 1, 1]),
    "gleu[refs=weighted,weights=0.5+0.2+0.3]": lambda texts: (
        oracle.gleu_weighted(texts, [0.5, 0.2, 0.3])
    ),
    f"gleu[refs=leave_one_out,iter={ITERATIONS}]": lambda texts: (
        oracle.gleu_left_out(texts, ITERATIONS)
    ),
    "gleu[variant=2015]": oracle.gleu_merged,
    "gleu[level=mean]": oracle.gleu_mean,
    "google_gleu": oracle.google,
    "green": oracle.green,
}


@pytest.mark.parametrize("metric", POLICIES)
def test_bootstrap_scores_are_those_of_resampled_text(
    tmp_path: Path, metric: str
) -> None:
    check(tmp_path, metric, POLICIES[metric])


@pytest.mark.parametrize("metric", ["gleu[iter=9]", "gleu[refs=max]"])
def test_with_one_reference_nothing_is_drawn(
    tmp_path: Path, metric: str
) -> None:
    check(tmp_path, metric, oracle.gleu_max, references=1)


@pytest.mark.parametrize(
    "metric", [f"gleu[iter={ITERATIONS}]", "gleu[refs=expected,iter=5,seed=4]"]
)
@pytest.mark.parametrize("references", [2, 4, 5, 7])
def test_draws_are_turned_evenly(
    tmp_path: Path, metric: str, references: int
) -> None:
    check(tmp_path, metric, POLICIES[metric], references)


def test_missing_references_are_drawn_among_those_present(
    tmp_path: Path,
) -> None:
    config = write_run(
        tmp_path,
        LINES,
        seed=3,
        references=3,
        chosen=[f"gleu[iter={ITERATIONS}]"],
    )
    config.write_text(
        config.read_text("utf-8").replace(
            '"source":', '"empty_references": "none", "source":'
        ),
        "utf-8",
    )
    folder = tmp_path / "d"
    for number in range(3):
        remaining = [
            text if text.split() else "filled in"
            for text in read_lines(folder / f"ref{number}")
        ]
        texts = [
            text if number == 0 or (i + number) % 3 else ""
            for i, text in enumerate(remaining)
        ]
        write_lines(folder / f"ref{number}", texts)
    job = stages.prepare(config)
    assert job.corpora[0].missing
    score = oracle.gleu_sampled_missing(read_texts(tmp_path, 3), ITERATIONS)
    samples = sample_scores(job, counted(job))
    for number, row in enumerate(oracle.bootstrap_rows(LINES, SAMPLES, SEED)):
        assert samples[number, 0] == pytest.approx(
            score(number, [(i, "A") for i in row]), rel=1e-12
        )


def test_references_scored_as_systems_are_resampled_without_themselves(
    tmp_path: Path,
) -> None:
    texts, job = corpus(tmp_path, f"gleu[refs=leave_one_out,iter={ITERATIONS}]")
    names, values = ["A", "reference1"], [None, 1]
    columns = counted(job, names)
    found = first(
        bootstrap(
            summands(system_counts(job.metrics[0], columns, LINES, 3, values)),
            2,
            LINES,
            SAMPLES,
            SEED,
        )
    )
    human = oracle.gleu_left_out(
        texts._replace(systems={"h": texts.references[1]}),
        ITERATIONS,
        reference=1,
    )
    system = oracle.gleu_left_out(texts, ITERATIONS)
    for number, row in enumerate(oracle.bootstrap_rows(LINES, SAMPLES, SEED)):
        assert found[number, 0] == pytest.approx(
            system(number, [(i, "A") for i in row]), rel=1e-12
        )
        assert found[number, 1] == pytest.approx(
            human(number, [(i, "h") for i in row]), rel=1e-12
        )


@pytest.mark.parametrize("metric", POLICIES)
@pytest.mark.parametrize(
    "limits",
    [
        (1, 1000, 1 << 28, 1),
        (50, 3, 0, 1),
        (100, 9, 1 << 20, 2),
        (1 << 20, 7, 900, 3),
    ],
)
def test_neither_blocks_nor_groups_nor_memory_can_be_seen(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    metric: str,
    limits: tuple[int, int, int, int],
) -> None:
    """Bit for bit: groups of samples, threads, blocks of lines, and of packed lines, terms kept or
    made anew.
    """
    _, job = corpus(tmp_path, metric)
    columns = counted(job)
    expected = sample_scores(job, columns)
    group, rows, remaining, threads = limits
    for file in (intervals, sample_groups):
        monkeypatch.setattr(file, "MAX_WEIGHT_BYTES", group)
    monkeypatch.setattr(intervals, "MAX_BYTES_REREADING", group)
    monkeypatch.setattr(sample_groups, "MAX_ROWS", rows)
    monkeypatch.setattr(sample_groups, "MIN_THREADED_WEIGHTS", 1)
    monkeypatch.setattr(sums, "MAX_CACHED_BYTES", remaining)
    monkeypatch.setattr(sums, "LARGE_LINES", 20 + threads)
    monkeypatch.setattr(sums, "PACKED_LINES", 7)
    monkeypatch.setattr(columns_file, "BLOCK_LINES", 4)
    found = sample_scores(job, columns, Resources(threads=threads))
    assert found.tobytes() == expected.tobytes()


class Workers:
    """A cluster of which some workers are lost. What they get is pickled as clusters do it."""

    def __init__(self, number: int, lost: Sequence[int]) -> None:
        self.number, self.lost, self.done = number, lost, 0

    def __reduce__(self) -> str:
        raise TypeError("a connection cannot be sent")

    def workers(self) -> int:
        if not self.number:
            raise ConfigError([Problem("backend dask", "nobody answers there")])
        return self.number

    def shared(self, call: Any, items: Sequence[Any]) -> list[Any]:
        given = (pickle.loads(bytes(dumps((call, item)))) for item in items)  # noqa: S301 (our own)
        answers = [
            None if n in self.lost else values(item)
            for n, (values, item) in enumerate(given)
        ]
        self.done += sum(answer is not None for answer in answers)
        return answers


@pytest.mark.parametrize(
    "metric",
    [
        f"gleu[iter={ITERATIONS}]",
        "gleu[refs=weighted,weights=0.5+0.2+0.3]",
        "green",
    ],
)
@pytest.mark.parametrize(
    ("number", "lost"),
    [(1, ()), (7, (0, 2)), (90, (5,)), (3, range(99)), (0, range(99))],
)
def test_workers_of_a_cluster_cannot_be_seen(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    metric: str,
    number: int,
    lost: Sequence[int],
) -> None:
    """Bit for bit: whatever the number of workers, also where some or all are lost or have another
    folder.
    """
    _, job = corpus(tmp_path, metric)
    columns = counted(job)
    expected = sample_scores(job, columns)
    monkeypatch.setattr(sums, "MAX_CACHED_BYTES", 0)
    for name, value in (
        ("SECTION_WORDS", 64),
        ("CHUNK_WORDS", 16),
        ("MAX_WORKER_BYTES", 6 * LINES),
        ("MAX_ROWS", 4),
    ):
        monkeypatch.setattr(sample_groups, name, value)
    directory = RunDirectory(tmp_path / "run")
    for elsewhere in (False, True):
        cluster, reported = Workers(number, lost), list[int]()
        if elsewhere:
            monkeypatch.setattr(
                run_directory,
                "new_proof",
                lambda _: tmp_path / "on another machine",
            )
        found = bootstrap(
            summands(system_counts(job.metrics[0], columns, LINES, 3)),
            *(2, LINES, SAMPLES, SEED),
            Resources(
                lambda done, _: reported.append(done),  # noqa: B023
                2,
                sample_groups.SampleCluster(cluster, directory),  # type: ignore[arg-type]
            ),
        )
        assert first(found).tobytes() == expected.tobytes()
        assert (
            reported[-1] == SAMPLES
        )  # in one step, where workers have done it
        # few or no numbers are passed over
        ranges = -(
            -(SAMPLES - min(6, -(-SAMPLES // max(number, 1)))) * LINES // 128
        )
        assert (cluster.done > ranges + 1) == (len(lost) < 9 and not elsewhere)


def test_all_weights_1_give_the_score_itself(tmp_path: Path) -> None:
    for metric in (
        "google_gleu",
        "green",
        "gleu[refs=max]",
        "gleu[level=mean]",
        "gleu[refs=mean]",
    ):
        _, job = corpus(tmp_path, metric)
        columns = counted(job)
        ones = np.ones((1, LINES), np.uint8)
        chosen = summands(system_counts(job.metrics[0], columns, LINES, 3))
        found = [
            p.shares[0] * p.score(p.weighted(ones)[0][:, :, 0]).item()
            for p in chosen
        ]
        score = reduce(system_counts(job.metrics[0], columns, LINES, 3))[
            0
        ].score
        assert sum(found) == pytest.approx(score, rel=1e-14)


# ---- sums are exact


@needs("functions")
def test_numbers_that_cannot_be_summed_exactly_are_refused() -> None:
    metric = from_text("external[score=f_beta]")

    class Large:
        def blocks(self) -> Any:
            yield {
                name: np.array([1 << 52], np.int64)
                for name in ("tp", "fp", "fn")
            }

    with pytest.raises(InputError, match="cannot be summed"):
        bootstrap(summands(system_counts(metric, [Large()], 2, 1)), 1, 2, 3, 0)


@needs("functions")
@given(
    scores=st.lists(
        st.floats(-1e300, 1e300, allow_subnormal=True)
        | st.sampled_from([0.1, 1 / 3, 1e-300]),
        min_size=1,
    ),
    counts=st.lists(st.integers(0, 9), min_size=1),
    bits=st.sampled_from([sentences.BITS, 24, 20]),
)
def test_sentence_scores_add_up_as_if_exactly(
    scores: list[float], counts: list[int], bits: int
) -> None:
    """The error is at most half a unit in the last place of the largest score, a sentence."""
    counts = (counts * len(scores))[: len(scores)]
    exponent = math.frexp(max(map(abs, scores)))[1]
    metric = from_text("external")
    columns = InMemoryCounts(
        [], metric.spec.schema(0), {"value": np.array(scores)}
    )
    terms = sentences.OutputTerms(
        metric,
        sentences.SentenceScores(metric).score_alone,
        {metric.output: exponent},
        1,
        bits,
    )
    ((created, _, _),) = terms.blocks(columns)
    assert np.abs(created).max() <= 1 << bits
    found = Fraction(float(terms.score(np.array(counts, float) @ created)))
    exact = sum(
        (Fraction(s) * w for s, w in zip(scores, counts, strict=True)),
        Fraction(0),
    )
    unit = Fraction(2) ** (exponent - 2 * bits - 1)
    assert (
        abs(found - exact)
        <= unit * (sum(counts) / 2 + 1)
        + abs(exact) * Fraction(2) ** -53
        + Fraction(2) ** -1074
    )


@pytest.mark.parametrize(
    ("lines", "bits"),
    [(1, 26), (1 << 26, 26), ((1 << 26) + 1, 25), (200_000_000, 24)],
)
def test_sums_of_halves_stay_exact_however_many_sentences_there_are(
    lines: int, bits: int
) -> None:
    """By hand: 2 * 2**bits * lines <= 2**53, which check_sums() asks for."""
    metric = from_text("bleu[level=mean]")
    assert (
        sentences.OutputTerms.of(
            metric, [], lines, sentences.SentenceScores(metric).score_alone
        ).bits
        == bits
    )
    assert 2 * (1 << bits) * lines <= 1 << 53


# ---- streams


@given(
    lines=st.integers(1, 170),
    rows=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    seed=st.integers(0, 9),
    later=st.booleans(),
)
def test_rows_are_those_of_one_call_of_sacrebleu(
    lines: int, rows: list[int], seed: int, later: bool
) -> None:
    """numpy's generator called once for all rows, as sacrebleu/significance.py does; also where
    rows are made later.
    """
    streams: list[Any] = [Bootstrap(lines, seed), Shuffles(lines, seed)]
    if later:
        makers = [[stream.later(count) for count in rows] for stream in streams]
        counts, remaining = (
            np.concatenate([make() for make in reversed(values)][::-1])
            for values in makers
        )
    else:
        counts, remaining = (
            np.concatenate([stream.take(count) for count in rows])
            for stream in streams
        )
    expected = [
        np.bincount(row, minlength=lines).tolist()
        for row in oracle.bootstrap_rows(lines, sum(rows), seed)
    ]
    assert counts.tolist() == expected
    assert remaining.tolist() == oracle.shuffle_rows(lines, sum(rows), seed)


@given(
    lines=st.integers(1, 170),
    rows=st.sets(st.integers(0, 30), min_size=1),
    seed=st.integers(0, 9),
    lost=st.sets(st.integers(0, 20)),
)
def test_samples_begin_where_numpy_begins_them(
    lines: int, rows: set[int], seed: int, lost: set[int]
) -> None:
    with mock.patch.multiple(sample_groups, SECTION_WORDS=64, CHUNK_WORDS=16):
        for stream in (Bootstrap(lines, seed), Shuffles(lines, seed)):
            complete = stream.take(32).tolist()
            found = stream.starting_at(sorted(rows), Workers(3, [*lost]))  # type: ignore[arg-type]
            assert [values.take(2).tolist() for values in found] == [
                complete[row : row + 2] for row in sorted(rows)
            ]


@pytest.mark.parametrize(
    "lines", [3, 1000, 100_000_007, (1 << 31) + 1, (1 << 32) - 1]
)
def test_numbers_are_passed_over_as_in_numpy(lines: int) -> None:
    """Of 2**31 + 1 lines almost half are, which no count of samples would show."""
    with mock.patch.multiple(
        sample_groups, SECTION_WORDS=1 << 10, CHUNK_WORDS=1 << 6
    ):
        stream = Bootstrap(lines, SEED)
        before = sum(map(stream.draws, range(5)))
        expected = np.random.default_rng(SEED).integers(0, lines, before + 100)
        for passed in (before, before - 1, before - 77):
            behind = Bootstrap(
                lines, SEED, 4, passed - sum(map(stream.draws, range(4)))
            )
            assert (
                behind.generator.integers(0, lines, 100).tolist()
                == expected[passed : passed + 100].tolist()
            )
        assert (before < 5 << 11) == (lines in (100_000_007, (1 << 31) + 1))


def test_counts_beyond_a_byte_are_kept() -> None:
    class Stuck:
        bit_generator = np.random.PCG64(0)

        def integers(self, _low: int, _high: int, size: int) -> Any:
            return np.zeros(size, np.int64)

    created = Bootstrap(300, 0)
    created.generator = Stuck()  # type: ignore[assignment]
    with forced_kernel("python"):
        assert created.take(2).tolist() == [[300, *[0] * 299]] * 2


# ---- intervals


@pytest.mark.parametrize(
    ("samples", "level", "outside"),
    # By hand: floor(n (1 - level) / 2); 0.9 of 1,000 is 50 on each side, which 1000 * (1 - 0.9) / 2
    # in floats misses.
    [
        (1000, 0.95, 25),
        (1000, 0.9, 50),
        (999, 0.95, 24),
        (1, 0.95, 0),
        (10, 0.5, 2),
        (100, 0.99, 0),
        (400, 0.99, 2),
    ],
)
def test_how_many_values_lie_outside(
    samples: int, level: float, outside: int
) -> None:
    assert cut(samples, level) == outside
    values = np.random.default_rng(1).permutation(samples).astype(float)
    low, high = percentile_interval(values, level)
    assert (float(low), float(high)) == (outside, samples - 1 - outside)


@given(
    values=st.lists(st.floats(0, 1), min_size=1, max_size=60),
    level=st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.123456]),
)
def test_intervals_equal_the_naive_ones(
    values: list[float], level: float
) -> None:
    low, high = percentile_interval(np.array(values), level)
    assert (float(low), float(high)) == oracle.percentile_interval(
        values, Fraction(str(level))
    )


# ---- rank ranges, clusters and letters: naive definitions, properties, values by hand.


VALUES = st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5])


@st.composite
def samples(draw: st.DrawFn) -> list[list[float]]:
    systems = draw(st.integers(1, 6))
    return draw(
        st.lists(
            st.lists(VALUES, min_size=systems, max_size=systems),
            min_size=1,
            max_size=60,
        )
    )


@given(rows=samples(), level=st.sampled_from([0.5, 0.9, 0.95]))
def test_ranges_of_ranks_equal_the_naive_ones(
    rows: list[list[float]], level: float
) -> None:
    assert RankRanges.of(np.array(rows), level).ranges == oracle.rank_ranges(
        rows, Fraction(str(level))
    )


def test_a_score_that_is_no_number_ranks_last() -> None:
    assert RankRanges.of(np.array([[math.nan, 0.0, 1.0]] * 3), 0.95).ranges == [
        (3, 3),
        (2, 2),
        (1, 1),
    ]


def test_ranges_of_ranks_by_hand() -> None:
    """A first in 990 of 1,000 samples and third in 10, of which 25 may be left out; B second, in
    the 10 first.
    """
    rows = [[3.0, 2.0, 1.0]] * 990 + [[1.0, 3.0, 2.0]] * 10
    assert RankRanges.of(np.array(rows), 0.95).ranges == [
        (1, 1),
        (2, 2),
        (3, 3),
    ]
    assert RankRanges.of(np.array(rows), 0.999).ranges == [
        (1, 3),
        (1, 2),
        (2, 3),
    ]


# By hand: a cluster ends where all above are better than all below, whatever ranges within overlap.


@given(rows=samples())
def test_clusters_by_their_definition(rows: list[list[float]]) -> None:
    means = np.mean(rows, axis=0).round(9).tolist()
    positions = ranks(means)
    rank_ranges = RankRanges.of(np.array(rows), 0.9)
    ranges = rank_ranges.ranges
    found = rank_ranges.clusters(means)
    for one, two in itertools.permutations(range(len(positions)), 2):
        borders = [
            position
            for position in {
                p for p in positions if positions[one] < p <= positions[two]
            }
            if max(
                r[1]
                for r, p in zip(ranges, positions, strict=True)
                if p < position
            )
            < min(
                r[0]
                for r, p in zip(ranges, positions, strict=True)
                if p >= position
            )
        ]
        if positions[one] <= positions[two]:
            assert found[two] - found[one] == len(borders)


# ---- letters


@pytest.mark.parametrize(
    ("positions", "different", "expected"),
    [
        ([1], [], ["a"]),
        ([1, 2], [], ["a", "a"]),
        ([2, 1], [(0, 1)], ["b", "a"]),
        ([1, 2, 3], [(0, 2)], ["a", "ab", "b"]),
        ([1, 2, 3, 4], [(0, 2), (0, 3), (1, 3)], ["a", "ab", "bc", "c"]),
        ([1, 2, 3], [(1, 2)], ["ab", "a", "b"]),
    ],
)
def test_letters_by_hand(
    positions: list[int], different: list[tuple[int, int]], expected: list[str]
) -> None:
    assert letters(positions, different) == expected


@given(data=st.data(), systems=st.integers(1, 8))
def test_systems_share_a_letter_unless_they_differ(
    data: st.DataObject, systems: int
) -> None:
    every = list(itertools.combinations(range(systems), 2))
    different = (
        data.draw(st.lists(st.sampled_from(every), unique=True))
        if every
        else []
    )
    positions = data.draw(st.permutations(range(1, systems + 1)))
    found = letters(
        positions,
        [
            pair if random.random() < 0.5 else (pair[1], pair[0])
            for pair in different
        ],
    )
    assert oracle.is_letter_display(
        found, {frozenset(pair) for pair in different}
    )
    assert "a" in found[positions.index(1)]


def test_the_check_of_letters_can_fail() -> None:
    pairs = {frozenset((0, 1))}
    assert oracle.is_letter_display(["a", "b"], pairs)
    for wrong in (["a", "a"], ["a", ""], ["ab", "b"], ["ac", "b"]):
        assert not oracle.is_letter_display(wrong, pairs)


def test_more_groups_than_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    every = list(itertools.combinations(range(60), 2))
    found = letters(range(1, 61), every)
    assert found[25:28] == ["z", "A", "B"]
    assert found[52:] == [f"({number})" for number in range(53, 61)]
    monkeypatch.setattr(group_letters, "MAX_GROUPS", 59)
    assert letters(range(1, 61), every) == [""] * 60


OUTPUT_SAMPLES = 40
STATISTICS = {"outputs": "all", "resamples": OUTPUT_SAMPLES, "test": "none"}
SYSTEMS = {"A": HYPOTHESES, "B": [*ONE[:2], *HYPOTHESES[2:]]}
METRICS = [
    "chrf",
    "google_gleu",
    "bleu",
    "ter",
    "ter[level=mean]",
    "rouge[types=1+L]",
    "rouge[types=2,level=micro]",
    "rouge[types=1+W,refs=mean]",
    "rouge[flavour=perl,types=1+L,refs=jackknife]",
    "green",
    "gleu[refs=max]",
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("metric", METRICS)
def test_intervals_are_those_of_samples_that_are_scored_anew(
    metric: str,
) -> None:
    results = pipeline.evaluate(
        SYSTEMS, [ONE, TWO], SOURCES, metrics=[metric], statistics=STATISTICS
    )
    weights = Bootstrap(len(HYPOTHESES), 12345).take(OUTPUT_SAMPLES)
    for result in results:
        drawn: dict[str, list[float]] = {}
        for row in weights:
            texts: list[list[str]] = [
                [
                    text
                    for text, times in zip(values, row.tolist(), strict=True)
                    for _ in range(times)
                ]
                for values in (SYSTEMS[result.system], ONE, TWO, SOURCES)
            ]
            sample = pipeline.evaluate(
                texts[0], texts[1:3], texts[3], metrics=[metric]
            )[0]
            for name, value in sample.outputs.items():
                drawn.setdefault(name, []).append(value)
        counts = {name for name in drawn if name not in result.intervals}
        assert all(
            name.rpartition("_")[0] in result.measure.counts
            or name in result.measure.counts
            for name in counts
        )
        for name, spread in result.intervals.items():
            low, high = percentile_interval(np.array(drawn[name]), 0.95)
            assert spread.interval == pytest.approx(
                (float(low), float(high)), abs=1e-12
            ), name
            assert spread.mean == pytest.approx(
                np.mean(drawn[name]), abs=1e-12
            ), name
            assert spread.std == pytest.approx(
                np.std(drawn[name], ddof=1), abs=1e-12
            ), name


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "metric",
    [
        *METRICS,
        "gleu[iter=7]",
        "gleu[refs=leave_one_out,iter=5]",
        "gleu[refs=each]",
    ],
)
def test_the_interval_of_the_score_is_its_own(metric: str) -> None:
    for result in pipeline.evaluate(
        SYSTEMS, [ONE, TWO], SOURCES, metrics=[metric], statistics=STATISTICS
    ):
        spread = next(iter(result.intervals.values()))
        assert result.bootstrap is not None
        assert spread.interval == pytest.approx(
            result.bootstrap.interval, abs=1e-15
        )
        assert (spread.mean, spread.std) == pytest.approx(
            (result.bootstrap.mean, result.bootstrap.std), abs=1e-15
        )
        assert all(
            low <= high
            for low, high in (
                values.interval for values in result.intervals.values()
            )
        )


def test_a_run_keeps_them_and_has_none_unasked(
    tmp_path: Path, run_line: RunLine
) -> None:
    statistics: Any = {"resamples": 20, "trials": 20, "outputs": "all"}
    config = write_run(
        tmp_path,
        systems=["A", "B"],
        chosen=["rouge", "bleu"],
        statistics=statistics,
    )
    evaluation = pipeline.run(config, tmp_path / "run")
    read = Results.read(tmp_path / "run" / "results.json")
    assert [score.intervals for score in read.scores] == [
        result.intervals for result in evaluation
    ]
    assert read.statistics is not None
    assert read.statistics["outputs"] == "all"
    assert list(evaluation[0].intervals) == list(evaluation[0].outputs)
    with (tmp_path / "run" / "scores.csv").open() as file:
        rows = {
            (row["system"], row["metric"], row["output"]): row["value"]
            for row in csv.DictReader(file)
        }
    values = evaluation[0]
    low, high = values.intervals["rouge1_precision"].interval
    found = [
        rows[values.system, values.signature, f"rouge1_precision_{end}"]
        for end in ("low", "high")
    ]
    assert found == [repr(low), repr(high)]
    assert [
        output
        for _, _, output in rows
        if "match" in output and output.endswith("low")
    ] == []
    if find_spec("pandas"):
        frame = evaluation.to_pandas("all")
        assert frame["rouge1_precision_low"][0] == low
    again = pipeline.compare(tmp_path / "run", outputs="score")
    assert not any(score.intervals for score in again.scores)
    content = json.loads(
        printed(run_line(f"rank {tmp_path}/run --outputs score --json"))
    )
    assert "outputs" not in content["statistics"]
    assert not any("intervals" in score for score in content["scores"])
    assert "rouge1_precision" in printed(
        run_line(f"rank {tmp_path}/run --digits 3")
    )


def test_the_command_prints_them(tmp_path: Path, run_line: RunLine) -> None:
    for name, text in (("o", "a b x\nq\n"), ("r", "a b c d\nq\n")):
        (tmp_path / name).write_text(text)
    files = ("-r", str(tmp_path / "r"), "-o", str(tmp_path / "o"))
    out = printed(run_line("score rouge1", *files, "--all-intervals"))
    row = next(line for line in out.splitlines() if "rouge1_precision" in line)
    assert row.split()[-5:] == [
        "83.33",
        row.split()[-4],
        "66.67",
        "to",
        "100.00",
    ]
    assert "rouge1_precision" not in printed(
        run_line("score rouge1", *files, "--confidence")
    )
