"""A run directory opened again for reports: its results, its columns, and the texts where they have not changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import stored
from .checks import prepare
from .errors import InputError, StoreError
from .report.material import Material
from .scoring import describe
from .select import Given
from .store import RunDirectory

if TYPE_CHECKING:
    from pathlib import Path

    from .corpus import Corpus
    from .results import Results


def revisit(path: Path, digits: int | None = None) -> Material:
    """Return what reports of a run are made of; raises StoreError where it is no finished run.

    Where the config or a text is gone or has changed since, there are no texts, and `unread` says why. digits: None
    takes those of the config.
    """
    results, found = stored.load(path)
    manifest = RunDirectory(path, make=False).manifest()
    try:
        corpora, written, own = _texts(manifest, results)
        unread = ""
    except (InputError, StoreError) as error:
        corpora, written, own, unread = {}, manifest.get("written"), 2, str(error)
    return Material(results, tuple(found), corpora, written, unread, own if digits is None else digits)


def _texts(manifest: dict[str, Any], results: Results) -> tuple[dict[str, Corpus], Any, int]:
    """Return texts, config and its digits; raises InputError or StoreError where they are not those of the run."""
    config = manifest.get("config")
    if not isinstance(config, str):
        raise StoreError("the run does not tell its config")
    given = Given(tuple(map(str, manifest.get("set", ()))), tuple(map(str, manifest.get("only", ()))))
    job = prepare(config, given=given)
    corpora = {corpus.name: corpus for corpus in job.corpora}
    for name, info in results.datasets.items():
        if name not in corpora:
            raise StoreError(f"{config}: has no data set '{name}' any more")
        now = describe(corpora[name]).digests
        changed = [text for text, digest in info.digests.items() if now.get(text) != digest]
        if changed:
            raise StoreError(f"{name}: {changed[0]} has changed since the run")
    return {name: corpora[name] for name in results.datasets}, job.config.root.plain(), job.config.output.digits
