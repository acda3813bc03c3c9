"""Configs of several parts, several data sets, and what of them is wanted."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
import yaml

from pipeline import stages
from pipeline.data.config import Overrides
from pipeline.metrics.build import from_text
from tests.config_files import (
    CONFIG,
    TEXTS,
    lines,
    output,
    prepare,
    problems,
    schema_accepts,
    write,
)
from tests.conftest import RunLine, gec_pipeline, printed, refused

TWO = """\
datasets:
  d: {source: s.txt, references: [r.txt]}
  e: {source: s.txt, references: [r.txt, s.txt]}
systems: {A: a.txt, B: r.txt}
metrics: ['gleu[iter=2]', 'gleu[n=2,iter=2]']
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(dict(TEXTS))


def cells(job: stages.Job) -> list[tuple[str, str, str]]:
    found = []
    for corpus, metric in product(job.corpora, job.metrics):
        order = str(dict(metric.settings())["n"])
        found += [(corpus.name, name, order) for name in corpus.systems]
    return found


# include
def test_what_is_included_is_merged_deeply_and_the_file_itself_wins() -> None:
    write(
        {
            "one.yaml": "datasets: {d: {source: s.txt, references: [r.txt]}}\nmetrics: [gleu]\n"
            "output: {digits: 3, dir: x}\n",
            "two.yaml": "datasets: {d: {references: [r.txt, s.txt]}}\noutput: {dir: y}\n",
        }
    )
    config = prepare(
        "include: [one.yaml, two.yaml]\nsystems: {A: a.txt}\noutput: {formats: [json]}\n"
    ).config
    assert (
        config.parsed.output.digits,
        config.parsed.output.dir,
        config.parsed.output.formats,
    ) == (
        3,
        "y",
        ["json"],
    )
    assert [str(reference) for reference in config.datasets[0].references] == [
        "r.txt",
        "s.txt",
    ]


def test_relative_paths_are_against_the_file_that_wrote_them() -> None:
    write(
        {
            "f/one.yaml": "datasets: {d: {source: s.txt, references: [g/r.txt]}}\ninclude: [g/two.yaml]\n"
        }
    )
    write(
        {
            "f/g/two.yaml": "systems: {A: a.txt}\n",
            "f/s.txt": "a\n",
            "f/g/r.txt": "b\n",
            "f/g/a.txt": "c\n",
        }
    )
    corpus = prepare("include: [f/one.yaml]\nmetrics: [gleu]\n").corpora[0]
    assert [lines(text) for text in corpus.texts] == [["a"], ["b"], ["c"]]


def test_problems_point_into_the_file_that_has_them() -> None:
    write(
        {
            "f/one.yaml": "x-a: 1\ndatasets:\n  d: {sorce: s.txt, references: [r.txt]}\noutput: {digits: 99}\n"
        }
    )
    assert problems(
        "include: [f/one.yaml]\nsystems: {A: a.txt}\nmetrics: [glue]\n"
    )[:2] == [
        "f/one.yaml:3:7: datasets.d.sorce: unknown key (did you mean 'source'?)",
        "f/one.yaml:4:10: output.digits: input should be less than or equal to 12, found '99'",
    ]


@pytest.mark.parametrize(
    ("included", "message"),
    [
        ("[none.yaml]", "none.yaml: no such file (did you mean 'one.yaml'?)"),
        ("[c.yaml]", "c.yaml:1:11: include[0]: 'c.yaml' includes itself"),
        (
            "[one.yaml]",
            "one.yaml:1:11: include[0]: 'c.yaml' includes itself, through others",
        ),
        (
            "['http://x.org/a.yaml']",
            "c.yaml:1:11: include[0]: 'http://x.org/a.yaml' is not a local file; only local files can be included",
        ),
        ("one.yaml", "c.yaml:1:1: include: expected a list of files"),
        ("[[]]", "c.yaml:1:11: include[0]: expected a path"),
        ("[s.txt]", "c.yaml:1:11: include[0]: s.txt is no part of a config"),
        (
            '["a\\0b"]',
            "c.yaml:1:11: include[0]: 'a\\x00b' cannot be read: no path has a NUL character",
        ),
        (
            "[twice.yaml]",
            "twice.yaml:2:1: the key 'a' is given twice (first on line 1)",
        ),
        (
            "[tag.yaml]",
            "tag.yaml:1:4: the tag '!!python/name:os.system' is not allowed: a config holds text, lists, mappings",
        ),
    ],
)
def test_wrong_includes_are_told(included: str, message: str) -> None:
    write(
        {
            "one.yaml": "include: [c.yaml]\n",
            "twice.yaml": "a: 1\na: 2\n",
            "tag.yaml": "a: !!python/name:os.system\n",
        }
    )
    assert message in problems(f"include: {included}\n{CONFIG}")


