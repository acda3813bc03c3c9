"""The HTML report, and results in a notebook."""

from ...extension import Extension

EXTENSION = Extension(
    name="page",
    about="the HTML report, and results in a notebook",
    works_with=("plots",),
    report_formats={"html": "report_format:HTML_FORMAT"},
    displays={"text/html": "notebook:results_html"},
    help_folder="help",
)
