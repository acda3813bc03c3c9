"""A recipe made of a config, a printed table (CSV, TSV, or Markdown as papers have it) and files of
a repository.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from pipeline.data import Catalogue, DataFile, DatasetCache
from pipeline.errors import CorpusError, DataError, InputError
from pipeline.extensions.human.json_objects import JsonObject
from pipeline.files import TableRow, WrittenPath, small_text
from pipeline.metrics import metrics_called
from pipeline.metrics.base import Metric

from .recipe import texts_in
from .verdicts import read_number

MAX_BYTES = 1 << 24
ARROW = re.compile(r"[\s(]*[↑↓]\)?")
"""What papers put behind the name of a metric, to say which scores are good."""
MAX_FILE_BYTES = 1 << 30
"""Bytes of a file of a repository, whose size is not known yet."""
OUTPUTS = {
    "p": "precision",
    "prec": "precision",
    "precision": "precision",
    "r": "recall",
    "rec": "recall",
    "recall": "recall",
}
"""What tables call outputs of the only metric of a config; F with anything behind it is the score.
"""


def new_recipe(
    content: JsonObject,
    table: Path,
    rows: Sequence[TableRow],
    metrics: Sequence[Metric],
) -> JsonObject:
    """Return a config with an entry of `expect` for each column of a printed table: a metric or an
    output of the only metric. The first column has the systems, the first row the titles.

    `content` is the config, and `table` the file for messages. A column with numbers above 1 is in
    percent. Raises InputError if a column means no metric of the config, or a cell is no number."""
    titles = [ARROW.sub("", title) for title in rows[0].cells]
    for line, cells in rows[1:]:
        if len(cells) > len(titles):
            message = f"has {len(cells)} cells; there are {len(titles)} titles"
            raise InputError(f"{table}:{line}: {message}")
    expect = []
    for column, title in enumerate(titles[1:], 1):
        metric_keys = _metric_keys(title, table, metrics)
        values = _values(rows[1:], column, title, table)
        numbers = filter(None, map(read_number, values.values()))
        is_percent = any(abs(number) > 1 for number in numbers)
        expect.append(
            {
                "title": title,
                **metric_keys,
                "scale": "100" if is_percent else "1",
                "rounding": "half_up",
                "values": values,
            }
        )
    return {
        "publication": {
            "what": f"the table {table.name}",
            "verdict": "not run",
        },
        **content,
        "expect": expect,
    }


def _metric_keys(
    title: str, table: Path, metrics: Sequence[Metric]
) -> dict[str, str]:
    """Return the keys of an entry of `expect` for the title of a column: `metric`, or `output` of
    the only one of the config's metrics; none for its score, of a title such as F0.5.

    Raises InputError if the title means none of these."""
    if len(metrics_called(title, metrics)) == 1:
        return {"metric": title}
    output = OUTPUTS.get(title.lower(), "")
    is_score = title.lower().startswith("f")
    if len(metrics) > 1 or not (output or is_score):
        names = ", ".join(metric.name for metric in metrics)
        raise InputError(
            f"{table}: which metric is '{title}'? Head the column with one of the config's: {names}"
        )
    return {"output": output} if output else {}


def _values(
    rows: Sequence[TableRow],
    column: int,
    title: str,
    table: Path,
) -> dict[str, str]:
    """Return the numbers of a column by system, as texts; the first column has the systems. Empty
    cells and dashes are left out.

    Raises InputError if a cell is no number, a system comes twice, or there is no number."""
    values: dict[str, str] = {}
    for line, cells in rows:
        if column >= len(cells) or not cells[column].strip("-"):
            continue
        message = ""
        if cells[0] in values:
            message = "stands in two lines"
        elif read_number(cells[column]) is None:
            message = f"'{cells[column]}' is no number"
        if message:
            raise InputError(f"{table}:{line}: {cells[0]}, {title}: {message}")
        values[cells[0]] = cells[column]
    if not values:
        raise InputError(f"{table}: {title}: has no number")
    return values


def from_repository(
    content: JsonObject,
    repository: str,
    systems: Sequence[str],
    mirror: str | None,
) -> JsonObject:
    """Return a config with the section `catalogue`: the files of a repository on GitHub that the
    config names, with sizes and checksums. The files are fetched for them.

    `repository` is OWNER/NAME@COMMIT. Its files are the texts data:NAME/PATH with a NAME that is in
    no catalogue. The section `systems` may be a list of one text with {system}, which stands for
    each of `systems`. Raises InputError if it is no repository at a commit, or a file cannot be
    fetched from it or the mirror."""
    if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", repository):
        raise InputError(
            f"--repository {repository}: expected OWNER/NAME@COMMIT, a commit with all of its 40 "
            "digits"
        )
    origin, _, commit = repository.partition("@")
    content = dict(content)
    content.pop("catalogue", None)
    outputs = content.get("systems")
    if isinstance(outputs, list) and len(outputs) == 1:
        (pattern,) = outputs
        if "{system}" in pattern:
            content["systems"] = {
                name: pattern.replace("{system}", name) for name in systems
            }
    # The files of data sets that only a recipe brings (`home`), or nobody yet.
    names: dict[str, None] = {}
    paths: dict[str, None] = {}
    for text in texts_in(content):
        if not WrittenPath(text).is_data:
            continue
        name, _, path = text.removeprefix(WrittenPath.DATA).partition("/")
        if getattr(Catalogue.known().get(name), "home", True):
            names[name] = None
            paths[path] = None
    if len(names) != 1:
        listed = ", ".join(sorted(names)) or "none"
        raise InputError(
            "--repository: expected one NAME, which `gec-pipeline data list` does not have, in "
            f"texts data:NAME/PATH; found {listed}"
        )
    for path in paths:
        if WrittenPath(path).is_glob or "{" in path:
            raise InputError(
                f"--repository: {path}: name each file; {{system}} may stand in the only text of "
                "`systems`"
            )
    source = {"repository": origin, "commit": commit, "licence": "not stated"}
    (dataset,) = names
    checksums = _fetched_checksums(dataset, list(paths), source, mirror)
    entry = {"from": [{**source, "files": checksums}]}
    return {"catalogue": {dataset: entry}, **content}


def _fetched_checksums(
    dataset: str,
    paths: Sequence[str],
    source: JsonObject,
    mirror: str | None,
) -> dict[str, dict[str, str]]:
    """Fetch files of a repository, and return their sizes and checksums by path, as a catalogue has
    them. `source` has the repository and commit. Raises DataError if one cannot be fetched.
    """
    files = []
    for path in paths:
        file = DataFile(
            dataset=dataset,
            name=path,
            path=path,
            size=MAX_FILE_BYTES,
            sha256="",
            **source,
        )
        files.append(file)
    problems = DatasetCache().fetch(files, mirror).problems
    if problems:
        raise DataError(problems)
    checksums = {}
    for file in files:
        size = DatasetCache().path(file).stat().st_size
        checksums[file.name] = {
            "bytes": str(size),
            "sha256": DatasetCache().content(file),
        }
    return checksums


def table_rows(table: Path) -> list[TableRow]:
    """Return the rows of a table, the first with the titles of the columns. It is in Markdown, with
    or without text around it, if a line begins with |; else in CSV or TSV.

    Raises CorpusError unless there are two rows and two columns."""
    rows = []
    lines = small_text(table, MAX_BYTES).splitlines()
    for line_number, line in enumerate(lines, 1):
        text = line.strip()
        if not text.startswith("|"):
            continue
        # Bold and code are marks of Markdown, not part of a name.
        cells = [cell.strip(" *`\\") for cell in text.strip("|").split("|")]
        is_rule = not any(cell.strip("-: ") for cell in cells)
        if not is_rule:
            rows.append(TableRow(line_number, cells))
    if not rows:
        rows = list(TableRow.of_file(table, MAX_BYTES))
    if len(rows) < 2 or len(rows[0].cells) < 2:
        message = "expected a table: a line of titles, and lines with a system and its numbers"
        raise CorpusError.at(str(table), message)
    return rows
