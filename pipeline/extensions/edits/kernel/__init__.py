"""The kernel of gold edits, which exists twice, like that of the program: in Python and compiled.

`kernel.max_match` and so on are the functions of the kernel that PIPELINE_KERNEL names.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pipeline import kernel

if TYPE_CHECKING:
    from .python.max_match import max_match
    from .python.three_way import three_way, three_way_columns

MODULES = {
    "max_match": ("max_match",),
    "three_way": ("three_way", "three_way_columns"),
}
"""The functions that both kernels have, by their modules."""


def native_function(function: str, module: str) -> Callable[..., Any] | None:
    """Return a function that only the compiled kernel has; None if the Python kernel is used."""
    return kernel.native_function(function, module, __name__)


def __getattr__(function: str) -> Any:
    """Return a function of the kernel that is used."""
    for module, functions in MODULES.items():
        if function in functions:
            return kernel.function_of(kernel.name(), function, module, __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{function}'")
