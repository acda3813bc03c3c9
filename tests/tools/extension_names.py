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
    return json.dumps(names, indent=1) + "\n"


if __name__ == "__main__":
    print(extension_names(), end="")
