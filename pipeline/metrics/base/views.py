"""What a metric reads of a data set: its texts, or edits in place of the references, or edits on both sides."""

from __future__ import annotations

TEXTS = "texts"
"""Source, references and outputs as lines of text."""
GOLD = "gold"
"""Source and outputs as lines of text, and the edits of each annotator in place of references."""
EDITS = "edits"
"""The edits of outputs, and the edits of each annotator in place of references.

Where outputs have several annotators, there is a reference for each pair of annotators."""


def annotated_by(annotator: str) -> str:
    """Return the name of the view EDITS in which texts are annotated; EDITS itself without an annotator.

    An annotator is called as in signatures, such as errant-3.0.2.spacy-3.8.7.en_core_web_sm-3.8.0. Outputs that are M2
    files are taken as they are. References are annotated where the data set has no edits of annotators.
    """
    return f"{EDITS}.{annotator}" if annotator else EDITS


def annotator_of(view: str) -> str:
    """Return the annotator of a view, or an empty text where texts are not annotated."""
    return view.removeprefix(f"{EDITS}.") if view.startswith(f"{EDITS}.") else ""
