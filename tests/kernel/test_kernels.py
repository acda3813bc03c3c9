"""The kernels: the compiled one equals its Python twin, and both equal plain Python and a naive
oracle.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from itertools import cycle, islice, product
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from pipeline import kernel as chosen_kernel
from pipeline.cli.dispatch import main
from pipeline.errors import InvalidTextError
from pipeline.kernel.common import (
    KINDS,
    MAX_ORDER,
    MERGED_KINDS,
    SPLITS,
    WITHOUT_OUTPUT,
    Encoded,
    Lines,
    join_lines,
)
from tests.conftest import ROOT
from tests.oracles import naive
from tests.support.kernels import (
    INVALID,
    NEIGHBOURS,
    PYTHON,
    REFERENCES,
    SURROGATES,
    WHITE,
    Twin,
    bordering,
    lay_out,
    outcome,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

FOLDER = Path(str(chosen_kernel.__file__)).parent
EVERY = KINDS + MERGED_KINDS


def encoded(ids: Sequence[Sequence[int]]) -> Encoded:
    """Return ids of lines as encode() does."""
    offsets = np.cumsum([0, *map(len, ids)], dtype=np.int64)
    return Encoded(
        np.array([number for line in ids for number in line], np.int32), offsets
    )


def first_seen(
    texts: Iterable[Iterable[Iterable[str | bytes]]],
) -> list[Encoded]:
    """Number tokens in the order in which they first come: [texts][lines][tokens] to ids."""
    numbers: dict[str | bytes, int] = {}
    return [
        encoded(
            [
                [numbers.setdefault(token, len(numbers)) for token in line]
                for line in text
            ]
        )
        for text in texts
    ]


def seen(value: Any) -> list[Any]:
    """Return all that can be seen of what a kernel returned."""
    return outcome(lambda: value)


# ---- which kernel


def test_the_constants_are_what_the_python_kernel_can_do() -> None:
    assert (
        tuple(import_module("pipeline.kernel.python.encode").SPLITS) == SPLITS
    )


def test_extensions_that_were_built_load() -> None:
    """Fails, and does not skip: a kernel that does not load would leave everything to its slow
    twin, unsaid.
    """
    built = [
        file.name
        for pattern in ("native/*.so", "native/*.pyd")
        for file in FOLDER.glob(pattern)
    ]
    if not built:
        pytest.skip("the compiled kernel was not built")
    for module, functions in chosen_kernel.MODULES.items():
        for function in functions:
            found = {
                chosen_kernel.function_of(kernel, function, module)
                for kernel in ("python", "native")
            }
            assert len(found) == 2, function


def test_a_kernel_that_is_forced_is_used(kernel: str) -> None:
    module = Twin(kernel)
    assert chosen_kernel.name() == kernel
    assert chosen_kernel.encode is module.encode
    assert chosen_kernel.overlap is module.overlap


def test_version_tells_the_kernel(
    kernel: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--version"]) == 0
    assert f"(kernel: {kernel})" in capsys.readouterr().out


@pytest.mark.parametrize("choice", [None, "", "auto"])
def test_auto_is_the_compiled_kernel_where_it_was_built(
    choice: str | None, native: Twin, monkeypatch: pytest.MonkeyPatch
) -> None:
    if choice is None:
        monkeypatch.delenv("PIPELINE_KERNEL", raising=False)
    else:
        monkeypatch.setenv("PIPELINE_KERNEL", choice)
    assert chosen_kernel.name() == "native"
    assert chosen_kernel.encode is native.encode


@pytest.fixture
def no_native(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make importing the compiled kernel fail, as where it was not built."""
    monkeypatch.setitem(sys.modules, "pipeline.kernel.native", None)


@pytest.mark.usefixtures("no_native")
def test_auto_is_python_where_nothing_was_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PIPELINE_KERNEL", "auto")
    assert chosen_kernel.name() == "python"
    assert chosen_kernel.encode is PYTHON.encode


@pytest.mark.usefixtures("no_native")
def test_native_where_nothing_was_built_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIPELINE_KERNEL", "native")
    assert main(["--version"]) == 2
    assert capsys.readouterr().err.startswith(
        "error: PIPELINE_KERNEL=native, but there is no compiled kernel: "
    )


