"""Tests of shards, workers and the run directory."""
