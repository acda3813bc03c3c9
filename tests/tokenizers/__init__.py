"""Tests of tokenisers."""
