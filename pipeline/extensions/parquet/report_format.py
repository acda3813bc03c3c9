"""The report format `parquet`."""

from pipeline.lookup import later
from pipeline.report import Format

PARQUET = Format(
    about="sentences.parquet: the score of each sentence; columns.*.parquet: the counts",
    files=later(__package__, "parquet_files.parquet_files"),
    package="pyarrow",
    extra="parquet",
    columns=True,
)
