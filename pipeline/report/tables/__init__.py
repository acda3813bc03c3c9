"""Tables as text: a header and rows, which each form of report draws in its own way. Begin at `ranked.py`."""

Table = tuple[list[str], list[list[str]]]
"""A header, and rows that have as many cells as the header."""
