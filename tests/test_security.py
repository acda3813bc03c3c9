"""What comes from a stranger: it runs no code, fills no memory, and writes or deletes nothing
outside the folder.
"""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import pipeline
from pipeline.errors import PipelineError, StoreError
from pipeline.scoring.results import Results
from tests.conftest import (
    ROOT,
    Finished,
    RunLine,
    gec_pipeline,
    read_json,
    refused,
    run,
    tree,
    write_json,
    write_run,
)
from tests.support.programs import Done, program

resource = pytest.importorskip("resource")
COLUMNS = "A.overlap-match-penalty-n4-ascii_whitespace.columns"


@contextmanager
def seconds(number: int) -> Iterator[None]:
    """Fail, not hang, where something takes longer."""

    def late(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(number)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of the user, which nothing may touch."""
    folder = tmp_path / "outside"
    (folder / "d").mkdir(parents=True)
    (folder / "victim").write_text("mine")
    (folder / "d" / COLUMNS).write_text("mine")
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


# ---- links


@pytest.mark.parametrize(
    ("name", "target", "refused"),
    [
        ("statistics", "", True),
        ("statistics/d", "d", True),
        ("unfinished", "", True),
        ("log.txt", "victim", True),
        ("run.lock", "victim", True),
        ("run.json", "victim", True),
        ("results.json", "victim", False),
        ("scores.csv", "victim", False),
        ("results.json.tmp", "victim", False),
        ("scores.csv.tmp", "victim", False),
        ("run.json.tmp", "victim", False),
        (f"statistics/d/{COLUMNS}", "victim", False),
        (f"statistics/d/{COLUMNS}", f"d/{COLUMNS}", False),
    ],
)
@pytest.mark.parametrize("dangling", [False, True])
@pytest.mark.parametrize("fresh", [False, True])
def test_a_link_in_a_run_directory_leads_nowhere(
    finished: Finished,
    outside: Path,
    name: str,
    target: str,
    refused: bool,
    dangling: bool,
    fresh: bool,
) -> None:
    config, folder, expected = finished
    link = folder / name
    (
        shutil.rmtree
        if link.is_dir()
        else lambda path: path.unlink(missing_ok=True)
    )(link)
    link.symlink_to(outside / target / ("nothing" * dangling))
    # as good as ours, but not ours
    (outside / "d" / COLUMNS).write_bytes(expected[f"statistics/d/{COLUMNS}"])
    before = content(outside)
    line = f"run {config} --output {folder} -q {'--fresh' * fresh}"
    assert gec_pipeline(line) == (2 if refused else 0)
    assert content(outside) == before
    if not refused:
        assert tree(folder) == expected
        assert not link.is_symlink()
    gec_pipeline(f"clean {folder} -q")
    assert content(outside) == before


def test_a_hard_link_is_not_written_through(
    tmp_path: Path, outside: Path
) -> None:
    config = write_run(tmp_path)
    for name in ("results.json", "scores.csv", "run.json", "results.json.tmp"):
        run(config, tmp_path / "run")
        (tmp_path / "run" / name).unlink(missing_ok=True)
        write_json(outside / "victim", {"program": "gec-pipeline", "files": []})
        (tmp_path / "run" / name).hardlink_to(outside / "victim")
        before = content(outside)
        run(config, tmp_path / "run")
        assert content(outside) == before
    (tmp_path / "run" / "log.txt").unlink()
    (tmp_path / "run" / "log.txt").hardlink_to(outside / "victim")
    with pytest.raises(
        StoreError,
        match=r"log\.txt: cannot be written: is a link, or no regular file",
    ):
        run(config, tmp_path / "run")
    assert content(outside) == before


def test_a_run_directory_may_itself_be_a_link(tmp_path: Path) -> None:
    """It is what the user names; only what lies inside may come from somebody else."""
    config = write_run(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "elsewhere")
    run(config, tmp_path / "run")
    assert (tmp_path / "elsewhere" / "results.json").exists()


# ---- what is no file


@pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="there are no named pipes here"
)
@pytest.mark.parametrize(
    "name",
    [
        "run.json",
        "results.json",
        f"statistics/d/{COLUMNS}",
        "log.txt",
        "run.lock",
    ],
)
def test_a_pipe_in_a_run_directory_is_not_waited_for(
    finished: Finished, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config, folder, _ = finished
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with seconds(20):
        for line in ("show", "clean --dry-run", f"run {config} --output"):
            assert gec_pipeline(f"{line} {folder}") in (0, 2)
        with suppress(PipelineError):
            for result in pipeline.load(folder):
                assert len(result.sentences)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["unfinished/a.0-40.part", "unfinished/a.joined"]
)
def test_a_folder_or_pipe_among_the_parts_stops_nothing_but_itself(
    finished: Finished, name: str
) -> None:
    config, folder, _ = finished
    (folder / "unfinished").mkdir()
    os.mkfifo(folder / name)
    with seconds(20):
        run(config, folder)
    assert not (folder / "unfinished").exists()


# ---- manifests and results


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 200_000,
        b'{"program": "gec-pipeline", "files": [' + b"[" * 200_000,
        b'{"program": "gec-pipeline", "files": [1e999, null, {}, ["a"], "a\\u0000b", "\\ud800"]}',
        b'{"program": "another", "files": ["notes.txt"]}',
        b'["gec-pipeline"]',
        b"\xff\xfe",
    ],
    ids=[
        "deep",
        "deep files",
        "odd files",
        "another program",
        "list",
        "binary",
    ],
)
@pytest.mark.parametrize(
    "line",
    [
        "run {0}/config.yaml -q --output {0}/run",
        "clean {0}/run",
        "run {0}/config.yaml -q --output {0}/run --fresh",
    ],
    ids=["run", "clean", "fresh"],
)
def test_any_manifest_is_read_or_told(
    tmp_path: Path,
    finished: Finished,
    text: bytes,
    line: str,
    run_line: RunLine,
) -> None:
    folder = finished.folder
    (folder / "notes.txt").write_text("mine")
    (folder / "run.json").write_bytes(text)
    code, _, err = run_line(line.format(tmp_path))
    assert (folder / "notes.txt").read_text() == "mine"
    assert code in (0, 2)
    if code:
        assert "run.json: is not of this program, or damaged" in err


@pytest.mark.parametrize("keep", [0, 1, 10, 30, 60, -2])
def test_a_manifest_cut_short_does_not_stop_a_run(
    finished: Finished, keep: int
) -> None:
    config, folder, before = finished
    manifest = folder / "run.json"
    manifest.write_bytes(manifest.read_bytes()[:keep])
    # it cannot know what is its own
    assert gec_pipeline(f"clean {folder}") == 2
    assert tree(folder) == before
    run(config, folder)
    assert tree(folder) == before


@pytest.mark.parametrize(
    "name",
    [
        "../victim",
        "/victim",
        "d/victim",
        "a/../../victim",
        "~/victim",
        "statistics/../../x",
    ],
)
@pytest.mark.parametrize(
    "line",
    ["clean {run} -q", "run {config} --output {run} -q --fresh"],
    ids=["clean", "fresh"],
)
def test_a_manifest_names_no_file_outside(
    tmp_path: Path, name: str, line: str
) -> None:
    config = write_run(tmp_path / "texts")
    directory = tmp_path / "a" / "run"
    run(config, directory)
    victims = [
        tmp_path / "victim",
        tmp_path / "a" / "victim",
        tmp_path / "a" / "x",
        tmp_path / "x",
    ]
    for victim in victims:
        victim.write_text("mine")
    names = [name, str(tmp_path / "victim"), "results.json"]
    write_json(
        directory / "run.json", {"program": "gec-pipeline", "files": names}
    )
    assert gec_pipeline(line.format(run=directory, config=config)) == 0
    assert [victim.read_text() for victim in victims] == ["mine"] * 4


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 200_000,
        b"{}",
        b'{"schema": 1}',
        b"\xff",
        b'{"schema": 1, "datasets": [], "scores": 5, "warnings": 1}',
    ],
)
def test_any_results_file_is_read_or_told(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "results.json").write_bytes(text)
    with pytest.raises(StoreError, match=r"results\.json"):
        Results.read(tmp_path / "results.json")


def test_no_memory_is_taken_for_what_columns_claim(finished: Finished) -> None:
    """A file with holes may claim as much as it likes: 64 GB here, where the child may have 4."""
    config, folder, _ = finished
    path = folder / "statistics" / "d" / COLUMNS
    data = path.read_bytes()
    first = data.index(b"\n") + 1
    shape = data.index(b"(40, ", first)
    path.write_bytes(
        data[:shape] + b"(40000000000, " + data[shape + len(b"(40, ") :]
    )
    with path.open("r+b") as file:
        file.truncate(1 << 36)
    part = folder / "unfinished" / "a.0-40.part"
    part.parent.mkdir()
    part.touch()
    with part.open("r+b") as file:
        file.truncate(1 << 36)
    done = limited(f"run {config} --output {folder} -q --backend serial")
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_bytes() == data


def of(section: str, *path: str | int, value: Any) -> Any:
    """Return a change of results.json: the value at a path of a section."""

    def change(content: dict[str, Any]) -> None:
        owner = content[section]
        for step in path[:-1]:
            owner = owner[step]
        owner[path[-1]] = value

    return change


STRANGE: dict[str, tuple[Any, str]] = {
    "a text for a number": (
        of("scores", 0, "rank", value="x"),
        "rank: Input should be a valid integer; found 'x'",
    ),
    "a number for a text": (
        of("scores", 1, "system", value=7),
        "scores[1].system: Input should be a valid string",
    ),
    "a list for a mapping": (
        of("scores", 0, "outputs", value=[]),
        "scores[0].outputs: Input should be a valid dictionary; found 'list'",
    ),
    "an interval of three": (
        of("scores", 0, "samples", "interval", value=[0, 1, 2]),
        "interval: Tuple should",
    ),
    "a huge number": (
        of("scores", 0, "score", value=10**400),
        "scores[0].score: Input should be a valid number",
    ),
    "minus one line": (
        of("datasets", "d", "lines", value=-1),
        "lines: Input should be greater",
    ),
    "references": (
        of("datasets", "d", "references", value=10**9),
        "Input should be less than or equal to 4096; found 1000000000",
    ),
    "another data set": (
        of("scores", 0, "dataset", value="e"),
        "scores[0].dataset: there is no data set 'e'",
    ),
    "many data sets": (
        lambda content: content["datasets"].update(
            {f"d{n}": content["datasets"]["d"] for n in range(1_000)}
        ),
        "datasets: has 1,001 entries; 1,000 are allowed",
    ),
    "many notes": (
        of("scores", 0, "notes", value=["n"] * 20_001),
        "scores[0].notes: has 20,001 entries; 20,000 are",
    ),
    "a long text": (
        of("scores", 0, "system", value="x" * 100_001),
        "scores[0].system: expected at most 100,000 signs",
    ),
    "true": (
        of("scores", 0, "score", value=True),
        "scores[0].score: Input should be a valid number; found True",
    ),
}


@pytest.mark.parametrize(("change", "words"), STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize(
    "line", ["show", "report --format=csv", "compare", "rank"]
)
def test_results_that_no_run_writes_are_told_with_their_place(
    finished: Finished,
    change: Any,
    words: str,
    line: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = finished.folder
    path = folder / "results.json"
    stored = read_json(path)
    change(stored)
    write_json(path, stored)
    assert gec_pipeline(f"{line} {folder}") == 2
    (result,) = capsys.readouterr().err.splitlines()
    assert words in result
    with pytest.raises(StoreError, match="is not the results file of a run"):
        pipeline.load(folder)


def test_parts_of_results_that_do_not_fit_together_are_one_message(
    tmp_path: Path,
    run_line: RunLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The scores lack an output that the table shows: a KeyError where it is made."""
    run(write_run(tmp_path), tmp_path / "run")
    path = tmp_path / "run" / "results.json"
    stored = read_json(path)
    stored["scores"][1]["outputs"].pop("numer_3")
    write_json(path, stored)
    *_, result = refused(
        run_line(f"show {tmp_path}/run --columns numer_*")
    ).splitlines()
    assert result.startswith(
        f"error: {tmp_path / 'run'}: the parts of results.json do not fit together"
    )
    assert "KeyError: 'numer_3'" in result
    monkeypatch.setenv("GEC_PIPELINE_DEBUG", "1")
    with pytest.raises(KeyError):
        gec_pipeline(f"show {tmp_path}/run --columns numer_*")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "results.json",
            b'{"schema": 1, "scores": [' + b"[]," * 5_000_000 + b"[]]}",
        ),
        (
            "run.json",
            b'{"program": "gec-pipeline 0.2.0", "files": ['
            + b"[]," * 5_000_000
            + b"[]]}",
        ),
    ],
    ids=["results", "manifest"],
)
@pytest.mark.parametrize("command", ["report --format=csv", "compare", "rank"])
def test_values_are_counted_before_memory_is_taken_for_them(
    finished: Finished, name: str, text: bytes, command: str
) -> None:
    """Five million lists in 15 MB took 800 MB. The address space counts what numpy maps, too."""
    folder = finished.folder
    (folder / name).write_bytes(text)
    done = limited(f"{command} {folder}", megabytes=640)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert f"{name}: is not" in done.stderr


