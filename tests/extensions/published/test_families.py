"""Recipes of one file that differ by a parameter, tables of several metrics, and byte order marks
that count.
"""

import json
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from pipeline import stages
from pipeline.data import Catalogue
from pipeline.data.config import Node
from pipeline.errors import InputError
from pipeline.extensions.published.commands import reproduce
from pipeline.extensions.published.recipe import (
    Outcome,
    matching_recipes,
    members,
    read_recipes,
    recipes,
)
from tests.config_files import write
from tests.conftest import ROOT
from tests.support.in_process import Call
from tests.support.tables import table

MARK = "\ufeff"
NOT_RUN = "not run"


@pytest.fixture(scope="module")
def items(shared: Path) -> Mapping[str, Any]:
    """The published values of other fields by the name of the item."""
    content = json.loads(
        (shared / "published" / "nlg.json").read_text(encoding="utf-8")
    )
    return {item["id"]: item for item in content["items"]}


WMT = [
    recipe
    for recipe in recipes().values()
    if recipe.family in ("wmt21", "wmt22", "wmt23")
]


def test_three_years_have_all_language_pairs(items: Mapping[str, Any]) -> None:
    names = {
        name
        for name in items
        if name.startswith("wmt2") and name != "wmt23-printed"
    }
    assert {recipe.name for recipe in WMT} == names
    assert [
        len(matching_recipes([year])) for year in ("wmt21", "wmt22", "wmt23")
    ] == [
        20,
        21,
        14,
    ]


@pytest.mark.parametrize("recipe", WMT, ids=[recipe.name for recipe in WMT])
def test_a_language_pair_is_scored_as_the_recomputation_did(
    recipe: Any, items: Mapping[str, Any]
) -> None:
    """Origin: the recomputation of every value, which names tokeniser, order of references, marks
    and files.
    """
    item, pair = items[recipe.name], recipe.name.partition("-")[2]
    settings, ours = item["settings"], recipe.mapping("datasets")
    files = {
        (
            file["repo"],
            file["commit"],
            file["path"],
            file["sha256"],
            file["bytes"],
        )
        for file in item["files"]
    }
    files = {
        file
        for file in files
        if "-en.ref.refB" not in file[2] and "en-he.ref.refB" not in file[2]
    }  # came later
    assert {
        (f.repository, f.commit, f.path, f.sha256, f.size) for f in recipe.files
    } == files

    def references(dataset: str) -> list[str]:
        return [
            file.path
            for text in ours[dataset]["references"]
            for file in Catalogue.known().files_in_config(text)
        ]

    assert references(pair) == settings["references"]["all"]
    for label, paths in settings["references"].items():
        assert (
            references(f"{pair}-{label}" if f"{pair}-{label}" in ours else pair)
            == paths
        )
    assert ours[pair]["bom"] == (settings["keep_bom"] or "drop")
    assert recipe.content["metrics"] == [
        f"bleu[tokenizer={settings['tokenizer']}]",
        "chrf",
    ]
    entries = [
        entry["table"]["where"]["metric"]
        for entry in recipe.expected
        if "system" not in entry["table"]["where"]
    ]
    assert (
        sorted(entries) == sorted(item["values"])
        if "values" in item
        else entries
    )
    systems = {
        path.rpartition(".hyp.")[2].rpartition(".")[0]
        for _, _, path, *_ in files
        if ".hyp." in path
    }
    assert set(recipe.mapping("systems")) == systems


def test_the_printed_tables_are_those_on_record(
    items: Mapping[str, Any],
) -> None:
    printed = {
        recipe.name.removeprefix("wmt23-printed-"): recipe
        for recipe in matching_recipes(["wmt23-printed"])
    }
    tables = items["wmt23-printed"]["values"]
    assert {
        name: dict(
            zip(
                ("bleu", "chrf"),
                (e["values"] for e in one.expected),
                strict=True,
            )
        )
        for name, one in printed.items()
    } == tables
    assert printed["en-ja"].content["metrics"][0] == "bleu[tokenizer=ja-mecab]"


def leaves(value: Any) -> list[str]:
    """Return all texts in mappings and lists."""
    if isinstance(value, dict | list):
        return [
            text
            for child in (value.values() if isinstance(value, dict) else value)
            for text in leaves(child)
        ]
    return [value]


