"""Leader boards across publications: who is on them, what was printed, and what comes out where the
data is here.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from pipeline import stages
from pipeline.data import Catalogue, DataSet, DatasetCache
from pipeline.data.config import Node
from pipeline.extensions.published import leader_boards as boards_
from pipeline.extensions.published import recipe as published
from pipeline.extensions.published.commands import reproduce
from pipeline.extensions.published.leader_boards import (
    LeaderBoard,
    _percent,
    leader_boards,
)
from pipeline.extensions.published.recipe import (
    Outcome,
    Recipe,
    matching_recipes,
    read_recipes,
)
from pipeline.extensions.published.tables import list_table
from tests.extensions.published.stand_ins import write_mirror
from tests.support.in_process import Call, run_command
from tests.support.tables import table


def on_boards(*recipes: Recipe) -> dict[str, LeaderBoard]:
    """Return the boards of recipes that were not run."""
    outcomes = [Outcome(recipe=one, expectations=None) for one in recipes]
    return {board.name: board for board in leader_boards(outcomes)}


def entrant(board: LeaderBoard, name: str) -> Any:
    """Return a system of a board."""
    (found,) = (one for one in board.entrants if one.name == name)
    return found


def values_of(board: LeaderBoard) -> dict[str, list[str]]:
    """Return the printed scores of each system."""
    return {
        one.name: [printed.value for printed in one.printed]
        for one in board.entrants
    }


Boards = dict[str, LeaderBoard]


@pytest.fixture(scope="module")
def everything() -> Boards:
    return on_boards(*published.recipes().values())


def test_every_board_is_filled_by_several_publications_or_systems(
    everything: Boards,
) -> None:
    boards = "conll14-m2 conll14-gleu conll14-imeasure jfleg-test-gleu jfleg-dev-gleu"
    assert set(everything) >= set(boards.split())
    names = published.recipes()
    families = {f"{name}-bleu" for name in names} | {f"{n}-chrf" for n in names}
    assert set(everything) <= {*boards_.written_boards(), *families}
    first = everything["conll14-m2"]
    assert len({entrant.first.year for entrant in first.entrants}) >= 4


def test_what_the_shared_task_printed(everything: Boards) -> None:
    """Ng et al. 2014: 37.33, of CAMB; Chollampatt and Ng 2018 printed 0.3733 of m2scorer 3.2."""
    camb = entrant(everything["conll14-m2"], "CAMB")
    printed = {
        (one.recipe, one.value, one.metric, one.year) for one in camb.printed
    }
    assert ("conll14-ng2014", "37.33", "", 2014) in printed
    assert ("coling2018-m2-system", "37.33", "m2[code=3.2]", 2018) in printed
    assert camb.first.name.startswith("conll14-ng2014")
    assert (camb.first.year, camb.file.key) == (2014, "conll14/CAMB")


def test_references_and_other_data_are_on_no_board(everything: Boards) -> None:
    """REF0 of the package gleu is a reference; tacl2016-m2 leaves sentences out; precision is
    another output.
    """
    gleu = values_of(everything["conll14-gleu"])
    assert "REF0" not in gleu
    assert "INPUT" in gleu
    recipes = set()
    for board in everything.values():
        for one in board.entrants:
            recipes |= {printed.recipe for printed in one.printed}
    assert recipes.isdisjoint(
        {
            "tacl2016-m2",
            "tacl2016-i",
            "jfleg-smt-for-gec",
            "coling2018-gleu-system",
        }
    )
    assert "39.71" not in values_of(everything["conll14-m2"])["CAMB"]


def recipe(folder: Path, name: str, **changes: Any) -> Recipe:
    """Write a recipe for a board, and read it."""
    text = """
