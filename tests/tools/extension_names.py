"""Write which extension of the project has which names.

The core reads the file to say which extension a name belongs to that is not installed.

python -m tests.tools.extension_names > pipeline/extension_names.json
"""

from __future__ import annotations

import json

from pipeline.extension import installed

KINDS = (
    "metrics",
    "metric_sources",
    "tokenizers",
    "text_formats",
    "inputs",
    "report_formats",
    "several_runs_formats",
    "plots",
    "commands",
    "backends",
    "agreement_statistics",
    "significance_tests",
    "config_sections",
    "names",
)


def extension_names() -> str:
    """Return the names of each kind with the extension that adds them, as JSON text."""
    names: dict[str, dict[str, str]] = {}
    for kind in KINDS:
        of_kind = {}
        for extension in installed().values():
            if extension.package.startswith("pipeline.extensions."):
                for name in getattr(extension, kind):
                    of_kind[name] = extension.name
        names[kind] = dict(sorted(of_kind.items()))
    names["help_pages"] = help_pages_of_extensions()
    return json.dumps(names, indent=1) + "\n"


def help_pages_of_extensions() -> dict[str, str]:
    """Return the topics of help pages with the extension that has the page."""
    pages = {}
    for extension in installed().values():
        if (
            extension.package.startswith("pipeline.extensions.")
            and extension.help_folder
        ):
            for path in (extension.folder / extension.help_folder).glob("*.md"):
                pages[path.stem] = extension.name
    return dict(sorted(pages.items()))


if __name__ == "__main__":
    print(extension_names(), end="")
