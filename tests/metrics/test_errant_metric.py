"""ERRANT as a metric: what errant_compare printed for CoNLL-2014, and its rules written out on random files.

The golden files hold the output of errant_compare 3.0.2, a command and what it printed, one after the other.
"""

from __future__ import annotations

import csv
import json
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import pipeline
from pipeline import stages
from pipeline.config.tree import from_mapping
from pipeline.metrics.base.capabilities import chooser
from pipeline.scoring.column_blocks import present_blocks
from tests.files import write

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.evaluation import Result

pytestmark = pytest.mark.filterwarnings("ignore")

SYSTEMS = ("AMU", "CAMB", "CUUI", "INPUT", "POST")
COUNTS = ("tp", "fp", "fn")
TYPES = ["R:NOUN", "M:DET", "U:VERB:SVA", "UNK", "R:OTHER"]


class Printed(NamedTuple):
    """What errant_compare printed for a command."""

    options: str
    """The options of the metric that mean the same."""
    totals: list[str]
    """TP, FP, FN, precision, recall and F as they were printed."""
    categories: dict[str, list[str]]
    """The same for each category, where the command asked for them."""


def options_of(command: str) -> str:
    words, options = command.split()[6:], []
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
    text = (shared / "edits" / "golden" / "errant-compare" / f"{system}.txt").read_text(encoding="utf-8")
    for part in text.split("$ errant_compare ")[1:]:
        command, _, answer = part.partition("\n")
        rows = [
            line.split() for line in answer.splitlines() if re.search(r"[0-9]$", line) and not line.startswith("TP")
        ]
        named = {row[0]: row[1:] for row in rows if len(row) == 7 and row[0] != "Category"}
        yield Printed(options_of(f"$ errant_compare {command}"), rows[-1], named)


def metric(options: str, *more: str) -> str:
    joined = ",".join([part for part in (options, *more) if part])
    return f"errant[{joined}]" if joined else "errant"


def annotated(shared: Path, system: str) -> str:
    return str(shared / "edits" / "m2" / f"conll14-{system}.errant")


def shown(result: Result) -> list[str]:
    """Return counts and scores as errant_compare rounds and prints them."""
    scores = [str(round(result.outputs[name], 4)) for name in ("precision", "recall", "errant")]
    return [*(str(int(result.outputs[name])) for name in COUNTS), *scores]


@pytest.mark.parametrize("system", SYSTEMS)
def test_conll_totals_in_every_mode(shared: Path, system: str) -> None:
    cases = {case.options: case.totals for case in printed(shared, system)}
    assert len(cases) > 8
    gold = str(shared / "edits" / "m2" / "conll14.errant")
    scored = pipeline.evaluate(annotated(shared, system), metrics=[metric(options) for options in cases], gold=gold)
    for result, (options, expected) in zip(scored, cases.items(), strict=True):
        assert shown(result) == expected, options


def test_conll_categories(shared: Path) -> None:
    """Categories of every tier, as the option `types` scores them: all of tier 1, and every ninth of the others."""
    gold, expected = str(shared / "edits" / "m2" / "conll14.errant"), dict[str, list[str]]()
    for case in printed(shared, "AMU"):
        names = [name for n, name in enumerate(case.categories) if len(name) == 1 or n % 9 == 0]
        expected |= {metric(case.options, f"types={name}"): case.categories[name] for name in names}
    assert len(expected) > 25
    scored = pipeline.evaluate(annotated(shared, "AMU"), metrics=list(expected), gold=gold)
    for result, (name, row) in zip(scored, expected.items(), strict=True):
        assert shown(result) == row, name


def chosen_rows(result: Result) -> list[tuple[int, int, int]]:
    """Return tp, fp and fn of each sentence with the pair of annotators that was chosen."""
    choose, rows = chooser(result.measure), []
    for block in present_blocks(result.measure, result.statistics):
        for line, number in enumerate(choose(block)):
            tp, fp, fn = (int(block[name][line, number]) for name in COUNTS)
            rows.append((tp, fp, fn))
    return rows


@pytest.mark.parametrize("system", SYSTEMS)
def test_conll_sentences(shared: Path, system: str) -> None:
    """Source: *.sentences.tsv, the pair of annotators that errant_compare took for each sentence, and its counts."""
    text = (shared / "edits" / "golden" / "errant-compare" / f"{system}.sentences.tsv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t"))
    gold = str(shared / "edits" / "m2" / "conll14.errant")
    (result,) = pipeline.evaluate(annotated(shared, system), metrics="errant", gold=gold)
    assert chosen_rows(result) == [tuple(int(row[name]) for name in COUNTS) for row in rows]
    columns = result.columns
    for line, row in enumerate(rows):
        counts = [int(columns[f"{name}@{row['ref']}"][line]) for name in COUNTS]
        assert counts == [int(row[name]) for name in COUNTS]
    assert len({row["ref"] for row in rows}) == 2


