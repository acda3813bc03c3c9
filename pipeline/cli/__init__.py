"""The command line: `dispatch.py` finds the command, and `commands/` has a file for each."""

from .dispatch import main

__all__ = ["main"]
