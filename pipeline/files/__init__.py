"""Files here and at addresses, locks, compressed files, and data sets that can be fetched. Begin at
`safe_files.py`.

Nothing in this room knows what a corpus is.
"""
