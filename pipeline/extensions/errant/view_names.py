"""The names of inputs in which texts are annotated."""

from typing import Any

from pipeline.extensions.edits.view_names import EDITS


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
