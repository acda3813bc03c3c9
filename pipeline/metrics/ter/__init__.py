"""TER, the translation edit rate; begin at `metric.py`."""
