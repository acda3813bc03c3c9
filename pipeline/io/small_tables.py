"""Lines with columns: how a number is written."""

from __future__ import annotations

import re

NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?")


NOT_A_NUMBER = frozenset({"nan", "inf", "infinity", "none", "null", "na", "n/a", "-"})
"""What programs write for a number that they do not have; in a first line it names no column."""
