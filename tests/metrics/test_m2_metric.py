"""M² as a metric: the last annotator of each sentence, and gold files with annotators of their own."""

from __future__ import annotations

import csv
import gzip
from typing import TYPE_CHECKING, Any

import pytest

import pipeline
from pipeline import stages
from pipeline.config.tree import from_mapping
from tests.conftest import mirrored
from tests.files import problems, write

if TYPE_CHECKING:
    from pathlib import Path

    from pipeline.scoring.results import Results

ONE = """\
S a b c d
A 1 2|||X|||x|||REQUIRED|||-NONE-|||3

S e f

S g h
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||3
"""
TWO = """\
S a b c d
A 3 4|||X|||y|||REQUIRED|||-NONE-|||0

S e f
A 0 1|||X|||z|||REQUIRED|||-NONE-|||0

S g h
"""
BOTH = """\
S a b c d
A 1 2|||X|||x|||REQUIRED|||-NONE-|||0
A 3 4|||X|||y|||REQUIRED|||-NONE-|||1

S e f
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 0 1|||X|||z|||REQUIRED|||-NONE-|||1

S g h
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
"""
XML = """\
<scripts><script id="1">
<sentence id="1" numann="1"><text>a b c d</text><error-list>
  <error id="1" req="yes" type="X"><alt ann="0"><c start="1" end="2">x</c></alt></error></error-list></sentence>
<sentence id="2" numann="1"><text>e f</text></sentence>
<sentence id="3" numann="1"><text>g h</text></sentence></script></scripts>
"""
OUTPUT = "a x c y\ne f\ng h\n"


def ran(folder: Path, **config: Any) -> Results:
    """Run a config without a file."""
    config = {"systems": {"A": "a.txt"}, "output": {"dir": str(folder / "run")}} | config
    return stages.run(stages.prepare(from_mapping(config)))[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write({"one.m2": ONE, "two.m2": TWO, "both.m2": BOTH, "a.txt": OUTPUT})
    return tmp_path


def counts(results: Results) -> list[tuple[float, ...]]:
    return [tuple(score.outputs[name] for name in ("correct", "proposed", "gold")) for score in results.scores]


def test_the_last_annotator_counts_whatever_the_scores(folder: Path) -> None:
    """By hand: two edits are proposed; the last annotator has y, which is right, and z, which is missed."""
    found = ran(folder, datasets={"d": {"gold": "both.m2"}}, metrics=["m2", "m2[choice=last]"])
    assert counts(found) == [(1, 2, 1), (1, 2, 2)]
    (best, last) = pipeline.load(folder / "run")
    assert best.sentences.tolist() == pytest.approx([1.25 * 0.5 / 1.125 / 1, 1, 1])  # P 1/2, R 1
    assert last.sentences.tolist() == pytest.approx([1.25 * 0.5 / 1.125 / 1, 0, 1])


def test_an_annotator_without_a_line_is_not_the_last(folder: Path) -> None:
    write({"less.m2": BOTH.replace("A 0 1|||X|||z|||REQUIRED|||-NONE-|||1\n", "")})
    found = ran(folder, datasets={"d": {"gold": "less.m2"}}, metrics=["m2[choice=last]"])
    assert counts(found) == [(1, 2, 1)]


@pytest.mark.parametrize("metric", ["m2", "m2[annotators=all]", "m2[choice=last]", "imeasure"])
def test_annotators_of_several_files_are_those_of_one(folder: Path, metric: str) -> None:
    """Numbers begin anew in each file. A sentence without a line is one that the file's annotator leaves as it is."""
    datasets = {"whole": {"gold": "both.m2"}, "parts": {"gold": ["one.m2", "two.m2"]}}
    whole, parts = ran(folder, datasets=datasets, metrics=[metric]).scores
    assert (whole.outputs, whole.score) == (parts.outputs, parts.score)
    assert parts.outputs  # there is something to be equal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TWO.replace("e f", "e g"), "token 2 is 'f', and in two.m2, sentence 2 it is 'g': the source is not that of"),
        (TWO.replace("\nS g h\n", ""), "two.m2"),
        (XML, "two.m2: is XML; of several gold files each is M2"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_files_that_cannot_be_joined(text: str, message: str) -> None:
    write({"two.m2": text})
    found = problems("datasets: {d: {gold: [one.m2, two.m2]}}\nsystems: {A: a.txt}\nmetrics: [m2]\n")
    assert any(message in one for one in found), found


def test_last_annotators_of_conll_2014(shared: Path, tmp_path: Path) -> None:
    """F of 3,936 sentences, from the counts that the official functions gave."""
    with gzip.open(shared / "edits/golden/m2scorer/sentences.combined.tsv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    last: dict[str, dict[int, tuple[int, int, int]]] = {}
    for row in sorted(rows, key=lambda row: int(row["annotator"])):
        numbers = int(row["correct"]), int(row["proposed"]), int(row["gold"])
        last.setdefault(row["system"], {})[int(row["line"])] = numbers
    outputs = "data/original/official_submissions"
    systems = {name: str(mirrored(shared, "grammatical/evaluation", f"{outputs}/{name}")) for name in last}
    gold = mirrored(shared, "awasthiabhijeet/PIE", "scratch/official-2014.combined.m2")
    ran(tmp_path, datasets={"d": {"gold": str(gold)}}, systems=systems, metrics=["m2[choice=last]"])
    compared = 0
    for result in pipeline.load(tmp_path / "run"):
        expected = [f_half(*last[result.system][line]) for line in sorted(last[result.system])]
        assert result.sentences.tolist() == pytest.approx(expected, rel=0, abs=1e-12)
        compared += len(expected)
    assert compared == 3_936


def f_half(correct: int, proposed: int, gold: int) -> float:
    """F0.5 by its definition."""
    precision, recall = correct / proposed if proposed else 1.0, correct / gold if gold else 1.0
    return 1.25 * precision * recall / (0.25 * precision + recall) if precision or recall else 0.0
