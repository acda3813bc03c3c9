"""Tests of both kernels."""
