"""The run directory: whose it is, what is written whole, what is deleted, what a full disk does."""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import os
import pickle
import re
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from io import BytesIO
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipeline import stages
from pipeline.arrays import Ints
from pipeline.data import open_corpus
from pipeline.data.config import Dataset, System
from pipeline.errors import StoreError
from pipeline.execution import tasks, workers
from pipeline.execution.count import count_in_memory
from pipeline.execution.options import RunOptions
from pipeline.execution.store import counts, run_directory
from pipeline.execution.store.counts import (
    BLOCK_LINES,
    CountsKey,
    InMemoryCounts,
    Location,
    ShardFile,
    StoredCounts,
)
from pipeline.execution.store.run_directory import RunDirectory, is_file_name
from pipeline.files import file_name, write_atomic
from pipeline.metrics.base.statistics_spec import COUNTING, Field, Schema
from pipeline.metrics.build import from_text
from pipeline.parallel import threads
from pipeline.tokenizers import sacrebleu
from tests.conftest import (
    ROOT,
    Finished,
    RunLine,
    assert_as_fresh,
    gec_pipeline,
    metric_of,
    printed,
    read_json,
    refused,
    run,
    tree,
    write_config,
    write_json,
    write_run,
)

SCHEMA = Schema((Field("length"), Field("match", 2, per_reference=True)), 2)
"""One column, and two orders for two references: five packed columns."""
ENOSPC = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def joined(
    folder: Path,
    arrays: Sequence[NDArray[np.integer]],
    lines: int,
    width: int = 5,
    processors: int = 1,
) -> StoredCounts:
    """Join the arrays of a system, each that of a shard, and return its columns."""
    directory = RunDirectory(folder)
    directory.write_manifest({})
    schema = SCHEMA if width == 5 else Schema((Field("length"),), 1)
    path = StoredCounts.path_in(folder, "d", "A", "needs")
    statistics = StoredCounts(path, schema, lines, "key")
    low, parts = 0, list[Location]()
    for array in arrays:
        file = directory.shard_file(
            low, low + len(array), ["key"], [array.shape[1]]
        )
        file.write([array])
        parts += file.locations().values()
        low += len(array)
    with threads(processors) as shared:
        directory.put_in_place(
            [(directory.join(statistics, parts, shared), statistics)]
        )
    return statistics


def raw_blocks(path: Path) -> tuple[dict[str, Any], list[NDArray[np.integer]]]:
    """Read a .columns file as its documentation tells: a line of JSON, then .npy arrays."""
    header, _, body = path.read_bytes().partition(b"\n")
    stream, blocks = BytesIO(body), []
    while stream.tell() < len(body):
        blocks.append(np.load(stream, allow_pickle=False))
    checks = blocks.pop()
    assert (checks.dtype, checks.shape) == (np.int64, (len(blocks), 1))
    return json.loads(header), blocks


# ---- columns


@pytest.mark.parametrize(
    ("top", "dtype"),
    [
        (0, np.uint16),
        (65_535, np.uint16),
        (65_536, np.int32),
        (2**31 - 1, np.int32),
        (2**31, np.int64),
        (2**62, np.int64),
        (-1, np.int32),
        (-(2**31), np.int32),
        (-(2**31) - 1, np.int64),
    ],
)
def test_a_block_has_the_narrowest_type_that_holds_it(
    tmp_path: Path, top: int, dtype: type[np.integer[Any]]
) -> None:
    first, second = (
        np.zeros((BLOCK_LINES, 1), np.int64),
        np.full((3, 1), top, np.int64),
    )
    statistics = joined(
        tmp_path, [np.concatenate((first, second))], BLOCK_LINES + 3, width=1
    )
    header, blocks = raw_blocks(statistics.path)
    assert [block.dtype.type for block in blocks] == [np.uint16, dtype]
    assert Schema.narrow(second).dtype == dtype
    read = np.concatenate([block["length"] for block in statistics.blocks()])
    assert read.dtype == np.int64
    assert (read == np.concatenate((first, second))[:, 0]).all()
    assert header["lines"] == BLOCK_LINES + 3


@pytest.mark.parametrize("processors", [1, 3])
@pytest.mark.parametrize(
    "size",
    [
        100,
        1000,
        BLOCK_LINES - 1,
        BLOCK_LINES,
        3 * BLOCK_LINES + 7,
        12 * BLOCK_LINES,
    ],
)
def test_blocks_do_not_depend_on_the_shards_or_on_threads(
    tmp_path: Path, size: int, processors: int
) -> None:
    rows = (
        np.random.default_rng(size).integers(
            0, 1 << 40, (9 * BLOCK_LINES + 5, 1)
        )
        >> np.arange(9 * BLOCK_LINES + 5)[:, None] % 40
    )
    rows[: 2 * BLOCK_LINES] &= 0xFF
    arrays = [
        Schema.narrow(rows[low : low + size])
        for low in range(0, len(rows), size)
    ]
    _, blocks = raw_blocks(
        joined(tmp_path, arrays, len(rows), width=1, processors=processors).path
    )
    assert [len(block) for block in blocks] == [BLOCK_LINES] * 9 + [5]
    assert [block.dtype for block in blocks] == [
        Schema.narrow(rows[low : low + BLOCK_LINES]).dtype
        for low in range(0, 9 * BLOCK_LINES + 5, BLOCK_LINES)
    ]
    assert (np.concatenate(blocks) == rows).all()


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("unusual", [0, 0xFFFF, 0x10000, -1, 2**31, -(2**40)])
def test_columns_are_packed_and_narrowed_in_one_step(unusual: int) -> None:
    """The numbers are those of both steps one after the other, also where the arrays are parts of
    larger ones.
    """
    schema = Schema(
        (Field("a"), Field("b", 2, per_reference=True), Field("c", 3)), 2
    )
    both = np.arange(7 * 2 * 4, dtype=np.int64).reshape(7, 2, 4)
    both[-1, -1, 0] = unusual
    for lines in (7, 1):
        columns = {
            "a": both[:lines, 0, 1],
            "b": both[:lines, :, ::2],
            "c": both[:lines, 1, :3],
        }
        expected, packed = (
            Schema.narrow(schema.pack(columns)),
            schema.narrowed(columns),
        )
        assert (packed.dtype, packed.tolist()) == (
            expected.dtype,
            expected.tolist(),
        )


