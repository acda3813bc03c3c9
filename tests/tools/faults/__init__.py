"""Faults at random moments of a run, and whether the same command then ends in the same bytes; not
run by pytest.
"""
