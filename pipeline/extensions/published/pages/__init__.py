"""Pages of several runs: page.py has the report on published results, own_runs.py leader boards of
one's own runs.
"""
