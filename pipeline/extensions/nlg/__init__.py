"""Metrics of text simplification and of text from data."""
