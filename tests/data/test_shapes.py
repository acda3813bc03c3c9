"""Shapes of files that people have: lists of references, records joined by ids, CSV, Arrow, lists
for each item.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest
import sacrebleu
from pyarrow import parquet

import pipeline
from pipeline import stages
from pipeline.errors import InputError
from pipeline.reopen import revisit
from pipeline.report import FORMATS
from tests.config_files import lines, prepare, problems, write
from tests.conftest import RunLine, gec_pipeline

COUNT = 12
RNG = random.Random(5)
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "bird",
    "sat",
    "ran",
    "home",
    "away",
    "on",
    "by",
    "mat",
    "hill",
    "old",
    "new",
]
OUTPUTS = [" ".join(RNG.choices(WORDS, k=9)) for _ in range(COUNT)]
REFERENCES = [
    [
        " ".join(
            RNG.choice(WORDS) if RNG.random() < 0.2 else word
            for word in text.split()
        )
        for _ in range(1 + number % 3)
    ]
    for number, text in enumerate(OUTPUTS)
]
IDS = [f"doc-{number}" for number in range(COUNT)]
RECORDS = [
    {
        "id": name,
        "src": text.upper(),
        "refs": references,
        "translation": {"en": text, "de": f"D {text}"},
    }
    for name, text, references in zip(IDS, OUTPUTS, REFERENCES, strict=True)
]
SHUFFLED = random.Random(7).sample(range(COUNT), COUNT)
PREDICTIONS = [
    {"id": IDS[number], "hyp": OUTPUTS[number]} for number in SHUFFLED
]
METRICS = "metrics: ['bleu[tok=whitespace]', google_gleu]\noutput: {dir: out}\n"


def peer() -> float:
    """Return what sacreBLEU itself gives: None stands where a reference is missing."""
    streams = [
        [own[n] if n < len(own) else None for own in REFERENCES]
        for n in range(3)
    ]
    expected = sacrebleu.corpus_bleu(
        OUTPUTS,
        streams,  # type: ignore[arg-type]
        tokenize="none",
        force=True,
    )
    return float(expected.score / 100)


def jsonl(name: str, records: Sequence[Any]) -> None:
    write({name: "".join(json.dumps(record) + "\n" for record in records)})


def arrow_stream(
    path: str, records: Sequence[dict[str, Any]], size: int = 5
) -> None:
    """Write a file as the package datasets does: batches of some rows, in Arrow's stream format."""
    table = pa.Table.from_pylist(list(records))
    with (
        pa.OSFile(path, "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as writer,
    ):
        writer.write_table(table, max_chunksize=size)


def config(references: str, output: str = "o.txt", **more: str) -> str:
    """Return a config with these references, and other keys of the data set."""
    keys = "".join(f", {key}: {value}" for key, value in more.items())
    return f"datasets: {{d: {{references: {references}{keys}}}}}\nsystems: {{A: {output}}}\n{METRICS}"


JOINED = config(
    "{jsonl: d.jsonl, column: refs}", "{jsonl: p.jsonl, column: hyp}", key="id"
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write({"o.txt": "".join(f"{text}\n" for text in OUTPUTS)})
    jsonl("d.jsonl", RECORDS)
    jsonl("p.jsonl", PREDICTIONS)
    parquet.write_table(
        pa.Table.from_pylist(RECORDS), "d.parquet", row_group_size=5
    )
    arrow_stream("d.arrow", RECORDS)


# Lists of references, and fields inside of records.
FILES = [("jsonl", "d.jsonl"), ("parquet", "d.parquet"), ("arrow", "d.arrow")]


@pytest.mark.parametrize(("kind", "file"), FILES)
def test_a_list_of_references_is_read_as_several(kind: str, file: str) -> None:
    job = prepare(config(f"{{{kind}: {file}, column: refs}}"))
    (corpus,) = job.corpora
    assert len(corpus.references) == 3
    assert [lines(text) for text in corpus.references] == [
        [own[n] if n < len(own) else "" for own in REFERENCES] for n in range(3)
    ]
    score = stages.run(job, "out")[1].scores[0].score
    assert score == pytest.approx(peer(), abs=1e-12)  # sacreBLEU, live
    assert (
        gec_pipeline(f"score bleu[tok=whitespace] -r {file}:refs -o o.txt -q")
        == 0
    )


@pytest.mark.parametrize(("kind", "file"), FILES)
@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("refs[0]", [own[0] for own in REFERENCES]),
        ("refs.0", [own[0] for own in REFERENCES]),
        ("translation.de", [f"D {text}" for text in OUTPUTS]),
    ],
)
def test_fields_inside_of_records(
    kind: str, file: str, column: str, expected: list[str]
) -> None:
    corpus = prepare(config(f"{{{kind}: {file}, column: '{column}'}}")).corpora[
        0
    ]
    assert lines(corpus.references[0]) == expected