def test_files_may_be_included_by_several() -> None:
    write(
        {
            f"{n}.yaml": f"include: [{n + 1}.yaml, {n + 1}.yaml]\n"
            for n in range(40)
        }
    )
    write({"40.yaml": "output: {digits: 5}\n"})
    assert (
        prepare(f"include: [0.yaml]\n{CONFIG}").config.parsed.output.digits == 5
    )


def test_many_includes_are_refused() -> None:
    write({f"{n}.yaml": "a: 1\n" for n in range(101)})
    names = ", ".join(f"{n}.yaml" for n in range(101))
    assert "100.yaml: more than 100 files are included" in problems(
        f"include: [{names}]\n{CONFIG}"
    )


# defaults
@pytest.mark.parametrize(
    ("defaults", "message"),
    [
        (
            "{metric: {}}",
            "c.yaml:1:12: defaults.metric: unknown key (did you mean 'metrics'?)",
        ),
        (
            "{metrics: []}",
            "c.yaml:1:12: defaults.metrics: expected a mapping (key: value), found a list",
        ),
        (
            "{metrics: {iter: 3}}",
            "c.yaml:1:22: defaults.metrics.iter: no metric takes this default: every metric sets it itself",
        ),
        (
            "{metrics: {seed: 3}}",
            "c.yaml:1:22: defaults.metrics.seed: no metric takes this default: none has a use for it",
        ),
        (
            "{metrics: {n: 10}}",
            "c.yaml:1:22: defaults.metrics.n: expected a whole number from 1 to 9, found '10'",
        ),
    ],
)
def test_wrong_defaults_are_told(defaults: str, message: str) -> None:
    assert message in problems(f"defaults: {defaults}\n{CONFIG}")


def test_defaults_of_metrics() -> None:
    text = (
        "defaults: {metrics: {seed: 5, sampler: numpy, order: 3}}\n"
        + CONFIG.replace(
            "['gleu[iter=2]']",
            "[gleu, {name: gleu, references: max}, 'gleu|n:2|rng:python3', google_gleu]",
        )
    )
    first, best, third, other = prepare(text).metrics
    assert first == from_text("gleu[seed=5,rng=numpy,n=3]")
    assert best == from_text("gleu[refs=max,n=3]")
    assert third == from_text("gleu[n=2,rng=python3]")
    assert other == from_text("google_gleu[n=3]")


@pytest.mark.parametrize("order", [1, -1])
def test_defaults_are_taken_that_have_an_effect_only_together(
    order: int,
) -> None:
    """The flavour alone would leave the value that the metric has without effect, and so would the
    method alone.
    """
    arguments = ["flavour: nltk", "smoothing: method1"][::order]
    text = (
        f"defaults: {{metrics: {{{', '.join(arguments)}}}}}\n"
        + CONFIG.replace("gleu[iter=2]", "bleu[value=0.3]")
    )
    assert prepare(text).metrics == (
        from_text("bleu[flavour=nltk,smooth=method1,value=0.3]"),
    )


@pytest.mark.parametrize(
    ("first", "taken"),
    [
        ("sampler: numpy, level: mean", "rng=numpy"),
        ("level: mean, sampler: numpy", "level=mean"),
    ],
)
def test_of_defaults_that_exclude_each_other_the_first_is_taken(
    first: str, taken: str
) -> None:
    metrics = "[gleu, 'gleu[n=3,level=corpus]', google_gleu]"
    text = f"defaults: {{metrics: {{{first}}}}}\n" + CONFIG.replace(
        "['gleu[iter=2]']", metrics
    )
    assert prepare(text).metrics[0] == from_text(f"gleu[{taken}]")


