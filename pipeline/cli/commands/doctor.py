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

NO_PART = frozenset({"all", "data", "test", "bench", "site"})
"""Extras that are made of others, or are for those who develop the program."""


def run(_: argparse.Namespace) -> int:
    """Print the versions; return 2 where a package that is needed is missing."""
    from ... import kernel

    print(f"gec-pipeline  {__version__}")
    print(f"python        {platform.python_version()} on {platform.platform()}")
    print(f"processors    {os.cpu_count()}")
    print(
        f"kernel        {kernel.name()} (PIPELINE_KERNEL={os.environ.get('PIPELINE_KERNEL') or 'auto'})"
    )
    reason = kernel.why_not_native() or kernel.stale()
    if reason:
        print(f"{'':<13} {reason}")
    print(f"package       {Path(str(kernel.__file__)).parents[1]}")
    needed, extras = _packages()
    for name in needed:
        print(f"{name:<13} {_version(name) or 'MISSING: pip install ' + name}")
    notes = {name: note for name, _, note in contributions("package_notes")}
    print("\noptional packages:")
    for extra, packages in extras.items():
        print(f"pip install 'gec-pipeline[{extra}]'")
        for name in packages:
            print(f"  {name:<15} {_version(name) or 'not installed'}")
        if extra in notes:
            print(f"  {notes[extra]}")
    return 2 if None in map(_version, needed) else 0


def _packages() -> tuple[list[str], dict[str, list[str]]]:
    """Return the packages that are needed, and those of each extra, as the installed package names
    them.
    """
    needed, extras = list[str](), dict[str, list[str]]()
    for requirement in metadata.requires("gec-pipeline") or ():
        named, extra = (
            re.match(r"[\w.-]+", requirement),
            re.search(r'extra == "(\w+)"', requirement),
        )
        if named and not extra:
            needed.append(named[0])
        elif named and extra and extra[1] not in NO_PART:
            extras.setdefault(extra[1], []).append(named[0])
    return needed, extras


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
