"""The scores and counts of each sentence as Parquet files."""

from ...extension import Extension

EXTENSION = Extension(
    name="parquet",
    about="scores and counts of each sentence as Parquet files",
    report_formats={
        "parquet": "report_format:PARQUET",
    },
)
