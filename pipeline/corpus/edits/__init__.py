"""Data sets of edits: views of annotated data for metrics of edits."""
