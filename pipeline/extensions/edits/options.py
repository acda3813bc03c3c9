"""Options that metrics of edits share."""

from typing import Any

from pipeline.metrics.options import option


def choice_option(*, last: bool = False, **more: Any) -> str:
    """Return the option choice of metrics that choose one annotator for each sentence.

    `last` says that the annotator with the highest number can be taken, whatever the scores.
    `more` has further fields of Option.
    """
    fields: dict[str, Any] = {
        "applies": lambda m: m.level == "corpus",
        "why": "sentence scores take the best annotator of each sentence",
        **more,
    }
    meaning = (
        "which annotator counts for a sentence: the one who is best for all sentences so far "
        "(official), or best for the sentence alone"
    )
    choices: tuple[str, ...] = ("official", "sentence")
    if last:
        meaning += "; last: the one with the highest number"
        choices += ("last",)
    return option(
        "official", help=meaning, choices=choices, implicit=True, **fields
    )