Lines = list[list[str]]


def random_m2(rng: random.Random, lines: int, annotators: int) -> Lines:
    """Return the lines with edits of sentences: several annotators, repeated edits, noops, UNK, none at all."""
    blocks = []
    for _ in range(lines):
        rows = []
        for annotator in rng.sample(range(annotators), rng.randint(0, annotators)):
            for _ in range(rng.randint(0, 3)):
                start = rng.randint(0, 4)
                end, correction = start + rng.randint(0, 2), rng.choice(["", "x", "y", "x y"])
                rows.append(f"A {start} {end}|||{rng.choice(TYPES)}|||{correction}|||REQUIRED|||-NONE-|||{annotator}")
            if rng.random() < 0.2:
                rows.append(f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}")
        blocks.append(rows)
    return blocks


def m2(blocks: Lines) -> str:
    return "".join("\n".join(["S a b c d e f g", *rows]) + "\n\n" for rows in blocks)


def keys(rows: Sequence[str], options: dict[str, Any]) -> dict[int, dict[Any, list[str]]]:
    """Return the types of edits by key, for each annotator in the order of the file: section 2, written out."""
    by_annotator: dict[int, dict[Any, list[str]]] = {}
    for row in rows or ["A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"]:
        span, type_, correction, *_, annotator = row[2:].split("|||")
        start, end = map(int, span.split())
        own = by_annotator.setdefault(int(annotator), {})
        long = end - start >= 2 or len(correction.split()) >= 2
        if type_ == "UNK" and options["mode"] in ("cs", "cse"):
            continue
        if (options["single"] and long) or (options["multi"] and not long) or type_ in options["filter"]:
            continue
        if options["mode"] == "cs":
            names: list[Any] = [(start, end, correction)]
        elif options["mode"] == "cse":
            names = [(start, end, type_, correction)]
        elif options["mode"] == "ds" or start == -1:
            names = [(start, end)]
        else:
            names = [(start, start + 1)] if start == end else [(i, i + 1) for i in range(start, end)]
        for name in names:
            own.setdefault(name, []).append(type_)
    return by_annotator


def compared(output: dict[Any, list[str]], annotator: dict[Any, list[str]]) -> tuple[int, int, int]:
    """Return tp, fp and fn: section 3, written out."""
    tp = fp = fn = 0
    for key, types in output.items():
        if types[0] != "noop":
            tp, fp = (tp + len(annotator[key]), fp) if key in annotator else (tp, fp + len(types))
    for key, types in annotator.items():
        if types[0] != "noop" and key not in output:
            fn += len(types)
    return tp, fp, fn


def f_of(tp: int, fp: int, fn: int, beta: float) -> float:
    p, r = tp / (tp + fp) if fp else 1.0, tp / (tp + fn) if fn else 1.0
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0


def totals(output: Lines, gold: Lines, options: dict[str, Any], beta: float) -> tuple[int, int, int]:
    """Return the sums over sentences with the pair of annotators that is best so far: section 5, written out."""
    sums = (0, 0, 0)
    for own, others in zip(output, gold, strict=True):
        best: tuple[Any, ...] | None = None
        for hyp in keys(own, options).values():
            for ref in keys(others, options).values():
                tp, fp, fn = compared(hyp, ref)
                f = round(f_of(sums[0] + tp, sums[1] + fp, sums[2] + fn, beta), 4)
                if best is None or (f, tp, -fp, -fn) > best:
                    best = (f, tp, -fp, -fn)
        assert best
        sums = (sums[0] + best[1], sums[1] - best[2], sums[2] - best[3])
    return sums


OPTIONS = ["", "mode=cse", "mode=ds", "mode=dt", "single=true", "multi=true,mode=ds", "filter=R:NOUN+M:DET,mode=dt"]


