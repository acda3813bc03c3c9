"""Tests of texts to edits. What calls errant skips where errant, spaCy or a spaCy pipeline is not
installed.
"""
