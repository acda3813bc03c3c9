"""Tests of published results."""
