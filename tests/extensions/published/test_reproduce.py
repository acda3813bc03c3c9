"""Published results by their recipes: on real data beside the checkout, and on invented files of
its form.

TrueSkill of large campaigns takes minutes: PIPELINE_SLOW=1.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from pipeline.cli.commands.schema import json_schema
from pipeline.cli.dispatch import main
from pipeline.data import Catalogue, DataSet
from pipeline.extension import Extension
from pipeline.extensions.page.page import as_yaml
from pipeline.extensions.published import recipe as published
from pipeline.extensions.published.commands.reproduce import reproduce
from pipeline.metrics.build import from_text
from pipeline.tokenizers import Tokenization
from tests.conftest import ROOT, SHARED, run
from tests.extensions.errant.stand_in import put_in
from tests.extensions.published.of_edits import ELSEWHERE, OF_EDITS, OF_ERRANT
from tests.extensions.published.stand_ins import is_invented, write_mirror
from tests.support.in_process import Call
from tests.support.tables import table

HELP = ROOT / "pipeline" / "extensions" / "published" / "help" / "reproduce.md"
SLOW = os.environ.get("PIPELINE_SLOW") == "1"
MIRROR = SHARED / "mirror"
RECIPES = published.recipes()
HERE = [
    name
    for name, recipe in RECIPES.items()
    if all((MIRROR / file.address).is_file() for file in recipe.files)
]
UNSEEN = [name for name, recipe in RECIPES.items() if name not in HERE]
NOT_AT_HAND = {
    "gjg-table6",
    "gjg-table7",
    "coling2018-gleu-sentence",
    "acl2015-pairs",
    "jfleg-pseudodata",
}
"""Items whose published values are words, or of which there are none."""
BEYOND = ("wmt", "unieval", "metaeval", "opinsummeval", "arabic-gec", "text-editing")  # fmt: skip
"""How the names of recipes of other fields and languages begin; see test_families.py."""
OF_PAPERS = {name for name in RECIPES if not name.startswith(BEYOND)} - {
    *OF_EDITS,
    *OF_ERRANT,
    *ELSEWHERE,
}


@pytest.fixture(scope="module")
def data(
    tmp_path_factory: pytest.TempPathFactory, shared: Path
) -> Iterator[Path]:
    """A cache of data sets that is filled from the mirror."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("data")
        patch.setenv("GEC_PIPELINE_DATA", str(folder))
        patch.setenv("GEC_PIPELINE_MIRROR", str(shared / "mirror"))
        yield folder


def skip_without_packages(name: str) -> None:
    """Skip the test of a recipe that needs packages which are not installed."""
    if name == "e2e-challenge" and not (
        find_spec("pycocoevalcap") and shutil.which("java")
    ):
        pytest.skip(
            "its tokens and METEOR are made by Java: pip install --no-deps pycocoevalcap"
        )
    if name in OF_ERRANT and not (
        find_spec("errant") and find_spec("en_core_web_sm")
    ):
        pytest.skip(
            "its texts are annotated: pip install errant and the model en_core_web_sm"
        )


def test_every_published_result_has_its_recipe(
    published: dict[str, Any],
) -> None:
    assert {name for name in RECIPES if not name.startswith(BEYOND)} == {
        *published,
        *OF_EDITS,
        *OF_ERRANT,
        *ELSEWHERE,
    }
    assert len(HERE) >= 35  # so that the tests below do not run on nothing


OVER_TWO_SECONDS = {
    "coling2018-corr",
    "e2e-bleu-nist",
    "e2e-challenge",
    "tacl2016-i",
    "tacl2016-m2",
}
"""Recipes on data beside the checkout that take longer than two seconds."""


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=[pytest.mark.exhaustive] * (name in OVER_TWO_SECONDS)
        )
        for name in HERE
    ],
)
def test_a_recipe_holds_on_the_published_data(
    name: str, tmp_path: Path
) -> None:
    recipe = RECIPES[name]
    if recipe.slow and not SLOW:
        pytest.skip("takes minutes; set PIPELINE_SLOW=1")
    skip_without_packages(name)
    assert published.fetch_missing([recipe], None, print) == []
    found = reproduce(recipe, tmp_path)
    assert found.message == ""
    assert found.expectations
    assert not any(one["missed"] for one in found.expectations["entries"])
    assert not found.worse
    assert found.expectations["verdict"] == recipe.publication["verdict"]


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["jfleg-source", "jfleg-reference"])
def test_the_part_of_jfleg_that_is_here(name: str, tmp_path: Path) -> None:
    """The dev part of a recipe whose test part is not in the mirror."""
    recipe = RECIPES[name]
    files = [file for file in recipe.files if "/dev." in file.name]
    dev = replace(recipe, publication={}, files=tuple(files))
    assert published.fetch_missing([dev], None, print) == []
    config = written(dev.path)
    del config["datasets"]["test"]
    del config["systems"]["SOURCE"]["test"]
    entries = config["expect"]
    config["expect"] = [one for one in entries if one["dataset"] == "dev"]
    found = expectations(config, tmp_path)
    assert (found["verdict"], found["missed"]) == ("rounding", [])


