"""The door to the kernel, which exists twice: in Python and compiled.

`kernel.encode`, `kernel.overlap` and so on are the functions of the kernel that the environment variable
PIPELINE_KERNEL names: native, python, or auto, which takes the compiled one where it was built. Type checkers see the
functions of the Python kernel.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from .packed_numbers import plane_sums as plane_sums
    from .python.draws import Drawer as Drawer
    from .python.draws import add_draws as add_draws
    from .python.draws import pass_draws as pass_draws
    from .python.edit_rate import edit_rate as edit_rate
    from .python.encode import encode as encode
    from .python.gold_records import gold_records as gold_records
    from .python.lcs import lcs as lcs
    from .python.lcs import union_lcs as union_lcs
    from .python.lcs import weighted_lcs as weighted_lcs
    from .python.lcs import weighted_union as weighted_union
    from .python.max_match import max_match as max_match
    from .python.overlap import overlap as overlap
    from .python.prepared import Prepared as Prepared
    from .python.skip import skip_bigrams as skip_bigrams
    from .python.three_way import three_way as three_way
    from .python.three_way import three_way_columns as three_way_columns
    from .python.words import words as words

CHOICES = ("auto", "native", "python")


def name() -> str:
    """Return "native" or "python", whichever is used; raises ConfigError where the kernel asked for does not exist."""
    choice = os.environ.get("PIPELINE_KERNEL") or "auto"
    if choice not in CHOICES:
        hint = did_you_mean(choice, CHOICES)
        raise ConfigError(f"PIPELINE_KERNEL: expected one of {', '.join(CHOICES)}, found '{choice}'{hint}")
    if choice != "python" and sys.modules.get(f"{__name__}.native"):
        return "native"  # it is asked for with every call of the kernel
    if choice != "python":
        try:
            import_module(".native", __name__)
        except ImportError as error:
            if choice == "native":
                raise ConfigError(f"PIPELINE_KERNEL=native, but there is no compiled kernel: {error}") from None
            return "python"
    return "python" if choice == "python" else "native"


def why_not_native() -> str:
    """Return why the Python kernel is used, and what to do, where the choice was left open. Else return nothing."""
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


def formula(function: str, of: str = "formulas") -> Callable[..., Any] | None:
    """Return a function of `native/formulas.pyx` or `native/sums.pyx`, or None where the Python kernel is used."""
    if name() != "native":
        return None
    ready: Callable[..., Any] | None = getattr(sys.modules.get(f"{__name__}.native.{of}"), function, None)
    return ready or getattr(import_module(f".native.{of}", __name__), function)


def __getattr__(function: str) -> Any:
    """Return a function of the kernel that is used."""
    if function.startswith("__"):
        raise AttributeError(function)
    used = f"{__name__}.{name()}"
    ready = getattr(sys.modules.get(used), function, None)  # None where another thread is still importing it
    return ready or getattr(import_module(used), function)
