"""The two kernels as tests call them, what their tests are made of, and all that can be seen of a
call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, cycle, islice
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pipeline import kernel
from pipeline.kernel.common import Encoded, Lines

Outcome = list[Any]

SURROGATES = range(0xD800, 0xE000)
WHITE = [chr(code) for code in range(0x110000) if chr(code).isspace()]
"""Every character that str.split() splits at."""
NEIGHBOURS = sorted(
    {
        chr(ord(white) + step)
        for white in WHITE
        for step in (-1, 1)
        if ord(white) + step >= 0
    }
    - set(WHITE)
)
"""Characters next to white space in code point order."""
LONG = "abcdefgh"
INVALID = {
    name: codes.split(",")
    for name, codes in {
        "overlong": "c080,c1bf,e08080,e09fbf,f0808080,f08fbfbf",
        "surrogate": "eda080,edbfbf,eda080edb080",
        "truncated": "c2,df,e0a0,e282,ef,f09f98,f09f,f4,f48fbf",
        "too high": "f4908080,f5808080,f7bfbfbf,f888808080,fe,ff",
        "stray": "80,bf,a0,85",
        "broken off": "c241,e28041,e24141,f09f41,f0419898,e2c280,f0e28080",
    }.items()
}
"""Bytes that are not UTF-8, by what is wrong with them."""
REFERENCES = (1, 2, 3, 4, 5, 8, 9, 17, 100)
SYSTEMS = (1, 2, 5)


def bordering(size: int, changed: int) -> str:
    """Return one of the tokens of size bytes that share all bytes but one: changed says which
    (none: size or more).
    """
    token = "".join(islice(cycle(LONG), size))
    if changed < size:
        return token[:changed] + "X" + token[changed + 1 :]
    return token


def encoded(lines: Sequence[Sequence[int]]) -> Encoded:
    """Return lines of ids as the kernels take them."""
    offsets = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    return Encoded(np.array([*chain(*lines)], np.int32), offsets)


def lay_out(
    lines: Sequence[bytes], between: Sequence[bytes], order: Sequence[int]
) -> Lines:
    """Return lines that lie in a buffer in any order, with other bytes before each and after the
    last.
    """
    starts = np.zeros(len(lines), np.int64)
    ends = np.zeros(len(lines), np.int64)
    data = b""
    for index, other in zip(order, between, strict=False):
        data += other
        starts[index], ends[index] = len(data), len(data) + len(lines[index])
        data += lines[index]
    return Lines(data + between[-1], starts, ends)


def outcome(function: Callable[..., Any], *arguments: Any) -> Outcome:
    """Return all that can be seen of a call: names, types, shapes and bytes of its arrays, or its
    exception.
    """
    try:
        value = function(*arguments)
    except Exception as error:  # noqa: BLE001 (whatever it is, the twin must raise it too)
        return [type(error), str(error)]
    if isinstance(value, list):  # texts of ids and offsets
        value = {
            (number, name): array
            for number, text in enumerate(value)
            for name, array in text._asdict().items()
        }
    return [
        (
            name,
            array.dtype.str,
            array.shape,
            array.tobytes(),
        )
        for name, array in value.items()
    ]


class Twin:
    """The functions of one kernel, "python" or "native", whichever is used.

    `package` is the kernel of the program, or that of an extension.
    """

    def __init__(self, name: str, package: ModuleType = kernel) -> None:
        self.name = name
        self.package = package

    def __getattr__(self, function: str) -> Any:
        for module, functions in self.package.MODULES.items():
            if function in functions:
                return kernel.function_of(
                    self.name, function, module, self.package.__name__
                )
        raise AttributeError(function)


PYTHON = Twin("python")
NATIVE = Twin("native")


def kernel_fixtures(package: ModuleType = kernel) -> tuple[Any, Any]:
    """Return the fixtures `native` and `twin` for tests of a kernel.

    `native` is the compiled kernel; tests are skipped where it was not built, and fail where it
    does not load. `twin` is each kernel in turn.
    """
    from tests.conftest import KERNELS, forced_kernel

    @pytest.fixture(scope="session")
    def native() -> Twin:
        with forced_kernel("native"):
            return Twin("native", package)

    @pytest.fixture(params=KERNELS)
    def twin(request: pytest.FixtureRequest) -> Twin:
        if request.param == "native":
            request.getfixturevalue("native")
        return Twin(request.param, package)

    return native, twin
