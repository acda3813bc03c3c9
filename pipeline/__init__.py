"""gec-pipeline: exact, fast and comparable evaluation of GEC, translation and summarisation.

From Python: `pipeline.evaluate(hypotheses, references, sources)`, `pipeline.run(config)`, `pipeline.load(directory)`.
On the command line, the program is `gec-pipeline` or `python -m pipeline`. To read the code, begin with
`pipeline/stages.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .api import Evaluation, Result, compare, evaluate, load, run

__all__ = ["Evaluation", "Result", "__version__", "compare", "evaluate", "load", "run"]


def __getattr__(name: str) -> Any:
    """Import the API when one of its names is first used, so that `import pipeline` is fast."""
    if name not in __all__:
        raise AttributeError(f"module 'pipeline' has no attribute '{name}'")
    from . import api

    return getattr(api, name)