# --set
@pytest.mark.parametrize(
    ("setting", "key", "value"),
    [
        ("output.digits=4", "digits", 4),
        ("output={digits: 5, dir: z}", "digits", 5),
        ("output.dir=a=b", "dir", "a=b"),
        ("output.formats=[csv]", "formats", ["csv"]),
        ("output.formats.1=json", "formats", ["json", "json"]),
    ],
)
def test_a_setting_changes_the_config(
    setting: str, key: str, value: object
) -> None:
    config = prepare(
        CONFIG + "output: {formats: [json, csv]}\n", settings=(setting,)
    ).config
    assert getattr(config.parsed.output, key) == value


def test_settings_are_applied_in_order_and_names_may_have_dots() -> None:
    job = prepare(
        CONFIG.replace("A:", "v1.0:"),
        settings=(
            "systems.v1.0=r.txt",
            "metrics.0=gleu",
            "metrics.0={name: gleu, n: 2}",
        ),
    )
    assert lines(job.corpora[0].systems["v1.0"]) == TEXTS["r.txt"].splitlines()
    assert job.metrics == (from_text("gleu[n=2]"),)


def test_paths_of_settings_are_against_the_working_directory() -> None:
    write(
        {
            "f/c.yaml": CONFIG.replace(" s.txt", " ../s.txt").replace(
                "[r.txt]", "[../r.txt]"
            )
        }
    )
    config = stages.prepare(
        "f/c.yaml", overrides=Overrides(("systems.A=a.txt",))
    ).config
    assert [str(path) for path in config.systems[0].paths.values()] == ["a.txt"]


@pytest.mark.parametrize(
    ("metric", "settings", "same"),
    [
        ("gleu", ["order=3"], "gleu[n=3]"),
        ("gleu[n=2,refs=max]", ["order=3"], "gleu[n=3,refs=max]"),
        (
            "gleu|n:2|refs:max",
            ["n=3", "variant=2016"],
            "gleu[variant=2016,n=3,refs=max]",
        ),
        ({"name": "gleu", "n": 2}, ["order=3"], "gleu[n=3]"),
        ("gleu", ["order=[1, 3]"], "gleu[n=1]"),
    ],
)
def test_an_option_is_added_to_a_metric_however_it_is_written(
    metric: object, settings: list[str], same: str
) -> None:
    text = CONFIG.replace("['gleu[iter=2]']", json.dumps([metric]))
    job = prepare(
        text, settings=tuple(f"metrics.0.{setting}" for setting in settings)
    )
    assert job.metrics[0] == from_text(same)


def test_options_stand_beside_a_name_with_options() -> None:
    def written(beside: str) -> str:
        return CONFIG.replace(
            "'gleu[iter=2]'", f"{{name: 'gleu[n=3]', {beside}: 2}}"
        )

    assert prepare(written("iterations")).metrics == (
        from_text("gleu[n=3,iter=2]"),
    )
    assert problems(written("order")) == [
        "c.yaml:3:31: metrics[0].order: is given twice: 'order' and 'n' are the same option"
    ]
    assert problems(written("n")) == [
        "c.yaml:3:12: metrics[0].name: 'gleu[n=3]': 'n' is given a second time outside the text"
    ]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            "digits",
            "--set digits: expected KEY=VALUE, such as output.digits=4 or metrics.0.order=3",
        ),
        (
            "a..b=1",
            "--set a..b=1: expected KEY=VALUE, such as output.digits=4 or metrics.0.order=3",
        ),
        (
            "output.digit=1",
            "--set output.digit=1: output.digit: unknown key (did you mean 'digits'?)",
        ),
        (
            "output.digits=x",
            "--set output.digits=x: output.digits: expected a whole number, found 'x'",
        ),
        (
            "metrics.3=gleu",
            "--set metrics.3=gleu: 'metrics' has 1 items, numbered from 0; there is no '3'",
        ),
        (
            "metrics.x=gleu",
            "--set metrics.x=gleu: 'metrics' has 1 items, numbered from 0; there is no 'x'",
        ),
        (
            "metrics.0.ordr=3",
            "--set metrics.0.ordr=3: metrics[0].ordr: gleu has no such option (did you mean 'order'?)",
        ),
        (
            "systems.A.x=3",
            "--set systems.A.x=3: 'systems.A' is the text 'a.txt', which has no keys",
        ),
        (
            "run.n_jobs=",
            "--set run.n_jobs=: run.n_jobs: expected 'auto' or a number of workers from 1, found nothing",
        ),
        (
            "systems.B=none",
            "--set systems.B=none: systems.B: none: no such file",
        ),
        (
            "output=[",
            "--set output=[:1:2: not valid YAML: expected the node content, but found '<stream end>'",
        ),
        (
            "output=!!python/name:os.system",
            "--set output=!!python/name:os.system:1:1: the tag '!!python/name:os.system' is not allowed: "
            "a config holds text, lists, mappings",
        ),
        (f"{'a.' * 3000}b=1", None),
    ],
)
def test_a_wrong_setting_is_told(setting: str, message: str | None) -> None:
    found = problems(settings=(setting,))
    assert found if message is None else message in found


