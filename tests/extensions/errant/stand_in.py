"""A stand-in for errant, spaCy and its pipelines, so that what is made of annotations can be tested
everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipeline.errors import ConfigError
from pipeline.extensions.errant import annotate, errant_annotator
from pipeline.extensions.errant.errant_annotator import (
    Annotation,
    Pair,
    Versions,
    block,
    missing_package,
    pair_of,
    trivial,
)

MODELS = {"en_one": "en_one-1.0", "en_two": "en_two-2.0"}
"""The pipelines that are installed."""
ONE, TWO = (f"errant-3.0.9.spacy-3.8.9.{model}" for model in MODELS.values())
"""What signatures call them."""


def edits_of(pair: Pair, model: str | None) -> Annotation:
    """Return an edit for each token that differs where the lengths are equal, else one edit of all
    tokens.
    """
    source = pair.source.split()
    corrected = pair.corrected.split()
    tail = f"|||{'R:ONE' if model == 'en_one' else 'R:TWO'}"
    end = "REQUIRED|||-NONE-|||"
    if len(source) != len(corrected):
        return (f"A 0 {len(source)}{tail}|||{pair.corrected}|||{end}",)
    rows = enumerate(zip(source, corrected, strict=True))
    return tuple(
        f"A {i} {i + 1}{tail}|||{two}|||{end}"
        for i, (one, two) in rows
        if one != two
    )


def m2(source: Sequence[str], texts: Sequence[Sequence[str]]) -> str:
    """Return the M2 file of texts, without sentences that are empty."""
    blocks = []
    for number, line in enumerate(source):
        pairs = [(line, text[number]) for text in texts]
        simple = [trivial(*pair) for pair in pairs]
        item = [
            edits_of(pair_of(*pair), "en_one") if s is None else s
            for pair, s in zip(pairs, simple, strict=True)
        ]
        blocks.append(block(line, item))
    return "".join(blocks)


def put_in(patch: pytest.MonkeyPatch) -> list[list[Pair]]:
    """Put the stand-in in the place of errant; return the chunks that it annotates."""
    requested: list[list[Pair]] = []

    def annotated(
        chunk: Sequence[Pair], model: str | None
    ) -> dict[Pair, Annotation]:
        requested.append(list(chunk))
        return {pair: edits_of(pair, model) for pair in chunk}

    def versions(model: str | None = None) -> Versions:
        if model not in MODELS:
            raise ConfigError(
                f"annotator: there is no spaCy pipeline '{model}'"
            )
        return Versions("3.0.9", "3.8.9", MODELS[model], model)

    patch.setattr(annotate, "annotate_chunk", annotated)
    for module in (annotate, errant_annotator):
        patch.setattr(module, "versions_of", versions)
    patch.setattr(errant_annotator, "installed", lambda: sorted(MODELS))
    patch.setattr(errant_annotator, "is_installed", MODELS.__contains__)
    patch.setattr(errant_annotator, "_models", {})
    return requested


def take_away(patch: pytest.MonkeyPatch) -> None:
    """Make errant missing."""

    def versions(_: str | None = None) -> Versions:
        raise missing_package("errant is not installed")

    for module in (annotate, errant_annotator):
        patch.setattr(module, "versions_of", versions)
    patch.setattr(errant_annotator, "_models", {})
