"""Annotation: pairs of source and corrected text become edits with types, by the package errant and a spaCy pipeline."""
