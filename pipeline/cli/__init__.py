"""The command line: `dispatch.py` finds the command, and `commands/` has a file for each.

PYTHON_ARGCOMPLETE_OK: the package argcomplete looks for this mark if a shell asks every program for
completions.
"""

from .dispatch import main

__all__ = ["main"]
