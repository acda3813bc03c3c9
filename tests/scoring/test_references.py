"""The table of policies of references: each gives naive scores, and nobody else asks which one a
metric has.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from pipeline.metrics import METRICS
from pipeline.metrics.build import from_text
from pipeline.scoring.aggregation import POLICIES
from pipeline.scoring.sentences import reduce
from tests.oracles import naive
from tests.oracles import naive_statistics as oracle
from tests.scoring import test_intervals as test_resample
from tests.scoring.test_intervals import ITERATIONS, LINES, corpus, counted
from tests.support.metrics import system_counts
from tests.test_structure import FILES

GROUPS, SEED = 5, 4


def sampled(
    texts: oracle.Texts, name: str, left: Sequence[int] = (0, 1, 2)
) -> float:
    """The mean over iterations, with some of the references."""
    references = [texts.references[number] for number in left]
    return naive.gleu_sampled(
        texts.source, references, texts.systems[name], iterations=ITERATIONS
    )[0]


def expected(texts: oracle.Texts, name: str) -> float:
    """The mean over random choices, each turned by no, one and two references."""
    table = oracle.table_of(texts)[name]
    drawn = (
        (np.random.default_rng(SEED).random((GROUPS, LINES)) * 3)
        .astype(int)
        .tolist()
    )
    scores = []
    for row, turn in product(drawn, range(3)):
        choice = [(number + turn) % 3 for number in row]
        scores.append(naive.gleu_corpus(table, choice))
    return math.fsum(scores) / len(scores)


def alone(
    texts: oracle.Texts, name: str, shares: Sequence[float] = (1, 1, 1)
) -> float:
    """The weighted mean of the scores with each reference."""
    table = oracle.table_of(texts)[name]
    scores = [naive.gleu_corpus(table, [number] * LINES) for number in range(3)]
    return math.fsum(
        w * score for w, score in zip(shares, scores, strict=True)
    ) / math.fsum(shares)


def left_out(texts: oracle.Texts, name: str) -> float:
    """The mean over the references left out."""
    return (
        math.fsum(
            sampled(texts, name, left) for left in ([1, 2], [0, 2], [0, 1])
        )
        / 3
    )


NAIVE = {
    "sample": (f"gleu[iter={ITERATIONS}]", sampled),
    "expected": (f"gleu[refs=expected,iter={GROUPS},seed={SEED}]", expected),
    "max": (
        "gleu[refs=max]",
        lambda texts, name: naive.gleu_max(oracle.table_of(texts)[name]).score,
    ),
    "merged": (
        "gleu[variant=2015]",
        lambda texts, name: naive.gleu_merged(
            texts.source, texts.references, texts.systems[name], "2015"
        ),
    ),
    "mean": ("gleu[refs=mean]", alone),
    "each": ("gleu[refs=each]", alone),
    "weighted": (
        "gleu[refs=weighted,weights=5+2+3]",
        lambda texts, name: alone(texts, name, [0.5, 0.2, 0.3]),
    ),
    "leave_one_out": (f"gleu[refs=leave_one_out,iter={ITERATIONS}]", left_out),
}
"""A metric for each policy, and its score by the definition."""


@pytest.mark.parametrize("policy", POLICIES)
def test_each_policy_gives_the_naive_scores(
    tmp_path: Path, policy: str
) -> None:
    written, score = NAIVE[policy]
    metric = from_text(written)
    assert metric.policy == policy
    texts, job = corpus(tmp_path, written)
    for name, reduced in zip(
        "AB", reduce(system_counts(metric, counted(job), LINES, 3)), strict=True
    ):
        assert reduced.score == pytest.approx(score(texts, name), rel=1e-12)


def test_samples_of_each_policy_are_compared_with_naive_ones() -> None:
    assert {
        from_text(metric).policy for metric in test_resample.POLICIES
    } == set(POLICIES)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_policy_of_the_table(name: str) -> None:
    options = METRICS[name].options
    policies = {METRICS[name]().policy}
    for option in options:
        if option.name == "references":
            policies |= {
                METRICS[name](**{option.attribute: value}).policy
                for value in option.choices or ()
            }
    assert policies <= set(POLICIES)


def test_references_are_rows_of_their_own_only_where_each_is_left_out() -> None:
    assert {
        name: list(policy.rows(2))
        for name, policy in POLICIES.items()
        if policy.rows(2)
    } == {"leave_one_out": ["reference0", "reference1"]}


# ---- nobody else asks


def comparisons(code: str) -> list[int]:
    """Return the lines in which a policy is compared with a text."""

    def is_policy(node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == "policy"

    def texts(node: ast.AST) -> bool:
        return any(
            isinstance(part, ast.Constant) and isinstance(part.value, str)
            for part in ast.walk(node)
        )

    lines = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            requested = any(map(is_policy, sides)) and any(
                texts(side) for side in sides
            )
        else:
            requested = isinstance(node, ast.Match) and is_policy(node.subject)
            # such as policy.startswith
            requested |= isinstance(node, ast.Attribute) and is_policy(
                node.value
            )
        lines += [getattr(node, "lineno", 0)] if requested else []
    return lines


@pytest.mark.parametrize("name", FILES)
def test_only_the_table_knows_which_policy_a_metric_has(name: str) -> None:
    lines = comparisons(FILES[name].read_text("utf-8"))
    assert [
        f"pipeline/{name}:{line}: ask POLICIES[metric.policy]" for line in lines
    ] == []


@pytest.mark.parametrize(
    "code",
    [
        "metric.policy == 'max'",
        "'max' != metric.policy",
        "result.measure.policy in ('max', 'mean')",
        "metric.policy.startswith('m')",
        "match metric.policy:\n    case 'max': pass",
    ],
)
def test_comparisons_are_seen(code: str) -> None:
    assert comparisons(code) == [1]
