"""The manifest of a run directory, run.json: it marks the folder as the program's, and lists the files in it.

Only listed files are ever deleted. A manifest may be damaged, or come from a stranger. So the program only believes
names that a run could have given to files, and never follows links.
"""

from __future__ import annotations

import json
import os
import platform
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._version import __version__
from ...errors import StoreError
from ...io.safe_files import open_regular, parse_json, read_json, write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable

MANIFEST = "run.json"
PROGRAM = "gec-pipeline"
_BEGINNING = f'{{\n "program": "{PROGRAM}'.encode()
_NAME = r"[A-Za-z0-9=][A-Za-z0-9._+=-]*"
_FILE = re.compile(f"{_NAME}|statistics/{_NAME}/{_NAME}")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the content of run.json, in which "files" is a list of names that a run could have given.

    The content is empty where there is no run.json, or one whose end is missing. Raises StoreError where run.json
    cannot be read, or another program wrote it.
    """
    path = folder / MANIFEST
    try:
        content = read_json(path)
    except FileNotFoundError:
        return {}
    except ValueError:
        if _cut_short(path):
            return {}
        content = None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    if not isinstance(content, dict) or not str(content.get("program")).startswith(PROGRAM):
        raise StoreError(
            f"{path}: is not of this program, or damaged; delete the folder if it is yours, or name another"
        )
    files = content.get("files")
    return {**content, "files": [name for name in files if is_file_name(name)] if isinstance(files, list) else []}


def _cut_short(path: Path) -> bool:
    """Whether a manifest that is not valid JSON begins like those of this program."""
    with open_regular(path) as file:
        start = file.read(len(_BEGINNING))
    return _BEGINNING.startswith(start)


def write_manifest(folder: Path, content: dict[str, Any], files: Iterable[str]) -> None:
    """Write run.json; raises StoreError."""
    whole = {"program": f"{PROGRAM} {__version__}", **content, "files": sorted(files)}
    write_atomic(folder / MANIFEST, json.dumps(whole, indent=1).encode() + b"\n")


def other_config(manifest: dict[str, Any], about: dict[str, Any]) -> str | None:
    """Return the config that a run directory belongs to, if it is about other data than the manifest-to-be says.

    A config with a data set of the same name goes on with the work of the earlier one. One that was moved or copied is
    the same: the earlier file is gone, or says the same.
    """
    theirs, own = manifest.get("config"), about.get("config")
    if not isinstance(theirs, str) or not isinstance(own, str) or manifest.get("written") == about.get("written"):
        return None
    if _data_sets(manifest) & _data_sets(about):
        return None
    return theirs if Path(theirs).is_file() and not Path(theirs).samefile(own) else None


def _data_sets(manifest: dict[str, Any]) -> set[str]:
    """Return the names of the data sets of the config in a manifest."""
    written = manifest.get("written")
    names = written.get("datasets") if isinstance(written, dict) else None
    return set(names) if isinstance(names, dict) else set()


def running() -> dict[str, object]:
    """Return what the manifest says of a run that has not ended."""
    since = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    return {"state": "running", "pid": os.getpid(), "host": platform.node(), "since": since}


def surroundings() -> dict[str, object]:
    """Return what the manifest says of where and when a run ended."""
    return {
        "command": sys.argv,
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "numpy": sys.modules["numpy"].__version__,
        "platform": platform.platform(),
    }


LONGEST_NAME = 255
"""How many bytes file systems allow a file's name; a longer one in a manifest is of no run."""


def holder(folder: Path) -> str:
    """Return which process works in a folder, according to its manifest."""
    try:
        content = parse_json((folder / MANIFEST).read_bytes())
        return f"process {int(content['pid'])} on {str(content['host'])[:99]}, since {str(content['since'])[:99]}"
    except (OSError, ValueError, KeyError, TypeError):
        return "its run.json does not say who"


def is_file_name(name: object) -> bool:
    """Whether a run could have given this name to a file; such names never lead out of the folder."""
    if not isinstance(name, str) or not _FILE.fullmatch(name) or name in ("unfinished", "statistics"):
        return False
    return all(len(part.encode("utf-8", "surrogatepass")) <= LONGEST_NAME for part in name.split("/"))


def deletable(folder: Path, names: Iterable[str]) -> list[Path]:
    """Return the files with these names that exist. Folders, and files in folders that are links, are left out."""
    paths = []
    for name in sorted(names):
        path = folder / name
        parents = [folder / Path(*Path(name).parts[:depth]) for depth in range(1, len(Path(name).parts))]
        if is_file_name(name) and not any(parent.is_symlink() for parent in parents):
            paths += [path] if path.is_symlink() or path.is_file() else []
    return paths
