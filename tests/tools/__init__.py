"""Programs that fuzz, break, compare and make things, and tests of the first two."""