def expectations(config: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run a config; return what is said of its expectations."""
    (folder / "own.yaml").write_text(json.dumps(config))
    found = run(folder / "own.yaml", folder / "run").expectations
    assert found
    return found


def without_um(m2: str, annotator: int) -> bytes:
    """Return the text after an annotator's edits but those of type Um; the first annotator's where
    there are none.
    """
    lines = []
    for block in m2.strip("\n").split("\n\n"):
        source, *rows = block.split("\n")
        edits: dict[str, list[list[str]]] = {"0": []}
        for row in rows:
            edit = row[2:].split("|||")
            edits.setdefault(edit[5], []).append(edit)
        words = source[2:].split(" ")
        for span, kind, text, *_ in reversed(
            edits.get(str(annotator), edits["0"])
        ):
            start, end = map(int, span.split())
            if start >= 0 and kind != "Um":
                words[start:end] = text.split(" ") if text else []
        lines.append(" ".join(words) + "\n")
    return "".join(lines).encode()


@pytest.mark.usefixtures("data")
def test_coling_2018_on_its_references_made_again(
    tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository is not in the mirror, but its references come out of the M2 file, byte by
    byte.
    """
    conll = Catalogue.known().data_set("conll14").files
    m2, source = (
        (shared / "mirror" / conll[name].address).read_bytes()
        for name in ("official-2014.combined.m2", "source")
    )
    texts = {"source": source}
    texts |= {f"ref{n}": without_um(m2.decode(), n) for n in (0, 1)}
    for name, text in texts.items():
        file = Catalogue.known().data_set("gecmetrics-2018").files[name]
        target = tmp_path / "mirror" / file.address
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    recipe = RECIPES["coling2018-gleu-system"]
    published.fetch_missing([recipe], None, print)
    monkeypatch.setenv("GEC_PIPELINE_MIRROR", str(tmp_path / "mirror"))
    # that is, the checksums are right
    assert published.fetch_missing([recipe], None, print) == []
    found = reproduce(recipe, tmp_path).expectations
    assert found
    assert (found["verdict"], found["missed"]) == ("rounding", [])


@pytest.mark.parametrize(
    "name",
    [name for name in UNSEEN if name.startswith(("tacl2016-gleu", "jfleg-"))],
)
def test_exact_figures_of_python_2_split_at_ascii_white_space(
    name: str,
) -> None:
    """There the no-break space is part of a word; REF-M of SEEDA has one."""
    if (
        RECIPES[name].publication["verdict"] == "exact"
        or name == "tacl2016-gleu"
    ):
        (metric,) = written(RECIPES[name].path)["metrics"]
        assert from_text(metric).spec.tokenization == Tokenization(
            "ascii_whitespace"
        )


# ---- what recipes say


def written(path: Path) -> dict[str, Any]:
    """Return a config as text, lists and mappings."""
    text = path.read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, yaml.BaseLoader)  # noqa: S506
    return found


def numbers(value: Any) -> set[Decimal]:
    """Return all numbers in lists, mappings and text such as (0.525,0.558)."""
    found = set()
    for text in leaves(value):
        for part in text.strip("()").split(","):
            with suppress(InvalidOperation):
                found.add(Decimal(part).normalize())
    return found


def leaves(value: Any) -> list[str]:
    """Return all texts in lists and mappings."""
    if not isinstance(value, dict | list):
        return [str(value)]
    children = value.values() if isinstance(value, dict) else value
    return [text for child in children for text in leaves(child)]


