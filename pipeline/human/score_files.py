"""Files of scores of systems: lines `system score`, CSV or TSV with a column for each score, YAML or JSON.

Where white space separates the columns, a name with blanks stands in quotation marks: `"GPT-4 (few-shot)" 0.5`. Lines
may have several scores, whose names are then in the first line. A line that begins with `#` is a comment. YAML is
`system: score`, or `name of the score: {system: score}`. A file may also have one number a line, as in the data of
SEEDA: these are the scores of systems that are known from elsewhere, in ASCII order of their names.

In a file of scores of sentences each system comes as often as there are sentences, in their order, as in the files
`*.seg.score` of mt-metrics-eval. A score that is lacking is `None` there.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CorpusError, Problem
from ..io.plain_files import named
from ..io.small_tables import NOT_A_NUMBER, Row, SpacedRow, at_line, is_numeric, number_of, read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..arrays import Floats
    from ..config.tree import Node

    Scores = dict[str, dict[str, float]]

MAX_BYTES = 1 << 26
SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".tab", ".yaml", ".yml", ".json", ".gz", ".bz2", ".xz", ".zst"})
QUOTE = '; a name with blanks stands in quotation marks ("GPT-4 (few-shot)" 0.5), or tabs or commas separate columns'
SENTENCES = ".seg.score"
"""The end of the names of files of scores of sentences in mt-metrics-eval. It is no part of the name of the score."""
INFINITE = frozenset({"inf", "infinity"})
YAML = frozenset({".yaml", ".yml", ".json"})


def read_scores(path: Path, names: Sequence[str] = ()) -> Scores:
    """Return {name of the score: {system: score}}. A score without a name gets the name of the file.

    `names` are the systems to which lines of a single number belong. Raises CorpusError where the file cannot be read,
    a score is not a number, or a system comes twice.
    """
    if path.suffix.lower() in YAML:
        return _yaml(path)
    name = named(path)
    rows = list(read_rows(path, MAX_BYTES, comment="#"))
    if not rows:
        raise CorpusError([Problem(name, "is empty; expected lines `system score`")])
    if all(len(row.cells) == 1 for row in rows):
        titles, rows = [_title(path)], _with_names(rows, names, name)
    else:
        titles, rows = _titles(rows, path)
    scores: Scores = {title: {} for title in titles}
    for row in rows:
        line, cells = row
        hint = QUOTE if isinstance(row, SpacedRow) and len(cells) > 2 else ""
        if len(cells) != len(titles) + 1:
            message = f"expected a system and {_several(len(titles))}, found {len(cells)} columns{hint}"
            raise at_line(name, line, message)
        for title, text in zip(titles, cells[1:], strict=True):
            if cells[0] in scores[title]:
                raise at_line(name, line, f"the system '{cells[0]}' comes twice")
            scores[title][cells[0]] = _number(text, f"{name}:{line}", hint)
    return scores


def read_sentence_scores(path: Path) -> dict[str, dict[str, Floats]] | None:
    """Return {name of the score: {system: float64 [lines]}}, where NaN is a lacking score.

    None where the file has no scores of sentences: where the systems do not come equally often, and more than once.
    Raises CorpusError where a score is not a number.
    """
    if path.suffix.lower() in YAML:
        return None
    rows = [row for row in read_rows(path, MAX_BYTES, comment="#") if len(row.cells) > 1]
    titles, rows = _titles(rows, path.with_name(path.name.replace(SENTENCES, ""))) if rows else ([], rows)
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.cells[0], []).append(place)
    counts = {len(own) for own in places.values()}
    if len(counts) != 1 or counts == {1} or any(len(row.cells) != len(titles) + 1 for row in rows):
        return None
    import numpy as np  # here, so that files of scores of systems do not need it

    name = named(path)
    table = np.array([[_number_or_nan(text, f"{name}:{row.line}") for text in row.cells[1:]] for row in rows])
    return {
        title: {system: table[own, column] for system, own in places.items()} for column, title in enumerate(titles)
    }


def means(sentences: Mapping[str, Floats]) -> dict[str, float]:
    """Return the mean score of each system over the sentences for which it has one; NaN where it has none."""
    import numpy as np  # here, so that files of scores of systems do not need it

    present = {system: scores[~np.isnan(scores)] for system, scores in sentences.items()}
    return {system: float(scores.mean()) if len(scores) else math.nan for system, scores in present.items()}


def _number_or_nan(text: str, position: str) -> float:
    return math.nan if text.lower() in NOT_A_NUMBER - INFINITE else _number(text, position)


def _titles(rows: list[Row], path: Path) -> tuple[list[str], list[Row]]:
    """Return the names of the scores, and the rows of scores, which are all rows or all but the first."""
    line, header = rows[0]
    if len(header) < 2 or any(map(is_numeric, header[1:])):
        title = _title(path)
        return [title] if len(header) <= 2 else [f"{title}.{number}" for number in range(1, len(header))], rows
    if len(set(header)) < len(header):
        raise at_line(named(path), line, "two columns have the same name")
    if len(rows) == 1:
        raise CorpusError([Problem(named(path), "has a header only; expected lines `system score`")])
    return header[1:], rows[1:]


def _title(path: Path) -> str:
    """Return the name of a file without its suffixes."""
    name = path.name
    while Path(name).suffix.lower() in SUFFIXES:
        name = Path(name).stem
    return name


def _several(count: int) -> str:
    return "a score" if count == 1 else f"{count} scores"


def _with_names(rows: list[Row], names: Sequence[str], name: str) -> list[Row]:
    """Return rows of one number with the names of the systems before the numbers."""
    if len(rows) != len(names):
        expected = f"; there are {len(names)} systems" if names else ""
        message = f"has {len(rows)} lines with one column; expected lines `system score`{expected}"
        raise CorpusError([Problem(name, message)])
    return [Row(line, [system, *cells]) for (line, cells), system in zip(rows, sorted(names), strict=True)]


def _number(text: str, position: str, hint: str = "") -> float:
    try:
        return number_of(text, "a score, a number")
    except ValueError as error:
        raise CorpusError([Problem(position, f"{error}{hint}")]) from None


def _yaml(path: Path) -> Scores:
    from ..config.compose import read  # so that yaml is imported only where it is needed

    root, problems = read(path)
    if problems:
        raise CorpusError(problems)
    if not isinstance(root.value, dict) or not root.value:
        raise CorpusError([root.problem("expected `system: score`, or `name of the score: {system: score}`")])
    nested = {title: child for title, child in root.value.items() if isinstance(child.value, dict)}
    if nested and len(nested) < len(root.value):
        flat = next(child for title, child in root.value.items() if title not in nested)
        raise CorpusError([flat.problem("expected a mapping of systems, as the others here")])
    tables = nested or {_title(path): root}
    return {title: _mapping(table) for title, table in tables.items()}


def _mapping(table: Node) -> dict[str, float]:
    children = table.value if isinstance(table.value, dict) else {}
    for child in children.values():
        if not isinstance(child.value, str):
            raise CorpusError([child.problem("expected a score, a number")])
    return {name: _number(str(child.value), f"{child.mark}: {child.path}") for name, child in children.items()}
