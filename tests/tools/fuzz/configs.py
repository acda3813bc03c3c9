"""Configs with anything in the place of anything: each is accepted, or refused with messages, soon
and without much.
"""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

from .changes import changed, changed_bytes, drawn, drawn_bytes
from .driver import Fuzzer, said

BASE: dict[str, Any] = {
    "datasets": {
        "d": {"source": "s", "references": ["r", "r2"], "keep": ["1-2"]},
        "e": {
            "source": "s",
            "references": [{"jsonl": "j", "column": "t"}],
            "empty_references": "none",
        },
    },
    "systems": {
        "A": "A",
        "B": {"d": "A", "e": {"tsv": "A", "column": 1}},
        "C": "r",
    },
    "metrics": ["gleu[iter=2]", {"name": "bleu", "order": 2}, "chrf"],
    "defaults": {"metrics": {"order": 3}},
    "statistics": {"resamples": 5, "trials": 5, "baseline": "A", "level": 0.9},
    "run": {"n_jobs": 2, "backend": "threading", "max_unpacked": 1000},
    "output": {
        "dir": "out",
        "formats": ["csv", "markdown"],
        "digits": 3,
        "mean": True,
    },
    "columns": {
        "one": {"scores": {"A": 1, "B": 2}},
        "two": {"order": ["A", "B"]},
    },
    "correlations": [{"of": ["one"], "with": ["two"], "without": []}],
    "expect": [
        {"dataset": "d", "metric": "chrf", "scale": 100, "values": {"A": 1.5}}
    ],
    "human": {"file": "h.csv", "dataset": "d", "window": 3},
    "x-more": {"a": [1, 2]},
}
"""A config of many sections, which is accepted as it is."""
SIMPLE: dict[str, Any] = {
    "datasets": {"d": {"source": "s", "references": ["r"]}},
    "systems": {"A": "A", "B": "A"},
    "metrics": ["gleu[iter=2]"],
}
"""A small one."""
HUMAN = "judgeID,segmentId," + ",".join(
    f"system{n}Id,system{n}rank" for n in (1, 2, 3)
)
HUMAN += "\na,1,A,1,B,2,C,3\nb,2,A,2,B,1,C,3\n"
TEXTS = {
    "s": "a b\nc d\n",
    "r": "a b\nc d\n",
    "r2": "a\nc\n",
    "A": "a b\nc c\n",
    "j": '{"t": "a"}\n{"t": "c"}\n',
    "h.csv": HUMAN,
}
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    2**63,
    10**30,
    1e308,
    -0.5,
    [],
    {},
    [[]],
    {"a": 1},
    [None],
]
VALUES += [
    {"jsonl": "j", "column": "t.t.t"},
    {"tsv": "A", "column": -1},
    {"file": "h.csv"},
]
VALUES += [
    {"name": "gleu", "name ": 1},
    "",
    "x",
    "A",
    "s",
    "\x00",
    "\u202e",
    "x" * 300,
    "\ud7ff",
]
ODD = """
* **/* [ [a- ~ ~x $HOME ${ {dataset} { .. . s/ data: data:none data:* memory://x file:// :// s3: = 1-2 2-1 1- 0 1e3 0x10
1_0 gleu[ gleu[] gleu[iter=] gleu[iter=1e9] gleu[n=99999] gleu, bleu[tok=none] rouge[types=1+2]
"""
VALUES += ODD.split()
YAML = [
    "? [a, b]\n: c\n",
    "a: &a [1, *a]\n",
    "a: &a {x: 1}\nb: {<<: *a}\nc: {<<: [*a, *a]}\n",
    "<<: {metrics: [gleu]}\n",
    "!!python/object/apply:os.system [x]\n",
    "x-a: !!binary aGk=\nx-b: !!set {a, b}\nx-c: !!omap [a: 1]\n",
    "x-a: 2001-01-01\nx-b: 1:2:3\nx-c: .inf\nx-d: -.NaN\nx-e: 0o17\n",
    f"x-a: {'9' * 5000}\n",
    "---\n---\na: 1\n...\n",
    "%YAML 1.2\n---\nmetrics: [gleu]\n",
    "metrics:\n\t- gleu\n",
    "x-a: |\n  a\n   b\nx-b: >-\n  c\n",
    "metrics: [gleu]\nmetrics: [bleu]\n",
    "x-a: " + "[" * 200 + "\n",
    "- " * 300 + "a\n",
    "x-a: 'a\n",
    "include: c.yaml\n",
    "x-a: [[&a [a,a,a,a,a,a,a,a,a], &b [*a,*a,*a,*a,*a,*a], &c [*b,*b,*b,*b,*b,*b], [*c,*c,*c,*c,*c,*c,*c,*c]]]\n",
]


def make(seed: str) -> dict[str, Any]:
    """Return the changes of a seed."""
    rng = random.Random(seed)
    base = rng.choice(["simple", "base", "base"])
    content = SIMPLE if base == "simple" else BASE
    case: dict[str, Any] = {
        "base": base,
        "changes": [
            drawn(rng, content, VALUES)
            for _ in range(rng.choice([1, 1, 1, 2, 4]))
        ],
    }
    if rng.random() < 0.25:
        case["bytes"] = [drawn_bytes(rng) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.15:
        case["before"] = "".join(rng.choices(YAML, k=rng.randint(1, 3)))
    return case


def text(case: dict[str, Any]) -> bytes:
    """Return the config of a case: its own text, or JSON, which is YAML."""
    content = changed(
        SIMPLE if case["base"] == "simple" else BASE, case["changes"]
    )
    before = case.get("before", "")
    if before and isinstance(content, dict):
        data = before + "".join(
            f"{json.dumps(key)}: {json.dumps(value)}\n"
            for key, value in content.items()
        )
    else:
        data = before + json.dumps(content)
    return changed_bytes(data.encode(), case.get("bytes", ()))


def check(case: dict[str, Any], folder: Path, tally: Counter[str]) -> str:
    """Ask what a run of a config would do, which validates it."""
    for name, lines in TEXTS.items():
        (folder / name).write_text(lines, encoding="utf-8")
    (folder / "c.yaml").write_bytes(text(case))
    with contextlib.chdir(folder):
        done = said("run", "c.yaml", "--dry-run")
    tally["refused" if done.code else "accepted"] += 1
    return done.wrong()


FUZZER = Fuzzer("configs with anything in the place of anything", make, check)
