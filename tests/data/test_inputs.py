"""Files in every form: what is read from them, and what is said of them when they are wrong."""

from __future__ import annotations

import bz2
import gc
import gzip
import io
import json
import lzma
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pipeline import kernel as chosen_kernel
from pipeline import stages
from pipeline.data import Opener, TextFile, scan
from pipeline.errors import CorpusError
from pipeline.files import Origin, StoredTexts, plain_files
from tests.config_files import (
    CONFIG,
    TEXTS,
    dataset,
    lines,
    output,
    prepare,
    problems,
    write,
)
from tests.conftest import RunLine, gec_pipeline, open_text, read_json, refused

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
KIND = {"gz": "gzip", "bz2": "bzip2", "xz": "xz"}
DATA = TEXTS["a.txt"].encode()


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(dict(TEXTS))


def score(text: str) -> float:
    return stages.run(prepare(text), "out")[1].scores[0].score


def outputs(text: str) -> list[str]:
    return lines(prepare(text).corpora[0].systems["A"])


@pytest.mark.parametrize("suffix", PACK)
def test_packed_files_are_read(suffix: str) -> None:
    write({f"a.{suffix}": PACK[suffix](DATA)})
    plain, found = (
        prepare().corpora[0].systems["A"],
        prepare(output(f"a.{suffix}")).corpora[0].systems["A"],
    )
    assert lines(found) == TEXTS["a.txt"].splitlines()
    assert (found.digest, found.display_name) == (plain.digest, f"a.{suffix}")
    assert score(output(f"a.{suffix}")) == score(CONFIG)


@pytest.mark.parametrize("suffix", PACK)
def test_packed_files_may_have_several_parts(suffix: str) -> None:
    write({f"a.{suffix}": PACK[suffix](DATA[:5]) + PACK[suffix](DATA[5:])})
    assert outputs(output(f"a.{suffix}")) == TEXTS["a.txt"].splitlines()


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("missing", [1, 9])
def test_packed_files_that_are_cut_short_are_told(
    suffix: str, missing: int
) -> None:
    write({f"a.{suffix}": PACK[suffix](DATA * 99)[:-missing]})
    (found,) = problems(output(f"a.{suffix}"))
    assert (
        found
        == f"a.{suffix}: is cut short: the {KIND[suffix]} data ends before its end mark"
    )


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("data", [DATA, b"\xff\xff\xff\xff" * 9])
def test_files_that_are_not_what_their_name_says_are_told(
    suffix: str, data: bytes
) -> None:
    write({f"a.{suffix}": data})
    (found,) = problems(output(f"a.{suffix}"))
    assert found.startswith(
        f"a.{suffix}: is no {KIND[suffix]} file, or damaged ("
    )


@pytest.mark.parametrize("suffix", PACK)
def test_bytes_after_packed_data_are_not_passed_over(suffix: str) -> None:
    write({f"a.{suffix}": PACK[suffix](DATA) + b"more"})
    assert problems(output(f"a.{suffix}"))[0].startswith(f"a.{suffix}: is ")


@pytest.mark.parametrize("suffix", PACK)
def test_bombs_are_stopped_at_the_cap(suffix: str) -> None:
    write({f"a.{suffix}": PACK[suffix](b"\n" * 50_000_000)})
    assert problems(
        output(f"a.{suffix}") + "run: {max_unpacked: 1000000}\n"
    ) == [
        f"a.{suffix}: unpacks, with what came before, to more than 1,000,000 bytes; is it meant to? "
        "If so, set run.max_unpacked"
    ]


def test_a_missing_package_is_told_with_the_line_that_installs_it() -> None:
    write({"a.parquet": b""})
    with mock.patch.dict(sys.modules, {"pyarrow": None}):
        (found,) = problems(output("{parquet: a.parquet, column: x}"))
        assert (
            found
            == "a.parquet: needs the package pyarrow: pip install 'gec-pipeline[parquet]'"
        )


