"""From counts to ranked scores; begin at `board.py`. `results.py` is the model of results.json."""
