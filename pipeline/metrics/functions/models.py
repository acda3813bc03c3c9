"""Files and models that metrics are given: their digests, and models of the Hugging Face hub on
this computer.

A model is a folder, or a name of the hub that is in its cache. Nothing is fetched unless a command
has --download."""

import json
import re
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from hashlib import file_digest, sha256
from importlib.util import find_spec
from pathlib import Path
from struct import pack
from typing import Any

from ...errors import ConfigError
from ...files.content_cache import DIGESTS, ContentCache
from ...files.remote import expanded
from ...files.safe_files import open_regular

HUB = "hub:"
"""What stands before a name of the hub, so that it is never taken for a folder."""
_NAME = re.compile(r"(?:hub:)?(\w[\w.-]*(?:/\w[\w.-]*)?(?:@[\w./-]+)?)")
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
DECIDING = (
    *TOKENIZER,
    "config.json",
    "hparams.yaml",
    "*.ckpt",
    "vocab.txt",
    "vocab.json",
    "merges.txt",
    "*.model",
)
"""The files that numbers depend on, beside the weights: *.safetensors, or else pytorch_model*.bin.
"""
WEIGHTS = (".safetensors", ".bin", ".ckpt")
_download: list[None] = []
"""Not empty where models that are missing are fetched."""


def allow_download() -> None:
    """Have models be fetched from now on that are not there."""
    _download.append(None)
    located.cache_clear()


def resolved(text: str, base: Path) -> str:
    """Return the path of a folder that is there, or a name of the hub behind HUB. Raises
    ConfigError.
    """
    path = (base / expanded(text, base)).absolute()
    if not text.startswith(HUB) and path.is_dir():
        return str(path)
    if not (name := _NAME.fullmatch(text)):
        raise ConfigError(
            f"there is no folder {path}; expected a folder, owner/name or owner/name@REVISION"
        )
    return f"{HUB}{name[1]}"


@lru_cache(256)
def located(text: str) -> Path | None:
    """Return the folder of what resolved() returned; None where it is not in the cache. Raises
    ConfigError.
    """
    if not text.startswith(HUB) or find_spec("huggingface_hub") is None:
        return None if text.startswith(HUB) else Path(text)
    from huggingface_hub import HfApi, snapshot_download, try_to_load_from_cache

    name, _, revision = text.removeprefix(HUB).partition("@")
    given: dict[str, Any] = {"repo_id": name, "revision": revision or None}
    with suppress(ValueError):  # no such name can be
        for file in ("config.json", "hparams.yaml"):  # of transformers, of COMET
            found = try_to_load_from_cache(filename=file, **given)
            if isinstance(found, str) and any(
                path.suffix in WEIGHTS for path in Path(found).parent.rglob("*")
            ):
                return Path(found).parent
    if not _download:
        return None
    try:
        info: Any = HfApi().model_info(**given, files_metadata=True)
        sizes = {each.rfilename: each.size or 0 for each in info.siblings or ()}
        chosen, licence = _chosen(sizes), (info.card_data or {}).get("license") or "not said"
        megabytes = sum(map(sizes.__getitem__, chosen)) / 1e6
        sys.stderr.write(f"{name}: is fetched ({megabytes:,.0f} MB, licence: {licence})\n")
        return Path(snapshot_download(**given, allow_patterns=chosen))
    except Exception as error:  # noqa: BLE001 (errors of the network come from several packages)
        raise ConfigError(
            f"{name}: cannot be fetched: {str(error).strip().partition(chr(10))[0]}"
        ) from None


def missing(metric: str, text: str) -> str:
    """Return the message for a model that is not there."""
    name = text.removeprefix(HUB)
    what = f"{metric}: there is no folder {name}, and no model of this name in the cache of the Hugging Face hub"
    return f"{what}; --download fetches it, and says its size and licence before"