@pytest.mark.parametrize(("kind", "file"), FILES)
def test_an_item_that_some_lists_lack(kind: str, file: str) -> None:
    unit = ":1" if kind == "jsonl" else ", row 1"
    (found,) = problems(config(f"{{{kind}: {file}, column: 'refs[1]'}}"))
    assert found.startswith(
        f"{file}{unit}: has no 'refs[1]': the list has too few items; null is for references, with"
    )
    corpus = prepare(
        config(
            f"[{{{kind}: {file}, column: 'refs[1]'}}, o.txt]",
            empty_references="none",
        )
    ).corpora[0]
    assert lines(corpus.references[0]) == [
        own[1] if len(own) > 1 else "" for own in REFERENCES
    ]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [["a"], ["b", ""]],
            "d.jsonl: 1 references have no word, and other lists lack references: say `empty_references",
        ),
        (
            [["a"], []],
            "d.jsonl:2: no annotator has a reference for this sentence",
        ),
        (
            [["a"], "b"],
            "d.jsonl:2: 'refs': expected a list of texts, as in the first record; found text",
        ),
        (
            [["a"], None],
            "d.jsonl:2: 'refs': expected a list of texts, as in the first record; found null",
        ),
        (
            [["a"], ["b", 3]],
            "d.jsonl:2: 'refs[1]': expected text, found a number",
        ),
        (
            [["a"], ["b"] * 256],
            "d.jsonl:2: 'refs' has 256 texts; at most 255 references are supported",
        ),
    ],
)
def test_wrong_lists_are_told(rows: list[Any], message: str) -> None:
    jsonl("d.jsonl", [{"refs": row} for row in rows])
    write({"o.txt": "a\nb\n"})
    assert problems(config("{jsonl: d.jsonl, column: refs}"))[0].startswith(
        message
    )


def test_lists_of_one_length_may_have_empty_texts() -> None:
    jsonl("d.jsonl", [{"refs": ["a", "b"]}, {"refs": ["c", ""]}])
    write({"o.txt": "a\nb\n"})
    assert (
        not prepare(config("{jsonl: d.jsonl, column: refs}")).corpora[0].missing
    )
    assert (
        prepare(
            config("{jsonl: d.jsonl, column: refs}", empty_references="none")
        )
        .corpora[0]
        .missing
    )


