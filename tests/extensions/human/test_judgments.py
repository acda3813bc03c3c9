"""Judgements and scores of systems read from files: XML, CSV, lines; and what is refused."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.errors import CorpusError, InputError, StoreError
from pipeline.extensions.human import judgments as reader
from pipeline.extensions.human.human_judgements import open_human_judgements
from pipeline.extensions.human.judgments import (
    Judgments,
    is_judgments,
    natural,
    read_judgments,
)
from pipeline.extensions.human.models import HumanConfig
from pipeline.extensions.human.score_files import read_scores
from tests.config_files import write
from tests.support.in_process import Call

XML = """<?xml version="1.0" encoding="UTF-8"?>
<appraise-results>
<error-correction-ranking-result id="x">
  <ranking-item src-id="2" doc-id="d" id="9" duration="1" user="u1">
    <translation system="B A" rank="1"/>
    <translation rank="3" system="C"/>
  </ranking-item>
  <ranking-item src-id="10" id="10" user="u2">
    <translation system="C" rank="1"/>
    <translation system="A" rank="1"/>
    <translation system="B" rank="4"/>
  </ranking-item>
  <ranking-item src-id="3" id="11" user="u2"/>
</error-correction-ranking-result>
</appraise-results>
"""
# By hand: item 1 has one pair of outputs (A B before C) and the pairs A=B, A<C, B<C; item 2 has
# C=A, C<B, A<B.
WINS = {("A", "B"): 1, ("A", "C"): 1, ("B", "C"): 1, ("C", "B"): 1}
PAIRS = """system2rank,segmentId,system1Id,system2Number,system1rank,judgeID,system2Id
3,2,A,-1,1,u1,C
1,2,A,-1,1,u1,B
3,2,B,-1,1,u1,C
1,10,C,-1,1,u2,A
4,10,C,-1,1,u2,B
4,10,A,-1,1,u2,B
"""
WIDE = """judgeId;srcIndex;system1Id;system1rank;system2Id;system2rank;system3Id;system3rank
u1;2;A,B;1;C;3;;-1
u2;10;C;1;A;1;B;4
"""


def read(
    folder: Path, text: str | bytes, name: str = "file", **options: Any
) -> Judgments:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_judgments(path, **options)


def refused(folder: Path, text: str | bytes) -> str:
    with pytest.raises(InputError) as caught:
        read(folder, text)
    return str(caught.value).replace(str(folder), "")


def wins(found: Judgments) -> dict[tuple[str, str], int]:
    table, names = found.wins(), found.systems
    return {
        (names[i], names[j]): int(table[i, j])
        for i, j in zip(*np.nonzero(table), strict=True)
    }


@pytest.mark.parametrize(
    "text",
    [XML, PAIRS, WIDE, "\ufeff" + PAIRS, PAIRS.replace("\n", "\r\n"), "\ufeff" + XML],
)  # fmt: skip
def test_the_same_judgements_in_every_form(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text)
    assert (found.systems, found.judges) == (("A", "B", "C"), ("u1", "u2"))
    assert wins(found) == WINS
    outcome = found.expanded.outcome
    assert (len(outcome), (outcome == 1).sum()) == (6, 2)
    assert is_judgments(tmp_path / "file")


def test_items_pairs_of_outputs_and_sentences(tmp_path: Path) -> None:
    found = read(tmp_path, XML)
    assert found.items.tolist() == [1, 2]
    assert found.segments == ("2", "3", "10")
    assert found.outputs == ("A", "A B", "B", "C")
    pairs = found.unexpanded
    assert pairs.first.tolist() == [1, 0, 0, 2]
    assert pairs.second.tolist() == [3, 2, 3, 3]
    assert pairs.outcome.tolist() == [0, 0, 1, 2]
    assert found.notes == (
        "1 of 3 items have fewer than two outputs: nothing is compared there",
    )


def test_pairs_of_a_judge_and_a_sentence_are_one_ranking(
    tmp_path: Path,
) -> None:
    assert read(tmp_path, PAIRS).items.tolist() == [1, 1]
    twice = WIDE + WIDE.splitlines()[1] + "\n"
    assert read(tmp_path, twice).items.tolist() == [2, 1]


def test_utf_16_and_packed_files(tmp_path: Path) -> None:
    wide = XML.replace("UTF-8", "UTF-16").encode("utf-16")
    assert wins(read(tmp_path, wide)) == WINS
    packed = gzip.compress(XML.encode())
    assert wins(read(tmp_path, packed, "file.xml.gz")) == WINS


def test_names_of_the_wmt_scripts_are_taken_apart(tmp_path: Path) -> None:
    text = "srclang,trglang,segmentId,system1Id,system1rank,system2Id,system2rank\nsrc,trg,1,test.GPT-3.5.src-trg,1,test.B.src-trg,2\n"
    found = read(tmp_path, text)
    assert (found.systems, found.judges) == (("B", "GPT-3.5"), ("unknown",))


def test_only_some_judges_and_systems(tmp_path: Path) -> None:
    of_first = {("A", "C"): 1, ("B", "C"): 1}
    assert wins(read(tmp_path, XML, judges=["u1"])) == of_first
    of_second = {("A", "B"): 1, ("C", "B"): 1}
    assert wins(read(tmp_path, XML, without_judges=["u1"])) == of_second
    without_a = {("B", "C"): 1, ("C", "B"): 1}
    assert wins(read(tmp_path, XML, without_systems=["A"])) == without_a
    with pytest.raises(InputError, match=r"has no judge 'u3'; it has u1, u2"):
        read(tmp_path, XML, judges=["u3"])
    message = r"has no system 'a' \(did you mean 'A'\?\); it has A, B, C"
    with pytest.raises(InputError, match=message):
        read(tmp_path, XML, without_systems=["a"])


def test_what_was_not_ranked_is_left_out_and_told(tmp_path: Path) -> None:
    found = read(tmp_path, XML.replace('rank="4"', 'rank="-1"'))
    assert wins(found) == {("A", "C"): 1, ("B", "C"): 1}
    assert (
        found.notes[0]
        == "1 outputs have the rank -1 (not ranked) and are left out"
    )


BOMB = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<a>&b;</a>"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "/file:1: has a document type definition (<!DOCTYPE ...>), which is refused; delete it"),
        ("", "/file: is empty; expected judgements, XML or CSV"),
        ("<a/>", "/file: has no element ranking-item, so there is no judgement in it"),
        (XML[: XML.index("<translation rank")], "/file:6:5: not well-formed XML: no element found"),
        (XML.replace("B A", "B\0A"), "/file:5:27: not well-formed XML: not well-formed (invalid token)"),
        (XML.replace('rank="3"', 'rank="0"'), "/file:6: expected a rank, a whole number from 1 (or -1: not ranked), found '0'"),
        (XML.replace('rank="3"', 'rang="3"'), "/file:6: the translation has no attribute 'rank' (did you mean 'rang'?)"),
        (XML.replace('"C" rank="1"', '"" rank="1"'), "/file:9: the name of a system is missing"),
        (XML.replace('"B A"', '"C A"'), "/file:4: the system 'C' is ranked twice in one item"),
        (XML.replace('src-id="3" id="11"', ""), "/file:13: the ranking-item has neither src-id nor id, the number of its sentence"),
        (XML.replace("</ranking-item>", "", 1).replace("</error", "</ranking-item></error"), "/file:8: a ranking-item inside a ranking-item"),
        ('<a><translation system="A" rank="1"/></a>', "/file:1: a translation outside of a ranking-item"),
        ('<a><ranking-item id="1"/></a>', "/file: has no judgement of two systems"),
        (XML.replace("B A", "B" * 300), "/file:5: the name of a system has 300 characters; 200 are allowed"),
        ("a,b\n1,2\n", "/file:1: no column is called 'system1id'; found a, b"),
        (PAIRS.replace("system2rank", "sytem2rank"), "/file:1: no column is called 'system2rank' (did you mean 'sytem2rank'?); found sytem2rank, segmentid, system1id, system2number, system1rank, judgeid, system2id"),
        (PAIRS.replace("judgeID", "system2Id"), "/file:1: two columns are called 'system2id'"),
        (PAIRS.replace("segmentId", "segment"), "/file:1: no column is called 'segmentId' or 'srcIndex', the sentence"),
        (PAIRS.replace("3,2,B,-1,1,u1,C", "3,2,B,-1,1,u1"), "/file:4: has 6 columns; the first line has 7"),
        (PAIRS.replace("3,2,B", "3,,B"), "/file:4: the number of the sentence is missing"),
    ],
)  # fmt: skip
def test_what_is_refused(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    assert refused(tmp_path, text) == message


def test_huge_items_and_files_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = " ".join(f"S{number}" for number in range(reader.MAX_SYSTEMS + 1))
    message = "/file:4: the item ranks 1,002 systems; 1,000 are allowed"
    assert refused(tmp_path, XML.replace("B A", many)) == message
    monkeypatch.setattr(reader, "MAX_PAIRS", 5)
    message = "/file:8: there are more than 5 pairs of systems"
    assert refused(tmp_path, XML) == message
    monkeypatch.setattr(reader, "MAX_BYTES", 100)
    message = "/file: is larger than 100 bytes; is it the file that is meant?"
    assert refused(tmp_path, XML) == message
    message = "unpacks, with what came before, to more than 100 bytes"
    with pytest.raises(CorpusError, match=message):
        read(tmp_path, gzip.compress(XML.encode() * 10), "bomb.gz")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    calls: list[Callable[[Path], object]] = [is_judgments, read_judgments]
    for call in calls:
        with pytest.raises(CorpusError, match="no such file"):
            call(tmp_path / "nothing.xml")
    with pytest.raises(StoreError, match="has no results of a run"):
        read_judgments(tmp_path)


def test_names_are_sorted_by_the_numbers_in_them() -> None:
    names = ["", "9", "10", "a9", "a10", "b", "٣"]
    assert sorted(set(names), key=natural) == names


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("EW.txt", "A 0.5\nB  -1e-3\n\n# more\nC\t3\n", {"EW": {"A": 0.5, "B": -0.001, "C": 3.0}}),
        ("scores.m2", "A 1 2\nB 3 4\n", {"scores.m2.1": {"A": 1, "B": 3}, "scores.m2.2": {"A": 2, "B": 4}}),
        ("x.csv", "\ufeffsystem,EW,TS\r\nA,1,2\r\n\"B\",3,4\r\n", {"EW": {"A": 1, "B": 3}, "TS": {"A": 2, "B": 4}}),
        ("x.tsv", "system\tmy score\nA\t1\n", {"my score": {"A": 1}}),
        ("EW.txt", "0.364\n.5\n", {"EW": {"A": 0.364, "b": 0.5}}),
    ],
)  # fmt: skip
def test_scores_of_systems(
    tmp_path: Path, name: str, text: str, expected: object
) -> None:
    (tmp_path / name).write_bytes(text.encode())

    assert read_scores(tmp_path / name, ["b", "A"]) == expected
    assert not is_judgments(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a", "", "/a: is empty; expected lines `system score`"),
        ("a", "A 1\nA 2\n", "/a:2: the system 'A' comes twice"),
        ("a", "A 1\nB x\n", "/a:2: expected a score, a number, found 'x'"),
        ("a", "A 1\nB 1 2\n", "/a:2: expected a system and a score, found 3 columns"),
        ("a", "system EW\n", "/a: has a header only; expected lines `system score`"),
        ("a", "system EW EW\nA 1 2\n", "/a:1: two columns have the same name"),
        ("a", "1\n2\n3\n", "/a: has 3 lines with one column; expected lines `system score`; there are 2 systems"),
        ("a.yaml", "A: 1\nB: 2\n", "/a.yaml: expected lines `system score`, CSV or TSV, and neither YAML nor JSON"),
    ],
)  # fmt: skip
def test_scores_that_are_refused(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        read_scores(tmp_path / name, ["A", "B"])
    assert str(caught.value).replace(str(tmp_path), "").startswith(message)


# Names of systems that are other names in a run: `aliases` and `correlate --alias`

SCORED = "{0} 0.5\nb 0.2\nc 0.9\n"
ALIASED = "segmentId,judgeID,system1Id,system1rank,system2Id,system2rank\n1,1,{0},1,b,2\n2,1,b,2,c,1\n3,1,c,1,{0},2\n"


def human_scores(path: Path, **section: Any) -> dict[str, float]:
    """Return wins of each system, or the scores in the file, as they are called in a run."""
    config = HumanConfig.model_validate({"file": str(path), **section})
    human_data = open_human_judgements(path, config)
    judged = human_data.judgments
    if judged is None:
        return next(iter(human_data.scores.values()))
    return dict(zip(judged.systems, judged.wins().sum(axis=1), strict=True))


@pytest.mark.parametrize("text", [ALIASED, SCORED])
def test_a_system_has_the_name_that_the_run_has_for_it(
    tmp_path: Path, text: str
) -> None:
    one, other = tmp_path / "src.csv", tmp_path / "INPUT.csv"
    for path in (one, other):
        path.write_text(text.format(path.stem))
    expected = human_scores(other)
    assert human_scores(one, aliases={"src": "INPUT"}) == expected
    assert human_scores(one) != expected


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        ({"scr": "INPUT"}, "aliases: has no system 'scr' (did you mean 'src'?); it has b, c, src"),
        ({"src": "b"}, "aliases: 'b' and 'src' would both be called 'b'; a name is for one system"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", [ALIASED, SCORED])
def test_wrong_aliases_are_refused(
    tmp_path: Path, text: str, aliases: dict[str, str], message: str
) -> None:
    (tmp_path / "h.csv").write_text(text.format("src"))
    with pytest.raises(InputError) as error:
        human_scores(tmp_path / "h.csv", aliases=aliases)
    assert message in str(error.value)


@pytest.mark.usefixtures("cwd")
def test_correlate_takes_aliases(call: Call) -> None:
    write({"h.csv": ALIASED.format("src")})
    write({"m.txt": "INPUT 0.1\nb 0.2\nc 0.4\n"})
    command = "correlate m.txt --human h.csv --json -q"
    out = call(f"{command} --alias src=INPUT").out
    assert json.loads(out)["settings"]["aliases"] == {"src": "INPUT"}
    assert "has 2 systems in common" in call(command, code=2).err
    for wrong in ("src", "=INPUT"):
        message = f"--alias {wrong}: expected NAME=OTHER, such as src=INPUT"
        assert message in call(f"{command} --alias {wrong}", code=2).err
