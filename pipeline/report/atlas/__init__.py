"""Pages of several runs: the atlas of published results, and leader boards of one's own runs; begin at `page.py`."""
