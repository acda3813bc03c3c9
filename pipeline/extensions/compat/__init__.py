"""Commands of other packages: the same options, defaults and output."""

from ...extension import Command, Extension

EXTENSION = Extension(
    name="compat",
    about="the command of the package gleu",
    commands={
        "gleu": Command(
            module="commands.gleu",
            summary="score files as the package gleu does: the same options and output",
        ),
    },
)
