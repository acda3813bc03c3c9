"""Edits: M2 files, gold edits, and the metrics that compare outputs with gold edits."""

from ...extension import Command, Extension

EXTENSION = Extension(
    name="edits",
    about="M2 files, and the metrics that compare outputs with gold edits",
    works_with=("errant",),
    metrics={
        "m2": "metrics.m2:MaxMatch",
        "imeasure": "metrics.imeasure:Imeasure",
    },
    text_formats={"m2": "m2_columns:M2_FORMAT"},
    inputs={"gold": "inputs:GOLD_READER"},
    commands={
        "m2": Command(
            module="commands.m2",
            summary="work with M2 files: annotate texts, apply edits, check, convert",
        ),
        "m2scorer": Command(
            module="commands.m2scorer",
            summary="score an output as m2scorer (MaxMatch) does: the same options and output",
        ),
    },
    help_folder="help",
)
