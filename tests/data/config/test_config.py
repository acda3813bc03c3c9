"""The config: what is read from it, and what is said of it, where, when it is wrong."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pipeline import stages
from pipeline.cli.commands.schema import json_schema
from pipeline.data.config import Config, Node, compose
from pipeline.data.config.compose import parse, read
from pipeline.errors import ConfigError, Problem
from pipeline.execution import tasks
from pipeline.extension import installed
from pipeline.files.remote import natural_key
from pipeline.metrics import METRICS, build
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.build import from_text, resolve
from tests.config_files import prepare, problems, schema_accepts, write
from tests.conftest import ROOT, RunLine, metric_of, printed

GOOD = """\
datasets: {d: {source: s.txt, references: [r.txt]}}
systems: {A: a.txt}
metrics: [gleu]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with texts."""
    monkeypatch.chdir(tmp_path)
    write(
        {"s.txt": "x y\n", "r.txt": "a b\n", "a.txt": "a c\n", "b.txt": "c c\n"}
    )
    return tmp_path


def config_of(text: str) -> Config:
    return prepare(text).config


def metrics_of(text: str) -> tuple[Metric, ...]:
    return prepare(GOOD.replace("[gleu]", text)).metrics


def same(message: str, expected: str) -> bool:
    """Whether a message is as expected, where "..." stands for lists and words that grow with the
    metrics.
    """
    return (
        re.fullmatch(
            ".*".join(re.escape(part) for part in expected.split("...")),
            message,
            re.DOTALL,
        )
        is not None
    )


def with_part(part: str, text: str) -> str:
    """Return GOOD with another text for a part of it, or with the text at its end."""
    return GOOD.replace(part, text) if part else GOOD + text


def with_systems(text: str) -> str:
    return with_part("{A: a.txt}", text)


def test_a_good_config_is_read() -> None:
    config = config_of(GOOD)
    assert [(d.name, d.source, d.references) for d in config.datasets] == [
        ("d", Path("s.txt"), (Path("r.txt"),))
    ]
    assert [(s.name, s.paths) for s in config.systems] == [
        ("A", {"d": Path("a.txt")})
    ]
    assert (config.parsed.run.n_jobs, config.parsed.run.backend) == (
        "auto",
        "auto",
    )
    assert (
        config.parsed.output.dir,
        config.parsed.output.formats,
        config.parsed.output.digits,
    ) == (
        "runs/latest",
        ["json", "csv"],
        2,
    )


# One mistake each: the position is file:line:column of the key, or of the value where there is no
# key.
MISTAKES: dict[str, dict[str, str]] = {
    "": {
        "metric: [gleu]\n": "4:1: metric: unknown key (did you mean 'metrics'?)",
        "\nrun:\n  njobs: 2\n": "6:3: run.njobs: unknown key (did you mean 'n_jobs'?)",
        "output: {dir: o, digit: 1}\n": "4:18: output.digit: unknown key (did you mean 'digits'?)",
        "zzz: 1\n": "4:1: zzz: unknown key",
        "statistics: {annotators: reselected}\n": "4:14: statistics.annotators: was removed: samples keep the "
        "annotators that were chosen on the whole data set",
        "hyp: {A: a.txt}\n": "4:1: hyp: unknown key (did you mean 'systems'?)",
        "run: {x-a: 1}\n": "4:7: run.x-a: unknown key",
        "run: fast\n": "4:1: run: expected a mapping (key: value), found 'fast'",
        "run:\n": "4:1: run: expected a mapping (key: value), found nothing",
        "output: {digits: two}\n": "4:10: output.digits: expected a whole number, found 'two'",
        "output: {digits: 1.5}\n": "4:10: output.digits: expected a whole number, found '1.5'",
        "output: {digits: ٣}\n": "4:10: output.digits: expected a whole number, found '٣'",
        "output: {digits: 13}\n": "4:10: output.digits: input should be less than or equal to 12, found '13'",
        "version: 2\n": "4:1: version: input should be less than or equal to 1, found '2'",
        "run: {n_jobs: 0}\n": "4:7: run.n_jobs: expected 'auto' or a number of workers from 1, found '0'",
        "run: {n_jobs: true}\n": "4:7: run.n_jobs: expected 'auto' or a number of workers from 1, found 'true'",
        "run: {backend: Loky}\n": (
            "4:7: run.backend: expected one of auto, serial, threading, loky..., found 'Loky' "
            "(did you mean 'loky'?)"
        ),
        "output: {formats: [cvs]}\n": (
            "4:20: output.formats[0]: expected one of json, csv, ...found 'cvs' (did you mean 'csv'?)"
        ),
        "\nsystems: {B: b.txt}\n": "5:1: the key 'systems' is given twice (first on line 2)",
    },
    "{d: {source: s.txt, references: [r.txt]}}": {
        "{}": "1:1: datasets: is empty; at least one is needed"
    },
    "s.txt": {
        "s.txt, refs: r.txt": "1:31: datasets.d.refs: unknown key (did you mean 'references'?)",
        "s.txt, outputz: r.txt": "1:31: datasets.d.outputz: unknown key (did you mean 'outputs'?)",
        "s.txt, hyps: r.txt": "1:31: datasets.d.hyps: unknown key (did you mean 'systems'?)",
        "s.txt, referenzes: r.txt": "1:31: datasets.d.referenzes: unknown key (did you mean 'references'?)",
        "''": "1:16: datasets.d.source: is empty; expected a path",
        "[s.txt]": "1:16: datasets.d.source: expected text, found a list",
    },
    ", references: [r.txt]": {
        "": "1:12: datasets.d: gleu needs references, the texts that outputs are compared with: add ..."
    },
    "[r.txt]": {
        "[]": "1:31: datasets.d.references: is empty; at least one is needed",
        "{}": "1:31: datasets.d.references: expected a list, found a mapping",
        "x.txt": "1:43: datasets.d.references: x.txt: no such file...",
        "[r.txt, {}]": "1:51: datasets.d.references[1]: expected ...found a mapping",
    },
    "gleu": {
        "": "3:1: metrics: is empty; at least one is needed",
        "glue": "3:11: metrics[0]: no metric is called 'glue' (did you mean 'gleu'?); known: gleu...",
        "{order: 3}": "3:11: metrics[0]: the key 'name' is missing; known metrics: gleu...",
        "[gleu]": "3:11: metrics[0]: expected a metric: a name, name[key=value,...] or a mapping with the key 'name'",
        "{name: gleu, ordre: 3}": "3:24: metrics[0].ordre: gleu has no such option (did you mean 'order'?)",
        "{name: gleu, order: 10}": "3:24: metrics[0].order: expected a whole number from 1 to 9, found '10'",
        "{name: gleu, variant: 2O17}": (
            "3:24: metrics[0].variant: expected 2017, 2016..., found '2O17' (did you mean '2017'?)"
        ),
        "{name: gleu, lowercase: yes}": "3:24: metrics[0].lowercase: expected true, false, found 'yes'",
        "{name: gleu, order: []}": "3:24: metrics[0].order: expected a whole number from 1 to 9",
        "{name: gleu, order: 3, n: 3}": "3:34: metrics[0].n: is given twice: 'order' and 'n' are the same option",
        '"gleu[n=3"': "3:11: metrics[0]: 'gleu[n=3': the closing ']' is missing",
        '"gleu[n=3,n=3]"': "3:11: metrics[0]: 'gleu[n=3,n=3]': 'n' is given twice",
        '"gleu[name=bleu]"': "3:11: metrics[0]: 'gleu[name=bleu]': 'name' is no option",
        '"gleu[n]"': "3:11: metrics[0]: 'gleu[n]': 'n' is not a key and a value",
        '"gleu|n:3|"': "3:11: metrics[0]: 'gleu|n:3|': '' is not a key and a value",
        "{name: gleu, seed: 1}": "3:24: metrics[0].seed: has no effect here (...); leave it out",
        "{name: gleu, references: max, iterations: 9}": (
            "3:41: metrics[0].iterations: has no effect here (...); leave it out"
        ),
        "{name: gleu, refs: max, rng: python2}": "3:35: metrics[0].rng: has no effect here (...); leave it out",
        "{name: gleu, unit: char, tok: blank}": (
            "3:36: metrics[0].tok: has no effect here (unit char takes every code point); leave it out"
        ),
        "{name: green, strip: true}": (
            "3:25: metrics[0].strip: has no effect here (tokenizer whitespace ignores it anyway); leave it out"
        ),
        "{name: gleu, smoothing: ones}": (
            "3:24: metrics[0].smoothing: has no effect here (only level: mean scores sentences); leave it out"
        ),
        "{name: gleu, level: mean, zero_total: one}": (
            "3:37: metrics[0].zero_total: has no effect here (sentence scores always take precision 1 there); "
            "leave it out"
        ),
        "{name: gleu, level: mean, refs: sample}": "3:37: metrics[0].refs: level: mean takes ...found 'sample'",
    },
    "{A: a.txt}": {
        "[]": "2:1: systems: is empty; at least one is needed",
        "{}": "2:1: systems: is empty; at least one is needed",
        "a.txt": "2:1: systems: expected a mapping (key: value), found 'a.txt'",
        "{A: [a.txt]}": "2:11: systems.A: expected text, found a list",
        "{A: {d: [a]}}": "2:15: systems.A.d: expected text, found a list",
        "{A:}": "2:11: systems.A: expected text, found nothing",
        "{A: a.txt, A: b.txt}": "2:21: the key 'A' is given twice (first on line 2)",
        "{'A ': a.txt}": "2:11: systems.A : 'A ' cannot be a name: it begins or ends with a blank",
        "{a.txt: a.txt, A.TXT: b.txt}": "2:25: systems.A.TXT: differs from 'a.txt' in upper and lower case only",
        "{A: {dd: a.txt, d: a.txt}}": "2:15: systems.A.dd: no data set of this name (did you mean 'd'?)",
        "[a.txt, 'z*.txt']": "2:18: systems[1]: no file matches 'z*.txt'",
    },
    "[gleu]": {
        "": "3:1: metrics: expected a list, found nothing",
        "glue": "3:10: metrics: no metric is called 'glue' (did you mean 'gleu'?)...",
        "{order: 3}": "3:10: metrics: the key 'name' is missing; known metrics: ...",
        "{name: gleu, n: 0}": "3:23: metrics.n: expected a whole number from 1 to 9...",
        "\n  - gleu\n  - name: glue": (
            "5:5: metrics[1].name: no metric is called 'glue' (did you mean 'gleu'?); known: gleu..."
        ),
        "\n  - gleu\n  - {name: gleu, order: 4}": (
            "5:5: metrics[1]: the same metric with the same settings is asked for twice"
        ),
    },
    "source: s.txt, ": {
        "": "1:12: datasets.d: gleu needs a source...add `source: FILE`..."
    },
}
"""By what is put in place of which part of GOOD ("": added at its end): the message, without the
name of the file.