def lengths(columns: StoredCounts | InMemoryCounts) -> list[int]:
    found: list[int] = []
    for block in columns.blocks():
        found += block["length"].tolist()
    return found


@given(
    cuts=st.lists(st.integers(0, 60), max_size=5),
    values=st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=60),
)
def test_the_parts_cannot_be_seen_in_the_columns(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], values: list[int]
) -> None:
    complete = np.array(values, np.int64)[:, None]
    folder = tmp_path_factory.mktemp("parts")
    pieces = [
        Schema.narrow(chunk)
        for chunk in np.split(
            complete, sorted(min(cut, len(values)) for cut in cuts)
        )
    ]
    with mock.patch.object(counts, "BLOCK_LINES", 7):
        one = joined(folder / "one", [complete], len(values), width=1)
        many = joined(folder / "many", pieces, len(values), width=1)
        assert many.path.read_bytes() == one.path.read_bytes()
        assert lengths(many) == values
        memory = InMemoryCounts(pieces, many.schema)
        assert lengths(memory) == values


@given(numbers=st.lists(st.integers(-5, 2**40), min_size=1, max_size=20))
def test_columns_of_few_lines_are_the_same_as_packed_ones(
    numbers: list[int],
) -> None:
    schema = Schema(
        (
            Field("length"),
            Field("match", 2, per_reference=True),
            Field("real", real=True),
        ),
        3,
    )
    length = np.array(numbers, np.int64)
    match = np.arange(len(numbers) * 6).reshape(-1, 3, 2)
    columns: dict[str, Any] = {
        "real": length / 3,
        "match": match,
        "length": length,
        "other": length,
    }
    few = InMemoryCounts([], schema, columns)
    many = InMemoryCounts([schema.narrowed(columns)], schema)
    assert few.lines == many.lines == len(numbers)
    again = pickle.loads(pickle.dumps(few))  # noqa: S301 (made here)
    for other in (many, again):
        ((one,), (two,)) = few.blocks(), other.blocks()
        assert [*one] == [*two] == ["length", "match", "real"]
        assert all(one[name].tobytes() == two[name].tobytes() for name in one)


@given(data=st.data(), references=st.integers(1, 3), lines=st.integers(1, 4))
def test_pack_and_unpack_are_each_other_s_inverse(
    data: st.DataObject, references: int, lines: int
) -> None:
    fields = st.builds(
        lambda orders, per: (orders, per), st.integers(0, 3), st.booleans()
    )
    chosen = data.draw(st.lists(fields, min_size=1, max_size=4))
    schema = Schema(
        tuple(Field(f"f{number}", *item) for number, item in enumerate(chosen)),
        references,
    )
    packed: Ints = np.arange(lines * schema.width).reshape(lines, schema.width)
    assert len(schema.names) == len(set(schema.names)) == schema.width
    assert (schema.pack(schema.unpack(packed)) == packed).all()


def pickled(data: bytes) -> bytes:
    """Put a pickled array in the place of the counts."""
    buffer = BytesIO()
    np.save(buffer, np.array([[print] * 5], object), allow_pickle=True)
    return data.partition(b"\n")[0] + b"\n" + buffer.getvalue()