@pytest.mark.parametrize(
    ("family", "count"),
    [("unieval", 42), ("metaeval-simplification", 137), ("opinsummeval", 512)],
)
def test_correlations_with_people_are_those_on_record(
    family: str, count: int, items: Mapping[str, Any]
) -> None:
    """The numbers of each result, and how many there are in all; 17 of the simplification are in
    two of its tables.
    """
    expected = sorted(
        text
        for name, item in items.items()
        if name.startswith(family[:8])
        for text in leaves(item["values"])
    )
    ours = [
        entry["values"]
        for recipe in matching_recipes([family])
        for entry in recipe.expected
    ]
    assert sorted(leaves(ours)) == expected
    assert len(expected) == count


@pytest.mark.parametrize(
    ("family", "count"), [("arabic-gec", 484), ("text-editing", 904)]
)
def test_reports_of_arabic_correction_are_those_on_record(
    family: str, count: int, shared: Path
) -> None:
    """Origin: the recomputation of the reports, which names text, annotations and checksums of
    each.
    """
    content = json.loads(
        (shared / "published" / "gec-more.json").read_text(encoding="utf-8")
    )["items"]
    known = {
        item["id"]: item for item in content if item["id"].startswith(family)
    }
    recipes_of = {recipe.name: recipe for recipe in matching_recipes([family])}
    assert set(recipes_of) == set(known)
    total = 0
    for name, recipe in recipes_of.items():
        named = {file.sha256: file.path for file in recipe.files}
        texts = {
            Catalogue.known().file(text).path: system
            for system, text in recipe.mapping("systems").items()
        }
        golds = {
            file["sha256"]
            for file in [*known[name]["files"], *known[name]["given"]]
            if "2edits" in file["path"]
        }
        golds |= {file["sha256"] for file in known[name]["given"]}
        outputs = {
            f["sha256"] for f in known[name]["files"] if f["path"] in texts
        }
        assert set(named) == golds | outputs
        assert all(
            bool(file.how_to_obtain) == (file.dataset == "qalb")
            for file in recipe.files
        )
        for path, values in known[name]["values"].items():
            entries = [
                entry
                for entry in recipe.expected
                if texts[path] in entry["values"]
            ]
            assert [e["title"].split()[0] for e in entries] == [
                "Precision",
                "Recall",
                "F1",
                "F0.5",
            ]
            assert [e["values"][texts[path]] for e in entries] == list(
                values.values()
            )[:4]
            assert {e.get("recorded") for e in entries} == {
                "differs" if "oracle/qalb14/pnx_seg" in path else None
            }
            total += len(entries)
    assert total == count


def test_one_recipe_alone_was_never_run() -> None:
    """Its files were unavailable."""
    not_run = [
        name
        for name, one in recipes().items()
        if one.publication["verdict"] == NOT_RUN
    ]
    assert not_run == ["bea2019-fce"]


FAMILY = yaml.safe_load("""
publication: {what: "{pair} of {set}", verdict: exact}
each:
  pair: {a-b: {refs: ["2", "1"], apart: ["1", "2"]}, c-d: null}
usual: {refs: ["1"], apart: [], set: test, values: {A: "1"}}
datasets:
  "{pair}": {references: ["{set}.{refs}.{system}"], drop: "{refs}"}
  "{pair}-{apart}": {source: "{apart}"}
expect:
- {title: "{apart}", dataset: "{pair}-{apart}"}
- {values: "{values}", mean: ["{refs}"]}
""")


def test_parameters_of_a_row_are_filled_in() -> None:
    """Lists make items and entries come several times, or not at all; {system} is none of the
    parameters.
    """
    first, second = dict(members(FAMILY, "f.yaml")).values()
    expected = yaml.safe_load("""
datasets:
  a-b: {references: ["test.2.{system}", "test.1.{system}"], drop: ["2", "1"]}
  a-b-1: {source: "1"}
  a-b-2: {source: "2"}
expect:
- {title: "1", dataset: a-b-1}
- {title: "2", dataset: a-b-2}
- {values: {A: "1"}, mean: ["2", "1"]}
""")
    assert first["publication"]["what"] == "a-b of test"
    assert {key: first[key] for key in expected} == expected
    assert list(second["datasets"]) == ["c-d"]
    assert len(second["expect"]) == 1


