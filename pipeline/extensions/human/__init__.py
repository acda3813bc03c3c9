"""Judgements of people: ranked, and correlated with metrics; begin at `judgments.py`."""