def with_header(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    """Change the header of the first array, whose length stays."""

    def changed(data: bytes) -> bytes:
        end = data.index(b"}", data.index(b"NUMPY")) + 1
        start = data[:end].rindex(old)
        head = data[:start] + new + data[start + len(old) : end]
        return (head + b" " * (end - len(head)) + data[end:])[
            : max(len(data), len(head))
        ]

    return changed


@pytest.mark.parametrize(
    ("changed", "lines"),
    [
        *(
            (lambda data, keep=keep: data[:keep], 10)
            for keep in (0, 1, 20, 100, -1)
        ),
        *((lambda data: data, lines) for lines in (9, 11)),
        (pickled, 10),
        (with_header(b"(10, 5)", b"("), 10),
        (with_header(b"(10, 5)", b"(10, 99999999999999)"), 10),
        (with_header(b"(10, 5)", b"(5, 10)"), 10),
        (with_header(b"'<u2'", b"'O'"), 10),
        (with_header(b"'<u2'", b"'<f8'"), 10),
        (with_header(b"}", b"\xff"), 10),
    ],
)
def test_columns_that_are_not_as_they_were_written_are_told(
    tmp_path: Path, changed: Callable[[bytes], bytes], lines: int
) -> None:
    path = joined(tmp_path, [np.arange(50).reshape(10, 5)], 10).path
    path.write_bytes(changed(path.read_bytes()))
    with pytest.raises(
        StoreError,
        match=r"A\.needs\.columns: is damaged; run the same command again, wh",
    ):
        list(StoredCounts(path, SCHEMA, lines).blocks())


@settings(max_examples=300)
@given(place=st.integers(0, 500), byte=st.integers(0, 255))
def test_a_wrong_byte_gives_a_message_or_a_number_but_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, place: int, byte: int
) -> None:
    folder = tmp_path_factory.getbasetemp() / "damaged"
    statistics = joined(folder, [np.arange(50).reshape(10, 5)], 10)
    data = bytearray(statistics.path.read_bytes())
    data[place % len(data)] = byte
    statistics.path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(StoreError):
            list(statistics.blocks())


# ---- parts


def part_of(
    folder: Path, **arrays: NDArray[np.integer]
) -> tuple[Path, dict[str, int]]:
    """Write a part of the lines 10 <= i < 12; return its path, and the widths of its arrays."""
    widths = {key: array.shape[1] for key, array in arrays.items()}
    file = RunDirectory(folder).shard_file(
        10, 12, [*widths], [*widths.values()]
    )
    file.write([*arrays.values()])
    assert [*(folder / "unfinished").iterdir()] == [file.path]
    return file.path, widths


ARRAYS: dict[str, NDArray[np.integer]] = {
    "a": np.arange(6, dtype=np.uint16).reshape(2, 3),
    "b": np.arange(-1, 1, dtype=np.int32).reshape(2, 1),
}


def test_parts_are_found_by_key_and_lines(tmp_path: Path) -> None:
    _, widths = part_of(tmp_path, **ARRAYS)
    found = counts.find(tmp_path / "unfinished", widths)
    assert set(found) == {CountsKey("a", 10, 12), CountsKey("b", 10, 12)}
    assert all(
        (found[CountsKey(key, 10, 12)].read() == array).all()
        for key, array in ARRAYS.items()
    )
    assert set(counts.find(tmp_path / "unfinished", {"b": 1, "c": 1})) == {
        CountsKey("b", 10, 12)
    }
    # columns of another number
    assert counts.find(tmp_path / "unfinished", {"a": 2}) == {}


def test_every_wrong_byte_of_a_part_is_noticed(tmp_path: Path) -> None:
    """Byte by byte: what is found is as it was written, or it is not found."""
    path, widths = part_of(tmp_path, **ARRAYS)
    data = path.read_bytes()
    for place in range(len(data)):
        path.write_bytes(
            data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        )
        found = counts.find(tmp_path / "unfinished", widths)
        assert all(
            (item.read() == ARRAYS[cell.key]).all()
            for cell, item in found.items()
        )
        assert len(found) < 2


HEADERS = [
    b"",
    b"[1]\n",
    b"[1, 2\n",
    b"\xff\n",
    b"null\n",
    b"[" * 100_000,
    b'[["a", -1, ""]]\n',
    b'[["a", 1e999, ""]]\n',
]


@pytest.mark.parametrize(
    "content",
    [0, 1, 20, 200, -1, *HEADERS],
    ids=lambda content: str(content)[:20],
)
def test_a_part_that_is_cut_short_or_has_a_wrong_header_is_not_found(
    tmp_path: Path, content: int | bytes
) -> None:
    path, widths = part_of(tmp_path, **ARRAYS)
    path.write_bytes(
        path.read_bytes()[:content] if isinstance(content, int) else content
    )
    assert counts.find(tmp_path / "unfinished", widths) == {}


def test_a_part_damaged_after_it_was_found_is_told(tmp_path: Path) -> None:
    path, widths = part_of(tmp_path, **ARRAYS)
    found = counts.find(tmp_path / "unfinished", widths)[CountsKey("b", 10, 12)]
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(StoreError, match="is damaged"):
        found.read()
    path.unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        found.read()


# ---- damage


WRONG = [
    b"",
    b"[]\n",
    b"null\n",
    b'{"key": 1}\n',
    b"\xff\xfe\n",
    b"{" * 100_000,
]
PLACES = [
    *itertools.product(("cut", "flip", "more", "between"), (0.01, 0.6, 0.999))
]


@pytest.mark.parametrize(
    ("damage", "place"),
    [*PLACES, *((header, 0.0) for header in WRONG)],
    ids=lambda x: str(x)[:20],
)
def test_damaged_columns_are_noticed_and_counted_again(
    finished: Finished, damage: str | bytes, place: float
) -> None:
    config, folder, before = finished
    path = next((folder / "statistics").rglob("*.columns"))
    data = path.read_bytes()
    at = int(len(data) * place)
    # of one block, at the end
    digests = len(counts.array_bytes(np.zeros((1, 1), np.int64)))
    changed = {
        "cut": data[:at],
        "flip": data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :],
        "more": data + b"x" * at,
        "between": data[:-digests] + b"x" * at + data[-digests:],
    }
    path.write_bytes(changed[damage] if isinstance(damage, str) else damage)
    run(config, folder)
    assert tree(folder) == before


