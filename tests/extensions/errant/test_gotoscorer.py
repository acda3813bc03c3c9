"""GoToScorer: numbers of GTS and of gec-metrics, a sentence by hand, weight files, and what is
refused.
"""

from __future__ import annotations

import gzip
import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import pipeline
from pipeline.errors import InputError
from tests.support.commands import Command
from tests.support.numbers import near, very_near
from tests.support.words import wordlist

EACH = 60
"""Of the golden cases one in so many is run."""
SOURCE = "a b c d"
GOLD = f"S {SOURCE}\nA 1 2|||R:X|||x|||REQUIRED|||-NONE-|||0\nA 4 4|||M:X|||y|||REQUIRED|||-NONE-|||0\n\n"
SAME = f"S {SOURCE}\nA 1 2|||R:X|||x|||REQUIRED|||-NONE-|||0\n\n"
OTHER = f"S {SOURCE}\nA 1 3|||R:X|||z|||REQUIRED|||-NONE-|||0\nA 4 4|||M:X|||q|||REQUIRED|||-NONE-|||0\n\n"


def only(m2: str, annotator: int) -> str:
    """Return an M2 file with the edits of one annotator, as annotator 0."""
    blocks = []
    for block in m2.strip("\n").split("\n\n"):
        sentence, *edits = block.split("\n")
        end = f"|||{annotator}"
        own_edits = [line for line in edits if line.endswith(end)]
        lines = [re.sub(r"\|\|\|\d+$", "|||0", line) for line in own_edits]
        blocks.append("\n".join([sentence, *lines, "", ""]))
    return "".join(blocks)


