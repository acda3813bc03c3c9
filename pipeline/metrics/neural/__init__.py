"""Metrics whose scores a model computes."""