def test_lines_that_columns_cannot_have_are_not_looked_for(
    finished: Finished,
) -> None:
    """A list of the shapes of all blocks of 10**15 lines would fill any memory."""
    folder = finished.folder
    path = folder / "results.json"
    path.write_text(
        path.read_text("utf-8").replace('"lines": 40', f'"lines": {10**15}'),
        "utf-8",
    )
    for command in ("report --format=csv", "compare", "rank"):
        done = limited(f"{command} {folder}", megabytes=900)
        assert (done.returncode, "is damaged" in done.stderr) == (2, True)


# ---- names


@pytest.mark.parametrize(
    "name",
    [
        "..",
        ".",
        "a/b",
        "/etc/passwd",
        "../../x",
        "a\\b",
        "-rf",
        "",
        "con\0trol",
    ],
)
@pytest.mark.parametrize("kind", ["systems", "datasets"])
def test_names_that_lead_out_of_the_folder_are_refused(
    tmp_path: Path, name: str, kind: str
) -> None:
    config = write_run(tmp_path, systems=("A",))
    text = read_json(config)
    (key,) = text[kind]
    text[kind][name] = text[kind].pop(key)
    write_json(config, text)
    assert gec_pipeline(f"run {config} --output {tmp_path}/run -q") == 2
    assert not (tmp_path / "run").exists()


