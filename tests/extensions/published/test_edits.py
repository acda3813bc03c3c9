"""Published rankings by M² and I-measure: their values, and what can be run of them beside the
checkout.
"""

import csv
import gzip
import json
import re
from collections.abc import Iterator
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pipeline.data import Catalogue
from pipeline.extensions.published import recipe as published
from pipeline.extensions.published.commands.reproduce import reproduce
from tests.conftest import run
from tests.extensions.published.of_edits import (
    IN_FILES,
    OF_EDITS,
    OF_ERRANT,
    WITHOUT_RECIPE,
)
from tests.support.tables import word_list

RECIPES = published.recipes()
ANNOTATED = ("AMU", "CAMB", "CUUI", "INPUT", "POST")
AT_HAND = (
    "official-2014.combined-withalt.m2",
    "NUCLE.m2.ieval.xml",
    *(f"conll14-{name}.errant" for name in ANNOTATED),
)
"""Files of conll14-annotations that are beside the checkout, though not in the mirror."""
ERRANT = ("tp", "fp", "fn", "precision", "recall", "score")
NUMBER = re.compile(r"(?<![_0-9.])-?[0-9]+\.[0-9]+")


@pytest.fixture(scope="module")
def data(
    tmp_path_factory: pytest.TempPathFactory, shared: Path
) -> Iterator[Path]:
    """A cache of data sets with what is in the mirror, and with AT_HAND."""
    folder = tmp_path_factory.mktemp("more")
    files = {
        **Catalogue.known().data_set("conll14").files,
        **Catalogue.known().data_set("conll14-annotations").files,
    }
    for name in (*AT_HAND, "conll14.errant"):
        target = folder / files[name].address
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((shared / "edits" / "m2" / name).read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEC_PIPELINE_DATA", str(tmp_path_factory.mktemp("data")))
        for mirror in (shared / "mirror", folder):
            published.fetch_missing(
                [RECIPES[name] for name in (*OF_EDITS, *OF_ERRANT)],
                str(mirror),
                lambda _: None,
            )
        yield folder


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    "name",
    word_list("""
        arxiv1605-m2 cleme-amu cleme-conll14 coling2018-i-system
        conll14-errant conll14-ng2014-alt fb2015-i
    """),
)
def test_a_recipe_holds_on_the_files_at_hand(name: str, tmp_path: Path) -> None:
    """The checksums were compared when the files were fetched."""
    found = reproduce(RECIPES[name], tmp_path)
    assert found.message == ""
    assert found.expectations
    assert (found.expectations["missed"], found.worse) == ([], False)
    assert found.expectations["verdict"] == RECIPES[name].publication["verdict"]


def written(name: str) -> dict[str, Any]:
    """Return a recipe as text, lists and mappings."""
    return deepcopy(RECIPES[name].content)


def verdicts(
    config: dict[str, Any], folder: Path
) -> list[tuple[str, int, int]]:
    """Run a config and return for each entry of `expect` the verdict, the values and how many are
    equal.
    """
    config = {**config, "output": {"dir": str(folder / "run")}}
    (folder / "c.yaml").write_text(json.dumps(config))
    found = run(folder / "c.yaml", folder / "run").expectations
    assert found
    return [
        (entry["verdict"], entry["values"], entry["equal"])
        for entry in found["entries"]
    ]


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["tacl2016-m2", "tacl2016-i"])
def test_the_references_of_sakaguchi_that_are_here(
    name: str, tmp_path: Path
) -> None:
    """One of seven sets: the official annotators, on 1,278 sentences."""
    config = written(name)
    config["datasets"] = {"NUCLE": config["datasets"]["NUCLE"]}
    config["expect"] = [
        entry for entry in config["expect"] if entry["dataset"] == "NUCLE"
    ]
    assert verdicts(config, tmp_path) == [("exact", 13, 13)]


