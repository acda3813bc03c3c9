"""Parallel texts: opened, checked, indexed, and read by ranges; begin at `corpus.py`."""
