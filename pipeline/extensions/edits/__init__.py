"""Edits: M2 files, gold edits, annotation by ERRANT, and the metrics that compare edits."""

from ...extension import Command, Extension

EXTENSION = Extension(
    name="edits",
    about="M2 files, annotation by ERRANT, and the metrics that compare edits",
    metrics={
        "m2": "metrics.m2:MaxMatch",
        "imeasure": "metrics.imeasure:Imeasure",
        "errant": "metrics.errant:Errant",
        "cleme": "metrics.cleme:Cleme",
        "gotoscorer": "metrics.gotoscorer:GoToScorer",
    },
    text_formats={"m2": "m2_columns:M2_FORMAT"},
    inputs={"gold": "inputs:EDITS_READER", "edits": "inputs:EDITS_READER"},
    commands={
        "m2": Command(
            module="commands.m2",
            summary="work with M2 files: annotate texts, apply edits, check, convert",
        ),
        "m2scorer": Command(
            module="commands.m2scorer",
            summary="score an output as m2scorer (MaxMatch) does: the same options and output",
        ),
        "errant_compare": Command(
            module="commands.errant_compare",
            summary="score an M2 file as ERRANT's program does: the same options and output",
        ),
    },
    help_folder="help",
)