def test_a_compiled_kernel_that_is_older_than_its_source_says_how_to_build(
    native: Twin,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A function of an old kernel takes other arguments; of a new one, the error is as Python has
    it.
    """
    folder = tmp_path / "pipeline" / "kernel"
    (folder / "native").mkdir(parents=True)
    for time, file in (
        (2, "overlap.pyx"),
        (1, "overlap.cpython-311.so"),
        (2, "lcs.cpython-311.so"),
        (1, "lcs.pyx"),
    ):
        (folder / "native" / file).touch()
        os.utime(folder / "native" / file, (time, time))
    del native
    monkeypatch.setattr(
        import_module("pipeline.kernel.native.encode"), "encode", lambda: None
    )
    command = [
        "score",
        "chrf",
        "-r",
        str(ROOT / "data/reference0.txt"),
        "-o",
        str(ROOT / "data/systems/eager.txt"),
    ]
    with pytest.raises(TypeError):
        main(command)
    monkeypatch.setattr(chosen_kernel, "NATIVE", folder / "native")
    assert main(command) == 2
    told = "is older than its sources (overlap.pyx): build it again with `python setup.py build_ext --inplace` in"
    assert f"{told} {tmp_path}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("choice", "hint"),
    [
        ("nonsense", ""),
        ("natve", " (did you mean 'native'?)"),
        ("PYTHON", " (did you mean 'python'?)"),
    ],
)
def test_an_unknown_kernel_is_refused(
    choice: str,
    hint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PIPELINE_KERNEL", choice)
    data = ROOT / "data"
    files = [
        "-s",
        data / "source.txt",
        "-r",
        data / "reference0.txt",
        "-o",
        data / "systems/eager.txt",
    ]
    assert main(["score", "gleu", *map(str, files)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert (
        err
        == f"error: PIPELINE_KERNEL: expected one of auto, native, python, found '{choice}'{hint}\n"
    )


# ---- the twins on random shards


def white_texts() -> list[Lines]:
    """Lines whose white space, of every kind, comes at each place of 64 bytes, in texts that end
    with them.
    """
    blanks = [*WHITE, *NEIGHBOURS, "\u00c2", "\u1680x", "  "]
    lines = [
        "x" * place + blank + "yz" * (place % 9)
        for blank in blanks
        for place in (0, 1, 31, 61, 62, 63, 64, 65)
    ]
    lines += [
        "a " * size + "é" * (size % 3)
        for size in (95, 96, 127, 128, 190, 191, 192, 193, 255, 256, 600)
    ]
    lines += [
        "",
        " ",
        "x" * 8,
        "y" * 9,
        "x" * 7 + "\0",
        "x" * 7,
        "\0",
        "\0" * 8,
    ]
    return [
        join_lines(line.encode() for line in lines[:number])
        for number in (len(lines), len(lines) - 9, 5)
    ]


@pytest.mark.parametrize("split", ["whitespace", "ascii_whitespace", "chrf"])
def test_white_space_is_found_at_each_place_of_64_bytes(
    native: Twin, split: str
) -> None:
    texts = white_texts()
    assert seen(native.encode(texts, split)) == seen(
        PYTHON.encode(texts, split)
    )
    for broken, place in product(
        (b"\x80", b"\xe2\x80", b"x" * 64 + b"\xff"), (1, 90, 200)
    ):
        # words of lines with white space between them are found together
        for between in (b"", b"\n", b"\r\n"):
            lines = [
                *[b"a b", b"", "\xe9 ".encode() * 3, b"c d e f g"] * 50,
                b"h",
            ]
            for line in (lines[place], broken):
                lines[place] = line
                text = [
                    lay_out(
                        lines, [between] * (len(lines) + 1), range(len(lines))
                    )
                ]
                assert outcome(native.encode, text, split) == outcome(
                    PYTHON.encode, text, split
                )


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, MAX_ORDER])
def test_bits_of_short_outputs_and_the_trie_count_the_same(
    native: Twin, order: int
) -> None:
    """Lines around 64 tokens, the most that are counted as bits, of few and many words, with and
    without a source.
    """
    rng = random.Random(order)
    sizes = [0, 1, 2, 5, 31, 62, 63, 64, 65, 66, 130]
    texts = [
        encoded(
            [
                [rng.randrange(words) for _ in range(rng.choice(sizes))]
                for words in (1, 2, 3, 20, 200)
                for _ in sizes
            ]
        )
        for _ in range(7)
    ]
    kinds = [kind for kind in KINDS if kind not in WITHOUT_OUTPUT]
    for source in (texts[0], None):
        bits = native.overlap(source, texts[1:4], texts[4:], order, kinds)
        trie = native.overlap(source, texts[1:4], texts[4:], order, KINDS)
        assert seen(bits) == seen({kind: trie[kind] for kind in kinds})
    assert seen(bits) == seen(
        PYTHON.overlap(None, texts[1:4], texts[4:], order, kinds)
    )


@pytest.mark.parametrize(
    "size", [0, 1, 2, 15, 16, 63, 64, 65, 4095, 4096, 5000]
)
def test_tables_grow_with_different_tokens(native: Twin, size: int) -> None:
    """Each token differs, so that the tables of tokens and n-grams are as full as they become."""
    line = " ".join(map(str, range(size))).encode()
    texts = [
        join_lines([line]),
        join_lines([b"x " + line]),
        join_lines([line[: size * 2]]),
    ]
    ids = PYTHON.encode(texts, "whitespace")
    assert seen(native.encode(texts, "whitespace")) == seen(ids)
    arguments = (ids[0], ids[1:], ids, 3, EVERY)
    assert outcome(native.overlap, *arguments) == outcome(
        PYTHON.overlap, *arguments
    )


def test_lines_in_arrays_with_strides_are_equal(native: Twin) -> None:
    """Every other line of a text is a text: its starts and ends are int64 arrays like any other."""
    text = join_lines([b"a", b"b", b"a b", b"c"])
    every_other = Lines(text.data, text.starts[::2], text.ends[::2])
    assert outcome(native.encode, [every_other], "whitespace") == outcome(
        PYTHON.encode, [every_other], "whitespace"
    )


IMPOSSIBLE = """
import sys
import numpy as np
from pipeline.kernel.common import Lines
from tests.support.kernels import Twin
from pipeline.kernel.common import Encoded

kernel = Twin("{name}")

def text(*offsets, size):
    return Encoded(np.zeros(size, np.int32), np.array(offsets, np.int64))

def lines(starts, ends):
    return Lines(b"ab", np.array(starts, np.int64), np.array(ends, np.int64))

one, two = text(0, 1, size=1), text(0, 1, 2, size=2)
for line in sys.stdin.read().splitlines():
    try:
        eval(line)
        print("nothing", flush=True)
    except (ValueError, IndexError) as error:
        print(type(error).__name__, error, flush=True)
"""
CALLS = [
    "kernel.overlap(None, [], [one], 4, ['match'])",
    "kernel.overlap(None, (), (), 4, [])",
    "kernel.overlap(None, [two], [one], 4, ['match'])",
    "kernel.overlap(None, [one], [one, two], 4, ['match'])",
    "kernel.overlap(one, [two], [two], 4, ['match'])",
    "kernel.overlap(None, [two, one], [two], 4, ['match'])",
    "kernel.overlap(None, [one], [text(0, 9, size=1)], 4, ['match'])",
    "kernel.overlap(None, [one], [text(-9, 1, size=1)], 4, ['match'])",
    "kernel.overlap(None, [two], [text(0, 2, 1, size=2)], 4, ['match'])",
    "kernel.overlap(None, [text(size=0)], [text(size=0)], 4, ['match'])",
    "kernel.encode([lines([0, 1], [1])], 'char')",
    "kernel.encode([lines([0], [1, 2])], 'char')",
    "kernel.encode([lines([0], [3])], 'blank')",
    "kernel.encode([lines([-1], [1])], 'whitespace')",
    "kernel.encode([lines([2], [1])], 'whitespace')",
]


@pytest.fixture(scope="module")
def refusals(native: Twin) -> dict[str, list[str]]:
    """What each kernel says to each call, in processes of their own: memory read outside of arrays
    may kill them.
    """
    said = []
    for twin in (PYTHON, native):
        program = IMPOSSIBLE.format(name=twin.name)
        options: dict[str, Any] = {
            "cwd": ROOT,
            "capture_output": True,
            "text": True,
            "input": "\n".join(CALLS),
        }
        done = subprocess.run(
            [sys.executable, "-c", program], check=False, **options
        )
        said.append([*done.stdout.splitlines(), f"died: {done.stderr}"])
    return {call: list(both) for call, *both in zip(CALLS, *said, strict=False)}


# Promise 3 of the design: the twin equals the Python kernel on every input, errors too.
@pytest.mark.parametrize("call", CALLS)
def test_arguments_that_do_not_fit_raise_the_same_exception(
    refusals: dict[str, list[str]], call: str
) -> None:
    by_python, by_native = refusals[call]
    assert re.match(r"(Value|Index)Error .", by_python)
    assert by_native == by_python


# ---- encode and plain Python


def encode(texts: Sequence[Lines], split: str) -> list[Encoded]:
    """Return what the kernel chosen gives."""
    return chosen_kernel.encode(texts, split)


PLAIN: dict[str, Callable[[str], Iterable[str | bytes]]] = {
    "whitespace": lambda line: line.split(),
    "ascii_whitespace": lambda line: line.encode().split(),
    "blank": lambda line: line.split(" "),
    "char": list,
    "nonspace": lambda line: (
        BLEU(tokenize="char")._preprocess_segment(line).split()
    ),
    "chrf": CHRF()._remove_punctuation,
    "fields": lambda line: [
        field for part in line.split("\n") for field in part.split("|||")
    ],
    "13a": lambda line: BLEU(tokenize="13a")._preprocess_segment(line).split(),
    "zh": lambda line: BLEU(tokenize="zh")._preprocess_segment(line).split(),
    "intl": lambda line: (
        BLEU(tokenize="intl")._preprocess_segment(line).split()
    ),
}
"""The definition of each split: in Python (specification, lines and tokens), or sacreBLEU's, live.
"""
RULES = ("13a", "zh", "intl", "nonspace")
"""Splits of which tests/tokenizers asks the same, with digits around each code point."""


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("split", SPLITS)
def test_white_space_and_its_neighbours_split_as_in_python(split: str) -> None:
    """Alone, doubled, at both ends and between tokens, at each of the 8 places that are looked at
    together.
    """
    lines = []
    for character in [*WHITE, *NEIGHBOURS]:
        lines += [
            character,
            character * 2,
            f"{character}a",
            f"a{character}",
            f" {character}a",
            f"a{character} b",
        ]
        lines += [
            f"{'abcdefgh'[:before]}{character}{'ijklmnopq'[:after]}"
            for before in range(9)
            for after in (1, 9)
        ]
    expected = first_seen(
        [PLAIN[split](line) for line in lines] for _ in range(1)
    )
    assert seen(
        encode([join_lines(line.encode() for line in lines)], split)
    ) == seen(expected)


@pytest.mark.parametrize(
    "split",
    [
        pytest.param(split, marks=[pytest.mark.exhaustive] * (split in RULES))
        for split in SPLITS
    ],
)
def test_every_code_point_splits_as_in_python(
    split: str, each_kernel: Callable[[], Iterator[str]]
) -> None:
    characters = [
        chr(code) for code in range(0x110000) if code not in SURROGATES
    ]
    lines = [
        "b".join(characters[low : low + 256])
        for low in range(0, len(characters), 256)
    ]
    expected = seen(
        first_seen([PLAIN[split](line) for line in lines] for _ in range(1))
    )
    text = join_lines(line.encode() for line in lines)
    for _ in each_kernel():
        assert seen(encode([text], split)) == expected


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("split", ["whitespace", "ascii_whitespace", "blank"])
def test_tokens_that_share_all_bytes_but_one_are_different(split: str) -> None:
    tokens = list(
        dict.fromkeys(
            bordering(size, changed)
            for size in range(1, 41)
            for changed in range(size + 1)
        )
    )
    line = " ".join([*tokens, *reversed(tokens)])
    (found,) = encode([join_lines([line.encode()])], split)
    numbers = list(range(len(tokens)))
    assert len(tokens) > 800
    assert found.ids.tolist() == numbers + numbers[::-1]


@pytest.mark.usefixtures("kernel")
def test_ids_go_on_from_text_to_text() -> None:
    """By hand: a 0, b 1, c 2; an empty line has no ids, a text without lines one offset."""
    texts = [join_lines([b"a b", b""]), join_lines([]), join_lines([b"c a c"])]
    found = [
        (text.ids.tolist(), text.offsets.tolist())
        for text in encode(texts, "whitespace")
    ]
    assert found == [([0, 1], [0, 2, 2]), ([], [0]), ([2, 0, 2], [0, 3])]


@pytest.mark.usefixtures("kernel")
def test_arrays_have_the_types_that_are_promised() -> None:
    (text,) = encode([join_lines([b"a"])], "char")
    counts = chosen_kernel.overlap(
        None, [text, text, text], [text, text], 4, EVERY
    )
    assert (text.ids.dtype.name, text.offsets.dtype.name) == ("int32", "int64")
    assert {
        kind: (array.dtype.name, array.shape) for kind, array in counts.items()
    } == dict.fromkeys(KINDS, ("int64", (2, 1, 3, 4))) | dict.fromkeys(
        MERGED_KINDS, ("int64", (2, 1, 4))
    )


def python_says(line: bytes) -> int:
    """Return the place of the first byte that bytes.decode() refuses, -1 where there is none."""
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return error.start
    return -1


def kernel_says(line: bytes, split: str) -> int:
    """Return the place of the byte that the kernel refuses in the second line of the third text, or
    -1.
    """
    good = join_lines([b"a", b"b"])
    try:
        encode([good, good, join_lines([b"ok", line])], split)
    except InvalidTextError as error:
        told = str(error)
        place = error.byte
    else:
        return -1
    assert told == f"text 2, line 1: byte {place} is not valid UTF-8"
    return place


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("kind", INVALID)
def test_invalid_utf8_is_refused_where_python_refuses_it(
    kind: str, split: str
) -> None:
    """At the start, behind 1 to 9 bytes (8 are looked at together), at the end and before more."""
    for text, before, after in product(
        INVALID[kind], range(10), ["", "a", "abcdefgh", "é"]
    ):
        line = b"123456789"[:before] + bytes.fromhex(text) + after.encode()
        assert python_says(line) >= before
        assert kernel_says(line, split) == python_says(line), line


EDGES = [
    0x00,
    0x41,
    0x7F,
    0x80,
    0x8F,
    0x90,
    0x9F,
    0xA0,
    0xBF,
    0xC1,
    0xC2,
    0xDF,
    0xE0,
    0xED,
    0xEF,
    0xF0,
    0xF4,
    0xF5,
]
"""The bytes at which the rules of UTF-8 change."""


@pytest.mark.usefixtures("kernel")
def test_sequences_of_bytes_are_valid_where_python_says_so() -> None:
    """All of one and two bytes, and those of three and four that begin a long character, each with
    others around it.
    """
    pairs = [bytes(pair) for pair in product(range(256), repeat=2)]
    longer = [bytes(three) for three in product(EDGES[-7:], EDGES, EDGES)]
    longest = [
        bytes(four)
        for four in product(
            EDGES[-3:], EDGES, [0x41, 0x7F, 0x80, 0xBF, 0xC2], EDGES
        )
    ]
    lines = [bytes([byte]) for byte in range(256)] + pairs + longer + longest
    text = join_lines(lines)
    wrong = []
    for number, line in enumerate(lines):
        here = slice(number, number + 1)
        try:
            encode(
                [Lines(text.data, text.starts[here], text.ends[here])], "char"
            )
            place = -1
        except InvalidTextError as error:
            place = error.byte
        if place != python_says(line):
            wrong.append(line.hex())
    assert wrong == []


@pytest.mark.usefixtures("kernel")
def test_bytes_outside_of_a_line_do_not_make_it_valid() -> None:
    """A character that is cut at the end of a line is refused, though its other bytes follow in the
    buffer.
    """
    data = "aé".encode()
    with pytest.raises(
        InvalidTextError, match="text 0, line 0: byte 1 is not valid UTF-8"
    ):
        encode([Lines(data, np.array([0]), np.array([2]))], "char")


@pytest.mark.usefixtures("kernel")
def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(KeyError, match="'words'"):
        encode([join_lines([b"\xff"])], "words")


# ---- overlap and other ways to count


def naive_counts(
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    hypothesis: Sequence[str],
    order: int,
) -> dict[str, Any]:
    """Return every kind as the formulas of the specification have it: of [references][orders],
    merged of [orders].
    """
    orders = range(1, order + 1)
    sigma, eta = (
        [naive.ngrams(text, n) for n in orders] for text in (source, hypothesis)
    )
    apart: dict[str, Callable[[Sequence[str], int], int]] = {
        "match": lambda reference, n: naive.match_n(reference, hypothesis, n),
        "penalty": lambda reference, n: naive.penalty_n(
            source, reference, hypothesis, n
        ),
        "source_only": lambda reference, n: naive.penalty_paper_n(
            source, reference, hypothesis, n
        ),
        "common": lambda reference, n: (
            sigma[n - 1] & naive.ngrams(reference, n) & eta[n - 1]
        ).total(),
        "source_match": lambda reference, n: naive.match_n(
            reference, source, n
        ),
    }
    counts: dict[str, Any] = {
        kind: [
            [count(reference, n) for n in orders] for reference in references
        ]
        for kind, count in apart.items()
    }
    merged = [naive.merged_reference(references, n) for n in orders]
    triples = list(zip(sigma, merged, eta, strict=True))
    counts["union_match"] = [naive.overlap(h, r) for _, r, h in triples]
    counts["new_match"] = [
        naive.overlap(h, naive.difference_2016_03(r, s)) for s, r, h in triples
    ]
    counts["gone_match"] = [
        naive.overlap(h, naive.difference_2016_03(s, r)) for s, r, h in triples
    ]
    counts["added_match"] = [
        naive.overlap(h, naive.difference_2015(r, s)) for s, r, h in triples
    ]
    counts["removed_match"] = [
        naive.overlap(h, naive.difference_2015(s, r)) for s, r, h in triples
    ]
    counts["added"] = [
        naive.difference_2015(r, s).total() for s, r, _ in triples
    ]
    return counts


def related(rng: random.Random, size: int) -> list[str]:
    """Return tokens of a small vocabulary, so that n-grams come again."""
    return (
        rng.choices("abc", k=size)
        if rng.random() < 0.7
        else list(islice(cycle("abbc"), size))
    )


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("has_source", [True, False])
@pytest.mark.parametrize("references", REFERENCES)
def test_overlap_equals_the_naive_counts(
    references: int, has_source: bool
) -> None:
    rng = random.Random(references)
    sizes = [0, 1, 5, 63, 64, 65] if references < 17 else [0, 5]
    order = 5
    source = [related(rng, size) for size in sizes]
    texts = [
        [related(rng, max(size + rng.randint(-1, 1), 0)) for size in sizes]
        for _ in range(references + 2)
    ]
    encoded_texts = first_seen([source, *texts])
    counts = chosen_kernel.overlap(
        encoded_texts[0] if has_source else None,
        encoded_texts[1 : references + 1],
        encoded_texts[references + 1 :],
        order,
        EVERY,
    )
    for system, line in product(range(2), range(len(sizes))):
        origin = source[line] if has_source else []
        expected = naive_counts(
            origin,
            [text[line] for text in texts[:references]],
            texts[references + system][line],
            order,
        )
        assert {
            kind: counts[kind][system, line].tolist() for kind in EVERY
        } == expected


# Source a b b, output b b a b; of single words η is a 1, b 3 and σ is a 1, b 2; of pairs η is bb 1,
# ba 1, ab 1 and σ is ab 1, bb 1. Reference a has ρ a 1; reference b b b has ρ b 3, bb 2; merged
# they have a 1, b 3, bb 2.
BY_HAND = {
    "match": [[1, 0], [3, 1]],  # min(η, ρ)
    "penalty": [[2, 2], [1, 1]],  # min(η, σ) where ρ = 0
    "source_only": [[2, 2], [1, 1]],  # max(min(η, σ) - min(η, ρ), 0)
    "common": [[1, 0], [2, 1]],  # min(η, σ, ρ)
    "source_match": [[1, 0], [2, 1]],  # min(σ, ρ)
    "union_match": [4, 1],  # min(η, ρ)
    "new_match": [0, 0],  # min(η, ρ) where σ = 0
    "gone_match": [0, 1],  # min(η, σ) where ρ = 0: ab
    "added_match": [1, 1],  # min(η, max(ρ - σ, 0)): b 1, bb 1
    "removed_match": [0, 1],  # min(η, max(σ - ρ, 0)): ab 1
    "added": [1, 1],  # max(ρ - σ, 0)
}


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("kind", EVERY)
def test_overlap_by_hand(kind: str) -> None:
    source, *texts = first_seen([["abb"], ["a"], ["bbb"], ["bbab"]])
    counts = chosen_kernel.overlap(source, texts[:2], texts[2:], 2, [kind])
    assert {name: array[0, 0].tolist() for name, array in counts.items()} == {
        kind: BY_HAND[kind]
    }


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("order", [0, -1, MAX_ORDER + 1])
def test_orders_out_of_range_are_refused(order: int) -> None:
    text = encoded([[0]])
    with pytest.raises(
        ValueError, match=f"^order: expected 1 to {MAX_ORDER}, found {order}$"
    ):
        chosen_kernel.overlap(None, [text], [text], order, EVERY)


@pytest.mark.usefixtures("kernel")
def test_an_unknown_kind_is_refused() -> None:
    text = encoded([[0]])
    with pytest.raises(KeyError, match="'hits'"):
        chosen_kernel.overlap(None, [text], [text], 1, ["match", "hits"])


# ---- a line of a million tokens, compiled

MILLION = 1_000_000


def numbered(
    texts: Sequence[NDArray[np.int64]], order: int
) -> list[list[Counter[int]]]:
    """Return [order][text] counts of n-grams as numbers that are equal where n-grams are."""
    width = 1 + max(int(text.max()) for text in texts)
    numbers, counted = list(texts), []
    for n in range(1, order + 1):
        if n > 1:
            longer = [
                number[:-1] * width + text[n - 1 :]
                for number, text in zip(numbers, texts, strict=True)
            ]
            _, joined = np.unique(np.concatenate(longer), return_inverse=True)
            numbers = np.split(
                joined, np.cumsum([len(text) for text in longer])[:-1]
            )
        counted.append([Counter(number.tolist()) for number in numbers])
    return counted


def test_a_million_different_tokens(native: Twin) -> None:
    """Against counts of numpy and Counter, which know nothing of tries and hashes of text."""
    rng = np.random.default_rng(1)
    source = rng.permutation(MILLION)
    reference, output = source.copy(), source.copy()
    for text in (reference, output):
        places = rng.integers(0, MILLION, 5000)
        text[places] = rng.integers(0, MILLION, 5000)
    texts = [
        join_lines([" ".join(map(str, text.tolist())).encode()])
        for text in (source, reference, output)
    ]
    ids = native.encode(texts, "whitespace")
    known = {number: place for place, number in enumerate(source.tolist())}
    assert ids[0].ids.tolist() == list(range(MILLION))
    assert ids[2].ids.tolist() == [known[number] for number in output.tolist()]
    counts = native.overlap(
        ids[0], ids[1:2], ids[2:], 2, ["match", "penalty", "union_match"]
    )
    assert (
        counts["union_match"][0, 0].tolist()
        == counts["match"][0, 0, 0].tolist()
    )
    for n, (sigma, rho, eta) in enumerate(
        numbered([source, reference, output], 2)
    ):
        assert counts["match"][0, 0, 0, n] == sum(
            min(count, rho[gram]) for gram, count in eta.items()
        )
        assert counts["penalty"][0, 0, 0, n] == sum(
            min(count, sigma[g]) for g, count in eta.items() if not rho[g]
        )
        assert (
            0
            < counts["penalty"][0, 0, 0, n]
            < counts["match"][0, 0, 0, n]
            < MILLION
        )


def test_a_million_equal_tokens(native: Twin) -> None:
    """By hand: a text of m times a has m - n + 1 times the one n-gram; where no reference has it,
    it is penalised.
    """
    sizes = {
        "source": MILLION - 7,
        "reference": MILLION // 2,
        "output": MILLION,
        "other": 3,
    }
    texts = [join_lines([b"a " * size]) for size in sizes.values()]
    source, reference, output, other = native.encode(texts, "whitespace")
    counts = native.overlap(
        source,
        [reference, other],
        [output],
        4,
        ["match", "penalty", "union_match"],
    )
    assert counts["union_match"][0, 0].tolist() == [
        MILLION // 2 - n for n in range(4)
    ]
    assert counts["match"][0, 0].tolist() == [
        [MILLION // 2 - n for n in range(4)],
        [3, 2, 1, 0],
    ]
    assert counts["penalty"][0, 0].tolist() == [
        [0, 0, 0, 0],
        [0, 0, 0, MILLION - 7 - 3],
    ]


# ---- threads and memory


@pytest.mark.usefixtures("kernel")
def test_four_threads_at_once_get_the_same_arrays() -> None:
    rng = random.Random(4)
    texts = [
        join_lines(
            " ".join(rng.choices("abcdefghij", k=30)).encode()
            for _ in range(30)
        )
        for _ in range(5)
    ]
    ids = encode(texts, "whitespace")
    alone = [
        seen(ids),
        seen(chosen_kernel.overlap(ids[0], ids[1:3], ids[3:], 4, EVERY)),
    ]
    start = Barrier(4)

    def work(_: int) -> list[list[list[Any]]]:
        start.wait()
        return [
            [
                seen(encode(texts, "whitespace")),
                seen(
                    chosen_kernel.overlap(ids[0], ids[1:3], ids[3:], 4, EVERY)
                ),
            ]
            for _ in range(5)
        ]

    with ThreadPoolExecutor(4) as pool:
        found = [
            both for several in pool.map(work, range(4)) for both in several
        ]
    assert len(found) == 20
    assert all(both == alone for both in found)


LEAK = """
import sys
import numpy as np
from pipeline.kernel.common import Lines, join_lines
from tests.support.kernels import NATIVE as kernel
from pipeline.kernel.common import KINDS, MERGED_KINDS

good = join_lines([b"a b c a b c", b"d e f"])
bad = join_lines([b"a b", b"a \\xff"])
ids = kernel.encode([good] * 3, "whitespace")

def refused(function, *arguments):
    try:
        function(*arguments)
    except Exception:
        return
    raise AssertionError

def once():
    kernel.encode([good, good], "whitespace")
    kernel.overlap(ids[0], ids[1:], ids, 4, KINDS + MERGED_KINDS)
    refused(kernel.encode, [good, bad], "char")
    refused(kernel.encode, [good], "words")
    refused(kernel.overlap, ids[0], ids[1:], ids, 17, ["match"])
    refused(kernel.overlap, ids[0], ids[1:], ids, 4, ["hits"])
    refused(kernel.overlap, ids[0], [good], ids, 4, ["match"])

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

for _ in range(2000):
    once()
before = resident()
for _ in range(20000):
    once()
print(resident() - before)
"""


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(),
    reason="there is no /proc/self/statm here",
)
@pytest.mark.usefixtures("native")
def test_memory_does_not_grow_with_calls() -> None:
    """20,000 calls of each, those that fail too; a leak of 50 bytes a call would be a megabyte."""
    done = subprocess.run(
        [sys.executable, "-c", LEAK],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ},
    )
    assert int(done.stdout) < 1 << 20
