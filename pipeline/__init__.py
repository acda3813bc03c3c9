"""gec-pipeline: exact, fast and comparable evaluation of GEC, translation and summarisation.

evaluate(hypotheses, references, sources, metrics)
                    scores lists of strings
run(config)         runs a config, a YAML file or a dict; keeps the results
load(directory)     opens the results of a run
compare(directory)  returns intervals, rank ranges and tests of a run
correlate(human, metrics, statistics)
                    returns how metrics agree with scores of people
Scorer(metric, references, sources)
                    scores any lines, again and again, as training does
sentence_scores(metric, outputs, references, sources)
                    the scores of pairs of texts that differ every time
metric              makes a metric of a function of your own (help plugins)
Metric              what metrics with columns of their own are subclasses of
Model               annotates options of these that are models
rewards             the same in the shapes that programs for training call
Evaluation          what evaluate, run and load return: a list of results
Result              the score of one system by one metric, with its counts
errors              what is raised, such as InputError where input is wrong
compat              the names of sacrebleu, nltk and rouge_score

A first score:

    >>> import pipeline
    >>> outputs, references = ["The cat sat ."], ["The cat sat down ."]
    >>> result = pipeline.evaluate(outputs, references, metrics="chrf")
    >>> round(result.score, 4)
    0.6101

`gec-pipeline help api` has an example of each. The names above are public.
All other modules are private and may move. On the command line, the program
is `gec-pipeline` or `python -m pipeline`. To read the code, begin with
`pipeline/stages.py`.
"""

import sys
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from . import compat, errors, rewards
    from .api import compare, evaluate, load, run
    from .evaluation import Evaluation, Result
    from .metrics.base import Metric
    from .scorers import Scorer, sentence_scores

__all__ = [
    "Evaluation",
    "Metric",
    "Model",
    "Result",
    "Scorer",
    "__version__",
    "compare",
    "compat",
    "correlate",
    "errors",
    "evaluate",
    "load",
    "metric",
    "rewards",
    "run",
    "sentence_scores",
]
ADDED = ("Model", "correlate", "metric")
"""Public names that extensions add: without the extension, they raise AttributeError."""
MODULES = {
    "Metric": ".metrics.base.metric",
    "Scorer": ".scorers",
    "sentence_scores": ".scorers",
}
"""The modules of public names that are not those of the API."""


def __getattr__(name: str) -> Any:
    """Import the module of a public name when it is first used, so that `import pipeline` is fast."""
    from importlib import import_module

    if name in ("errors", "compat", "rewards"):
        return import_module(f".{name}", __name__)
    if name in __all__ and name not in ADDED:
        module = MODULES.get(name, ".api")
        imported = sys.modules.get(__name__ + module)
        # None while another thread imports the module
        ready = getattr(imported, name, None)
        if ready is not None:
            globals()[name] = ready
            return ready
        return getattr(import_module(module, __name__), name)
    if not name.startswith("_"):
        from .extension import contributions, missing_extension

        for added, extension, reference in contributions("names"):
            if added == name:
                return extension.load(reference)
        if reason := missing_extension("names", name):
            raise AttributeError(f"pipeline.{name}: {reason}")
    raise AttributeError(f"module 'pipeline' has no attribute '{name}'")


def __dir__() -> list[str]:
    """Return the public names, for completion in editors and notebooks."""
    from .extension import contributions

    added = {name for name, _, _ in contributions("names")}
    return sorted(
        {*__all__, *added, "__doc__", "__file__", "__name__", "__path__"}
    )
