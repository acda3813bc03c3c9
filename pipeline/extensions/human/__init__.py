"""Human judgements: rankings of systems, and agreement of metrics with people."""

from ...extension import Command, Extension

EXTENSION = Extension(
    name="human",
    about="human judgements, TrueSkill, Expected Wins, agreement of metrics with people",
    commands={
        "human": Command(
            module="commands.human",
            summary="rank systems by human judgements: Expected Wins, TrueSkill, agreement of the judges",
        ),
        "correlate": Command(
            module="commands.correlate",
            summary="correlate the metrics of a run with human judgements or scores",
            reads_runs=True,
        ),
    },
    names={"correlate": "comparison:correlate"},
    help_folder="help",
)
