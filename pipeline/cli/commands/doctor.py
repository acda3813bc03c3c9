"""Tell versions, kernel and optional parts of this installation; put its output into a bug report.

examples:
  gec-pipeline doctor
"""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

REQUIRED = ("numpy", "pydantic", "pyyaml", "rich", "joblib", "filelock")
OPTIONAL: dict[str, str] = {
    "pooch": "data fetch from the web",
    "jinja2": "report.html",
    "matplotlib": "plots",
    "pandas": "Result.to_pandas()",
    "pyarrow": "Parquet files",
    "zstandard": ".zst files",
    "fsspec": "texts and run directories at addresses",
    "distributed": "dask clusters",
    "ray": "ray clusters",
    "joblibspark": "spark clusters",
}


def configure(_: argparse.ArgumentParser) -> None:
    """There are no arguments."""


def run(_: argparse.Namespace) -> int:
    """Print what is there; return 2 where a part that is needed is missing."""
    from ... import kernel
    from ..._version import __version__

    print(f"gec-pipeline  {__version__}")
    print(f"python        {platform.python_version()} on {platform.platform()}")
    print(f"processors    {os.cpu_count()}")
    chosen = os.environ.get("PIPELINE_KERNEL") or "auto"
    print(f"kernel        {kernel.name()} (PIPELINE_KERNEL={chosen})")
    reason = kernel.why_not_native()
    if reason:
        print(f"{'':<13} {reason}")
    print(f"package       {Path(str(kernel.__file__)).parents[1]}")
    missing = [name for name in REQUIRED if _version(name) is None]
    for name in REQUIRED:
        print(f"{name:<13} {_version(name) or 'MISSING: pip install ' + name}")
    for name, use in OPTIONAL.items():
        print(f"{name:<13} {_version(name) or 'not installed (optional)'}, for {use}")
    return 2 if missing else 0


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
