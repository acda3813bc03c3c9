"""Scorer and sentence_scores: the numbers of evaluate, whatever the lines, the kernel and the
threads.
"""

from __future__ import annotations

import gc
import pickle
import re
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pipeline
from pipeline.data import TEXTS
from pipeline.errors import InputError
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.build import from_text
from tests.conftest import KERNELS, ROOT, forced_kernel
from tests.support.every_metric import GOLD, every_metric, reading
from tests.support.extensions import with_extension
from tests.support.words import MIXED_WORDS

WORDS = [*MIXED_WORDS, "x\ny"]
LINE = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
ALIKE = ("gleu", "green", "imeasure")


@st.composite
def corpora(
    draw: st.DrawFn,
) -> tuple[list[str], list[list[str | None]], list[str], list[int]]:
    """Outputs, reference sets (some with references missing), sources, and the lines of a batch."""
    lines, sets = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    texts = [[draw(LINE) for _ in range(lines)] for _ in range(2 + sets)]
    references: list[list[str | None]] = [[*text] for text in texts[2:]]
    if sets > 1 and draw(st.booleans()):
        references[draw(st.integers(0, sets - 1))][
            draw(st.integers(0, lines - 1))
        ] = None
    return (
        texts[0],
        references,
        texts[1],
        draw(st.lists(st.integers(0, lines - 1), max_size=5)),
    )


def same(
    metric: str,
    outputs: list[str],
    references: Any,
    sources: list[str] | None,
    ids: list[int],
) -> None:
    """Compare all calls of a scorer with evaluate, bit for bit."""
    try:
        result = pipeline.evaluate(outputs, references, sources, metric)[0]
    except InputError as error:  # such as a policy that is not defined where references are missing
        with pytest.raises(InputError, match=re.escape(str(error))):
            pipeline.Scorer(metric, references, sources)
        return
    scorer = pipeline.Scorer(metric, references, sources)
    for other in (scorer, pickle.loads(pickle.dumps(scorer))):  # noqa: S301 (made here)
        np.testing.assert_array_equal(
            other.sentences(outputs), result.sentences
        )
        np.testing.assert_array_equal(
            other.rewards([outputs[i] for i in ids], ids), result.sentences[ids]
        )
    again = scorer.score(outputs)[0]
    assert repr(again.outputs) == repr(result.outputs)
    assert again.signature == scorer.signature == result.signature
    assert repr(again.samples) == repr(result.samples)
    assert {name: array.tolist() for name, array in again.columns.items()} == {
        name: array.tolist() for name, array in result.columns.items()
    }
    np.testing.assert_array_equal(
        pipeline.sentence_scores(metric, outputs, references, sources),
        result.sentences,
    )


@pytest.mark.parametrize("kernel_name", KERNELS)
@pytest.mark.parametrize("metric", reading(TEXTS))
@settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow])
@given(corpus=corpora())
def test_numbers_are_those_of_evaluate(
    metric: str, kernel_name: str, corpus: Any
) -> None:
    outputs, references, sources, ids = corpus
    with forced_kernel(kernel_name), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(
            metric,
            outputs,
            references,
            sources if from_text(metric).spec.source else None,
            ids,
        )


@pytest.mark.parametrize("metric", reading(GOLD))
def test_metrics_of_gold_edits_score_texts(metric: str) -> None:
    """The sample: outputs as texts beside an M2 file, which sources and references come from."""
    gold = ROOT / "data" / "m2" / "gold.m2"
    outputs = (
        (ROOT / "data" / "systems" / "careful.txt")
        .read_text("utf-8")
        .splitlines()
    )
    result = pipeline.evaluate(outputs, metrics=metric, gold=gold)[0]
    scorer = pipeline.Scorer(metric, gold=gold)
    np.testing.assert_array_equal(scorer.sentences(outputs), result.sentences)
    np.testing.assert_array_equal(
        scorer.rewards(outputs[9:2:-2], range(9, 2, -2)),
        result.sentences[9:2:-2],
    )
    assert scorer.score(outputs).outputs == result.outputs
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(scorer)).sentences(outputs),  # noqa: S301
        result.sentences,
    )


