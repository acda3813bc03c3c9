"""Tests of judgements of people."""
