"""Annotated edits: how files in the format M2 are read, and how each sentence's edits travel to the workers."""
