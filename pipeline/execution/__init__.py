"""From a corpus to its counts: shards, workers and clusters; begin at `count.py`."""
