"""The described data sets, and configs and commands that name them."""

from __future__ import annotations

import csv
import json
import re
import socket
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

from pipeline import stages
from pipeline.cli.commands.init import NAME
from pipeline.data import Catalogue, DatasetCache
from tests.config_files import prepare, problems, schema_accepts, write
from tests.conftest import (
    ROOT,
    RunLine,
    gec_pipeline,
    printed,
    read_json,
    refused,
)
from tests.metrics.test_golden import golden

SETS = Catalogue.known()
GOOD = "datasets: {conll14: data}\nmetrics: ['gleu[iter=2]']\n"


@pytest.fixture
def here(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with what configs below need, copied from the mirror; the working directory is a new
    one.
    """
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    expected = [
        "conll14/[A-Z]*",
        "conll14/official-2014.combined.m2",
        "jfleg/dev",
    ]
    expected += ["conll14-judgements/judgments.xml", "reassess-gec/merged_ids"]
    files = [
        file for text in expected for file in Catalogue.known().files(text)
    ]
    assert DatasetCache().fetch(files, str(shared / "mirror")).problems == []
    return tmp_path / "cache"


@pytest.fixture
def nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; the working directory is a new one."""
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "lines", "systems"), [("conll14", 1312, 13), ("jfleg", 754, 1)]
)
def test_the_configs_that_ship_run_on_fetched_data(
    name: str, lines: int, systems: int
) -> None:
    job = stages.prepare(ROOT / "configs" / f"{name}.yaml")
    assert [(corpus.lines, len(corpus.systems)) for corpus in job.corpora] == [
        (lines, systems)
    ]


def test_every_published_file_is_in_one_data_set(shared: Path) -> None:
    """Origin of the lists: the recomputation of published numbers, which checked every file.

    The outputs that THUKElab/CLEME annotated are in none; their bytes are those of files beside the
    checkout. So are its demo, and that of ChERRANT, whose checksums were confirmed when somebody
    fetched them."""
    with (shared / "published" / "sources.tsv").open(
        encoding="utf-8", newline=""
    ) as opened:
        rows = list(csv.DictReader(opened, delimiter="\t"))
    listed = [
        (r["repository"], r["commit"], r["path"], r["sha256"], int(r["bytes"]))
        for r in rows
    ]
    content = read_json(shared / "edits" / "published-m2.json")
    by_edits = [
        file
        for item in content["items"]
        for file in item["files"]
        if not file["in_sources_tsv"]
    ]
    further = read_json(shared / "published" / "gec-more.json")["items"]
    expected = {"conll14-emnlp2016-first", "pillars-conll14", "bea2019-dev"}
    by_edits += [
        file
        for item in further
        if item["id"] in expected
        for file in item["files"]
    ]
    simplification = read_json(shared / "nlg" / "published.json")[
        "files"
    ].values()
    listed += [
        (f["repository"], f["commit"], f["path"], f["sha256"], f["bytes"])
        for f in simplification
    ]
    more = {
        (f["repo"], f["commit"], f["path"], f["sha256"], f["bytes"])
        for f in by_edits
    }
    beyond = read_json(shared / "published" / "nlg.json")["items"]
    beyond += [
        item
        for item in further
        if item["id"].startswith(("arabic-gec", "text-editing"))
    ]
    of_others = {
        (f["repo"], f["commit"], f["path"], f["sha256"], f["bytes"])
        for item in beyond
        for f in item["files"]
    }
    digests = {
        sha256(path.read_bytes()).hexdigest()
        for path in (shared / "edits" / "m2").glob("*.errant")
    }
    files = [
        file
        for found in SETS.values()
        for file in found.files.values()
        if not file.how_to_obtain
    ]
    described = [
        (f.repository, f.commit, f.path, f.sha256, f.size) for f in files
    ]
    assert len(rows) > 170
    assert len(described) == len(set(described))
    assert set(listed[: len(rows)]) - set(described) == set()
    others = [
        file for file in described if file not in {*listed, *more, *of_others}
    ]
    assert (
        len([file for file in described if file in of_others])
        == 284 + 220 + 1 + 204 + 5 + 4 + 1 + 6 + 121 + 4 + 226
    )
    assert (
        len([file for file in described if file in more])
        == 37 + 13 + 1 + 18 + 6
    )
    demos = [
        file[2].rpartition("/")[2] for file in others if file[3] not in digests
    ]
    assert demos == [
        "demo.errant",
        "demo-AMU.errant",
        "demo.hyp.m2.char",
        "demo.ref.m2.char",
    ]
    assert {file[0] for file in others} == {
        "THUKElab/CLEME",
        "HillZhang1999/MuCGEC",
    }
    assert len(others) == 5 + len(demos)


def test_every_data_set_has_what_users_are_told() -> None:
    for found in SETS.values():
        assert found.title
        assert found.citations
        assert all(file.licence for file in found.files.values())
    page = (ROOT / "pipeline" / "help" / "data.md").read_text("utf-8")
    assert [name for name in SETS if f"\n| {name} |" not in page] == []


