"""Tables as text: a header and rows, which each form of report draws in its own way; begin at `ranked.py`."""

Table = tuple[list[str], list[list[str]]]
"""A header, and rows of as many cells."""
