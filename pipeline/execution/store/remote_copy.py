"""A run directory at an address: the work is done in a folder here, and what changed there is sent at the end.

Object stores neither append nor rename, and a run writes each shard as it comes: so the folder here is the run
directory, with its lock and all it promises, and the address has what was there when a run last ended or was
interrupted. run.json is sent last: whoever reads what was not sent whole finds it unfinished.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import CorpusError, StoreError
from ...io.remote import Remote, RemoteStamp, is_remote, tried
from ...io.safe_files import read_json, write_atomic
from .manifest import MANIFEST, is_file_name, read_manifest
from .unfinished import UNFINISHED, is_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    T = TypeVar("T")
    Stamps = dict[str, list[Any]]

READ_ONLY = ("http", "https")
RENAMED = ("hdfs", "webhdfs")
"""Kinds that show half a file while it is written: it gets its name when it is whole."""


def folder_of(place: str | Path, *, new: bool = False) -> Path:
    """Return the folder of a run directory that is only read; one at an address is brought here. Raises StoreError.

    new: it need not be there yet.
    """
    if not is_remote(str(place)):
        return Path(place)
    mirror = Mirror(Remote(str(place)))
    mirror.fetch()
    if not new and not (mirror.folder / MANIFEST).exists():
        raise StoreError(f"{mirror.there}: has no {MANIFEST}, so no run of this program made it")
    return mirror.folder


@contextlib.contextmanager
def mirrored(place: str | Path) -> Iterator[Path]:
    """Give the folder to work in: for an address one whose files are brought first, and sent at the end, however."""
    if not is_remote(str(place)):
        yield Path(place)
        return
    mirror = Mirror(Remote(str(place)))
    mirror.fetch()
    try:
        yield mirror.folder
    finally:
        mirror.send()


class Mirror:
    """A folder here, and an address that has or gets the same files. A small file beside it tells what both had."""

    def __init__(self, there: Remote) -> None:
        """Name the folder: in the user's cache, by a digest of the address. Raises StoreError for what is only read."""
        if there.scheme in READ_ONLY:
            raise StoreError(
                f"{there}: an HTTP server takes no files; name a folder, or one at s3://, gs://, hdfs:// ..."
            )
        self.there = Remote(there.url.rstrip("/"))
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gec-pipeline" / "runs"
        name = hashlib.blake2b(self.there.url.encode(), digest_size=8).hexdigest()
        self.folder, self._notes = cache / name, cache / f"{name}.json"

    def fetch(self) -> None:
        """Bring the files that are another there than when both were last the same, or are not here."""
        before, found = self._noted("there"), self._find()
        for name in sorted(found, key=lambda name: name == MANIFEST):
            here = self.folder / name
            if not here.exists() or before.get(name) != found[name]:
                here.parent.mkdir(parents=True, exist_ok=True)
                self._get(name, here)
        self._note(found)

    def send(self) -> None:
        """Send the files that are another here than when both were last the same; delete there what is not here."""
        before, found = self._noted("here"), self._find()
        names = self._names()
        for name in names:
            if name not in found or before.get(name) != self._stamp(name):
                self._put(name)
        for name in found.keys() - set(names):
            self._tried(lambda system, root, name=name: system.rm_file(f"{root}/{name}"))  # type: ignore[misc]
        self._note(self._find())

    def _names(self) -> list[str]:
        """Return the files here that a run wrote: unfinished work first, run.json last."""
        unfinished = self.folder / UNFINISHED
        parts = sorted(path.name for path in unfinished.iterdir()) if unfinished.is_dir() else []
        listed = [*read_manifest(self.folder).get("files", []), MANIFEST]
        names = [*(f"{UNFINISHED}/{name}" for name in parts if is_part(name)), *dict.fromkeys(listed)]
        return [name for name in names if (self.folder / name).is_file()]

    def _find(self) -> Stamps:
        """Return the files there that may be a run's, with their stamps."""

        def find(system: Any, root: str) -> Stamps:
            system.invalidate_cache()
            try:
                listed: Mapping[str, Any] = system.find(root, detail=True)
            except FileNotFoundError:
                return {}
            found = {path.removeprefix(root).lstrip("/"): list(RemoteStamp.of(item)) for path, item in listed.items()}
            return {name: stamp for name, stamp in found.items() if _may_be_ours(name)}

        return self._tried(find)

    def _get(self, name: str, here: Path) -> None:
        self._tried(lambda system, root: system.get_file(f"{root}/{name}", str(here)))

    def _put(self, name: str) -> None:
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

        self._tried(put)

    def _stamp(self, name: str) -> list[Any]:
        found = (self.folder / name).stat()
        return [found.st_size, found.st_mtime_ns]

    def _noted(self, side: str) -> Stamps:
        """Return the stamps of the files on one side when both sides were last the same."""
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


def _may_be_ours(name: str) -> bool:
    folder, _, last = name.rpartition("/")
    return is_file_name(name) or (folder == UNFINISHED and is_part(last))