def test_counts_of_the_version_before_are_read(finished: Finished) -> None:
    """Their digests are BLAKE2b's, which are written here by hand: this version writes others."""
    folder = finished.folder
    path = next((folder / "statistics").rglob("*.columns"))
    head, data = path.read_bytes().split(b"\n", 1)
    header = json.loads(head)
    lines, names = header["lines"], header["columns"]
    # of one block, at the end
    digests = len(counts.array_bytes(np.zeros((1, 1), np.int64)))
    block = data[:-digests]
    check = np.frombuffer(
        hashlib.blake2b(block, digest_size=8).digest(), "<i8"
    ).reshape(1, 1)
    old = (
        json.dumps({**header, "format": 2}).encode()
        + b"\n"
        + block
        + counts.array_bytes(check)
    )
    stored = StoredCounts(
        path, Schema(tuple(Field(name) for name in names), 1), lines
    )
    (expected,) = stored.blocks()
    path.write_bytes(old)
    (found,) = stored.blocks()
    assert {name: column.tolist() for name, column in found.items()} == {
        n: c.tolist() for n, c in expected.items()
    }
    path.write_bytes(old.replace(b'"format": 2', b'"format": 3'))
    with pytest.raises(StoreError, match="is damaged"):
        list(stored.blocks())


def test_content_keys_differ_wherever_their_content_does() -> None:
    spec = metric_of().spec
    keys = [
        counts.content_key(*unfinished)
        for unfinished in (
            ("a",),
            ("b",),
            ("a", "b"),
            ("ab",),
            (["a"],),
            (spec,),
            (metric_of(n=3).spec,),
        )
    ]
    assert len(set(keys)) == len(keys)
    with mock.patch.object(counts, "COUNTING", COUNTING + 1):
        assert counts.content_key("a") != keys[0]


NEEDS = [
    *(
        "gleu[tok=whitespace]",
        "gleu[variant=paper,tok=whitespace]",
        "gleu[variant=2015,tok=whitespace]",
        "gleu[variant=2016-03,tok=whitespace]",
        "gleu[unit=char,n=9]",
        "gleu[tok=whitespace,lc=true]",
    ),
    *("google_gleu", "green", "gleu", "gleu[tok=blank]"),
]
COUNTED = {1: "877286e0af06de60"}
"""Version of the counting: digest of all columns of the sample under NEEDS."""


def test_columns_change_only_with_the_version_of_the_counting() -> None:
    """Where this fails, counts on disk from before would be taken for those of today.

    Raise COUNTING, and add what is found here. The same digest for two versions would be a version
    too many."""
    chosen = [from_text(text) for text in NEEDS]
    data = ROOT / "data"
    systems = [
        System(path.stem, {"d": path})
        for path in sorted((data / "systems").iterdir())
    ]
    references = (data / "reference0.txt", data / "reference1.txt")
    corpus = open_corpus(
        Dataset(name="d", source=data / "source.txt", references=references),
        systems,
        [],
    )
    assert corpus
    found = hashlib.blake2b(digest_size=8)
    for (name, need), statistics in count_in_memory(
        corpus, [metric.spec for metric in chosen]
    ).items():
        found.update(repr((name, need.key, statistics.schema.names)).encode())
        for block in statistics.blocks():
            found.update(statistics.schema.pack(block).astype("<i8").tobytes())
    assert COUNTED[COUNTING] == found.hexdigest()
    assert len(set(COUNTED.values())) == len(COUNTED)


def test_another_version_of_the_program_keeps_the_counts(
    finished: Finished,
) -> None:
    config, folder, before = finished
    tasks.signature_of.cache_clear()
    with (
        mock.patch.object(tasks, "__version__", "99.9"),
        mock.patch.object(
            workers, "run", side_effect=AssertionError("it counts")
        ),
    ):
        run(config, folder)
    tasks.signature_of.cache_clear()
    after = tree(folder)
    assert {name for name in before if before[name] != after[name]} == {
        "results.json",
        "scores.csv",
    }
    with (
        mock.patch.object(counts, "COUNTING", COUNTING + 1),
        mock.patch.object(
            workers, "run", side_effect=AssertionError("it counts")
        ),
        pytest.raises(AssertionError, match="it counts"),
    ):
        run(config, folder)


def test_another_version_of_a_borrowed_tokenizer_has_the_text_counted_again(
    tmp_path: Path,
) -> None:
    """Its tokens are made by a package, whose version the version of our counting knows nothing of."""
    config = write_run(tmp_path, chosen=["bleu[tok=ja-mecab]"])
    created = mock.patch.object(
        sacrebleu, "_tokenizer", return_value=mock.Mock(side_effect=str)
    )
    with (
        created as tokenizer,
        mock.patch.object(workers, "run", wraps=workers.run) as counting,
    ):
        tokenizer.return_value.signature.return_value = "ja-1"
        run(config, tmp_path / "run", RunOptions(n_jobs=1, backend="serial"))
        run(config, tmp_path / "run", RunOptions(n_jobs=1, backend="serial"))
        assert counting.call_count == 1
        tokenizer.return_value.signature.return_value = "ja-2"
        run(config, tmp_path / "run", RunOptions(n_jobs=1, backend="serial"))
        assert counting.call_count == 2