def _chosen(names: Iterable[str]) -> list[str]:
    """Return the files that decide numbers, in order."""
    paths = [Path(name) for name in sorted(names)]
    weights = (
        "*.safetensors"
        if any(path.suffix == ".safetensors" for path in paths)
        else "pytorch_model*.bin"
    )
    return [
        path.as_posix()
        for path in paths
        if any(path.match(pattern) for pattern in (*DECIDING, weights))
    ]


def model_digest(folder: Path) -> str:
    """Return a SHA-256 over the files that numbers depend on, each as name, length and content.
    Raises ConfigError.

    Lengths, also that of the name before it, are 8 bytes, the highest first.
    """
    files = []
    for name in _chosen(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    ):
        size = (folder / name).stat().st_size
        files.append(
            (pack(">Q", len(name.encode())) + name.encode() + pack(">Q", size), folder / name)
        )
    return _digest(*files)


def name_of(folder: Path) -> str:
    """Return what a model is called: owner/name of the hub, or the name of its folder."""
    if folder.parent.name == "snapshots":
        return folder.parents[1].name.removeprefix("models--").replace("--", "/")
    return folder.name


@lru_cache(64)
def special_pieces(folder: Path) -> frozenset[str]:
    """Return the pieces that mean more to a model than text, such as [SEP]."""
    special: set[str] = set()
    for file in (file for name in TOKENIZER for file in folder.rglob(name)):
        given = json.loads(file.read_text(encoding="utf-8"))
        added = [*given.get("added_tokens", ()), *given.get("added_tokens_decoder", {}).values()]
        named = [value for key, value in given.items() if key.endswith("_token") and value]
        own = [*(each for each in added if each.get("special")), *named]
        special.update(each["content"] if isinstance(each, dict) else str(each) for each in own)
    return frozenset(special)


@lru_cache(64)
def has_bytes(folder: Path) -> bool:
    """Return whether the pieces of a model are of bytes, so that the blank before a word belongs to
    it.
    """
    file = folder / TOKENIZER[0]
    return (
        '"ByteLevel"' in file.read_text(encoding="utf-8")
        if file.is_file()
        else (folder / "merges.txt").is_file()
    )


# --- digests of files


LARGE = 1 << 24
"""Bytes of a file from which its digest is kept on this computer, so that not every command reads
it."""
SETTLED = 2_000_000_000
"""Nanoseconds after which a file that is written again has another time than before, whatever the
file system is."""


def _digest(*files: tuple[bytes, Path]) -> str:
    """Return the SHA-256 of files, each behind some bytes. Raises ConfigError."""
    try:
        states = [(before, str(path.absolute()), path.stat()) for before, path in files]
        return _content(
            tuple((*each, info.st_size, info.st_mtime_ns, info.st_ino) for *each, info in states)
        )
    except OSError as error:
        raise ConfigError(f"{error.filename}: cannot be read: {error.strerror}") from None


@lru_cache(256)
def _content(files: tuple[Any, ...]) -> str:
    """Return the SHA-256 of files: what stands before, the path, and three numbers that say which
    contents it has.
    """
    cache, hashed = ContentCache(DIGESTS), sha256()
    key = sha256(repr(files).encode()).digest()
    is_large = sum(size for _, _, size, _, _ in files) >= LARGE
    if is_large and (kept := cache.read([key])):
        return kept[key].decode()
    for before, path, *_ in files:
        hashed.update(before)
        with open_regular(Path(path), links=True) as file:
            file_digest(file, lambda: hashed)
    if is_large and time.time_ns() - max(changed for _, _, _, changed, _ in files) > SETTLED:
        cache.write({key: hashed.hexdigest().encode()})
    return hashed.hexdigest()


def content_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the files of a folder with their names, in order. Raises
    ConfigError.
    """
    if path.is_dir():
        inside = sorted(each for each in path.rglob("*") if each.is_file())
        parts = [f"{each.relative_to(path).as_posix()} {content_digest(each)}" for each in inside]
        return sha256("\n".join(parts).encode()).hexdigest()
    return _digest((b"", path))