def scored(
    folder: Path, gold: str, systems: list[str], metrics: list[dict[str, Any]]
) -> list[pipeline.Result]:
    """Return the scores of each system by each metric, in the order of both."""
    (folder / "gold").write_text(gold, encoding="utf-8")
    for number, text in enumerate(systems):
        (folder / f"s{number}").write_text(text, encoding="utf-8")
    config = {
        "datasets": {"d": {"gold": "gold"}},
        "systems": {
            f"s{number}": {"m2": f"s{number}"} for number in range(len(systems))
        },
        "metrics": [{"name": "gotoscorer", **options} for options in metrics],
    }
    (folder / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    found = pipeline.run(folder / "config.yaml", output=folder / "run")
    signatures = list(dict.fromkeys(result.signature for result in found))
    return [
        found.get(system=f"s{number}", metric=signature)
        for signature, number in product(signatures, range(len(systems)))
    ]


def check(
    result: pipeline.Result, expected: dict[str, float], score: str, sign: str
) -> None:
    names = {
        "tp": "tp",
        "fp": "fp",
        "fn": "fn",
        "tn": "tn",
        "accuracy": "accuracy",
        "p": "precision",
        "r": "recall",
    }
    for name, item in {**names, score: "gotoscorer"}.items():
        assert result.outputs[item] == very_near(expected[name]), (sign, name)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_golden_cases(shared: Path, tmp_path: Path) -> None:
    """All numbers of GTS 5d120c35 and gec-metrics 320c8307. Edits that overlap or are repeated are
    refused.
    """
    with gzip.open(
        shared / "nlg" / "golden" / "gotoscorer.jsonl.gz",
        "rt",
        encoding="utf-8",
    ) as file:
        cases = [
            json.loads(line)
            for number, line in enumerate(file)
            if number % EACH == 0
        ]
    assert sum(case["clean"] for case in cases) > 20
    for case in cases:
        folder = tmp_path / case["id"]
        folder.mkdir()
        original = case["out"]["original"]
        many = original["systems"]
        mine = {"annotator": case["annotator"]}
        weights = {key: str(case[key]) for key in "abc"} | mine
        other = {"flavour": "gec-metrics", "beta": str(case["beta"])}
        metrics = [
            weights,
            mine | {"weights": "none"},
            mine | {"weights": "none"} | other,
        ]
        if "weight_file_text" in original:
            (folder / "w").write_text(
                original["weight_file_text"], encoding="utf-8"
            )
            metrics.append(weights | {"weights": "w"})
        outputs = [only(case["hypotheses"], number) for number in range(many)]
        try:
            found = scored(folder, case["gold"], outputs, metrics)
        except InputError as error:
            message = "edits overlap, or are not in the order of the sentence"
            assert message in str(error)  # noqa: PT017
            assert not case["clean"]
            continue
        for number, result in enumerate(found[: 2 * many]):
            check(
                result,
                original["unweighted" if number >= many else "weighted"][
                    number % many
                ],
                "f0.5",
                case["id"],
            )
        others = case["out"]["gec-metrics;weights=none"]
        for number, result in enumerate(found[2 * many : 3 * many]):
            check(result, others["corpus"][number], "f", case["id"])
            assert result.sentences.tolist() == near(
                others["sentences"][number]
            )
        if "weight_file_text" in original:
            check(found[-many], original["weight_file"], "f0.5", case["id"])


def test_a_sentence_by_hand(tmp_path: Path) -> None:
    """The gold has the chunks . a . b>x . c . d y: nine, two of them edits; . is a gap.

    s0 is right but at y, which it misses. s1 replaces b and c, so that it is wrong at x and c, and
    writes q for y; the gap between b and c is swallowed, and right. Eight chunks are right in s0,
    six in s1. Both are right at six chunks, which weigh 0; x and c weigh 1/2, and y, where nobody
    is right, weighs 1."""
    one, two = scored(tmp_path, GOLD, [SAME, OTHER], [{}])
    parts = {
        name: [one.outputs[name], two.outputs[name]]
        for name in wordlist("tp fp fn tn")
    }
    assert parts == {
        "tp": [0.5, 0],
        "fp": [0, 2],
        "fn": [1, 1.5],
        "tn": [0.5, 0],
    }
    plain, other = scored(tmp_path, GOLD, [SAME, OTHER], [{"weights": "none"}])
    assert [plain.outputs[name] for name in wordlist("tp fp fn tn")] == [
        1,
        0,
        1,
        7,
    ]
    assert [other.outputs[name] for name in wordlist("tp fp fn tn")] == [
        0,
        3,
        2,
        6,
    ]


def test_a_weight_file_has_the_weights_of_its_systems(tmp_path: Path) -> None:
    (tmp_path / "w").write_text("2\n2 2 2 1 2 1 2 2 0\n", encoding="utf-8")
    run = scored(tmp_path, GOLD, [SAME, OTHER], [{}])[0]
    file = scored(tmp_path, GOLD, [SAME], [{"weights": "w"}])[0]
    assert file.outputs == run.outputs
    assert "|weights:file-" in file.signature


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "2\n2 2 2 1\n",
            "gold, annotator 0:1: edits cut this sentence into 9 chunks",
        ),
        ("2\n", "gold, annotator 0:1: edits cut this sentence into 9 chunks"),
        (
            "2\nx\n",
            "w:2: expected how many right systems each chunk has, found 'x'",
        ),
        ("", "w:1: expected the number of systems, found ''"),
    ],
)
def test_a_weight_file_that_does_not_fit_is_named(
    content: str, message: str, tmp_path: Path, command: Command
) -> None:
    (tmp_path / "w").write_text(content, encoding="utf-8")
    (tmp_path / "gold").write_text(GOLD, encoding="utf-8")
    arguments = ("--gold", tmp_path / "gold", "-o", tmp_path / "gold")
    notice = command.refused(
        f"score gotoscorer --weights {tmp_path / 'w'}", *arguments
    ).err
    assert message in notice, notice
    notice = command.refused("score 'gotoscorer[annotator=1]'", *arguments).err
    assert "annotator: expected at most 0" in notice, notice