# ---- whose folder it is


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "mine",
            r"mine: holds files but no run\.json, so no run of this program made it",
        ),
        (
            "mine/notes.txt",
            r"notes\.txt: is a file; output\.dir must be a folder",
        ),
        ("mine/notes.txt/below", "cannot be made"),
        ("a\0b", "cannot be made"),
        ("x" * 300, "cannot be made"),
        (
            "unfinished/mine.txt",
            "holds files but no run.json.*, or delete {folder} if it was a run",
        ),
        (
            "statistics/d/mine.txt",
            "holds files but no run.json.*, or delete {folder} if it was a run",
        ),
        (
            "statistics/mine.txt",
            "holds files but no run.json.*, or delete {folder} if it was a run",
        ),
    ],
    ids=lambda text: text[:12].replace("\0", "0"),
)
def test_what_is_no_run_directory_is_refused_and_left_alone(
    tmp_path: Path, name: str, message: str
) -> None:
    folder = tmp_path / "folder"
    (folder / "mine").mkdir(parents=True)
    (folder / "mine" / "notes.txt").write_text("mine")
    path = folder / name
    if name.endswith("mine.txt"):
        path = tmp_path / "run"
        (path / name).parent.mkdir(parents=True)
        (path / name).write_text("mine")
    before = tree(tmp_path)
    with pytest.raises(
        StoreError, match=message.format(folder=re.escape(str(path)))
    ):
        RunDirectory(path)
    assert tree(tmp_path) == before


def test_files_of_the_user_in_a_run_directory_stay(finished: Finished) -> None:
    config, folder, _ = finished
    mine = [
        folder / name
        for name in (
            "notes.txt",
            "statistics/notes.txt",
            "statistics/d/mine.columns",
        )
    ]
    for path in mine:
        path.write_text("mine")
    run(write_config(config, chosen=["gleu[n=2]"]), folder)
    assert [path.read_text() for path in mine] == ["mine"] * 3


def test_a_run_killed_before_its_first_file_was_whole_goes_on(
    tmp_path: Path,
) -> None:
    config = write_run(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json.tmp").write_bytes(b'{"prog')
    (tmp_path / "run" / "run.lock").touch()
    run(config, tmp_path / "run")
    assert_as_fresh(config, tmp_path / "run")


def test_a_run_killed_while_it_wrote_a_part_leaves_no_scrap(
    tmp_path: Path,
) -> None:
    config = write_run(tmp_path)
    run(config, tmp_path / "fresh")
    unfinished = tmp_path / "run" / "unfinished"
    RunDirectory(tmp_path / "run").write_manifest({})
    unfinished.mkdir(parents=True)
    (unfinished / "key.0-1.part.tmp").write_bytes(b"half")
    (unfinished / "key.1-2.part").write_bytes(b"of another run")
    (unfinished / "key.joined").write_bytes(b"of another run")
    run(config, tmp_path / "run")
    assert tree(tmp_path / "run") == tree(tmp_path / "fresh")
    assert not unfinished.exists()


def test_names_of_the_program_s_own_files_are_names_like_others(
    tmp_path: Path,
) -> None:
    config = write_run(
        tmp_path, datasets=("statistics",), systems=("results.json", "B")
    )
    run(config, tmp_path / "run")
    first = tree(tmp_path / "run")
    assert sum(name.startswith("statistics/statistics/") for name in first) == 2
    run(config, tmp_path / "run")
    assert tree(tmp_path / "run") == first


# ---- what is deleted


def is_count(name: str) -> bool:
    return name.startswith("statistics/")


def test_a_new_config_replaces_results_and_keeps_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], run_line: RunLine
) -> None:
    """Counts may have cost hours and do not stand in the way; reports of other results would
    mislead.
    """
    config, folder = write_run(tmp_path, systems="AB"), tmp_path / "run"
    run(config, folder)
    before = {
        name: data for name, data in tree(folder).items() if is_count(name)
    }
    write_config(
        config, systems="B", chosen=["gleu[n=2]"], output={"formats": ["json"]}
    )
    arguments = f"run {config} --output {folder}"
    assert gec_pipeline(f"{arguments} --dry-run") == 0
    announced = capsys.readouterr().err
    assert (
        f"note: {folder}: the results there are replaced, of which this run does not make 2 scores (systems A, B; "
        "metric GLEU+ (n:4)); the counts behind them stay; --output DIR writes to another folder and keeps all\n"
    ) in announced
    assert gec_pipeline(arguments) == 0
    result = capsys.readouterr().err
    assert announced.splitlines()[-1] in result
    assert (
        f"deleted, because they show earlier results: {'scores.csv'}" in result
    )
    new = "statistics/d/B.overlap-match-penalty-n2-ascii_whitespace.columns"
    assert set(tree(folder)) == {"results.json", new, *before}
    assert {
        name: data for name, data in tree(folder).items() if name in before
    } == before
    listed = read_json(folder / "run.json")["files"]
    assert listed == sorted([*tree(folder), "log.txt"])
    assert gec_pipeline(f"{arguments} --dry-run") == 0
    assert "replaced" not in capsys.readouterr().err
    run(config, tmp_path / "fresh")
    assert printed(
        run_line(f"clean {folder} --unused --dry-run")
    ).splitlines() == [str(folder / name) for name in sorted(before)]
    assert gec_pipeline(f"clean {folder} --unused -q") == 0
    assert tree(folder) == tree(tmp_path / "fresh")
    assert gec_pipeline(f"show {folder}") == 0


