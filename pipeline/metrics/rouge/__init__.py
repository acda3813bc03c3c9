"""ROUGE, as rouge-score and as ROUGE-1.5.5 compute it; begin at `metric.py`."""
