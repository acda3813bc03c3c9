"""Letters that a terminal or pipe has no bytes for. Files are always UTF-8."""

from __future__ import annotations

import codecs
import io
import json
import sys

VISIBLE = "gec-pipeline-visible"
"""The way in which letters are replaced that an encoding does not have; a name of the module codecs."""


def show_every_letter() -> None:
    """Have letters that standard output and standard error cannot write escaped as in JSON, for all commands.

    So a program that reads JSON from the output has the same letters again.
    """
    codecs.register_error(VISIBLE, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=VISIBLE)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Return the escapes of letters that cannot be written, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end
