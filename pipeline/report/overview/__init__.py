"""The overview: systems by metrics, and what each metric says, in a sentence. Begin at `systems_by_metrics.py`."""
