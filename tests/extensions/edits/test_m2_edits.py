"""The compiled reader of M2 files: each text, record and count as the Python one has it, and texts
made naively.
"""

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pipeline.errors import CorpusError
from pipeline.extensions.edits.gold_records import gold_records
from pipeline.extensions.edits.m2_files import NOBODY, read_annotated
from pipeline.extensions.edits.m2_format import (
    CORRECTED,
    EDITS,
    OUTPUT,
    PROPOSED,
    SOURCE,
    Key,
    Missing,
    Request,
    Sentences,
)
from pipeline.extensions.edits.m2_texts import (
    NotPlainError,
    compiled_part,
    read_m2,
)
from pipeline.extensions.edits.records import record_of
from pipeline.files import TempFiles
from pipeline.kernel.common import join_lines
from tests.conftest import forced_kernel
from tests.support.tables import word_list

m2_edits = pytest.importorskip(
    "pipeline.extensions.edits.kernel.native.m2_edits",
    reason="the compiled kernel was not built",
)

END = "REQUIRED|||-NONE-"
WORDS = word_list("a bc é -NONE- | A S 中文")
SPACES = [" ", " ", " ", "  ", "\t", "\u00a0", "\u3000", "\u1680"]
TYPES = ["R:X", "M:Y", "", "noop", "Um", "UNK", "n\u00f6op"]
TEXTS = [
    "x",
    "",
    "-NONE-",
    " x ",
    "x||y",
    "||y",
    " -NONE- ||x",
    "x  y",
    "\u3000x\u00a0",
    "x y\u2003",
    "|x|",
    "x||",
]
ODD = ["NOOP", " noop", "error 1 yes"]


@pytest.fixture(autouse=True)
def _native() -> Iterator[None]:
    with forced_kernel("native"):
        yield


def file_of(rng: random.Random, *, wild: bool) -> str:
    """Return an M2 file: orderly, so that every edit can be applied, or with whatever may stand in
    one.
    """
    lines = []
    for _ in range(rng.randint(0, 6)):
        tokens = [rng.choice(WORDS) for _ in range(rng.randint(0, 6))]
        between = SPACES if wild else [" "]
        lines.append(
            "S " + "".join(token + rng.choice(between) for token in tokens)
        )
        for annotator in rng.sample(
            [0, 1, 2, 9, 10, 123, 254], rng.randint(0, 3)
        ):
            at = 0
            for _ in range(rng.randint(0, 3)):
                start = (
                    rng.randint(-2, 7) if wild else rng.randint(at, len(tokens))
                )
                at = (
                    rng.randint(-1, 8)
                    if wild
                    else rng.randint(start, len(tokens))
                )
                types = TYPES if wild else TYPES[:2]
                lines.append(
                    f"A {start} {at}|||{rng.choice(types)}|||{rng.choice(TEXTS)}|||{END}|||{annotator}"
                )
            if rng.random() < 0.2:
                lines.append(f"A -1 -1|||noop|||-NONE-|||{END}|||{annotator}")
        if wild and rng.random() < 0.1:
            lines.append("I say")
        lines += [""] * rng.choice([1, 1, 1, 0, 2])
    if wild and rng.random() < 0.1:
        lines.insert(
            rng.randint(0, len(lines)),
            rng.choice(
                [*ODD, "S", "A 0 1", " ", f"A 0 0|||NOOP|||x|||{END}|||0"]
            ),
        )
    return rng.choice(["\n", "\n", "\r\n"] if wild else ["\n"]).join(
        lines
    ) + rng.choice(["\n", ""])


ASKED = [
    Request(texts=True, records=True),
    Request(texts=True, records=True, lenient=True),
    Request(texts=True, missing="source", lenient=True),
    Request(texts=True, missing="none"),
    Request(records=True),
    Request(texts=True, records=True, system=True),
    Request(texts=True, records=True, system=True, lenient=True),
]


@pytest.mark.parametrize("requested", ASKED)
@pytest.mark.parametrize("wild", [False, True])
def test_it_reads_as_the_python_kernel_does(
    requested: Request, wild: bool, tmp_path: Path
) -> None:
    """Where it reads a file at all: what has to be told, and what is rare, it leaves to the other."""
    rng, path, read = random.Random(7), tmp_path / "a.m2", 0
    for _ in range(80):
        path.write_text(file_of(rng, wild=wild), encoding="utf-8", newline="")
        compiled = None
        with suppress(NotPlainError):
            compiled = compiled_part("a.m2", requested, (1, path.read_bytes()))
        try:
            file = (
                read_annotated(path, TempFiles(TempFiles.DEFAULT_CAP))
                if path.read_text().strip()
                else None
            )
            plain = Sentences(file.blocks if file else [], "a.m2", requested)
        except CorpusError:
            assert compiled is None
            continue
        if compiled is None:
            continue
        read += 1
        keys: list[Key] = [SOURCE]
        if requested.texts:
            absent = plain.absent(False)
            assert compiled.absent(False) == absent
            keys += (
                [OUTPUT]
                if requested.system
                else [
                    (CORRECTED, annotator)
                    for annotator in absent.keys() - {NOBODY} | {5}
                ]
            )
        if requested.records:
            absent = plain.absent(True)
            assert compiled.absent(True) == absent
            keys += (
                [PROPOSED]
                if requested.system
                else [
                    (EDITS, annotator)
                    for annotator in absent.keys() - {NOBODY} | {0, 5}
                ]
            )
            compiled.summary.may_be_suspicious = plain.summary.may_be_suspicious
            assert compiled.summary == plain.summary
            # which are first of equals
            assert [*compiled.summary.all_types] == [*plain.summary.all_types]
        for key in keys:
            assert compiled.texts(*key) == plain.texts(*key), key
    assert read > 10


