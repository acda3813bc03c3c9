"""The inputs of metrics that compare edits, by name."""

from typing import Any

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


def annotated_by(annotator: str) -> str:
    """Return the name of the input EDITS in which texts are annotated; EDITS without an annotator.

    An annotator is named as in signatures, such as errant-3.0.2.spacy-3.8.7.en_core_web_sm-3.8.0.
    Outputs that are M2 files are taken as they are. References are annotated if the data set has no
    edits of annotators, or if these have types of another program than errant; see also KEPT.
    """
    return f"{EDITS}.{annotator}" if annotator else EDITS


EDITS_OF_BOTH: Any = property(
    lambda spec: annotated_by(spec.annotator), doc="Edits on both sides."
)
"""The `input` of specs that have an `annotator`."""


def annotator_of(view: str) -> str:
    """Return the annotator of an input, or an empty text if texts are not annotated."""
    prefix, _, annotator = view.partition(".")
    return annotator.removeprefix(KEPT) if prefix == EDITS else ""


def compares_gold(view: str) -> bool:
    """Return whether the edits of gold are compared as they are, whatever their types."""
    return view == EDITS or view.startswith(f"{EDITS}.{KEPT}")
