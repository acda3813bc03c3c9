"""How the readers of human scores and judgements take odd files."""

from pathlib import Path

import pytest

from pipeline.errors import CorpusError
from pipeline.extensions.human.judgments import read_items
from pipeline.extensions.human.score_files import read_scores

HEADER = "segmentId,system1Id,system1rank,system2Id,system2rank"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADER}\n1,A,1,B,2\n",
        f"\ufeff{HEADER}\r\n1,A,1,B,2",
        f"{HEADER}\r1,A,1,B,2\r",
        f"{HEADER}\n\n1, A ,1 ,B,2\n\n",
        f"{HEADER},note\t\n1,A,1,B,2,x\n",  # a comma before a tab: cells may end in white space
        f'{HEADER},"a\nnote"\n1,A,1,B,2,"two\nlines, and more"\n',
        f"{HEADER}\n1,A,1,B,2\n".replace(",", ";"),
        f"{HEADER}\n1,A,1,B,2\n".replace(",", "\t"),
    ],
)
def test_judgements_in_odd_files(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    (item,) = read_items(path)
    assert (
        item.segment,
        [(group.systems, group.rank) for group in item.groups],
    ) == (
        "1",
        [(("A",), 1), (("B",), 2)],
    )


def test_a_quotation_mark_that_judgements_do_not_close(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f'{HEADER}\n1,"A,1,B,2\n2,A,1,B,2\n')
    with pytest.raises(
        CorpusError, match=r"t\.csv:3: not valid CSV: unexpected end of data"
    ):
        list(read_items(path))


def test_names_with_blanks_stand_in_quotation_marks(tmp_path: Path) -> None:
    path = tmp_path / "people"
    path.write_text('"GPT-4 (few-shot)" 0.5\nB 0.25\n')
    assert read_scores(path) == {"people": {"GPT-4 (few-shot)": 0.5, "B": 0.25}}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("GPT-4 (few-shot) 0.5\nB 0.6\n", 1),
        ("B 0.6\nLlama two 0.5\n", 2),
        ("B 0.6\nLlama 2 0.5\n", 2),
    ],
)
def test_a_name_with_blanks_that_is_not_quoted_gets_a_hint(
    tmp_path: Path, text: str, where: int
) -> None:
    (tmp_path / "people").write_text(text, encoding="utf-8")
    with pytest.raises(
        CorpusError,
        match=rf"people:{where}: .*; a name with blanks stands in quotation marks",
    ):
        read_scores(tmp_path / "people")
    (tmp_path / "people").write_text("A,x,0.5\nB,0.5\n")
    with pytest.raises(CorpusError) as caught:
        read_scores(tmp_path / "people")
    assert "quotation" not in str(caught.value)
