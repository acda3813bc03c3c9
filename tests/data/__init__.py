"""Tests of texts and their formats."""
