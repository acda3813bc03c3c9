"""Tests of scores and counts of sentences as Parquet files."""
