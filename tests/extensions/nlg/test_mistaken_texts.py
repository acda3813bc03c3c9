"""Texts that look mistaken to a metric of words."""

from __future__ import annotations

from pathlib import Path

from pipeline.metrics.build import from_text
from tests.data.test_mistaken_texts import doubts, joined, opened, texts


def test_legacy_of_sari_is_for_tokens(tmp_path: Path) -> None:
    t = texts()
    metrics = [from_text("sari[legacy=true]")]
    output = [f"{line.split()[1]} {line}" for line in t["o"]]
    assert doubts(opened(tmp_path, t["s"], [t["r"]], output), metrics) == []
    (warning,) = doubts(
        opened(tmp_path, joined(t["s"]), [t["r"]], output), metrics
    )
    assert "and belong to the word before in the source" in warning