# Folders that the package datasets has saved.
def saved(folder: str, parts: int = 2) -> None:
    """Write a folder as Dataset.save_to_disk() of datasets 5.2 does, without what is not read of
    it.
    """
    names = [f"data-{number:05}-of-{parts:05}.arrow" for number in range(parts)]
    write(
        {
            f"{folder}/state.json": json.dumps(
                {"_data_files": [{"filename": name} for name in names]}
            )
        }
    )
    for number, name in enumerate(names):
        arrow_stream(
            f"{folder}/{name}",
            RECORDS[number * COUNT // parts : (number + 1) * COUNT // parts],
        )


def test_folders_that_datasets_saved() -> None:
    saved("set/test")
    write({"set/dataset_dict.json": '{"splits": ["train", "test"]}'})
    corpus = prepare(config("{arrow: set/test, column: refs}")).corpora[0]
    assert lines(corpus.references[0]) == [own[0] for own in REFERENCES]
    assert gec_pipeline("score bleu -r set/test:refs -o o.txt -q") == 0
    for complete in ("{arrow: set, column: refs}", "set"):
        assert problems(config(complete)) == [
            "set: is a folder of several data sets, the splits; name one of set/train, set/test"
        ]
    Path("empty").mkdir()
    assert problems(config("{arrow: empty, column: refs}"))[0].startswith(
        "empty: is a folder without state.json; exp"
    )


def test_what_the_package_datasets_itself_writes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip(
        "datasets", reason="the package datasets is the oracle of its own files"
    )
    complete = datasets.Dataset.from_list(RECORDS)
    datasets.DatasetDict(
        {"test": complete, "dev": complete.select(range(3))}
    ).save_to_disk("saved", num_shards={"test": 3, "dev": 1})
    complete.to_parquet("hf.parquet")
    complete.to_csv("hf.csv")
    for references in (
        "{arrow: saved/test, column: refs}",
        "{parquet: hf.parquet, column: refs}",
    ):
        job = prepare(config(references))
        assert stages.run(job, "out")[1].scores[0].score == pytest.approx(
            peer(), abs=1e-12
        )
    assert lines(
        prepare(config("{csv: hf.csv, column: src}")).corpora[0].references[0]
    ) == [t.upper() for t in OUTPUTS]


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
def test_damaged_files_are_told(kind: str) -> None:
    data = Path(f"d.{kind}").read_bytes()
    write({f"d.{kind}": data[: len(data) // 2]})
    (found,) = problems(config(f"{{{kind}: d.{kind}, column: refs}}"))
    assert found.startswith(
        f"d.{kind}: cannot be read as {kind.capitalize()}: "
    )


# CSV.
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_cells_of_csv_may_be_quoted(separator: str) -> None:
    write(
        {
            "o.csv": f'id{separator}text\r\n1{separator}"a ""b""{separator}\nc"\r\n2{separator}d\r\n',
            "r.txt": "a\nd\n",
        }
    )
    corpus = prepare(config("r.txt", "{csv: o.csv, column: text}")).corpora[0]
    assert lines(corpus.systems["A"]) == [f'a "b"{separator}\nc', "d"]
    corpus = prepare(
        config("r.txt", "{csv: o.csv, column: 2, header: true}")
    ).corpora[0]
    assert lines(corpus.systems["A"])[1] == "d"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            'id,t\n1,a\n2,"b\n3,c\n',
            "o.csv, row 3: not valid CSV: unexpected end of data; is a quote not closed?",
        ),
        ("id,t\n1,a\n2\n", "o.csv, row 3: has 1 columns; the first line has 2"),
        ("id,tx\n1,a\n", "o.csv:1: no column is called 't'"),
        ("t,t\n1,a\n", "o.csv:1: two columns are called 't'"),
    ],
)
def test_wrong_csv_is_told(data: str, message: str) -> None:
    write({"o.csv": data, "r.txt": "a\nb\n"})
    assert problems(config("r.txt", "{csv: o.csv, column: t}"))[0].startswith(
        message
    )


# Tables that are named as plain text.
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "d.jsonl",
            "the lines are JSON objects, not texts: name one of its fields, id, src, refs, translation: write ",
        ),
        (
            "d.parquet",
            "is a table (parquet), no text: name one of its fields, id, src, refs, translation: write ",
        ),
        (
            "d.arrow",
            "is a table (arrow), no text: name one of its fields, id, src, refs, translation: write ",
        ),
        (
            "saved",
            "is a table (arrow), no text: name one of its fields, id, src, refs, translation: write ",
        ),
        (
            "t.csv",
            "is a table (csv), no text: name one of its fields, id, text: write t.csv:text, or in a config {csv: FI",
        ),
        (
            "t.tsv",
            "is a table (tsv), no text: name one of its fields, id, text: write t.tsv:text, or in a config {tsv: FI",
        ),
        (
            "j.txt",
            "the lines are JSON objects, not texts: name one of its fields, id, hyp: give it a name that ends in .js",
        ),
    ],
)
def test_a_table_that_is_named_as_text_is_refused(
    name: str, message: str
) -> None:
    saved("saved")
    write(
        {
            "t.csv": 'id,text\n1,"a, b"\n',
            "t.tsv": "id\ttext\n1\ta\n",
            "j.txt": Path("p.jsonl").read_bytes(),
        }
    )
    (found,) = problems(config("o.txt", name))
    assert found.startswith(f"{name}: {message}")


