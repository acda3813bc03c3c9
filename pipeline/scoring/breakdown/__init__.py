"""Scores by category, such as types of edits: what each category adds to the totals of a system."""
