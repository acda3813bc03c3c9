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
    plots={
        "people": "plots:PEOPLE_PLOT",
        "correlations": "plots:CORRELATIONS_PLOT",
        "human": "plots:HUMAN_PLOT",
        "windows": "plots:WINDOWS_PLOT",
    },
    page_sections={
        "human": "page_sections:people",
        "rankings": "page_sections:rankings",
        "findings": "page_sections:findings",
    },
    works_with=("page", "plots"),
    names={"correlate": "comparison:correlate"},
    help_folder="help",
)
