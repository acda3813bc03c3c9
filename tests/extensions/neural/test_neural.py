"""SOME, IMPARA, Scribendi, BERTScore and PT-ERRANT against naive forms of their formulas, each text
alone.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipeline
from pipeline.extensions.functions import models as located
from pipeline.extensions.neural import networks
from pipeline.extensions.neural.scribendi import ratios, token_sort
from pipeline.metrics.build import from_values
from tests.conftest import ROOT
from tests.extensions.neural.tiny import (
    ONE,
    REFERENCES,
    SOURCES,
    SYSTEMS,
    TWO,
    bert,
    of_bytes,
    torch,
    transformers,
)
from tests.support.commands import Command
from tests.support.files import write_named_lines
from tests.support.web import serving


def assert_close(found: Any, expected: Any) -> None:
    """Batches move the seventh digit of float32."""
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The numbers of models are kept for this file alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "GEC_PIPELINE_DATA", str(tmp_path_factory.mktemp("caches"))
        )
        yield


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    for number, name in enumerate(("grammar", "fluency", "meaning", "quality")):
        bert(folder / name, "BertForSequenceClassification", number, 4.0)
    bert(folder / "similarity", "BertModel", 5)
    bert(folder / "cased", "BertModel", 6)
    of_bytes(folder / "roberta", "roberta", 7)
    of_bytes(folder / "gpt2", "gpt2", 8)
    return folder


def some(tiny: Path, **more: Any) -> dict[str, Any]:
    models = {n: str(tiny / n) for n in ("grammar", "fluency", "meaning")}
    return {"name": "some", **models, **more}


def impara(tiny: Path, **more: Any) -> dict[str, Any]:
    models = {n: str(tiny / n) for n in ("quality", "similarity")}
    return {"name": "impara", **models, **more}


def bertscore(
    tiny: Path, name: str = "bertscore", **more: Any
) -> dict[str, Any]:
    return {"name": name, "model": str(tiny / "cased"), **more}


def scribendi(tiny: Path, **more: Any) -> dict[str, Any]:
    return {"name": "scribendi", "model": str(tiny / "gpt2"), **more}


@cache
def loaded(folder: Path, kind: str) -> tuple[Any, Any]:
    return transformers.AutoTokenizer.from_pretrained(folder), getattr(
        transformers, kind
    ).from_pretrained(folder).eval()


def logits(folder: Path, texts: list[Any], longest: int) -> list[float]:
    tokenizer, net = loaded(folder, "AutoModelForSequenceClassification")
    with torch.inference_mode():
        arguments = [
            tokenizer(
                *([[t]] if isinstance(t, str) else [[text] for text in t]),
                truncation=True,
                max_length=longest,
                return_tensors="pt",
            )
            for t in texts
        ]
        return [net(**each).logits.item() for each in arguments]


def scored(
    metric: Any, outputs: list[str], **more: Any
) -> dict[str, np.ndarray[Any, Any]]:
    """All numbers of a metric for each line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: np.array(each)
            for name, each in pipeline.evaluate(
                outputs, sources=SOURCES, metrics=[metric], **more
            )[0].sentence_outputs.items()
        }


def test_some_is_the_weighted_sum_of_three_models(tiny: Path) -> None:
    for outputs in SYSTEMS.values():
        found = scored(
            some(tiny, weights="0.2+0.3+0.5", max_length=30), outputs
        )
        texts: dict[str, list[Any]] = {
            "grammar": outputs,
            "fluency": outputs,
            "meaning": list(zip(SOURCES, outputs, strict=True)),
        }
        marks = {
            name: (np.asarray(logits(tiny / name, item, 30)) - 1) / 3
            for name, item in texts.items()
        }
        for name, expected in marks.items():
            assert_close(found[name], expected)
        expected = (
            0.2 * marks["grammar"]
            + 0.3 * marks["fluency"]
            + 0.5 * marks["meaning"]
        )
        assert_close(found["some"], expected)


