"""Text files: what is a line, what is refused and with which words, and what is read back by
ranges.
"""

from __future__ import annotations

import os
import re
from itertools import product
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline import stages
from pipeline.data import Corpus, Span, TextFile, open_corpus
from pipeline.data import scan as index
from pipeline.data.config import Dataset, System
from pipeline.data.scan import CHUNK_BYTES
from pipeline.errors import CorpusError, Problem
from pipeline.execution import workers
from pipeline.execution.options import RunOptions
from tests.conftest import gec_pipeline, open_text, run, tree, write_run
from tests.oracles import naive

BOM = "\ufeff"


def written(folder: Path, data: bytes | str, name: str = "text.txt") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def read(file: TextFile, low: int = 0, high: int | None = None) -> list[str]:
    span = file.span(low, file.lines if high is None else high)
    return [line.decode() for line in span.read().texts()]


def complaint(path: Path) -> str:
    with pytest.raises(CorpusError) as caught:
        open_text(path)
    return str(caught.value)


# What a line is: the specification, "Lines and tokens".
@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\nb", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\r\nb\n", ["a", "b"]),
        ("\n", [""]),
        ("\r\n", [""]),
        ("\n\n\n", ["", "", ""]),
        ("a\n\nb", ["a", "", "b"]),
        ("a\rb\nc\r\r\n", ["a\rb", "c\r"]),
        ("a\r", ["a\r"]),
        ("\r", ["\r"]),
        ("\r\r\n\n", ["\r", ""]),
        ("a\x00b\n\x00", ["a\x00b", "\x00"]),
        ("a\u00a0b \n", ["a\u00a0b "]),
        (
            "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\n",
            ["a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g"],
        ),
        (BOM, []),
        (f"{BOM}\n", [""]),
        (f"{BOM}a\r\nb", ["a", "b"]),
        (f"{BOM}{BOM}a\n{BOM}b\n", [f"{BOM}a", f"{BOM}b"]),
        ("  a  \n", ["  a  "]),
    ],
)
def test_lines(tmp_path: Path, data: str, lines: list[str]) -> None:
    file = open_text(written(tmp_path, data))
    assert file.lines == len(lines)
    assert read(file) == lines
    assert file.has_bom == data.startswith(BOM)


FRAGMENTS = st.sampled_from(
    [
        "a",
        "bc",
        " ",
        "\n",
        "\r\n",
        "\r",
        "é",
        "日",
        "😀",
        "\u00a0",
        "\u3000",
        "\x00",
        BOM,
        "\u2028",
        "\x85",
    ]
)
MIXED = st.lists(FRAGMENTS, max_size=40).map("".join)


@given(
    text=MIXED,
    piece=st.integers(1, 9),
    stride=st.integers(1, 5),
    data=st.data(),
)
def test_any_range_equals_a_naive_split(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    piece: int,
    stride: int,
    data: st.DataObject,
) -> None:
    path = written(tmp_path_factory.getbasetemp(), text)
    expected = naive.read_lines(path)
    with mock.patch.multiple(index, CHUNK_BYTES=piece, GRID_BYTES=stride):
        file = open_text(path)
        low = data.draw(st.integers(0, len(expected)))
        high = data.draw(st.integers(low, len(expected)))
        assert file.lines == len(expected)
        assert read(file, low, high) == expected[low:high]


@given(
    text=MIXED,
    other=MIXED,
    pieces=st.tuples(st.integers(1, 9), st.integers(1, 9)),
)
def test_digests_are_equal_exactly_where_the_lines_are(
    tmp_path_factory: pytest.TempPathFactory,
    text: str,
    other: str,
    pieces: tuple[int, int],
) -> None:
    lines, digests = [], []
    for data, chunk in zip((text, other), pieces, strict=True):
        path = written(tmp_path_factory.getbasetemp(), data)
        with mock.patch.object(index, "CHUNK_BYTES", chunk):
            digests.append(open_text(path).digest)
        lines.append(naive.read_lines(path))
    assert (digests[0] == digests[1]) == (lines[0] == lines[1])


