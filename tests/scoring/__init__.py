"""Tests of scores, intervals and tests."""