def test_impara_is_0_where_the_output_is_far_from_its_source(
    tiny: Path,
) -> None:
    tokenizer, net = loaded(tiny / "similarity", "AutoModel")

    def mean(text: str) -> Any:
        with torch.inference_mode():
            arguments = tokenizer(
                text, truncation=True, max_length=30, return_tensors="pt"
            )
            return net(**arguments).last_hidden_state[0].mean(0)

    quality = 1 / (1 + np.exp(-np.array(logits(tiny / "quality", ONE, 30))))
    cosines = np.array(
        [
            torch.cosine_similarity(mean(s), mean(o), dim=0).item()
            for s, o in zip(SOURCES, ONE, strict=True)
        ]
    )
    least = float(np.median(cosines[cosines < 0.99999]))
    found = scored(impara(tiny, max_length=30, threshold=f"{least:.6f}"), ONE)
    assert_close(found["quality"], quality)
    assert_close(found["similarity"], cosines)
    remaining = found["similarity"].astype(np.float32) >= np.float32(
        f"{least:.6f}"
    )
    assert 0 < remaining.sum() < len(remaining)
    np.testing.assert_array_equal(
        found["impara"], np.where(remaining, found["quality"], 0)
    )
    assert scored(impara(tiny, threshold="1"), SOURCES)["kept"].all(), (
        "equal pieces have the similarity 1"
    )


def indel(one: str, two: str) -> int:
    row = list(range(len(two) + 1))
    for i, letter in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(two, 1):
            before, row[j] = (
                row[j],
                before if letter == other else 1 + min(row[j], row[j - 1]),
            )
    return row[-1]


def sorted_words(text: str) -> str:
    ascii_only = "".join(
        letter for letter in text if not "\x80" <= letter <= "\xff"
    )
    return " ".join(
        sorted(
            "".join(c if c.isalnum() or c == "_" else " " for c in ascii_only)
            .lower()
            .split()
        )
    )


PAIRS = [*zip(SOURCES * len(SYSTEMS), chain(*SYSTEMS.values()), strict=True)]
PAIRS += [
    ("é b", "b e"),
    (". . .", "! !"),
    ("ł x", "x ł"),
    ("", "!"),
    ("a" * 700, "b" + "a" * 600),
    ("12345678901234567890", "1234567890123456 890"),
]


def test_ratios_of_characters_are_those_of_the_least_insertions_and_deletions() -> (
    None
):
    ones, twos = map(list, zip(*PAIRS, strict=True))
    target = [
        1 - indel(a, b) / (len(a) + len(b)) if a or b else 0.0 for a, b in PAIRS
    ]
    assert ratios(ones, twos) == target
    expected = []
    for a, b in ((sorted_words(one), sorted_words(two)) for one, two in PAIRS):
        ratio = (
            round(100 * (1 - indel(a, b) / (len(a) + len(b)))) / 100
            if a and b
            else 0.0
        )
        expected.append(1.0 if a == b else ratio)
    assert token_sort(ones, twos) == expected


def test_scribendi_is_1_where_the_output_is_likelier_and_near(
    tiny: Path,
) -> None:
    tokenizer, net = loaded(tiny / "gpt2", "AutoModelForCausalLM")

    def nll(text: str) -> float:
        ids = tokenizer("<|endoftext|>" + text, return_tensors="pt")[
            "input_ids"
        ]
        with torch.inference_mode():
            logs = net(ids).logits[0].log_softmax(-1)
        return (
            -float(
                np.mean(
                    [
                        logs[position, part].item()
                        for position, part in enumerate(ids[0, 1:])
                    ]
                )
            )
            if ids.shape[1] > 1
            else math.nan
        )

    seen = set()
    for threshold in ("0.8", "0.2"):
        metric = scribendi(tiny, threshold=threshold)
        for outputs in SYSTEMS.values():
            expected = []
            for source, output in zip(SOURCES, outputs, strict=True):
                near = max(
                    token_sort([source], [output])[0],
                    ratios([source], [output])[0],
                ) >= float(threshold)
                expected.append(
                    0
                    if source == output
                    else 1
                    if nll(source) > nll(output) and near
                    else -1
                )
            found = scored(metric, outputs)
            np.testing.assert_array_equal(found["scribendi"], expected)
            for name, texts in (
                ("ppl_source", SOURCES),
                ("ppl_output", outputs),
            ):
                np.testing.assert_allclose(
                    found[name],
                    np.nan_to_num(np.exp([nll(text) for text in texts])),
                    rtol=2e-5,
                )
            result = pipeline.evaluate(
                outputs, sources=SOURCES, metrics=[metric]
            )[0]
            assert result.score == sum(expected)
            seen.update(expected)
    assert seen == {-1, 0, 1}
    with pytest.raises(
        pipeline.errors.InputError,
        match=r"item 1: scribendi: \d+ pieces are too many .*max_length: 260",
    ):
        pipeline.Scorer(metric, sources=["a"]).score(["long " * 80])