@pytest.mark.parametrize(
    ("start", "hint"),
    [
        (PACK["gz"](b"a"), "gzip data; name it .gz"),
        (b"\x28\xb5\x2f\xfd\x20\x01", "zstd data; unpack it first"),
        ("a\n".encode("utf-16"), "UTF-16 text; save it as UTF-8"),
    ],
)
def test_a_file_that_is_no_text_is_told_with_what_it_looks_like(
    start: bytes, hint: str
) -> None:
    write({"a.txt": start})
    (found,) = problems()
    assert found.startswith("a.txt:1: byte ")
    assert found.endswith(f" is not valid UTF-8; the file looks like {hint}")
    assert plain_files.content_hint(b"plain") == ""


# Standard input and pipes.
def stdin(data: bytes) -> Any:
    return mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_standard_input_may_be_a_text() -> None:
    with stdin(DATA):
        assert outputs(output("'-'")) == TEXTS["a.txt"].splitlines()
    with stdin(b"a\nb\xff\n"):
        assert problems(output("'-'")) == [
            "standard input:2: byte 2 of the line (0xff) is not valid UTF-8"
        ]


def test_standard_input_is_one_text_only() -> None:
    with stdin(DATA):
        found = problems(CONFIG.replace("r.txt", "'-'").replace("a.txt", "'-'"))
    assert found == [
        "standard input: is named more than once; it can be one text only"
    ]


def test_standard_input_may_have_several_columns() -> None:
    rows = "".join(json.dumps({"s": s, "h": s}) + "\n" for s in "abc")
    text = dataset(
        "{source: {jsonl: '-', column: s}, references: [r.txt]}"
    ).replace("a.txt", "{jsonl: '-', column: h}")
    with stdin(rows.encode()):
        job = prepare(text)
    assert (
        lines(job.corpora[0].source)
        == lines(job.corpora[0].systems["A"])
        == ["a", "b", "c"]
    )


