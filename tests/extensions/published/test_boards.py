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
from pipeline.data import catalogue
from pipeline.data.catalogue import DataSet
from pipeline.data.config.tree import from_mapping
from pipeline.data.dataset_cache import cache_path
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
from tests.support.commands import Call, run_command


def on_boards(*recipes: Recipe) -> dict[str, LeaderBoard]:
    """Return the boards of recipes that were not run."""
    return {
        board.name: board
        for board in leader_boards(
            [Outcome(recipe=one, expectations=None) for one in recipes]
        )
    }


@pytest.fixture(scope="module")
def everything() -> dict[str, LeaderBoard]:
    return on_boards(*published.recipes().values())


def test_every_board_is_filled_by_several_publications_or_systems(
    everything: dict[str, LeaderBoard],
) -> None:
    assert set(everything) >= {
        "conll14-m2",
        "conll14-gleu",
        "conll14-imeasure",
        "jfleg-test-gleu",
        "jfleg-dev-gleu",
    }
    families = {
        f"{name}-{metric}"
        for name in published.recipes()
        for metric in ("bleu", "chrf")
    }
    assert set(everything) <= {*boards_.written_boards(), *families}
    first = everything["conll14-m2"]
    assert len({entrant.first.year for entrant in first.entrants}) >= 4


def test_what_the_shared_task_printed(
    everything: dict[str, LeaderBoard],
) -> None:
    """Ng et al. 2014: 37.33, of CAMB; Chollampatt and Ng 2018 printed 0.3733 of m2scorer 3.2."""
    camb = next(
        one for one in everything["conll14-m2"].entrants if one.name == "CAMB"
    )
    printed = {
        (one.recipe, one.value, one.metric, one.year) for one in camb.printed
    }
    assert ("conll14-ng2014", "37.33", "", 2014) in printed
    assert ("coling2018-m2-system", "37.33", "m2[code=3.2]", 2018) in printed
    assert camb.first.name.startswith("conll14-ng2014")
    assert (camb.first.year, camb.file.key) == (2014, "conll14/CAMB")


def test_references_and_other_data_are_on_no_board(
    everything: dict[str, LeaderBoard],
) -> None:
    """REF0 of the package gleu is a reference; tacl2016-m2 leaves sentences out; precision is
    another output.
    """
    gleu = everything["conll14-gleu"].entrants
    assert "REF0" not in {one.name for one in gleu}
    assert any(one.name == "INPUT" for one in gleu)
    names = {
        printed.recipe
        for board in everything.values()
        for one in board.entrants
        for printed in one.printed
    }
    assert (
        not {
            "tacl2016-m2",
            "tacl2016-i",
            "jfleg-smt-for-gec",
            "coling2018-gleu-system",
        }
        & names
    )
    camb = next(
        one for one in everything["conll14-m2"].entrants if one.name == "CAMB"
    )
    assert "39.71" not in {printed.value for printed in camb.printed}


def recipe(folder: Path, name: str, **changes: Any) -> Recipe:
    """Write a recipe for a board, and read it."""
    content: dict[str, Any] = {
        "publication": {
            "what": "a table",
            "verdict": "exact",
            "cite": "An example 2001: of a recipe",
        },
        "datasets": {"d": {"gold": "data:conll14/official-2014.combined.m2"}},
        "systems": {"ours": "data:conll14/AMU", "theirs": "data:conll14/CAMB"},
        "metrics": ["m2"],
        "expect": [{"values": {"ours": "0.3501", "theirs": "0.3733"}}],
    }
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(content | changes))
    return read_recipes(file)[0]


