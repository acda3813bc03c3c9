"""The names of other packages, for programs that change one import: `pipeline.compat.` goes before
the package's name.

    from pipeline.compat.sacrebleu import corpus_bleu
    from pipeline.compat.nltk.translate.bleu_score import sentence_bleu
    from pipeline.compat.rouge_score import rouge_scorer

Names, arguments, results and printed lines are those of the packages. Texts are tokenised and
counted by this program. Names that it does not support raise InputError with the reason.
`gec-pipeline help compat` has the lists.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import nltk, rouge_score, sacrebleu

__all__ = ["nltk", "rouge_score", "sacrebleu"]


def __getattr__(name: str) -> Any:
    """Import a module when it is first used."""
    if name not in __all__:
        raise AttributeError(
            f"module 'pipeline.compat' has no attribute '{name}'"
        )
    return import_module(f".{name}", __name__)


def __dir__() -> list[str]:
    """Return the modules, for completion in editors and notebooks."""
    return [*__all__]
