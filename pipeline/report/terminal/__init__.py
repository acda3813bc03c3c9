"""What stands on a terminal: tables that fit its width, and sentences that break between words.

- `print_text()`, `print_line()`, `print_styled()` and `print_warnings()` print texts,
  `print_table()` and `print_square()` tables; `fits()` says whether one fits.
- `Bar` is a progress bar, `progress_listener()` that or its form in a notebook.
- `console()` is a console of rich; `as_printed()`, `shortened()`, `has_colours()` and
  `terminal_width()` are for texts that are drawn elsewhere.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .printing import (
        as_printed,
        console,
        fits,
        has_colours,
        print_line,
        print_square,
        print_styled,
        print_table,
        print_text,
        print_warnings,
        shortened,
        terminal_width,
    )
    from .progress import Bar, progress_listener

__all__ = [
    "Bar",
    "as_printed",
    "console",
    "fits",
    "has_colours",
    "print_line",
    "print_square",
    "print_styled",
    "print_table",
    "print_text",
    "print_warnings",
    "progress_listener",
    "shortened",
    "terminal_width",
]


def __getattr__(name: str) -> Any:
    """Import the module of a name on its first use, for a fast start."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    is_progress = name in ("Bar", "progress_listener")
    module = "progress" if is_progress else "printing"
    return getattr(import_module(f".{module}", __name__), name)
