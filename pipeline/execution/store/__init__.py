"""The run directory on disk; begin at `run_directory.py`."""
