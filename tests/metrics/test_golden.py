"""Numbers of the original programs, and a naive oracle on random text."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipeline.data import Corpus, MemoryText
from pipeline.execution import tasks
from pipeline.execution.count import count_in_memory
from pipeline.execution.options import RunOptions
from pipeline.execution.store.counts import StoredCounts
from pipeline.scoring import Score, SentenceScores
from pipeline.scoring import metric_results as scores
from tests.conftest import (
    KERNELS,
    edited,
    forced_kernel,
    metric_of,
    run,
    sentence,
)
from tests.oracles import naive
from tests.support.numbers import near
from tests.support.words import CONLL14_TEAMS, wordlist

HALF_OF_SIXTH = 5.0000001e-7
"""Half a unit of the last printed digit: the golden files print six."""

REFS = ["REF0", "REF1"]
CONLL = [*CONLL14_TEAMS, *REFS]
JFLEG = [f"dev.ref{number}" for number in range(4)]


def golden(file: Path) -> dict[str, float]:
    """Read `name score` lines."""
    pairs = (
        line.split() for line in file.read_text(encoding="ascii").splitlines()
    )
    return {name: float(score) for name, score in pairs}


def write_golden_config(shared: Path, folder: Path) -> Path:
    conll = shared.resolve() / "conll14"
    jfleg = shared.resolve() / "jfleg"
    systems: dict[str, Any] = {
        name: {"conll14": str(conll / name)} for name in CONLL
    }
    systems |= {
        name: {"jfleg": str(jfleg / name)}
        for name in ("dev.src", "dev.ref0", "dev.ref1")
    }
    text = f"""
datasets:
  conll14: {{source: {json.dumps(str(conll / "INPUT"))}, references: {json.dumps([str(conll / r) for r in REFS])}}}
  jfleg: {{source: {json.dumps(str(jfleg / "dev.src"))}, references: {json.dumps([str(jfleg / r) for r in JFLEG])}}}
systems: {json.dumps(systems)}
metrics:
  - gleu
  - {{name: gleu, variant: 2016}}
