"""Files, locks, compressed files, addresses, and data sets that can be fetched. Begin at `safe_files.py`.

Nothing in this room knows what a corpus is.
"""
