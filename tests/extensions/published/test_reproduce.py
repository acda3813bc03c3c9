"""Published results by their recipes: on real data beside the checkout, and on invented files of
its form.

TrueSkill of large campaigns takes minutes: PIPELINE_SLOW=1.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from pipeline import stages
from pipeline.cli.commands.schema import json_schema
from pipeline.cli.dispatch import main
from pipeline.data import catalogue
from pipeline.data.catalogue import DataSet
from pipeline.extension import Extension
from pipeline.extensions.page.page import as_yaml
from pipeline.extensions.published import recipe as published
from pipeline.extensions.published.commands.reproduce import reproduce
from pipeline.metrics.build import from_text
from pipeline.tokenizers.tokenization import Tokenization
from tests.conftest import ROOT, SHARED
from tests.extensions.errant.stand_in import put_in
from tests.extensions.published.of_edits import ELSEWHERE, OF_EDITS, OF_ERRANT
from tests.extensions.published.stand_ins import is_invented, write_mirror
from tests.support.commands import Call

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
BEYOND = (
    "wmt",
    "unieval",
    "metaeval",
    "opinsummeval",
    "arabic-gec",
    "text-editing",
)
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
            name,
            marks=[pytest.mark.exhaustive] if name in OVER_TWO_SECONDS else [],
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
    assert published.fetch_missing([recipe], None, lambda _: None) == []
    found = reproduce(recipe, tmp_path)
    assert found.message == ""
    assert found.expectations
    missed = [
        entry for entry in found.expectations["entries"] if entry["missed"]
    ]
    assert (missed, found.worse) == ([], False)
    assert found.expectations["verdict"] == recipe.publication["verdict"]


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("name", ["jfleg-source", "jfleg-reference"])
def test_the_part_of_jfleg_that_is_here(name: str, tmp_path: Path) -> None:
    """The dev part of a recipe whose test part is not in the mirror."""
    files = [file for file in RECIPES[name].files if "/dev." in file.name]
    dev = published.Recipe(name, RECIPES[name].path, {}, tuple(files))
    assert published.fetch_missing([dev], None, lambda _: None) == []
    config = written(dev.path)
    del config["datasets"]["test"]
    del config["systems"]["SOURCE"]["test"]
    config["expect"] = [
        entry for entry in config["expect"] if entry["dataset"] == "dev"
    ]
    (tmp_path / "dev.yaml").write_text(json.dumps(config), encoding="utf-8")
    found = stages.run(stages.prepare(tmp_path / "dev.yaml"), tmp_path / "run")[
        1
    ].expectations
    assert found
    assert (found["verdict"], found["missed"]) == ("rounding", [])


def without_um(m2: str, annotator: int) -> str:
    """Return the text after an annotator's edits but those of type Um; the first annotator's where
    there are none.
    """
    lines = []
    for block in m2.strip("\n").split("\n\n"):
        source, *rows = block.split("\n")
        edits = [row[2:].split("|||") for row in rows]
        own = [edit for edit in edits if edit[5] == str(annotator)] or [
            edit for edit in edits if edit[5] == "0"
        ]
        words = source[2:].split(" ")
        for span, kind, text, *_ in reversed(own):
            start, end = map(int, span.split())
            if start >= 0 and kind != "Um":
                words[start:end] = text.split(" ") if text else []
        lines.append(" ".join(words) + "\n")
    return "".join(lines)


@pytest.mark.usefixtures("data")
def test_coling_2018_on_its_references_made_again(
    tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository is not in the mirror, but its references come out of the M2 file, byte by
    byte.
    """
    conll, coling = (
        catalogue.data_set("conll14"),
        catalogue.data_set("gecmetrics-2018"),
    )
    m2 = (
        (shared / "mirror" / conll.files["official-2014.combined.m2"].address)
        .read_bytes()
        .decode()
    )
    made = {
        "source": (
            shared / "mirror" / conll.files["source"].address
        ).read_bytes()
    }
    made |= {
        f"ref{number}": without_um(m2, number).encode() for number in (0, 1)
    }
    for name, text in made.items():
        target = tmp_path / "mirror" / coling.files[name].address
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    recipe = RECIPES["coling2018-gleu-system"]
    published.fetch_missing([recipe], None, lambda _: None)
    monkeypatch.setenv("GEC_PIPELINE_MIRROR", str(tmp_path / "mirror"))
    # that is, the checksums are right
    assert published.fetch_missing([recipe], None, lambda _: None) == []
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
    if isinstance(value, dict):
        return {number for child in value.values() for number in numbers(child)}
    if isinstance(value, list):
        return {number for child in value for number in numbers(child)}
    found = set()
    for text in str(value).strip("()").split(","):
        try:
            found.add(Decimal(text).normalize())
        except InvalidOperation:
            continue
    return found


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for child in value.values() for text in texts(child)]
    return (
        [text for child in value for text in texts(child)]
        if isinstance(value, list)
        else [str(value)]
    )


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
        known = [
            [
                "INPUT" if system in ("src", "source") else system
                for system in values
            ]
        ]
        orders = [
            entry["order"] for entry in config["expect"] if "order" in entry
        ]
        assert known[0] in [
            ["INPUT" if system == "src" else system for system in order]
            for order in orders
        ]
        return
    said = numbers([entry.get("values") for entry in config["expect"]])
    said |= {
        n
        for text in config["publication"].get("not_compared", [])
        for n in numbers(re.findall(r"[\d.]+\d", text))
    }
    if name == "gjg-table3b-ranges":
        values = {
            system: ranks
            for system, ranks in values.items()
            if system != "clusters"
        }
    assert numbers(values) - said == set()


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
    start = (
        f"# Recipes: `gec-pipeline reproduce {recipe.family}` runs"
        if recipe.family
        else "# A recipe: `gec-pipeline"
    )
    assert text.startswith(
        start if recipe.family else f"{start} reproduce {name}` runs it"
    )
    config = recipe.content if recipe.family else written(recipe.path)
    assert config["expect"]
    assert config["output"]["dir"] == f"runs/{name}"
    jsonschema.Draft202012Validator(config_schema()).validate(
        yaml.safe_load(as_yaml(config))
        if recipe.family
        else yaml.safe_load(text)
    )
    if name != "conll14-gleu-13":
        assert {"what", "cite", "url", "recipe", "verdict"} <= set(
            config["publication"]
        )
    assert all(
        "/" not in text or text.startswith(("data:", "http"))
        for text in texts(config.get("systems", {}))
    )


