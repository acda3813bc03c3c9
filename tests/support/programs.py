"""The program, and Python, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from tests.conftest import PATIENCE, ROOT

Done = subprocess.CompletedProcess[str]

PROGRAM = ("-m", "pipeline")
"""What Python runs as the command `gec-pipeline`."""
NOT_INHERITED = ("PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONSAFEPATH")


def python(
    *words: object,
    environment: Mapping[str, str | None] | None = None,
    **more: Any,
) -> Done:
    """Run Python on this checkout.

    environment: variables that are set, or taken away where they are None. more: arguments of
    subprocess.run.
    """
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    for name in NOT_INHERITED:
        if name not in (environment or {}):
            variables.pop(name, None)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env={key: text for key, text in variables.items() if text is not None},
        check=False,
        encoding="utf-8",
        timeout=PATIENCE,
        **{**streams, **more},
    )


def program(line: str, *words: object, **more: Any) -> Done:
    """Run a command line of the program, as a user does."""
    return python(*PROGRAM, *line.split(), *words, **more)