def naive_bertscore(
    folder: Path,
    layer: int,
    reference: str,
    output: str,
    prefix: bool,
    idf: dict[int, float] | None = None,
) -> tuple[float, float]:
    tokenizer, net = loaded(folder, "AutoModel")

    def vectors(text: str) -> tuple[Any, list[int]]:
        text = text.strip()
        ids = tokenizer(
            (" " if prefix and text else "") + text,
            truncation=True,
            max_length=tokenizer.model_max_length,
            return_tensors="pt",
        )["input_ids"]
        with torch.inference_mode():
            states = net(ids, output_hidden_states=True).hidden_states[layer][0]
        return states / states.norm(dim=-1, keepdim=True), ids[0].tolist()

    (item, parts), (other, others) = vectors(output), vectors(reference)
    if 2 in (len(parts), len(others)):
        return 0.0, 0.0
    similar = (item @ other.T).numpy()
    result = []
    for greatest, ids in ((similar.max(1), parts), (similar.max(0), others)):
        weights = np.array(
            [
                idf[i]
                if idf
                else float(
                    i not in (tokenizer.cls_token_id, tokenizer.sep_token_id)
                )
                for i in ids
            ]
        )
        result.append(
            float(greatest @ weights / weights.sum()) if weights.sum() else 0.0
        )
    return result[0], result[1]


