"""The command line: what is printed where, and with which exit code."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest

import pipeline
from pipeline import stages
from pipeline._version import __version__
from pipeline.cli.commands.help import help_pages
from pipeline.cli.dispatch import commands
from pipeline.extension import known_names
from pipeline.metrics import METRICS
from pipeline.report.terminal.printing import print_table
from pipeline.scoring.results import Results
from pipeline.tokenizers import TOKENIZERS
from tests.conftest import (
    ROOT,
    RunLine,
    Said,
    read_json,
    refused,
    tree,
    write_json,
    write_run,
    write_texts,
)
from tests.support.extensions import with_extension
from tests.support.programs import program

PACKAGE = Path(str(pipeline.__file__)).parent
TOPICS = sorted(help_pages())


@pytest.fixture
def call(
    run_line: RunLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> RunLine:
    """Run the command line in a folder of its own, within this process."""
    monkeypatch.chdir(tmp_path)
    return run_line


@pytest.fixture
def quickstart(tmp_path: Path) -> str:
    """The sample that ships, in a folder of its own."""
    shutil.copytree(ROOT / "data", tmp_path / "data")
    (tmp_path / "configs").mkdir()
    shutil.copy(ROOT / "configs" / "quickstart.yaml", tmp_path / "configs")
    return "configs/quickstart.yaml"


# ---- without a command


def test_without_a_command_the_help_is_printed(call: RunLine) -> None:
    result = call()
    assert (result.code, result.err) == (0, "")
    assert all(
        re.search(rf"^ +{name}\s+\w", result.out, re.MULTILINE)
        for name in commands()
    )


def test_version_tells_the_kernel(call: RunLine, kernel: str) -> None:
    assert call("--version") == Said(
        0, f"gec-pipeline {__version__} (kernel: {kernel})\n", ""
    )


def test_an_unknown_kernel_is_told_with_the_nearest_name(
    call: RunLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPELINE_KERNEL", "natvie")
    expected = "error: PIPELINE_KERNEL: expected one of auto, native, python, found 'natvie' (did you mean 'native'?)\n"
    assert call("--version") == Said(2, "", expected)


def test_an_unknown_command_is_told_with_the_nearest_name(
    call: RunLine,
) -> None:
    message = refused(call("vaildate x"))
    assert message.startswith(
        "error: no command 'vaildate' (did you mean 'validate'?); known: run, validate"
    )
    assert message.endswith("See `gec-pipeline --help`.\n")


@pytest.mark.parametrize(
    "arguments",
    [
        "run",
        "run a b",
        "run a --nonsense",
        "run a --n-jobs 0",
        "run a --n-jobs ٣",
        "run a --n-jobs -1",
        "run a --backend lokky",
        "run a --digits 13",
        "list",
        "list metric",
        "--nonsense",
    ],
)
def test_wrong_use_gives_exit_code_2_and_one_message(
    call: RunLine, arguments: str
) -> None:
    message = refused(call(arguments))
    assert message.startswith("error: ")
    assert len(message.splitlines()) == 2
    assert message.splitlines()[1].startswith("See `gec-pipeline")


@pytest.mark.parametrize("name", commands())
def test_every_command_has_help_with_an_example(
    call: RunLine, name: str
) -> None:
    result = call(f"{name} --help")
    assert (result.code, result.err) == (0, "")
    assert f"usage: gec-pipeline {name}" in result.out
    assert f"  gec-pipeline {name}" in result.out.partition("examples:")[2]


# ---- help


@pytest.mark.parametrize("name", commands())
@pytest.mark.parametrize("width", [60, 80, 97])
def test_examples_alone_go_on_behind_a_backslash(
    call: RunLine, monkeypatch: pytest.MonkeyPatch, name: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = call(f"{name} --help").out.splitlines()
    assert [
        line
        for line in lines
        if line.endswith("gec-") or re.match(r"\S.*\\$", line)
    ] == []


def test_help_finds_a_word_on_all_pages(call: RunLine) -> None:
    code, printed, _ = call("help cohen")
    lines = printed.splitlines()
    assert code == 0
    assert {line.partition(": ")[0] for line in lines} >= {"statistics", "ter"}
    assert all("cohen" in line.lower() for line in lines)


def test_help_finds_curves_as_people_call_them(call: RunLine) -> None:
    for words in ("checkpoints", "training curve"):
        assert "reports: " in call("help", words)[1]


def test_help_lists_its_topics(call: RunLine) -> None:
    result = call("help")
    assert result.code == 0
    assert [line.split()[0] for line in result.out.splitlines()] == TOPICS
    assert all(len(line.split()) > 1 for line in result.out.splitlines())


def test_every_topic_is_printed_as_it_is_written(call: RunLine) -> None:
    for topic in TOPICS:
        page = help_pages()[topic].read_text("utf-8")
        assert page.startswith("# ")
        assert call(f"help {topic}") == Said(0, page, "")


def test_every_topic_that_messages_and_templates_name_is_there() -> None:
    text = "".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    named = set(re.findall(r"gec-pipeline help ([a-z0-9]+)", text))
    assert named
    assert named - set(TOPICS) - set(known_names()["help_pages"]) == set()


# ---- run


def test_run_prints_a_table_and_writes_what_it_found(
    call: RunLine, quickstart: str
) -> None:
    result = call(f"run {quickstart}")
    assert result.code == 0
    title, header, *rows, signature = result.out.splitlines()
    assert title == "sample: 96 lines, 2 references"
    assert header.split() == [
        "rank",
        "system",
        "GLEU+",
        "std",
        "of",
        "draws",
        "95%",
        "of",
        "draws",
    ]
    assert [row.split()[:2] for row in rows] == [
        ["1", "careful"],
        ["2", "eager"],
        ["3", "unchanged"],
        ["4", "broken"],
    ]
    assert signature.startswith("gleu|variant:2017|n:4|")
    assert result.err.splitlines()[-1] == "results: runs/quickstart"
    assert set(tree(Path("runs/quickstart"))) > {"results.json", "scores.csv"}


def test_what_is_printed_is_what_was_stored(
    call: RunLine, quickstart: str
) -> None:
    out = call(f"run {quickstart} --digits 4").out
    for score in Results.read(Path("runs/quickstart/results.json")).scores:
        assert score.samples is not None
        numbers = [
            100 * value
            for value in (
                score.score,
                score.samples.std,
                *score.samples.interval,
            )
        ]
        row = next(
            line.split()
            for line in out.splitlines()
            if line.split()[1] == score.system
        )
        printed = [float(cell) for cell in (row[2], row[3], row[4], row[6])]
        assert printed == pytest.approx(numbers, abs=0.5000001e-4)
        assert [
            len(cell.partition(".")[2])
            for cell in (row[2], row[3], row[4], row[6])
        ] == [
            4,
            5,
            4,
            4,
        ]


def test_run_with_json_prints_results_json(
    call: RunLine, quickstart: str
) -> None:
    result = call(f"run {quickstart} -q --json")
    assert (result.code, result.err) == (0, "")
    assert (
        result.out.encode() == Path("runs/quickstart/results.json").read_bytes()
    )
    assert {score["system"] for score in json.loads(result.out)["scores"]} == {
        "careful",
        "eager",
        "unchanged",
        "broken",
    }


def test_warnings_go_to_standard_error_and_into_the_results(
    call: RunLine, quickstart: str
) -> None:
    Path("data/systems/eager.txt").write_bytes(
        Path("data/reference0.txt").read_bytes()
    )
    warning = "sample: system eager is the same text as reference 1"
    loud, quiet = call(f"run {quickstart}"), call(f"run {quickstart} --quiet")
    assert f"warning: {warning}\n" in loud.err
    assert quiet.err == ""
    assert loud.out == quiet.out
    assert warning not in quiet.out
    assert (
        warning in Results.read(Path("runs/quickstart/results.json")).warnings
    )


def test_an_interrupt_gives_exit_code_130(
    call: RunLine, quickstart: str
) -> None:
    with mock.patch.object(stages, "run", side_effect=KeyboardInterrupt):
        result = call(f"run {quickstart}")
    assert (result.code, result.out) == (130, "")
    assert (
        result.err
        == "interrupted; what was finished is kept: run the same command again to go on\n"
    )


# ---- validate


def test_control_characters_of_file_names_are_printed_escaped(
    call: RunLine,
) -> None:
    write_run(Path(), 5, systems=("A",))
    Path("d/A").rename("d/A\x1b[31m")
    config = Path("config.yaml")
    config.write_text(
        config.read_text("utf-8").replace(
            "{dataset}/A", "{dataset}/A\\u001b[31m"
        ),
        "utf-8",
    )
    result = call("validate config.yaml")
    assert result.code == 0
    assert "\x1b" not in result.out + result.err
    config.write_text(
        config.read_text("utf-8").replace("[31m", "[32m"),
        "utf-8",
    )
    result = call("run config.yaml")
    assert result.code == 2
    assert "\x1b" not in result.out + result.err


# ---- init


def test_init_writes_a_config_for_the_files_given(call: RunLine) -> None:
    write_texts(Path("texts"), 20, systems=("A.txt", "B.txt"))
    result = call(
        "init sub.yaml -s texts/source -r texts/ref0 texts/ref1 -o texts/A.txt texts/B.txt",
    )
    assert result == Said(
        0, "", "wrote sub.yaml; edit it, then: gec-pipeline validate sub.yaml\n"
    )
    assert call("run sub.yaml -q").code == 0
    assert {
        score.system
        for score in Results.read(Path("runs/sub/results.json")).scores
    } == {
        "A",
        "B",
    }


def test_init_finds_the_files_from_the_folder_of_the_config(
    call: RunLine,
) -> None:
    write_texts(Path("texts"), 20, systems=("A",))
    Path("configs").mkdir()
    call(
        "init configs/c.yaml -s texts/source -r texts/ref0 -o texts/A",
    )
    assert call("validate configs/c.yaml").code == 0


def test_init_without_files_writes_a_template(call: RunLine) -> None:
    assert call("init").code == 0
    result = call("validate config.yaml")
    assert result.code == 2
    assert all(": no such file" in line for line in result.err.splitlines())
    assert len(result.err.splitlines()) == 4  # source, two references, a system


def test_init_sample_writes_the_folders_that_the_help_names(
    call: RunLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = "wrote sample; try: cd sample && gec-pipeline run configs/quickstart.yaml\n"
    assert call("init --sample") == Said(0, "", reported)
    monkeypatch.chdir("sample")
    for name in ("quickstart", "summaries"):
        assert call(f"run configs/{name}.yaml -q").code == 0
    written = {
        name: content
        for name, content in tree(Path()).items()
        if name.startswith("data")
    }
    assert written == {
        f"data/{name}": content for name, content in tree(ROOT / "data").items()
    }


def test_init_sample_takes_what_was_installed(
    call: RunLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed package has the sample inside; it is not looked for in the folder beside."""
    package = tmp_path / "site-packages" / "pipeline"
    monkeypatch.setattr("pipeline.cli.commands.init.PACKAGE", package)
    missing = "the sample was not installed with the package; it is in the repository, in configs/ and data/"
    assert call("init --sample") == Said(2, "", f"error: {missing}\n")
    (package / "sample" / "configs").mkdir(parents=True)
    (package / "sample" / "configs" / "quickstart.yaml").write_bytes(
        b"# A run\nversion: 1\n"
    )
    assert call("init --sample here").code == 0
    assert tree(tmp_path / "here") == {
        "configs/quickstart.yaml": b"# A run\nversion: 1\n"
    }


