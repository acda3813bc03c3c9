"""Files and models that metrics use: their digests, and models of the Hugging Face hub on this
computer.

A model is a folder, or a name of the hub that is in its cache. Models are downloaded only if a
command has --download.
"""

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
from typing import Any, NamedTuple

from pipeline.errors import ConfigError
from pipeline.files import WrittenPath, open_regular

from .content_cache import ContentCache

HUB = "hub:"
"""The prefix of a name of the hub, so that it is never taken for a folder."""
_NAME = re.compile(r"(?:hub:)?(\w[\w.-]*(?:/\w[\w.-]*)?(?:@[\w./-]+)?)")
TOKENIZER = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
)
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
CONFIGURATIONS = ("config.json", "hparams.yaml")
"""The files of which a downloaded model has one."""
WEIGHTS = (".safetensors", ".bin", ".ckpt")
"""The suffixes of weights."""
_download_allowed = False
"""Whether missing models are downloaded."""


def allow_download() -> None:
    """Download missing models from now on."""
    global _download_allowed  # noqa: PLW0603 (an option of the whole process)
    _download_allowed = True
    located.cache_clear()


def resolved(text: str, base: Path) -> str:
    """Return the path of an existing folder, or a name of the hub behind HUB.

    Raises ConfigError if the text is neither.
    """
    path = (base / WrittenPath(text).expanded(base)).absolute()
    if not text.startswith(HUB) and path.is_dir():
        return str(path)
    name = _NAME.fullmatch(text)
    if not name:
        expected = "expected a folder, owner/name or owner/name@REVISION"
        raise ConfigError(f"there is no folder {path}; {expected}")
    return f"{HUB}{name[1]}"


@lru_cache(256)
def located(text: str) -> Path | None:
    """Return the folder of a model that resolved() returned, or None if it is not in the cache.

    Raises ConfigError if a download fails.
    """
    if not text.startswith(HUB):
        return Path(text)
    if find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import HfApi, snapshot_download, try_to_load_from_cache

    name, _, revision = text.removeprefix(HUB).partition("@")
    model: dict[str, Any] = {"repo_id": name, "revision": revision or None}
    with suppress(ValueError):  # raised for an impossible name
        for file in CONFIGURATIONS:
            cached = try_to_load_from_cache(filename=file, **model)
            if isinstance(cached, str):
                folder = Path(cached).parent
                if any(path.suffix in WEIGHTS for path in folder.rglob("*")):
                    return folder
    if not _download_allowed:
        return None
    try:
        info: Any = HfApi().model_info(**model, files_metadata=True)
        sizes = {}
        for each in info.siblings or ():
            sizes[each.rfilename] = each.size or 0
        files = _deciding(sizes)
        licence = (info.card_data or {}).get("license") or "not said"
        megabytes = sum(sizes[file] for file in files) / 1e6
        sys.stderr.write(
            f"{name}: is fetched ({megabytes:,.0f} MB, licence: {licence})\n"
        )
        return Path(snapshot_download(**model, allow_patterns=files))
    except Exception as error:  # noqa: BLE001 (errors of the network come from several packages)
        reason = str(error).strip().partition("\n")[0]
        raise ConfigError(f"{name}: cannot be fetched: {reason}") from None


def missing(metric: str, text: str) -> str:
    """Return the message for a model that is not available."""
    name = text.removeprefix(HUB)
    hub = "no model of this name in the cache of the Hugging Face hub"
    remedy = "--download fetches it, and says its size and licence before"
    return f"{metric}: there is no folder {name}, and {hub}; {remedy}"


def _deciding(names: Iterable[str]) -> list[str]:
    """Return the files that numbers depend on, in order."""
    paths = [Path(name) for name in sorted(names)]
    weights = "pytorch_model*.bin"
    if any(path.suffix == ".safetensors" for path in paths):
        weights = "*.safetensors"
    deciding = []
    for path in paths:
        if any(map(path.match, (*DECIDING, weights))):
            deciding.append(path.as_posix())
    return deciding


def model_digest(folder: Path) -> str:
    """Return a SHA-256 over the files that numbers depend on, each as name, length and content.

    Lengths, also that of the name before it, are 8 bytes, the highest first. Raises ConfigError.
    """
    names = []
    for path in folder.rglob("*"):
        if path.is_file():
            names.append(path.relative_to(folder).as_posix())
    files = []
    for name in _deciding(names):
        path = folder / name
        encoded_name = name.encode()
        name_length = pack(">Q", len(encoded_name))
        content_length = pack(">Q", path.stat().st_size)
        files.append((name_length + encoded_name + content_length, path))
    return _digest(*files)


# --- digests of files


MIN_CACHED_BYTES = 1 << 24
"""The size from which digests of files are cached on this computer, so that not every command reads
the files.
"""
MIN_AGE_NS = 2_000_000_000
"""Nanoseconds after which a file that is written again gets another time, on any file system."""


class _FileState(NamedTuple):
    """A file that is hashed, and what changes with its content."""

    prefix: bytes
    """Bytes that are hashed before the file."""
    path: str
    size: int
    changed_ns: int
    inode: int


def _digest(*files: tuple[bytes, Path]) -> str:
    """Return the SHA-256 of files, each behind some bytes. Raises ConfigError."""
    try:
        states = []
        for prefix, path in files:
            info = path.stat()
            absolute = str(path.absolute())
            state = _FileState(
                prefix, absolute, info.st_size, info.st_mtime_ns, info.st_ino
            )
            states.append(state)
        return _content(tuple(states))
    except OSError as error:
        raise ConfigError(
            f"{error.filename}: cannot be read: {error.strerror}"
        ) from None


@lru_cache(256)
def _content(files: tuple[_FileState, ...]) -> str:
    """Return the SHA-256 of the contents of files, each behind its prefix.

    If they are large, it is taken from the cache on this computer, unless a file has changed since
    or has been written so recently that its time may not show a change.
    """
    cache = ContentCache(ContentCache.DIGESTS)
    states = repr(tuple(map(tuple, files)))
    key = sha256(states.encode()).digest()
    is_large = sum(file.size for file in files) >= MIN_CACHED_BYTES
    if is_large:
        cached = cache.read([key])
        if cached:
            return cached[key].decode()
    hashed = sha256()
    for state in files:
        hashed.update(state.prefix)
        with open_regular(Path(state.path), links=True) as file:
            file_digest(file, lambda: hashed)
    if is_large:
        newest = max(file.changed_ns for file in files)
        if time.time_ns() - newest > MIN_AGE_NS:
            cache.write({key: hashed.hexdigest().encode()})
    return hashed.hexdigest()


def content_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of the files of a folder with their names, in order.

    Raises ConfigError.
    """
    if not path.is_dir():
        return _digest((b"", path))
    lines = []
    for file in sorted(path.rglob("*")):
        if file.is_file():
            name = file.relative_to(path).as_posix()
            lines.append(f"{name} {content_digest(file)}")
    return sha256("\n".join(lines).encode()).hexdigest()
