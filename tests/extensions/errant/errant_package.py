"""errant itself, for comparison: its command errant_parallel, and the edits of one pair."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import ConfigError
from pipeline.extensions.errant.errant_annotator import (
    UNUSED,
    named,
    versions_of,
)


def lacks() -> str:
    """Return why errant cannot be called here, or an empty text."""
    try:
        versions_of()
    except ConfigError as error:
        return str(error)
    return ""


needs_errant = pytest.mark.skipif(bool(lacks()), reason=lacks())


def loaded() -> Any:
    """Return errant's own annotator with a spaCy pipeline of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import errant
        import spacy

        return errant.load("en", spacy.load(named(None), disable=UNUSED))


def errant_parallel(
    source: Path, texts: Sequence[Path], out: Path, annotator: Any
) -> str:
    """Run errant_parallel in this process; return the M2 file. It is given the spaCy pipeline that
    is here.
    """
    import errant
    from errant.commands import parallel_to_m2

    arguments = [
        "errant_parallel",
        "-orig",
        source,
        "-cor",
        *texts,
        "-out",
        out,
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(errant, "load", lambda _: annotator)
        patch.setattr("sys.argv", [str(argument) for argument in arguments])
        parallel_to_m2.main()
    return out.read_text(encoding="utf-8")
