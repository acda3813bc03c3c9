"""The door to the kernel, which exists twice: in Python and compiled.

`kernel.encode`, `kernel.overlap` and so on are the functions of the kernel that the environment
variable PIPELINE_KERNEL names: native, python, or auto, which takes the compiled one where it was
built. Type checkers see the functions of the Python kernel."""

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
"""The modules of `python/` that have the functions of modules of `native/` with another name than
theirs."""
_MODULE_OF = {function: module for module, functions in MODULES.items() for function in functions}


def name() -> str:
    """Return "native" or "python", whichever is used; raises ConfigError where the kernel asked for
    does not exist.
    """
    choice = os.environ.get("PIPELINE_KERNEL") or "auto"
    if choice not in CHOICES:
        hint = did_you_mean(choice, CHOICES)
        raise ConfigError(
            f"PIPELINE_KERNEL: expected one of {', '.join(CHOICES)}, found '{choice}'{hint}"
        )
    if choice != "python" and not sys.modules.get(
        f"{__name__}.native"
    ):  # it is asked for with every call
        try:
            import_module(".native", __name__)
        except ImportError as error:
            if choice == "native":
                raise ConfigError(
                    f"PIPELINE_KERNEL=native, but there is no compiled kernel: {error}"
                ) from None
            return "python"
    return "python" if choice == "python" else "native"


def why_not_native() -> str:
    """Return why the Python kernel is used, and what to do, where the choice was left open. Else
    return nothing.
    """
    if name() == "native" or os.environ.get("PIPELINE_KERNEL") == "python":
        return ""
    folder = Path(__path__[0], "native")
    if not [*folder.glob("*.so"), *folder.glob("*.pyd")]:
        return f"There is no compiled kernel in {folder}: install with a C compiler (`gec-pipeline help kernel`)."
    try:
        import_module(".native", __name__)
    except ImportError as error:
        return f"The compiled kernel in {folder} does not load: {error}."
    return ""


def stale() -> str:
    """Return what to do where the compiled kernel is older than its sources, as after a change of
    them. Else nothing.

    Who knows only that a call failed asks this: functions of an old kernel may take other
    arguments."""
    folder = Path(__path__[0], "native")
    built = [] if name() == "python" else [*folder.glob("*.so"), *folder.glob("*.pyd")]
    sources = {file: folder / f"{file.name.partition('.')[0]}.pyx" for file in built}
    old = [
        path.name
        for file, path in sources.items()
        if path.exists() and path.stat().st_mtime > file.stat().st_mtime
    ]
    if not old:
        return ""
    return (
        f"the compiled kernel in {folder} is older than its sources ({', '.join(sorted(old))}): build it again with "
        f"`python setup.py build_ext --inplace` in {folder.parents[2]}, or do without it: PIPELINE_KERNEL=python"
    )


def function_of(kernel: str, function: str, module: str) -> Any:
    """Return a function of one kernel, "native" or "python", by the module of `native/` that has
    it.
    """
    used = f"{__name__}.{kernel}.{TWINS.get(module, module) if kernel == 'python' else module}"
    return getattr(_imported(used), function)


_imported = cache(
    import_module
)  # whole: what another thread still imports may have classes before what they need


def native_function(function: str, module: str = "formulas") -> Callable[..., Any] | None:
    """Return a function that the compiled kernel alone has, or None where the Python kernel is
    used.
    """
    return function_of("native", function, module) if name() == "native" else None


def __getattr__(function: str) -> Any:
    """Return a function of the kernel that is used."""
    if function not in _MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{function}'")
    return function_of(name(), function, _MODULE_OF[function])
