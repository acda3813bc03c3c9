"""Print versions, kernel and optional parts of this installation.

Please put the output into a bug report.

examples:
  gec-pipeline doctor
"""

import argparse
import os
import platform
import re
from importlib import metadata
from pathlib import Path

from ..._version import __version__
from ...extension import contributions

NOT_LISTED = frozenset({"all", "data", "test", "bench", "site"})
"""Extras that consist of others, or are for developers."""


def run(_: argparse.Namespace) -> int:
    """Print the versions; return 2 if a required package is missing."""
    from ... import kernel

    print(f"gec-pipeline  {__version__}")
    print(f"python        {platform.python_version()} on {platform.platform()}")
    print(f"processors    {os.cpu_count()}")
    choice = os.environ.get("PIPELINE_KERNEL") or "auto"
    print(f"kernel        {kernel.name()} (PIPELINE_KERNEL={choice})")
    reason = kernel.why_not_native() or kernel.stale()
    if reason:
        print(f"{'':<13} {reason}")
    print(f"package       {Path(str(kernel.__file__)).parents[1]}")
    required, extras = _packages()
    for name in required:
        print(f"{name:<13} {_version(name) or 'MISSING: pip install ' + name}")
    notes = {name: note for name, _, note in contributions("package_notes")}
    print("\noptional packages:")
    for extra, packages in extras.items():
        print(f"pip install 'gec-pipeline[{extra}]'")
        for name in packages:
            print(f"  {name:<15} {_version(name) or 'not installed'}")
        if extra in notes:
            print(f"  {notes[extra]}")
    return 2 if None in map(_version, required) else 0


def _packages() -> tuple[list[str], dict[str, list[str]]]:
    """Return the required packages, and those of each extra, from the package's metadata."""
    required: list[str] = []
    extras: dict[str, list[str]] = {}
    for requirement in metadata.requires("gec-pipeline") or ():
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r'extra == "(\w+)"', requirement)
        if not name:
            continue
        if not extra:
            required.append(name[0])
        elif extra[1] not in NOT_LISTED:
            extras.setdefault(extra[1], []).append(name[0])
    return required, extras


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
