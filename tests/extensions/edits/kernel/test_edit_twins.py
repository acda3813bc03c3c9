"""The compiled kernel of gold edits does what its Python twin does, errors too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from pipeline.extensions.edits import kernel as edits_kernel
from tests.extensions.edits.kernel import test_max_match, test_three_way
from tests.kernel.test_twins import SEEDS, by_seed, seen
from tests.support.kernels import Twin

if TYPE_CHECKING:
    import random

    from tests.kernel.test_twins import Call


def three_way_call(rng: random.Random, seed: int) -> Call:
    return test_three_way.made(seed, rng.choice([3, 9, 20])), {}


CALLS = {
    "max_match": SEEDS.map(test_max_match.random_arguments),
    "three_way": by_seed(three_way_call),
    "three_way_columns": by_seed(three_way_call),
}
MANY = {"max_match": 1000, "three_way": 100, "three_way_columns": 100}
"""The numbers of examples."""
PYTHON = Twin("python", edits_kernel)


def test_every_function_has_calls() -> None:
    functions: list[str] = []
    for of_module in edits_kernel.MODULES.values():
        functions += of_module
    assert sorted(CALLS) == sorted(functions)


@pytest.mark.parametrize("function", CALLS)
def test_twins_agree(native: Twin, function: str) -> None:
    @settings(max_examples=MANY[function], deadline=None)
    @given(call=CALLS[function])
    def agree(call: Call) -> None:
        expected = seen(PYTHON, function, call)
        assert seen(native, function, call) == expected
        if function.startswith("three_way"):
            for chosen in (
                0,
                30,
            ):  # with the cube cut in halves, again and again
                assert (
                    seen(native, function, (call[0], {"kept": chosen}))
                    == expected
                )

    agree()


def test_extensions_that_were_built_load(native: Twin) -> None:
    """Fails, and does not skip, where the compiled kernel of the program was built."""
    for functions in edits_kernel.MODULES.values():
        for function in functions:
            assert getattr(native, function) is not getattr(PYTHON, function)
