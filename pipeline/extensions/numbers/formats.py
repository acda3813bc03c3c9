"""Numbers of sentences as forms of reports."""

from pipeline.lookup import later
from pipeline.report.context import Format

PARQUET = Format(
    about="sentences.parquet: the score of each sentence; columns.*.parquet: the counts",
    files=later(__package__, "parquet.parquet_files"),
    package="pyarrow",
    extra="parquet",
    columns=True,
)
NUMBERS = Format(
    about=(
        "the numbers of sentences by metrics of your own, and a config that takes them as "
        "`external`"
    ),
    files=later(__package__, "user_metrics.number_files"),
)