@given(text=MIXED, piece=st.integers(1, 9))
def test_digest_is_that_of_the_lines_whatever_their_ends(
    tmp_path_factory: pytest.TempPathFactory, text: str, piece: int
) -> None:
    text = text.replace("\r", "").lstrip(BOM)
    folder = tmp_path_factory.getbasetemp()
    with mock.patch.object(index, "CHUNK_BYTES", piece):
        unix = open_text(written(folder, text)).digest
        windows = open_text(
            written(folder, (BOM + text).replace("\n", "\r\n"))
        ).digest
    assert unix == windows


# By hand: the byte is counted from 1 in its line; Python's decoder blames the first byte of a
# broken sequence.
@pytest.mark.parametrize(
    ("data", "line", "byte", "code"),
    [
        (b"\xff", 1, 1, "ff"),
        (b"ab\xffc\n", 1, 3, "ff"),
        (b"a\nb\r\n\xc3", 3, 1, "c3"),
        (b"a\n\xe6\x97\n", 2, 1, "e6"),
        (b"\xed\xa0\x80\n", 1, 1, "ed"),
        (b"\xf4\x90\x80\x80", 1, 1, "f4"),
        ("日".encode() + b"\x80\n", 1, 4, "80"),
        (b"\xff\xfea\x00\n\x00", 1, 1, "ff"),
        (b"a" * CHUNK_BYTES + b"\xff" + b"a\n", 1, CHUNK_BYTES + 1, "ff"),
        (
            b"a\n" * (CHUNK_BYTES // 2) + b"\xff\n",
            CHUNK_BYTES // 2 + 1,
            1,
            "ff",
        ),
        (
            b"a\n" * 9 + b"b" * (3 * CHUNK_BYTES) + b"\x80\nc\n",
            10,
            3 * CHUNK_BYTES + 1,
            "80",
        ),
        (
            b"b" * (CHUNK_BYTES - 4) + "😀".encode() + b"\x80\n",
            1,
            CHUNK_BYTES + 1,
            "80",
        ),
    ],
)
def test_invalid_utf8_is_told_with_file_line_and_byte(
    tmp_path: Path, data: bytes, line: int, byte: int, code: str
) -> None:
    path = written(tmp_path, data)
    found = complaint(path)
    assert found.startswith(
        f"{path}:{line}: byte {byte} of the line (0x{code}) is not valid UTF-8"
    )
    assert ("UTF-16" in found) == data.startswith(b"\xff\xfe")


@given(
    data=st.lists(
        st.sampled_from(
            [
                b"a",
                b"\n",
                b"\xc3",
                b"\xa9",
                b"\xf0\x9f",
                b"\x98\x80",
                b"\xff",
                b"\r\n",
            ]
        ),
        max_size=14,
    )
)
def test_invalid_utf8_is_found_where_python_finds_it(
    tmp_path_factory: pytest.TempPathFactory, data: list[bytes]
) -> None:
    complete = b"".join(data)
    try:
        complete.decode()
    except UnicodeDecodeError as error:
        position = error.start
    else:
        assume(False)
    line, byte = (
        complete.count(b"\n", 0, position) + 1,
        position - complete.rfind(b"\n", 0, position),
    )
    path = written(tmp_path_factory.getbasetemp(), complete)
    for chunk in range(1, 9):
        with mock.patch.object(index, "CHUNK_BYTES", chunk):
            assert complaint(path).startswith(
                f"{path}:{line}: byte {byte} of the line (0x{complete[position]:02x})"
            )


def test_a_folder_is_no_text(tmp_path: Path) -> None:
    assert (
        complaint(tmp_path) == f"{tmp_path}: is a folder; expected a text file"
    )


def test_a_missing_file_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    written(tmp_path, "a\n", "output.txt")
    assert (
        complaint(tmp_path / "outptu.txt")
        == f"{tmp_path / 'outptu.txt'}: no such file (did you mean 'output.txt'?)"
    )


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "output.txt"
    assert (
        complaint(path)
        == f"{path}: no such file; no folder {tmp_path / 'nowhere'}"
    )


@pytest.mark.parametrize(
    "name",
    ["a\x00b", "x" * 300, "file/below", "\ud800"],
    ids=["nul", "long", "below", "surrogate"],
)
def test_impossible_paths_are_told(tmp_path: Path, name: str) -> None:
    written(tmp_path, "a\n", "file")
    assert str(tmp_path) in complaint(tmp_path / name)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0,
    reason="root may read everything",
)
def test_an_unreadable_file_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, "a\n")
    path.chmod(0)
    assert "cannot be read: Permission denied" in complaint(path)


