"""Tests of pipeline/scorers.py and of rewards."""
