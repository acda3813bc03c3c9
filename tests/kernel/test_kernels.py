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
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from itertools import chain, cycle, islice, product, starmap
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from pipeline import kernel as chosen_kernel
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
from tests.support.commands import Command
from tests.support.kernels import (
    INVALID,
    NATIVE,
    NEIGHBOURS,
    PYTHON,
    REFERENCES,
    SURROGATES,
    WHITE,
    Twin,
    bordering,
    encoded,
    lay_out,
    outcome,
)

FOLDER = Path(str(chosen_kernel.__file__)).parent
DATA = ROOT / "data"
EVERY = KINDS + MERGED_KINDS
Token = str | bytes


def first_seen(texts: Iterable[Iterable[Iterable[Token]]]) -> list[Encoded]:
    """Number tokens in the order in which they first come: [texts][lines][tokens] to ids."""
    numbers: dict[Token, int] = {}

    def numbered(line: Iterable[Token]) -> list[int]:
        return [numbers.setdefault(token, len(numbers)) for token in line]

    return [encoded([*map(numbered, text)]) for text in texts]


def lines_of(*lines: str) -> Lines:
    """Return lines as kernels take them."""
    return join_lines(line.encode() for line in lines)


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
    if not [*FOLDER.glob("native/*.so"), *FOLDER.glob("native/*.pyd")]:
        pytest.skip("the compiled kernel was not built")
    for function in chain(*chosen_kernel.MODULES.values()):
        assert getattr(PYTHON, function) != getattr(NATIVE, function)


def test_a_kernel_that_is_forced_is_used(kernel: str) -> None:
    module = Twin(kernel)
    assert chosen_kernel.name() == kernel
    assert chosen_kernel.encode is module.encode
    assert chosen_kernel.overlap is module.overlap


def test_version_tells_the_kernel(kernel: str, command: Command) -> None:
    assert f"(kernel: {kernel})" in command("--version").out


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
    monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setenv("PIPELINE_KERNEL", "native")
    assert command.refused("--version").err.startswith(
        "error: PIPELINE_KERNEL=native, but there is no compiled kernel: "
    )


@pytest.mark.usefixtures("native")
def test_a_compiled_kernel_that_is_older_than_its_source_says_how_to_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
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
    monkeypatch.setattr(
        import_module("pipeline.kernel.native.encode"), "encode", lambda: None
    )
    score = f"score chrf -r {DATA}/reference0.txt -o {DATA}/systems/eager.txt"
    with pytest.raises(TypeError):
        command(score)
    monkeypatch.setattr(chosen_kernel, "NATIVE", folder / "native")
    message = "is older than its sources (overlap.pyx): build it again with `python setup.py build_ext --inplace` in"
    assert f"{message} {tmp_path}" in command.refused(score).err