A message that begins with ! names no place in the config.
"""
DOCUMENTS: list[tuple[str | bytes, str]] = [
    (
        "systems: {A: a.txt}\nmetrics: [gleu]\n",
        ":1:1: the key 'datasets' is missing",
    ),
    (
        "# none\n\nsystems: {A: a.txt}\nmetrics: [gleu]\n",
        ":3:1: the key 'datasets' is missing",
    ),
    ("", ": is empty; `gec-pipeline init` writes a config to start from"),
    (
        "# nothing\n",
        ": is empty; `gec-pipeline init` writes a config to start from",
    ),
    (
        "- a\n",
        ":1:1: expected a mapping with the keys datasets, systems, metrics",
    ),
    (
        "gleu\n",
        ":1:1: expected a mapping with the keys datasets, systems, metrics",
    ),
    (
        "? [a]\n: b\n",
        ":1:3: a key must be one word or text, not a list or mapping",
    ),
    ("a: 1\n<<: b\n", ":2:5: '<<' must name a mapping"),
    (GOOD.encode() + b"# \xff\n", ":4: byte 90 of the file is not valid UTF-8"),
    (
        GOOD.encode("utf-16"),
        ":1: byte 0 of the file is not valid UTF-8; the file looks like UTF-16 text; save it as UTF-8",
    ),
    (
        b"#" * 10_000_001,
        ": is larger than 10,000,000 bytes; is it the file that is meant?",
    ),
]


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        *((f"c.yaml{message}", text) for text, message in DOCUMENTS),
        *(
            (
                message.removeprefix("!")
                if message[0] == "!"
                else f"c.yaml:{message}",
                with_part(part, text),
            )
            for part, mistakes in MISTAKES.items()
            for text, message in mistakes.items()
        ),
    ],
)
def test_a_mistake_is_told_with_its_position_and_the_nearest_name(
    text: str | bytes, expected: str
) -> None:
    (found,) = problems(text)
    assert same(found, expected)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("a: [b\nc: d\n", "c.yaml:2:2"),
        ("a: b: c\n", "c.yaml:1:5"),
        ("a:\n\t- b\n", "c.yaml:2:1"),
        ("a: 'b\n", "c.yaml:2:1"),
        ("a: *b\n", "c.yaml:1:4"),
        (GOOD + "---\n" + GOOD, "c.yaml:4:1"),
        ("a: \x01\n", "c.yaml"),
        ("%YAML 9\n---\na: b\n", "c.yaml:1:8"),
    ],
)
def test_broken_yaml_is_told_with_its_position(
    text: str, position: str
) -> None:
    (found,) = problems(text)
    assert found.startswith(f"{position}: not valid YAML: ")


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("a: !!python/object/apply:os.system [echo]\n", "c.yaml:1:4"),
        ("a:\n  - !!python/name:os.system\n", "c.yaml:2:5"),
        ("!!python/object:os.system {a: b}\n", "c.yaml:1:1"),
        ("a: !!set {b}\n", "c.yaml:1:4"),
        ("a: !!binary aGk=\n", "c.yaml:1:4"),
        ("a: !mine b\n", "c.yaml:1:4"),
        ("!!python/name:os.system a: b\n", "c.yaml:1:1"),
    ],
)
def test_tags_are_refused(text: str, position: str) -> None:
    (found,) = problems(text)
    assert found.startswith(f"{position}: the tag '!")
    assert "is not allowed" in found


def bomb(width: int, depth: int) -> str:
    rows = [f"a0: &a0 [{', '.join('x' * width)}]"]
    rows += [
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]"
        for n in range(1, depth)
    ]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        bomb(10, 12),
        bomb(2, 45),
        "a: &a [*a]\n",
        "a: &a [*a, *a]\n",
        "a: &a {b: *a}\n",
        "a: &a {<<: *a}\n",
        "&a {<<: [*a, *a], b: *a}\n",
        "[" * 60 + "]" * 60,
        "[" * 20_000,
        "{a: " * 3_000,
        "- " * 3_000 + "a\n",
        "".join(f"{' ' * n}a:\n" for n in range(3_000)),
    ],
    ids=lambda text: text[:20],
)
def test_bombs_are_defused(text: str) -> None:
    (found,) = problems(text)
    assert found.startswith("c.yaml")
    assert any(
        words in found
        for words in ("expands to more than", "nested deeper than")
    )


HOSTILE = {
    "a list of texts": (
        "datasets: [" + "a," * 120_000 + "]",
        "c.yaml:1:200008: the document has more than 100,000",
    ),
    "brackets": (
        "a: " + "[" * 50_000,
        "c.yaml:1:54: nested deeper than 50 levels",
    ),
    "a key of half a document": (
        f"? {'k' * 50_000}\n: [" + "1," * 50_000 + "]",
        "c.yaml:2:",
    ),
    "keys on the way": (
        "".join(f"{' ' * n}{'k' * 900}:\n" for n in range(48))
        + " " * 50
        + "["
        + "1," * 900
        + "]",
        "c.yaml:49:",
    ),
    "datasets": (
        "datasets: {" + "".join(f"d{n}: , " for n in range(1_001)) + "}",
        "datasets: has 1,001 entries",
    ),
    "metrics": (
        "metrics: [" + "gleu," * 1_001 + "]",
        "c.yaml:1:5011: metrics: has 1,001 entries; 1,000 are allowed",
    ),
    "systems": (
        "systems: {" + "".join(f"s{n}: a, " for n in range(10_001)) + "}",
        "systems: has 10,001 entries",
    ),
    "includes": (
        GOOD + "include: [" + "c.yaml," * 1_001 + "]",
        "include[0]: 'c.yaml' includes itself",
    ),
    "unknown keys": (
        "".join(f"k{n}: 1\n" for n in range(10_001)),
        "the config: has 10,001 entries; 10,000 are",
    ),
}


@pytest.mark.parametrize(("text", "words"), HOSTILE.values(), ids=HOSTILE)
def test_what_no_config_needs_is_told_with_its_place(
    text: str, words: str
) -> None:
    """Before there was a bound on nodes, some of these took minutes and gigabytes."""
    assert words in problems(text)[0]


def test_systems_of_data_sets_are_counted_before_their_files_are_looked_for() -> (
    None
):
    sets = "".join(
        f"d{n}: {{source: s, references: [r]}}, " for n in range(201)
    )
    systems = "".join(f"s{n}: a, " for n in range(100))
    found = problems(
        f"datasets: {{{sets}}}\nsystems: {{{systems}}}\nmetrics: [gleu]\n"
    )
    assert found == [
        "c.yaml:2:1: systems: 20,100 outputs of systems for data sets; 20,000 are allowed"
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "".join(f"k{n}: 1\n" for n in range(1_002)),
            "c.yaml:1000:7: the document has more than 1,000",
        ),
        (
            "[" + "[]," * 1_001 + "]",
            "c.yaml:1:2999: the document has more than 1,000",
        ),
        (
            "<<: [" + "".join(f"{{k{n}: 1}}, " for n in range(300)) + "]",
            "c.yaml:1:",
        ),
    ],
    ids=["keys", "lists in a list", "merged mappings"],
)
def test_values_of_every_kind_are_counted(
    monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    """With a lower bound: reading 100,000 values takes seconds."""
    monkeypatch.setattr(compose, "MAX_NODES", 1_000)
    assert words in problems(text)[0]


def test_included_files_share_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compose, "MAX_NODES", 1_000)
    for name in "ab":
        Path(f"{name}.yaml").write_text(f"x-{name}: [" + "1," * 600 + "]")
    assert problems("include: [a.yaml, b.yaml]\n")[0].startswith(
        "b.yaml: the config has more than 1,000 values tog"
    )


def test_a_long_message_is_cut() -> None:
    (found,) = problems(
        GOOD.replace("metrics: [gleu]", f"metrics: ['{'x' * 30_000}']")
    )
    assert len(found) < 6_000
    assert found.endswith("signs)")


@pytest.mark.parametrize(
    ("name", "reason"), [("none.yaml", "no such file"), (".", "is a folder")]
)
def test_a_config_that_cannot_be_read_is_told(name: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        stages.prepare(name)


def test_all_problems_are_told_at_once() -> None:
    text = """\