@pytest.mark.parametrize(
    "each", [[], {"a": {}, "b": {}}, {"pair": {"x": "y"}}, "pair"]
)
def test_each_that_is_no_parameter(each: object) -> None:
    with pytest.raises(InputError, match="each: "):
        list(members({"each": each}, "f.yaml"))


def config(folder: Path, **changes: Any) -> dict[str, Any]:
    """Write texts of two systems and a table of their scores; return a config that expects these."""
    reference = "the cat sat on the mat\nit was here\n"
    output = f"{MARK}the cat sat on a mat\nit is here\n"
    rows = """\
pair\tsystem\tmetric\tscore
p\tB\tbleu-all\t1.0
p\tB\tchrf-all\t1.0
q\tB\tbleu-all\t0.5"""
    for name, text in (
        ("ref.txt", reference),
        ("B.txt", reference),
        ("A.x.txt", output),
        ("t.tsv", rows),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    text = """
datasets: {d: {references: [ref.txt]}}
systems: ['{system}.txt']
metrics: [bleu, chrf]
expect:
- table:
    file: t.tsv
    where: {pair: p}
    system: system
    score: score
    metric: metric
    metrics: {bleu-all: bleu, chrf-all: {metric: chrf, dataset: d}}
"""
    content: dict[str, Any] = yaml.safe_load(text)
    return content | {"output": {"dir": str(folder / "run")}} | changes


def run(folder: Path, content: dict[str, Any]) -> Any:
    """Run a config of this folder; return its results."""
    return stages.run(
        stages.prepare(Node.from_mapping(content, folder)), folder / "run"
    )[1]


def test_one_table_has_the_values_of_several_metrics(tmp_path: Path) -> None:
    content = config(tmp_path)
    (tmp_path / "ref.txt").rename(tmp_path / "ref")
    content["datasets"]["d"]["references"] = ["ref"]
    found = run(tmp_path, content).expectations
    assert [(entry["title"], entry["equal"]) for entry in found["entries"]] == [
        ("bleu-all", 1),
        ("chrf-all", 1),
    ]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"score": "scores"}, "t.tsv:2: has no 'scores' (did you mean 'score'?)"),
        ({"where": {"pair": "x"}}, "t.tsv: no line has 'x' in column pair, 'bleu-all' in column metric"),
        ({"metrics": {"bleu-all": "blue"}}, "'blue' is no metric"),
        ({"system": "7"}, "t.tsv:2: has 4 columns; column 7 is asked for"),
    ],
)  # fmt: skip
def test_what_a_table_has_not_is_an_error(
    tmp_path: Path, table: dict[str, Any], message: str
) -> None:
    content = config(tmp_path)
    content["expect"][0]["table"] |= table
    with pytest.raises(InputError) as caught:
        stages.prepare(Node.from_mapping(content, tmp_path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("bom", "counts"),
    [("drop", False), ("keep", True), (["A.x"], True), (["B"], False)],
)
def test_a_byte_order_mark_counts_where_the_data_set_says_so(
    tmp_path: Path, bom: object, counts: bool
) -> None:
    """The oracle is sacreBLEU on the lines as Python reads them, with the mark."""
    sacrebleu = pytest.importorskip("sacrebleu")
    content = config(
        tmp_path,
        datasets={"d": {"references": ["ref.txt"], "bom": bom}},
        systems={"A.x": "A.x.txt", "B": "B.txt"},
    )
    results = run(tmp_path, content)
    text = (tmp_path / "A.x.txt").read_text(encoding="utf-8")
    lines = (text if counts else text.removeprefix(MARK)).splitlines()
    references = [(tmp_path / "ref.txt").read_text().splitlines()]
    for score in results.scores:
        if score.system == "A.x":
            name = score.metric.partition("|")[0]
            peer = getattr(sacrebleu, f"corpus_{name}")(lines, references)
            assert score.score * 100 == pytest.approx(peer.score, abs=1e-9)
    (note,) = [text for text in results.warnings if "byte order mark" in text]
    assert ("counts as text" in note) == counts


def test_a_system_with_a_mark_must_be_there(tmp_path: Path) -> None:
    content = config(tmp_path, systems={"A": "A.x.txt"})
    content["datasets"]["d"]["bom"] = ["a"]
    with pytest.raises(
        InputError,
        match=r"bom: no system 'a' has an output for it \(did you mean 'A'\?\)",
    ):
        stages.prepare(Node.from_mapping(content, tmp_path))


@pytest.mark.usefixtures("no_expectations")
def test_the_command_line_keeps_marks_too(call: Call) -> None:
    default, dropped, counted = (
        call(f"score bleu -r ref.txt -o A.x.txt {option}")
        for option in ("", "--bom drop", "--bom keep")
    )
    assert default == dropped
    assert "--bom keep" in default.err
    assert default.out != counted.out


def test_a_file_of_several_recipes_runs_by_its_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    """Its results are called as their rows; one of them is shown as a config that runs by itself."""
    monkeypatch.chdir(tmp_path)
    content = config(tmp_path, systems={"B": "B.txt"}) | {
        "publication": {
            "what": "{pair}",
            "verdict": "exact",
            "cite": "c",
            "url": "https://example.org",
            "recipe": "r",
        },
        "each": {"pair": {"p": {}, "q": {"of": {"bleu-all": "bleu"}}}},
        "usual": {"of": {"bleu-all": "bleu", "chrf-all": "chrf"}},
    }
    content["expect"][0]["table"] |= {
        "where": {"pair": "{pair}"},
        "metrics": "{of}",
    }
    Path("own.yaml").write_text(yaml.safe_dump(content))
    assert [recipe.name for recipe in read_recipes(Path("own.yaml"))] == [
        "own-p",
        "own-q",
    ]
    call("reproduce --check own.yaml")
    # 0.5 is another number
    text_printed = call("reproduce own.yaml -q", code=1).out
    assert "own-p" in text_printed
    assert (
        "own-q: missed: 1. bleu-all: B: expected 0.5, found 1" in text_printed
    )


def test_one_of_several_recipes_is_shown_filled_in(
    tmp_path: Path, call: Call
) -> None:
    displayed = yaml.safe_load(call("reproduce --show wmt22-ru-sah").out)
    assert "each" not in displayed
    (recipe,) = matching_recipes(["wmt22-ru-sah"])
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(displayed))
    (again,) = read_recipes(tmp_path / "own.yaml")
    assert set(again.files) == set(recipe.files)
    assert call("reproduce --show wmt22").out == recipe.path.read_text(
        encoding="utf-8"
    )
    call("reproduce --show wmt2*-en-ja", code=2)