def test_commands_without_a_config_read_standard_input(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with stdin(DATA):
        assert gec_pipeline("score gleu[iter=2] -s s.txt -r r.txt -o -") == 0
    assert "files" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_are_read_once() -> None:
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_bytes, args=(DATA,))
    writer.start()
    assert outputs(output("pipe")) == TEXTS["a.txt"].splitlines()
    writer.join()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_nothing_writes_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pipeline.files.plain_files.PIPE_SECONDS", 0)
    os.mkfifo("pipe")
    assert problems(output("pipe")) == [
        "pipe: is a pipe that no program has opened for writing for 0 seconds; start first what writes it"
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_program_that_has_opened_a_pipe_may_take_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pipeline.files.plain_files.PIPE_SECONDS", 0)
    os.mkfifo("pipe.gz")
    # a writer can be opened where there is a reader
    reading = os.open("pipe.gz", os.O_RDONLY | os.O_NONBLOCK)
    writing = os.open("pipe.gz", os.O_WRONLY)
    waited = threading.Event()

    def nothing_yet(*_: object) -> tuple[list[int], list[int], list[int]]:
        waited.set()  # the reader has found nothing to read once, and asks whether there is a writer
        return [], [], []

    def write() -> None:
        waited.wait()
        os.write(writing, gzip.compress(DATA))
        os.close(writing)

    monkeypatch.setattr("pipeline.files.plain_files.select.select", nothing_yet)
    writer = threading.Thread(target=write)
    writer.start()
    assert outputs(output("pipe.gz")) == TEXTS["a.txt"].splitlines()
    writer.join()
    os.close(reading)


# JSON lines.
def jsonl(*rows: object, column: str = "h") -> str:
    write(
        {
            "a.jsonl": "".join(
                (row if isinstance(row, str) else json.dumps(row)) + "\n"
                for row in rows
            )
        }
    )
    return output(f"{{jsonl: a.jsonl, column: {column}}}")


@pytest.mark.parametrize(
    ("column", "row"),
    [
        ("h", {"h": "x y"}),
        ("a.b", {"a": {"b": "x y"}}),
        ("a.b", {"a.b": "x y", "a": 1}),
        ("a.1", {"a": ["", "x y"]}),
    ],
)
def test_a_text_in_each_json_object(column: str, row: object) -> None:
    assert outputs(jsonl(row, row, row, column=column)) == ["x y"] * 3


def test_texts_of_records_may_hold_newlines() -> None:
    texts = ["a\nb", "c\r", "\n"]
    job = prepare(jsonl(*({"h": text} for text in texts)))
    found = job.corpora[0].systems["A"]
    assert lines(found) == texts
    assert (found.blank, found.first_blank) == (1, 3)
    assert stages.run(job, "out")[1].scores


def test_newlines_in_a_text_change_its_digest() -> None:
    one, two = (
        prepare(jsonl(*rows)).corpora[0].systems["A"].digest
        for rows in (
            [{"h": "a\nb"}, {"h": "c"}, {"h": "d"}],
            [{"h": "a"}, {"h": "b\nc"}, {"h": "d"}],
        )
    )
    assert one != two


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "{",
            "not valid JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        ("[" * 100_000, "not valid JSON: nested too deeply"),
        ("", "is empty; expected a JSON object"),
        ("[1]", "expected a JSON object, found a list"),
        ('{"hh": "a"}', "has no 'h'"),
        ('{"hyp": "a", "id": 1}', "has no 'h'; found hyp, id"),
        ('{"h": 5}', "'h': expected text, found a number"),
        (
            '{"h": ["a"]}',
            "'h': expected text, found a list; of references a list is read as several, of "
            "other texts name an item, such as 'h[0]'",
        ),
        (
            '{"h": null}',
            "'h': expected text, found null; null is for references, with *",
        ),
        (
            '{"h": "\\ud800"}',
            "'h': character 1 is half of a surrogate pair, which is no text",
        ),
        ('{"h": "a", "h": "b"}', "not valid JSON: the key 'h' is given twice"),
    ],
    ids=lambda text: text[:24],
)
def test_a_wrong_record_is_told_with_its_line(row: str, message: str) -> None:
    (found,) = problems(jsonl({"h": "a"}, row, {"h": "b"}))
    found = found.replace(
        "`empty_references: none` (--empty-references none)", "*"
    )
    assert found.split(" (did you mean")[0] == f"a.jsonl:2: {message}"


# TSV.
@pytest.mark.parametrize(
    ("data", "what"),
    [
        ('id\th\n1\tx\n2\ty y\n3\t"z\n', "column: h"),
        ('1\tx\n2\ty y\n3\t"z', "column: 2"),
        (
            '\ufeffid\tn\r\n1\tx\r\n2\ty y\r\n3\t"z\r\n',
            "column: 2, header: true",
        ),
    ],
)
def test_columns_of_tab_separated_lines(data: str, what: str) -> None:
    write({"a.tsv": data})
    assert outputs(output(f"{{tsv: a.tsv, {what}}}")) == ["x", "y y", '"z']


@pytest.mark.parametrize(
    ("data", "what", "message"),
    [
        (
            "id\th\n1\tx\n2\n",
            "column: h",
            "a.tsv:3: has 1 columns; the first line has 2",
        ),
        (
            "id\thyp\n",
            "column: hyq",
            "a.tsv:1: no column is called 'hyq' (did you mean 'hyp'?); found id, hyp",
        ),
        ("h\th\n", "column: h", "a.tsv:1: two columns are called 'h'"),
        (
            "a\tb\n",
            "column: 3",
            "a.tsv:1: has 2 columns, numbered from 1; there is no column 3",
        ),
        (
            "a\n",
            "column: h, header: false",
            "c.yaml:2:38: systems.A.header: without a header the column must be a number, from 1",
        ),
    ],
)
def test_wrong_tables_are_told(data: str, what: str, message: str) -> None:
    write({"a.tsv": data})
    assert problems(output(f"{{tsv: a.tsv, {what}}}"))[0] == message


# Parquet.
def parquet(values: dict[str, Any]) -> None:
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(
        pa.table(values), "a.parquet"
    )


