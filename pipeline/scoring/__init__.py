"""From counts to ranked scores; begin at `scores.py`. `results.py` is the model of results.json."""