publication: {what: a table, verdict: exact, cite: "An example 2001: of a recipe"}
datasets: {d: {gold: "data:conll14/official-2014.combined.m2"}}
systems: {ours: "data:conll14/AMU", theirs: "data:conll14/CAMB"}
metrics: [m2]
expect: [{values: {ours: "0.3501", theirs: "0.3733"}}]
"""
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(yaml.safe_load(text) | changes))
    return read_recipes(file)[0]


def test_the_same_output_comes_once_and_the_same_name_is_told_apart(
    tmp_path: Path,
) -> None:
    values = {"other": "35.0", "theirs": "36.8"}
    two = recipe(
        tmp_path,
        "two",
        systems={"other": "data:conll14/AMU", "theirs": "data:conll14/CUUI"},
        publication={
            "what": "x",
            "verdict": "exact",
            "cite": "Another 2002: y",
        },
        expect=[{"scale": "100", "values": values}],
    )
    (board,) = on_boards(recipe(tmp_path, "one"), two).values()
    assert values_of(board) == {
        "ours": ["35.01", "35.0"],
        "theirs": ["37.33"],
        "theirs@two": ["36.8"],
    }
    files = [one.file.name for one in board.entrants]
    assert files == ["AMU", "CAMB", "CUUI"]
    assert board.entrants[0].first.year == 2001
    names = [entrant.names for entrant in board.entrants]
    assert names == [["ours", "other"], ["theirs"], ["theirs@two"]]


def test_a_file_of_several_recipes_has_a_board_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its first data set; a mark counts for the systems that are here alone. Facts come from the
    year's table.
    """
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path))
    scores = Catalogue.known().file("data:wmt22/scores/automatic-scores.tsv")
    rows = """\
pair\tsystem\tid\tis_constrained\tmetric\tscore
uk-en\tPROMT\t7\tTRUE\tbleu-all\t1
cs-uk\tPROMT\t8\tFALSE\tbleu-all\t1
z\tz\t1\tTRUE\tbleu-all\t"""
    (tmp_path / scores.key).parent.mkdir(parents=True)
    (tmp_path / scores.key).write_text(rows.ljust(scores.size, "0"))
    values = {"PROMT": "40.0", "Online-A": "39.0"}
    compared = [{"place": n, "expected": v} for n, v in values.items()]
    entry = {"title": "bleu-all", "values": 2, "equal": 2, "compared": compared}
    (wmt,) = matching_recipes(["wmt22-uk-en"])
    ran = Outcome(recipe=wmt, expectations={"entries": [entry] * 4})
    boards = {board.name: board for board in leader_boards([ran])}
    assert set(boards) == {"wmt22-uk-en-bleu", "wmt22-uk-en-chrf"}
    board = boards["wmt22-uk-en-bleu"]
    about = board.title, board.metric, board.family, board.result
    expected = "WMT22 uk-en, BLEU", "bleu[tokenizer=13a]", "wmt22", "uk-en"
    assert about == expected
    facts = {"constrained": {"PROMT": "yes"}, "submission": {"PROMT": "7"}}
    assert board.facts == boards["wmt22-uk-en-chrf"].facts == facts
    printed = {name: {*items_of} for name, items_of in values_of(board).items()}
    assert printed == {name: {value} for name, value in values.items()}
    assert board.dataset["bom"] == ["PROMT"]
    assert board.config() is None  # the files are not here


@pytest.mark.parametrize(
    "changes",
    [
        {"datasets": {"d": {"gold": "data:conll14/official-2014.combined.m2", "keep": ["1-9"]}}},
        {"defaults": {"metrics": {"beta": "1"}}},
        {"expect": [{"values": {"ours": "0.3501"}, "output": "precision"}]},
        {"metrics": ["imeasure"]},
        {"systems": {"ours": "local.txt", "theirs": "other.txt"}},
        {"datasets": ["no mapping"], "systems": "none", "expect": {"no": "list"}},
    ],
)  # fmt: skip
def test_what_is_not_of_a_board_is_not_on_it(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    assert on_boards(recipe(tmp_path, "one")).keys() == {"conll14-m2"}
    assert on_boards(recipe(tmp_path, "other", **changes)) == {}


@pytest.mark.parametrize(
    ("text", "scale", "shown"),
    [
        ("0.3501", "1", "35.01"),
        ("-5.40", "100", "-5.40"),
        ("1", "50", "2"),
        ("-", "1", None),
        ("1", "0", None),
        ("1e300", "1", None),
    ],
)
def test_printed_scores_keep_their_digits(
    text: str, scale: str, shown: str | None
) -> None:
    """By hand: in percent."""
    assert _percent(text, scale) == shown


def test_scores_that_are_only_in_the_recipe_are_marked() -> None:
    """The recipe of the shared task has three systems from the paper, and ten from the official
    program.
    """
    (board,) = on_boards(published.recipes()["conll14-ng2014"]).values()
    first = {one.name: one.printed[0].published for one in board.entrants}
    assert len(first) == 13
    assert {name for name in first if first[name]} == {"CAMB", "CUUI", "AMU"}


def test_without_the_data_nothing_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path))
    assert (
        on_boards(published.recipes()["conll14-ng2014"])["conll14-m2"].config()
        is None
    )


