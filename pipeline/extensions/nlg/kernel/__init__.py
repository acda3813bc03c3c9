"""The kernel of SARI, NIST and CIDEr, which exists twice: in Python and compiled.

`kernel.sari` and `kernel.shared_ngrams` are the functions of the kernel that PIPELINE_KERNEL names.
"""

from typing import TYPE_CHECKING, Any

from pipeline import kernel

if TYPE_CHECKING:
    from .python.ngrams import shared_ngrams
    from .python.sari import sari

MODULES = {"ngrams": ("shared_ngrams",), "sari": ("sari",)}
"""The functions that both kernels have, by their modules."""


def __getattr__(function: str) -> Any:
    """Return a function of the kernel that is used."""
    for module, functions in MODULES.items():
        if function in functions:
            return kernel.function_of(kernel.name(), function, module, __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{function}'")
