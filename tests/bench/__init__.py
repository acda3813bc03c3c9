"""Timings against peers: `python -m tests.bench`."""