def f_of(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r else 0.0


@pytest.mark.parametrize(("model", "layer", "more"), [
    ("cased", 2, {}), ("cased", 1, {"score": "p"}), ("cased", 0, {"score": "r"}), ("cased", 2, {"idf": "references"}),
    ("roberta", 2, {}), ("roberta", 1, {"prefix_space": "false"}),
])  # fmt: skip
def test_bertscore_takes_each_maximum_over_the_references(
    tiny: Path, model: str, layer: int, more: dict[str, str]
) -> None:
    prefix = model == "roberta" and "prefix_space" not in more
    weights = None
    if "idf" in more:
        tokenizer = loaded(tiny / model, "AutoModel")[0]
        documents = [
            set(
                tokenizer(text.strip(), truncation=True, max_length=40)[
                    "input_ids"
                ]
            )
            for text in chain(*REFERENCES)
        ]
        weights = {
            i: math.log(
                (len(documents) + 1)
                / (sum(i in item for item in documents) + 1)
            )
            for i in range(len(tokenizer))
        }
    metric = {
        "name": "bertscore",
        "model": str(tiny / model),
        "layer": layer,
        **more,
    }
    for outputs in SYSTEMS.values():
        found = scored(metric, outputs, references=REFERENCES)
        each = [
            [
                naive_bertscore(tiny / model, layer, r[n], o, prefix, weights)
                for r in REFERENCES
            ]
            for n, o in enumerate(outputs)
        ]
        for name, best in (
            ("precision", lambda p, _: p),
            ("recall", lambda _, r: r),
            ("f", f_of),
        ):
            assert_close(
                found[name],
                [max(best(*pair) for pair in item) for item in each],
            )
        chosen = {"p": "precision", "r": "recall"}.get(
            more.get("score", ""), "f"
        )
        np.testing.assert_array_equal(found["bertscore"], found[chosen])


def test_rescaling_takes_the_row_of_the_layer_by_its_position(
    tiny: Path, tmp_path: Path
) -> None:
    (tmp_path / "base.csv").write_text(
        "LAYER,P,R,F\n9,0.1,0.2,0.3\n9,0.5,0.25,0.75\n"
    )
    metric = bertscore(tiny, layer=1)
    rescaled = {"rescale": True, "baseline": str(tmp_path / "base.csv")}
    plain, found = (
        scored(one, ONE, references=REFERENCES)
        for one in (metric, metric | rescaled)
    )
    for name, below in (("precision", 0.5), ("recall", 0.25), ("f", 0.75)):
        np.testing.assert_allclose(
            found[name], (plain[name] - below) / (1 - below), rtol=1e-9
        )


@pytest.mark.skipif(
    importlib.util.find_spec("bert_score") is None,
    reason="needs bert-score, the oracle",
)
def test_bertscore_is_that_of_bert_score(tiny: Path) -> None:
    from bert_score import BERTScorer

    lines = [
        n
        for n in range(len(SOURCES))
        if SOURCES[n] and TWO[n] and REFERENCES[0][n]
    ]
    scorer = BERTScorer(
        model_type=str(tiny / "cased"), num_layers=2, batch_size=1
    )
    target = scorer.score(
        [TWO[n] for n in lines], [REFERENCES[0][n] for n in lines]
    )
    found = scored(bertscore(tiny, layer=2), TWO, references=REFERENCES[:1])
    for name, expected in zip(
        ("precision", "recall", "f"), target, strict=True
    ):
        assert_close(found[name][lines], expected.numpy())


GOLD = """S She go to school every day .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||went|||REQUIRED|||-NONE-|||1
A 4 6|||R:OTHER|||daily|||REQUIRED|||-NONE-|||1

S I like a apples
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN|||apple|||REQUIRED|||-NONE-|||1
A 2 3|||UNK|||x|||REQUIRED|||-NONE-|||1

S tiny cat sit
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 0 0|||M:DET|||the|||REQUIRED|||-NONE-|||1

"""
UNKNOWN = {"I like a apples": {(2, 3, "x")}}
"""Edits of the second annotator that are in the text, but not compared."""
OUTPUT = """S She go to school every day .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN|||home|||REQUIRED|||-NONE-|||0

S I like a apples
A 3 4|||R:NOUN|||apple|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||ate|||REQUIRED|||-NONE-|||0

S tiny cat sit
A 0 0|||M:DET|||the|||REQUIRED|||-NONE-|||0
A 3 3|||M:PUNCT|||.|||REQUIRED|||-NONE-|||0

"""


Edit = tuple[int, int, str]


def edits_of(text: str) -> list[tuple[str, dict[int, set[Edit]]]]:
    lines = []
    for block in text.strip("\n").split("\n\n"):
        source, *rows = block.split("\n")
        item: dict[int, set[Edit]] = {}
        for row in rows:
            span, kind, correction, *_, annotator = row[2:].split("|||")
            start, end = map(int, span.split())
            edits = item.setdefault(int(annotator), set())
            if kind not in ("noop", "UNK"):
                edits.add((start, end, correction))
        lines.append((source[2:], item))
    return lines


def applied(source: str, edits: set[Edit]) -> str:
    words = source.split(" ")
    for start, end, correction in sorted(edits, reverse=True):
        words[start:end] = [correction] if correction else []
    return " ".join(words)


def f_by_models(tiny: Path, reference: str, output: str) -> float:
    """F of BERTScore, the naive one."""
    return f_of(*naive_bertscore(tiny / "cased", 2, reference, output, False))


@pytest.mark.parametrize("ties", ["errant", "m2"])
def test_pt_errant_weighs_edits_and_chooses_annotators_one_line_after_the_other(
    tiny: Path, tmp_path: Path, ties: str, command: Command
) -> None:
    (tmp_path / "gold.m2").write_text(GOLD)
    (tmp_path / "out.m2").write_text(OUTPUT)
    metric = bertscore(tiny, "pt_errant", layer=2)
    config = {
        "datasets": {"d": {"gold": "gold.m2"}},
        "systems": {"A": {"m2": "out.m2"}},
        "output": {"dir": str(tmp_path / "out")},
        "statistics": {"resamples": 20, "test": "none"},
        "metrics": [metric | {"ties": ties}, metric | {"level": "mean"}],
    }
    (tmp_path / "c.yaml").write_text(json.dumps(config))
    results = pipeline.run(tmp_path / "c.yaml")

    def score(tp: float, fp: float, fn: float) -> float:
        p = tp / (tp + fp) if fp else 1.0
        r = tp / (tp + fn) if fn else 1.0
        return 1.25 * p * r / (0.25 * p + r) if p + r else 0.0

    totals = np.zeros(3)
    sentences = []
    for (source, golds), (_, item) in zip(
        edits_of(GOLD), edits_of(OUTPUT), strict=True
    ):
        candidates = []
        for number, gold in golds.items():
            hyp = item[0]
            others = UNKNOWN.get(source, set()) if number else set()
            similarity = partial(
                f_by_models, tiny, applied(source, gold | others)
            )
            base = similarity(source)

            def weight(
                edits: set[Edit],
                source: str = source,
                similarity: Callable[[str], float] = similarity,
                base: float = base,
            ) -> float:
                changed = [similarity(applied(source, {e})) for e in edits]
                return sum(abs(value - base) for value in changed)

            sets = (hyp & gold, hyp - gold, gold - hyp)
            candidates.append(np.array([*map(weight, sets)]))
        sentences.append(max(score(*each) for each in candidates))
        last = (
            (lambda c: (-c[1], -c[2]))
            if ties == "errant"
            else (lambda c: (-(c[0] + c[1] + 0.25 * (c[0] + c[2])),))
        )
        totals = totals + max(
            candidates, key=lambda c: (score(*(totals + c)), c[0], *last(c))
        )
    corpus, mean = results
    options = (
        f"--option=model={tiny / 'cased'} --option=layer=2 --option=ties={ties}"
    )
    out = command(
        f"explain pt_errant --gold {tmp_path}/gold.m2 -o {tmp_path}/out.m2 --line 1 {options}"
    ).out
    assert re.search(r"counts  pt_errant \d+\.\d\d  tp", out)
    np.testing.assert_allclose(corpus.score, score(*totals), atol=2e-6)
    np.testing.assert_allclose(
        [corpus.outputs[n] for n in ("tp", "fp", "fn")], totals, atol=2e-6
    )
    np.testing.assert_allclose(mean.sentences, sentences, atol=5e-4)
    assert re.fullmatch(
        r"pt_errant\|mode:cs\|beta:0.5\|model:sha\.[0-9a-f]{12}\|layer:2(\|ties:m2)?\|version:1\|nrefs:2\|v:.*",
        corpus.signature,
    )


def test_a_run_computes_each_text_once_and_says_so(
    tiny: Path,
    tmp_path: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "caches"))
    write_named_lines(tmp_path, source=SOURCES, ref=REFERENCES[0], **SYSTEMS)
    config = {
        "datasets": {"d": {"source": "source", "references": ["ref"], "empty_references": "keep"}}, "systems": {"one": "one", "two": "two"}, "output": {"dir": str(tmp_path / "out")},
        "metrics": [impara(tiny, max_length=30), scribendi(tiny), bertscore(tiny, layer=1)],
    }  # fmt: skip
    (tmp_path / "c.yaml").write_text(json.dumps(config))
    notice = command(f"run {tmp_path / 'c.yaml'} --device cpu").err

    def distinct(texts: list[str]) -> int:
        outputs = chain(*SYSTEMS.values())
        return len({*zip(texts * len(SYSTEMS), outputs, strict=True)})

    assert f"scribendi: {distinct(SOURCES)} texts computed on cpu, " in notice
    assert (
        "impara: texts have special pieces of the model, such as [SEP], which end or change them: 1 of 6 lines (4)"
        in notice
    )
    run = json.loads((tmp_path / "out" / "run.json").read_bytes())
    requested = next(
        each for each in run["plugins"] if each["name"] == "bertscore"
    )
    assert requested["models"] == {"model": str(tiny / "cased")}
    assert requested["texts"] == {"new": distinct(REFERENCES[0]), "kept": 0}
    versions = {"torch", "transformers", "python", "device"}
    assert versions <= requested["made_with"].keys()
    again = command(f"run {tmp_path}/c.yaml --output {tmp_path}/again").err
    assert "texts computed on" not in again
    config["metrics"] = [impara(tiny, max_length=30, threshold="0.5")]
    (tmp_path / "c.yaml").write_text(
        json.dumps({**config, "output": {"dir": str(tmp_path / "third")}})
    )
    with_threshold = command(f"run {tmp_path}/c.yaml").err
    assert "texts computed on" not in with_threshold
    before, after = (
        json.loads((tmp_path / name / "results.json").read_bytes())["scores"]
        for name in ("out", "again")
    )
    assert before == after
    command(f"show {tmp_path}/out --metric scribendi")
    command(f"report {tmp_path}/out --format numbers")
    assert (tmp_path / "out" / "numbers" / "impara" / "d" / "one.tsv").is_file()


