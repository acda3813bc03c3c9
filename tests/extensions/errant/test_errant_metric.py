"""ERRANT as a metric: what errant_compare printed for CoNLL-2014, and its rules written out on
random files.

The golden files hold the output of errant_compare 3.0.2, a command and what it printed, one after
the other."""

from __future__ import annotations

import csv
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pipeline
from pipeline import stages
from pipeline.data.config import Node
from pipeline.evaluation import Result
from pipeline.extensions.edits.m2_files import NOOP as NOOP_LINE
from pipeline.extensions.edits.records import (
    annotation_of,
    outputs_of,
    record_of,
)
from pipeline.extensions.errant.errant_report import (
    CHERRANT,
    NOOP,
    UNJUDGED,
    Comparison,
    Hits,
    compare,
)
from pipeline.extensions.errant.metrics.errant import Compared, Errant, hits_of
from pipeline.kernel.common import join_lines
from pipeline.metrics.base.statistics_spec import Text
from pipeline.scoring import MetricColumns
from pipeline.scoring.results import Results
from tests.config_files import write
from tests.oracles import naive_errant
from tests.support.metrics import counts_of
from tests.support.words import wordlist

pytestmark = pytest.mark.filterwarnings("ignore")


def stored_run(
    folder: Path, gold: str, output: str, metrics: list[str]
) -> Results:
    """Run a config with a gold file and the M2 file of a system."""
    (folder / "gold.m2").write_text(gold, encoding="utf-8")
    (folder / "A.m2").write_text(output, encoding="utf-8")
    config = {
        "datasets": {"d": {"gold": str(folder / "gold.m2")}},
        "systems": [str(folder / "A.m2")],
        "metrics": metrics,
        "output": {"dir": str(folder / "run")},
    }
    return stages.run(stages.prepare(Node.from_mapping(config)))[1]


SYSTEMS = ("AMU", "CAMB", "CUUI", "INPUT", "POST")
COUNTS = ("tp", "fp", "fn")
TYPES = wordlist("R:NOUN M:DET U:VERB:SVA UNK R:OTHER")


class Printed(NamedTuple):
    """What errant_compare printed for a command."""

    options: str
    """The options of the metric that mean the same."""
    totals: list[str]
    """TP, FP, FN, precision, recall and F as they were printed."""
    categories: dict[str, list[str]]
    """The same for each category, where the command asked for them."""


def options_of(command: str) -> str:
    words = command.split()[6:]
    options = []
    while words:
        flag = words.pop(0)
        if flag in ("-cs", "-cse", "-ds", "-dt"):
            options.append(f"mode={flag[1:]}")
        elif flag in ("-single", "-multi"):
            options.append(f"{flag[1:]}=true")
        elif flag == "-b":
            options.append(f"beta={words.pop(0)}")
        elif flag == "-cat":
            words.pop(0)
        else:
            assert flag == "-filt"
            options.append(f"filter={'+'.join(words)}")
            words = []
    return ",".join(options)


def printed(shared: Path, system: str) -> Iterator[Printed]:
    text = (
        shared / "edits" / "golden" / "errant-compare" / f"{system}.txt"
    ).read_text(encoding="utf-8")
    for part in text.split("$ errant_compare ")[1:]:
        command, _, answer = part.partition("\n")
        rows = [
            line.split()
            for line in answer.splitlines()
            if re.search(r"[0-9]$", line) and not line.startswith("TP")
        ]
        named = {
            row[0]: row[1:]
            for row in rows
            if len(row) == 7 and row[0] != "Category"
        }
        yield Printed(
            options_of(f"$ errant_compare {command}"), rows[-1], named
        )


def metric(options: str, *more: str) -> str:
    joined = ",".join([part for part in (options, *more) if part])
    return f"errant[{joined}]" if joined else "errant"


def annotated(shared: Path, system: str) -> str:
    return str(shared / "edits" / "m2" / f"conll14-{system}.errant")


def displayed(outputs: Mapping[str, float]) -> list[str]:
    """Return counts and scores as errant_compare rounds and prints them."""
    scores = [
        str(round(outputs[name], 4))
        for name in ("precision", "recall", "errant")
    ]
    return [*(str(int(outputs[name])) for name in COUNTS), *scores]


@pytest.mark.parametrize("system", SYSTEMS)
def test_conll_totals_in_every_mode(shared: Path, system: str) -> None:
    cases = {case.options: case.totals for case in printed(shared, system)}
    assert len(cases) > 8
    gold = str(shared / "edits" / "m2" / "conll14.errant")
    scored = pipeline.evaluate(
        annotated(shared, system),
        metrics=[metric(options) for options in cases],
        gold=gold,
    )
    for result, (options, expected) in zip(scored, cases.items(), strict=True):
        assert displayed(result.outputs) == expected, options