@pytest.mark.parametrize("name", sorted(OF_PAPERS - NOT_AT_HAND))
def test_the_values_of_recipes_are_those_on_record(
    name: str, published: dict[str, Any]
) -> None:
    """Every number of published.json stands in the recipe: expected, or named as not compared.
    Orders are equal.
    """
    config = written(RECIPES[name].path)
    values = published[name]["published"]
    if isinstance(values, list) and isinstance(values[0], str):
        inputs = {"src": "INPUT", "source": "INPUT"}
        orders = [
            [inputs.get(system, system) for system in order]
            for order in (
                values,
                *(e.get("order", []) for e in config["expect"]),
            )
        ]
        assert orders[0] in orders[1:]
        return
    known = numbers([entry.get("values") for entry in config["expect"]])
    not_compared = " ".join(config["publication"].get("not_compared", []))
    known |= numbers(re.findall(r"[\d.]+\d", not_compared))
    if name == "gjg-table3b-ranges":
        del values["clusters"]
    assert numbers(values) <= known


@cache
def config_schema() -> Any:
    """Return the JSON Schema of configs, made once for all recipes."""
    return json.loads(json_schema())


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_are_configs_that_say_where_their_numbers_stand(
    name: str,
) -> None:
    recipe = RECIPES[name]
    text = recipe.path.read_text(encoding="utf-8")
    if recipe.family:
        start = f"# Recipes: `gec-pipeline reproduce {recipe.family}` runs"
        config, plain = recipe.content, as_yaml(recipe.content)
    else:
        start = f"# A recipe: `gec-pipeline reproduce {name}` runs it"
        config, plain = written(recipe.path), text
    assert text.startswith(start)
    assert config["expect"]
    assert config["output"]["dir"] == f"runs/{name}"
    jsonschema.Draft202012Validator(config_schema()).validate(
        yaml.load(plain, yaml.CSafeLoader)
    )
    if name != "conll14-gleu-13":
        keys = {"what", "cite", "url", "recipe", "verdict"}
        assert keys <= set(config["publication"])
    for path in leaves(config.get("systems", {})):
        assert "/" not in path or path.startswith(("data:", "http"))


# ---- recipes whose data is not here, on invented files of the same form


@dataclass(frozen=True)
class Invented:
    """A mirror of invented files, data sets with their checksums, and the recipes of these."""

    mirror: Path
    sets: Mapping[str, DataSet]
    recipes: Mapping[str, published.Recipe]


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Invented:
    # the recipes are read once for all tests, since that takes seconds
    mirror = tmp_path_factory.mktemp("stand-ins")
    sets = write_mirror(mirror)
    with pytest.MonkeyPatch.context() as patch:
        known = Catalogue(sets)
        patch.setattr(Catalogue, "known", lambda: known)
        published.recipes.cache_clear()
        recipes = published.recipes()
    published.recipes.cache_clear()
    return Invented(mirror, sets, recipes)


@pytest.fixture
def stand_ins(
    invented: Invented,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Invented:
    """Data sets described by the checksums of invented files."""
    cache = tmp_path_factory.getbasetemp() / "invented"
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(cache))
    known = Catalogue(invented.sets)
    monkeypatch.setattr(Catalogue, "known", lambda: known)
    return invented


@pytest.fixture
def read_anew() -> Iterator[None]:
    """Recipes are read anew in the test and after it."""
    published.recipes.cache_clear()
    yield
    published.recipes.cache_clear()


WITHOUT_SHARED = [
    name
    for name, recipe in RECIPES.items()
    if all(is_invented(file) for file in recipe.files)
]
KNOWN = (
    "koyama",
    "conll14-gleu",
    "arxiv",
    "gecmetrics-paper",
    "gecmetrics-seeda",
)
"""How the names of recipes begin that run on the files beside the checkout."""
BOTH = [
    name
    for name in WITHOUT_SHARED
    if not name.startswith(KNOWN) or name in OF_EDITS
]
OF_ONE_FORM = {
    (
        recipe.family,
        str(recipe.content.get("metrics")),
        len(recipe.mapping("datasets")),
    ): name
    for name, recipe in RECIPES.items()
    if recipe.family and name in BOTH
}
"""A recipe of each family, choice of metrics and number of data sets: the others of a file differ
in names alone."""
TRIED = [
    name
    for name in UNSEEN
    if not RECIPES[name].family or name in OF_ONE_FORM.values()
]


