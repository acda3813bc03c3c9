"""The kernel of gold edits, which exists twice, like that of the program: in Python and compiled.

`kernel.max_match` and so on are the functions of the kernel that PIPELINE_KERNEL names.
"""

from typing import TYPE_CHECKING, Any

from pipeline.kernel import function_of, name

if TYPE_CHECKING:
    from .python.max_match import max_match
    from .python.three_way import three_way, three_way_columns

MODULES = {
    "max_match": ("max_match",),
    "three_way": ("three_way", "three_way_columns"),
}
"""The functions that both kernels have, by their modules."""


def __getattr__(function: str) -> Any:
    """Return a function of the kernel that is used."""
    for module, functions in MODULES.items():
        if function in functions:
            return function_of(name(), function, module, __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{function}'")