def test_init_sample_writes_over_nothing_and_takes_no_files(
    call: RunLine,
) -> None:
    write_texts(Path("sample"), 2)
    before = tree(Path("sample"))
    assert call("init --sample") == Said(
        2, "", "error: sample: is not empty; name another folder\n"
    )
    assert tree(Path("sample")) == before
    reported = "error: --source, --outputs: has no effect with --sample, which brings its own files\n"
    assert call("init --sample new -s a -o b") == Said(2, "", reported)
    assert not Path("new").exists()


def test_init_never_writes_over_a_file(call: RunLine) -> None:
    Path("config.yaml").write_text("mine")
    assert call("init config.yaml") == Said(
        2, "", "error: config.yaml: is there already; name another file\n"
    )
    assert call("init") == Said(
        0,
        "",
        "wrote config-2.yaml; edit it, then: gec-pipeline validate config-2.yaml\n",
    )
    assert Path("config.yaml").read_text() == "mine"


def test_two_configs_of_init_keep_their_results_apart(call: RunLine) -> None:
    write_texts(Path("t"), 5, systems=("A", "B"))
    Path("other").mkdir()
    for position, output in (
        ("eval.yaml", "A"),
        ("mine.yaml", "B"),
        ("other/eval.yaml", "B"),
        ("no name!.yaml", "A"),
    ):
        call("init", position, *f"-s t/source -r t/ref0 -o t/{output}".split())
        assert call("run -q", position).err == ""
    assert sorted(path.name for path in Path("runs").iterdir()) == [
        "eval",
        "eval-2",
        "mine",
        "no-name-",
    ]
    assert {
        score.system
        for score in Results.read(Path("runs/eval/results.json")).scores
    } == {"A"}


