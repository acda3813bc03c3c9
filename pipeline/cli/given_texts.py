"""Texts as the command line names them: files, addresses, data:NAME/FILE, and columns of files as FILE:COLUMN.

A file that is called exactly as it is written is that file, whatever colons its name has. Addresses have no columns.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..config.resolved import STDIN, Column, exists
from ..corpus.formats import ANNOTATED, ONE_ANNOTATOR, READERS, format_in
from ..corpus.formats.m2 import annotators
from ..errors import ConfigError, CorpusError
from ..io.plain_files import UNPACKED, Spool
from ..io.remote import Remote, is_data, is_remote, locate

if TYPE_CHECKING:
    from ..config.resolved import Input

BOM = b"\xef\xbb\xbf"
STAND_IN = "the first annotator's edits stand in"


def given_path(text: str) -> Path | Remote:
    """Return what the command line names: - is standard input, data:NAME/FILE a file of a data set; or an address."""
    if text == "-":
        return STDIN
    if not is_data(text):
        return locate(Path(), text)
    from ..io.dataset_cache import path_of  # here, because few texts are of data sets

    return path_of(text)


def given_text(text: str, flag: str) -> Input:
    """Return the text that is named after a flag: all lines of a file, or a column, or a text of an M2 file."""
    path, column = _parted(text, flag)
    form = format_in(path.name)
    if form == ANNOTATED and isinstance(path, Path):
        return Column(kind=ONE_ANNOTATOR, path=path, column=_annotator(path, column, flag))
    if form is None or form == ANNOTATED or not column:
        return path
    by_name = not re.fullmatch(r"[1-9][0-9]{0,5}", column)
    return Column(kind=form, path=path, column=column, header=by_name and bool(READERS[form].header))


def whole_m2(text: str, *, look: bool = False) -> Path | None:
    """Return the path of an M2 file that is named without an annotator, or None.

    Its suffix says that it is one; with `look`, its first line does too, if no suffix says something else.
    """
    if text == "-" or is_remote(text):
        return None
    path = given_path(text)
    return path if isinstance(path, Path) and _is_m2(path, look=look) else None


def _is_m2(path: Path, *, look: bool) -> bool:
    form = format_in(path.name)
    return form == ANNOTATED or (look and form is None and _begins_as_m2(path))


def _begins_as_m2(path: Path) -> bool:
    """Return whether the first line of a file is a sentence of an M2 file; False where it cannot be read."""
    try:
        with Spool(UNPACKED).local(path).open("rb") as file:
            return file.read(5).removeprefix(BOM)[:2] == b"S "
    except (OSError, CorpusError):
        return False


def annotated_output(text: str) -> Input:
    """Return the output that is named after -o, for metrics that compare the edits of M2 files.

    Raises ConfigError where an annotator is named: all edits of an M2 file are compared.
    """
    path, column = ("-", "") if text == "-" else _parted(text, "-o")
    if isinstance(path, Path) and _is_m2(path, look=True):
        if column:
            raise ConfigError(f"-o {text}: the edits of all annotators are compared; name the file alone: {path}")
        return Column(kind=ANNOTATED, path=path, column="")
    return given_text(text, "-o")


def _parted(text: str, flag: str) -> tuple[Path | Remote, str]:
    """Return the file and the column of FILE:COLUMN, at the first colon behind a file that may have columns."""
    if text == "-" or is_remote(text) or (not is_data(text) and exists(locate(Path(), text))):
        return given_path(text), ""
    start = text.find(":") + 1 if is_data(text) else 0
    for colon in (match.start() for match in re.finditer(":", text[start:])):
        name, column = text[: start + colon], text[start + colon + 1 :]
        if format_in(Path(name).name) and column:
            return given_path(name), column
        if exists(locate(Path(), name)):
            kinds = ", ".join(f".{name}" for name in READERS)
            raise ConfigError(f"{flag} {text}: no such file; columns can be named of files that end in {kinds}")
    return given_path(text), ""


def _annotator(path: Path, number: str, flag: str) -> str:
    """Return the number of an annotator of an M2 file. None is needed for the source, or where there is only one."""
    from ..report.terminal.text import print_text

    if flag == "-s" and not number:
        return ""
    known = annotators(path, Spool(UNPACKED))
    names = [str(annotator) for annotator in known]
    listed = ", ".join(f"{path}:{name}" for name in names)
    if not number and len(names) == 1:
        number = names[0]
    if number not in names:
        what = f"there is no annotator {number}" if number else "has the texts of several annotators; say which"
        raise ConfigError(f"{flag} {path}: {what}: {listed}" if names else f"{flag} {path}: has no annotator")
    lacking, line = known[int(number)]
    if lacking:
        where = f"has no line for {lacking} sentences that others annotated, the first in line {line}"
        print_text(f"warning: {path}: annotator {number} {where}; {STAND_IN}", sys.stderr)
    return number
