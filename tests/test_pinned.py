"""What must not change when files move: public names, keys of stored counts, the form of
results.json.

Whoever changes one of these on purpose changes the value here, and says in CHANGELOG.md what users
have to do."""

from __future__ import annotations

import dataclasses
import math
import re
from pathlib import Path
from typing import Any

import pytest

import pipeline
from pipeline.execution.store.counts import counts_key
from pipeline.metrics.build import from_text, from_values
from tests.conftest import ROOT, read_json, run

KEYS = {
    # metric: (the key that names its columns in file names, the digest by which counts on disk are
    # known again)
    "gleu[tok=whitespace]": (
        "overlap-match-penalty-n4-whitespace",
        "31fd781df93773720f69280fe23a2176",
    ),
    "gleu[tok=whitespace,lc=true]": (
        "overlap-match-penalty-n4-whitespace-lc",
        "786ec01146e9b5c786c88e5800d37d60",
    ),
    "gleu[unit=char,n=6]": (
        "overlap-match-penalty-n6-char",
        "77bbccef28d1fd5a1b935832176b868f",
    ),
    "google_gleu": (
        "overlap-match-n4-whitespace",
        "ba7df6c8e53c9e21bd80e51bfbf58de6",
    ),
    "green": (
        "overlap-match-source_only-common-source_match-source_len-n4-whitespace",
        "2072a3c2a76ab6d3155027823e19ab39",
    ),
    "bleu": ("overlap-union_match-n4-13a", "1a4bc8bee22014ead18a3142ce52b8e5"),
    "bleu[tok=none]": (
        "overlap-union_match-n4-whitespace",
        "d179aea603a8ce0d16b486ffae42a7cc",
    ),
    "chrf[nw=2]": (
        "chrf-overlap-match-n6-nonspace-overlap-match-n2-chrf",
        "c989c6cfaaccc525ed2d404ba22e7fb1",
    ),
    "rouge[types=1+2+L]": (
        "rouge-n2-lcs-newline-google",
        "baa1e86f516e71af8717701ad04a17a6",
    ),
    "rouge[types=SU4,flavour=perl]": (
        "rouge-n0-skip_4-lead-newline-perl",
        "0a518c8758f66964559416358f366d0d",
    ),
    "rouge[types=Lsum+W]": (
        "rouge-n0-union-weighted-w1.2-newline-google",
        "ab7f26a4fd830db91739149559ab11d7",
    ),
    "external": ("external-external-value", "7a38a7a287dd7f7722e84541ee8947b5"),
    "cleme": ("cleme-dependent-16", "06f389e801794307309e95d312fa09c7"),
    "cleme[assumption=independent,level=mean]": (
        "cleme-independent-48",
        "c0dbfd62910921c24f177a30352129d6",
    ),
    "cleme[version=2]": (
        "cleme-dependent-0",
        "735612282244181838469d66083c2a6b",
    ),
    "nist": ("nist-mteval-13a-lc-5-mteval", "a1d07c40a2c51ab3697f3691913a2e91"),
    "cider": ("cider-whitespace-6.0", "7337ee9523926cae7c47525fae841a1e"),
    "length": ("overlap-n1-whitespace", "0177f74df6c987cfd0855211e92327e7"),
}
EXTERNAL = {
    "name": "external",
    "title": "errant",
    "score": "f_beta",
    "files": "errant/{system}.tsv",
}
EXTERNAL_KEY = ("external-errant-tp-fp-fn", "5dc54b3ad461591de6095e003d594822")
PUBLIC = [
    *(
        "Evaluation",
        "Metric",
        "Model",
        "Result",
        "Scorer",
        "__version__",
        "compare",
        "compat",
        "correlate",
        "errors",
        "evaluate",
    ),
    *("load", "metric", "rewards", "run", "sentence_scores"),
]
RESULT = {
    *(
        "bootstrap",
        "columns",
        "dataset",
        "found",
        "measure",
        "notes",
        "outputs",
        "peer_signature",
        "rank",
        "samples",
    ),
    *("ids", "intervals", "sentence_outputs"),
    *(
        "score",
        "sentence_spread",
        "sentences",
        "signature",
        "statistics",
        "system",
        "to_pandas",
        "breakdown",
        "parts",
    ),
    "report",
}
EVALUATION = {
    "count",
    "get",
    "index",
    "to_pandas",
    "report",
    "plot",
    "scores",
    "settings",
}


@pytest.mark.parametrize("text", KEYS)
def test_counts_on_disk_are_known_again(text: str) -> None:
    """The keys of version 0.1.0, in which a key was made of repr() of the needs."""
    spec = from_text(text).spec
    assert (spec.key, counts_key(["text"], spec)) == KEYS[text]


def test_numbers_from_files_are_known_again() -> None:
    spec = from_values([EXTERNAL])[0].spec
    assert (spec.key, counts_key(["text"], spec)) == EXTERNAL_KEY


def test_the_public_names_stay() -> None:
    assert pipeline.__all__ == PUBLIC
    names = {
        *dir(pipeline.Result),
        *(field.name for field in dataclasses.fields(pipeline.Result)),
    }
    assert {name for name in names if not name.startswith("_")} == RESULT
    assert {
        name for name in dir(pipeline.Evaluation) if not name.startswith("_")
    } >= EVALUATION


def same(expected: Any, got: Any, position: str = "") -> None:
    """Hold two contents of results.json against each other: all equal, but for the version and the
    last digits.
    """
    if isinstance(expected, dict):
        assert list(expected) == list(got), position
        for key in expected:
            same(expected[key], got[key], f"{position}/{key}")
    elif isinstance(expected, list):
        assert len(expected) == len(got), position
        for number, (one, other) in enumerate(zip(expected, got, strict=True)):
            same(one, other, f"{position}/{number}")
    elif isinstance(expected, float):
        assert math.isclose(expected, got, rel_tol=1e-12, abs_tol=1e-12), (
            position
        )
    elif isinstance(expected, str):
        assert re.sub(r"\bv:[0-9.]+", "", expected) == re.sub(
            r"\bv:[0-9.]+", "", got
        ), position
    else:
        assert (type(expected), expected) == (type(got), got), position


@pytest.mark.parametrize("name", ["quickstart", "human"])
def test_results_json_keeps_its_form_and_its_numbers(
    tmp_path: Path, name: str
) -> None:
    """The files in tests/pinned/ were written by version 0.1.0, of the sample in data/."""
    run(ROOT / "configs" / f"{name}.yaml", tmp_path / "run")
    expected = read_json(ROOT / "tests" / "pinned" / f"{name}.json")
    content = read_json(tmp_path / "run" / "results.json")
    # of 0.2.0
    assert [row.pop("higher_is_better") for row in content["scores"]] == [
        True
    ] * len(content["scores"])
    same(expected, content)
