"""Print versions, kernel and optional parts of this installation.

Please put the output into a bug report.

examples:
  gec-pipeline doctor
"""

from __future__ import annotations

import os
import platform
from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

REQUIRED = ("numpy", "pydantic", "pyyaml", "rich", "joblib", "filelock")
"""Packages without which nothing runs."""
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
"""Packages that only some features need, and these features."""


def configure(_: argparse.ArgumentParser) -> None:
    """Declare nothing: there are no arguments."""


def run(_: argparse.Namespace) -> int:
    """Print the versions; return 2 where a package that is needed is missing."""
    from ... import kernel
    from ..._version import __version__

    print(f"gec-pipeline  {__version__}")
    print(f"python        {platform.python_version()} on {platform.platform()}")
    print(f"processors    {os.cpu_count()}")
    setting = os.environ.get("PIPELINE_KERNEL") or "auto"
    print(f"kernel        {kernel.name()} (PIPELINE_KERNEL={setting})")
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