def test_a_text_may_begin_with_braces() -> None:
    write(
        {
            "o.txt": "{ a } b\n{\n{}\n",
            "r.txt": "a\nb\nc\n",
            "one.tsv": "a\nb\nc\n",
        }
    )
    assert prepare(config("r.txt")).corpora
    assert prepare(config("r.txt", "one.tsv")).corpora


# Records joined by ids.
@pytest.mark.parametrize("part", [1, 5, 1 << 18])
def test_outputs_in_another_order_are_joined(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.data.opener.ORDERED_LINES", part)
    (corpus,) = prepare(JOINED).corpora
    assert lines(corpus.systems["A"]) == OUTPUTS
    assert lines(corpus.ids) == IDS
    assert corpus.systems["A"].at(1) == f"p.jsonl:{SHUFFLED.index(0) + 1}"
    assert problems(
        JOINED.replace("column: hyp", "column: hyp, key: id").replace(
            ", key: id}}\nsys", "}}\nsys"
        )
    ) == [
        "p.jsonl: has ids, but no text of the data set has any: name the field of a file of records there too"
    ]
    write(
        {
            "p.tsv": "id\thyp\n"
            + "".join(
                f"{IDS[number]}\t{OUTPUTS[number]}\n" for number in SHUFFLED
            )
        }
    )
    by_number = JOINED.replace(
        "{jsonl: p.jsonl, column: hyp}", "{tsv: p.tsv, column: 2}"
    )
    # a key with a name: the first line has names
    assert lines(prepare(by_number).corpora[0].systems["A"]) == OUTPUTS
    assert (
        gec_pipeline("score bleu --key id -r d.jsonl:refs -o p.tsv:2 -q") == 0
    )


def test_joined_lines_are_selected_by_their_numbers_in_the_data_set() -> None:
    job = prepare(JOINED.replace("key: id", "key: id, keep: [2, 5-6]"))
    (corpus,) = job.corpora
    assert lines(corpus.systems["A"]) == [
        OUTPUTS[number] for number in (1, 4, 5)
    ]
    assert lines(corpus.ids) == ["doc-1", "doc-4", "doc-5"]
    assert corpus.systems["A"].at(2) == f"p.jsonl:{SHUFFLED.index(4) + 1}"


def test_ids_may_be_numbers() -> None:
    jsonl(
        "d.jsonl",
        [{**record, "id": number} for number, record in enumerate(RECORDS)],
    )
    rows = "".join(f"{number}\t{OUTPUTS[number]}\n" for number in SHUFFLED)
    write({"p.tsv": f"id\thyp\n{rows}"})
    job = prepare(
        JOINED.replace(
            "{jsonl: p.jsonl, column: hyp}", "{tsv: p.tsv, column: hyp}"
        )
    )
    assert lines(job.corpora[0].systems["A"]) == OUTPUTS


def test_further_records_are_left_out_with_a_warning() -> None:
    jsonl(
        "p.jsonl",
        [{"id": "x", "hyp": "b"}, *PREDICTIONS, {"id": "y", "hyp": "b"}],
    )
    job = prepare(JOINED)
    assert lines(job.corpora[0].systems["A"]) == OUTPUTS
    assert job.warnings == (
        "d: p.jsonl: 2 records left out, whose ids d.jsonl does not have; the first is 'x', p.jsonl:1",
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [row for row in PREDICTIONS if row["id"] not in ("doc-3", "doc-7")],
            "p.jsonl: has no record with the id 'doc-3' of d.jsonl:4, nor for 1 more",
        ),
        (
            [*PREDICTIONS, PREDICTIONS[4]],
            f"p.jsonl:13: has the id '{PREDICTIONS[4]['id']}', as p.jsonl:5 has; ids stand",
        ),
        ([{"hyp": "a"}], "p.jsonl:1: has no 'id'"),
        (
            [{"id": None, "hyp": "a"}],
            "p.jsonl:1: 'id': expected text, found null",
        ),
        (
            [{"id": " ", "hyp": "a"}],
            "p.jsonl:1: 'id': expected an id, found ' '",
        ),
        (
            [{"id": "a\nb", "hyp": "a"}],
            "p.jsonl:1: 'id': expected an id, found 'a\\nb'",
        ),
    ],
)
def test_records_that_cannot_be_joined_are_told(
    rows: list[Any], message: str
) -> None:
    jsonl("p.jsonl", rows)
    assert problems(JOINED)[0].startswith(message)


