"""The compiled kernel, whose results equal those of `python/` on every input; it is there if one of
its modules is.
"""

from . import encode as encode  # type: ignore[attr-defined]
