"""Published results: recipes that reproduce them, verdicts, leader boards, and citations."""

from ...extension import Command, Extension

EXTENSION = Extension(
    name="published",
    about="recipes of published results, verdicts, leader boards, citations",
    needs=("human", "page"),
    commands={
        "reproduce": Command(
            module="commands.reproduce",
            summary="reproduce published results by their recipes, and compare the values",
            takes_plugins=True,
            completions={"names": "recipe:recipes"},
        ),
        "cite": Command(
            module="commands.cite",
            summary="print what to cite for a run, and how it was evaluated",
            reads_runs=True,
        ),
    },
    page_sections={
        "expected": "page_sections:expected",
        "findings": "page_sections:findings",
    },
    stages=("stages:COMPARING",),
    config_sections={
        "publication": "models:PUBLICATION",
        "judgments": "models:JUDGMENTS",
        "columns": "models:COLUMNS",
        "correlations": "models:CORRELATIONS",
        "agreements": "models:AGREEMENTS",
        "expect": "models:EXPECT",
    },
    report_tables=("report_tables:published_tables",),
    several_runs_formats={"board": "pages.own_runs:BOARD"},
    recipes="recipes",
    help_folder="help",
)
