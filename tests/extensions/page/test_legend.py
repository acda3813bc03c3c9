"""The legend of the page."""

from dataclasses import replace
from pathlib import Path

from pipeline.reopen import revisit
from pipeline.report import FORMATS


def test_the_marks_are_explained_before_they_are_met(
    sample: Path,
) -> None:
    letters = (
        "Systems that share a letter (groups) do not differ significantly."
    )
    for name, there in (("run", False), ("pairs", True)):
        built = revisit(sample.parent / name)
        text = str(
            FORMATS["html"].files(replace(built, lines=0))["report.html"]
        )
        legend = text.index("below 0.05: ↑ better, ↓ worse")
        assert (
            text.index("leader boards")
            < legend
            < text.index('<section class="board"')
        )
        assert (letters in text) == there
