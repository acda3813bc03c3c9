"""ERRANT: precision, recall and F of the edits of an annotated output."""