def test_reports_stay_where_the_results_are_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, folder = write_run(tmp_path, systems="AB"), tmp_path / "run"
    run(config, folder)
    assert (
        gec_pipeline(f"report {folder} --format markdown --output {folder}")
        == 0
    )
    before = tree(folder)
    assert "results.md" in before
    assert (
        gec_pipeline(
            f"run {config} --output {folder} --set output.formats=[json]"
        )
        == 0
    )
    assert tree(folder) == before
    manifest = folder / "run.json"
    content = read_json(manifest)
    write_json(manifest, {**content, "state": "running"})
    capsys.readouterr()
    # they may be of the results before those
    assert gec_pipeline(f"run {config} --output {folder}") == 0
    assert (
        "deleted, because they show earlier results: results.md\n"
        in capsys.readouterr().err
    )
    assert set(tree(folder)) == set(before) - {"results.md"}


def test_columns_of_a_run_that_stopped_before_its_results_are_known_to_a_later_one(
    tmp_path: Path,
) -> None:
    def stop(files: dict[str, object]) -> None:
        if "scores.csv" in files:
            raise KeyboardInterrupt

    config = write_run(tmp_path)
    with (
        mock.patch.object(RunDirectory, "write_all", side_effect=stop),
        pytest.raises(KeyboardInterrupt),
    ):
        run(config, tmp_path / "run")
    assert len(list((tmp_path / "run").rglob("*.columns"))) == 2
    (tmp_path / "run" / "scores.csv.tmp").write_text("half")
    run(config, tmp_path / "before")
    (tmp_path / "before" / "scores.csv.tmp").write_text("half")
    other = write_config(
        config, chosen=["gleu[n=2]"], output={"formats": ["json"]}
    )
    for name in ("run", "before", "fresh"):
        run(other, tmp_path / name)
    assert tree(tmp_path / "run") == tree(tmp_path / "before")
    for name in ("run", "before"):
        assert gec_pipeline(f"clean {tmp_path}/{name} --unused -q") == 0
    assert (
        tree(tmp_path / "run")
        == tree(tmp_path / "before")
        == tree(tmp_path / "fresh")
    )


def test_another_config_is_refused_before_it_deletes_anything(
    tmp_path: Path, finished: Finished, run_line: RunLine
) -> None:
    config, folder, _ = finished
    assert gec_pipeline(f"report {folder} --format csv --output {folder}") == 0
    other = write_run(tmp_path / "others", datasets=("e",))
    same_data = write_config(tmp_path / "chrf.yaml", chosen=["chrf"])
    before = tree(folder)
    for config_file, more in itertools.product(
        (other, same_data), ([], ["--dry-run"], ["--only", "A"])
    ):
        error = refused(run_line(f"run {config_file} --output {folder}", *more))
        assert (
            f"has the results of another config, {config}, which this run would replace"
            in error
        )
        assert "--output" in error
        assert "--fresh" in error
    assert tree(folder) == before
    assert "scores.csv" in before
    assert gec_pipeline(f"run {other} --output {folder} --fresh -q") == 0
    assert_as_fresh(other, folder)


@pytest.mark.parametrize("how", ["moved", "copied"])
def test_a_config_that_was_moved_or_copied_is_the_same(
    tmp_path: Path, finished: Finished, how: str
) -> None:
    config, folder, before = finished
    other = tmp_path / "other.yaml"
    shutil.copy(config, other)
    if how == "moved":
        config.unlink()
    with mock.patch.object(workers, "run", wraps=workers.run) as counting:
        run(other, folder)
        assert not counting.called
    assert tree(folder) == before


def test_a_part_of_a_config_leaves_the_results_of_the_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, folder = write_run(tmp_path), tmp_path / "run"
    arguments = f"run {config} --output {folder}"
    assert gec_pipeline(arguments) == 0
    before, manifest = tree(folder), (folder / "run.json").read_bytes()
    capsys.readouterr()
    assert gec_pipeline(f"{arguments} --only A") == 0
    result = capsys.readouterr()
    assert (
        f"{folder}: the results there stay as they are, because --only leaves out 1 of their scores"
        in result.err
    )
    assert f"results: {folder}" not in result.err
    assert " A " in result.out
    assert " B " not in result.out
    assert tree(folder) == before
    assert (folder / "run.json").read_bytes() == manifest
    assert (
        gec_pipeline(f"{arguments} --only A --set metrics.0=gleu[n=2] -q") == 0
    )  # its counts are kept
    assert {
        name: data for name, data in tree(folder).items() if "-n2-" not in name
    } == before
    assert gec_pipeline(f"show {folder}") == 0
    assert gec_pipeline(f"{arguments} -q") == 0
    assert {
        name: data for name, data in tree(folder).items() if "-n2-" not in name
    } == before


