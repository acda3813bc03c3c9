"""Metrics that are functions of users, and scores that are read from files."""

from ...extension import Command, Extension

EXTENSION = Extension(
    name="functions",
    about="metrics that are functions of users, scores that are read from files",
    metrics={"external": "external:External"},
    metric_sources={"plugins": "loading:SOURCE"},
    report_formats={"numbers": "report_format:NUMBERS_FORMAT"},
    commands={
        "cache": Command(
            module="commands.cache",
            summary="say which numbers of your own metrics are kept, or delete them",
        ),
    },
    names={"metric": "declare:metric", "Model": "declare:Model"},
    help_folder="help",
)
