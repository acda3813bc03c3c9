"""The numbers of each sentence as files: scores and counts, and those of metrics of users."""

from ...extension import Extension

EXTENSION = Extension(
    name="numbers",
    about="scores and counts of each sentence as files",
    report_formats={
        "parquet": "formats:PARQUET",
    },
)