TABLES = [
    "system,bleu,chrF\nA,100.0,100.0\nB,100,-\n",
    "| | BLEU ↑ | chrf (↑) |\n|:--|--:|---|\n| **A** | 100.0 | 100.0 |\n| `B` | 100 | - |\n",
    "model\tBLEU\tCHRF\nA\t1.0\t1.0\nB\t1.000\t-\n",
]


@pytest.mark.parametrize("table", TABLES)
def test_a_recipe_is_made_of_a_config_and_a_printed_table(
    no_expectations: dict[str, Any], call: Call, table: str
) -> None:
    systems = {"A": "B.txt", "B": "B.txt"}
    content = no_expectations | {"systems": systems}
    write({"c.yaml": yaml.safe_dump(content), "t.md": table})
    command = "reproduce --new own.yaml c.yaml t.md"
    assert "written: own.yaml, with the verdict rounding" in call(command).out
    (recipe,) = read_recipes(Path("own.yaml"))
    about = {"what": "the table t.md", "verdict": "rounding"}
    assert recipe.publication == about
    assert [len(entry["values"]) for entry in recipe.expected] == [2, 1]
    call("reproduce own.yaml")
    # nothing is written over
    call(command, code=2)


@pytest.fixture
def no_expectations(cwd: Path) -> dict[str, Any]:
    """A config c.yaml in the working directory, of a system B that equals the reference."""
    content = config(cwd, systems={"B": "B.txt"})
    del content["expect"]
    write({"c.yaml": yaml.safe_dump(content)})
    return content