# of the files beside the checkout, the test above asks more
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.exhaustive] * (name not in TRIED))
        for name in BOTH
    ],
)
def test_a_recipe_runs_on_files_of_the_form_of_its_data(
    name: str,
    stand_ins: Invented,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It finds its files, and every value that it expects has one of ours to be compared with."""
    if name == "e2e-challenge":
        skip_without_packages(name)
    put_in(monkeypatch)
    if name == "wmt23-printed-en-ja":
        pytest.importorskip("MeCab")
    recipe = stand_ins.recipes[name]
    fetched = published.fetch_missing([recipe], str(stand_ins.mirror), print)
    assert fetched == []
    found = reproduce(recipe, tmp_path)
    assert found.message == ""
    assert found.expectations
    for entry in found.expectations["entries"]:
        assert entry["message"] is None
        assert entry["values"] > 0
        assert all(one["found"] is not None for one in entry["compared"])
    # the texts are invented
    verdicts = ("differs", "partly", "not published")
    assert found.expectations["verdict"] in verdicts


@pytest.mark.usefixtures("shared")
def test_the_unseen_recipes_are_tried() -> None:
    assert set(UNSEEN) <= set(BOTH)


# ---- the command


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A computer without data sets and network."""
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "data"))
    (tmp_path / "mirror").mkdir()
    monkeypatch.setenv("GEC_PIPELINE_MIRROR", str(tmp_path / "mirror"))
    return tmp_path


@pytest.mark.usefixtures("empty")
def test_all_says_which_slow_ones_it_leaves_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    slow = [name for name, recipe in RECIPES.items() if recipe.slow]
    assert len(slow) == 2
    note = f"left out, as they take minutes: {', '.join(slow)} (--slow runs them too)"
    for option, notice in ((), note), (("--slow",), ""), (("-q",), ""):
        main(["reproduce", "--all", "--no-fetch", *option])
        err = capsys.readouterr().err
        assert err.startswith(note) == bool(notice)
        assert ("left out" in err) == bool(notice)


@pytest.mark.usefixtures("empty")
def test_without_names_the_results_are_listed(call: Call) -> None:
    lines = call("reproduce").out.splitlines()
    names = {recipe.family or name for name, recipe in RECIPES.items()}
    assert names <= {line.partition(" ")[0] for line in lines}
    assert max(map(len, lines)) <= 120
    last = "what has no recipe, and why: gec-pipeline help reproduce"
    assert lines[-1] == last
    assert "## What has no recipe\n" in HELP.read_text(encoding="utf-8")
    err = call("reproduce --list koyama-* --json", code=2).err
    assert "--format json: has no effect where nothing runs" in err


def test_a_recipe_is_shown_as_it_is(call: Call) -> None:
    assert call("reproduce --show koyama-corpus").out == RECIPES[
        "koyama-corpus"
    ].path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("more", ["", "--no-fetch"])
def test_without_data_it_says_what_to_fetch(call: Call, more: str) -> None:
    out, err = call(f"reproduce koyama-corpus seeda-gleu {more}", code=2)
    fetch = "files are not here: gec-pipeline data fetch"
    assert f"koyama-corpus: not run: 5 {fetch} conll14\n" in out
    assert f"seeda-gleu: not run: 18 {fetch} conll14 seeda\n" in out
    assert err.endswith("error: 2 of 2 results could not be run: see above\n")


def test_what_can_be_run_is_run(empty: Path, shared: Path, call: Call) -> None:
    names = "arxiv1605-rho opinsummeval-system arxiv1605-places"
    command = f"reproduce {names} --mirror {shared / 'mirror'}"
    out, err = call(command, code=3)
    row = r"^arxiv1605-rho +4 of 4 +0\.00049 +rounding +rounding"
    assert re.search(row, out, re.MULTILINE)
    fetch = "1 file is not here: gec-pipeline data fetch opinsummeval"
    assert f"opinsummeval-system: not run: {fetch}" in out
    assert "is not there" in err
    results = json.loads(call(f"{command} --json -q", code=3).out)["results"]
    rho, system, indices = sorted(
        results, key=lambda one: names.index(one["name"])
    )
    assert (rho["verdict"], system["verdict"]) == ("rounding", None)
    entries = [entry["compared"] for entry in indices["entries"]]
    assert [one["expected"] for (one,) in entries] == ["2.9", "2.6"]
    chosen = empty / "kept"
    out = call(f"{command} --verbose -q --output {chosen}", code=3).out
    assert re.search(r"0\.555 +0\.55495 ", out)
    assert (chosen / "arxiv1605-rho" / "results.json").is_file()