@pytest.mark.usefixtures("data")
def test_sentm2_of_the_source_is_that_of_seeda(tmp_path: Path) -> None:
    """Its other texts are not here. The source has 1 where an annotator left the sentence alone:
    411 of 1,312.
    """
    config = written("seeda-sentm2")
    config["systems"] = {"INPUT": "data:conll14/INPUT"}
    values = {"INPUT": config["expect"][0]["values"]["INPUT"]}
    assert values == {"INPUT": "31.33"}
    config["expect"] = [{**config["expect"][0], "values": values}]
    assert verdicts(config, tmp_path) == [("exact", 1, 1)]


@pytest.mark.usefixtures("data")
def test_the_counts_of_a_report_that_is_here(
    shared: Path, tmp_path: Path
) -> None:
    """That of AMU: 2,400 sentences with an annotator, three counts each, and who is taken of 1,312
    sentences.

    One count more is noticed.
    """
    name, packed = (
        "conll14-greco-counts",
        shared / "edits/golden/m2scorer/official-verbose.combined.AMU.gz",
    )
    report = gzip.decompress(packed.read_bytes())
    recorded = Catalogue.known().data_set("greco").files["AMU.m2-report"]
    assert sha256(report).hexdigest() == recorded.sha256
    config = written(name)
    config["systems"] = {"AMU": config["systems"]["AMU"]}
    config["expect"] = [
        {**config["expect"][0], "reports": {"AMU": str(tmp_path / "AMU")}}
    ]
    (tmp_path / "AMU").write_bytes(report)
    assert verdicts(config, tmp_path) == [
        ("exact", 3 * 2400 + 1312, 3 * 2400 + 1312)
    ]
    (tmp_path / "AMU").write_bytes(
        report.replace(b"# gold        : 15\n", b"# gold        : 16\n", 1)
    )
    assert verdicts(config, tmp_path) == [("differs", 8512, 8511)]


def table_of(rows: dict[str, list[str]], path: Path) -> None:
    """Write scores of sentences as Chollampatt and Ng have them."""
    lines = [
        f"metric\tsrc-trg\tconll14st-test\t{name}\t{number}\t{score}\n"
        for name, ours in rows.items()
        for number, score in enumerate(ours)
    ]
    path.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))


@pytest.mark.usefixtures("data")
def test_m2_of_sentences_in_a_file_as_official_counts_give_them(
    shared: Path, tmp_path: Path
) -> None:
    """The published file is not here. F0.5 of the last annotator in its form, for the systems with
    official counts.
    """
    last: dict[str, dict[int, str]] = {}
    with gzip.open(
        shared / "edits/golden/m2scorer/sentences.combined.tsv.gz",
        "rt",
        encoding="utf-8",
    ) as file:
        for row in sorted(
            csv.DictReader(file, delimiter="\t"),
            key=lambda row: int(row["annotator"]),
        ):
            correct, proposed, gold = (
                int(row[key]) for key in ("correct", "proposed", "gold")
            )
            precision, recall = (
                correct / proposed if proposed else 1.0,
                correct / gold if gold else 1.0,
            )
            below = 0.25 * precision + recall
            score = 1.25 * precision * recall / below if below else 0.0
            last.setdefault(row["system"], {})[int(row["line"])] = (
                f"{score:.12g}"
            )
    check_sentences(
        "coling2018-m2-sentence",
        {name: [ours[n] for n in sorted(ours)] for name, ours in last.items()},
        tmp_path,
    )


@pytest.mark.usefixtures("data")
def test_i_of_sentences_in_a_file_as_the_official_program_prints_them(
    shared: Path, tmp_path: Path
) -> None:
    """Of UFC, from the program's own output."""
    text = (
        shared / "edits/golden/imeasure/official-imeasure.nomix.NUCLE.UFC.txt"
    ).read_text(encoding="utf-8")
    rows = [line.split() for line in text.partition("OVERALL")[0].splitlines()]
    printed = [row[-1] for row in rows if row[1:2] == ["Cor"]]
    check_sentences("coling2018-i-sentence", {"UFC": printed}, tmp_path)