def test_white_space_alone_is_a_change_that_is_told(tiny: Path) -> None:
    metric = scribendi(tiny)
    sources = [f"{text}  " for text in SOURCES]
    with pytest.warns(
        UserWarning,
        match=r"source and output differ in white space alone.*6 of 6 lines",
    ):
        assert pipeline.evaluate(SOURCES, sources=sources, metrics=[metric])[
            0
        ].sentences.all()
    assert (
        pipeline.evaluate(
            SOURCES, sources=sources, metrics=[{**metric, "strip": True}]
        )[0].score
        == 0
    )


def test_what_is_wrong_is_told_before_anything_is_computed(
    tiny: Path, tmp_path: Path
) -> None:
    other = bert(tmp_path / "other", "BertForSequenceClassification", 3)
    file = other / "tokenizer.json"
    file.write_text(re.sub('"the": ([0-9]+)', r'"teh": \1', file.read_text()))
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "config.json").write_text('{"model_type": "gpt2"}')
    (empty / "model.safetensors").write_bytes(b"")
    bert_score = partial(bertscore, tiny)
    cases = {
        "^empty cannot be loaded as AutoModelForCausalLM: ": scribendi(tiny, model=str(empty)),
        "layer: expected 0.* or more, found -1": bert_score(layer=-1),
        "cased lacks weights of AutoModel with 9 layers": bert_score(layer=9),
        "some: max_length: expected 3 or more, found 2": some(tiny, max_length=2),
        "grammar, fluency and meaning have different vocabularies": some(tiny, meaning=str(other)),
        "weights: expected three numbers": some(tiny, weights="1+2"),
        "layer: give one": bert_score(),
        "prefix_space has no effect": bert_score(layer=1, prefix_space="true"),
        "no row LAYER,P,R,F": bert_score(layer=1, rescale="true"),
        "no model of this name in the cache.*--download": scribendi(tiny, model="nobody/nothing"),
    }  # fmt: skip
    for message, metric in cases.items():
        with pytest.raises(pipeline.errors.InputError, match=message):
            pipeline.evaluate(ONE, REFERENCES, SOURCES, metrics=[metric])
    with pytest.raises(pipeline.errors.ConfigError, match="there is no folder"):
        from_values({"name": "scribendi", "model": "./nothing"})


