"""Scores inside other programs: texts are prepared once, and scored in calls with any lines, any number of times."""