def test_what_is_wrong_is_named_with_its_position() -> None:
    scorer = pipeline.Scorer("bleu", ["a b", "c d", "e f"])
    skipping = pipeline.Scorer("rouge[types=S]", ["a b", "c d"])
    calls: list[tuple[str, Any]] = [
        (
            "outputs: expected one for each line, 3; found 2",
            lambda: scorer.sentences(["a", "b"]),
        ),
        (
            "outputs, item 2: expected a text, found None",
            lambda: scorer.sentences(["a", None, "b"]),  # type: ignore[list-item]
        ),
        (
            "outputs: expected a list of texts, found str",
            lambda: scorer.score("abc"),
        ),
        (
            "outputs, item 3: character 1 is half of a surrogate",
            lambda: scorer.sentences(["a", "b", "\ud800"]),
        ),
        (
            "outputs, item 2: 100,001 tokens",
            lambda: skipping.sentences(["a", "b " * 100_001]),
        ),
        (
            "ids: expected one for each output, 1; found 2",
            lambda: scorer.rewards(["a"], [0, 1]),
        ),
        (
            "ids, item 2: expected the number of a line, 0 to 2, found 3",
            lambda: scorer.rewards(["a", "b"], [2, 3]),
        ),
        (
            "ids, item 1: expected the number of a line, 0 to 2, found -1",
            lambda: scorer.rewards(["a"], [-1]),
        ),
        (
            "ids, item 2: expected the number of a line, found 0.5",
            lambda: scorer.rewards(["a", "b"], [0, 0.5]),  # type: ignore[list-item]
        ),
        (
            "ids, item 1: expected the number of a line, found bool",
            lambda: scorer.rewards(["a"], [True]),
        ),
        (
            "ids: expected a list with the number of a line",
            lambda: scorer.rewards(["a"], 0),  # type: ignore[arg-type]
        ),
        (
            "ids: expected numbers of lines, and these are too large",
            lambda: scorer.rewards(["a"], [1 << 70]),
        ),
        ("references: there are none", lambda: pipeline.Scorer("bleu")),
        ("gleu needs a source", lambda: pipeline.Scorer("gleu", ["a"])),
        (
            "different numbers of lines",
            lambda: pipeline.Scorer("gleu", ["a"], ["a", "b"]),
        ),
        (
            "metric: expected one metric, found a list",
            lambda: pipeline.Scorer(["bleu", "chrf"], ["a"]),  # type: ignore[arg-type]
        ),
        *with_extension(
            "functions",
            (
                "reads files of numbers",
                lambda: pipeline.Scorer("external[title=x,files=a.csv]", ["a"]),
            ),
        ),
        (
            "references, item 1: character 2 is half",
            lambda: pipeline.sentence_scores("bleu", ["a"], ["a\udfff"]),
        ),
        (
            "no annotator has a reference",
            lambda: pipeline.sentence_scores("bleu", ["a"], [[None], [None]]),
        ),
        (
            "did you mean 'bleu'",
            lambda: pipeline.sentence_scores("blue", ["a"], ["a"]),
        ),
        (
            "weights: 2 are given for 1",
            lambda: pipeline.sentence_scores(
                "gleu[refs=weighted,weights=1+2]", ["a"], ["a"], ["a"]
            ),
        ),
    ]
    for message, call in calls:
        with pytest.raises(InputError, match=message):
            call()
    assert scorer.rewards([], []).tolist() == []
    assert (
        scorer.rewards(["c d"], np.array([1], np.uint8)).tolist()
        == scorer.sentences(["", "c d", ""])[1:2].tolist()
    )


