"""What stands on a terminal: tables that fit its width, and sentences that break between words.

- `print_text()`, `print_line()`, `print_styled()` and `print_warnings()` print texts,
  `print_table()` and `print_square()` tables; `fits()` says whether one fits.
- `Bar` is a progress bar, `progress_listener()` that or its form in a notebook.
- `console()` is a console of rich; `as_printed()`, `shortened()`, `has_colours()` and
  `terminal_width()` are for texts that are drawn elsewhere.
"""

from typing import TYPE_CHECKING

from ...lookup import lazy_names

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
if not TYPE_CHECKING:
    __getattr__ = lazy_names(
        __name__,
        {
            "printing": (
                "as_printed console fits has_colours print_line print_square print_styled print_table "
                "print_text print_warnings shortened terminal_width"
            ),
            "progress": "Bar progress_listener",
        },
    )