@pytest.mark.parametrize("beta", ["0.5", "1", "2"])
def test_random_files_with_several_annotators_on_both_sides(
    beta: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed in range(6):
        rng = random.Random(seed)
        output, gold = random_m2(rng, 40, 1 + seed % 3), random_m2(rng, 40, 3)
        write({"hyp.m2": m2(output), "gold.m2": m2(gold)})
        metrics = [metric(options, f"beta={beta}") for options in OPTIONS]
        for text, result in zip(OPTIONS, pipeline.evaluate("hyp.m2", metrics=metrics, gold="gold.m2"), strict=True):
            given = dict(part.split("=") for part in text.split(",") if part)
            options: dict[str, Any] = {"mode": "cs", "single": False, "multi": False} | given
            options["filter"] = given.get("filter", "").split("+")
            expected = totals(output, gold, options, float(beta))
            assert tuple(int(result.outputs[name]) for name in COUNTS) == expected, (seed, text)
            assert result.score == pytest.approx(f_of(*expected, float(beta)), rel=0, abs=1e-15)


def test_a_type_that_nobody_has_is_said(tmp_path: Path) -> None:
    """Without an edit to be found every score is 1, which looks perfect."""
    block = "S a b\nA 0 1|||R:NOUN|||c|||REQUIRED|||-NONE-|||0\n"
    for name in ("gold.m2", "A.m2"):
        (tmp_path / name).write_text(block, encoding="utf-8")
    config = {
        "datasets": {"d": {"gold": str(tmp_path / "gold.m2")}},
        "systems": [str(tmp_path / "A.m2")],
        "metrics": ["errant[types=R:NUON]", "errant[types=R:NOUN]"],
        "output": {"dir": str(tmp_path / "run")},
    }
    results = stages.run(stages.prepare(from_mapping(config)))[1]
    assert [warning for warning in results.warnings if "of the types" in warning] == [
        "d: errant: no edit at all is of the types R:NUON; are they written as in the files?"
    ]
    assert [(score.system, score.score) for score in results.scores] == [("A", 1.0), ("A", 1.0)]


CHERRANT = """S 甲 乙 丙
T0-A0 甲 丁 戊 丙
A 1 2|||S|||丁 戊|||REQUIRED|||-NONE-|||0

S 甲 \uff1a 乙
T0 没有错误
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S 丙 乙
A -1 -1|||NA|||-NONE-|||REQUIRED|||-NONE-|||0
"""


def test_files_of_cherrant_are_read_as_cherrant_reads_them(tmp_path: Path) -> None:
    """Blanks in corrections mean nothing, lines T0-A0 are skipped, and a sentence with NA alone does not count."""
    (tmp_path / "gold.m2").write_text(CHERRANT, encoding="utf-8")
    output = (
        CHERRANT.replace("丁 戊|||", "丁戊|||").replace("S 甲 \uff1a 乙", "S 甲 : 乙").replace("NA|||-NONE-", "S|||丁")
    )
    (tmp_path / "A.m2").write_text(output.replace("A -1 -1|||S", "A 0 1|||S"), encoding="utf-8")
    config = {
        "datasets": {"d": {"gold": str(tmp_path / "gold.m2")}},
        "systems": [str(tmp_path / "A.m2")],
        "metrics": ["errant[style=cherrant]", "errant"],
        "output": {"dir": str(tmp_path / "run")},
    }
    scores = stages.run(stages.prepare(from_mapping(config)))[1].scores
    assert [[score.outputs[name] for name in ("tp", "fp", "fn")] for score in scores] == [[1, 0, 0], [0, 2, 2]]


DEMO = json.loads(Path(__file__).with_name("cherrant_demo.json").read_text(encoding="utf-8"))


def demo(name: str, between: str) -> str:
    """Return the edits of a file of ChERRANT's demonstration as M2, with `between` in the corrections."""
    by_line: dict[str, list[str]] = {}
    for text in DEMO["edits"][name].split(", "):
        line, start, end, kind, correction, annotator = text.split()
        word = "-NONE-" if correction == "0" else f"x{between}{correction}"
        own = f"A {start} {end}|||{kind}|||{word}|||REQUIRED|||-NONE-|||{annotator}"
        by_line.setdefault(line, []).append(own)
    noop = ["A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"]
    sentence = " ".join(f"w{number}" for number in range(90))
    return "\n\n".join("\n".join([f"S {sentence}", *by_line.get(str(line), noop)]) for line in range(20)) + "\n"


@pytest.mark.parametrize("unit", ["char", "word"])
def test_what_cherrant_prints_of_its_demonstration(tmp_path: Path, unit: str) -> None:
    """Totals by -cs and -ds, and each type by -cat 3: two annotators, the sentence of one of them with a noop alone."""
    (tmp_path / "gold.m2").write_text(demo(f"ref.{unit}", ""), encoding="utf-8")
    (tmp_path / "A.m2").write_text(demo(f"hyp.{unit}", " "), encoding="utf-8")
    config = {
        "datasets": {"d": {"gold": str(tmp_path / "gold.m2")}},
        "systems": [str(tmp_path / "A.m2")],
        "metrics": [f"errant[style=cherrant,mode={mode}]" for mode in ("cs", "ds")],
        "output": {"dir": str(tmp_path / "run")},
    }
    results = stages.run(stages.prepare(from_mapping(config)))[1]
    for score, mode in zip(results.scores, ("cs", "ds"), strict=True):
        counts = [str(int(score.outputs[name])) for name in COUNTS]
        rates = [str(round(score.outputs[name], 4)) for name in ("precision", "recall", "errant")]
        assert " ".join(counts + rates) == DEMO["printed"][f"{unit} {mode}"]
    (part,) = (part for part in results.breakdown if part.tier == 3 and "mode:cs" in part.metric)
    types = {item.category: " ".join(str(int(item.outputs[name])) for name in COUNTS) for item in part.categories}
    assert types == DEMO["types"][unit]