@pytest.mark.parametrize(
    ("choice", "hint"),
    [
        ("nonsense", ""),
        ("natve", " (did you mean 'native'?)"),
        ("PYTHON", " (did you mean 'python'?)"),
    ],
)
def test_an_unknown_kernel_is_refused(
    choice: str, hint: str, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setenv("PIPELINE_KERNEL", choice)
    assert command.refused(
        f"score gleu -s {DATA}/source.txt -r {DATA}/reference0.txt -o {DATA}/systems/eager.txt"
    ) == (
        "",
        f"error: PIPELINE_KERNEL: expected one of auto, native, python, found '{choice}'{hint}\n",
    )


# ---- the twins on random shards


def white_texts() -> list[Lines]:
    """Lines whose white space, of every kind, comes at each place of 64 bytes, in texts that end
    with them.
    """
    blanks = [*WHITE, *NEIGHBOURS, "\u00c2", "\u1680x", "  "]
    lines = [
        "x" * before + blank + "yz" * (before % 9)
        for blank, before in product(blanks, (0, 1, 31, 61, 62, 63, 64, 65))
    ]
    for size in (95, 96, 127, 128, 190, 191, 192, 193, 255, 256, 600):
        lines.append("a " * size + "é" * (size % 3))
    lines += ["", " ", "x" * 8, "y" * 9, "x" * 7 + "\0", "x" * 7]
    lines += ["\0", "\0" * 8]
    return [lines_of(*lines), lines_of(*lines[:-9]), lines_of(*lines[:5])]


@pytest.mark.parametrize("split", ["whitespace", "ascii_whitespace", "chrf"])
def test_white_space_is_found_at_each_place_of_64_bytes(
    native: Twin, split: str
) -> None:
    texts = white_texts()
    assert seen(native.encode(texts, split)) == seen(
        PYTHON.encode(texts, split)
    )
    # words of lines with white space between them are found together
    for broken, number, between in product(
        (b"\x80", b"\xe2\x80", b"x" * 64 + b"\xff"),
        (1, 90, 200),
        (b"", b"\n", b"\r\n"),
    ):
        lines = [b"a b", b"", "\xe9 ".encode() * 3, b"c d e f g"] * 50 + [b"h"]
        for line in (lines[number], broken):
            lines[number] = line
            text = lay_out(lines, [between] * 202, range(201))
            assert outcome(native.encode, [text], split) == outcome(
                PYTHON.encode, [text], split
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
    texts = []
    for _ in range(7):
        lines = [
            rng.choices(range(words), k=rng.choice(sizes))
            for words in [1, 2, 3, 20, 200] * len(sizes)
        ]
        texts.append(encoded(lines))
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
def refusals(native: Twin) -> dict[str, tuple[str, ...]]:
    """What each kernel says to each call, in processes of their own: memory read outside of arrays
    may kill them.
    """
    answers = []
    for twin in (PYTHON, native):
        done = subprocess.run(
            [sys.executable, "-c", IMPOSSIBLE.format(name=twin.name)],
            check=False,
            cwd=ROOT,
            capture_output=True,
            text=True,
            input="\n".join(CALLS),
        )
        answers.append([*done.stdout.splitlines(), f"died: {done.stderr}"])
    pairs = zip(*answers, strict=False)
    return dict(zip(CALLS, pairs, strict=False))


# Promise 3 of the design: the twin equals the Python kernel on every input, errors too.
@pytest.mark.parametrize("call", CALLS)
def test_arguments_that_do_not_fit_raise_the_same_exception(
    refusals: dict[str, tuple[str, ...]], call: str
) -> None:
    by_python, by_native = refusals[call]
    assert re.match(r"(Value|Index)Error .", by_python)
    assert by_native == by_python


# ---- encode and plain Python


def encode(texts: Sequence[Lines], split: str) -> list[Encoded]:
    """Return what the kernel chosen gives."""
    return chosen_kernel.encode(texts, split)


def sacrebleu(tokenizer: str) -> Callable[[str], list[str]]:
    segment = BLEU(tokenize=tokenizer)._preprocess_segment
    return lambda line: segment(line).split()


PLAIN: dict[str, Callable[[str], Iterable[Token]]] = {
    "whitespace": str.split,
    "ascii_whitespace": lambda line: line.encode().split(),
    "blank": lambda line: line.split(" "),
    "char": list,
    "nonspace": sacrebleu("char"),
    "chrf": CHRF()._remove_punctuation,
    "fields": lambda line: re.split(r"\n|\|\|\|", line),
    "13a": sacrebleu("13a"),
    "zh": sacrebleu("zh"),
    "intl": sacrebleu("intl"),
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
    for sign in [*WHITE, *NEIGHBOURS]:
        lines += [sign, sign * 2, f"{sign}a", f"a{sign}"]
        lines += [f" {sign}a", f"a{sign} b"]
        for before, after in product(range(9), (1, 9)):
            lines.append(f"{'abcdefgh'[:before]}{sign}{'ijklmnopq'[:after]}")
    found = encode([lines_of(*lines)], split)
    assert seen(found) == seen(first_seen([map(PLAIN[split], lines)]))


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
    codes = [code for code in range(0x110000) if code not in SURROGATES]
    lines = []
    for low in range(0, len(codes), 256):
        lines.append("b".join(map(chr, codes[low : low + 256])))
    expected = seen(first_seen([map(PLAIN[split], lines)]))
    text = lines_of(*lines)
    for _ in each_kernel():
        assert seen(encode([text], split)) == expected


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("split", ["whitespace", "ascii_whitespace", "blank"])
def test_tokens_that_share_all_bytes_but_one_are_different(split: str) -> None:
    sizes = [(s, changed) for s in range(1, 41) for changed in range(s + 1)]
    tokens = [*dict.fromkeys(starmap(bordering, sizes))]
    line = " ".join([*tokens, *reversed(tokens)])
    (found,) = encode([lines_of(line)], split)
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
        byte = error.byte
        message = str(error)
    else:
        return -1
    assert message == f"text 2, line 1: byte {byte} is not valid UTF-8"
    return byte


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


EDGES = bytes.fromhex("00417f808f909fa0bfc1c2dfe0edeff0f4f5")
"""The bytes at which the rules of UTF-8 change."""


@pytest.mark.usefixtures("kernel")
def test_sequences_of_bytes_are_valid_where_python_says_so() -> None:
    """All of one and two bytes, and those of three and four that begin a long character, each with
    others around it.
    """
    sequences = chain(
        product(range(256)),
        product(range(256), repeat=2),
        product(EDGES[-7:], EDGES, EDGES),
        product(EDGES[-3:], EDGES, b"\x41\x7f\x80\xbf\xc2", EDGES),
    )
    lines = [*map(bytes, sequences)]
    text = join_lines(lines)
    wrong = []
    for number, line in enumerate(lines):
        here = slice(number, number + 1)
        alone = Lines(text.data, text.starts[here], text.ends[here])
        try:
            encode([alone], "char")
            refused = -1
        except InvalidTextError as error:
            refused = error.byte
        if refused != python_says(line):
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
    apart: dict[str, Callable[[Sequence[str], int], int]] = {
        "match": lambda r, n: naive.match_n(r, hypothesis, n),
        "penalty": lambda r, n: naive.penalty_n(source, r, hypothesis, n),
        "source_only": lambda r, n: naive.penalty_paper_n(
            source, r, hypothesis, n
        ),
        "common": lambda r, n: (
            naive.ngrams(source, n)
            & naive.ngrams(r, n)
            & naive.ngrams(hypothesis, n)
        ).total(),
        "source_match": lambda r, n: naive.match_n(r, source, n),
    }
    overlap = naive.overlap
    new = naive.difference_2016_03
    added = naive.difference_2015
    together: dict[str, Callable[..., int]] = {
        "union_match": lambda _, r, h: overlap(h, r),
        "new_match": lambda s, r, h: overlap(h, new(r, s)),
        "gone_match": lambda s, r, h: overlap(h, new(s, r)),
        "added_match": lambda s, r, h: overlap(h, added(r, s)),
        "removed_match": lambda s, r, h: overlap(h, added(s, r)),
        "added": lambda s, r, _: added(r, s).total(),
    }
    counts: dict[str, Any] = {}
    for kind, count in apart.items():
        counts[kind] = [[count(r, n) for n in orders] for r in references]
    merged = [
        (
            naive.ngrams(source, n),
            naive.merged_reference(references, n),
            naive.ngrams(hypothesis, n),
        )
        for n in orders
    ]
    for kind, count_merged in together.items():
        counts[kind] = [count_merged(*grams) for grams in merged]
    return counts


def related(rng: random.Random, size: int) -> list[str]:
    """Return tokens of a small vocabulary, so that n-grams come again."""
    if rng.random() < 0.7:
        return rng.choices("abc", k=size)
    return [*islice(cycle("abbc"), size)]


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
    numbers = list(texts)
    counted = []
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
    reference = source.copy()
    output = source.copy()
    for text in (reference, output):
        changed = rng.integers(0, MILLION, 5000)
        text[changed] = rng.integers(0, MILLION, 5000)
    texts = [
        join_lines([" ".join(map(str, text.tolist())).encode()])
        for text in (source, reference, output)
    ]
    ids = native.encode(texts, "whitespace")
    known = {number: index for index, number in enumerate(source.tolist())}
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
        match = counts["match"][0, 0, 0, n]
        penalty = counts["penalty"][0, 0, 0, n]
        assert match == (eta & rho).total()
        penalized = {g: count for g, count in eta.items() if not rho[g]}
        assert penalty == (Counter(penalized) & sigma).total()
        assert 0 < penalty < match < MILLION


def test_a_million_equal_tokens(native: Twin) -> None:
    """By hand: a text of m times a has m - n + 1 times the one n-gram; where no reference has it,
    it is penalised.
    """
    sizes = (MILLION - 7, MILLION // 2, MILLION, 3)
    texts = [join_lines([b"a " * size]) for size in sizes]
    source, reference, output, other = native.encode(texts, "whitespace")
    kinds = ["match", "penalty", "union_match"]
    counts = native.overlap(source, [reference, other], [output], 4, kinds)
    half = [MILLION // 2 - n for n in range(4)]
    assert counts["union_match"][0, 0].tolist() == half
    assert counts["match"][0, 0].tolist() == [half, [3, 2, 1, 0]]
    assert counts["penalty"][0, 0].tolist() == [
        [0, 0, 0, 0],
        [0, 0, 0, MILLION - 7 - 3],
    ]


# ---- threads and memory


@pytest.mark.usefixtures("kernel")
def test_four_threads_at_once_get_the_same_arrays() -> None:
    rng = random.Random(4)
    texts = []
    for _ in range(5):
        lines = [" ".join(rng.choices("abcdefghij", k=30)) for _ in range(30)]
        texts.append(lines_of(*lines))
    ids = encode(texts, "whitespace")

    def both() -> list[list[Any]]:
        counts = chosen_kernel.overlap(ids[0], ids[1:3], ids[3:], 4, EVERY)
        return [seen(encode(texts, "whitespace")), seen(counts)]

    alone = both()
    rounds = 5 if chosen_kernel.name() == "native" else 1
    start = Barrier(4)

    def work(_: int) -> list[list[list[Any]]]:
        start.wait()
        return [both() for _ in range(rounds)]

    with ThreadPoolExecutor(4) as pool:
        found = [*chain(*pool.map(work, range(4)))]
    assert found == [alone] * 4 * rounds


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
    )
    assert int(done.stdout) < 1 << 20