def test_conll_categories(shared: Path) -> None:
    """Categories of every tier, as the option `types` scores them: all of tier 1, and every ninth
    of the others."""
    gold = str(shared / "edits" / "m2" / "conll14.errant")
    expected = dict[str, list[str]]()
    for case in printed(shared, "AMU"):
        names = [
            name
            for n, name in enumerate(case.categories)
            if len(name) == 1 or n % 9 == 0
        ]
        expected |= {
            metric(case.options, f"types={name}"): case.categories[name]
            for name in names
        }
    assert len(expected) > 25
    scored = pipeline.evaluate(
        annotated(shared, "AMU"), metrics=list(expected), gold=gold
    )
    for result, (name, row) in zip(scored, expected.items(), strict=True):
        assert displayed(result.outputs) == row, name


def chosen_rows(result: Result) -> list[tuple[int, int, int]]:
    """Return tp, fp and fn of each sentence with the pair of annotators that was chosen."""
    choose = result.measure.chooser()
    rows = []
    for block in MetricColumns(result.measure).compact_blocks(
        result.statistics
    ):
        for line, number in enumerate(choose(block)):
            tp, fp, fn = (int(block[name][line, number]) for name in COUNTS)
            rows.append((tp, fp, fn))
    return rows


@pytest.mark.parametrize("system", SYSTEMS)
def test_conll_sentences(shared: Path, system: str) -> None:
    """Source: *.sentences.tsv, the pair of annotators that errant_compare took for each sentence,
    and its counts."""
    text = (
        shared
        / "edits"
        / "golden"
        / "errant-compare"
        / f"{system}.sentences.tsv"
    ).read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t"))
    gold = str(shared / "edits" / "m2" / "conll14.errant")
    (result,) = pipeline.evaluate(
        annotated(shared, system), metrics="errant", gold=gold
    )
    assert chosen_rows(result) == [
        tuple(int(row[name]) for name in COUNTS) for row in rows
    ]
    columns = result.columns
    for line, row in enumerate(rows):
        counts = [int(columns[f"{name}@{row['ref']}"][line]) for name in COUNTS]
        assert counts == [int(row[name]) for name in COUNTS]
    assert len({row["ref"] for row in rows}) == 2


Lines = list[list[str]]


def random_m2(rng: random.Random, lines: int, annotators: int) -> Lines:
    """Return the lines with edits of sentences: several annotators, repeated edits, noops, UNK,
    none at all."""
    blocks = []
    for _ in range(lines):
        rows = []
        for annotator in rng.sample(
            range(annotators), rng.randint(0, annotators)
        ):
            for _ in range(rng.randint(0, 3)):
                start = rng.randint(0, 4)
                end = start + rng.randint(0, 2)
                correction = rng.choice(["", "x", "y", "x y"])
                rows.append(
                    f"A {start} {end}|||{rng.choice(TYPES)}|||{correction}|||REQUIRED|||-NONE-|||{annotator}"
                )
            if rng.random() < 0.2:
                rows.append(
                    f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}"
                )
        blocks.append(rows)
    return blocks


def m2(blocks: Lines) -> str:
    return "".join(
        "\n".join(["S a b c d e f g", *rows]) + "\n\n" for rows in blocks
    )


OPTIONS = [
    "",
    "mode=cse",
    "mode=ds",
    "mode=dt",
    "single=true",
    "multi=true,mode=ds",
    "filter=R:NOUN+M:DET,mode=dt",
]


