"""How the readers of scores and of published tables take odd files."""

from pathlib import Path

import pytest

from pipeline.extensions.human.records import read_records
from pipeline.extensions.human.score_files import read_scores
from pipeline.extensions.published.published_sections import cells_of

TABLES = [
    "A,1\nB,2\n",
    "\ufeffA,1\r\nB,2",
    "A\t1\nB\t2\n",
    "A;1\nB;2\n",
    "  A  1\n\u2003B\u20032\n",
    "\n\nA 1\n \nB 2\n\n",
    '"A",1\n"B","2"\n',
]


@pytest.mark.parametrize("text", TABLES)
def test_scores_and_tables_are_read_alike(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.txt"
    path.write_text(text, encoding="utf-8", newline="")
    assert read_scores(path) == {"t": {"A": 1.0, "B": 2.0}}
    assert [
        (cell.system, float(cell.score))
        for cell in cells_of(read_records(path), "1", "2")
    ] == [
        ("A", 1.0),
        ("B", 2.0),
    ]