def test_references_that_look_wrong_are_warned_of_once() -> None:
    with pytest.warns(
        UserWarning, match="reference 1 .* is the same text as the source"
    ):
        scorer = pipeline.Scorer("gleu", ["a b", "c d"], ["a b", "c d"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scorer.sentences(["a", "b"])
        pickle.loads(pickle.dumps(scorer)).rewards(["a"], [1])  # noqa: S301


def test_later_changes_of_the_lists_change_nothing() -> None:
    references = ["a b c d", "e f g h"]
    scorer = pipeline.Scorer("bleu", references)
    references[:] = ["x", "y"]
    remaining = pickle.loads(pickle.dumps(scorer))  # noqa: S301
    assert (
        remaining.sentences(["a b c d", "x"]).tolist()
        == scorer.sentences(["a b c d", "x"]).tolist()
        != [0, 0]
    )


WORDS_OF_CALLS = [f"word{number}" for number in range(40)]


@pytest.mark.parametrize(
    "metric", ["bleu", "gleu", "rouge", "chrf[nw=2]", "rouge[types=Lsum]"]
)
def test_sixteen_threads_have_the_same_numbers_and_memory_stays(
    metric: str,
) -> None:
    """New texts of each call would be 100 kB or more; the pool of memory and Python's own caches are
    not.
    """
    rng = np.random.default_rng(1)
    calls = 300

    def text() -> str:
        return " ".join(rng.choice(WORDS_OF_CALLS, 12))

    references, sources = (
        [text() for _ in range(30)],
        [text() for _ in range(30)],
    )
    scorer = pipeline.Scorer(
        metric, references, sources if metric == "gleu" else None
    )
    batches = [
        ([text() for _ in range(4)], rng.integers(0, 30, 4)) for _ in range(50)
    ]
    expected = [scorer.rewards(*batch) for batch in batches]
    with ThreadPoolExecutor(16) as pool:
        for number, scores in enumerate(
            pool.map(lambda n: scorer.rewards(*batches[n % 50]), range(400))
        ):
            np.testing.assert_array_equal(scores, expected[number % 50])
    tracemalloc.start()
    try:
        for number in range(50):
            scorer.rewards(
                [f"{number} new {word}" for word in WORDS_OF_CALLS[:4]],
                [0, 1, 2, 3],
            )
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for number in range(calls):
            scorer.rewards(
                [f"{number} other {word}" for word in WORDS_OF_CALLS[:4]],
                [0, 1, 2, 3],
            )
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 40_000
    finally:
        tracemalloc.stop()


FORMULAS = [
    text for text, metric in every_metric().items() if metric.compiled()
]
"""The metrics with a compiled form in the kernel of this computer."""


def any_columns(metric: Metric, data: st.DataObject) -> dict[str, Any]:
    """Return columns of a few lines with any counts."""
    lines, references = (
        data.draw(st.integers(1, 3)),
        data.draw(st.integers(1, 4)),
    )
    schema = metric.spec.schema(references)
    high = data.draw(st.sampled_from([1, 3, 40, 10**6]))
    numbers = data.draw(
        st.lists(
            st.integers(0, high),
            min_size=lines * schema.width,
            max_size=lines * schema.width,
        )
    )
    columns = schema.unpack(
        np.array(numbers, np.int64).reshape(lines, schema.width)
    )
    return {
        name: np.ascontiguousarray(column) for name, column in columns.items()
    }


@pytest.mark.parametrize("metric_text", FORMULAS)
@settings(max_examples=20)
@given(data=st.data())
def test_compiled_formulas_are_those_of_the_metric_bit_for_bit(
    metric_text: str, data: st.DataObject
) -> None:
    """On any counts, also such as no text has: an output of length 0 with matches, lengths far
    apart.
    """
    metric = from_text(metric_text)
    with forced_kernel("native"):
        compiled = metric.compiled()
    if compiled is None:
        return
    columns = any_columns(metric, data)
    expected = metric.sentence_scores(columns)
    got = compiled(columns)
    if metric.policy == "merged":
        assert got.shape == (len(columns["hyp_len"]), 1)
    assert got.tobytes() == np.ascontiguousarray(expected).tobytes()