@pytest.mark.parametrize("beta", ["0.5", "1", "2"])
def test_random_files_with_several_annotators_on_both_sides(
    beta: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed in range(6):
        rng = random.Random(seed)
        output = random_m2(rng, 40, 1 + seed % 3)
        gold = random_m2(rng, 40, 3)
        write({"hyp.m2": m2(output), "gold.m2": m2(gold)})
        metrics = [metric(options, f"beta={beta}") for options in OPTIONS]
        for text, result in zip(
            OPTIONS,
            pipeline.evaluate("hyp.m2", metrics=metrics, gold="gold.m2"),
            strict=True,
        ):
            given: dict[str, Any] = dict(
                part.split("=") for part in text.split(",") if part
            )
            given["left_out"] = given.pop("filter", "").split("+")
            rows = naive_errant.chosen(
                m2(output), m2(gold), float(beta), **given
            )
            totals = np.zeros(3, int)
            for row in rows:
                totals += np.sum([*row.values()], axis=0, dtype=int)
            counts = [int(result.outputs[name]) for name in COUNTS]
            assert counts == totals.tolist(), (seed, text)
            tp, fp, fn = counts
            score = naive_errant.f_beta(tp, fp, fn, float(beta))[0]
            assert result.score == pytest.approx(score, rel=0, abs=1e-15)


def test_a_type_that_nobody_has_is_said(tmp_path: Path) -> None:
    """Without an edit to be found every score is 1, which looks perfect."""
    block = "S a b\nA 0 1|||R:NOUN|||c|||REQUIRED|||-NONE-|||0\n"
    metrics = ["errant[types=R:NUON]", "errant[types=R:NOUN]"]
    results = stored_run(tmp_path, block, block, metrics)
    warnings = [text for text in results.warnings if "of the types" in text]
    assert warnings == [
        "d: errant: no edit at all is of the types R:NUON; are they written as in the files?"
    ]
    assert [score.score for score in results.scores] == [1.0, 1.0]


CHINESE = """S 甲 乙 丙
T0-A0 甲 丁 戊 丙
A 1 2|||S|||丁 戊|||REQUIRED|||-NONE-|||0

S 甲 \uff1a 乙
T0 没有错误
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S 丙 乙
A -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||0
"""


def test_files_of_cherrant_are_read_as_cherrant_reads_them(
    tmp_path: Path,
) -> None:
    """Blanks in corrections mean nothing, lines T0-A0 are skipped, and a sentence with NA alone
    does not count."""
    output = (
        CHINESE.replace("丁 戊|||", "丁戊|||")
        .replace("S 甲 \uff1a 乙", "S 甲 : 乙")
        .replace("-1 -1|||NA|||-NONE-", "0 1|||S|||丁")
    )
    metrics = ["errant[style=cherrant]", "errant"]
    scores = stored_run(tmp_path, CHINESE, output, metrics).scores
    counts = [counts_of(score.outputs) for score in scores]
    assert counts == [[1, 0, 0], [0, 2, 2]]


DEMO = json.loads(Path(__file__).with_name("cherrant_demo.json").read_bytes())


def demo(name: str, between: str) -> str:
    """Return the edits of a file of ChERRANT's demonstration as M2, with `between` in the
    corrections."""
    by_line: dict[str, list[str]] = {}
    for text in DEMO["edits"][name].split(", "):
        line, start, end, kind, correction, annotator = text.split()
        word = "-NONE-" if correction == "0" else f"x{between}{correction}"
        entry = f"A {start} {end}|||{kind}|||{word}|||REQUIRED|||-NONE-|||{annotator}"
        by_line.setdefault(line, []).append(entry)
    noop = ["A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"]
    sentence = " ".join(f"w{number}" for number in range(90))
    return (
        "\n\n".join(
            "\n".join([f"S {sentence}", *by_line.get(str(line), noop)])
            for line in range(20)
        )
        + "\n"
    )


@pytest.mark.parametrize("unit", ["char", "word"])
def test_what_cherrant_prints_of_its_demonstration(
    tmp_path: Path, unit: str
) -> None:
    """Totals by -cs and -ds, and each type by -cat 3: two annotators, the sentence of one of them
    with a noop alone."""
    results = stored_run(
        tmp_path,
        demo(f"ref.{unit}", ""),
        demo(f"hyp.{unit}", " "),
        [f"errant[style=cherrant,mode={mode}]" for mode in ("cs", "ds")],
    )
    for score, mode in zip(results.scores, ("cs", "ds"), strict=True):
        printed = " ".join(displayed(score.outputs))
        assert printed == DEMO["printed"][f"{unit} {mode}"]
    (part,) = (
        part
        for part in results.breakdown
        if part.tier == 3 and "mode:cs" in part.metric
    )
    types = {}
    for item in part.categories:
        types[item.category] = " ".join(displayed(item.outputs)[:3])
    assert types == DEMO["types"][unit]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("multi=true", [1, 0, 8, 0.3846]),
        ("single=true", [7, 19, 24, 0.2593]),
        ("multi=true,mode=ds", [1, 0, 8, 0.3846]),
    ],
)
def test_a_correction_is_one_word_for_cherrant(
    tmp_path: Path, options: str, expected: list[float]
) -> None:
    """0.3846 is what compare_m2_for_evaluation.py prints of demo.word with -multi; blanks are
    removed before words are counted. The counts are those of the edits of two tokens and more, or
    of fewer, in the files."""
    output = tmp_path / "A.m2"
    gold = tmp_path / "gold.m2"
    output.write_text(demo("hyp.word", " "), encoding="utf-8")
    gold.write_text(demo("ref.word", ""), encoding="utf-8")
    metric = f"errant[style=cherrant,{options}]"
    (score,) = pipeline.evaluate(output, metrics=metric, gold=gold)
    assert [*counts_of(score.outputs), round(score.score, 4)] == expected


