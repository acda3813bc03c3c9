"""ERRANT: annotation of texts, and the metrics that compare edits of outputs and annotators."""

from ...extension import Command, Extension

EXTENSION = Extension(
    name="errant",
    about="annotation by ERRANT, and the metrics that compare edits of outputs",
    needs=("edits", "functions"),
    metrics={
        "errant": "metrics.errant:Errant",
        "cleme": "metrics.cleme:Cleme",
        "gotoscorer": "metrics.gotoscorer:GoToScorer",
    },
    inputs={"edits": "inputs:EDITS_READER"},
    commands={
        "errant_compare": Command(
            module="commands.errant_compare",
            summary="score an M2 file as ERRANT's program does: the same options and output",
        ),
    },
    help_folder="help",
)