# ---- recipes whose data is not here, on invented files of the same form


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, DataSet]:
    return write_mirror(tmp_path_factory.getbasetemp() / "stand-ins")


@pytest.fixture
def stand_ins(
    invented: Mapping[str, DataSet],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Path]:
    """Data sets described by the checksums of invented files, in a mirror of these; returns the
    mirror.
    """
    mirror = tmp_path_factory.getbasetemp() / "stand-ins"
    monkeypatch.setenv(
        "GEC_PIPELINE_DATA", str(tmp_path_factory.getbasetemp() / "invented")
    )
    monkeypatch.setattr(catalogue, "catalogue", lambda: invented)
    published.recipes.cache_clear()
    yield mirror
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


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.exhaustive] * (name not in TRIED))
        for name in BOTH
    ],
)  # of the files at hand, the test above asks more
def test_a_recipe_runs_on_files_of_the_form_of_its_data(
    name: str, stand_ins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It finds its files, and every value that it expects has one of ours to be compared with."""
    if name == "e2e-challenge":
        skip_without_packages(name)
    put_in(monkeypatch)
    if name == "wmt23-printed-en-ja":
        pytest.importorskip("MeCab")
    recipe = published.recipes()[name]
    assert (
        published.fetch_missing([recipe], str(stand_ins), lambda _: None) == []
    )
    found = reproduce(recipe, tmp_path)
    assert found.message == ""
    assert found.expectations
    for entry in found.expectations["entries"]:
        assert entry["message"] is None
        assert entry["values"] > 0
        assert all(one["found"] is not None for one in entry["compared"])
    # the texts are invented
    assert found.expectations["verdict"] in (
        "differs",
        "partly",
        "not published",
    )


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
    call: Call,
) -> None:
    slow = [name for name, recipe in RECIPES.items() if recipe.slow]
    assert len(slow) == 2
    main(["reproduce", "--all", "--no-fetch"])
    told = capsys.readouterr().err.splitlines()
    assert (
        told[0]
        == f"left out, as they take minutes: {', '.join(slow)} (--slow runs them too)"
    )
    for arguments in (["--slow"], ["-q"]):
        main(["reproduce", "--all", "--no-fetch", *arguments])
        assert "left out" not in capsys.readouterr().err


@pytest.mark.usefixtures("empty")
def test_without_names_the_results_are_listed(
    call: Call,
) -> None:
    said = call("reproduce").out
    names = {recipe.family or name for name, recipe in RECIPES.items()}
    assert all(
        re.search(rf"^{re.escape(name)} ", said, re.MULTILINE) for name in names
    )
    assert max(map(len, said.splitlines())) <= 120
    assert (
        said.splitlines()[-1]
        == "what has no recipe, and why: gec-pipeline help reproduce"
    )
    assert "## What has no recipe\n" in (
        ROOT / "pipeline" / "extensions" / "published" / "help" / "reproduce.md"
    ).read_text(encoding="utf-8")
    assert (
        "--format json: has no effect where nothing runs"
        in call("reproduce --list koyama-* --json", code=2).err
    )


def test_a_recipe_is_shown_as_it_is(call: Call) -> None:
    assert call("reproduce --show koyama-corpus").out == RECIPES[
        "koyama-corpus"
    ].path.read_text(encoding="utf-8")


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("more", [[], ["--no-fetch"]])
def test_without_data_it_says_what_to_fetch(
    call: Call, more: list[str]
) -> None:
    said = call("reproduce koyama-corpus seeda-gleu", *more, code=2)
    assert (
        "koyama-corpus: not run: 5 files are not here: gec-pipeline data fetch conll14\n"
        in said.out
    )
    assert (
        "seeda-gleu: not run: 18 files are not here: gec-pipeline data fetch conll14 seeda\n"
        in said.out
    )
    assert said.err.endswith(
        "error: 2 of 2 results could not be run: see above\n"
    )


def test_what_can_be_run_is_run(empty: Path, shared: Path, call: Call) -> None:
    arguments = [
        "reproduce",
        "arxiv1605-rho",
        "opinsummeval-system",
        "arxiv1605-places",
        "--mirror",
        str(shared / "mirror"),
    ]
    said = call("", *arguments, code=3)
    assert re.search(
        r"^arxiv1605-rho +4 of 4 +0\.00049 +rounding +rounding",
        said.out,
        re.MULTILINE,
    )
    assert (
        "opinsummeval-system: not run: 1 file is not here: gec-pipeline data fetch opinsummeval"
        in said.out
    )
    assert "is not there" in said.err
    found = {
        one["name"]: one
        for one in json.loads(call("", *arguments, "--json", "-q", code=3).out)[
            "results"
        ]
    }
    assert found["arxiv1605-rho"]["verdict"] == "rounding"
    assert found["opinsummeval-system"]["verdict"] is None
    assert [
        one["expected"]
        for entry in found["arxiv1605-places"]["entries"]
        for one in entry["compared"]
    ] == [
        "2.9",
        "2.6",
    ]
    assert re.search(
        r"0\.555 +0\.55495 ",
        call(
            "",
            *arguments,
            "--verbose",
            "-q",
            "--output",
            str(empty / "kept"),
            code=3,
        ).out,
    )
    assert (empty / "kept" / "arxiv1605-rho" / "results.json").is_file()


def test_data_of_the_user_is_taken_from_a_folder(
    stand_ins: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    """A link in the cache. What is not fetched is told, with the folder that is lacking."""
    files = {
        key: replace(file, how_to_obtain="get it there")
        for key, file in catalogue.catalogue()["pillars"].files.items()
    }
    sets = {
        **catalogue.catalogue(),
        "pillars": replace(catalogue.catalogue()["pillars"], files=files),
    }
    monkeypatch.setattr(catalogue, "catalogue", lambda: sets)
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "data"))
    published.recipes.cache_clear()
    arguments = ["reproduce", "pillars-conll14", "--mirror", str(stand_ins)]
    said = call("", *arguments, code=2)
    told = f"9 files are not here: pillars: get it there; then put it at {tmp_path / 'data' / 'pillars'}"
    assert told in " ".join(said.out.split())
    assert (
        "pillars: is not fetched; get it there"
        in call("data fetch pillars", code=2).err
    )
    folder = tmp_path / "mine"
    for file in files.values():
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.name).write_bytes(
            (stand_ins / file.address).read_bytes()
        )
    (tmp_path / "data" / "pillars").symlink_to(folder, target_is_directory=True)
    # the texts are invented
    assert re.search(
        r"^pillars-conll14 +[0-9]+ of 27 .* differs WORSE +partly ",
        call("", *arguments, code=1).out,
        re.MULTILINE,
    )


@pytest.mark.usefixtures("empty")
def test_a_worse_verdict_ends_with_1(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
) -> None:
    own = Extension(
        name="own", about="own", package="own", recipes=str(tmp_path)
    )
    monkeypatch.setattr(Extension, "folder", property(lambda _: tmp_path))
    monkeypatch.setattr(published, "installed", lambda: {"own": own})
    text = (
        RECIPES["arxiv1605-places"]
        .path.read_text(encoding="utf-8")
        .replace("values: 2.6", "values: 2.7")
    )
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    published.recipes.cache_clear()
    try:
        call("reproduce own", code=1)
    finally:
        published.recipes.cache_clear()
    said = capsys.readouterr().out
    assert re.search(
        r"^own +1 of 2 +0\.085 +partly WORSE +rounding", said, re.MULTILINE
    )
    assert (
        said.splitlines()[-1]
        == "own: missed: 2. GLEU0: expected 2.7, found 2.615"
    )
    text = text.replace(
        "values: 2.7",
        "tolerance: 0.1\n    why: so that it fits\n    values: 2.7",
    )
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    try:
        call("reproduce own", code=1)
    finally:
        published.recipes.cache_clear()
    said = capsys.readouterr().out
    assert (
        said.splitlines()[-1]
        == "own: missed: the verdict is tolerance, on record is rounding"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["koyama-corpse"],
            "no published result is called 'koyama-corpse' (did you mean 'koyama-corpus'?)",
        ),
        (
            ["--all", "koyama-corpus"],
            "--all: name results, or take all of them",
        ),
        (["koyama-corpus", "--slow"], "--slow: has no effect without --all"),
        (
            ["--show", "koyama-m*"],
            "--show: shows one recipe; 'koyama-m*' means koyama-max-verbose, koyama-max,",
        ),
        (
            ["--show", "koyama-max", "gjg-bleu"],
            "--show: shows one recipe and runs none; found gjg-bleu beside it",
        ),
    ],
)
def test_what_cannot_be_asked(
    arguments: list[str], message: str, call: Call
) -> None:
    assert message in call("reproduce", *arguments, code=2).err


@pytest.mark.usefixtures("data")
def test_deviation_and_interval_as_the_original_program_prints_them(
    shared: Path, tmp_path: Path
) -> None:
    """Mean, deviation and interval over the draws for AMU, by the original program with -d."""
    recipe = RECIPES["koyama-corpus"]
    assert published.fetch_missing([recipe], None, lambda _: None) == []
    printed = (
        (shared / "golden" / "gleu-2017.conll14.AMU.debug.txt")
        .read_text(encoding="utf-8")
        .splitlines()[-1]
    )
    found = re.search(r"(0\.\d+)\D+(0\.\d+)\D+(0\.\d+),(0\.\d+)", printed)
    assert found, printed
    mean, std, low, high = found.groups()
    config = written(recipe.path)
    config["expect"] = [
        {"values": {"AMU": mean}},
        {"output": "samples.std", "values": {"AMU": std}},
        {"output": "samples.interval", "values": {"AMU": [low, high]}},
    ]
    config["human"] = {"file": str(tmp_path / "people.txt")}
    (tmp_path / "people.txt").write_text(
        "AMU 4\nCAMB 3\nINPUT 1\nREF0 5\n", encoding="utf-8"
    )
    config["expect"].append(
        {
            "path": "human/correlations/1/coefficients/spearman/value",
            "values": "0.80",
        }
    )
    (tmp_path / "own.yaml").write_text(json.dumps(config), encoding="utf-8")
    results = stages.run(
        stages.prepare(tmp_path / "own.yaml"), tmp_path / "run"
    )[1].expectations
    assert results
    assert [entry["verdict"] for entry in results["entries"]] == ["exact"] * 4
