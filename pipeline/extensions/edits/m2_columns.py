"""M2 files as a format of texts: the text of an output, the source, or that of an annotator."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.data.config import Column, TextFormat
from pipeline.errors import ConfigError
from pipeline.files import StoredTexts, TempFiles
from pipeline.lookup import later

from .m2_format import CORRECTED, OUTPUT, SOURCE, STAND_IN, Request, annotators

if TYPE_CHECKING:
    from pipeline.data import Opener
    from pipeline.files import Remote

    from .m2_texts import M2File


M2 = "m2"
"""The name of the format."""
SOURCE_COLUMN = "source"
"""The column with the sentences as they are.

The text of an annotator is the column with the number, and that of an output has no column."""


def read_once(path: Path | Remote, request: Request, opener: Opener) -> M2File:
    """Return the requested texts of an M2 file, which is read once; raises CorpusError."""
    from .m2_texts import read_m2

    return opener.once(
        ("m2", path, request),
        partial(read_m2, path, request, opener.temp_files),
    )


def system_request(output: Column, *, lenient: bool = False) -> Request:
    """Return the request for the M2 file of a system, whose text and edits may both be read."""
    return Request(
        texts=not output.column,
        records=True,
        system=True,
        lenient=output.lenient or lenient,
    )


def open_column(column: Column, opener: Opener) -> StoredTexts:
    """Return a text of an M2 file; raises CorpusError."""
    request = Request(texts=True)
    if not column.column:
        request = system_request(column)
        key = OUTPUT
    elif column.column == SOURCE_COLUMN:
        key = SOURCE
    else:
        key = (CORRECTED, int(column.column))
    file = read_once(column.path, request, opener)
    return file.texts(key)._replace(origin=file.texts(SOURCE).origin)


def column_named(path: Path | Remote, number: str, flag: str) -> str:
    """Return the column of FILE:ANNOTATOR on the command line; raises ConfigError.

    No number is needed for the source, or if there is only one annotator.
    """
    from pipeline.report.terminal import print_warnings

    if flag == "-s" and not number:
        return SOURCE_COLUMN
    absent = annotators(path, TempFiles(TempFiles.DEFAULT_CAP))
    names = [str(annotator) for annotator in absent]
    if not number and len(names) == 1:
        number = names[0]
    if not names:
        raise ConfigError(f"{flag} {path}: has no annotator")
    if number not in names:
        what = "has the texts of several annotators; say which"
        if number:
            what = f"there is no annotator {number}"
        listed = ", ".join(f"{path}:{name}" for name in names)
        raise ConfigError(f"{flag} {path}: {what}: {listed}")
    count, line = absent[int(number)]
    if count:
        print_warnings(
            [
                f"{path}: annotator {number} has no line for {count} sentences that others "
                f"annotated, the first in line {line}; {STAND_IN['first']}"
            ]
        )
    return number


M2_FORMAT = TextFormat(
    later(__package__, "m2_format.sentences"),
    "The edits of a system in an M2 file. Its text is that which the edits make.",
    unit=", sentence ",
    suffixes=("errant",),
    open=open_column,
    column_named=column_named,
)