def opened(folder: Path, **texts: str) -> tuple[Corpus | None, list[str]]:
    """Open source, references (r0, r1 ...) and systems (any other name), as many as are given."""
    paths = {name: written(folder, text, name) for name, text in texts.items()}
    references = tuple(
        paths[name] for name in paths if re.fullmatch("r[0-9]", name)
    )
    systems = [
        System(name, {"d": paths[name]})
        for name in paths
        if name != "source" and paths[name] not in references
    ]
    problems: list[Problem] = []
    found = open_corpus(
        Dataset(name="d", source=paths.get("source"), references=references),
        systems,
        problems,
    )
    return found, [
        str(problem).replace(f"{folder}{os.sep}", "") for problem in problems
    ]


def test_unequal_numbers_of_lines_are_told_for_every_file(
    tmp_path: Path,
) -> None:
    found, problems = opened(
        tmp_path, source="a\n" * 5, r0="a\n" * 5, A="a\n" * 3, B="a\n" * 4 + "b"
    )
    assert found is None
    head, *rows = problems[0].split("\n")
    assert (
        head
        == "the texts have different numbers of lines; line 4 has no partner in some:"
    )
    assert [row.split() for row in rows] == [
        [n, "lines", name]
        for n, name in zip("5535", ("source", "r0", "A", "B"), strict=True)
    ]


def test_one_line_end_too_many_is_a_line(tmp_path: Path) -> None:
    assert (
        "different numbers of lines"
        in opened(tmp_path, source="a\nb\n", r0="a\nb\n\n", A="a\nb")[1][0]
    )


def test_texts_without_lines_are_refused(tmp_path: Path) -> None:
    assert opened(tmp_path, source="", r0="", A="")[1] == [
        "source: has no lines; nothing can be scored"
    ]


def test_too_many_references_are_refused(tmp_path: Path) -> None:
    paths = (written(tmp_path, "a\n"),) * (Corpus.MAX_REFERENCES + 1)
    problems: list[Problem] = []
    assert (
        open_corpus(
            Dataset(name="d", source=None, references=paths),
            [System("A", {"d": paths[0]})],
            problems,
        )
        is None
    )
    assert [str(problem) for problem in problems] == [
        "d: has 256 references; at most 255 are supported"
    ]


def test_empty_references_can_be_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a\n \nb\n\u3000\n")
    problems: list[Problem] = []
    assert (
        open_corpus(
            Dataset(
                name="d",
                source=None,
                references=(path,),
                empty_references="error",
            ),
            [System("A", {"d": path})],
            problems,
        )
        is None
    )
    assert [str(problem).split(",")[0] for problem in problems] == [
        f"{path}:2: this reference is empty (and 1 more)"
    ]


@pytest.mark.parametrize("change", [b"", b"a\n", b"a\n" * 9, b"a" * 600])
def test_a_file_that_changed_its_size_since_it_was_checked_is_refused(
    tmp_path: Path, change: bytes
) -> None:
    file = open_text(written(tmp_path, "a\n" * 300))
    written(tmp_path, change)
    with pytest.raises(
        CorpusError,
        match=r"text\.txt: the file changed while it was being read",
    ):
        file.span(128, 300).read()


def test_a_file_that_went_away_since_it_was_checked_is_told(
    tmp_path: Path,
) -> None:
    file = open_text(written(tmp_path, "a\n"))
    Path(str(file.path)).unlink()
    with pytest.raises(
        CorpusError, match=r"text\.txt: cannot be read: No such file"
    ):
        file.span(0, 1).read()


def test_a_span_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a\nb\n")
    with pytest.raises(CorpusError):
        Span(path=str(path), start=0, size=4, skip=1, lines=2).read()


@pytest.mark.parametrize(
    ("metric", "role"),
    [
        *(
            product(
                ("gleu[iter=2]", "gleu[iter=2,lc=true]"),
                ("source", "ref1", "B"),
            )
        ),
        *(
            (metric, "B")
            for metric in (
                "bleu[tok=whitespace]",
                "bleu",
                "rouge",
                "chrf",
                "ter",
            )
        ),  # do not read sources
        # share their tokens
        *(
            ("bleu[tok=whitespace] gleu[iter=2]", role)
            for role in ("source", "B")
        ),
    ],
)
def test_a_file_that_stopped_to_be_utf8_since_it_was_checked_is_told(
    tmp_path: Path, kernel: str, metric: str, role: str
) -> None:
    job = stages.prepare(write_run(tmp_path, chosen=metric.split()))
    path = tmp_path / "d" / role
    before = path.stat()
    path.write_bytes(path.read_bytes()[:-2] + b"\xff\n")
    # else the change itself is told
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(CorpusError) as caught:
        stages.run(job, tmp_path / "run")
    assert kernel
    assert (
        str(caught.value)
        == f"{path}: is no longer valid UTF-8; it changed since it was checked"
    )


