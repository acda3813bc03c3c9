"""A recipe made of a config, a printed table (CSV, TSV, or Markdown as papers have it) and files of
a repository.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.data.catalogue import DataFile, catalogue
from pipeline.data.config.resolved import is_glob
from pipeline.data.dataset_cache import cache_path, content_of, fetch_files
from pipeline.errors import CorpusError, DataError, InputError, Problem
from pipeline.files.plain_files import small_text
from pipeline.files.remote import PREFIX, is_data
from pipeline.files.small_tables import read_rows
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.build import metrics_called

from .recipe import texts_in
from .verdicts import read_number

MAX_BYTES = 1 << 24
ARROW = re.compile(r"[\s(]*[↑↓]\)?")
"""What papers put behind the name of a metric, to say which scores are good."""
LARGEST = 1 << 30
"""A file of a repository, whose size is not known yet, may have so many bytes."""
OUTPUTS = {"p": "precision", "prec": "precision", "r": "recall", "rec": "recall"} | {
    n: n for n in ("precision", "recall")
}
"""What tables call outputs of the only metric of a config; F with anything behind it is the score.
"""


def new_recipe(
    content: dict[str, Any],
    table: Path,
    rows: Sequence[tuple[int, list[str]]],
    metrics: Sequence[Metric],
) -> dict[str, Any]:
    """Return a config with what a table prints: systems in its first column, and a column for each
    metric or output.

    Numbers above 1 are percent. Raises InputError where the table has a column that no metric of
    the config means, and a cell that is no number."""
    expect: list[dict[str, Any]] = []
    titles, rest = [ARROW.sub("", title) for title in rows[0][1]], rows[1:]
    for column, title in enumerate(titles[1:], 1):
        meant = {"metric": title} if len(metrics_called(title, metrics)) == 1 else {}
        output = "score" if title.lower().startswith("f") else OUTPUTS.get(title.lower(), "")
        if not meant and (len(metrics) > 1 or not output):
            names = ", ".join(metric.name for metric in metrics)
            raise InputError(
                f"{table}: which metric is '{title}'? Head the column with one of the config's: {names}"
            )
        values = dict[str, str]()
        for line, cells in rest:
            if len(cells) > len(titles):
                raise InputError(
                    f"{table}:{line}: has {len(cells)} cells; there are {len(titles)} titles"
                )
            text = "".join(cells[column : column + 1]).strip("-")
            if text and (cells[0] in values or read_number(cells[column]) is None):
                wrong = (
                    "stands in two lines"
                    if cells[0] in values
                    else f"'{cells[column]}' is no number"
                )
                raise InputError(f"{table}:{line}: {cells[0]}, {title}: {wrong}")
            values |= {cells[0]: cells[column]} if text else {}
        if not values:
            raise InputError(f"{table}: {title}: has no number")
        percent = any(
            abs(number) > 1 for text in values.values() if (number := read_number(text)) is not None
        )
        own = {"output": output} if output in OUTPUTS.values() and not meant else meant
        expect.append(
            {
                "title": title,
                **own,
                "scale": "100" if percent else "1",
                "rounding": "half_up",
                "values": values,
            }
        )
    return {
        "publication": {"what": f"the table {table.name}", "verdict": "not run"},
        **content,
        "expect": expect,
    }


def from_repository(
    content: dict[str, Any], repository: str, systems: Sequence[str], mirror: str | None
) -> dict[str, Any]:
    """Return a config with the section `catalogue`: the files that it names of a repository,
    fetched, with checksums.

    These are data:NAME/PATH with a name that is in no catalogue. The outputs may be one text with
    {system}, of these systems. Raises InputError for what is no repository at a commit, and for
    files that cannot be fetched."""
    if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", repository):
        raise InputError(
            f"--repository {repository}: expected OWNER/NAME@COMMIT, a commit with all of its 40 digits"
        )
    origin, _, commit = repository.partition("@")
    content = {key: child for key, child in content.items() if key != "catalogue"}
    outputs = content.get("systems")
    if isinstance(outputs, list) and len(outputs) == 1 and "{system}" in outputs[0]:
        content["systems"] = {name: outputs[0].replace("{system}", name) for name in systems}
    named = [
        text.removeprefix(PREFIX).partition("/") for text in texts_in(content) if is_data(text)
    ]
    paths = {path: name for name, _, path in named if getattr(catalogue().get(name), "home", True)}
    if len(set(paths.values())) != 1:
        told = "expected one NAME, which `gec-pipeline data list` does not have, in texts data:NAME/PATH"
        raise InputError(
            f"--repository: {told}; found {', '.join(sorted(set(paths.values()))) or 'none'}"
        )
    if wrong := next((path for path in paths if is_glob(path) or "{" in path), None):
        raise InputError(
            f"--repository: {wrong}: name each file; {{system}} may stand in the only text of `systems`"
        )
    source: dict[str, Any] = {"repository": origin, "commit": commit, "licence": "not stated"}
    files = [
        DataFile(dataset=name, name=path, path=path, size=LARGEST, sha256="", **source)
        for path, name in paths.items()
    ]
    if problems := fetch_files(files, mirror).problems:
        raise DataError(problems)
    sums = {
        file.name: {"bytes": str(cache_path(file).stat().st_size), "sha256": content_of(file)}
        for file in files
    }
    return {"catalogue": {files[0].dataset: {"from": [{**source, "files": sums}]}}, **content}


def table_rows(table: Path) -> list[tuple[int, list[str]]]:
    """Return the rows of a table with the numbers of their lines, the first with the titles of the
    columns."""
    lines = enumerate(small_text(table, MAX_BYTES).splitlines(), 1)
    marked = [(number, line.strip()) for number, line in lines if line.strip().startswith("|")]
    rows = [
        (number, [cell.strip(" *`\\") for cell in line.strip("|").split("|")])
        for number, line in marked
    ]
    rows = [row for row in rows if any(cell.strip("-: ") for cell in row[1])] or list(
        read_rows(table, MAX_BYTES)
    )
    if len(rows) < 2 or len(rows[0][1]) < 2:
        message = "expected a table: a line of titles, and lines with a system and its numbers"
        raise CorpusError([Problem(str(table), message)])
    return rows
