"""Builds the wheel twice, in folders with other names, and compares their bytes: `python -m tests.tools.same_wheels`.

What is committed is built. The exit code is 1 where the wheels differ, and the names of the files that do are printed.
It takes some minutes, and needs a C compiler, pip, and the packages under `build-system` in pyproject.toml.
"""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATE = "1577836800"
"""The date of the files in a wheel (SOURCE_DATE_EPOCH), as in .github/workflows/wheels.yml."""


def built(folder: Path) -> Path:
    """Return the wheel of what is committed, built in a folder."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder / "source", filter="data")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), "."]
    subprocess.run(command, cwd=folder / "source", env={**os.environ, "SOURCE_DATE_EPOCH": DATE}, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def differing(one: Path, two: Path) -> list[str]:
    """Return the names of the files that are not the same in two wheels, or the wheels themselves."""
    if one.read_bytes() == two.read_bytes():
        return []
    with zipfile.ZipFile(one) as first, zipfile.ZipFile(two) as second:
        names = sorted({*first.namelist(), *second.namelist()})
        both = {*first.namelist()} & {*second.namelist()}
        return [name for name in names if name not in both or first.read(name) != second.read(name)] or [one.name]


def main() -> int:
    """Build and compare; return the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / "one", Path(folder) / "another" / "folder"]
        for place in places:
            place.mkdir(parents=True)
        one, two = map(built, places)
        names = differing(one, two)
        sums = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in (one, two)]
    print(*names, sep="\n", end="\n" if names else "")
    print(f"{one.name}: {'the same bytes twice' if not names else 'differs'}: {' '.join(dict.fromkeys(sums))}")
    return bool(names)


if __name__ == "__main__":
    sys.exit(main())
