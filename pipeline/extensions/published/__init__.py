"""Published results: recipes that reproduce them, verdicts, and leader boards."""

from ...extension import Command, Extension

EXTENSION = Extension(
    name="published",
    about="recipes of published results, verdicts, leader boards",
    needs=("human", "page"),
    commands={
        "reproduce": Command(
            module="commands.reproduce",
            summary="reproduce published results by their recipes, and compare the values",
            takes_plugins=True,
        ),
    },
    page_sections={"expected": "page_sections:expected"},
    help_folder="help",
)