@pytest.mark.parametrize(
    "text", ["a\x00b c", "a\u00a0b", "a\rb", "a\x1cb", f"{BOM}{BOM}a"]
)
def test_odd_lines_are_scored_alike_by_each_kernel(
    tmp_path: Path, kernel: str, text: str
) -> None:
    """By hand: output and reference are the same line, and of the source they share nothing."""
    for name, data in {"source": "x", "ref0": text, "A": text}.items():
        written(tmp_path, f"{data}\n", name)
    config = written(
        tmp_path,
        "datasets: {d: {source: source, references: [ref0]}}\nsystems: {A: A}\n"
        "metrics: ['gleu[n=1,rng=python3]', 'gleu[n=1,unit=char]']\n",
        "config.yaml",
    )
    words, characters = run(config, tmp_path / "run").scores
    line = text.removeprefix(BOM)
    assert kernel
    assert (words.score, words.outputs["match_1"]) == (1.0, len(line.split()))
    assert (characters.score, characters.outputs["match_1"]) == (1.0, len(line))


# ---- files that change while a run is at work


def changed_while_counting(
    config: Path, path: Path, back: bool, shard_lines: int = 10
) -> None:
    """Run a config, and change a letter of a file, its length kept, after the second shard; back:
    its time too.
    """
    original, done = workers.count, 0
    before = path.stat()

    def count(task: workers.Task) -> workers.Done:
        nonlocal done
        done += 1
        found = original(task)
        if done == 2:
            data = path.read_bytes()
            path.write_bytes(
                data[:-3] + (b"x" if data[-3:-2] != b"x" else b"y") + data[-2:]
            )
            if back:
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        return found

    with mock.patch.object(workers, "count", count):
        run(
            config,
            config.parent / "run",
            RunOptions(n_jobs=1, backend="serial", shard_lines=shard_lines),
        )


@pytest.mark.parametrize("name", ["A", "ref0", "source"])
@pytest.mark.parametrize("back", [False, True])
def test_a_file_that_changes_while_it_is_scored_is_told(
    tmp_path: Path, name: str, back: bool
) -> None:
    """By a reader, where the time of the file tells it; else at the end, and then nothing is kept."""
    config = write_run(tmp_path, 50)
    message = (
        "changed while it was being scored"
        if back
        else "the file changed while it was being read"
    )
    with pytest.raises(CorpusError, match=f"{name}: {message}"):
        changed_while_counting(config, tmp_path / "d" / name, back)
    assert not list((tmp_path / "run").rglob("*.columns"))
    assert len(list((tmp_path / "run").rglob("*.part"))) == (0 if back else 2)
    run(config, tmp_path / "run")
    run(config, tmp_path / "fresh")
    # parts of the old text, which may come back
    assert gec_pipeline(f"clean {tmp_path}/run --unused --quiet") == 0
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")


def test_a_file_that_is_only_touched_or_linked_is_not_told(
    tmp_path: Path,
) -> None:
    """Its inode changes, and it is read again: its lines are the same."""
    config = write_run(tmp_path, 50)
    original = workers.count

    def count(task: workers.Task) -> workers.Done:
        (tmp_path / "d" / "A").chmod(0o600)
        return original(task)

    with mock.patch.object(workers, "count", count):
        assert run(config, tmp_path / "run").scores


def test_a_file_that_goes_while_it_is_scored_is_told(tmp_path: Path) -> None:
    config = write_run(tmp_path, 50)
    original = workers.count

    def count(task: workers.Task) -> workers.Done:
        found = original(task)
        (tmp_path / "d" / "A").unlink()
        return found

    with (
        mock.patch.object(workers, "count", count),
        pytest.raises(CorpusError, match="A: changed while it was being"),
    ):
        run(config, tmp_path / "run")
