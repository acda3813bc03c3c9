"""Files here and at addresses, locks, and compressed files. Begin at `safe_files.py`.

Nothing in this room knows what a corpus is.
"""