def test_columns_of_parquet_files() -> None:
    parquet({"h": ["x", "y\ny", "z"], "t": [{"u": "p"}] * 3})
    assert outputs(output("{parquet: a.parquet, column: h}")) == [
        "x",
        "y\ny",
        "z",
    ]
    assert outputs(output("{parquet: a.parquet, column: t.u}")) == ["p"] * 3


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (
            "g",
            "a.parquet: no column is called 'g' (did you mean 'hyp'?); found hyp, n, e",
        ),
        ("n", "a.parquet, row 1: 'n': expected text, found a number"),
        (
            "e",
            "a.parquet, row 2: 'e': expected text, found null; null is for references, with *",
        ),
    ],
)
def test_wrong_columns_are_told(column: str, message: str) -> None:
    parquet({"hyp": ["x", "y", "z"], "n": [1, 2, 3], "e": ["a", None, "b"]})
    found = problems(output(f"{{parquet: a.parquet, column: {column}}}"))[
        0
    ].replace(" (did you mean 'hyp'?)", "")
    found = found.replace(
        "`empty_references: none` (--empty-references none)", "*"
    )
    assert found == message.replace(" (did you mean 'hyp'?)", "")


def test_a_file_that_is_no_parquet_is_told() -> None:
    write({"a.parquet": "text"})
    (found,) = problems(output("{parquet: a.parquet, column: h}"))
    assert found.startswith("a.parquet: cannot be read as Parquet: ")


# What the config says of a path.
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{jsonl: a}", "c.yaml:2:11: systems.A: the key 'column' is missing"),
        (
            "{jsonl: a, colum: h}",
            "c.yaml:2:25: systems.A.colum: unknown key (did you mean 'column'?)",
        ),
        (
            "{tsv: a, column: h, header: maybe}",
            "c.yaml:2:34: systems.A.header: expected true or false, found 'maybe'",
        ),
        (
            "{jsonl: '', column: h}",
            "c.yaml:2:15: systems.A.jsonl: is empty; expected a path",
        ),
        (
            "{josnl: a, column: h}",
            "c.yaml:2:15: systems.A.josnl: no data set of this name (did you mean 'jsonl'?)",
        ),
        (
            "none.txt",
            "c.yaml:2:11: systems.A: none.txt: no such file (did you mean 's.txt'?)",
        ),
        (
            "none/a.txt",
            "c.yaml:2:11: systems.A: none/a.txt: no such file; no folder none",
        ),
        (".", ".: is a folder; expected a text file"),
        ("{jsonl: ., column: h}", ".: is a folder; expected a text file"),
        (
            "{jsonl: none, column: h}",
            "c.yaml:2:15: systems.A.jsonl: none: no such file",
        ),
    ],
)
def test_a_wrong_path_is_told(value: str, message: str) -> None:
    assert message in problems(output(value))


def test_a_file_in_several_roles_is_opened_once() -> None:
    write({"r.gz": gzip.compress(TEXTS["r.txt"].encode())})
    text = """\
datasets: {d: {source: r.gz, references: [r.gz]}, e: {source: r.gz, references: [r.gz]}}
systems: {A: r.gz}
metrics: [gleu]
"""
    with mock.patch.object(
        Opener, "_finish", autospec=True, side_effect=Opener._finish
    ) as opened:
        prepare(text)
    assert opened.call_count == 1


def test_a_wrong_file_in_several_roles_is_told_once() -> None:
    assert problems(
        CONFIG.replace("r.txt", "none").replace("a.txt", "none")
    ) == ["c.yaml:1:44: datasets.d.references[0]: none: no such file"]


# The temporary folder.
def test_the_temporary_folder_is_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    temp_files = tmp_path / "spool"
    temp_files.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temp_files))
    write({"a.gz": gzip.compress(DATA)})
    job = prepare(output("a.gz"))
    assert len(list(temp_files.iterdir())) == 1
    stages.run(job, "out")
    del job
    gc.collect()
    assert list(temp_files.iterdir()) == []


