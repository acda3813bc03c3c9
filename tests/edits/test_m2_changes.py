"""M2 files that are converted, merged and split: what has to be the same again afterwards, on random files."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from pipeline.corpus.edits.m2_files import Annotated, Block, read_annotated
from pipeline.corpus.edits.m2_tools import ERRANT_TYPES, converted, merged, split, with_texts_changed
from pipeline.io.plain_files import Spool

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

END = "REQUIRED|||-NONE-"


def random_file(rng: random.Random, annotators: int) -> str:
    """Return an M2 file in the style of ERRANT where all annotators have lines in each sentence with edits."""
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
                lines.append(f"A {start} {start + 1}|||R:X|||{text}|||{END}|||{annotator}")
        blocks.append("\n".join([f"S {' '.join(tokens)}", *lines, "", ""]))
    return "".join(blocks)


def read(path: Path, pieces: str | Iterable[str]) -> Annotated:
    """Write a file and read it."""
    path.write_text("".join(pieces), encoding="utf-8", newline="")
    return read_annotated(path, Spool(1 << 20))


@pytest.mark.parametrize("seed", range(20))
def test_there_and_back_is_the_same(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    text = random_file(rng, rng.randint(1, 4))
    file = read(tmp_path / "a.m2", text)
    nucle = read(tmp_path / "nucle.m2", converted(file, "nucle"))
    assert file.deletions()["-NONE-"] == nucle.deletions()[""] == 0
    assert file.deletions()[""] == nucle.deletions()["-NONE-"]
    assert "".join(converted(nucle, "errant")) == "".join(converted(file, "errant")) == text
    parts = [read(tmp_path / f"{number}.m2", part) for number, part in split(file).items()]
    names, again = merged(parts)
    assert "".join(again) == text
    assert [(renamed.annotator, renamed.before) for renamed in names] == [(number, 0) for number in file.annotators]


def test_changes_reach_sentences_and_corrections_alone() -> None:
    """By hand. A line that is no edit stays: it is refused with its number when it is read as one."""
    block = Block(3, "a b", [(4, f"A 0 1|||a|||a||b a|||{END}|||0"), (5, "A a")])
    changed = with_texts_changed(block, lambda text: text.replace("a", "c"))
    assert changed == Block(3, "c b", [(4, f"A 0 1|||a|||c||b c|||{END}|||0"), (5, "A a")])


def test_types_of_errant() -> None:
    """By the paper: 55 types, of which UNK is one."""
    assert len(ERRANT_TYPES) == 55
    assert {"M:DET", "R:WO", "U:VERB:TENSE", "R:SPELL", "UNK"} <= ERRANT_TYPES
    assert not {"M:SPELL", "U:WO", "noop", ""} & ERRANT_TYPES