@pytest.mark.parametrize(
    "names",
    [
        ["A.txt", "A.out"],
        ["one/out.txt", "two/out.txt"],
        ["a.txt", "A.out"],
        ["my system.txt"],
        ["null", "NO"],
        ["#1.txt"],
        ["naïve.txt"],
        ["_under.txt"],
        ["a" * 120],
    ],
    ids=lambda names: names[0][:20],
)
def test_init_writes_what_can_be_run_whatever_the_files_are_called(
    call: RunLine, names: list[str]
) -> None:
    write_texts(Path("t"), 5, systems=())
    for name in names:
        (Path("t") / name).parent.mkdir(exist_ok=True)
        shutil.copy("t/ref0", Path("t") / name)
    texts = "-s t/source -r t/ref0 t/ref1"
    outputs = [f"t/{name}" for name in names]
    assert call(f"init c.yaml {texts} -o", *outputs).code == 0
    result = call("validate c.yaml")
    assert (
        result.code,
        [line for line in result.err.splitlines() if line.startswith("error")],
    ) == (
        0,
        [],
    )
    assert result.out.count(" system ") == len(names)


# ---- show


def test_show_one_system(call: RunLine, quickstart: str) -> None:
    call(f"run {quickstart}")
    rows = call("show runs/quickstart --system eager").out.splitlines()
    assert [row.split()[:2] for row in rows[2:-1]] == [["2", "eager"]]


