"""Intervals, tests and ranges of ranks, by resampling sentences; begin at `significance.py`."""
