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
        "human": "page_sections:human_section",
        "rankings": "page_sections:rankings",
    },
    works_with=("page", "plots"),
    agreement_statistics={
        "pearson": "statistics:Pearson",
        "spearman": "statistics:Spearman",
        "kendall": "statistics:TauB",
        "accuracy": "statistics:Accuracy",
        "soft_accuracy": "statistics:SoftAccuracy",
    },
    stages=("stages:CORRELATING",),
    config_sections={"human": "models:HUMAN"},
    report_tables=("report_tables:agreement_tables",),
    names={"correlate": "comparison:correlate"},
    help_folder="help",
)