def test_show_has_the_columns_that_are_named(
    call: RunLine, quickstart: str
) -> None:
    call(f"run {quickstart}")
    title, header, *rows, _ = call(
        "show runs/quickstart --columns match_* hyp_len"
    ).out.splitlines()
    assert title == "sample: 96 lines, 2 references"
    assert header.split() == [
        "rank",
        "system",
        "GLEU+",
        "hyp_len",
        *(f"match_{n}" for n in range(1, 5)),
    ]
    assert [row.split()[1] for row in rows] == [
        "careful",
        "eager",
        "unchanged",
        "broken",
    ]
    assert (
        "--columns gleu.precison: there is no such column (did you mean 'gleu.precision'?)"
        in refused(call("show runs/quickstart --columns gleu.precison"))
    )


def test_show_of_an_unknown_system_is_told(
    call: RunLine, quickstart: str
) -> None:
    call(f"run {quickstart}")
    result = call("show runs/quickstart --system eagre")
    expected = (
        "error: runs/quickstart: has no system 'eagre' (did you mean 'eager'?); "
        "it has careful, eager, unchanged, broken\n"
    )
    assert result == Said(2, "", expected)


@pytest.mark.parametrize("name", ["none", "data"])
def test_show_of_what_is_no_run_is_told(
    call: RunLine, quickstart: str, name: str
) -> None:
    assert quickstart
    assert call(f"show {name}") == Said(
        2, "", f"error: {name}: has no results of a run\n"
    )