def test_a_full_temporary_folder_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "none")
    write({"a.gz": gzip.compress(DATA)})
    (found,) = problems(output("a.gz"))
    assert found.startswith("no temporary folder can be made: ")


def test_plain_files_are_read_in_place() -> None:
    with mock.patch.object(tempfile, "mkdtemp", side_effect=AssertionError):
        stages.run(prepare(), "out")


# keep and drop.
@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ("keep: [2]", [1]),
        ("keep: [1-2]", [0, 1]),
        ("keep: 2-3", [1, 2]),
        ("keep: [3, 1]", [0, 2]),
        ("drop: [2]", [0, 2]),
        ("drop: [1, 3]", [1]),
        ("drop: numbers.txt", [1]),
        ("keep: numbers.txt", [0, 2]),
    ],
)
def test_lines_are_selected(chosen: str, left: list[int]) -> None:
    write({"numbers.txt": "1\r\n\n3-3"})
    corpus = prepare(
        dataset(f"{{source: s.txt, references: [r.txt], {chosen}}}")
    ).corpora[0]
    for name, text in {
        "s.txt": corpus.source,
        "r.txt": corpus.references[0],
        "a.txt": corpus.systems["A"],
    }.items():
        assert lines(text) == [
            TEXTS[name].splitlines()[number] for number in left
        ]
    assert corpus.lines == len(left)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (
            "keep: [4]",
            "c.yaml:1:59: datasets.d.keep[0]: line 4 is beyond the end: there are 3 lines",
        ),
        (
            "keep: [1-9]",
            "c.yaml:1:59: datasets.d.keep[0]: line 9 is beyond the end: there are 3 lines",
        ),
        (
            "keep: [0]",
            "c.yaml:1:59: datasets.d.keep[0]: '0': lines are numbered from 1",
        ),
        (
            "keep: [3-1]",
            "c.yaml:1:59: datasets.d.keep[0]: '3-1' ends before it begins",
        ),
        (
            "keep: [x]",
            "c.yaml:1:59: datasets.d.keep[0]: 'x' is no line number or range, such as 418 or 1-100",
        ),
        (
            "keep: [1-2, 2]",
            "c.yaml:1:64: datasets.d.keep[1]: line 2 is named twice (also at c.yaml:1:59: datasets.d.keep[0])",
        ),
        (
            "keep: []",
            "c.yaml:1:52: datasets.d.keep: is empty; at least one line is needed, found a list",
        ),
        (
            "drop: [1-3]",
            "c.yaml:1:59: datasets.d.drop[0]: every line is dropped; nothing can be scored",
        ),
        (
            "keep: none.txt",
            "c.yaml:1:52: datasets.d.keep: none.txt: no such file (did you mean 'n.txt'?)",
        ),
        (
            "keep: n.txt",
            "n.txt:2: '1 3' is no line number or range, such as 418 or 1-100",
        ),
        ("keep: empty.txt", "empty.txt: names no line"),
        (
            "keep: [1], drop: [2]",
            "c.yaml:1:63: datasets.d.drop: give keep or drop, not both",
        ),
    ],
)
def test_wrong_selections_are_told(chosen: str, message: str) -> None:
    write({"n.txt": "1\n1 3\n", "empty.txt": "\n"})
    assert problems(
        dataset(f"{{source: s.txt, references: [r.txt], {chosen}}}")
    ) == [message]


def test_places_in_selected_texts_are_those_of_the_file() -> None:
    write({"r.txt": "a\nb\n\n"})
    found = problems(
        dataset(
            "{source: s.txt, references: [r.txt], drop: [2], empty_references: error}"
        )
    )
    assert found == [
        "r.txt:3: this reference is empty, and the data set says `empty_references: error`"
    ]