@pytest.mark.usefixtures("read_anew")
def test_data_of_the_user_is_taken_from_a_folder(
    stand_ins: Invented,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    """A link in the cache. What is not fetched is told, with the folder that is missing."""
    pillars = stand_ins.sets["pillars"]
    files = {
        key: replace(file, how_to_obtain="get it there")
        for key, file in pillars.files.items()
    }
    sets = {**stand_ins.sets, "pillars": replace(pillars, files=files)}
    known = Catalogue(sets)
    monkeypatch.setattr(Catalogue, "known", lambda: known)
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "data"))
    link = tmp_path / "data" / "pillars"
    command = f"reproduce pillars-conll14 --mirror {stand_ins.mirror}"
    out = call(command, code=2).out
    message = (
        f"9 files are not here: pillars: get it there; then put it at {link}"
    )
    assert message in " ".join(out.split())
    err = call("data fetch pillars", code=2).err
    assert "pillars: is not fetched; get it there" in err
    for file in files.values():
        target = tmp_path / "mine" / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(stand_ins.mirror / file.address, target)
    link.symlink_to(tmp_path / "mine", target_is_directory=True)
    out = call(command, code=1).out  # the texts are invented
    row = r"^pillars-conll14 +[0-9]+ of 27 .* differs WORSE +partly "
    assert re.search(row, out, re.MULTILINE)


@pytest.mark.usefixtures("empty", "read_anew")
def test_a_worse_verdict_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    ours = Extension(
        name="own", about="own", package="own", recipes=str(tmp_path)
    )
    monkeypatch.setattr(Extension, "folder", property(lambda _: tmp_path))
    monkeypatch.setattr(published, "installed", lambda: {"own": ours})
    recipe = RECIPES["arxiv1605-places"].path.read_text(encoding="utf-8")
    for values, message in (
        ("values: 2.7", "2. GLEU0: expected 2.7, found 2.615"),
        (
            "tolerance: 0.1\n    why: so that it fits\n    values: 2.7",
            "the verdict is tolerance, on record is rounding",
        ),
    ):
        text = recipe.replace("values: 2.6", values)
        (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
        published.recipes.cache_clear()
        out = call("reproduce own", code=1).out
        assert out.splitlines()[-1] == f"own: missed: {message}"
        if "tolerance" not in values:
            row = r"^own +1 of 2 +0\.085 +partly WORSE +rounding"
            assert re.search(row, out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    table("""
        koyama-corpse               no published result is called 'koyama-corpse' (did you mean 'koyama-corpus'?)
        --all koyama-corpus         --all: name results, or take all of them
        koyama-corpus --slow        --slow: has no effect without --all
        --show koyama-m*            --show: shows one recipe; 'koyama-m*' means koyama-max-verbose, koyama-max,
        --show koyama-max gjg-bleu  --show: shows one recipe and runs none; found gjg-bleu beside it
    """),
)
def test_wrong_use(arguments: str, message: str, call: Call) -> None:
    assert message in call(f"reproduce {arguments}", code=2).err


@pytest.mark.usefixtures("data")
def test_deviation_and_interval_as_the_original_program_prints_them(
    shared: Path, tmp_path: Path
) -> None:
    """Mean, deviation and interval over the draws for AMU, by the original program with -d."""
    recipe = RECIPES["koyama-corpus"]
    assert published.fetch_missing([recipe], None, print) == []
    golden = shared / "golden" / "gleu-2017.conll14.AMU.debug.txt"
    printed = golden.read_text(encoding="utf-8").splitlines()[-1]
    mean, std, *interval = re.findall(r"0\.\d+", printed)
    config = written(recipe.path)
    config["expect"] = [
        {"values": {"AMU": mean}},
        {"output": "samples.std", "values": {"AMU": std}},
        {"output": "samples.interval", "values": {"AMU": interval}},
        {
            "path": "human/correlations/1/coefficients/spearman/value",
            "values": "0.80",
        },
    ]
    judges = tmp_path / "people.txt"
    judges.write_text("AMU 4\nCAMB 3\nINPUT 1\nREF0 5\n")
    config["human"] = {"file": str(judges)}
    entries = expectations(config, tmp_path)["entries"]
    assert [entry["verdict"] for entry in entries] == ["exact"] * 4