@pytest.mark.usefixtures("no_expectations")
@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("system,meteor\nA,1\n", "t.csv: which metric is 'meteor'? Head the column with one of the config's: bleu, chrf"),
        ("system,bleu\nA,high\n", "t.csv:2: A, bleu: 'high' is no number"),
        ("system,bleu\nB,1\nB,2\n", "t.csv:3: B, bleu: stands in two lines"),
        ("system,bleu\nB,12,3\n", "t.csv:2: has 3 cells; there are 2 titles"),
        ("system,bleu,chrf\nB,1\n", "t.csv: chrf: has no number"),
        ("system,size,bleu\nB,1.3M,1\n", "t.csv: which metric is 'size'?"),
        ("system,bleu\nC,1\n", "no system is called 'C'"),
        ("nothing\n", "t.csv: expected a table: a line of titles, and lines with a system and its numbers"),
    ],
)  # fmt: skip
def test_a_table_that_is_no_table_of_the_config(
    call: Call, table: str, message: str
) -> None:
    write({"t.csv": table})
    command = "reproduce --new own.yaml c.yaml t.csv"
    assert message in call(command, code=2).err


@pytest.mark.usefixtures("no_expectations")
def test_a_recipe_that_does_not_run_is_not_written(
    monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    write({"t.csv": "system,bleu\nB,1.0\n"})
    command = "reproduce --new own.yaml c.yaml t.csv -q"
    with monkeypatch.context() as patched:
        failed = Outcome(
            recipe=next(iter(recipes().values())),
            expectations=None,
            message="memory ran out",
        )
        patched.setattr(reproduce, "_outcomes", lambda *_: [failed])
        err = call(command, code=2).err
    assert "own.yaml: memory ran out" in err
    assert not Path("own.yaml").exists()
    call(command)


@pytest.mark.usefixtures("cwd")
def test_the_only_metric_may_have_columns_for_its_outputs(call: Call) -> None:
    gold = "S the cat sit\nA 2 3|||V|||sits|||REQUIRED|||-NONE-|||0\n\n"
    write({"g.m2": gold, "a.txt": "the cat sits\n"})
    write(
        {
            "c.yaml": "datasets: {d: {gold: g.m2}}\nsystems: {A: a.txt}\nmetrics: [m2]\n"
        }
    )
    write({"t.csv": "system,P,R,F0.5\nA,100.0,100.0,100.0\n"})
    call("reproduce --new own.yaml c.yaml t.csv")
    (recipe,) = read_recipes(Path("own.yaml"))
    outputs = [entry.get("output") for entry in recipe.expected]
    assert outputs == ["precision", "recall", None]
    assert recipe.publication["verdict"] == "rounding"


COMMIT = "0123456789abcdef0123456789abcdef01234567"
PAGE = "| | BLEU |\n|---|---|\n| A | 100.0 |\n| B.2 | 100.0 |\n"


@pytest.fixture
def repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder with a config of files of a repository, a table, and a mirror with this repository
    at a commit.
    """
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Catalogue.known.cache_clear()
    content = config(
        tmp_path, datasets={"d": {"references": ["data:own/refs/r.txt"]}}
    )
    content |= {
        "systems": ["data:own/outputs/{system}.txt"],
        "metrics": ["bleu"],
    }
    del content["expect"]
    Path("c.yaml").write_text(yaml.safe_dump(content))
    Path("t.md").write_text(PAGE, encoding="utf-8")
    for name in ("refs/r", "outputs/A", "outputs/B.2"):
        file = tmp_path / "copies" / "some" / "where" / COMMIT / f"{name}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("the cat sat on the mat\n")
    yield tmp_path / "copies"
    Catalogue.known.cache_clear()


NEW = [
    "reproduce",
    "--new",
    "own.yaml",
    "c.yaml",
    "t.md",
    "--repository",
    f"some/where@{COMMIT}",
]


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_recipe_is_made_of_files_of_a_repository_at_a_commit(
    repository: Path, call: Call, scheme: str
) -> None:
    """Its checksums are those of hashlib; with the recipe alone its files are fetched anew, and are
    the same.
    """
    mirror = f"{scheme}{repository}"
    assert "2 of 2" in call("", *NEW, "--mirror", mirror).out
    (group,) = yaml.safe_load(Path("own.yaml").read_text(encoding="utf-8"))[
        "catalogue"
    ]["own"]["from"]
    assert (group["repository"], group["commit"]) == ("some/where", COMMIT)
    for name, about in group["files"].items():
        data = (repository / "some" / "where" / COMMIT / name).read_bytes()
        assert (int(about["bytes"]), about["sha256"]) == (
            len(data),
            sha256(data).hexdigest(),
        )
    shutil.rmtree("cache")
    Catalogue.known.cache_clear()
    assert (
        "fetch it: gec-pipeline data fetch own.yaml"
        in call("run own.yaml", code=2).err
    )
    call("data fetch own.yaml --mirror", mirror)
    call("reproduce own.yaml --no-fetch")
    shutil.rmtree("cache")
    (repository / "some" / "where" / COMMIT / "outputs" / "A.txt").write_text(
        "another\n"
    )
    # it is not what was checked in
    assert (
        "expected 23 bytes with sha256"
        in call("reproduce own.yaml --mirror", mirror, code=2).err
    )


def test_the_example_of_the_help_page_is_what_comes_out(
    tmp_path: Path,
    shared: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    """Its table, config and command, on the real files; the checksums are those of the catalogue."""
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Catalogue.known.cache_clear()
    page = (
        ROOT / "pipeline" / "extensions" / "published" / "help" / "reproduce.md"
    ).read_text(encoding="utf-8")
    example = page[
        page.index("## A published table in ten minutes") : page.index(
            "## To add a recipe"
        )
    ]
    blocks = [
        dedent(block) for block in re.findall(r"(?m)(?:^ {7}\S?.*\n)+", example)
    ]
    Path("table.md").write_text(blocks[0], encoding="utf-8")
    Path("config.yaml").write_text(blocks[1], encoding="utf-8")
    command = shlex.split(blocks[2])
    text_printed = call(
        "", *command[1:], "--mirror", str(shared / "mirror")
    ).out
    for line in blocks[3].splitlines():  # but for the seconds
        assert line.rpartition(" ")[0] in text_printed
    content = yaml.safe_load(Path("livonian.yaml").read_text(encoding="utf-8"))
    files = content["catalogue"]["livonian"]["from"][0]["files"]
    known = Catalogue.known().data_set("wmt22").files
    assert {name: about["sha256"] for name, about in files.items()} == {
        name: known[name].sha256 for name in files
    }


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("old", "new", "message"),
    table("""
        A |            C |              own/outputs/C.txt: is not there
        data:own/refs  data:other/refs  expected one NAME, which `gec-pipeline data list` does not have
        data:own       data:conll14     data:NAME/PATH; found none
        refs/r.txt     refs/*.txt       refs/*.txt: name each file
    """),
)
def test_what_is_not_in_a_repository_is_told(
    repository: Path,
    call: Call,
    old: str,
    new: str,
    message: str,
) -> None:
    for name in ("c.yaml", "t.md"):
        Path(name).write_text(
            Path(name).read_text(encoding="utf-8").replace(old, new),
            encoding="utf-8",
        )
    assert message in call("", *NEW, "--mirror", str(repository), code=2).err
    assert not Path("own.yaml").exists()
    assert (
        "a commit with all of its 40 digits"
        in call("", *NEW[:-1], "some/where@main", code=2).err
    )


FILE = {"bytes": 1, "sha256": "0" * 64}


@pytest.mark.parametrize(
    ("name", "group", "message"),
    [
        ("conll14", {}, "a data set of `gec-pipeline data list` is called so"),
        ("own", {"files": {"../a": FILE}}, "own: ../a: '../a' can be no name"),
        ("own", {"files": {"b/./a": FILE}}, "can be no name"),
        ("../own", {}, "'../own' can be no dataset"),
        ("own", {"commit": "main"}, "'main' can be no commit"),
        ("own", {"files": {"a": {"bytes": 1}}}, "own: expected from:"),
        ("own", {"files": {"a": {**FILE, "sha256": ""}}}, "'' can be no sha256"),
        ("own", {"files": "wmt21.files"}, "own: expected from:"),
    ],
)  # fmt: skip
def test_a_catalogue_of_ones_own_is_checked(
    tmp_path: Path, name: str, group: dict[str, Any], message: str
) -> None:
    sound = {"repository": "some/where", "commit": COMMIT, "files": {"a": FILE}}
    content = config(tmp_path, catalogue={name: {"from": [sound | group]}})
    with pytest.raises(InputError) as caught:
        stages.prepare(Node.from_mapping(content, tmp_path))
    assert message in str(caught.value)
