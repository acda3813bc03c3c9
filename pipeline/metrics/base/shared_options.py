"""Options that several metrics have, each a function that returns a field: `unit: str = shared_options.unit()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...tokenizers import OWN, TOKENIZERS, is_own
from .option import option

if TYPE_CHECKING:
    from pathlib import Path

WHERE_STRIPPED: dict[str, Any] = {
    "applies": lambda m: m.unit == "char" or not (m.tokenizer == "whitespace" or is_own(m.tokenizer)),
    "why": "tokenizer whitespace ignores it anyway",
    "implicit": True,
}
"""Fields of an option that drops white space at the ends of lines: where this can change tokens."""


def unit() -> str:
    """Return the option unit: words or characters."""
    return option("word", help="what an n-gram is made of", choices=("word", "char"))


def tokenizer() -> str:
    """Return the option tokenizer of metrics that have the option unit too."""
    return option(
        "whitespace",
        key="tok",
        help="how lines are split into words",
        choices=tuple(name for name in TOKENIZERS if name != "char"),
        beside=OWN,
        applies=lambda m: m.unit == "word",
        why="unit char takes every code point",
    )


def strip() -> bool:
    """Return the option strip of metrics that have the options unit and tokenizer too."""
    return option(False, help="drop white space at both ends of lines first", **WHERE_STRIPPED)


def lowercase() -> bool:
    """Return the option lowercase."""
    return option(False, key="lc", help="compare without upper case", implicit=True)


def level() -> str:
    """Return the option level: corpus or mean."""
    meaning = "score the corpus, or the mean of sentence scores"
    return option("corpus", help=meaning, choices=("corpus", "mean"), implicit=True)


def beta(**more: Any) -> str:
    """Return the option beta of metrics of edits. `more` has further fields of Option, such as `applies`."""
    return option(
        "0.5",
        help="weight of recall against precision",
        pattern=r"[0-9]{1,3}(\.[0-9]{1,6})?",
        form="a number such as 0.5 or 1, with at most 6 decimals",
        **more,
    )


def choice(*, last: bool = False, **more: Any) -> str:
    """Return the option choice of metrics that choose one annotator for each sentence. `more` is as in beta().

    `last` says that the annotator with the highest number can be taken, whatever the scores.
    """
    chosen: dict[str, Any] = {
        "applies": lambda m: m.level == "corpus",
        "why": "sentence scores take the best annotator of each sentence",
    }
    highest = "; last: the one with the highest number" if last else ""
    return option(
        "official",
        help="which annotator counts for a sentence: the one who is best for all sentences so far (official), or best "
        f"for the sentence alone{highest}",
        choices=("official", "sentence", *(["last"] if last else [])),
        implicit=True,
        **(chosen | more),
    )


def annotator() -> str:
    """Return the option annotator of metrics that compare edits on both sides.

    Its value has the versions of errant, spaCy and the pipeline, whatever was written. `views.annotated_by` makes it
    the view that is read.
    """
    return option(
        "",
        help="annotate texts with errant and this spaCy pipeline; outputs and gold that are M2 files stay as they are",
        free=True,
        form="a spaCy pipeline such as en_core_web_sm, or auto for the one that is installed",
        resolved=_annotator,
        inner="model",
        implicit=True,
    )


def _annotator(text: str, base: Path) -> str:
    from ...annotation.annotate import annotator_named  # here, because it is rarely needed

    return annotator_named(text, base)
