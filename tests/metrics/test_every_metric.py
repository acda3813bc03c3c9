"""One property of all metrics: how a score is made cannot be seen in it.

`METRICS_ON` has for each spelling of a metric what data it is scored on. A run in shards, with
several threads and with the other kernel writes the same bytes; a signature gives the metric back;
and texts that are prepared once give what a plain call gives. What the numbers are is tested
beside, against other programs."""

from __future__ import annotations

import json
import pickle
import random
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pipeline
from pipeline.execution.options import RunOptions
from pipeline.metrics import METRICS
from pipeline.metrics.base.capabilities import is_built_in
from pipeline.metrics.build import from_text
from pipeline.scoring.metric_results import signed
from tests.conftest import forced_kernel, run, tree

if TYPE_CHECKING:
    from collections.abc import Callable

    Files = dict[str, str]

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
    "longer-word",
]
LINES = 11
"""Sentences: more than a shard has."""


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def changed(line: str, rng: random.Random) -> str:
    """Return a line with some words left out or replaced."""
    words = [
        rng.choice(WORDS) if rng.random() < 0.2 else word
        for word in line.split()
        if rng.random() < 0.9
    ]
    return " ".join(words)


def annotated(sources: list[str], rng: random.Random, annotators: int) -> str:
    """Return an M2 file: annotators have edits, change nothing, or have no line."""
    blocks = []
    for source in sources:
        size, lines = len(source.split()), [f"S {source}"]
        for annotator in range(annotators):
            kind = rng.choice(["edits", "edits", "noop", "none"])
            places = sorted(rng.sample(range(size + 1), min(2, size))) if kind == "edits" else []
            for place in places:
                span, type_ = (
                    f"{place} {min(size, place + rng.randint(0, 1))}",
                    rng.choice(["R:NOUN", "M:DET", "UNK"]),
                )
                lines.append(
                    f"A {span}|||{type_}|||{rng.choice(WORDS)}|||REQUIRED|||-NONE-|||{annotator}"
                )
            if kind == "noop" or (kind == "none" and not annotator):
                lines.append(f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def sources_of(rng: random.Random, shortest: int) -> list[str]:
    sizes = [rng.choice([shortest, shortest, 1, 2, 5, 12]) for _ in range(LINES)]
    return [" ".join(rng.choices(WORDS, k=size)) for size in sizes]


def texts(rng: random.Random, *, missing: bool = False) -> Files:
    """Return texts with empty lines, and references of which some are missing if that is asked for."""
    sources = sources_of(rng, 0)
    files = {name: [changed(line, rng) for line in sources] for name in ("r0", "r1", "A", "B")}
    if missing:
        files["r0"] = [line or "a" for line in files["r0"]]
        files["r1"] = [line if rng.random() < 0.7 else "" for line in files["r1"]]
    dataset = {
        "source": "s",
        "references": ["r0", "r1"],
        **({"empty_references": "none"} if missing else {}),
    }
    config = {"datasets": {"d": dataset}, "systems": {"A": "A", "B": "B"}}
    return {
        "s": text(sources),
        **{name: text(own) for name, own in files.items()},
        "config": json.dumps(config),
    }


def gold(rng: random.Random) -> Files:
    """Return gold edits and outputs that are texts."""
    sources = sources_of(rng, 1)
    config = {"datasets": {"d": {"gold": "gold"}}, "systems": {"A": "A", "B": "B"}}
    outputs = {name: text([changed(line, rng) or "x" for line in sources]) for name in "AB"}
    return {"gold": annotated(sources, rng, 3), **outputs, "config": json.dumps(config)}


def edits(rng: random.Random) -> Files:
    """Return gold edits and outputs that are edits."""
    sources = sources_of(rng, 1)
    config = {"datasets": {"d": {"gold": "gold"}}, "systems": {name: {"m2": name} for name in "AB"}}
    outputs = {name: annotated(sources, rng, 1) for name in "AB"}
    return {"gold": annotated(sources, rng, 2), **outputs, "config": json.dumps(config)}


def numbers(rng: random.Random) -> Files:
    """Return a score for each sentence of each system."""
    own = {
        f"{name}.scores": text([str(rng.randint(0, 99) / 100) for _ in range(LINES)])
        for name in "AB"
    }
    return {**texts(rng), **own}


def gaps(rng: random.Random) -> Files:
    return texts(rng, missing=True)


METRICS_ON: dict[str, Callable[[random.Random], Files]] = {
    **dict.fromkeys(
        [
            *(
                "gleu[iter=20]",
                "gleu[iter=9,rng=python3]",
                "gleu[refs=max]",
                "gleu[refs=mean]",
                "gleu[refs=each]",
            ),
            *("gleu[refs=expected,iter=5]", "gleu[refs=merged]", "gleu[refs=leave_one_out,iter=5]"),
            *(
                "gleu[refs=weighted,weights=0.7+0.3]",
                "gleu[variant=2015,lambda=0.5]",
                "gleu[variant=2016-03]",
            ),
            *(
                "gleu[variant=2016,refs=max,smoothing=ones,level=mean]",
                "gleu[n=9,refs=max,zero_total=one]",
            ),
            *("gleu[variant=paper,refs=mean,unit=char,n=6]", "gleu[variant=paper,clip=sentence]"),
            *("google_gleu", "google_gleu[min=2,n=3,lc=true]", "google_gleu[level=mean,unit=char]"),
            *("green", "green[beta=1,level=mean]", "green[flavour=gec-metrics,unit=char]"),
            *(
                "bleu",
                "bleu[smooth=floor,eff=no]",
                "bleu[smooth=add-k,tok=intl,n=7]",
                "bleu[tok=zh,level=mean]",
            ),
            *(
                "bleu[weights=0.5+0.25+0.25,ties=first,bp=inverted]",
                "bleu[flavour=nltk]",
                "bleu[flavour=tensorflow]",
            ),
            *("bleu[flavour=nltk,smooth=method5]", "bleu[flavour=moses,n=8]"),
            *(
                "chrf",
                "chrf[nw=2,lc=true]",
                "chrf[eps=true,space=true]",
                "ter",
                "ter[level=mean,norm=true,cased=true]",
            ),
            *(
                "rouge",
                "rouge[types=L+Lsum+SU4+W]",
                "rouge[types=2,stem=porter]",
                "rouge[types=1+L,refs=mean,beta=1.2]",
            ),
            *("rouge[types=1+2,refs=merged]", "rouge[types=L,split=none,alpha=0.3]"),
            *("rouge[flavour=perl,types=1+L+W+SU4]", "rouge[level=bootstrap,samples=50]"),
            *(
                "length",
                "length[strip=end,tok=13a,level=sum]",
                "features",
                "features[lc=true,tok=whitespace]",
            ),
            *(
                "sari",
                "sari[avg=micro,del=precision,level=mean]",
                "sari[legacy=true]",
                "sari[flavour=modified]",
            ),
            *("sari[flavour=xu]", "sari[flavour=huggingface,tok=intl]"),
            *(
                "nist",
                "nist[flavour=pymteval,n=3]",
                "nist[flavour=nltk]",
                "nist[flavour=nltk,tok=13a,lc=true]",
            ),
            "rouge[flavour=coco]",
            *("nist[lc=false]", "nist[tok=intl]", "cider", "cider[sigma=2.5,tok=13a,lc=true]"),
        ],
        texts,
    ),
    **dict.fromkeys(
        ["gleu", "gleu[refs=max,level=mean]", "chrf[nw=1]", "bleu[n=2]", "rouge[types=1+Lsum]"],
        gaps,
    ),
    **dict.fromkeys(["sari[lc=false]", "sari[flavour=xu,tok=13a]"], gaps),
    **dict.fromkeys(
        ["nist", "nist[flavour=pymteval]", "nist[flavour=nltk,n=2]", "cider[sigma=3]"], gaps
    ),
    **dict.fromkeys(
        [
            *(
                "m2",
                "m2[annotators=all,code=3.2,beta=1]",
                "m2[choice=last]",
                "m2[level=mean,mu=3,iwc=true]",
            ),
            *(
                "imeasure",
                "imeasure[mix=true]",
                "imeasure[optimise=corpus,aspect=detection]",
                "imeasure[level=mean]",
            ),
        ],
        gold,
    ),
    **dict.fromkeys(
        [
            *(
                "errant",
                "errant[mode=dt,types=R+M]",
                "errant[mode=ds,multi=true]",
                "errant[level=mean,multi=true]",
            ),
            *(
                "cleme[weights=none]",
                "cleme[assumption=independent]",
                "cleme[level=mean]",
                "cleme[version=2]",
            ),
            *(
                "gotoscorer",
                "gotoscorer[weights=none,flavour=gec-metrics]",
                "gotoscorer[level=mean,a=1.5,c=2]",
            ),
        ],
        edits,
    ),
    "external": numbers,
}
"""The data of each metric, by its spelling. There is one for each way to count and to score."""

WAYS = [
    (RunOptions(n_jobs=2, backend="threading", shard_lines=3), "python"),
    (RunOptions(n_jobs=1, backend="serial", shard_lines=1), "native"),
]
"""How a score may be made: workers and shards, and the kernel."""


def test_every_metric_is_asked() -> None:
    metrics = [from_text(spelling) for spelling in METRICS_ON]
    with_models = {
        name for name, metric in METRICS.items() if is_built_in(metric)
    }  # tests/metrics/neural
    assert {metric.name for metric in metrics} == set(METRICS) - with_models - {
        "meteor"
    }  # it needs Java: test_meteor.py
    assert len({signed(metric, 2) for metric in metrics}) == len(set(metrics)) == len(metrics)


def prepared(spelling: str, folder: Path, results: pipeline.Evaluation) -> None:
    """Compare a scorer, and a copy of it as another process gets it, with the scores of a run, bit
    for bit.
    """
    plain = results.get(system="A")
    data = json.loads((folder / "config.yaml").read_text(encoding="utf-8"))["datasets"]["d"]

    def lines(name: str) -> list[str]:
        return (folder / name).read_text(encoding="utf-8").splitlines()

    references: Any = [lines(name) for name in data.get("references", ())]
    if "empty_references" in data:
        references = [[line or None for line in own] for own in references]
    if "gold" in data:
        scorer = pipeline.Scorer(spelling, gold=folder / "gold")
    else:
        scorer = pipeline.Scorer(
            spelling, references, lines("s") if plain.measure.spec.source else None
        )
    for own in (scorer, pickle.loads(pickle.dumps(scorer))):  # noqa: S301 (made here)
        np.testing.assert_array_equal(own.sentences(lines("A")), plain.sentences)
    again = scorer.score(lines("A"))[0]
    assert repr(again.outputs) == repr(plain.outputs)
    assert again.signature == plain.signature


@pytest.mark.parametrize("spelling", METRICS_ON)
@settings(max_examples=2, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**30))
def test_how_a_score_is_made_cannot_be_seen(spelling: str, seed: int) -> None:
    metric, made = from_text(spelling), METRICS_ON[spelling]
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(name)
        files = made(random.Random(seed))
        asked: Any = {"name": spelling, "files": "{system}.scores"} if made is numbers else spelling
        statistics = (
            {} if metric.level == "bootstrap" else {"statistics": {"resamples": 20, "trials": 20}}
        )
        files["config.yaml"] = json.dumps(
            json.loads(files.pop("config")) | {"metrics": [asked]} | statistics
        )
        for file, content in files.items():
            (folder / file).write_text(content, encoding="utf-8", newline="")
        run(folder / "config.yaml", folder / "plain")
        for number, (options, kernel) in enumerate(WAYS):
            with forced_kernel(kernel):
                run(folder / "config.yaml", folder / str(number), options)
            assert tree(folder / "plain") == tree(folder / str(number))
        results = pipeline.load(folder / "plain")
        for result in results:
            assert from_text(result.signature) == metric == result.measure
        assert pickle.loads(pickle.dumps(metric)) == metric  # noqa: S301 (made here)
        if made in (texts, gaps, gold):
            prepared(spelling, folder, results)