def test_a_part_whose_text_has_changed_does_not_spoil_the_results_of_the_whole(
    tmp_path: Path, run_line: RunLine
) -> None:
    config, folder = write_run(tmp_path), tmp_path / "run"
    arguments = f"run {config} --output {folder} -q"
    assert gec_pipeline(arguments) == 0
    before = tree(folder)
    text = stages.prepare(config).corpora[0].systems["A"]
    path = Path(text.display_name)
    path.write_text(path.read_text("utf-8").replace("a", "b"), "utf-8")
    assert "d: system A has changed since the results here" in refused(
        run_line(f"{arguments} --only A")
    )
    assert tree(folder) == before
    assert gec_pipeline(arguments) == 0


def test_fresh_begins_anew(finished: Finished) -> None:
    config, folder, before = finished
    (folder / "notes.txt").write_text("mine")
    with mock.patch.object(workers, "run", wraps=workers.run) as counting:
        run(config, folder)
        assert not counting.called
        stages.run(stages.prepare(config), folder, fresh=True)
        assert counting.called
    assert tree(folder) == {**before, "notes.txt": b"mine"}
    assert (folder / "log.txt").read_text("utf-8").count("begins: ") == 3


def test_clean_deletes_what_runs_have_written_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_run(tmp_path / "texts")
    folder = tmp_path / "run"
    run(config, folder)
    (folder / "unfinished").mkdir()
    for name in (
        "results.json.tmp",
        "unfinished/a.0-40.part",
        "unfinished/a.joined.tmp",
    ):
        (folder / name).write_text("half")
    listed = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.name != "run.lock"
    )
    mine = [
        folder / name
        for name in (
            "notes.txt",
            "statistics/d/mine.columns",
            "unfinished/mine.part",
        )
    ]
    for path in mine:
        path.write_text("mine")
    before = {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    assert gec_pipeline(f"clean {folder} --dry-run") == 0
    result = capsys.readouterr()
    assert sorted(result.out.splitlines()) == [str(path) for path in listed]
    assert result.err.startswith(
        f"{folder}: {len(listed)} files, 0.0 MB would go"
    )
    assert {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file()
    } == before
    assert gec_pipeline(f"clean {folder}") == 0
    assert {path for path in folder.rglob("*") if path.is_file()} == set(mine)
    for path in mine:
        path.unlink()
    run(config, tmp_path / "other")
    assert gec_pipeline(f"clean {tmp_path}/other -q") == 0
    assert not (tmp_path / "other").exists()


def test_clean_refuses_what_is_no_run_directory_before_it_deletes_anything(
    tmp_path: Path, run_line: RunLine
) -> None:
    run(write_run(tmp_path / "texts"), tmp_path / "run")
    before = tree(tmp_path / "run")
    (tmp_path / "empty").mkdir()
    for name, message in (
        (
            "texts",
            "holds files but no run.json, so no run of this program made it",
        ),
        (
            "empty",
            "has no run.json that tells what a run has written; nothing is deleted",
        ),
        ("none", "there is no such folder"),
        ("texts/config.yaml", "is no folder"),
    ):
        assert message in refused(
            run_line(f"clean {tmp_path}/run {tmp_path}/{name}")
        )
    assert tree(tmp_path / "run") == before
    assert (tmp_path / "texts" / "config.yaml").exists()


def test_run_json_tells_what_results_must_not(tmp_path: Path) -> None:
    run(write_run(tmp_path), tmp_path / "run")
    manifest = read_json(tmp_path / "run" / "run.json")
    assert manifest["state"] == "done"
    assert {
        "program",
        "kernel",
        "seconds",
        "command",
        "finished",
        "python",
        "numpy",
        "platform",
        "files",
    } <= set(manifest)
    assert str(tmp_path).encode() not in b"".join(
        tree(tmp_path / "run").values()
    )


def test_a_worker_writes_a_file_only_where_it_can(tmp_path: Path) -> None:
    arrays: list[Any] = [
        np.arange(6, dtype=np.uint16).reshape(2, 3),
        np.ones((2, 3), np.uint16),
    ]
    proof = counts.new_proof(tmp_path)
    file = ShardFile(tmp_path / "k.5-7.part", 5, 7, ("k", None), (3, 3), proof)
    assert not file._replace(
        path=tmp_path / "gone" / "k.5-7.part", proof=None
    ).written(arrays)
    assert not file._replace(proof=tmp_path / "gone").written(arrays)
    with mock.patch.object(
        counts, "write_atomic", side_effect=StoreError("full")
    ):
        assert not file.written(arrays)
    assert file.locations() == {}
    assert workers.answer(lambda _: (3, arrays), mock.Mock(file=None)) == (
        3,
        arrays,
    )
    # they are in the file
    assert workers.answer(lambda _: (3, arrays), mock.Mock(file=file)) == (
        3,
        None,
    )
    ((key, location),) = file.locations().items()
    assert key == CountsKey("k", 5, 7)
    assert (location.read() == arrays[0]).all()
    assert (
        counts.find(tmp_path, {"k": 3})
        == file.locations(read=True)
        == file.locations()
    )
    assert run_directory.unfinished_files(tmp_path) == sorted(
        [proof, file.path]
    )
    # damage is noticed where the arrays are read
    file.path.write_bytes(file.path.read_bytes()[:-1] + b"x")
    assert file.locations()
    assert file.locations(read=True) == {}


# ---- full disks


@pytest.mark.parametrize(
    ("where", "step"),
    [(os, "fsync"), (Path, "replace"), (Path, "mkdir"), (None, "write")],
)
def test_a_full_disk_leaves_the_old_file_and_no_scrap(
    tmp_path: Path, where: Any, step: str
) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"new"
        if step == "write":
            raise ENOSPC

    path = tmp_path / "file"
    write_atomic(path, b"old")
    full = (
        mock.patch.object(where, step, side_effect=ENOSPC)
        if where
        else nullcontext()
    )
    with full, pytest.raises(StoreError) as caught:
        write_atomic(path, pieces())
    assert (
        str(caught.value)
        == f"{path}: cannot be written: No space left on device; what was finished before is kept"
    )
    assert tree(tmp_path) == {"file": b"old"}


@pytest.mark.parametrize("name", ["statistics", "statistics/d", "unfinished"])
def test_a_file_where_a_folder_is_needed_is_told(
    tmp_path: Path, name: str
) -> None:
    config = write_run(tmp_path)
    RunDirectory(tmp_path / "run").write_manifest({})
    (tmp_path / "run" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "run" / name).write_text("mine")
    with pytest.raises(StoreError):
        run(config, tmp_path / "run")
    assert (tmp_path / "run" / name).read_text() == "mine"


def test_writing_is_atomic(tmp_path: Path) -> None:
    """The new content is on disk, under another name, before the old one goes."""
    path, seen = tmp_path / "file", list[dict[str, bytes]]()
    write_atomic(path, b"old")
    with mock.patch.object(
        os, "fsync", side_effect=lambda _: seen.append(tree(tmp_path))
    ):
        write_atomic(path, [b"n", b"ew"])
    assert seen == [{"file": b"old", "file.tmp": b"new"}]
    assert tree(tmp_path) == {"file": b"new"}


def test_several_threads_read_columns_at_once(tmp_path: Path) -> None:
    """Python 3.11 cannot evaluate text (as numpy does with headers) in several threads at once."""
    statistics = joined(
        tmp_path,
        [np.ones((20 * BLOCK_LINES, 1), np.int64)],
        20 * BLOCK_LINES,
        width=1,
    )
    with ThreadPoolExecutor(8) as pool:
        sums = pool.map(
            lambda _: sum(int(c["length"].sum()) for c in statistics.blocks()),
            range(200),
        )
    assert set(sums) == {20 * BLOCK_LINES}


# Names of systems and data sets as names of files.


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("AMU", "AMU"),
        ("SMEC+morph", "SMEC+morph"),
        ("a" * 100, "a" * 100),
        ("GPT-4 (zero-shot)", "GPT-4=20=28zero-shot=29"),
        ("../a", "=2E./a".replace("/", "=2F")),
        ("-a", "=2Da"),
        ("=20", "=3D20"),
        ("é", "=C3=A9"),
    ],
)
def test_a_name_becomes_the_name_of_a_file(name: str, file: str) -> None:
    """Run directories of earlier versions have the names that are unchanged here."""
    assert file_name(name) == file


