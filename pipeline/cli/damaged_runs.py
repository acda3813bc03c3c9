"""Commands that read run directories: what is in one that no run has written is one message, and no traceback."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import StoreError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

READERS = frozenset({"show", "report", "compare", "rank", "correlate", "cite"})
"""The commands that show what run directories say."""
DEBUG = "GEC_PIPELINE_DEBUG"
"""The variable of the environment with which the error itself is shown, for those who develop the program."""
_ERRORS = (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


@contextmanager
def read_with_care(args: argparse.Namespace) -> Iterator[None]:
    """Turn errors of programming into StoreError where a command reads run directories.

    results.json is checked when it is read: its keys, and the types of its values. But its parts may not fit together:
    a correlation may name a metric that has no score. Nobody needs to foresee each of these ways.
    """
    if args.command not in READERS or DEBUG in os.environ:
        yield
        return
    try:
        yield
    except _ERRORS as error:
        runs = [str(name) for key in ("run", "run2", "more") for name in _listed(getattr(args, key, None))]
        where = " or ".join(dict.fromkeys(runs)) or "the run directory"
        what = f"{type(error).__name__}: {str(error)[:200]}"
        raise StoreError(
            f"{where}: the parts of results.json do not fit together, so it is damaged, or no run wrote it; "
            f"run its config again ({what}; {DEBUG}=1 shows where)"
        ) from error


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]
