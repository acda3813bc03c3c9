"""Edits of annotators as they stand in gold files, for the metrics that compare edits and not texts."""