def test_ids_of_the_data_set_stand_once() -> None:
    jsonl("d.jsonl", [*RECORDS, RECORDS[0]])
    assert (
        problems(JOINED)[0]
        == "d.jsonl:13: has the id 'doc-0', as d.jsonl:1 has; ids stand once"
    )


# Ids in tables.
def test_tables_of_a_run_have_the_ids(
    run_line: RunLine,
) -> None:
    write({"c.yaml": JOINED})
    evaluation = pipeline.run("c.yaml")
    for one in (evaluation[0], pipeline.load("out")[0]):
        assert one.ids == IDS
        assert list(one.to_pandas("scores")["id"]) == IDS
        assert list(one.to_pandas("outputs")["id"]) == IDS
    assert (
        Path("out/statistics/d/ids.txt").read_text("utf-8").splitlines() == IDS
    )
    context = revisit(Path("out"))
    parquet_files = (
        FORMATS["parquet"].files(context) if "parquet" in FORMATS else {}
    )
    for name, content in parquet_files.items():
        Path(name).write_bytes(b"".join(cast("Iterable[bytes]", content)))
        rows = parquet.read_table(name).to_pylist()
        assert all(row["id"] == IDS[row["line"] - 1] for row in rows)
        assert rows
    assert run_line("show out --line 4")[1].startswith("d, line 4 (id doc-3)\n")
    Path("out/statistics/d/ids.txt").write_text("other\n")
    code, _, err = run_line("show out --line 4")
    assert (code, err) == (
        2,
        "error: out/statistics/d/ids.txt: is damaged; run the config again\n",
    )


def test_a_run_without_ids_has_no_file_of_them() -> None:
    write({"c.yaml": JOINED})
    pipeline.run("c.yaml")
    jsonl(
        "p.jsonl",
        [PREDICTIONS[SHUFFLED.index(number)] for number in range(COUNT)],
    )
    write({"c.yaml": JOINED.replace(", key: id", "")})
    assert pipeline.run("c.yaml")[0].ids is None
    assert "id" not in pipeline.load("out")[0].to_pandas("scores")
    assert not Path("out/statistics/d/ids.txt").exists()


def test_commands_print_the_ids(run_line: RunLine) -> None:
    files = ["--key", "id", "-r", "d.jsonl:refs", "-o", "p.jsonl:hyp"]
    _, out, _ = run_line("score google_gleu", *files, "--sentences")
    header, *rows = (line.split("\t") for line in out.splitlines())
    assert header[:4] == ["system", "line", "id", "score"]
    assert [row[2] for row in rows] == IDS
    _, out, _ = run_line("score google_gleu bleu", *files, "--sentence-outputs")
    assert out.splitlines()[2].split("\t")[1:4] == ["p.jsonl:hyp", "2", "doc-1"]
    assert (
        "p.jsonl:hyp, line 2 (id doc-1)\n"
        in run_line("explain google_gleu", *files, "--line", "2")[1]
    )


# Python.
STREAMS = [
    [own[n] if n < len(own) else None for own in REFERENCES] for n in range(3)
]
SQUARE = [[*own, *own][:2] for own in REFERENCES[:2]]