# ---- list, schema, doctor


def test_list_metrics_tells_every_option_and_its_default(call: RunLine) -> None:
    short = call("list metrics")
    assert (short.code, short.err) == (0, "")
    assert short.out.splitlines() == [
        *(f"{name}: {metric.summary}" for name, metric in METRICS.items()),
        "options of one: gec-pipeline list metrics NAME",
    ]
    result = call("list metrics", *METRICS)
    for name, metric in METRICS.items():
        assert f"{name}: {metric.summary}" in result.out
        values = result.out.partition(f"{name}: {metric.summary}")[
            2
        ].splitlines()
        for option in metric.options:
            row = next(
                line
                for line in values
                if line.split()[:2] == [option.name, option.key]
            )
            assert option.values() in row
            assert option.help in row


def test_the_list_of_tokenizers(call: RunLine) -> None:
    _, *rows = call("list tokenizers").out.splitlines()
    assert [row.split()[0] for row in rows] == list(TOKENIZERS)
    assert all(len(row.split()) > 3 for row in rows)


@pytest.mark.parametrize(
    ("arguments", "values", "other"),
    [
        ("metrics gleu", "gleu: ", "bleu: "),
        ("tokenizers 13a char", "13a", "intl"),
        *with_extension(
            "human", ("statistics accuracy", "accuracy: ", "pearson: ")
        ),
    ],
)
def test_lists_of_names_that_are_asked_for(
    call: RunLine, arguments: str, values: str, other: str
) -> None:
    result = call(f"list {arguments}")
    assert (result.code, result.err) == (0, "")
    assert any(line.startswith(values) for line in result.out.splitlines())
    assert not any(line.startswith(other) for line in result.out.splitlines())


@pytest.mark.parametrize(
    ("what", "name", "near"),
    [
        ("metrics", "glue", "gleu"),
        ("tokenizers", "14a", "13a"),
        *with_extension("human", ("statistics", "accuracey", "accuracy")),
    ],
)
def test_a_name_that_is_in_no_list_gets_the_nearest(
    call: RunLine, what: str, name: str, near: str
) -> None:
    assert f"is called '{name}' (did you mean '{near}'?); known: " in refused(
        call(f"list {what} {name}")
    )


# ---- compare --worst


def test_the_sentences_where_two_systems_differ_most(call: RunLine) -> None:
    """Level corpus: the scores of sentences are those that `show --line` prints."""
    write_run(Path(), lines=10, chosen=["bleu"])
    assert call("run config.yaml -q --output run").code == 0
    result = call("compare run --worst 3")
    assert (result.code, result.err) == (0, "")
    heads = re.findall(
        r"^line ([0-9]+): A ([0-9.]+), B ([0-9.]+)$", result.out, re.MULTILINE
    )
    rows = {}
    for line in range(1, 11):
        displayed = call(f"show run --line {line}").out
        rows[str(line)] = [
            re.search(rf"^{name} +([0-9]+[.][0-9]+)$", displayed, re.MULTILINE)[
                1
            ]  # type: ignore[index]
            for name in "AB"
        ]
    assert {
        line: [one, two] for line, one, two in heads
    }.items() <= rows.items()
    apart = [abs(float(one) - float(two)) for one, two in rows.values()]
    assert [
        abs(float(one) - float(two)) for _, one, two in heads
    ] == pytest.approx(sorted(apart, reverse=True)[:3])
    first = int(heads[0][0]) - 1
    for name, file in {
        "source": "source",
        "reference 2": "ref1",
        "A": "A",
        "B": "B",
    }.items():
        text = Path("d", file).read_text("utf-8").splitlines()[first]
        assert re.search(
            rf"^  {name} +{re.escape(text.strip())}$", result.out, re.MULTILINE
        )


