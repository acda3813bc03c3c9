"""Scorer and sentence_scores: the numbers of evaluate, whatever the lines, the kernel and the threads."""

from __future__ import annotations

import gc
import pickle
import re
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pipeline
from pipeline.errors import InputError
from pipeline.metrics import METRICS
from pipeline.metrics.build import from_text
from tests.conftest import KERNELS, ROOT, forced_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXTS = [
    "gleu[iter=20]",
    "gleu[refs=max]",
    "gleu[refs=mean]",
    "gleu[refs=expected,iter=5]",
    "gleu[refs=merged]",
    "gleu[variant=2015,lambda=0.5]",
    "gleu[variant=2016,refs=max,smoothing=ones,level=mean]",
    "gleu[variant=paper,refs=mean,unit=char,n=6]",
    "gleu[n=9,refs=max]",
    "google_gleu",
    "google_gleu[min=2,n=3,lc=true]",
    "bleu",
    "bleu[smooth=floor,eff=no]",
    "bleu[smooth=add-k,tok=intl,n=7]",
    "bleu[weights=0.5+0.25+0.25,ties=first,bp=inverted]",
    "bleu[flavour=nltk]",
    "bleu[flavour=nltk,smooth=method5]",
    "bleu[flavour=tensorflow]",
    "bleu[flavour=moses,n=8]",
    "chrf",
    "chrf[nw=2,lc=true]",
    "chrf[eps=true,space=true]",
    "rouge",
    "rouge[types=L+Lsum+SU4+W]",
    "rouge[types=2,stem=porter]",
    "rouge[types=1+L,refs=mean,beta=1.2]",
    "rouge[types=1+2,refs=merged]",
    "rouge[types=L,split=none,alpha=0.3]",
    "rouge[flavour=perl,types=1+L+SU4]",
    "green",
    "length",
]
"""A setting for each way to count and to score. Some have compiled forms, others take the general way."""
WORDS = [
    "a",
    "b",
    "The",
    "cat",
    "dogs",
    "dog's",
    ".",
    ",",
    "1.5",
    "&quot;",
    "<",
    "naïve",
    "日本",
    "😀",
    "x\ny",
    "longer-word",
]
LINE = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
ALIKE = ("gleu", "green", "imeasure")


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[list[str | None]], list[str], list[int]]:
    """Outputs, reference sets (some with references missing), sources, and the lines of a batch."""
    lines, sets = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    texts = [[draw(LINE) for _ in range(lines)] for _ in range(2 + sets)]
    references: list[list[str | None]] = [[*text] for text in texts[2:]]
    if sets > 1 and draw(st.booleans()):
        references = [[text if text and text.strip() else "x" for text in reference] for reference in references]
        references[draw(st.integers(0, sets - 1))][draw(st.integers(0, lines - 1))] = None
    return texts[0], references, texts[1], draw(st.lists(st.integers(0, lines - 1), max_size=5))


def same(metric: str, outputs: list[str], references: Any, sources: list[str] | None, ids: list[int]) -> None:
    """Compare all calls of a scorer with evaluate, bit for bit."""
    try:
        result = pipeline.evaluate(outputs, references, sources, metric)[0]
    except InputError as error:  # such as a policy that is not defined where references are missing
        with pytest.raises(InputError, match=re.escape(str(error))):
            pipeline.Scorer(metric, references, sources)
        return
    scorer = pipeline.Scorer(metric, references, sources)
    for other in (scorer, pickle.loads(pickle.dumps(scorer))):  # noqa: S301 (made here)
        np.testing.assert_array_equal(other.sentences(outputs), result.sentences)
        np.testing.assert_array_equal(other.rewards([outputs[i] for i in ids], ids), result.sentences[ids])
    again = scorer.score(outputs)[0]
    assert repr(again.outputs) == repr(result.outputs)
    assert again.signature == scorer.signature == result.signature
    assert repr(again.samples) == repr(result.samples)
    assert {name: array.tolist() for name, array in again.columns.items()} == {
        name: array.tolist() for name, array in result.columns.items()
    }
    np.testing.assert_array_equal(pipeline.sentence_scores(metric, outputs, references, sources), result.sentences)


@pytest.mark.parametrize("kernel_name", KERNELS)
@pytest.mark.parametrize("metric", TEXTS)
@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(corpus=corpora())
def test_numbers_are_those_of_evaluate(metric: str, kernel_name: str, corpus: Any) -> None:
    outputs, references, sources, ids = corpus
    with forced_kernel(kernel_name), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(metric, outputs, references, sources if from_text(metric).needs.source else None, ids)


def test_every_metric_of_texts_is_compared() -> None:
    """The others read edits of outputs or files: the next tests."""
    assert {name for name, metric in METRICS.items() if metric().needs.view == "texts" and not metric.reads_files} == {
        from_text(text).name for text in TEXTS
    }
