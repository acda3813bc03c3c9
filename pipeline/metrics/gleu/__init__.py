"""GLEU+, in every code that it has had; begin at `metric.py`."""