def check_sentences(
    name: str, rows: dict[str, list[str]], folder: Path
) -> None:
    """Run a recipe on its systems with scores in a file: all are equal, and one that is changed is
    noticed.
    """
    config, count = written(name), sum(map(len, rows.values()))
    config["systems"] = {system: config["systems"][system] for system in rows}
    (entry,) = config["expect"]
    entry["table"]["file"] = str(folder / "scores.txt.gz")
    table_of(rows, folder / "scores.txt.gz")
    assert count == 1312 * len(rows)
    assert verdicts(config, folder) == [("exact", count, count)]
    first = next(iter(rows.values()))
    first[2] = "0.51"
    table_of(rows, folder / "scores.txt.gz")
    assert verdicts(config, folder) == [("differs", count, count - 1)]


# ---- what recipes say


@pytest.fixture(scope="module")
def on_record(shared: Path) -> dict[str, Any]:
    """The published results by metrics of edits, by name."""
    content = json.loads(
        (shared / "edits" / "published-m2.json").read_text(encoding="utf-8")
    )
    return {item["id"]: item for item in content["items"]}


def numbers(value: Any) -> list[str]:
    """Return the numbers in texts, lists and mappings, as they are written."""
    if isinstance(value, dict | list):
        return [
            text
            for child in (value.values() if isinstance(value, dict) else value)
            for text in numbers(child)
        ]
    return NUMBER.findall(str(value))


def test_every_result_on_record_has_its_recipe(
    on_record: dict[str, Any],
) -> None:
    assert sorted(
        name for names in OF_EDITS.values() for name in names
    ) == sorted(on_record)


def test_the_first_version_of_an_output_has_the_values_that_the_last_one_misses() -> (
    None
):
    both = [
        written(name)
        for name in ("conll14-emnlp2016", "conll14-emnlp2016-first")
    ]
    every, first = (
        [entry["values"]["best.sparse+wikilm"] for entry in one["expect"]]
        for one in both
    )
    assert first == every
    assert (
        both[0]["systems"]["best.sparse+wikilm"] in both[1]["systems"].values()
    )
    assert len(first) == 3


@pytest.mark.parametrize(
    "name",
    sorted(
        set(OF_EDITS) - IN_FILES - {"conll14-errant", "conll14-emnlp2016-first"}
    ),
)
def test_the_values_of_recipes_are_those_on_record(
    name: str, on_record: dict[str, Any]
) -> None:
    """Every published number as often as there, and none that is neither published nor of the
    official program.
    """
    expected = sorted(
        text
        for entry in written(name)["expect"]
        for text in numbers(entry["values"])
    )
    results = [on_record[result] for result in OF_EDITS[name]]
    known = [
        number for result in results for number in numbers(result["published"])
    ]
    for result in results if "ng2014" in name else ():
        official = {
            system: ours
            for system, ours in result["ours"].items()
            if system not in result["published"]
        }
        known += numbers(official)
    assert expected == sorted(known or numbers(["0.429", "3.4"]))


def test_the_values_of_errant_are_those_of_the_official_program(
    shared: Path,
) -> None:
    """Six numbers of five systems in four modes, as errant_compare prints them."""
    compared = 0
    for entry in written("conll14-errant")["expect"]:
        option = {"cs": "", "cse": "-cse", "ds": "-ds", "dt": "-dt"}[
            entry["metric"][len("errant[mode=") : -1]
        ]
        for system, value in entry["values"].items():
            text = (
                shared / "edits" / "golden" / "errant-compare" / f"{system}.txt"
            ).read_text(encoding="utf-8")
            printed = text.partition(
                f"-hyp conll14-{system}.errant -ref conll14.errant {option}\n"
            )[2].splitlines()
            row = next(
                line.split("\t") for line in printed if line[:1].isdigit()
            )
            assert value == dict(zip(ERRANT, row, strict=True))[entry["output"]]
            compared += 1
    assert compared == 6 * 5 * 4


