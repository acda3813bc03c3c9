"""gec-pipeline: exact, fast and comparable evaluation of GEC, translation and summarisation.

The program is `gec-pipeline` (or `python -m pipeline`); `pipeline/stages.py` is the file to read first.
"""

from __future__ import annotations

from ._version import __version__

__all__ = ["__version__"]