def test_worst_asks_back(call: RunLine) -> None:
    write_run(Path(), lines=10, chosen=["gleu[iter=2]", "bleu"], systems="ABC")
    assert call("run config.yaml -q --output run").code == 0
    assert (
        "--worst: by which metric? Say --metric: gleu|"
        in call("compare run --worst 3").err
    )
    one = ("compare", "run", "--metric", "bleu", "--worst")
    assert (
        call(*one, "3").err
        == "error: --worst: between which systems? Say --system A B; there are A, B, C\n"
    )
    assert (
        "--system D: there is no such one; there are A, B, C"
        in call(*one, "3", "--systems", "A", "D").err
    )
    assert "Say --system A B" in call(*one, "3", "--system", "*").err
    assert call(*one, "0").code == 2
    assert (
        "no sentence has different scores"
        in call(*one, "1", "--systems", "A", "A").out
    )


# ---- show without a run


def test_show_lists_the_runs_that_are_here(call: RunLine) -> None:
    write_run(Path(), lines=10)
    for folder in ("runs/one", "two"):
        assert call(f"run config.yaml -q --output {folder}").code == 0
    manifest = read_json(Path("two/run.json"))
    write_json(Path("two/run.json"), {**manifest, "state": "running"})
    Path("runs/other").mkdir()
    Path("runs/other/run.json").write_text("{}", "utf-8")
    code, out, err = call("show")
    assert (code, err) == (0, "")
    header, *rows = [line.split() for line in out.splitlines()]
    assert header == ["finished", "run", "data", "sets", "systems", "state"]
    finished = manifest["finished"][:16].split("T")
    assert {row[2]: row[3:] for row in rows} == {
        "runs/one": ["d", "2", "done"],
        "two": ["d", "2", "not", "finished,", "or", "running"],
    }
    assert rows[-1][:2] == finished


def test_show_without_a_run_needs_one_for_all_else(call: RunLine) -> None:
    assert call("show") == Said(
        0, "no runs here or in runs; gec-pipeline run CONFIG makes one\n", ""
    )
    assert "of which run?" in refused(call("show --line 3"))


def test_doctor_tells_versions_and_kernel(call: RunLine, kernel: str) -> None:
    result = call("doctor")
    assert (result.code, result.err) == (0, "")
    assert f"gec-pipeline  {__version__}\n" in result.out
    assert f"{kernel} (PIPELINE_KERNEL={kernel})" in result.out
    assert all(
        re.search(rf"^{name} +[0-9]", result.out, re.MULTILINE)
        for name in ("numpy", "pydantic", "pyyaml", "rich", "joblib")
    )


def test_doctor_fails_where_a_part_is_missing(call: RunLine) -> None:
    from pipeline.cli.commands import doctor

    with mock.patch.object(
        doctor, "_version", lambda name: None if name == "rich" else "1.0"
    ):
        result = call("doctor")
    assert result.code == 2
    assert "MISSING: pip install rich" in result.out


# ---- on a terminal


def read_all(terminal: int) -> Iterator[bytes]:
    """Read a pseudo-terminal until its other end is closed (on Linux that is an error)."""
    with suppress(OSError):
        while data := os.read(terminal, 4096):
            yield data


@pytest.mark.skipif(
    not hasattr(os, "openpty"), reason="there are no pseudo-terminals"
)
def test_progress_is_drawn_on_a_terminal_and_leaves_the_output_alone(
    tmp_path: Path, quickstart: str
) -> None:
    expected = program(f"run {quickstart} --output one", cwd=tmp_path).stdout
    terminal, inside = os.openpty()
    drawn: list[bytes] = []
    reader = threading.Thread(target=lambda: drawn.extend(read_all(terminal)))
    reader.start()
    done = program(
        f"run {quickstart} --output two", cwd=tmp_path, stderr=inside
    )
    os.close(inside)
    reader.join()
    os.close(terminal)
    assert b"Traceback" not in b"".join(drawn)
    assert (done.returncode, done.stdout) == (0, expected)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