def test_the_systems_of_the_newest_publication_are_on_their_board(
    everything: Boards,
) -> None:
    """README of grammarly/pillars-of-gec: nine systems, of which the best has 72.8."""
    board = everything["conll14-m2"]
    first = [(one.first.name, one.first.year) for one in board.entrants]
    assert first.count(("pillars-conll14", 2024)) == 9
    pillars = [
        one for one in board.entrants if one.first.name == "pillars-conll14"
    ]
    best = max(pillars, key=lambda one: float(one.printed[0].value))
    assert best.name == "majority-7+GRECO+GPT-4"
    assert [one.value for one in best.printed] == ["72.8"]
    (first_version,) = (
        one
        for one in everything["conll14-ten-m2"].entrants
        if one.file.dataset == "emnlp2016-first"
    )
    assert [one.value for one in first_version.printed] == ["62.43"] * 2
    assert first_version.first.year == 2016


def test_files_without_a_checksum_are_told_apart_by_what_they_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of them are here and equal, one is another; those that are not here are nobody's."""
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path))
    pillars = Catalogue.known()["pillars"]
    unknown = {
        name: replace(file, sha256="", size=0, how_to_obtain="by hand")
        for name, file in pillars.files.items()
    }
    changed = {"pillars": replace(pillars, files=unknown)}
    sets = {**Catalogue.known(), **changed}
    known = Catalogue(sets)
    monkeypatch.setattr(Catalogue, "known", lambda: known)
    names = [name for name in unknown if "nucle14" in name]
    for name, text in zip(names, "aba", strict=False):
        path = tmp_path / "pillars" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    numbered = [*enumerate(names)]
    values = {f"s{number}": str(number) for number, _ in numbered}
    one = recipe(
        tmp_path,
        "one",
        systems={
            f"s{number}": f"data:pillars/{name}" for number, name in numbered
        },
        expect=[{"values": values, "scale": "100"}],
    )
    (board,) = on_boards(one).values()
    del values["s2"]
    expected = {name: [value] for name, value in values.items()}
    assert values_of(board) == expected | {"s0": ["0", "2"]}


# ---- on invented files


@pytest.fixture(scope="module")
def invented(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Mapping[str, DataSet]]:
    """Data sets described by the checksums of invented files, all of them here."""
    folder = tmp_path_factory.mktemp("boards")
    built = write_mirror(folder / "mirror")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEC_PIPELINE_DATA", str(folder / "data"))
        patch.setenv("GEC_PIPELINE_MIRROR", str(folder / "mirror"))
        known = Catalogue(built)
        patch.setattr(Catalogue, "known", lambda: known)
        published.recipes.cache_clear()
        assert (
            published.fetch_missing(
                [published.recipes()[name] for name in NAMES],
                None,
                lambda _: None,
            )
            == []
        )
        yield built
    published.recipes.cache_clear()


NAMES = ["conll14-ng2014", "conll14-magec", "conll14-bea2019"]


def stored(run_dir: Path) -> Any:
    return json.loads((run_dir / "results.json").read_text(encoding="utf-8"))


def scores_of(results: Any) -> dict[str, float]:
    return {score["system"]: score["score"] for score in results["scores"]}


@pytest.mark.usefixtures("invented")
def test_a_board_is_a_run_of_its_own_and_equal_to_those_of_the_recipes(
    tmp_path: Path,
) -> None:
    """The page, its run directory, and the same config run by hand."""
    page, runs = tmp_path / "pages" / "atlas.html", tmp_path / "runs"
    page.parent.mkdir()
    command = f"reproduce -q --output {runs} --report {page}"
    run_command(command, *NAMES, code=1)  # the texts are invented
    board = stored(runs / "board-conll14-m2")
    ours = scores_of(board)
    assert len(ours) == 17  # 13 of the shared task, two each of the others
    for name in NAMES:
        assert scores_of(stored(runs / name)).items() <= ours.items()
    recipes = published.recipes()
    first, *_ = on_boards(*(recipes[name] for name in NAMES)).values()
    config = first.config()
    assert config
    # more where 40 for each pair are more
    draws = {"resamples": "1000", "trials": "10000", "seed": "12345"}
    assert config["statistics"] == draws
    job = stages.prepare(Node.from_mapping(config))
    again = stages.run(job, tmp_path / "again")[1]
    assert json.loads(again.to_json()) == board
    text = page.read_text(encoding="utf-8")
    best = max(board["scores"], key=lambda score: score["score"])
    bounds = [f"{100 * bound:.2f}" for bound in best["bootstrap"]["interval"]]
    cells = [re.escape(best["system"]), " to ".join(bounds)]
    assert re.search(rf'<td class="rank">1<.*{".*".join(cells)}', text)
    assert 'href="../runs/' not in text  # no run has an explorer yet
    run_command(f"report {runs / 'conll14-magec'} --format html")
    run_command(command, *NAMES, code=1)
    link = 'href="../runs/conll14-magec/report.html"'
    assert link in page.read_text(encoding="utf-8")