# ---- memory


def limited(line: str, megabytes: int = 4096, cwd: Path = ROOT) -> Done:
    """Give a command that may have so much address space."""
    most = megabytes << 20
    return program(
        line,
        cwd=cwd,
        environment={"OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )


def xz_with_a_large_dictionary(path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1536 << 20}]
    path.write_bytes(lzma.compress(b"a\n", lzma.FORMAT_XZ, filters=filters))


def gzip_of_much(path: Path) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.writelines([b"a\n" * (1 << 19)] * 120)


def xz_of_much(path: Path) -> None:
    with lzma.open(path, "wb", preset=0) as file:
        file.writelines([b"a\n" * (1 << 19)] * 120)


def parquet_of_one_text_again_and_again(path: Path) -> None:
    pa, pq = (
        pytest.importorskip("pyarrow"),
        pytest.importorskip("pyarrow.parquet"),
    )
    texts = pa.DictionaryArray.from_arrays(
        pa.array([0] * 5000, pa.int32()), pa.array(["x" * (1 << 23)])
    )
    pq.write_table(pa.table({"t": texts}), path, compression="zstd")


def json_of_brackets(path: Path) -> None:
    path.write_bytes(b"[" * 1_000_000 + b"\n")


@pytest.mark.parametrize(
    ("make", "name", "position", "message"),
    [
        (
            xz_with_a_large_dictionary,
            "b.xz",
            "b.xz",
            "is no xz file, or damaged (Memory usage limit exceeded)",
        ),
        (gzip_of_much, "b.gz", "b.gz", "to more than 100,000,000 bytes"),
        (xz_of_much, "b.xz", "b.xz", "to more than 100,000,000 bytes"),
        (
            parquet_of_one_text_again_and_again,
            "b",
            "{parquet: b, column: t}",
            "to more than 100,000,000 bytes",
        ),
        (
            json_of_brackets,
            "b",
            "{jsonl: b, column: t}",
            "not valid JSON: nested too deeply",
        ),
    ],
)
def test_no_input_fills_memory_or_disk(
    tmp_path: Path, make: Any, name: str, position: str, message: str
) -> None:
    make(tmp_path / name)
    assert (tmp_path / name).stat().st_size < 2_000_000
    (tmp_path / "s").write_text("a\n")
    text = "datasets: {d: {source: s, references: [s]}}\nmetrics: [gleu]\nrun: {max_unpacked: 100000000}\n"
    (tmp_path / "c.yaml").write_text(
        f"{text}systems: {{A: {position}}}\n", "utf-8"
    )
    done = limited("validate c.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: b")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_packed_twice_is_unpacked_once(tmp_path: Path) -> None:
    """So no file can unpack to more than the square of what one packing gives."""
    (tmp_path / "s").write_text("a\n")
    (tmp_path / "b.gz.gz").write_bytes(gzip.compress(gzip.compress(b"a\n")))
    config = tmp_path / "c.yaml"
    config.write_text(
        "datasets: {d: {source: s, references: [s]}}\nsystems: {A: b.gz.gz}\nmetrics: [gleu]\n"
    )
    done = limited("validate c.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert "the file looks like gzip data" in done.stderr
