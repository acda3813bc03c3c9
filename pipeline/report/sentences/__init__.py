"""Edits of single sentences by an alignment of words, for the terminal as for the page."""