datasets:
  d: {source: s.txt, refrences: [r.txt], references: [r.txt, missing.dat]}
systems:
  A: a.txt
  a: b.txt
  A: b.txt
metrics:
  - glue
  - {name: gleu, n: 99, tokeniser: blank}
run: {n_jbs: 1}
"""
    expected = [
        "c.yaml:6:3: the key 'A' is given twice (first on line 4)",
        "c.yaml:2:22: datasets.d.refrences: unknown key (did you mean 'references'?)",
        "c.yaml:10:7: run.n_jbs: unknown key (did you mean 'n_jobs'?)",
        "c.yaml:5:3: systems.a: differs from 'A' in upper and lower case only",
        "c.yaml:8:5: metrics[0]: no metric is called 'glue' (did you mean 'gleu'?); known: gleu...",
        "c.yaml:9:18: metrics[1].n: expected a whole number from 1 to 9, found '99'",
        "c.yaml:9:25: metrics[1].tokeniser: gleu has no such option (did you mean 'tokenizer'?)",
        "c.yaml:2:62: datasets.d.references[1]: missing.dat: no such file",
    ]
    found = sorted(problems(text))
    assert len(found) == len(expected)
    assert [
        pair
        for pair in zip(found, sorted(expected), strict=True)
        if not same(*pair)
    ] == []


def test_no_mistake_hides_another() -> None:
    """Wrong keys and values, a missing section, wrong names, files that are not there: all in one
    config.
    """
    text = """\