GIVEN = [
    name
    for name, found in SETS.items()
    if any(file.how_to_obtain for file in found.files.values())
]
"""The data sets that users bring."""


@pytest.mark.usefixtures("nothing")
@pytest.mark.parametrize("name", GIVEN)
def test_what_is_not_fetched_says_where_to_get_it(
    name: str, run_line: RunLine
) -> None:
    """In the list, where it is fetched, checked or asked for, and in a config that names it."""
    found = SETS[name]
    (where,) = {file.how_to_obtain for file in found.files.values()}
    assert where.startswith("get ")
    assert (
        f"by hand  {where}; then put it at {DatasetCache().folder / name}"
        in printed(run_line(f"data list {name}"))
    )
    for action in ("fetch", "verify", "path"):
        result = run_line(f"data {action} {name}")
        assert result.code == 2
        assert where in " ".join(result.err.split())
    file = next(iter(found.files))
    text = f"datasets: {{d: {{gold: 'data:{name}/{file}'}}}}\nsystems: {{A: no.txt}}\nmetrics: [m2]\n"
    assert any(where in problem for problem in problems(text))


@pytest.mark.usefixtures("nothing")
def test_all_that_can_be_fetched_leaves_out_what_cannot(
    tmp_path: Path, run_line: RunLine
) -> None:
    (tmp_path / "mirror").mkdir(exist_ok=True)
    result = run_line(f"data fetch --all --mirror {tmp_path}/mirror")
    assert result.code == 2
    assert "conll14: " in result.out
    assert not any(f"{name}: " in result.out + result.err for name in GIVEN)


def test_what_configs_can_name_is_there() -> None:
    names = list(Catalogue.known().scorables())
    assert names[:3] == ["conll14", "jfleg/dev", "jfleg/test"]
    for name in names:
        found = Catalogue.known().scorable(name)
        assert found.source.size
        assert len(found.references) == len(set(found.references)) > 1
        assert all(NAME.fullmatch(system) for system in found.systems)
    conll = Catalogue.known().scorable("conll14")
    assert [file.name for file in conll.references] == ["NUCLEA", "NUCLEB"]
    assert (
        " ".join(conll.systems)
        == "AMU CAMB CUUI IITB INPUT IPN NTHU PKU POST RAC SJTU UFC UMC"
    )
    assert len(Catalogue.known().scorable("seeda").systems) == 15
    assert "GPT-3.5" in Catalogue.known().scorable("seeda").systems
    assert [
        file.name
        for file in Catalogue.known().scorable("reassess-gec/bn10").references
    ][::9] == [
        "references/BN1",
        "references/BN10",
    ]
    assert [
        file.key for file in Catalogue.known().scorable("jfleg/test").references
    ] == [f"jfleg/test/test.ref{n}" for n in range(4)]


def test_the_package_has_the_description_with_it() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert '"datasets.yaml", "*.files"' in text


# Origin of the numbers: the original program on the same files, see golden/README.md.
def test_a_config_in_two_lines_gives_the_golden_scores(
    here: Path, shared: Path
) -> None:
    write(
        {
            "c.yaml": "datasets: {conll14: data}\nmetrics: [gleu, {name: gleu, variant: 2016}]\noutput: {formats: []}\n"
        }
    )
    assert here.is_dir()
    _, results = stages.run(stages.prepare("c.yaml"), "run")
    for variant in ("2017", "2016"):
        known = golden(shared / "golden" / f"gleu-{variant}.conll14.txt")
        found = {
            s.system: s.score
            for s in results.scores
            if f"variant:{variant}" in s.metric
        }
        assert len(found) == 13
        assert found == pytest.approx(
            {name: known[name] for name in found}, abs=5.0000001e-7
        )
    # results tell no paths
    assert "cache" not in Path("run/results.json").read_text("utf-8")


