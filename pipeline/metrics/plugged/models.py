"""Models that metrics are given: folders, or names of the Hugging Face hub that are in its cache on this computer.

Nothing is fetched unless the command has --download. Signatures have a digest of the files that decide numbers.
"""

from __future__ import annotations

import os
import re
import sys
from functools import lru_cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from struct import pack
from typing import TYPE_CHECKING, Any

from ...errors import ConfigError
from ...io.content_cache import DIGESTS, ContentCache
from ...io.remote import expanded

if TYPE_CHECKING:
    from collections.abc import Iterable

HUB = "hub:"
"""What stands before a name of the hub, so that it is never taken for a folder."""
_NAME = re.compile(r"(?:hub:)?([\w.-]+(?:/[\w.-]+)?(?:@[\w./-]+)?)")
DECIDING = (
    *("config.json", "hparams.yaml", "*.ckpt", "tokenizer.json", "vocab.txt", "vocab.json", "merges.txt", "*.model"),
    *("tokenizer_config.json", "special_tokens_map.json"),
)
"""The files that numbers depend on, beside the weights: *.safetensors, or else pytorch_model*.bin."""
_download: list[None] = []
"""Not empty where missing models are fetched."""


def allow_download() -> None:
    """Have models be fetched from now on that are not there."""
    _download.append(None)
    located.cache_clear()


def resolved(text: str, base: Path) -> str:
    """Return the path of a folder that is there, or a name of the hub behind HUB. Raises ConfigError."""
    path = (base / expanded(text, base)).absolute() if not text.startswith(HUB) else None
    if path and path.is_dir():
        return str(path)
    if not (name := _NAME.fullmatch(text)):
        raise ConfigError(f"there is no folder {path}; expected a folder, owner/name or owner/name@REVISION")
    return f"{HUB}{name[1]}"


@lru_cache(256)
def located(text: str) -> Path | None:
    """Return the folder of what resolved() returned; None where a name of the hub is not in its cache."""
    if not text.startswith(HUB):
        return Path(text)
    if find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub.constants import HF_HUB_CACHE  # the rest of the package takes long to import

    name, _, revision = text.removeprefix(HUB).partition("@")
    own = Path(HF_HUB_CACHE) / f"models--{name.replace('/', '--')}"
    commit = own / "refs" / (revision or "main")
    folder = own / "snapshots" / (commit.read_text().strip() if commit.is_file() else revision or "main")
    if folder.is_dir() and any(each.suffix in (".safetensors", ".bin", ".ckpt", ".json") for each in deciding(folder)):
        return folder
    return _fetched(name, revision or None) if _download else None


def _fetched(name: str, revision: str | None) -> Path:
    """Fetch a model from the hub; raises ConfigError."""
    from huggingface_hub import snapshot_download

    size, chosen = _on_hub(name, revision)
    print(f"{name}: is fetched{size}", file=sys.stderr)
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=chosen))
    except Exception as error:  # noqa: BLE001 (errors of the network come from several packages)
        raise ConfigError(f"{name}: cannot be fetched: {str(error).strip().partition(chr(10))[0]}") from None


def missing(metric: str, text: str) -> str:
    """Return the message for a model that is not there, with size and licence where the hub says them."""
    name = text.removeprefix(HUB)
    size, _ = _on_hub(name.partition("@")[0], name.partition("@")[2] or None)
    what = f"{metric}: there is no folder {name}, and no model of this name in the cache of the Hugging Face hub"
    return f"{what}; --download fetches it{size}"


def _on_hub(name: str, revision: str | None) -> tuple[str, list[str] | None]:
    """Return size and licence, in words, of a model of the hub, and the files that are needed; nothing without it."""
    from huggingface_hub import HfApi

    try:
        info: Any = HfApi().model_info(name, revision=revision, files_metadata=True, timeout=5)
    except Exception:  # noqa: BLE001 (whatever the network raises: the message does without)
        return "", None
    sizes = {each.rfilename: each.size or 0 for each in info.siblings or ()}
    chosen = _chosen(sizes)
    licence = (info.card_data or {}).get("license") or "not said"
    return f" ({sum(sizes[each] for each in chosen) / 1e6:,.0f} MB, licence: {licence})", chosen


def _chosen(names: Iterable[str]) -> list[str]:
    """Return the files that decide numbers, in order."""
    paths = [Path(name) for name in sorted(names)]
    weights = "*.safetensors" if any(path.suffix == ".safetensors" for path in paths) else "pytorch_model*.bin"
    return [path.as_posix() for path in paths if any(path.match(pattern) for pattern in (*DECIDING, weights))]


def deciding(folder: Path) -> list[Path]:
    """Return the files of a model that numbers depend on, by name in order."""
    inside = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return [folder / name for name in _chosen(inside)]


def model_digest(folder: Path) -> str:
    """Return a SHA-256 over the files that numbers depend on: of each the name, the length and the content.

    Name and length have 8 bytes of their own in front, as lengths, most significant byte first. The digest is kept on
    this computer, with sizes and times of the files, so that not every command reads a model. Raises ConfigError.
    """
    try:
        files = [(path.relative_to(folder).as_posix(), path, path.stat()) for path in deciding(folder)]
        told = [(str(path.absolute()), info.st_size, info.st_mtime_ns, info.st_ino) for _, path, info in files]
        return _digest(repr(told), tuple((name, path, info.st_size) for name, path, info in files))
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be read: {error.strerror}") from None


@lru_cache(256)
def _digest(told: str, files: tuple[tuple[str, Path, int], ...]) -> str:
    cache, key = ContentCache(DIGESTS), sha256(told.encode()).digest()
    if kept := cache.read([key]):
        return kept[key].decode()
    hashed = sha256()
    for name, path, size in files:
        hashed.update(pack(">Q", len(name.encode())) + name.encode() + pack(">Q", size))
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                hashed.update(block)
    cache.write({key: hashed.hexdigest().encode()})
    return hashed.hexdigest()


def name_of(folder: Path) -> str:
    """Return what a model is called: owner/name of the hub, or the name of its folder."""
    if folder.parent.name == "snapshots":
        return folder.parents[1].name.removeprefix("models--").replace("--", "/")
    return os.path.basename(folder)  # noqa: PTH119 (a path with a link at its end keeps its name)
