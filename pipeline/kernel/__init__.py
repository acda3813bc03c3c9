"""The face of the kernel, which exists twice: in Python and compiled.

`kernel.encode`, `kernel.overlap` and so on are the functions of the kernel that the environment
variable PIPELINE_KERNEL names: native, python, or auto, which takes the compiled one if it was
built. Type checkers see the functions of the Python kernel.
"""

import os
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from .python.draws import Drawer, add_draws, pass_draws
    from .python.edit_rate import edit_rate
    from .python.encode import encode, joined, words
    from .python.lcs import lcs, skip_bigrams, union_lcs, weighted_lcs, weighted_union
    from .python.max_match import max_match
    from .python.overlap import overlap, sari, shared_ngrams
    from .python.packed_numbers import plane_sums
    from .python.three_way import three_way, three_way_columns

CHOICES = ("auto", "native", "python")

MODULES = {
    "draws": ("Drawer", "add_draws", "pass_draws"),
    "edit_rate": ("edit_rate",),
    "encode": ("encode", "words"),
    "lcs": ("lcs", "skip_bigrams", "union_lcs", "weighted_lcs", "weighted_union"),
    "max_match": ("max_match",),
    "ngrams": ("shared_ngrams",),
    "overlap": ("overlap",),
    "packed_numbers": ("plane_sums",),
    "sari": ("sari",),
    "strings": ("joined",),
    "three_way": ("three_way", "three_way_columns"),
}
"""The functions that both kernels have, by the modules of `native/`."""
TWINS = {"ngrams": "overlap", "sari": "overlap", "strings": "encode"}
"""Modules of `native/` whose functions are in a module of `python/` with another name."""

_MODULE_OF: dict[str, str] = {}
for _module, _functions in MODULES.items():
    _MODULE_OF.update(dict.fromkeys(_functions, _module))

# Unlike sys.modules, import_module() never returns a module that another thread is still importing.
_imported = cache(import_module)


def name() -> str:
    """Return which kernel is used: "native" or "python".

    Raises ConfigError for an unknown value of PIPELINE_KERNEL, and if it is native and there is no
    compiled kernel.
    """
    choice = os.environ.get("PIPELINE_KERNEL") or "auto"
    if choice not in CHOICES:
        hint = did_you_mean(choice, CHOICES)
        raise ConfigError(
            f"PIPELINE_KERNEL: expected one of {', '.join(CHOICES)}, found '{choice}'{hint}"
        )
    if choice == "python":
        return "python"
    if sys.modules.get(f"{__name__}.native"):  # every call of the kernel comes here
        return "native"
    try:
        import_module(".native", __name__)
    except ImportError as error:
        if choice == "native":
            raise ConfigError(
                f"PIPELINE_KERNEL=native, but there is no compiled kernel: {error}"
            ) from None
        return "python"
    return "native"


def _compiled_files() -> list[Path]:
    folder = Path(__path__[0], "native")
    return [*folder.glob("*.so"), *folder.glob("*.pyd")]


def why_not_native() -> str:
    """Return why the Python kernel is used, and what to do.

    Returns an empty text if the compiled one is used, or the Python kernel was requested.
    """
    if name() == "native" or os.environ.get("PIPELINE_KERNEL") == "python":
        return ""
    folder = Path(__path__[0], "native")
    if not _compiled_files():
        return (
            f"There is no compiled kernel in {folder}: "
            "install with a C compiler (`gec-pipeline help kernel`)."
        )
    try:
        import_module(".native", __name__)
    except ImportError as error:
        return f"The compiled kernel in {folder} does not load: {error}."
    return ""


def stale() -> str:
    """Return what to do if the compiled kernel is older than its sources, else an empty text.

    It is a possible reason of any call that failed: functions of an old kernel may take other
    arguments.
    """
    if name() == "python":
        return ""
    folder = Path(__path__[0], "native")
    changed = []
    for file in _compiled_files():
        source = folder / f"{file.name.partition('.')[0]}.pyx"
        if source.exists() and source.stat().st_mtime > file.stat().st_mtime:
            changed.append(source.name)
    if not changed:
        return ""
    return (
        f"the compiled kernel in {folder} is older than its sources "
        f"({', '.join(sorted(changed))}): build it again with "
        f"`python setup.py build_ext --inplace` in {folder.parents[2]}, "
        "or do without it: PIPELINE_KERNEL=python"
    )


def function_of(kernel: str, function: str, module: str) -> Any:
    """Return a function of one kernel, "native" or "python".

    `module` is the module of `native/` that has it.
    """
    if kernel == "python":
        module = TWINS.get(module, module)
    return getattr(_imported(f"{__name__}.{kernel}.{module}"), function)


def native_function(
    function: str, module: str = "formulas"
) -> Callable[..., Any] | None:
    """Return a function that only the compiled kernel has; None if the Python kernel is used."""
    return function_of("native", function, module) if name() == "native" else None


def __getattr__(function: str) -> Any:
    """Return a function of the kernel that is used."""
    if function not in _MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{function}'")
    return function_of(name(), function, _MODULE_OF[function])