# empty_references.
def test_a_missing_reference_is_no_empty_one() -> None:
    write({"q.txt": "a b x\n\ng h y\n"})
    corpus = prepare(
        dataset(
            "{source: s.txt, references: [q.txt, r.txt], empty_references: none}"
        )
    ).corpora[0]
    assert corpus.missing
    assert (
        not prepare(
            dataset(
                "{source: s.txt, references: [r.txt], empty_references: none}"
            )
        )
        .corpora[0]
        .missing
    )
    assert (
        not prepare(dataset("{source: s.txt, references: [q.txt, r.txt]}"))
        .corpora[0]
        .missing
    )


def test_a_sentence_without_any_reference_is_told() -> None:
    write({"q.txt": "a b x\n \n\n", "r.txt": "\n\n\n"})
    assert problems(
        dataset(
            "{source: s.txt, references: [q.txt, r.txt], empty_references: none}"
        )
    ) == [
        "q.txt:2: no annotator has a reference for this sentence (nor for 1 more), and the data set says "
        "`empty_references: none`"
    ]


def test_null_is_a_missing_reference() -> None:
    write({"q.jsonl": '{"r": null}\n{"r": "b"}\n{"r": "c"}\n'})
    text = "{source: s.txt, references: [{jsonl: q.jsonl, column: r}, r.txt], empty_references: %s}"
    corpus = prepare(dataset(text % "none")).corpora[0]
    assert (lines(corpus.references[0]), corpus.missing) == (
        ["", "b", "c"],
        True,
    )
    assert "found null" in problems(dataset(text % "keep"))[0]


# Globs.
def test_globs_of_references_are_in_natural_order(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write({f"r/ref{number}": TEXTS["r.txt"] for number in (10, 9, 1)})
    job = prepare(dataset("{source: s.txt, references: ['r/ref*']}"))
    assert [reference.name for reference in job.corpora[0].references] == [
        "ref1",
        "ref9",
        "ref10",
    ]
    assert gec_pipeline("validate c.yaml") == 0
    result = capsys.readouterr()
    assert (
        "datasets.d.references[0]: r/ref* matches 3: ref1, ref9, ref10\n"
        in result.out
    )
    assert "d: 3 references a line\n" in result.out


def test_globs_that_match_nothing_are_told() -> None:
    found = problems(dataset("{source: s.txt, references: ['r/*']}"))
    assert found == [
        "c.yaml:1:44: datasets.d.references[0]: no file matches 'r/*'"
    ]
    assert (
        problems(output("'n*'"))[0]
        == "c.yaml:2:11: systems.A: no file matches 'n*'"
    )
    assert (
        problems(output("'?.txt'"))[0]
        == "c.yaml:2:11: systems.A: 3 files match '?.txt'; a system has one"
    )


def test_a_file_may_be_called_like_a_glob() -> None:
    write({"a[1].txt": TEXTS["r.txt"], "a1.txt": "x\n"})
    assert outputs(output("'a[1].txt'")) == TEXTS["r.txt"].splitlines()


def test_systems_may_be_called_by_a_part_of_their_path() -> None:
    write({f"o/{name}/out.txt": TEXTS["a.txt"] for name in ("A", "B")})
    assert list(
        prepare(CONFIG.replace("{A: a.txt}", "['o/{system}/out.txt']"))
        .corpora[0]
        .systems
    ) == ["A", "B"]


def test_systems_lose_two_suffixes() -> None:
    write({"o/A.txt.gz": gzip.compress(DATA)})
    assert list(
        prepare(CONFIG.replace("{A: a.txt}", "['o/*']")).corpora[0].systems
    ) == ["A"]


# Keys that go without effect, or not together.
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "{source: s.txt}",
            "c.yaml:1:12: datasets.d: gleu needs references, the texts that outputs are compared with: "
            "add `references: [FILE]`",
        ),
        (
            "{source: s.txt, references: [r.txt], missing_annotator: first}",
            "c.yaml:1:52: datasets.d.missing_annotator: has no effect without m2; leave it out",
        ),
        (
            "{m2: x.m2, missing_annotator: none, empty_references: keep}",
            "c.yaml:1:51: datasets.d.empty_references: missing_annotator: none needs `empty_references: none`",
        ),
    ],
)
def test_keys_without_effect_are_told(value: str, message: str) -> None:
    assert message in problems(dataset(value))