# --only
@pytest.mark.parametrize(
    ("only", "expected"),
    [
        ((), 8),
        (("A",), 4),
        (("d",), 4),
        (("d", "A"), 2),
        (("A", "B"), 8),
        (("[AB]", "e"), 4),
        (("gleu",), 8),
        (("gleu|*|n:2|*", "A", "e"), 1),
    ],
)
def test_only_what_matches_is_scored(
    only: tuple[str, ...], expected: int
) -> None:
    found = cells(prepare(TWO, *only))
    assert len(found) == expected
    assert set(found) <= set(cells(prepare(TWO)))


def test_files_that_are_not_wanted_are_not_opened() -> None:
    assert cells(prepare(TWO.replace("B: r.txt", "B: none"), "A", "d")) == [
        ("d", "A", "4"),
        ("d", "A", "2"),
    ]


def test_a_pattern_that_matches_nothing_is_told() -> None:
    (found,) = problems(CONFIG, "AA")
    assert found.startswith(
        "--only AA: matches no data set, system or metric (did you mean 'A'?); there are d, A, gleu, gleu|"
    )
    text = TWO.replace("B: r.txt", "B: {d: r.txt}")
    assert problems(text, "B", "e") == [
        "--only B e: no system that matches has an output for a data set that matches"
    ]


def test_what_was_left_out_is_kept_and_told() -> None:
    stages.run(prepare(TWO), "out")
    before = {
        path: path.read_bytes()
        for path in Path("out/statistics").rglob("*.columns")
    }
    job = prepare(TWO, "A")
    assert job.warnings[0] == "only A of the config: ranks are among those here"
    stages.run(job, "out")
    assert {
        path: path.read_bytes()
        for path in Path("out/statistics").rglob("*.columns")
    } == before


# The matrix.
def test_systems_may_have_outputs_for_some_datasets_only() -> None:
    write({"b.jsonl": '{"h": "x"}\n' * 3})
    job = prepare(
        TWO.replace("B: r.txt", "B: {e: {jsonl: b.jsonl, column: h}}")
    )
    assert [list(corpus.systems) for corpus in job.corpora] == [
        ["A"],
        ["A", "B"],
    ]


def test_a_glob_without_a_file_for_a_dataset_is_told() -> None:
    write(
        {
            "o/d/A": TEXTS["a.txt"],
            "o/e/A": TEXTS["a.txt"],
            "o/e/B": TEXTS["r.txt"],
        }
    )
    job = prepare(TWO.replace("{A: a.txt, B: r.txt}", "['o/{dataset}/*']"))
    assert job.warnings[0] == "d: no output of system B matches"


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        (
            "{A: {d: a.txt}}",
            "c.yaml:3:3: datasets.e: no system has an output for this data set",
        ),
        (
            "{A: a.txt, B: {}}",
            "c.yaml:4:21: systems.B: has no output; name one for at least one data set",
        ),
        (
            "{A: a.txt, a: a.txt}",
            "c.yaml:4:21: systems.a: differs from 'A' in upper and lower case only",
        ),
        (
            "{A: a.txt, A: a.txt}",
            "c.yaml:4:21: the key 'A' is given twice (first on line 4)",
        ),
    ],
)
def test_an_incomplete_matrix_is_told(systems: str, message: str) -> None:
    assert message in problems(TWO.replace("{A: a.txt, B: r.txt}", systems))