"""
    path = folder / "golden.yaml"
    path.write_text(text, encoding="utf-8")
    return path


class GoldenRun:
    """A run over the real data: its directory, and its scores by data set, variant and system."""

    def __init__(self, directory: Path, scores: list[Score]) -> None:
        self.directory = directory
        self.scores = {
            (s.dataset, s.metric.split("variant:")[1][:4], s.system): s
            for s in scores
        }


@pytest.fixture(scope="module", params=KERNELS)
def golden_run(
    request: pytest.FixtureRequest,
    shared: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> GoldenRun:
    folder = tmp_path_factory.mktemp("golden")
    with forced_kernel(request.param):
        results = run(write_golden_config(shared, folder), folder / "run")
    return GoldenRun(folder / "run", results.scores)


# Origin of the numbers: the original Python 2 programs, see golden/README.md.
@pytest.mark.parametrize(
    ("file", "dataset", "variant", "systems"),
    [
        ("gleu-2017.conll14.txt", "conll14", "2017", CONLL),
        ("gleu-2016.conll14.txt", "conll14", "2016", CONLL),
        (
            "gleu-2017.jfleg-dev.txt",
            "jfleg",
            "2017",
            ["dev.src", "dev.ref0", "dev.ref1"],
        ),
        ("gleu-2016.jfleg-dev.txt", "jfleg", "2016", ["dev.src"]),
    ],
)
def test_scores_equal_the_original_programs_to_six_digits(
    golden_run: GoldenRun,
    shared: Path,
    file: str,
    dataset: str,
    variant: str,
    systems: list[str],
) -> None:
    expected = golden(shared / "golden" / file)
    found = {
        name: golden_run.scores[dataset, variant, name].score
        for name in systems
    }
    assert found == pytest.approx(expected, abs=HALF_OF_SIXTH, rel=0)


def test_spread_over_iterations_equals_the_original_debug_output(
    golden_run: GoldenRun, shared: Path
) -> None:
    last = (
        (shared / "golden/gleu-2017.conll14.AMU.debug.txt")
        .read_text(encoding="ascii")
        .splitlines()[-1]
    )
    samples = golden_run.scores["conll14", "2017", "AMU"].samples
    assert samples is not None
    low, high = samples.interval
    score = golden_run.scores["conll14", "2017", "AMU"].score
    assert last == f"{score:.6f} {samples.std:.6f} ({low:.3f},{high:.3f})"
    assert samples.iterations == 500


def test_sentence_scores_equal_the_original_debug_output(
    golden_run: GoldenRun, shared: Path
) -> None:
    text = (shared / "golden/gleu-2017.conll14.AMU.debug.txt").read_text(
        encoding="ascii"
    )
    expected = re.findall(
        r"^[0-9]+ [0-9.]+ [0-9.]+ \(.*\)$", text, re.MULTILINE
    )
    metric = metric_of(level="mean", smoothing="ones")
    path = StoredCounts.path_in(
        golden_run.directory, "conll14", "AMU", metric.spec.key
    )
    columns = StoredCounts(path, metric.spec.schema(2), len(expected)).blocks()
    spreads = [SentenceScores(metric).spread(block) for block in columns]
    rows = [
        *chain(
            *(
                zip(s["score"], s["std"], s["low"], s["high"], strict=True)
                for s in spreads
            )
        )
    ]
    assert len(expected) == 1312
    found = [
        f"{i} {m:.6f} {std:.6f} ({low:.3f},{high:.3f})"
        for i, (m, std, low, high) in enumerate(rows)
    ]
    assert found == expected


Texts = list[list[str]]


# Words, letters that str.lower() changes (one of them into two), and white space that only some
# splits split at.
LINE = st.text("abcB日İ é\t\u00a0\x1c\u2003", max_size=12)
TEXTS = st.integers(1, 5).flatmap(
    lambda lines: st.lists(
        st.lists(LINE, min_size=lines, max_size=lines), min_size=3, max_size=5
    )
)
"""Source, one to three references, output."""
COMMON: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    variant=st.sampled_from(["2017", "2016"]),
    n=st.integers(1, 5),
    lc=st.booleans(),
)
COUNTING = st.builds(
    lambda common, unit: common | unit,
    COMMON,
    st.builds(dict, unit=st.just("char"), strip=st.booleans())
    | st.builds(
        dict, tok=st.sampled_from(["whitespace", "ascii_whitespace", "blank"])
    ),
)
"""Options that say what is counted, under the keys of signatures."""


def scored(texts: Texts, **options: Any) -> Score:
    source, *references, output = (
        MemoryText.of(str(number), lines) for number, lines in enumerate(texts)
    )
    corpus = Corpus(
        name="d",
        lines=source.lines,
        source=source,
        references=tuple(references),
        systems={"A": output},
    )
    metric = metric_of(**options)
    counted = count_in_memory(corpus, [metric.spec], RunOptions(n_jobs=1))
    found = scores.score(tasks.tasks_of([metric], [corpus]), {"d": counted})
    return found[0].scores[0]


def each_line(change: Callable[[str], str], texts: Texts) -> Texts:
    return [[*map(change, lines)] for lines in texts]


class Case(NamedTuple):
    """Texts (source, references, output) and options, also as naive.py has them."""

    texts: Texts
    options: dict[str, Any]
    oracle_texts: tuple[list[str], Texts, list[str]]
    oracle_options: dict[str, Any]

    @property
    def table(self) -> list[list[naive.Columns]]:
        n = self.options["n"]
        return naive.all_columns(*self.oracle_texts, n, **self.oracle_options)


def case_of(texts: Texts, options: dict[str, Any]) -> Case:
    # the specification says no more of white space than `blanks`
    if options.get("strip"):
        texts = each_line(partial(re.sub, r"\s", " "), texts)
    source, *references, output = (
        each_line(str.lower, texts) if options["lc"] else texts
    )
    oracle_options = {
        "unit": options.get("unit", "word"),
        "split": options.get("tok", "whitespace"),
        "strip": options.get("strip", False),
    }
    return Case(texts, options, (source, references, output), oracle_options)


CASES = st.builds(case_of, TEXTS, COUNTING)


@settings(max_examples=150)
@given(
    case=CASES,
    iterations=st.integers(1, 12),
    sampler=st.sampled_from(["python2", "python3"]),
    zero=st.sampled_from(["zero", "one"]),
)
def test_sampled_score_equals_the_naive_one(
    case: Case, iterations: int, sampler: str, zero: str
) -> None:
    found = scored(
        case.texts,
        **case.options,
        iter=iterations,
        rng=sampler,
        zero_total=zero,
    )
    mean, std, _ = naive.gleu_sampled(
        *case.oracle_texts,
        case.options["n"],
        iterations,
        variant=case.options["variant"],
        sampler=sampler,
        zero_total=zero,
        **case.oracle_options,
    )
    assert found.score == near(mean)
    assert found.samples is not None
    assert found.samples.std == near(std)
    references = case.oracle_texts[1]
    expected = iterations if len(references) > 1 else 1
    assert found.samples.iterations == expected


def rounding_decides(row: list[naive.Columns], variant: str) -> bool:
    """Whether two references tie but for rounding: the test of exact ties below is about those."""
    keys = [naive.max_key(columns, variant, None) for columns in row]
    pairs = [
        *chain(*(zip(a, b, strict=True) for a, b in combinations(keys, 2)))
    ]
    return any(a != b and math.isclose(a, b, rel_tol=1e-12) for a, b in pairs)


@settings(max_examples=150)
@given(case=CASES, zero=st.sampled_from(["zero", "one"]))
def test_best_references_equal_the_naive_ones(case: Case, zero: str) -> None:
    table = case.table
    options = case.options
    assume(not any(rounding_decides(row, options["variant"]) for row in table))
    found = scored(case.texts, **options, refs="max", zero_total=zero)
    expected = naive.gleu_max(table, options["variant"], zero_total=zero)
    counts: dict[str, list[Any]] = {
        "match": expected.match,
        "penalty": expected.penal,
    }
    counts |= {"numer": expected.numer, "total": expected.denom}
    by_order = {
        f"{name}_{n}": value
        for name, values in counts.items()
        for n, value in enumerate(values, 1)
    }
    lengths = {"hyp_len": expected.hyp_len, "ref_len": expected.ref_len}
    assert {
        name: found.outputs[name] for name in by_order | lengths
    } == by_order | lengths
    assert found.score == near(expected.score)


@settings(max_examples=150)
@given(
    case=CASES,
    over=st.sampled_from(["mean", "max"]),
    smoothing=st.sampled_from(["none", "ones"]),
)
def test_mean_of_sentences_equals_the_naive_one(
    case: Case, over: str, smoothing: str
) -> None:
    found = scored(
        case.texts, **case.options, level="mean", refs=over, smoothing=smoothing
    )
    score = {"none": naive.sentence_gleu, "ones": naive.sentence_gleu_ones}[
        smoothing
    ]
    means = []
    for row in case.table:
        values = [score(columns, case.options["variant"]) for columns in row]
        means.append(max(values) if over == "max" else fmean(values))
    assert found.score == near(fmean(means))


# Ties in exact arithmetic: of 7 tokens and orders 1 and 2, 4/7 * 3/6 = 6/7 * 2/6, whatever the
# logarithms round to.
TIES = [
    (length, (a1, a2), (b1, b2))
    for length in range(2, 16)
    for a1 in range(1, length + 1)
    for a2 in range(1, min(a1, length - 1) + 1)
    for b1 in range(1, a1)
    for b2 in range(a2 + 1, min(b1, length - 1) + 1)
    if a1 * a2 == b1 * b2
]


@pytest.mark.parametrize("first", ["lower", "higher"])
def test_ties_but_for_rounding_go_to_the_reference_that_the_package_takes(
    first: str,
) -> None:
    accum = pytest.importorskip("gleu.accum")
    score = pytest.importorskip("gleu.score")
    metric = metric_of(n=2, refs="max")
    wrong = []
    for length, *pair in TIES:
        ordered = pair if first == "lower" else pair[::-1]
        match = np.array([ordered])
        columns = {
            "hyp_len": np.array([length]),
            "ref_len": np.array([[length, length]]),
            "total": np.array([[length, length - 1]]),
            "match": match,
            "penalty": np.zeros_like(match),
        }
        totals = (length, length - 1)
        counted = [
            [
                accum.Accumulator(m, 0, t)
                for m, t in zip(orders, totals, strict=True)
            ]
            for orders in ordered
        ]
        package = score.drn_accum_to_d_rmax(
            [counted], columns["ref_len"], columns["hyp_len"]
        )
        wrong += [(length, *pair)] * (
            metric.choose(columns).tolist() != package
        )
    assert len(TIES) > 10
    assert wrong == []


@pytest.mark.parametrize("variant", ["2017", "2016"])
@pytest.mark.parametrize(
    ("reference", "output", "expected"),
    [("", "", 1.0), ("a", "", 0.0), ("", "a", 0.0)],
)
def test_sentence_without_tokens(
    variant: str, reference: str, output: str, expected: float
) -> None:
    """Specification, sentence level (a): both empty 1, an empty output 0; a numerator of 0 gives 0."""
    assert (
        scored(
            [["a b"], [reference], [output]], variant=variant, level="mean"
        ).score
        == expected
    )


@pytest.mark.parametrize("iterations", [3, 500])
@pytest.mark.parametrize("seed", [0, 3, 4])
def test_equal_references_have_no_spread(iterations: int, seed: int) -> None:
    """All draws then give the same score: its deviation is 0, not what rounding a mean leaves over."""
    rng = random.Random(seed)
    source = [sentence(rng) for _ in range(6)]
    reference, output = ([edited(line, rng) for line in source] for _ in "ro")
    several = scored(
        [source, reference, reference, reference, output], n=1, iter=iterations
    )
    alone = scored([source, reference, output], n=1)
    assert alone.score > 0
    assert several.samples is not None
    assert several.score == pytest.approx(alone.score, abs=1e-15)
    assert several.samples.std == 0.0
    assert [math.isnan(bound) for bound in several.samples.interval] == [
        True,
        True,
    ]


@pytest.mark.parametrize("seed", [0, 1])
def test_equal_references_have_no_spread_in_a_sentence(seed: int) -> None:
    rng = random.Random(seed)
    lines = [sentence(rng) for _ in range(40)]
    texts = [
        lines,
        *([[edited(line, rng) for line in lines]] * 3),
        [edited(line, rng) for line in lines],
    ]
    source, *references, output = (
        MemoryText.of(str(number), text) for number, text in enumerate(texts)
    )
    metric = metric_of(n=1, level="mean")
    counted = count_in_memory(
        Corpus(
            name="d",
            lines=40,
            source=source,
            references=tuple(references),
            systems={"A": output},
        ),
        [metric.spec],
    )
    spread = SentenceScores(metric).spread(
        next(counted["A", metric.spec].blocks())
    )
    assert set(spread["std"].tolist()) == {0.0}
    assert np.isnan(spread["low"]).all()


def test_a_million_tokens_in_a_line() -> None:
    """By hand: an output equal to its reference and unlike its source matches everything."""
    line = "a " * 1_000_000
    found = scored([["b"], [line], [line]], n=2)
    assert found.score == 1.0
    counts = {
        name: found.outputs[name]
        for name in wordlist("hyp_len ref_len match_1 match_2 penalty_1")
    }
    assert counts == {
        "hyp_len": 1e6,
        "ref_len": 1e6,
        "match_1": 1e6,
        "match_2": 999_999.0,
        "penalty_1": 0.0,
    }