def test_workers_without_effect_are_told() -> None:
    found = problems(CONFIG + "run: {n_jobs: 2, backend: serial}\n")
    assert found == [
        "c.yaml:4:7: run.n_jobs: has no effect with `backend: serial`; leave one out"
    ]


def test_all_problems_are_told_at_once(
    run_line: RunLine,
) -> None:
    write(
        {
            "a.gz": b"x",
            "r.txt": b"\xff\n",
            "c.yaml": CONFIG.replace("a.txt", "a.gz, B: none") + "outptu: {}\n",
        }
    )
    result = refused(run_line("run c.yaml"))
    assert sorted(line.split(" ")[1] for line in result.splitlines()) == [
        "a.gz:",
        "c.yaml:2:20:",
        "c.yaml:4:1:",
        "r.txt:1:",
    ]
    assert not Path("runs").exists()


def test_a_file_that_changed_is_told_by_its_own_name() -> None:
    job = prepare(jsonl(*[{"h": "a"}] * 3))
    stored_texts = job.corpora[0].systems["A"].span(0, 3)
    Path(getattr(stored_texts, "path")).write_bytes(b"")  # noqa: B009 (a Span or Lines)
    with pytest.raises(CorpusError, match=r"^a\.jsonl: the file changed"):
        stages.run(job, "out")


# ---- blank lines


SURVEYS = [None]
if chosen_kernel.name() == "native":
    SURVEYS.append(import_module("pipeline.kernel.native.scan").survey)
"""How a file is read: in Python (None), or compiled."""


def read_by(
    scanner: Any, path: Path, separator: bytes, chunk: int, leaves: int
) -> list[Any]:
    """Return all that is found in a file that is cut into pieces, and into stretches of so many
    leaves; or why not.
    """
    cuts: dict[str, Any] = {
        "CHUNK_BYTES": chunk,
        "RANGE_BYTES": 8 * leaves,
        "LEAF_BYTES": 8,
        "GRID_BYTES": 4,
        "WINDOW_BYTES": 4,
    }
    with (
        mock.patch.multiple(scan, **cuts),
        mock.patch.object(
            chosen_kernel, "native_function", return_value=scanner
        ),
    ):
        try:
            file = TextFile.index(StoredTexts(path, separator, Origin("f")))
        except CorpusError as error:
            return [str(error)]
    return [file, file.blank_bits.tolist(), file.marks.tolist()]


