"""From counts to ranked scores.

Begin at `metric_results.py`. `results.py` is the model of results.json, `significance_tests` the
table of paired tests, and `resampling` computes intervals and rank ranges.
"""