def test_a_missing_model_is_fetched_where_the_command_says_so(
    tiny: Path, tmp_path: Path
) -> None:
    """From a server that answers as the hub does. README.md, and weights beside safetensors, are
    not fetched.
    """

    def always(*answer: Any) -> Any:
        return lambda: answer

    commit = "0" * 40
    target = {
        file.name: file.read_bytes() for file in (tiny / "gpt2").iterdir()
    }
    files = {**target, "README.md": b"x", "pytorch_model.bin": b"x"}
    sizes = {name: len(content) for name, content in files.items()}
    about = {
        "id": "a/gpt2",
        "sha": commit,
        "siblings": [{"rfilename": n, "size": sizes[n]} for n in files],
        "cardData": {"license": "mit"},
        "tags": [],
    }
    tree = [
        {"type": "file", "path": n, "size": sizes[n], "oid": "0"} for n in files
    ]
    for name, texts in (("s.txt", SOURCES), ("o.txt", ONE)):
        (tmp_path / name).write_text("\n".join([*texts, ""]), "utf-8")
    command = f"{sys.executable} -m pipeline score scribendi --model a/gpt2 -s s.txt -o o.txt"
    with serving() as server:
        listings: dict[str, Any] = {
            "": about,
            "/revision/main": about,
            f"/tree/{commit}": tree,
        }
        for name, content in listings.items():
            answer = json.dumps(content).encode()
            server.answers[f"api/models/a/gpt2{name}"] = always(
                200, {"Content-Type": "application/json"}, answer
            )
        for name, data in files.items():
            head = {
                "ETag": f'"{hashlib.sha256(data).hexdigest()}"',
                "X-Repo-Commit": commit,
            }
            for revision in ("main", commit):
                server.answers[f"a/gpt2/resolve/{revision}/{name}"] = always(
                    200, head, data
                )
        item = {
            "HF_ENDPOINT": server.url().rstrip("/"),
            "HF_HOME": str(tmp_path / "hub"),
            "PYTHONPATH": str(ROOT),
        }
        printed = [
            subprocess.run(
                f"{command} {more}".split(),
                check=False,
                cwd=tmp_path,
                env=os.environ | item,
                capture_output=True,
                text=True,
            )
            for more in ("", "--download", "")
        ]
        requested = {
            request.path.rpartition("/")[2]
            for request in server.heard
            if "/resolve/" in request.path
        }
    assert [one.returncode for one in printed] == [2, 0, 0], printed[1].stderr
    assert (
        "no model of this name in the cache of the Hugging Face hub; --download fetches it"
        in printed[0].stderr
    )
    assert re.search(
        r"a/gpt2: is fetched \(\d+ MB, licence: mit\)", printed[1].stderr
    )
    assert "is fetched" not in printed[2].stderr
    assert printed[2].stdout == printed[1].stdout != ""
    assert (
        {"config.json", "model.safetensors", "tokenizer.json"}
        <= requested
        <= set(target)
    )


