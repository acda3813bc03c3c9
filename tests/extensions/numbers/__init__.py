"""Tests of the numbers of sentences as files."""