descripton: a typo
datasets:
  d: {source: s.txt, references: [r.txt, gone.txt], lines: many}
  e: {source: [s.txt], references: [r.txt]}
  f: {source: other.txt, references: [r.txt, {jsonl: 3}]}
metrics: [gluee, {name: bleu, ordr: 3}]
statistics: {resamples: no, baseline: B}
output: {formats: [jsno], digits: -1}
"""
    expected = [
        "c.yaml:1:1: the key 'systems' is missing",
        "c.yaml:1:1: descripton: unknown key (did you mean 'description'?)",
        "c.yaml:3:53: datasets.d.lines: unknown key",
        "c.yaml:4:7: datasets.e.source: expected text, found a list",
        "c.yaml:5:46: datasets.f.references[1]: the key 'column' is missing",
        "c.yaml:3:42: datasets.d.references[1]: gone.txt: no such file...",
        "c.yaml:5:7: datasets.f.source: other.txt: no such file...",
        "c.yaml:6:11: metrics[0]: no metric is called 'gluee' (did you mean 'gleu'?); known: gleu...",
        "c.yaml:6:31: metrics[1].ordr: bleu has no such option (did you mean 'order'?)",
        "c.yaml:7:14: statistics.resamples: expected a whole number, found 'no'",
        "c.yaml:8:20: output.formats[0]: expected one of json...",
        "c.yaml:8:27: output.digits: input should be greater than or equal to 0, found '-1'",
    ]
    found = sorted(problems(text))
    assert [
        pair
        for pair in zip(found, sorted(expected), strict=False)
        if not same(*pair)
    ] == []
    assert len(found) == len(expected)


def test_many_problems_are_counted() -> None:
    error = ConfigError(
        [Problem("c.yaml", str(number)) for number in range(25)]
    )
    assert str(error).split("\n")[-1] == "... and 5 more problems"
    assert len(str(error).split("\n")) == 21


def test_control_characters_are_printed_escaped() -> None:
    (found,) = problems(GOOD.replace("gleu", '"\\e[31mgleu"'))
    assert "\x1b" not in found
    assert "\\x1b[31m" in found


# What YAML is read as.
def test_names_are_the_text_that_was_written() -> None:
    config = config_of(
        with_systems(
            "{NO: a.txt, 1e3: a.txt, 0x10: a.txt, 2024-01-01: a.txt, 007: a.txt}"
        )
    )
    assert [system.name for system in config.systems] == [
        "NO",
        "1e3",
        "0x10",
        "2024-01-01",
        "007",
    ]


@pytest.mark.parametrize(
    "text",
    [
        *(
            prefix + GOOD
            for prefix in ("\ufeff", "%YAML 1.1\n---\n", "---\n", "x-a: &a 1\n")
        ),
        GOOD.replace("\n", "\r\n"),
        json.dumps(yaml.safe_load(GOOD), indent=1),
    ],
)
def test_a_config_may_be_written_otherwise(text: str) -> None:
    assert [system.name for system in config_of(text).systems] == ["A"]


def test_anchors_may_hang_on_keys_of_their_own_and_be_merged() -> None:
    text = """\
