"""CLEME: chunks of a sentence, compared between an annotated output and all its references at once."""
