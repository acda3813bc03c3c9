"""Intervals, tests and rank ranges, by resampling sentences; begin at `significance.py`."""