def test_references_may_be_a_list_for_each_item() -> None:
    by_item = pipeline.evaluate(
        OUTPUTS, REFERENCES, metrics="bleu[tok=whitespace]", ids=range(COUNT)
    )
    by_annotator = pipeline.evaluate(
        OUTPUTS, STREAMS, metrics="bleu[tok=whitespace]"
    )
    assert (
        by_item.score == by_annotator.score == pytest.approx(peer(), abs=1e-12)
    )
    assert by_item[0].ids == list(map(str, range(COUNT)))
    assert (
        pipeline.Scorer("bleu[tok=whitespace]", REFERENCES).score(OUTPUTS).score
        == by_item.score
    )
    pairs = pipeline.sentence_scores(
        "bleu[tok=whitespace]", OUTPUTS, REFERENCES
    )
    assert pairs.tolist() == by_item[0].sentences.tolist()
    # a Scorer without sources cannot tell these, sentence_scores can
    both = [[*own, *own][:2] for own in REFERENCES]
    turned = [list(texts) for texts in zip(*both, strict=True)]
    expected = pipeline.sentence_scores("bleu", OUTPUTS, turned).tolist()
    assert pipeline.sentence_scores("bleu", OUTPUTS, both).tolist() == expected
    assert (
        pipeline.Scorer("bleu", both, [text.upper() for text in OUTPUTS])
        .sentences(OUTPUTS)
        .tolist()
        == expected
    )
    tokens = [[text.split() for text in own] for own in REFERENCES]
    assert (
        pipeline.evaluate(
            [text.split() for text in OUTPUTS], tokens, metrics="bleu"
        ).score
        == by_item.score
    )
    assert (
        pipeline.evaluate(
            OUTPUTS, [[own[0]] for own in REFERENCES], metrics="bleu"
        ).score
        < by_item.score
    )


def test_as_many_references_as_items_are_told_apart_by_words_or_by_the_caller(
    recwarn: pytest.WarningsRecorder,
) -> None:
    turned = [list(texts) for texts in zip(*SQUARE, strict=True)]
    two = OUTPUTS[:2]
    # the words tell that these are of annotators
    expected = pipeline.evaluate(two, turned, metrics="bleu").score
    assert not recwarn.list
    assert (
        pipeline.evaluate(
            two, SQUARE, metrics="bleu", references_by="item"
        ).score
        == expected
    )
    pipeline.evaluate(two, SQUARE, metrics="bleu", references_by="annotator")
    assert not recwarn.list
    with pytest.warns(
        UserWarning,
        match="2 lists of 2 texts, read as a list for each annotator; they look transposed",
    ):
        pipeline.evaluate(two, SQUARE, metrics="bleu")
    with pytest.warns(
        UserWarning,
        match="numbers and words do not tell whether each is that of an item; say referen",
    ):
        pipeline.evaluate(two, [["x", "y"], ["z", "v"]], metrics="bleu")


@pytest.mark.parametrize(
    ("references", "more", "message"),
    [
        (
            [["a", "b", "c"], ["d"], ["e"]],
            {},
            "references: 3 lists of 1 to 3 texts for 3 items; say references_by='item'",
        ),
        (
            [["a"], ["b"]],
            {},
            "references: 2 lists of up to 1 texts; expected 3 lists (references_by='item'), or",
        ),
        (
            [{"a": "b"}] * 3,
            {},
            "references: expected a list of texts for each item; found dict",
        ),
        (
            [["a"], ["b"]],
            {"references_by": "item"},
            "references: expected a list for each item, 3; found 2",
        ),
        (
            [["a"]] * 3,
            {"references_by": "items"},
            "references_by: expected 'annotator' or 'item', found 'items'",
        ),
        (
            [["a"], ["b"], []],
            {},
            "references[0], item 3: no annotator has a reference for this sentence",
        ),
        (
            [["a"]] * 3,
            {"ids": [1, 2, 2]},
            "ids, item 3: has the id '2', as ids, item 2 has; ids stand once",
        ),
        (
            [["a"]] * 3,
            {"ids": [1, 2]},
            "the texts have different numbers of lines",
        ),
    ],
)
def test_wrong_shapes_are_told(
    references: Any, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        pipeline.evaluate(OUTPUTS[:3], references, metrics="bleu", **more)
    assert str(caught.value).startswith(message)