def test_types_of_other_programs_are_categories_of_their_own() -> None:
    """Only M:, R: and U: are cut off, so that no category is without a name."""
    categories = {
        "R:NOUN:NUM": ("R", "NOUN:NUM"),
        "U:DET": ("U", "DET"),
        "ArtOrDet": ("ArtOrDet", "ArtOrDet"),
        "M": ("M", "M"),
        "R:": ("R:", "R:"),
        "UNK": ("UNK", "UNK"),
        "S:X": ("S:X", "S:X"),
    }
    for name, expected in categories.items():
        found = tuple(Errant().category(name, tier) for tier in (1, 2))
        assert found == expected


# The hits and misses that are counted as arrays are those of compare(), sentence by sentence.


TYPES_test_errant_hits = [NOOP, "UNK", "R:NOUN", "M:DET", UNJUDGED]
COMPARISONS = st.builds(
    Comparison,
    mode=st.sampled_from(wordlist("cs cse ds dt")),
    single=st.booleans(),
    multi=st.booleans(),
    left_out=st.sampled_from([(), (), ("R:NOUN",)]),
    style=st.sampled_from(["errant", CHERRANT]),
)


@st.composite
def lines(draw: st.DrawFn, annotator: int) -> list[str]:
    edit = st.tuples(
        st.integers(-1, 2),
        st.integers(0, 2),
        st.sampled_from(TYPES_test_errant_hits),
        st.sampled_from(["", "a", "a b"]),
    )
    edits = draw(st.lists(edit, min_size=1, max_size=4))
    return [
        f"A {a} {max(a, 0) + b}|||{name}|||{text}|||REQUIRED|||-NONE-|||{annotator}"
        for a, b, name, text in edits
    ]


@st.composite
def texts(draw: st.DrawFn) -> Text:
    """References are pairs of two annotators of the gold and two of an output, any of whom may lack
    a line."""
    count = draw(st.integers(1, 4))
    systems = draw(st.integers(1, 3))
    gold = [
        [draw(st.none() | lines(number)) for number in range(2)]
        for _ in range(count)
    ]
    references = []
    for output in range(2):
        for number in range(2):
            records = [
                b""
                if not (entry := line[number])
                else record_of(number, number, output, entry)
                for line in gold
            ]
            references.append(join_lines(records))
    outputs = []
    for _ in range(systems):
        each = [
            draw(lines(0)) + (draw(st.just([]) | lines(1)))
            for _ in range(count)
        ]
        outputs.append(
            join_lines(
                "\n".join(entry or [NOOP_LINE]).encode() for entry in each
            )
        )
    return Text(None, references, outputs, {})


def one_by_one(
    comparison: Comparison, text: Text, system: int, line: int
) -> list[tuple[int, int, Hits] | None]:
    """Return for each pair its order, the edits of the annotator, and the hits and misses."""
    outputs = [
        comparison.keys(edits)
        for edits in outputs_of(list(text.systems[system].texts())[line])
    ]
    annotations = [
        annotation_of(list(reference.texts())[line])
        for reference in text.references
    ]
    keys = [
        comparison.keys(entry.edits) if entry else {} for entry in annotations
    ]
    first = [
        entry
        for entry, item in zip(keys, annotations, strict=True)
        if item and item.output == 0
    ]
    judged = (
        comparison.style != CHERRANT
        or len(first) != 1
        or [*first[0].values()] != [[UNJUDGED]]
    )
    pairs: list[tuple[int, int, Hits] | None] = []
    for item, entry in zip(annotations, keys, strict=True):
        if item is None or item.output >= len(outputs):
            pairs.append(None)
            continue
        edits = sum(len(types) for types in entry.values() if types[0] != NOOP)
        hits = (
            compare(outputs[item.output], entry) if judged else Hits([], [], [])
        )
        pairs.append((item.output * len(annotations) + item.order, edits, hits))
    return pairs


def counted(
    compared: Compared, pair: int, position: int, row: int
) -> Counter[str]:
    rows, types = compared.hits[pair][position]
    return Counter(
        compared.types[number] for number in types[rows == row].tolist()
    )


@settings(max_examples=60, deadline=None)
@given(text=texts(), comparison=COMPARISONS)
def test_hits_as_arrays_are_those_of_each_sentence(
    text: Text, comparison: Comparison
) -> None:
    compared = hits_of(comparison, text)
    systems, count, pairs = compared.edits.shape
    for system, line in np.ndindex(systems, count):
        for pair, expected in enumerate(
            one_by_one(comparison, text, system, line)
        ):
            order, edits, hits = expected or (0, -1, Hits([], [], []))
            assert (
                compared.orders[system, line, pair],
                compared.edits[system, line, pair],
            ) == (order, edits)
            for position, types in enumerate(hits):
                assert counted(
                    compared, pair, position, system * count + line
                ) == Counter(types)
    # by type and in total they are made once
    assert hits_of(comparison, text) is compared
    assert pairs == len(text.references)