def test_the_systems_of_a_table_that_was_not_read_are_on_boards_too() -> None:
    """So `reproduce --board` has the boards of a year before its table of scores is here."""
    outcomes = [
        Outcome(recipe=one, expectations=None)
        for one in matching_recipes(["wmt22-cs-en", "seeda-ew"])
    ]
    boards = {
        board.name: board for board in leader_boards(outcomes, unread=True)
    }
    assert {"wmt22-cs-en-bleu", "wmt22-cs-en-chrf"} == boards.keys()
    assert set(outcomes[0].recipe.mapping("systems")) == {
        one.name for one in boards["wmt22-cs-en-bleu"].entrants
    }
    assert leader_boards(outcomes) == []


def test_the_list_says_what_was_published() -> None:
    text_printed = [
        row[3] for row in list_table(list(published.recipes().values()))[1]
    ]
    assert max(map(len, text_printed)) <= 60
    assert sum(len(text) > 20 for text in text_printed) > len(text_printed) / 2


@pytest.mark.usefixtures("invented")
def test_an_output_of_ones_own_is_a_row_of_a_board(
    tmp_path: Path, call: Call
) -> None:
    """Beside the same scores as without it, tested against each system, in the terminal, the page
    and LaTeX.
    """
    board = on_boards(*published.recipes().values())["conll14-m2"]
    camb = DatasetCache().path(entrant(board, "CAMB").file)
    lines = camb.read_text(encoding="utf-8").splitlines()
    mine = tmp_path / "mine.txt"
    mine.write_text("".join(f"{line} also\n" for line in lines))
    command = "reproduce --board conll14-m2 --no-fetch"
    # with a bar
    with mock.patch.object(sys.stderr, "isatty", return_value=True):
        call(f"{command} --output {tmp_path / 'bare'}")
    out = call(f"{command} -q --output {tmp_path} --add {mine}").out
    folder = tmp_path / "board-conll14-m2"
    results = stored(folder)
    scores = scores_of(results)
    others = scores_of(stored(tmp_path / "bare" / "board-conll14-m2"))
    assert scores == {**others, "mine": scores["mine"]}
    pairs = {frozenset((t["system"], t["other"])) for t in results["tests"]}
    assert pairs == {frozenset(("mine", name)) for name in others}
    ranked = sorted(results["scores"], key=lambda score: score["rank"])
    order = [score["system"] for score in ranked]
    at = order.index("mine")
    summary = out.partition("\nmine is ")[2].splitlines()[0]
    assert summary.startswith(f"{ranked[at]['rank']} of ")
    for number, side in ((at - 1, "below"), (at + 1, "above")):
        if 0 <= number < len(order):
            other = order[number]
            distance = f"{100 * abs(scores[other] - scores['mine']):.2f}"
            assert f"{distance} {side} {other} (p adjusted " in summary
    call(f"report {folder} --format latex html --output {folder}")
    assert " & mine & " in (folder / "results.tex").read_text(encoding="utf-8")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert re.search(r'class="left system">(<a [^>]*>)?mine<', page)


@pytest.mark.parametrize(
    ("arguments", "message"),
    table("""
        --add mine.txt                             --add: has no effect without --board
        --board conll-m2                           --board conll-m2: expected one of
        --board conll14-m2 --all                   --board: scores one leader board
        --board conll14-m2 --add no-such.txt -q    no-such.txt: no such file
    """),
)
@pytest.mark.usefixtures("invented", "cwd")
def test_wrong_use_of_a_board(
    arguments: str, message: str, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.setattr(
        reproduce, "fetch_missing", lambda *_: pytest.fail("files are fetched")
    )
    assert message in call(f"reproduce {arguments}", code=2).err