@pytest.mark.parametrize("name", OF_EDITS)
def test_the_files_of_recipes_are_those_on_record(
    name: str, on_record: dict[str, Any], shared: Path
) -> None:
    """Each file has the bytes of one that published results were computed of, or of one beside the
    checkout.
    """
    further = json.loads(
        (shared / "published" / "gec-more.json").read_text(encoding="utf-8")
    )["items"]
    known = {
        file["sha256"]
        for result in (*on_record.values(), *further)
        for file in result["files"]
    }
    known |= {
        sha256((shared / "edits" / "m2" / file).read_bytes()).hexdigest()
        for file in (*AT_HAND, "conll14.errant")
    }
    assert RECIPES[name].files
    assert {file.sha256 for file in RECIPES[name].files} <= known


# ---- ERRANT and CLEME


@pytest.fixture(scope="module")
def on_errant_record(shared: Path) -> dict[str, Any]:
    """The published results by ERRANT and CLEME, by name."""
    content = json.loads(
        (shared / "edits" / "published-errant.json").read_text(encoding="utf-8")
    )
    return {item["id"]: item for item in content["items"]}


def test_every_result_by_errant_has_a_recipe_or_a_reason(
    on_errant_record: dict[str, Any],
) -> None:
    assert {
        name for name in OF_ERRANT.values() if name
    } | WITHOUT_RECIPE == set(on_errant_record)


@pytest.mark.parametrize(
    "name", [name for name, result in OF_ERRANT.items() if result]
)
def test_the_values_by_errant_are_those_on_record(
    name: str, on_errant_record: dict[str, Any]
) -> None:
    """Every value of a recipe is one of its result, for the same system where the result names it
    so.
    """
    result = on_errant_record[OF_ERRANT[name] or ""]["published"]
    known = {
        float(text)
        for text in re.findall(r"-?[0-9]+(?:\.[0-9]+)?", json.dumps(result))
    }
    entries = written(name)["expect"]
    values = [
        (system, float(text))
        for entry in entries
        for system, text in entry["values"].items()
    ]
    assert values
    assert {value for _, value in values} <= known
    for system, value in values:
        if system in result:
            assert value in [
                float(text)
                for text in re.findall(r"[0-9.]+", json.dumps(result[system]))
            ]


def test_the_values_of_cleme_are_those_of_the_official_program(
    shared: Path,
) -> None:
    """Eight numbers of three systems for a corpus, four for sentences, with both kinds of
    references.
    """
    printed = {
        path.stem: dict(
            line.split(" ", 1)
            for line in path.read_text(encoding="utf-8").splitlines()
        )
        for path in (shared / "edits" / "golden" / "cleme-v1").glob("*.txt")
    }
    compared = 0
    for entry in written("cleme-conll14")["expect"]:
        mode, _, key = entry["title"].replace(", ", "-").partition(": ")
        for system, value in entry["values"].items():
            text_printed = re.search(
                rf"'{key}': (?:np\.float64\()?([0-9.]+)", printed[mode][system]
            )
            assert text_printed
            assert float(text_printed[1]) == float(value)
            compared += 1
    assert compared == 3 * (8 + 8 + 4 + 4)


@pytest.mark.parametrize(
    ("beta", "key"), [("0.5", "beta 0.5"), ("2", "beta 2")]
)
def test_errant_of_gec_metrics(
    beta: str, key: str, on_errant_record: dict[str, Any], tmp_path: Path
) -> None:
    """The tests of gec-metrics: the score of three sentences, and of each of them."""
    item = on_errant_record["gec-metrics-test"]
    for name, text in item["m2"].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    config = {
        "datasets": {"d": {"gold": str(tmp_path / "ref")}},
        "systems": {"A": {"m2": str(tmp_path / "hyp")}},
        "metrics": [f"errant[beta={beta}]"],
        "expect": [
            {"values": {"A": str(item["published"][key]["corpus"])}},
            {
                "sentences": "all",
                "values": {
                    "A": [
                        str(value)
                        for value in item["published"][key]["sentences"]
                    ]
                },
            },
        ],
    }
    assert verdicts(config, tmp_path) == [("exact", 1, 1), ("exact", 3, 3)]
