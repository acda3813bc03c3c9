"""Naive implementations to compare with."""
