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
    from .python.lcs import (
        lcs,
        skip_bigrams,
        union_lcs,
        weighted_lcs,
        weighted_union,
    )
    from .python.overlap import overlap
    from .python.packed_numbers import plane_sums

CHOICES = ("auto", "native", "python")

MODULES = {
    "draws": ("Drawer", "add_draws", "pass_draws"),
    "edit_rate": ("edit_rate",),
    "encode": ("encode", "words"),
    "lcs": (
        "lcs",
        "skip_bigrams",
        "union_lcs",
        "weighted_lcs",
        "weighted_union",
    ),
    "overlap": ("overlap",),
    "packed_numbers": ("plane_sums",),
    "strings": ("joined",),
}
"""The functions that both kernels have, by the modules of `native/`."""
TWINS = {"strings": "encode"}
"""Modules of `native/` whose functions are in a module of `python/` with another name."""

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
    # every call of the kernel comes here
    if sys.modules.get(f"{__name__}.native"):
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


NATIVE = Path(__path__[0], "native")
"""The folder of the compiled kernel. Extensions may have one more, in their `kernel/native/`."""


def compiled_files(folder: Path) -> list[Path]:
    """Return the compiled modules in a folder."""
    return [file for file in folder.glob("*") if file.suffix in (".so", ".pyd")]


def why_not_native() -> str:
    """Return why the compiled kernel is not used, and what to do, as a sentence.

    Returns an empty text if it is used, or the Python kernel was requested.
    """
    if name() == "native" or os.environ.get("PIPELINE_KERNEL") == "python":
        return ""
    if not compiled_files(NATIVE):
        return (
            f"There is no compiled kernel in {NATIVE}: "
            "install with a C compiler (`gec-pipeline help kernel`)."
        )
    try:
        import_module(".native", __name__)
    except ImportError as error:
        return f"The compiled kernel in {NATIVE} does not load: {error}."
    return ""


def stale() -> str:
    """Return what to do if a compiled kernel is older than its sources, else an empty text.

    It is a possible reason of any call that failed: functions of an old kernel may take other
    arguments. The kernels of extensions are looked at too.
    """
    if name() == "python":
        return ""
    package = NATIVE.parents[1]
    for folder in [NATIVE, *sorted(package.glob("extensions/*/kernel/native"))]:
        changed = []
        for file in compiled_files(folder):
            compiled_at = file.stat().st_mtime
            source = folder / f"{file.name.partition('.')[0]}.pyx"
            if source.exists() and source.stat().st_mtime > compiled_at:
                changed.append(source.name)
        if changed:
            return (
                f"the compiled kernel in {folder} is older than its sources "
                f"({', '.join(sorted(changed))}): build it again with "
                f"`python setup.py build_ext --inplace` in {package.parent}, "
                "or do without it: PIPELINE_KERNEL=python"
            )
    return ""


def function_of(
    kernel: str,
    function: str,
    module: str,
    package: str = __name__,
) -> Any:
    """Return a function of one kernel, "native" or "python".

    `module` is the module of `native/` that has it. `package` is the package that contains both
    kernels: this one, or one of an extension.
    """
    if kernel == "python":
        module = TWINS.get(module, module)
    return getattr(_imported(f"{package}.{kernel}.{module}"), function)


def native_function(
    function: str,
    module: str = "formulas",
    package: str = __name__,
) -> Callable[..., Any] | None:
    """Return a function that only the compiled kernel has; None if the Python kernel is used."""
    if name() == "python":
        return None
    compiled: Callable[..., Any] = function_of(
        "native", function, module, package
    )
    return compiled


def __getattr__(function: str) -> Any:
    """Return a function of the kernel that is used."""
    for module, functions in MODULES.items():
        if function in functions:
            return function_of(name(), function, module)
    raise AttributeError(f"module '{__name__}' has no attribute '{function}'")
