"""Rows of the benchmark for metrics with neural models: tiny models with random weights, on one
processor.

The peer is the loop of gec-metrics written anew: system after system, in the order of the file,
batches of 32, texts padded to the most that is allowed. Its Levenshtein ratio is a table in Python.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pipeline
from pipeline.data import Corpus
from pipeline.execution.computation import computations
from pipeline.execution.options import RunOptions
from pipeline.extensions.neural.scribendi import ratios
from pipeline.metrics.build import from_values
from tests.bench.measuring.bench import Bench
from tests.bench.measuring.rows import NOTHING, Row, shown

LINES = 200
SYSTEMS = 12
SAME = 0.53
"""Lines, systems, and the share of outputs that another system has too, as of CoNLL-2014's twelve.
"""
PADDED = 128
BATCH = 32


PIECES = ["the", "cat", "a", "b", "c", "d", "on", "."]
"""Words of the tiny models, most of which are one piece, as most words are of real ones."""
WORDS = [
    "the",
    "students",
    "sit",
    "on",
    "a",
    "bench",
    "there",
    "is",
    "nothing",
    "to",
    "see",
    "however",
    ".",
]
"""Words as long as those of texts."""


def texts(words: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Return sources as long as those of CoNLL-2014, 23 words, and the outputs of systems, of which
    many are equal.
    """
    rng = random.Random(1)
    sources = [
        " ".join(rng.choices(words, k=rng.randint(6, 40))) for _ in range(LINES)
    ]
    outputs: dict[str, list[str]] = {}
    for system in range(SYSTEMS):
        changed = (
            f"{source} {rng.choice(words)} {system}"
            if rng.random() > SAME
            else source
            for source in sources
        )
        outputs[f"system{system}"] = list(changed)
    return sources, outputs


def pairs_of(
    sources: list[str], outputs: dict[str, list[str]]
) -> list[tuple[str, str]]:
    """Return the source and the output of each line, system after system."""
    pairs: list[tuple[str, str]] = []
    for lines in outputs.values():
        pairs += zip(sources, lines, strict=True)
    return pairs


def padded(folder: Path, pairs: list[tuple[str, str]]) -> float:
    """Return the processor time of SOME as gec-metrics computes it."""
    import torch
    import transformers

    begun = time.process_time()
    for name in ("grammar", "fluency", "meaning"):
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
            folder / name
        )
        net = transformers.AutoModelForSequenceClassification.from_pretrained(
            folder / name
        ).eval()
        for start in range(0, len(pairs), BATCH):
            ones, twos = zip(*pairs[start : start + BATCH], strict=True)
            own = (
                [list(ones), list(twos)] if name == "meaning" else [list(twos)]
            )
            fill = {
                "padding": "max_length",
                "truncation": True,
                "max_length": PADDED,
                "return_tensors": "pt",
            }
            with torch.inference_mode():
                net(**tokenizer(*own, **fill)).logits.tolist()
    return time.process_time() - begun


def neural(bench: Bench) -> Iterator[Row]:
    """SOME over twelve systems beside the padded loop, the second run, and the ratios of Scribendi."""
    import torch

    from tests.extensions.neural.tiny import bert

    torch.set_num_threads(1)
    size = {
        "hidden_size": 128,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "intermediate_size": 512,
    }
    for number, name in enumerate(("grammar", "fluency", "meaning")):
        bert(
            bench.folder / name,
            "BertForSequenceClassification",
            number,
            positions=PADDED,
            **size,
        )
    sources, outputs = texts(PIECES)
    own = {
        name: str(bench.folder / name)
        for name in ("grammar", "fluency", "meaning")
    }
    scorer, distinct = pipeline.Scorer({"name": "some", **own}, sources=sources), list(dict.fromkeys(
        (place, text) for each in outputs.values() for place, text in enumerate(each)
    ))  # fmt: skip
    scorer.rewards(["warm"], [0])
    begun = time.process_time()
    scorer.rewards(
        [text for _, text in distinct], [place for place, _ in distinct]
    )
    ours = time.process_time() - begun
    peer = padded(
        bench.folder,
        pairs_of(sources, outputs),
    )
    whole = LINES * SYSTEMS
    aim = "8 times its lines a second"
    told = f"{whole / ours:,.0f} lines a second"
    yield Row(
        f"SOME, {SYSTEMS} systems",
        told,
        f"padded: {whole / peer:,.0f}",
        peer / ours,
        aim,
    )

    (metric,) = from_values({"name": "some", **own})
    corpus = Corpus.in_memory(outputs, None, sources)
    new = []
    # nothing is kept of earlier runs
    with patch.dict(
        os.environ, {"GEC_PIPELINE_DATA": str(bench.folder / "caches")}
    ):
        for _ in range(2):
            (computation,) = computations([metric], RunOptions(n_jobs=1))
            computation.with_numbers([corpus])
            new.append(computation.records["some"]["texts"]["new"])
    yield Row(
        "SOME again: texts that are computed",
        f"{new[1]} of {new[0]}",
        "",
        NOTHING,
        "0",
    )

    sources, outputs = texts(WORDS)
    pairs = pairs_of(sources, outputs)
    begun = time.process_time()
    ratios(*map(list, zip(*pairs, strict=True)))
    ours = (time.process_time() - begun) / len(pairs)
    begun = time.process_time()
    for one, two in pairs[:20]:
        table = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
        for i in range(1, len(one) + 1):
            for j in range(1, len(two) + 1):
                same = (
                    table[i - 1][j - 1] + 1 if one[i - 1] == two[j - 1] else 0
                )
                table[i][j] = max(same, table[i - 1][j], table[i][j - 1])
    peer = (time.process_time() - begun) / 20
    yield Row(
        "Scribendi's Levenshtein ratio, a pair",
        shown(ours),
        f"a table in Python: {shown(peer)}",
        peer / ours,
        "1000 times",
    )