def naive(
    sentence: str, edits: list[list[str]], missing: Missing, annotator: int
) -> bytes:
    """Return a sentence as an annotator corrects it, of edits that can be applied: from the last
    one to the first.
    """
    ours = [edit for edit in edits if int(edit[5]) == annotator]
    if edits and not ours and missing != "source":
        if missing == "none":
            return b""
        ours = [
            edit
            for edit in edits
            if int(edit[5]) == min(int(edit[5]) for edit in edits)
        ]
    tokens = sentence.split()
    for edit in reversed(ours):
        start, end = map(int, edit[0][2:].split())
        if start >= 0:
            tokens[start:end] = [
                text
                for text in [edit[2].split("||")[0].strip()]
                if text not in ("", "-NONE-")
            ]
    return " ".join(tokens).encode()


@pytest.mark.parametrize("missing", ["first", "source", "none"])
def test_texts_are_those_of_edits_applied_one_by_one(missing: Missing) -> None:
    rng, compared = random.Random(8), 0
    for _ in range(100):
        content = file_of(rng, wild=False)
        compiled = compiled_part(
            "a.m2",
            Request(texts=True, missing=missing, lenient=True),
            (1, content.encode()),
        )
        blocks = [
            block.split("\n") for block in content[2:].split("\nS ") if content
        ]
        edits = [
            [line.split("|||") for line in lines[1:] if line]
            for lines in blocks
        ]
        for annotator in {int(edit[5]) for each in edits for edit in each}:
            pairs = zip(blocks, edits, strict=True)
            expected = [
                naive(lines[0], ours, missing, annotator)
                for lines, ours in pairs
            ]
            assert compiled.texts(CORRECTED, annotator) == b"".join(
                text + b"\xff" for text in expected
            )
            compared += any(
                any("||" in edit[2] for edit in each) for each in edits
            )
    assert compared > 20


EDIT = f"A 0 1|||X|||x|||{END}|||0"


@pytest.mark.parametrize(
    ("line", "odd"),
    [
        ("", False),
        (EDIT.replace("x|||", "noop|||"), False),
        ("S b", True),
        (EDIT.replace("X", "noop"), True),
        (EDIT.replace("0 1", "-1 1"), True),
        ("I x", True),
    ],
)
def test_what_the_loader_of_m2scorer_reads_otherwise_is_seen(
    line: str, odd: bool, tmp_path: Path
) -> None:
    """By hand. Which line it is, and what is said of it, is looked for in Python."""
    path = tmp_path / "a.m2"
    path.write_text(f"S a\n{EDIT}\n{line}\n", encoding="utf-8")
    assert (
        read_m2(
            path,
            Request(texts=True, lenient=True),
            TempFiles(TempFiles.DEFAULT_CAP),
        ).summary.may_be_suspicious
        == odd
    )


def test_records_become_the_arrays_of_the_python_kernel() -> None:
    """Also where annotators have no record, edits do not fit, and corrections have other white
    space.
    """
    rng, compared = random.Random(9), 0
    for _ in range(60):
        source = [
            "".join(
                rng.choice(WORDS) + rng.choice(SPACES)
                for _ in range(rng.randint(0, 5))
            )
            for _ in range(4)
        ]
        ours: list[list[bytes]] = []
        for annotator in range(rng.randint(1, 3)):
            spans = [
                f"A {rng.randint(-1, 6)} {rng.randint(-1, 6)}" for _ in range(8)
            ]
            edits = [
                f"{span}|||{rng.choice(TYPES + ODD)}|||{rng.choice(TEXTS)}|||{END}|||0"
                for span in spans
            ]
            records = [
                record_of(
                    rng.randint(0, 9),
                    annotator,
                    0,
                    rng.sample(edits, rng.randint(0, 3)),
                )
                for _ in source
            ]
            ours.append(
                [record if rng.random() < 0.8 else b"" for record in records]
            )
        texts = (
            join_lines(text.encode() for text in source),
            [join_lines(each) for each in ours],
        )
        found, expected = m2_edits.gold_records(*texts), gold_records(*texts)
        assert found.heads.tolist() == expected.heads.tolist()
        for name in ("firsts", "starts", "ends", "alternatives"):
            one, other = (
                getattr(found.edits, name),
                getattr(expected.edits, name),
            )
            assert (one.tolist(), one.dtype) == (other.tolist(), other.dtype), (
                name
            )
        lists = [
            list(edits.corrections.texts())
            for edits in (found.edits, expected.edits)
        ]
        assert lists[0] == lists[1]
        compared += len(lists[0])
    assert compared > 100


def test_records_that_do_not_fit_are_left_to_python() -> None:
    """Which raises an error for them: a record too few, and a line that is no edit."""
    source, wrong = join_lines([b"a"]), join_lines([b"0 0 0\nB 0 1"])
    assert m2_edits.gold_records(source, [join_lines([])]) is None
    assert m2_edits.gold_records(source, [wrong]) is None
