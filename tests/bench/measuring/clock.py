"""The clock of a child that is timed: that of the wall, or processor time where BENCH_CPU says so."""

from __future__ import annotations

import os
import time

VARIABLE = "BENCH_CPU"


def of_processor() -> bool:
    """Return whether processor time is measured: `python -m tests.bench --cpu`."""
    return bool(os.environ.get(VARIABLE))


def now() -> float:
    """Return seconds of the clock that was asked for; differences of two calls have a meaning."""
    return time.process_time() if of_processor() else time.perf_counter()
