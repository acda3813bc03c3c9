"""Warnings about M2 files that fit together and still may not be meant so: types, styles, sides,
line ends.
"""

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import pipeline
from pipeline.errors import InputError
from pipeline.extensions.edits.line_checks import check_lines
from pipeline.extensions.edits.m2_files import (
    Annotated,
    Block,
    converted,
    read_annotated,
    with_texts_changed,
)
from pipeline.files import TempFiles
from tests.conftest import run
from tests.support.in_process import Call

# M2 files that are converted: what has to be the same again afterwards, on random files.


END = "REQUIRED|||-NONE-"


def random_file(rng: random.Random, annotators: int) -> str:
    """Return an M2 file in the style of ERRANT where all annotators have lines in each sentence
    with edits.
    """
    blocks = []
    for _ in range(rng.randint(1, 12)):
        tokens = rng.choices("abcdé", k=rng.randint(1, 6))
        lines = []
        for annotator in range(annotators):
            if rng.random() < 0.3:
                lines.append(f"A -1 -1|||noop|||-NONE-|||{END}|||{annotator}")
                continue
            for _ in range(rng.randint(1, 3)):
                start = rng.randint(0, len(tokens) - 1)
                text = rng.choice(("", "x", "y z"))
                lines.append(
                    f"A {start} {start + 1}|||R:X|||{text}|||{END}|||{annotator}"
                )
        blocks.append("\n".join([f"S {' '.join(tokens)}", *lines, "", ""]))
    return "".join(blocks)


def read(path: Path, pieces: str | Iterable[str]) -> Annotated:
    """Write a file and read it."""
    path.write_text("".join(pieces), encoding="utf-8", newline="")
    return read_annotated(path, TempFiles(1 << 20))


@pytest.mark.parametrize("seed", range(8))
def test_there_and_back_is_the_same(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    text = random_file(rng, rng.randint(1, 4))
    file = read(tmp_path / "a.m2", text)
    nucle = read(tmp_path / "nucle.m2", converted(file, "nucle"))
    assert file.summary.empty["-NONE-"] == nucle.summary.empty[""] == 0
    assert file.summary.empty[""] == nucle.summary.empty["-NONE-"]
    assert (
        "".join(converted(nucle, "errant"))
        == "".join(converted(file, "errant"))
        == text
    )


def test_changes_reach_sentences_and_corrections_alone() -> None:
    """By hand. A line that is no edit stays: it is refused with its number when it is read as one."""
    block = Block(3, "a b", [f"A 0 1|||a|||a||b a|||{END}|||0", "A a"], [4, 5])
    changed = with_texts_changed(block, lambda text: text.replace("a", "c"))
    assert changed == Block(
        3, "c b", [f"A 0 1|||a|||c||b c|||{END}|||0", "A a"], [4, 5]
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((), ""),
        (("S a\n", "\ufeffS a\n"), "line 1 begins with a byte order mark"),
        (
            ("|||0\n\nS b", "|||0\r\n\nS b"),
            "line 2 ends as lines of Windows do",
        ),
        (("S a\n", "S\n"), "line 1 is an S without a blank"),
        (("S c", "S"), "line 7 is an S without a blank"),
        (("\n\nS b", "\n\n\u00a0\t\n\nS b"), "line 4 has only blanks"),
        (("A 0 1", "I say\nA 0 1"), "line 5 begins with I"),
        (("A -1 -1|||noop", "A 0 1|||noop"), "line 2 is a noop with a span"),
        (
            ("A 0 1", "A -1 -1"),
            "line 5 is an edit from token -1 that is no noop",
        ),
        (
            ("A 0 1", "A -1 1"),
            "line 5 is an edit from token -1 that is no noop",
        ),
        (("x|||", "x\ry|||"), "character 16 is U+000D"),
        (("x|||", "x\u2028y|||"), "character 16 is U+2028"),
        (("\n\nS c", "\nS c"), "a second sentence in a paragraph"),
    ],
)
def test_each_odd_line_is_found_alone(
    change: tuple[str, str], said: str, tmp_path: Path
) -> None:
    """By hand. A file is looked through as a whole at first."""
    text = f"S a\nA -1 -1|||noop|||-NONE-|||{END}|||0\n\nS b\nA 0 1|||R:X|||x|||{END}|||0\n\nS c"
    path = tmp_path / "a.m2"
    path.write_text(
        text.replace(*change, 1) if change else text,
        encoding="utf-8",
        newline="",
    )
    notes, problems = check_lines(path, "a.m2")
    assert len([*notes, *problems]) == bool(said)
    assert said in "".join([*notes, *map(str, problems)])


DATA = Path(__file__).parents[3] / "data" / "m2"


def warnings_of(
    folder: Path, gold: Path, outputs: dict[str, Path], *metrics: str
) -> list[str]:
    systems: dict[str, Any] = {
        name: {"m2": str(path)} for name, path in outputs.items()
    }
    content = {
        "datasets": {"d": {"gold": str(gold)}},
        "systems": systems,
        "metrics": list(metrics),
    }
    (folder / "c.yaml").write_text(json.dumps(content))
    return run(folder / "c.yaml", folder / "run").warnings


def test_a_word_for_deletions_is_said_where_it_counts_as_a_word(
    tmp_path: Path,
) -> None:
    gold = tmp_path / "gold.m2"
    text = (DATA / "gold.m2").read_text(encoding="utf-8")
    deletions = sum("||||||" in line for line in text.split("\n"))
    assert deletions
    gold.write_text(text.replace("||||||", "|||-NONE-|||"), encoding="utf-8")
    outputs = {"A": DATA / "careful.m2"}
    printed = f"d: imeasure: {deletions} corrections of the gold are -NONE-"
    assert [
        note.startswith(printed)
        for note in warnings_of(tmp_path, gold, outputs, "imeasure", "m2")
    ].count(True) == 1
    assert not any(
        "-NONE-" in note for note in warnings_of(tmp_path, gold, outputs, "m2")
    )
    assert not any(
        "-NONE-" in note
        for note in warnings_of(tmp_path, DATA / "gold.m2", outputs, "imeasure")
    )


def test_what_is_no_path_is_said() -> None:
    outputs = {"a": ["x y"]}
    for gold, expected in (
        ("text", "there is no file 'text'"),
        ("S a\n", "a text of several lines"),
    ):
        with pytest.raises(
            InputError,
            match=f"gold: expected the path of an M2 file.*{expected}",
        ):
            pipeline.evaluate(outputs, metrics="m2", gold=gold)
    with pytest.raises(
        InputError, match=r"expected the path of a run directory.*found int"
    ):
        pipeline.compare(3)  # type: ignore[arg-type]


def test_different_numbers_of_sentences_name_each_file_once(
    tmp_path: Path, call: Call
) -> None:
    gold = tmp_path / "gold.m2"
    gold.write_text("S a\n\nS b\n")
    output = tmp_path / "A.txt"
    output.write_text("a\n")
    err = call(f"score m2 --gold {gold} -o {output}", code=2).err
    assert err.count("gold.m2, annotator 0") == 1
    assert err.count("A.txt") == 1
