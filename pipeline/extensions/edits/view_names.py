"""The inputs of metrics that compare edits, by name."""

GOLD = "gold"
"""Source and outputs as lines of text, and the edits of each annotator in place of references."""
EDITS = "edits"
"""The edits of outputs, and the edits of each annotator in place of references.

If outputs have several annotators, there is a reference for each pair of annotators."""
KEPT = "kept."
"""The prefix of an annotator if the edits of gold are compared as they are, whatever their types."""


def is_edits(view: str) -> bool:
    """Return whether an input has the edits of outputs, from files or of annotated texts."""
    return view.partition(".")[0] == EDITS


def annotator_of(view: str) -> str:
    """Return the annotator of an input, or an empty text if texts are not annotated."""
    prefix, _, annotator = view.partition(".")
    return annotator.removeprefix(KEPT) if prefix == EDITS else ""


def compares_gold(view: str) -> bool:
    """Return whether the edits of gold are compared as they are, whatever their types."""
    return view == EDITS or view.startswith(f"{EDITS}.{KEPT}")
