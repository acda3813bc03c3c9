"""M2 files as a format of texts."""

from pipeline.data.config.resolved import TextFormat
from pipeline.lookup import later

M2_FORMAT = TextFormat(
    later(__package__, "m2_format.sentences"),
    "The edits of a system in an M2 file. Its text is that which the edits make.",
    unit=", sentence ",
    suffixes=("errant",),
)