def test_the_same_output_comes_once_and_the_same_name_is_told_apart(
    tmp_path: Path,
) -> None:
    one = recipe(tmp_path, "one")
    systems = {"other": "data:conll14/AMU", "theirs": "data:conll14/CUUI"}
    cite = {"what": "x", "verdict": "exact", "cite": "Another 2002: y"}
    two = recipe(
        tmp_path,
        "two",
        systems=systems,
        publication=cite,
        expect=[
            {"scale": "100", "values": {"other": "35.0", "theirs": "36.8"}}
        ],
    )
    (board,) = on_boards(one, two).values()
    assert [
        (x.name, x.file.name, [p.value for p in x.printed])
        for x in board.entrants
    ] == [
        ("ours", "AMU", ["35.01", "35.0"]),
        ("theirs", "CAMB", ["37.33"]),
        ("theirs@two", "CUUI", ["36.8"]),
    ]
    assert board.entrants[0].first.year == 2001
    assert [entrant.names for entrant in board.entrants] == [
        ["ours", "other"],
        ["theirs"],
        ["theirs@two"],
    ]


def test_a_file_of_several_recipes_has_a_board_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its first data set; a mark counts for the systems that are here alone. Facts come from the
    year's table.
    """
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path))
    scores = catalogue.named_one("data:wmt22/scores/automatic-scores.tsv")
    rows = [
        "pair\tsystem\tid\tis_constrained\tmetric\tscore",
        "uk-en\tPROMT\t7\tTRUE\tbleu-all\t1",
    ]
    rows += ["cs-uk\tPROMT\t8\tFALSE\tbleu-all\t1", "z\tz\t1\tTRUE\tbleu-all\t"]
    (tmp_path / scores.key).parent.mkdir(parents=True)
    (tmp_path / scores.key).write_text(
        "\n".join(rows).ljust(scores.size, "0"), encoding="utf-8"
    )
    values = {"PROMT": "40.0", "Online-A": "39.0"}
    entries = [
        {
            "title": "bleu-all",
            "values": 2,
            "equal": 2,
            "compared": [
                {"place": n, "expected": v} for n, v in values.items()
            ],
        }
    ]
    (wmt,) = matching_recipes(["wmt22-uk-en"])
    ran = Outcome(recipe=wmt, expectations={"entries": entries * 4})
    boards = {board.name: board for board in leader_boards([ran])}
    assert set(boards) == {"wmt22-uk-en-bleu", "wmt22-uk-en-chrf"}
    board = boards["wmt22-uk-en-bleu"]
    assert (board.title, board.metric) == (
        "WMT22 uk-en, BLEU",
        "bleu[tokenizer=13a]",
    )
    assert (board.family, board.result) == ("wmt22", "uk-en")
    assert board.facts == {
        "constrained": {"PROMT": "yes"},
        "submission": {"PROMT": "7"},
    }
    assert boards["wmt22-uk-en-chrf"].facts == board.facts
    assert {
        entrant.name: {one.value for one in entrant.printed}
        for entrant in board.entrants
    } == {name: {value} for name, value in values.items()}
    assert board.dataset["bom"] == ["PROMT"]
    assert board.config() is None  # the files are not here


@pytest.mark.parametrize(
    "changes",
    [
        {
            "datasets": {
                "d": {
                    "gold": "data:conll14/official-2014.combined.m2",
                    "keep": ["1-9"],
                }
            }
        },
        {"defaults": {"metrics": {"beta": "1"}}},
        {"expect": [{"values": {"ours": "0.3501"}, "output": "precision"}]},
        {"metrics": ["imeasure"]},
        {"systems": {"ours": "local.txt", "theirs": "other.txt"}},
        {
            "datasets": ["no mapping"],
            "systems": "none",
            "expect": {"no": "list"},
        },
    ],
)
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
    known = {one.name: one.printed[0].published for one in board.entrants}
    assert len(known) == 13
    assert {name for name, is_published in known.items() if is_published} == {
        "CAMB",
        "CUUI",
        "AMU",
    }


def test_without_the_data_nothing_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path))
    assert (
        on_boards(published.recipes()["conll14-ng2014"])["conll14-m2"].config()
        is None
    )


def test_the_systems_of_the_newest_publication_are_on_their_board(
    everything: dict[str, LeaderBoard],
) -> None:
    """README of grammarly/pillars-of-gec: nine systems, of which the best has 72.8."""
    own = [
        one
        for one in everything["conll14-m2"].entrants
        if one.first.name == "pillars-conll14"
    ]
    assert len(own) == 9
    assert {one.first.year for one in own} == {2024}
    best = max(own, key=lambda one: float(one.printed[0].value))
    assert (best.name, [one.value for one in best.printed]) == (
        "majority-7+GRECO+GPT-4",
        ["72.8"],
    )
    first = next(
        one
        for one in everything["conll14-ten-m2"].entrants
        if one.file.dataset == "emnlp2016-first"
    )
    assert ([one.value for one in first.printed], first.first.year) == (
        ["62.43"] * 2,
        2016,
    )


def test_files_without_a_checksum_are_told_apart_by_what_they_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of them are here and equal, one is another; those that are not here are nobody's."""
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path))
    files = catalogue.catalogue()["pillars"].files
    unknown = {
        name: replace(file, sha256="", size=0, how_to_obtain="by hand")
        for name, file in files.items()
    }
    sets = {
        **catalogue.catalogue(),
        "pillars": replace(catalogue.catalogue()["pillars"], files=unknown),
    }
    monkeypatch.setattr(catalogue, "catalogue", lambda: sets)
    names = [name for name in files if "nucle14" in name]
    for name, text in zip(names, ("a", "b", "a"), strict=False):
        (tmp_path / "pillars" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pillars" / name).write_text(text, encoding="utf-8")
    systems = {
        f"s{number}": f"data:pillars/{name}"
        for number, name in enumerate(names)
    }
    values = {system: str(number) for number, system in enumerate(systems)}
    one = recipe(
        tmp_path,
        "one",
        systems=systems,
        expect=[{"values": values, "scale": "100"}],
    )
    (board,) = on_boards(one).values()
    shown = {
        entrant.name: [printed.value for printed in entrant.printed]
        for entrant in board.entrants
    }
    assert shown == {
        "s0": ["0", "2"],
        **{
            name: [value]
            for name, value in values.items()
            if name not in ("s0", "s2")
        },
    }


# ---- on invented files


@pytest.fixture(scope="module")
def invented(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Mapping[str, DataSet]]:
    """Data sets described by the checksums of invented files, all of them here."""
    folder = tmp_path_factory.mktemp("boards")
    made = write_mirror(folder / "mirror")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEC_PIPELINE_DATA", str(folder / "data"))
        patch.setenv("GEC_PIPELINE_MIRROR", str(folder / "mirror"))
        patch.setattr(catalogue, "catalogue", lambda: made)
        published.recipes.cache_clear()
        assert (
            published.fetch_missing(
                [published.recipes()[name] for name in NAMES],
                None,
                lambda _: None,
            )
            == []
        )
        yield made
    published.recipes.cache_clear()


NAMES = ["conll14-ng2014", "conll14-magec", "conll14-bea2019"]


@pytest.mark.usefixtures("invented")
def test_a_board_is_a_run_of_its_own_and_equal_to_those_of_the_recipes(
    tmp_path: Path,
) -> None:
    """The page, its run directory, and the same config run by hand."""
    page, runs = tmp_path / "pages" / "atlas.html", tmp_path / "runs"
    page.parent.mkdir()
    arguments = [
        "reproduce",
        *NAMES,
        "-q",
        "--output",
        str(runs),
        "--report",
        str(page),
    ]
    run_command("", *arguments, code=1)  # the texts are invented
    board = json.loads(
        (runs / "board-conll14-m2" / "results.json").read_text(encoding="utf-8")
    )
    ours = {score["system"]: score["score"] for score in board["scores"]}
    assert len(ours) == 17  # 13 of the shared task, two each of the others
    for name in NAMES:
        own = json.loads(
            (runs / name / "results.json").read_text(encoding="utf-8")
        )["scores"]
        assert {
            score["system"]: score["score"] for score in own
        }.items() <= ours.items()
    config = next(
        iter(on_boards(*(published.recipes()[name] for name in NAMES)).values())
    ).config()
    assert config
    assert config["statistics"] == {
        "resamples": "1000",
        "trials": "10000",
        "seed": "12345",
    }  # more where 40 for each pair are more
    again = stages.run(
        stages.prepare(from_mapping(config)), tmp_path / "again"
    )[1]
    assert json.loads(again.to_json()) == board
    text = page.read_text(encoding="utf-8")
    best = max(board["scores"], key=lambda score: score["score"])
    low, high = (
        f"{100 * bound:.2f}" for bound in best["bootstrap"]["interval"]
    )
    assert re.search(
        rf'<td class="rank">1<.*{re.escape(best["system"])}.*{low} to {high}',
        text,
    )
    assert 'href="../runs/' not in text  # no run has an explorer yet
    run_command(f"report {runs / 'conll14-magec'} --format html")
    run_command("", *arguments, code=1)
    assert 'href="../runs/conll14-magec/report.html"' in page.read_text(
        encoding="utf-8"
    )


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
    said = [row[3] for row in list_table(list(published.recipes().values()))[1]]
    assert max(map(len, said)) <= 60
    assert sum(len(text) > 20 for text in said) > len(said) / 2


@pytest.mark.usefixtures("invented")
def test_an_output_of_ones_own_is_a_row_of_a_board(
    tmp_path: Path, call: Call
) -> None:
    """Beside the same scores as without it, tested against each system, in the terminal, the page
    and LaTeX.
    """
    known = published.recipes()
    board = on_boards(*known.values())["conll14-m2"]
    camb = next(one for one in board.entrants if one.name == "CAMB").file
    lines = cache_path(camb).read_text(encoding="utf-8").splitlines()
    mine = tmp_path / "mine.txt"
    mine.write_text(
        "".join(f"{line} also\n" for line in lines), encoding="utf-8"
    )
    command = ["reproduce", "--board", "conll14-m2", "--no-fetch"]
    # with a bar
    with mock.patch.object(sys.stderr, "isatty", return_value=True):
        call("", *command, "--output", str(tmp_path / "bare"))
    out = call(
        "", *command, "-q", "--output", str(tmp_path), "--add", str(mine)
    ).out
    folder = tmp_path / "board-conll14-m2"
    with_mine, bare = (
        json.loads((one / "results.json").read_text(encoding="utf-8"))
        for one in (folder, tmp_path / "bare" / "board-conll14-m2")
    )
    scores = {score["system"]: score["score"] for score in with_mine["scores"]}
    others = {score["system"]: score["score"] for score in bare["scores"]}
    assert scores == {**others, "mine": scores["mine"]}
    assert {
        frozenset((test["system"], test["other"]))
        for test in with_mine["tests"]
    } == {frozenset(("mine", name)) for name in others}
    order = [
        score["system"]
        for score in sorted(
            with_mine["scores"], key=lambda score: score["rank"]
        )
    ]
    at = order.index("mine")
    said = out.partition("\nmine is ")[2].splitlines()[0]
    assert said.startswith(
        f"{with_mine['scores'][[s['system'] for s in with_mine['scores']].index('mine')]['rank']} of "
    )
    for place, side in ((at - 1, "below"), (at + 1, "above")):
        if 0 <= place < len(order):
            distance = f"{100 * abs(scores[order[place]] - scores['mine']):.2f}"
            assert f"{distance} {side} {order[place]} (p adjusted " in said
    call(f"report {folder} --format latex html --output {folder}")
    assert " & mine & " in (folder / "results.tex").read_text(encoding="utf-8")
    assert re.search(
        r'class="left system">(<a [^>]*>)?mine<',
        (folder / "report.html").read_text(encoding="utf-8"),
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--add", "mine.txt"], "--add: has no effect without --board"),
        (["--board", "conll-m2"], "--board conll-m2: expected one of"),
        (
            ["--board", "conll14-m2", "--all"],
            "--board: scores one leader board",
        ),
        (
            ["--board", "conll14-m2", "--add", "no-such.txt", "-q"],
            "no-such.txt: no such file",
        ),
    ],
)
@pytest.mark.usefixtures("invented")
def test_wrong_use_of_a_board_is_told(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        reproduce, "fetch_missing", lambda *_: pytest.fail("files are fetched")
    )
    assert message in call("reproduce", *arguments, code=2).err