@settings(max_examples=150)
@given(
    texts=st.lists(
        st.lists(
            st.sampled_from([*" \t\ra@\0\u00a0\u3000\u2581é\x1c\x0b😀", "@@ "]),
            max_size=9,
        ).map("".join),
        max_size=40,
    ),
    cuts=st.lists(
        st.tuples(st.sampled_from([8, 9, 16, 50, 1000]), st.integers(1, 40)),
        min_size=2,
        max_size=3,
    ),
    newline=st.booleans(),
    ended=st.booleans(),
    windows=st.booleans(),
    broken=st.sampled_from([b"", b"", b"", b"\x80", b"\xe2\x96"]),
)
@example(
    texts=["a" * 56, "", ""],
    cuts=[(9, 7), (8, 7)],
    newline=False,
    ended=False,
    windows=False,
    broken=b"",
)
@example(  # a piece ends 2 bytes before its stretch, and the line 4 bytes behind: see _piece_ends()
    texts=["a" * 56 + " b", "c"],
    cuts=[(9, 7), (8, 7)],
    newline=True,
    ended=True,
    windows=False,
    broken=b"",
)
def test_a_pass_over_a_file_finds_the_same_however_it_is_done(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    cuts: list[tuple[int, int]],
    newline: bool,
    ended: bool,
    windows: bool,
    broken: bytes,
) -> None:
    """A line may go on in the next piece, and in the next stretch."""
    separator, path = (
        b"\n" if newline else b"\xff",
        tmp_path_factory.getbasetemp() / "pass",
    )
    end = b"\r\n" if newline and windows else separator
    data = end.join(
        [*(text.encode() for text in texts), *([b""] if ended else [])]
    )
    if newline and broken:
        data += broken + data
    path.write_bytes(data)
    found = [
        read_by(scanner, path, separator, *cut)
        for scanner, cut in product(SURVEYS, cuts)
    ]
    assert found == found[:1] * len(found)
    if len(found[0]) > 1:
        file, _, marks = found[0]
        lines = data.split(separator)
        lines = lines if lines[-1] else lines[:-1]
        expected = [
            number
            for number, line in enumerate(lines, 1)
            if not line.decode().split()
        ]
        assert (file.lines, file.blank, file.blanks.tolist()) == (
            len(lines),
            len(expected),
            expected,
        )
        assert file.suspicious.subwords == data.count(b"@@ ") + data.count(
            "\u2581".encode()
        )
        assert file.suspicious.nuls == data.count(b"\0")
        positions = np.cumsum([0, *(len(line) + 1 for line in lines)]).tolist()
        firsts = [
            n
            for n in range(1, len(positions))
            if positions[n] // 4 > positions[n - 1] // 4
            and positions[n] <= len(data)
        ]
        remaining = [
            [0, 0],
            *([n, positions[n]] for n in firsts),
            *([[len(lines), len(data)]] if lines else []),
        ]
        assert list(map(list, zip(*marks, strict=True))) == remaining
        # The digest, by hand: BLAKE3 of the leaves' own, of the lines with a newline each.
        complete = (
            data.replace(b"\r\n", b"\n")
            if newline
            else data.replace(b"\n", b"\xfe").replace(b"\xff", b"\n")
        )
        complete += b"" if complete.endswith(b"\n") or not complete else b"\n"
        leaves = b"".join(
            blake3(complete[low : low + 8]).digest()
            for low in range(0, len(complete), 8)
        )
        assert file.digest == f"blake3:{blake3(leaves).hexdigest()[:32]}"


def test_a_text_that_is_named_in_two_ways_is_opened_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was found in it was once added up twice: lines behind the first stretch were looked for
    in wrong places.
    """
    monkeypatch.setattr(scan, "RANGE_BYTES", scan.LEAF_BYTES)
    line_count = 200_000
    text = Path("long.txt")
    text.write_text(
        "".join(f"{number:07} one two\n" for number in range(line_count)),
        "utf-8",
    )
    assert text.stat().st_size > 3 * scan.LEAF_BYTES
    opener = Opener()
    files = opener.open_all([text.absolute(), text], [])
    assert opener.read == text.stat().st_size
    for file in files:
        assert file is not None
        assert file.read(line_count - 1, line_count) == [
            f"{line_count - 1:07} one two"
        ]


def test_a_run_says_how_many_bytes_it_has_read() -> None:
    """The second run has all counts: it opens the texts, and counts nothing."""
    size = sum(
        Path(name).stat().st_size for name in ("s.txt", "r.txt", "a.txt")
    )
    bytes_read = []
    for _ in range(2):
        stages.run(prepare(), "out")
        bytes_read.append(read_json(Path("out/run.json"))["bytes_read"])
    assert [each["opening"] for each in bytes_read] == [size, size]
    assert [each["counting"] for each in bytes_read] == [size, 0]


def test_a_bit_is_kept_for_a_blank_line(tmp_path: Path) -> None:
    """A list of their numbers was four times as large as a file of nothing else, and took a
    microsecond a line.
    """
    (tmp_path / "blank").write_bytes(b"\n" * 100_000 + b"a\n")
    text = open_text(tmp_path / "blank")
    assert (
        text.lines,
        text.blank,
        text.first_blank,
        text.blank_bits.nbytes,
    ) == (
        100_001,
        100_000,
        1,
        12_501,
    )
    assert text.blanks.tolist() == list(range(1, 100_001))