@pytest.mark.parametrize(
    "cell", ["[red]x[/red]", "[/]", ":smile:", "[link=file:///x]y[/link]"]
)
def test_text_from_outside_is_no_markup_on_a_terminal(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    cell: str,
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_table(["file"], [[cell]], left=(0,))
    assert cell in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        "run configs/quickstart.yaml",
        "show runs/quickstart --boards",
        "validate configs/quickstart.yaml",
        "list metrics",
    ],
)
def test_a_terminal_gets_the_same_words(
    call: RunLine,
    quickstart: str,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    call(f"run {quickstart}")
    plain = call(arguments).out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    drawn = call(arguments)
    assert drawn.code == 0
    assert [
        word
        for word in plain.split()
        if word not in re.sub(r"\x1b\[[0-9;]*m", "", drawn.out).split()
    ] == []


# ---- as a program


def test_the_program_says_what_the_same_call_does(
    tmp_path: Path, quickstart: str, call: RunLine
) -> None:
    done = program(f"run {quickstart}", cwd=tmp_path)
    assert Said(done.returncode, done.stdout, done.stderr) == call(
        f"run {quickstart}"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        "run configs/quickstart.yaml -q --json",
        "validate configs/quickstart.yaml",
        "schema",
        "list metrics",
        "--help",
        "",
        "run --help",
        "--version",
        "doctor",
    ],
    ids=" ".join,
)
def test_a_closed_pipe_is_silent(
    tmp_path: Path, quickstart: str, arguments: str
) -> None:
    assert quickstart
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = program(arguments, cwd=tmp_path, stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_help_of_score_fits_two_screens_and_says_where_the_rest_is(
    call: RunLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = call("score --help").out
    assert len(result.splitlines()) <= 67
    assert max(map(len, result.splitlines())) <= 80
    assert "score METRIC --help" in result
    assert "--flavour" not in result
    assert "--device" not in result
    assert "--device" in call("score --help --plugin").out


@pytest.mark.parametrize("name", METRICS)
def test_help_of_score_tells_the_options_of_a_metric_with_examples(
    call: RunLine, name: str
) -> None:
    if name == "external":  # it reads files that a config names
        return
    result = call(f"score {name} --help")
    assert (result.code, result.err) == (0, "")
    flat = " ".join(result.out.split())
    for option in METRICS[name].options:
        flag = {"references": "refs", "gold": "gold-edits"}.get(
            option.name, option.name.replace("_", "-")
        )
        assert (len(option.choices or ()) == 1) != (f" --{flag} " in flat), flag
        assert (len(option.choices or ()) == 1) != (
            " ".join(option.help.split()) in flat
        )
    assert "--confidence" not in result.out.partition("options of")[2]
    examples = (
        result.out.partition("examples:")[2]
        .partition("\n\n")[0]
        .replace(" \\\n     ", "")
    )
    assert examples.strip()
    # the files of examples are not here, and that is all that is wrong
    for example in examples.strip().splitlines():
        words = shlex.split(example.partition("gec-pipeline ")[2])
        # it would be the name of a metric, as no such file is here
        if words[1] == "ref.txt":
            words = ["score", "-r", *words[1:]]
        wrong = call(*(word for word in words if word != "--download"))
        assert wrong.code == 2
        missing = (
            "no such file",
            "annotator",
            "no folder",
            "pip install",
        )  # models are no more here than texts
        assert any(words in wrong.err for words in missing), (
            example,
            wrong.err,
        )


def test_help_of_score_says_what_an_option_means_for_each_metric(
    call: RunLine,
) -> None:
    """Metrics share names of options, not their values."""
    result = " ".join(call("score gleu bleu chrf --help").out.split())
    assert "(gleu) a weight for each reference" in result
    assert "(bleu) a weight for each order" in result
    assert (
        "none, ones (default: none); (bleu) what stands for precisions of 0"
        in result
    )
    assert (
        "(chrf) weight of recall against precision: a number such as 2 or 0.5"
        in result
    )
    assert (
        "--lowercase [VALUE] compare without upper case: true, false" in result
    )


def test_the_command_of_the_package_gleu_has_its_options_alone(
    call: RunLine,
) -> None:
    result = call("gleu --help").out
    assert "--encoding" not in result
    assert "--num-refs" not in result
