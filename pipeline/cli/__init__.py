"""The command line: `dispatch.py` finds the command, and `commands/` has a file for each.

PYTHON_ARGCOMPLETE_OK: so says the package argcomplete, for shells that ask every program for
completions."""

from .dispatch import main

__all__ = ["main"]