def test_a_dataset_cannot_have_the_name_of_a_file_format() -> None:
    assert (
        "c.yaml:1:12: datasets.tsv: 'tsv' is the name of a file format, so no data set can have it"
        in problems(CONFIG.replace("{d:", "{tsv:"))
    )


# The command line.
def test_a_dry_run_tells_and_makes_nothing(
    run_line: RunLine,
) -> None:
    write({"c.yaml": TWO + "output: {dir: out}\n"})
    assert gec_pipeline("run c.yaml --only A --only d -q") == 0
    before = {path: path.stat().st_mtime_ns for path in Path("out").rglob("*")}
    rows = [
        line.split()
        for line in printed(
            run_line("run c.yaml --only d --dry-run -q")
        ).splitlines()
    ]
    assert [(row[0], row[1], row[3], " ".join(row[4:])) for row in rows] == [
        ("dataset", "system", "lines", "counts"),
        ("d", "A", "3", "counted"),
        ("d", "B", "3", "to do"),
        ("d", "A", "3", "counted"),
        ("d", "B", "3", "to do"),
    ]
    assert {
        path: path.stat().st_mtime_ns for path in Path("out").rglob("*")
    } == before
    assert gec_pipeline("run c.yaml --dry-run -q --output new") == 0
    assert not Path("new").exists()


def test_a_folder_of_somebody_else_is_refused_before_any_work(
    run_line: RunLine,
) -> None:
    write({"c.yaml": CONFIG, "mine/thesis.txt": "text\n"})
    for more in ([], ["--dry-run"]):
        assert (
            "mine: holds files but no run.json, so no run of this program made it"
            in refused(run_line("run c.yaml --output mine", *more))
        )


def test_validate_tells_what_there_is(
    run_line: RunLine,
) -> None:
    write(
        {
            "q.txt": "a b x\n\n\n",
            "c.yaml": CONFIG.replace(
                "[r.txt]", "[r.txt, q.txt], empty_references: none"
            ),
        }
    )
    header, *rows = printed(
        run_line("validate c.yaml --set metrics.0=gleu")
    ).splitlines()
    assert header.split() == [
        "dataset",
        "role",
        "lines",
        "tokens",
        "empty",
        "file",
    ]
    assert [row.split() for row in rows[:4]] == [
        ["d", "source", "3", "9", "0", "s.txt"],
        ["d", "reference", "1", "3", "9", "0", "r.txt"],
        ["d", "reference", "2", "3", "3", "2", "q.txt"],
        ["d", "system", "A", "3", "9", "0", "a.txt"],
    ]
    assert rows[4] == "d: 1 to 2 references a line, 1.33 on average"


def test_settings_and_patterns_are_taken_by_the_command_line(
    run_line: RunLine,
) -> None:
    write({"c.yaml": TWO})
    found = json.loads(
        printed(
            run_line(
                "run c.yaml --only A --set output.dir=z --set metrics.0=google_gleu --json"
            )
        )
    )
    assert {(s["dataset"], s["system"]) for s in found["scores"]} == {
        ("d", "A"),
        ("e", "A"),
    }
    assert Path("z/results.json").exists()


# The schema.
@pytest.mark.parametrize(
    "text",
    [
        "include: [x.yaml]\n",
        TWO,
        CONFIG.replace("a.txt", "{d: {jsonl: x, column: y}}"),
        CONFIG.replace("a.txt", "{tsv: x, column: 2, header: true}"),
        CONFIG.replace(
            "references: [r.txt]",
            "m2: x, missing_annotator: none, keep: [1-100, 418]",
        ),
        CONFIG.replace("references: [r.txt]", "gold: f, drop: lines.txt"),
        f"defaults: {{metrics: {{order: 3}}}}\n{CONFIG}run: {{max_unpacked: 1000}}\n",
    ],
)
def test_the_schema_knows_the_forms(text: str) -> None:
    assert schema_accepts(yaml.safe_load(text))


@pytest.mark.parametrize(
    "value", ["{jsonl: x}", "{jsonl: x, colum: y}", "[x]", "5"]
)
def test_the_schema_refuses_other_forms(value: str) -> None:
    data = yaml.safe_load(CONFIG.replace("[r.txt]", f"[{value}]"))
    assert not schema_accepts(data)


# ~, variables of the environment and {name} in paths


