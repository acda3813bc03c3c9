"""One property of all kernels: a function of the compiled kernel does what its Python twin does,
errors too.

`CALLS` has for each function that both have what it is called with. What single functions return is
tested beside, by hand and against other programs."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from itertools import chain, cycle, islice
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.kernel import MODULES
from pipeline.kernel.common import (
    BALANCED,
    FOLDS,
    KINDS,
    MAX_ORDER,
    MERGED_KINDS,
    SAMPLERS,
    SPLITS,
    Lines,
)
from pipeline.kernel.python.packed_numbers import Packed
from tests.kernel import test_edit_rate, test_rouge_kernels
from tests.kernel.test_kernels import EVERY
from tests.support.kernels import (
    INVALID,
    NEIGHBOURS,
    PYTHON,
    REFERENCES,
    SYSTEMS,
    WHITE,
    Twin,
    bordering,
    encoded,
    lay_out,
)
from tests.support.words import wordlist

Call = tuple[tuple[Any, ...], dict[str, Any]]
Calls = st.SearchStrategy[Call]


SPREAD = st.sampled_from(
    [0, 0, 1, 2, 3, 7, 8, 63, 64, 65, 128, 129, 192, 256, 257]
)
"""Tokens in a line: the edges of machine words."""
TOKENS = st.one_of(
    st.sampled_from(wordlist("1 . 1. ,. -")),
    st.sampled_from(
        ["a", "b", "ab", "\x00", "\x7f", "é", "日", "😀", "\U0010ffff", ""]
    ),
    st.builds(bordering, st.integers(1, 40), st.integers(0, 40)),
    st.sampled_from(NEIGHBOURS),
    st.sampled_from(NEIGHBOURS).map(lambda character: f"abcdefg{character}"),
    st.text(max_size=4),
)
BLANKS = st.one_of(
    st.just(" "),
    st.sampled_from(WHITE),
    st.sampled_from(["  ", " \t", "\r", *NEIGHBOURS]),
)
BROKEN = st.sampled_from([*map(bytes.fromhex, chain(*INVALID.values()))])


@st.composite
def line_bytes(draw: st.DrawFn, invalid: bool) -> bytes:
    """A line: few tokens, over and over again up to a size on the edge of machine words."""
    period = draw(st.lists(TOKENS, min_size=1, max_size=5))
    size = draw(SPREAD)
    blank = draw(BLANKS)
    around = draw(st.sampled_from(["", " ", *WHITE]))
    line = (
        draw(st.sampled_from(["", around]))
        + blank.join(islice(cycle(period), size))
        + around
    ).encode()
    if invalid and draw(st.booleans()):
        position = draw(st.integers(0, len(line)))
        line = line[:position] + draw(BROKEN) + line[position:]
    return line


@st.composite
def text_lines(draw: st.DrawFn, lines: int, invalid: bool = False) -> Lines:
    """Lines as in a file (\\n or \\r\\n), behind one another, or in any order in a buffer with
    other bytes.
    """
    generated = draw(
        st.lists(line_bytes(invalid), min_size=lines, max_size=lines)
    )
    between = draw(
        st.sampled_from(
            [[b"\n"], [b"\r\n"], [b""], [b"abc", b"\x80", b"\xe2", b" "]]
        )
    )
    order = draw(st.permutations(range(lines)))
    return lay_out(generated, list(islice(cycle(between), lines + 1)), order)


@st.composite
def ids_of_lines(draw: st.DrawFn, lines: int) -> list[list[int]]:
    """Ids as lists: runs of the same few, and the largest there can be."""
    few = st.lists(
        st.sampled_from([0, 1, 2, 3, 2**31 - 1]), min_size=1, max_size=5
    )
    return [list(islice(cycle(draw(few)), draw(SPREAD))) for _ in range(lines)]


@st.composite
def overlap_calls(draw: st.DrawFn) -> tuple[Any, ...]:
    lines = draw(st.integers(0, 2))
    references = draw(st.sampled_from(REFERENCES))
    systems = draw(st.sampled_from(SYSTEMS))
    kinds = st.one_of(
        st.sampled_from(
            [
                EVERY,
                KINDS,
                MERGED_KINDS,
                (),
                ("match", "match"),
                ("match", "none"),
                ("added", "none"),
            ]
        ),
        st.lists(st.sampled_from(EVERY), max_size=4),
    )
    order = st.one_of(
        st.integers(1, MAX_ORDER),
        st.sampled_from([4, 0, -1, MAX_ORDER + 1, 2**40]),
    )
    distinct = draw(st.lists(ids_of_lines(lines), min_size=1, max_size=4))
    texts = [
        encoded(ids) for ids in islice(cycle(distinct), references + systems)
    ]
    source = draw(st.none() | ids_of_lines(lines).map(encoded))
    return (
        source,
        texts[:references],
        texts[references:],
        draw(order),
        draw(kinds),
    )


def edited_call(rng: random.Random, _: int) -> Call:
    """References that are outputs with a few tokens changed, and nothing counted but what both
    share.
    """

    def edited(line: list[int]) -> list[int]:
        copy = line.copy()
        for _ in range(rng.choice([0, 1, 1, 2, 5])):
            position = rng.randint(0, len(copy))
            copy[position : position + rng.choice([0, 0, 1, 3])] = rng.choices(
                range(few), k=rng.choice([0, 1, 1, 70])
            )
        return copy

    few = rng.choice([1, 2, 30])
    sizes = [rng.choice([0, 1, 5, 63, 64, 65, 130, 260]) for _ in range(1)]
    systems = [
        [rng.choices(range(few), k=size) for size in sizes]
        for _ in range(rng.choice([1, 2, 5]))
    ]
    references = [
        list(map(edited, systems[0])) for _ in range(rng.choice([1, 1, 3]))
    ]
    kind = rng.choice(["match", "match", "union_match"])
    return (
        None,
        list(map(encoded, references)),
        list(map(encoded, systems)),
        rng.choice([1, 4, 6, 6, 16]),
        [kind],
    ), {}


TEXTS = st.tuples(st.integers(0, 4), st.booleans()).flatmap(
    lambda how: st.lists(text_lines(*how), max_size=4)
)
SEEDS = st.integers(0, 2**40)


def positional(*strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[Call]:
    return st.tuples(st.tuples(*strategies), st.just({}))


def by_seed(
    generated: Callable[[random.Random, int], Call],
) -> st.SearchStrategy[Call]:
    """Calls that a function makes of a seed, which is also that of the generator it gets."""
    return SEEDS.map(lambda seed: generated(random.Random(seed), seed))


def subsequence_call(name: str) -> Callable[[random.Random, int], Call]:
    def call(rng: random.Random, seed: int) -> Call:
        texts = test_rouge_kernels.generated(
            seed % 1000, rng.choice([0, 1, 2, 5]), rng.choice([1, 2, 4])
        )
        # no reference at all is an error of both
        cut = rng.randint(0, len(texts))
        nested = [
            [*map(test_rouge_kernels.sentences, item)]
            for item in (texts[:cut], texts[cut:])
        ]
        flat = [[*map(attrgetter("as_lines"), item)] for item in nested]
        # too few is an error of both
        powers = np.arange(rng.choice([10, 2500]), dtype=float) ** 1.2
        if name == "skip_bigrams":
            return (*flat, rng.choice([-1, 0, 1, 2, 7])), {}
        item = flat if name == "lcs" else nested
        return (*item, powers) if name.startswith("weighted") else (*item,), {}

    return call


def edit_rate_call(rng: random.Random, seed: int) -> Call:
    return test_edit_rate.generated(
        seed, rng.choice([(0, 1, 2, 5, 8), (0, 1, 4, 9, 15, 26)])
    ), {}


def drawer_call(rng: random.Random, seed: int) -> Call:
    sampler = rng.choice(sorted(SAMPLERS + BALANCED))
    references = rng.choice([1, 2, 3, 4, 5, 16, 17, 129, 255])
    return (
        sampler,
        rng.sample(range(5000), rng.randint(0, 9)),
        rng.choice([29, 40, 700]),
        references,
        seed,
    ), {}


def draws_call(rng: random.Random, seed: int) -> Call:
    """How often things are drawn by a generator, whose state is read afterwards."""
    things = rng.choice([1, 2, 3, 64, 255, 1000])
    rows = rng.randint(0, 4)
    return (
        np.random.default_rng(seed),
        np.zeros((rows, things), rng.choice(["uint8", "uint64"])),
    ), {}


def pass_call(rng: random.Random, seed: int) -> Call:
    return (
        np.random.default_rng(seed),
        rng.randint(0, 4),
        rng.choice([0, 1, 2, 3, 255, 1000]),
    ), {}


def planes_call(rng: random.Random, seed: int) -> Call:
    generator = np.random.default_rng(seed)
    lines = rng.choice([0, 1, 70, 4100])
    packed = Packed.of(
        generator.integers(
            -5, rng.choice([2, 9, 300, 70_000]), (lines, 2, 3)
        ).astype(float)
    )
    assert packed
    weights = generator.integers(
        0, rng.choice([3, 66, 130, 256]), (rng.choice([0, 1, 5]), lines)
    ).astype(np.uint8)
    return (packed.data, packed.bits, lines, weights), {}


STRINGS = st.lists(
    st.text(
        st.sampled_from("ab .,\n\té\u0085\u3000\u20ac\U0001f600\ud800"),
        max_size=20,
    ),
    max_size=6,
)


CALLS: dict[str, st.SearchStrategy[Call]] = {
    "Drawer": by_seed(drawer_call),
    "add_draws": by_seed(draws_call),
    "edit_rate": by_seed(edit_rate_call),
    "encode": positional(TEXTS, st.sampled_from([*SPLITS, "words", ""])),
    "joined": positional(STRINGS),
    "lcs": by_seed(subsequence_call("lcs")),
    "overlap": st.one_of(
        st.tuples(overlap_calls(), st.just({})), by_seed(edited_call)
    ),
    "pass_draws": by_seed(pass_call),
    "plane_sums": by_seed(planes_call),
    "skip_bigrams": by_seed(subsequence_call("skip_bigrams")),
    "union_lcs": by_seed(subsequence_call("union_lcs")),
    "weighted_lcs": by_seed(subsequence_call("weighted_lcs")),
    "weighted_union": by_seed(subsequence_call("weighted_union")),
    "words": positional(TEXTS, st.sampled_from([*FOLDS, *SPLITS, "rouge"])),
}
EXAMPLES = {"encode": 250, "overlap": 200, "edit_rate": 20}
"""More examples than 60 for functions that have many ways, fewer where the Python kernel is slow."""


def visible(value: Any) -> Any:
    """Return all that can be seen of what a function returns, or of what it changes."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    if isinstance(value, dict):
        return {name: visible(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [visible(item) for item in value]
    if hasattr(value, "take"):
        return visible(value.take(29))
    if hasattr(value, "references"):
        return value.lines, visible(
            value.count(["a"], np.zeros(1, np.int64), 2, KINDS)
        )
    return value


def seen(twin: Twin, function: str, call: Call) -> Any:
    """Return all that can be seen of a call: what is returned or raised, and the arguments
    afterwards.
    """
    arguments, options = call
    copies = []
    for value in arguments:
        changes = isinstance(value, np.random.Generator) or (
            isinstance(value, np.ndarray) and function == "add_draws"
        )
        copies.append(deepcopy(value) if changes else value)
    try:
        result = visible(getattr(twin, function)(*copies, **options))
    except Exception as error:  # noqa: BLE001 (whatever it is, the twin must raise it too)
        return [type(error), str(error)]
    changed = np.ndarray | np.random.Generator
    return result, [visible(v) for v in copies if isinstance(v, changed)]


def check_twins(
    native: Twin, python: Twin, function: str, calls: Calls, examples: int = 60
) -> None:
    """Expect the same of both kernels for calls of a function."""

    @settings(max_examples=examples, deadline=None)
    @given(call=calls)
    def agree(call: Call) -> None:
        assert seen(native, function, call) == seen(python, function, call)

    agree()


def test_every_function_has_calls() -> None:
    assert sorted(CALLS) == sorted(chain(*MODULES.values()))


@pytest.mark.parametrize("function", CALLS)
def test_twins_agree(native: Twin, function: str) -> None:
    examples = EXAMPLES.get(function, 60)
    check_twins(native, PYTHON, function, CALLS[function], examples)