x-common: &common {source: s.txt, references: [r.txt]}
x-other: &other {source: none.txt, empty_references: error}
datasets:
  one: *common
  two: {<<: *common, references: [a.txt, b.txt]}
  three: {<<: [*common, *other]}
  four: {references: [a.txt], <<: *common}
systems: {A: a.txt}
metrics: [gleu]
"""
    found = {
        d.name: (
            str(d.source),
            [str(r) for r in d.references],
            d.empty_references,
        )
        for d in config_of(text).datasets
    }
    assert found == {
        "one": ("s.txt", ["r.txt"], "keep"),
        "two": ("s.txt", ["a.txt", "b.txt"], "keep"),
        "three": ("s.txt", ["r.txt"], "error"),
        "four": ("s.txt", ["a.txt"], "keep"),
    }


# Systems.
def outputs(*names: str) -> None:
    write(dict.fromkeys(names, "a b\n"))


@pytest.mark.parametrize(
    ("files", "systems", "names"),
    [
        (
            "sys10.txt sys9.txt sys1.out plain v1.5.sys data.x2 folder.txt/x",  # in natural order
            "['o/*']",
            ["data.x2", "plain", "sys1", "sys9", "sys10", "v1.5"],
        ),
        # in the order in which the globs are written
        ("b1 a1", "['o/b*', a.txt, 'o/*']", ["b1", "a", "a1"]),
        ("A", "[a.txt, '[a].txt']", ["a"]),  # one file, matched twice
        # a suffix of all files is no part of names
        ("step-1.en step-2.en", "['o/*.en']", ["step-1", "step-2"]),
        ("a.one b.two", "['o/*.one', 'o/*.two']", ["a.one", "b.two"]),
        (
            "1²2 SMEC+morph GPT-4(zero-shot).txt",
            "['o/*']",
            ["1²2", "GPT-4(zero-shot)", "SMEC+morph"],
        ),
    ],
)
def test_globs_find_systems(files: str, systems: str, names: list[str]) -> None:
    outputs(*(f"o/{name}" for name in files.split()))
    assert [
        system.name for system in config_of(with_systems(systems)).systems
    ] == names


def test_two_files_of_one_name_are_refused() -> None:
    outputs("o/A.txt", "o/A.out")
    (found,) = problems(with_systems("['o/*']"))
    assert found.startswith(
        "c.yaml:2:11: systems[0]: two files would both be the system 'A': "
    )


def test_globs_may_be_absolute_and_go_up(folder: Path) -> None:
    outputs("o/A", "c/none")
    path = Path("c/c.yaml")
    text = GOOD.replace("s.txt", "../s.txt").replace("r.txt", "../r.txt")
    path.write_text(
        text.replace(
            "{A: a.txt}", f"['../o/*', {json.dumps(str(folder / 'b.*'))}]"
        ),
        "utf-8",
    )
    assert [system.name for system in stages.prepare(path).config.systems] == [
        "A",
        "b",
    ]


def test_folders_of_a_config_are_no_part_of_its_globs() -> None:
    """A folder may be called run[1]."""
    outputs("run[1]/s.txt", "run[1]/r.txt", "run[1]/o/A")
    path = Path("run[1]/c.yaml")
    path.write_text(with_systems("['o/*']"), "utf-8")
    assert [system.name for system in stages.prepare(path).config.systems] == [
        "A"
    ]


@pytest.mark.parametrize(
    "pattern", ["**x", "a/**b/c", ".", "/", "..", "x\0y", "[", "x" * 300]
)
def test_globs_that_cannot_match_are_told(pattern: str) -> None:
    found = problems(with_systems(json.dumps([pattern])))
    assert [
        line for line in found if line.startswith("c.yaml:2:11: systems[0]: ")
    ]


@pytest.mark.parametrize(
    ("one", "two"), [("a1", "a01"), ("a1", "a1 "), ("A", "a"), ("1", "01")]
)
def test_the_natural_order_decides_between_any_two_names(
    one: str, two: str
) -> None:
    """Else the order of systems would be that of the file system."""
    assert natural_key(Path(one)) != natural_key(Path(two))


NAMES = [
    "SMEC+morph",
    "GPT-4 (zero-shot)",
    "a b",
    "_a",
    ".a",
    "é",
    "a:b",
    "@a",
    "=a",
    "[v2]",
    "名前",
]


@pytest.mark.parametrize(
    "name",
    [
        "a" * 101,
        "",
        " ",
        " a",
        "a ",
        "a\nb",
        "a\tb",
        "a\u202eb",
        "a\xa0b",
        "{system}",
        "a/b",
        "..",
        "-a",
    ],
)
@pytest.mark.parametrize("section", ["datasets", "systems"])
def test_names_that_do_not_print_are_refused(section: str, name: str) -> None:
    text = (
        with_systems(f"{{{json.dumps(name)}: a.txt}}")
        if section == "systems"
        else GOOD.replace("{d:", f"{{{json.dumps(name)}:")
    )
    assert any("cannot be a name" in line for line in problems(text))


@pytest.mark.parametrize("name", [*NAMES, "a", "0", "A.b_c+d-e", "a" * 100])
def test_names_that_print_are_taken(name: str) -> None:
    assert (
        config_of(with_systems(f"{{{json.dumps(name)}: a.txt}}"))
        .systems[0]
        .name
        == name
    )


# Metrics: the forms, and the signature.
@pytest.mark.parametrize(
    "form",
    [
        "{name: gleu, order: 3, references: max}",
        "{refs: max, n: 3, name: gleu}",
        "{name: gleu, order: '3', references: max, zero_total: zero}",
        '"gleu[n=3,refs=max]"',
        '"gleu[ order = 3 , references = max ]"',
        '"gleu|variant:2017|n:4|refs:max"',
    ],
)
def test_forms_of_a_metric(form: str) -> None:
    order = 4 if "n:4" in form else 3
    assert metrics_of(f"[{form}]") == (metric_of(n=order, refs="max"),)


@pytest.mark.parametrize(
    "form",
    ["gleu", '"gleu[]"', "{name: gleu}", '" gleu "', '"gleu|nrefs:2|v:0.1"'],
)
def test_forms_of_a_metric_without_options(form: str) -> None:
    assert metrics_of(f"[{form}]") == (metric_of(),)


def test_options_written_as_lists_ask_for_every_combination() -> None:
    found = metrics_of("[{name: gleu, order: [2, 3], variant: [2017, 2016]}]")
    assert found == tuple(
        metric_of(n=n, variant=variant)
        for n, variant in product((2, 3), ("2017", "2016"))
    )
    text = GOOD.replace(
        "gleu", "{name: gleu, order: [2, 3], variant: [2017, 2016]}"
    )
    assert schema_accepts(yaml.safe_load(text))


@pytest.mark.parametrize(
    "mistake", ["ordre: 3", "n: 10", "level: corps", "smoothing: ones"]
)
def test_a_mistake_beside_a_list_is_told_once(mistake: str) -> None:
    assert (
        len(
            problems(
                GOOD.replace(
                    "gleu", f"{{name: gleu, iterations: [1, 2, 3], {mistake}}}"
                )
            )
        )
        == 1
    )


def test_a_mistake_in_a_list_is_told_once_and_with_its_value() -> None:
    (found,) = problems(
        GOOD.replace(
            "gleu", "{name: gleu, order: [1, 10, 2], variant: [2016, 2017]}"
        )
    )
    assert "found '10'" in found


def test_lists_that_ask_for_too_many_metrics_are_refused_before_any_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """300 times 1,000 combinations, of two short lists; 3 times 4 are made."""
    resolved = mock.Mock(side_effect=build.resolve)
    monkeypatch.setattr(build, "resolve", resolved)
    for iterations, seeds, created in ((3, 4, 12), (300, 1000, 0)):
        resolved.reset_mock()
        lists = f"iterations: {list(range(1, iterations + 1))}, seed: {list(range(seeds))}"
        text = f"[{{name: gleu, sampler: numpy, {lists}}}]"
        if created:
            assert len(metrics_of(text)) == created
        else:
            (message,) = problems(GOOD.replace("[gleu]", text))
            assert message.startswith("c.yaml:3:")
        assert resolved.call_count == created


WRITTEN = [
    "0.1",
    "1",
    "5",
    "0.5+0.5",
    "0.2+0.3+0.5",
    "0.25+0.25+0.25+0.25",
    "0.5+0.5_0.25+0.25+0.25+0.25",
]
"""Values of options that are texts of some form, for those whose form they have."""


RESOLVED = {
    "annotator": ["errant-3.0.2.spacy-3.8.7.en_core_web_sm-3.8.0"],
    "stop_words": ["smart"],
    "weights": ["none", "systems", "file-0123456789ab"],
    "model": ["sha.0123456789ab", "sha.00112233aabb"],
    "baseline": ["sha.0123456789ab"],
    "idf": ["sha.0123456789ab"],
    "prompt": ["sha.0123456789ab"],
}
RESOLVED |= dict.fromkeys(
    ("grammar", "fluency", "meaning", "quality", "similarity"),
    RESOLVED["model"],
)
"""Values of options that are files or models, as signatures have them."""


def any_options(metric: type[Metric]) -> st.SearchStrategy[dict[str, Any]]:
    """Values for all options of a metric, whether they go together or not."""
    values: dict[str, st.SearchStrategy[Any]] = {}
    for option in metric.options:
        complete = (
            st.integers(option.minimum, option.maximum)
            if option.maximum is not None
            else st.booleans()
        )
        texts = [
            text
            for text in WRITTEN
            if option.pattern and re.fullmatch(option.pattern, text)
        ]
        values[option.name] = (
            st.sampled_from(option.choices or texts)
            if option.choices or texts
            else complete
        )
        if option.free:
            values[option.name] = (
                st.sampled_from(RESOLVED[option.name])
                if option.resolved
                else st.text(min_size=1, max_size=8)
            )
    return st.fixed_dictionaries(values)


def metric_with(
    metric: type[Metric], values: dict[str, Any], keys: str
) -> Metric:
    """Make a metric of options as a config would give them, without those that would be refused."""
    values = dict(values)
    while True:
        given = {
            getattr(option, keys): values[option.name]
            for option in metric.options
            if option.name in values
        }
        wrong: list[Problem] = []
        node = Node.from_plain({"name": metric.name, **given}, "")
        found = resolve(node, wrong)
        if found:
            return found
        blamed = wrong[0].message.split(":")[0]
        values.pop(
            next(
                option.name
                for option in metric.options
                if blamed in (option.name, option.key)
            )
        )


@pytest.mark.parametrize("name", METRICS)
@given(data=st.data())
def test_every_signature_parses_back_to_an_equal_metric(
    name: str, data: st.DataObject
) -> None:
    values = data.draw(any_options(METRICS[name]))
    metric = metric_with(METRICS[name], values, "name")
    printed = tasks.signature_of(
        metric, data.draw(st.sampled_from([1, 2, 255]))
    )
    again = from_text(printed)
    assert again == metric
    assert hash(again) == hash(metric)
    assert metric_with(METRICS[name], values, "key") == metric
    pairs = [
        (key, str(value).lower() if isinstance(value, bool) else value)
        for key, value in metric.settings()
    ]
    inside = ",".join(f"{key}={value}" for key, value in pairs)
    assert from_text(f"{name}[{inside}]") == metric


@pytest.mark.parametrize("name", METRICS)
@given(data=st.data())
def test_different_metrics_have_different_signatures(
    name: str, data: st.DataObject
) -> None:
    one, two = (
        metric_with(
            METRICS[name], data.draw(any_options(METRICS[name])), "name"
        )
        for _ in "12"
    )
    assert (one == two) == (
        tasks.signature_of(one, 2) == tasks.signature_of(two, 2)
    )


def test_the_signature_of_the_default() -> None:
    """The example of the specification of signatures."""
    assert tasks.signature_of(metric_of(), 2).rpartition("|v:")[0] == (
        "gleu|variant:2017|n:4|unit:word|tok:ascii_whitespace|refs:sample|iter:500|rng:python2|zero_total:zero|nrefs:2"
    )


# The JSON Schema.
SHIPPED = sorted((ROOT / "configs").glob("*.yaml"))
OF_EXTENSIONS = {"human.yaml": {"human"}, "datatotext.yaml": {"human", "nlg"}}
"""Configs with a section or format of extensions."""


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in SHIPPED
        if OF_EXTENSIONS.get(path.name, set()) <= installed().keys()
    ],
    ids=lambda path: str(path.name),
)
def test_the_schema_accepts_the_configs_that_ship(path: Path) -> None:
    assert schema_accepts(yaml.safe_load(path.read_text("utf-8")))


def test_the_printed_schema_is_that_of_the_models(
    run_line: RunLine,
) -> None:
    assert printed(run_line("schema")) == json_schema()
    jsonschema.Draft202012Validator.check_schema(json.loads(json_schema()))


@pytest.mark.parametrize(
    "addition",
    [
        "",
        "x-free: {any: thing}\n",
        "version: 1\ndescription: text\n",
        "run: {n_jobs: auto, backend: loky}\n",
        "run: {n_jobs: 3}\noutput: {dir: o, formats: [json], digits: 12}\n",
    ],
)
def test_the_schema_accepts_what_the_program_does(addition: str) -> None:
    assert config_of(GOOD + addition)
    assert schema_accepts(yaml.safe_load(GOOD + addition))


SHAPES = (
    "unknown key",
    "'name' is missing",
    "is empty",
    "expected ",
    ".name: no metric",
    "no such option",
    "a mapping",
)
"""What messages say of mistakes that a schema can see."""


@pytest.mark.parametrize(
    "text",
    [
        with_part(part, text)
        for part, mistakes in MISTAKES.items()
        for text, message in mistakes.items()
        if any(words in message for words in SHAPES)
        and "found 'yes'" not in message  # yes is true in YAML
    ],
)
def test_the_schema_refuses_what_the_program_does(text: str) -> None:
    assert not schema_accepts(yaml.safe_load(text))


@pytest.mark.parametrize("key", ["datasets", "systems", "metrics"])
def test_the_schema_wants_what_the_program_does(key: str) -> None:
    data = yaml.safe_load(GOOD)
    del data[key]
    assert not schema_accepts(data)
    assert problems(json.dumps(data)) == [
        f"c.yaml:1:1: the key '{key}' is missing"
    ]


# The document itself: what any text does.
@given(
    text=st.text(
        st.sampled_from("ab:-[]{}&*!?|>'\"%@`#,<\t\n \x85\u2028é\ufeff~1")
    )
)
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ConfigError):
        root, _ = parse(text)
        assert root.plain() is not None or root.value is None


@given(
    data=st.recursive(
        st.none() | st.text("abN01 .", max_size=4),
        lambda c: st.lists(c) | st.dictionaries(st.text("ab", min_size=1), c),
    )
)
def test_what_json_says_is_what_is_read(data: object) -> None:
    root, found = parse(json.dumps(data))
    assert root.plain() == data
    assert found == []


def test_positions_have_the_path_as_the_user_wrote_it(folder: Path) -> None:
    write({"c.yaml": GOOD})
    assert read("c.yaml")[0].mark.file == "c.yaml"
    assert read(folder / "c.yaml")[0].mark.file == str(folder / "c.yaml")
