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
