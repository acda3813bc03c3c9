"""The table of fuzzers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import configs, inputs, run_directories

if TYPE_CHECKING:
    from .driver import Fuzzer

FUZZERS: dict[str, Fuzzer] = {
    "inputs": inputs.FUZZER,
    "configs": configs.FUZZER,
    "runs": run_directories.FUZZER,
}
