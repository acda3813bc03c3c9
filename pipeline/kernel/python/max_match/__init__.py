"""MaxMatch: the edits of an output that match as many gold edits as there can be."""

from .search import max_match as max_match