@given(st.text(min_size=1, max_size=120), st.text(min_size=1, max_size=120))
def test_different_names_have_different_files_that_a_run_may_delete(
    one: str, two: str
) -> None:
    files = [
        file_name(name.encode("utf-8", "replace").decode())
        for name in (one, two)
    ]
    names = [name.encode("utf-8", "replace").decode() for name in (one, two)]
    assert (files[0] == files[1]) == (names[0] == names[1])
    assert all(
        is_file_name(f"statistics/{file}/{file}.needs.columns")
        and len(file) <= 126
        for file in files
    )


# ---- a run directory that is deleted while it is used


def test_what_is_left_of_a_deleted_run_directory_is_told(
    tmp_path: Path,
) -> None:
    """A run goes on to write counts into a folder that is deleted under it; then it is killed."""
    config = write_run(tmp_path, 40)
    original = ShardFile.write
    written = []

    def deleting(file: ShardFile, *given: Any, **more: Any) -> Any:
        written.append(file)
        if len(written) == 2:
            shutil.rmtree(tmp_path / "run")
        if len(written) == 4:
            raise KeyboardInterrupt
        return original(file, *given, **more)

    options = RunOptions(n_jobs=1, backend="serial", shard_lines=8)
    with (
        mock.patch.object(ShardFile, "write", deleting),
        pytest.raises(KeyboardInterrupt),
    ):
        run(config, tmp_path / "run", options)
    assert [path.name for path in (tmp_path / "run").iterdir()] == [
        "unfinished"
    ]
    with pytest.raises(
        StoreError,
        match=r"holds files but no run\.json.* or delete .*/run if it was a",
    ):
        run(config, tmp_path / "run", options)


def test_counts_in_the_order_of_fortran_are_stored_as_others() -> None:
    """A metric may count columns [references, lines] and return their transpose."""
    rows = np.arange(6).reshape(3, 2)
    assert counts.array_bytes(np.asfortranarray(rows)) == counts.array_bytes(
        rows
    )
