"""The HTML report as a form of reports."""

from pipeline.lookup import later
from pipeline.report import Format

HTML_FORMAT = Format(
    about="report.html: a page to explore, with the sentences",
    files=later(__package__, "page.html_files"),
    returned=True,
    package="jinja2",
    extra="report",
    columns=True,
    texts=True,
)