def test_a_missing_package_is_told_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, tiny: Path
) -> None:
    monkeypatch.setattr(
        networks,
        "find_spec",
        lambda name: (
            None if name == "torch" else importlib.util.find_spec(name)
        ),
    )
    with pytest.raises(
        pipeline.errors.InputError,
        match=r"impara needs torch and transformers: pip install 'gec-pipeline\[neural\]'",
    ):
        pipeline.evaluate(ONE, sources=SOURCES, metrics=[impara(tiny)])


def test_the_digest_of_a_model_is_that_of_what_decides_numbers(
    tmp_path: Path,
) -> None:
    folder = bert(tmp_path / "m", "BertModel", 1)
    before = located.model_digest(folder)
    (folder / "README.md").write_text("more")
    assert located.model_digest(folder) == before
    weights = bytearray((folder / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "model.safetensors").write_bytes(weights)
    assert located.model_digest(folder) != before


def test_nothing_of_torch_is_imported_without_a_model() -> None:
    code = "import sys, pipeline; pipeline.evaluate(['a'], [['a']], metrics=['bleu', 'chrf++']); assert not {'torch', 'transformers'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_values_of_the_original_programs(shared: Path) -> None:
    """The program beside the golden values compares; COMET where it is installed."""
    check = shared / "neural" / "check.py"
    if not check.is_file():
        pytest.skip("no golden values of neural metrics beside the checkout")
    names = [
        "some",
        "impara",
        "scribendi",
        "bertscore",
        "pt_errant",
        *(["comet"] if importlib.util.find_spec("comet") else []),
    ]
    done = subprocess.run(
        [sys.executable, check, sys.prefix, "--only", *names],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
