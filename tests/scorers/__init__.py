"""Tests of pipeline/scorers/ and of rewards."""
