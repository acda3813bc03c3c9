"""The table of fuzzers."""

from __future__ import annotations

from . import configs, inputs, run_directories
from .driver import Fuzzer

FUZZERS: dict[str, Fuzzer] = {
    "inputs": inputs.FUZZER,
    "configs": configs.FUZZER,
    "runs": run_directories.FUZZER,
}
