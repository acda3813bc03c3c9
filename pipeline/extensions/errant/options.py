"""Options of metrics that have texts annotated."""

from pipeline.extensions.edits.view_names import KEPT
from pipeline.lookup import later
from pipeline.metrics.options import option

KEEP = "keep"
"""The value of the option gold by which gold edits of all types are compared unchanged."""


class AnnotatesTexts:
    """A metric with the options annotator, which finds edits in texts, and gold."""

    annotator: str
    gold: str

    @property
    def annotation(self) -> str:
        """The annotator as in names of inputs."""
        if self.annotator and self.gold == KEEP:
            return f"{KEPT}{self.annotator}"
        return self.annotator


def annotator_option() -> str:
    """Return the option annotator of metrics that compare edits on both sides.

    Its value has the versions of errant, spaCy and the pipeline, whatever the user wrote;
    `annotated_by` (`view_names.py`) makes it the name of the input that is read.
    """
    return option(
        "",
        help="annotate texts with errant and this spaCy pipeline; "
        "outputs and gold that are M2 files stay as they are",
        free=True,
        form="a spaCy pipeline such as en_core_web_sm, or auto for the one that is installed",
        # rarely needed
        resolved=later(__package__, "errant_annotator.annotator_named"),
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
