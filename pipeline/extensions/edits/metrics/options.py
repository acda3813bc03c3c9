"""Options of metrics that compare edits."""

from typing import Any

from pipeline.lookup import later
from pipeline.metrics.base.options import option

KEEP = "keep"
"""The value of the option gold for gold that is compared as it is."""


def choice_option(*, last: bool = False, **more: Any) -> str:
    """Return the option choice of metrics that choose one annotator for each sentence.

    With `last`, the annotator with the highest number can be taken, whatever the scores. `more` has
    further fields of Option, such as `applies`.
    """
    fields: dict[str, Any] = {
        "applies": lambda m: m.level == "corpus",
        "why": "sentence scores take the best annotator of each sentence",
    }
    choices = ["official", "sentence"]
    meaning = (
        "which annotator counts for a sentence: the one who is best for all sentences so far "
        "(official), or best for the sentence alone"
    )
    if last:
        choices.append("last")
        meaning += "; last: the one with the highest number"
    fields |= more
    return option("official", help=meaning, choices=tuple(choices), implicit=True, **fields)


def annotator_option() -> str:
    """Return the option annotator of metrics that compare edits on both sides.

    Its value has the versions of errant, spaCy and the pipeline, whatever was written, and names
    the view that is read (annotated_by()).
    """
    return option(
        "",
        help="annotate texts with errant and this spaCy pipeline; outputs and gold that are M2 "
        "files stay as they are",
        free=True,
        form="a spaCy pipeline such as en_core_web_sm, or auto for the one that is installed",
        resolved=later("pipeline.extensions.edits", "errant_annotator.annotator_named"),
        inner="model",
        implicit=True,
    )


def gold_option() -> str:
    """Return the option gold of metrics that have the option annotator."""
    return option(
        "errant",
        help="which edits of gold are compared: those of ERRANT's types, so that other gold is "
        "annotated anew, or all as they are (keep)",
        choices=("errant", KEEP),
        implicit=True,
    )
