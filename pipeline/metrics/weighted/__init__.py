"""Metrics that weigh n-grams by how rare they are in all references of a data set."""
