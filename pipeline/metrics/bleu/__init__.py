"""BLEU, as four programs compute it; begin at `metric.py`."""
