"""The sample that ships: the folders configs/ and data/ of the repository, which setup.py puts into the package."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError

PACKAGE = Path(__file__).parents[1]
FOLDERS = ("configs", "data")
FOR_EDITORS = b"# yaml-language-server: "
"""What a line begins with that names the schema of configs, which a copy of a config does not have beside it."""


def sample_files() -> dict[str, bytes]:
    """Return the contents of the sample's files by their paths; raises InputError where it was not installed."""
    for root in (PACKAGE / "sample", PACKAGE.parent):  # installed; in the repository
        if (root / "configs" / "quickstart.yaml").is_file():
            files = sorted(path for folder in FOLDERS for path in (root / folder).rglob("*") if path.is_file())
            return {path.relative_to(root).as_posix(): _without_schema(path.read_bytes()) for path in files}
    raise InputError("the sample was not installed with the package; it is in the repository, in configs/ and data/")


def _without_schema(content: bytes) -> bytes:
    return content.partition(b"\n")[2] if content.startswith(FOR_EDITORS) else content


def write_sample(folder: Path) -> None:
    """Write the sample into a new or empty folder; raises InputError where that cannot be."""
    files = sample_files()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise InputError(f"{folder}: is not empty; name another folder")
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