def long(*settings: str) -> list[list[str]]:
    """Return what each text of the data set and the system is, with the config as it is plus
    settings.
    """
    config = prepare(settings=settings).config
    texts = [
        config.datasets[0].source,
        *config.datasets[0].references,
        *config.systems[0].paths.values(),
    ]
    return [Path(str(text)).read_text("utf-8").splitlines() for text in texts]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with all texts in the folder texts, and variables that name it."""
    write({f"home/texts/{name}": text for name, text in TEXTS.items()})
    for name, value in {
        "HOME": tmp_path / "home",
        "TEXTS": tmp_path / "home" / "texts",
        "ONE": "a",
    }.items():
        monkeypatch.setenv(name, str(value))
    return tmp_path / "home"


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "path",
    [
        "~/texts/a.txt",
        "$TEXTS/a.txt",
        "${TEXTS}/${ONE}.txt",
        "~/texts/$ONE.*",
        "$TEXTS/?.txt",
    ],
)
def test_home_and_variables_stand_in_paths(path: str) -> None:
    if "?" in path:
        (Path.home() / "texts" / "s.txt").rename("s2.txt")
        (Path.home() / "texts" / "r.txt").rename("r2.txt")
    assert long(f"systems.A={path}")[-1] == TEXTS["a.txt"].splitlines()
    if "?" not in path:
        source = path.replace("*", "txt")
        assert long(
            f"datasets.d.source={source}", f"datasets.d.references=['{path}']"
        )[:2] == 2 * [TEXTS["a.txt"].splitlines()]


@pytest.mark.usefixtures("home")
def test_home_and_variables_stand_in_globs_of_systems_and_in_includes() -> None:
    write(
        {
            "home/texts/b.txt": TEXTS["a.txt"],
            "home/more.yaml": "output: {digits: 4}\n",
        }
    )
    config = prepare(
        CONFIG + "include: [$HOME/more.yaml]\n",
        settings=("systems=['$TEXTS/[ab].txt']",),
    ).config
    assert [system.name for system in config.systems] == ["a", "b"]
    assert config.parsed.output.digits == 4
    named = prepare(
        settings=("systems=['~/texts/{system}.txt']",), text=CONFIG
    ).config
    assert {"a", "b", "r", "s"} == {system.name for system in named.systems}


def test_a_variable_that_is_not_set_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CORPORA", raising=False)
    monkeypatch.setenv("CORPORA_", "x")
    message = "the environment variable CORPORA is not set (did you mean 'CORPORA_'?), and no file is called"
    assert problems(output("$CORPORA/a.txt")) == [
        f"c.yaml:2:11: systems.A: {message} '$CORPORA/a.txt'"
    ]
    assert problems(CONFIG + "include: [$CORPORA/x.yaml]\n") == [
        f"c.yaml:4:11: include[0]: {message} '$CORPORA/x.yaml'"
    ]
    assert (
        gec_pipeline("run c.yaml --set include=[] --output $CORPORA/run") == 2
    )


def test_a_file_with_a_dollar_in_its_name_wins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("X", "nothing")
    write(
        {
            "$X.txt": TEXTS["a.txt"],
            "~.txt": TEXTS["a.txt"],
            "{name}.txt": TEXTS["a.txt"],
        }
    )
    for name in ("$X.txt", "~.txt", "{name}.txt"):
        config = prepare(output(json.dumps(name))).config
        assert [str(path) for path in config.systems[0].paths.values()] == [
            name
        ]


def test_name_is_that_of_the_system_or_data_set() -> None:
    write({"A.out": TEXTS["a.txt"], "d.ref": TEXTS["r.txt"]})
    text = output("'{name}.out'").replace("r.txt", "'{name}.ref'")
    config = prepare(text).config
    assert [str(path) for path in config.systems[0].paths.values()] == ["A.out"]
    assert [str(path) for path in config.datasets[0].references] == ["d.ref"]


@pytest.mark.usefixtures("home")
def test_a_run_directory_may_be_in_the_home_folder() -> None:
    prepare()
    assert gec_pipeline("run c.yaml -q --output ~/one") == 0
    assert gec_pipeline("run c.yaml -q --set output.dir=$HOME/two") == 0
    assert gec_pipeline("show $HOME/one") == 0
    assert {"one", "two"} <= {path.name for path in Path.home().iterdir()}
    assert not Path("~").exists()