def test_official_outputs_with_others_and_by_placeholders(here: Path) -> None:
    write({"mine/dev.txt": (here / "jfleg/dev/dev.ref0").read_bytes()})
    text = "datasets: {conll14: data, dev: data:jfleg/dev}\n"
    text += "systems: [data, 'mine/{dataset}.txt', 'data:jfleg/dev/{dataset}.{system}']\n"
    job = prepare(text + "metrics: ['gleu[iter=2]']")
    conll, jfleg = job.corpora
    assert len(conll.systems) == 13
    assert list(jfleg.systems) == ["dev", "ref0", "ref1", "ref2", "ref3", "src"]


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        (
            "datasets: {conl14: data}\n",
            "1:20: datasets.conl14",
            "no data set is called 'conl14' (did you mean 'conll14'?)",
        ),
        (
            "datasets: {j: data:jfleg}\n",
            "1:15: datasets.j",
            "has several parts; name one: jfleg/dev, jfleg/test",
        ),
        (
            "datasets: {j: data:jfleg/tset}\n",
            "1:15: datasets.j",
            "(did you mean 'jfleg/test'?)",
        ),
        (
            "datasets: {gec-ranking: data}\n",
            "1:25: datasets.gec-ranking",
            "name its files as data:gec-ranking/FILE",
        ),
        (
            "datasets: {d: {data: conll14, source: x}}\n",
            "1:31: datasets.d.source",
            "'data' gives this already",
        ),
        (
            "datasets: {j: data:jfleg/dev}\nsystems: data\n",
            "2:1: systems",
            "no data set here has outputs of its own",
        ),
        (
            "datasets: {conll14: data}\nsystems: {A: 'data:conll14/AMUU'}\n",
            "2:11: systems.A",
            "(did you mean 'AMU'?)",
        ),
        (
            "datasets: {conll14: data}\nsystems: {A: 'data:conll14'}\n",
            "systems.A",
            "names no file; expected data:conll14/FILE",
        ),
        (
            "datasets: {conll14: data}\nsystems: {A: 'data:conll14/A*', B: 'data:conll14/[IN]*'}\n",
            "systems.B",
            "files match",
        ),
        (
            "datasets: {conll14: data}\nsystems: {A: 'data:../AMU'}\n",
            "systems.A",
            "no data set is called '..'",
        ),
    ],
)
def test_what_is_named_wrong_is_told_at_its_place(
    text: str, position: str, message: str, nothing: Path
) -> None:
    assert nothing
    reported = problems(text + "metrics: [bleu]\n")
    assert any(
        position in problem and message in problem for problem in reported
    ), reported


def test_a_changed_file_is_not_scored(here: Path) -> None:
    (here / "conll14" / "NUCLEA").write_bytes(
        (here / "conll14" / "NUCLEB").read_bytes()
    )
    reported = problems(GOOD)
    assert reported == [
        f"c.yaml:1:21: datasets.conll14: conll14/NUCLEA is changed in {here} since fetched; "
        "fetch it: gec-pipeline data fetch conll14"
    ]


def test_commands_take_files_of_data_sets(
    here: Path, run_line: RunLine
) -> None:
    texts = "-s data:conll14/INPUT -r data:conll14/NUCLE* -o"
    files = f"{texts} data:conll14/AMU"
    found = json.loads(
        printed(run_line(f"score gleu[iter=2] {files} data:conll14/C* --json"))
    )
    assert [score["system"] for score in found["scores"]] == [
        f"data:conll14/{name}" for name in ("AMU", "CAMB", "CUUI")
    ]
    assert gec_pipeline(f"explain gleu {files} --line 3") == 0
    assert "did you mean 'CAMB'?" in refused(
        run_line(f"score gleu {texts} data:conll14/AMB")
    )
    (here / "conll14" / "AMU").unlink()
    assert "gec-pipeline data fetch conll14" in refused(
        run_line(f"score gleu {files}")
    )


def test_lists(nothing: Path, run_line: RunLine) -> None:
    displayed = printed(run_line("data list"))
    assert re.search(
        r"^conll14 +18 +3\.5 MB +no +not stated; MIT; Apache-2.0$",
        displayed,
        re.MULTILINE,
    )
    assert re.search(
        r"^jfleg +11 .* CC BY-NC-SA 4\.0$", displayed, re.MULTILINE
    )
    assert f"folder: {nothing}" in displayed
    displayed = printed(run_line("data list jfleg"))
    assert (
        "config   datasets: {jfleg-dev: data:jfleg/dev}: source, 4 references"
        in displayed
    )
    assert re.search(
        r"^data:jfleg/dev/dev\.src +72,726  missing$", displayed, re.MULTILINE
    )
    assert "did you mean 'jfleg'?" in refused(run_line("data list jfleq"))


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("{datasets: {conll14: data}, metrics: [gleu]}", True),
        (
            "{datasets: {d: 'data:jfleg/dev'}, metrics: [gleu], systems: data}",
            True,
        ),
        (
            "{datasets: {d: {data: conll14, keep: [1-5]}}, metrics: [gleu], systems: [data, x]}",
            True,
        ),
        ("{datasets: {d: other}, metrics: [gleu], systems: [x]}", False),
        ("{datasets: {conll14: data}, metrics: [gleu], systems: dta}", False),
        (
            "{datasets: {d: {source: s, references: [r]}}, metrics: [gleu]}",
            False,
        ),
    ],
)
def test_the_schema_knows_data(text: str, good: bool) -> None:
    assert schema_accepts(yaml.safe_load(text)) is good


def test_no_other_command_uses_the_network(
    nothing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were a socket made, the config's problems would not be what is told."""
    assert nothing
    monkeypatch.setattr(socket, "socket", None)
    assert "gec-pipeline data fetch conll14" in problems(GOOD)[0]
