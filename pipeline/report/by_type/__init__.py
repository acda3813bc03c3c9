"""Scores by type of edit, as the forms of reports show them."""
