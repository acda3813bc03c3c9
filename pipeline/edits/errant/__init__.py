"""How ERRANT compares edits, and what its program prints."""
