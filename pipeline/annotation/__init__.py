"""Annotation: pairs of source and corrected text become edits with types, by errant and a spaCy
pipeline.
"""
