"""A run directory at an address: the run works in a local folder, and the files that changed are sent at the end.

A run appends and renames files, which object stores cannot do. So the local folder is the run directory, with its
lock. The address gets the files when a run ends or is interrupted. run.json is sent last, so that a reader of a
directory that was not sent completely sees an unfinished run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import CorpusError, StoreError
from ...io.remote import Remote, RemoteStamp, expanded, home, is_remote, tried
from ...io.safe_files import read_json, write_atomic
from .counts import UNFINISHED, is_part
from .run_directory import MANIFEST, is_file_name, read_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    T = TypeVar("T")
    Stamps = dict[str, list[Any]]

READ_ONLY = ("http", "https")
RENAMED = ("hdfs", "webhdfs")
"""Kinds of addresses where readers see files that are half written: a file gets its name when it is complete."""


def folder_of(address: str | Path, *, new: bool = False) -> Path:
    """Return the local folder of a run directory that is only read; files at an address are fetched into it.

    Raises StoreError where the files cannot be fetched, or no run wrote them. `new` says that there need not be any.
    """
    if not is_remote(str(address)):
        return Path(expanded(str(address)))
    mirror = Mirror(Remote(str(address)))
    mirror.fetch()
    if not new and not (mirror.folder / MANIFEST).exists():
        raise StoreError(f"{mirror.there}: has no {MANIFEST}, so no run of this program made it")
    return mirror.folder


@contextlib.contextmanager
def mirrored(address: str | Path) -> Iterator[Path]:
    """Yield the folder to work in. Files at an address are fetched first, and sent at the end, even after an error."""
    if not is_remote(str(address)):
        yield Path(expanded(str(address)))
        return
    mirror = Mirror(Remote(str(address)))
    mirror.fetch()
    try:
        yield mirror.folder
    finally:
        mirror.send()


class Mirror:
    """A local folder, and an address that has or gets the same files.

    A small file beside the folder lists the size and time of each file when both sides were last the same.
    """

    def __init__(self, there: Remote) -> None:
        """Find the folder in the user's cache; raises StoreError for an address to which nothing can be written."""
        if there.scheme in READ_ONLY:
            raise StoreError(
                f"{there}: an HTTP server takes no files; name a folder, or one at s3://, gs://, hdfs:// ..."
            )
        self.there = Remote(there.url.rstrip("/"))
        cache = Path(os.environ.get("XDG_CACHE_HOME") or home() / ".cache") / "gec-pipeline" / "runs"
        name = hashlib.blake2b(self.there.url.encode(), digest_size=8).hexdigest()
        self.folder, self._notes = cache / name, cache / f"{name}.json"

    def fetch(self) -> None:
        """Fetch the files that changed at the address since both sides were the same, or are missing in the folder."""
        before, stamps = self._noted("there"), self._find()
        for name in sorted(stamps, key=lambda name: name == MANIFEST):
            here = self.folder / name
            if not here.exists() or before.get(name) != stamps[name]:
                here.parent.mkdir(parents=True, exist_ok=True)
                self._tried(lambda system, root, name=name, to=here: system.get_file(f"{root}/{name}", str(to)))  # type: ignore[misc]
        self._note(stamps)

    def send(self) -> None:
        """Send the files that changed in the folder since both sides were the same, and delete those that are gone.

        Unfinished work is sent first, run.json last.
        """

        def put(system: Any, root: str) -> None:
            there = f"{root}/{name}"
            if self.there.scheme not in RENAMED:
                system.put_file(str(self.folder / name), there)
                return
            system.makedirs(there.rpartition("/")[0], exist_ok=True)
            system.put_file(str(self.folder / name), f"{there}.tmp")
            if system.exists(there):
                system.rm_file(there)
            system.mv(f"{there}.tmp", there)

        before, stamps = self._noted("here"), self._find()
        unfinished = self.folder / UNFINISHED
        parts = sorted(path.name for path in unfinished.iterdir()) if unfinished.is_dir() else []
        written = [*read_manifest(self.folder).get("files", []), MANIFEST]
        names = [*(f"{UNFINISHED}/{part}" for part in parts if is_part(part)), *dict.fromkeys(written)]
        names = [name for name in names if (self.folder / name).is_file()]
        for name in names:
            if name not in stamps or before.get(name) != self._stamp(name):
                self._tried(put)
        for name in stamps.keys() - set(names):
            self._tried(lambda system, root, name=name: system.rm_file(f"{root}/{name}"))  # type: ignore[misc]
        self._note(self._find())

    def _find(self) -> Stamps:
        """Return the stamps of the files at the address that a run may have written."""

        def find(system: Any, root: str) -> Stamps:
            system.invalidate_cache()
            try:
                listed: Mapping[str, Any] = system.find(root, detail=True)
            except FileNotFoundError:
                return {}
            stamps = {path.removeprefix(root).lstrip("/"): list(RemoteStamp.of(item)) for path, item in listed.items()}
            unfinished = f"{UNFINISHED}/"
            return {
                name: stamp
                for name, stamp in stamps.items()
                if is_file_name(name) or (name.startswith(unfinished) and is_part(name.removeprefix(unfinished)))
            }

        return self._tried(find)

    def _stamp(self, name: str) -> list[Any]:
        status = (self.folder / name).stat()
        return [status.st_size, status.st_mtime_ns]

    def _noted(self, side: str) -> Stamps:
        """Return the stamps of the files on one side (here or there) when both sides were last the same."""
        with contextlib.suppress(OSError, ValueError, StoreError, KeyError, TypeError):
            return dict(read_json(self._notes)[side])
        return {}

    def _note(self, there: Stamps) -> None:
        here = {name: self._stamp(name) for name in there if (self.folder / name).is_file()}
        write_atomic(self._notes, json.dumps({"there": there, "here": here}).encode())

    def _tried(self, call: Callable[[Any, str], T]) -> T:
        try:
            return tried(self.there, call)
        except CorpusError as error:
            message = f"{error.problems[0].message}; what was done is in {self.folder}, and the same command goes on"
            raise StoreError(f"{self.there}: {message}") from None
