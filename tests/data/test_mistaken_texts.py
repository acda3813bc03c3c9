"""Texts in the place of others: each mistake gives a warning that says what was meant, and right
texts give none.
"""

from __future__ import annotations

import json
import random
import re
import warnings
from collections.abc import Callable, Sequence
from itertools import combinations, cycle, pairwise, product
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pipeline
from pipeline import stages
from pipeline.data import (
    Corpus,
    MemoryText,
    input_warnings,
    open_corpus,
    text_warnings,
)
from pipeline.data import samples as sample
from pipeline.data import scan as index
from pipeline.data.config import Dataset, System
from pipeline.data.input_warnings import mistaken_texts
from pipeline.data.samples import (
    BLOCK_LINES,
    BLOCKS,
    SHORT_BLOCK_LINES,
    Sample,
    Samples,
    blocks_of_lines,
)
from pipeline.errors import InputError
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.build import from_text
from tests.config_files import CONFIG, TEXTS, prepare, write
from tests.conftest import ROOT, write_lines

LINES = 60
WORDS = [*map("".join, product("bdgklm", "aeiou", ("nt", "rd", "st", "lk")))]


def texts(lines: int = LINES) -> dict[str, list[str]]:
    """Return a source with errors, its correction, and the output of a system that corrects some of
    them.
    """
    rng = random.Random(1)
    reference = [[rng.choice(WORDS) for _ in range(10)] for _ in range(lines)]
    source = [[*words] for words in reference]
    for number, words in enumerate(source):
        if number % 4:
            # an error is a word that occurs once
            words[number % 10] += f"z{number}"
    output = [
        (right if number % 2 else wrong)
        for number, (wrong, right) in enumerate(
            zip(source, reference, strict=True)
        )
    ]
    sentences = {"s": source, "r": reference, "o": output}
    return {
        name: [" ".join([*words[:5], ",", *words[5:], "."]) for words in text]
        for name, text in sentences.items()
    }


def opened(
    folder: Path,
    source: list[str] | None,
    references: list[list[str]],
    output: list[str],
    **names: str,
) -> Corpus:
    """Write texts and open them."""
    paths = {}
    for key, lines in {
        "s": source,
        "o": output,
        **{f"r{n}": text for n, text in enumerate(references)},
    }.items():
        if lines is not None:
            paths[key] = folder / names.get(key, f"{key}.txt")
            write_lines(paths[key], lines)
    given = tuple(paths[f"r{n}"] for n in range(len(references)))
    corpus = open_corpus(
        Dataset(name="d", source=paths.get("s"), references=given),
        [System("A", {"d": paths["o"]})],
        [],
    )
    assert corpus is not None
    return corpus


def doubts(corpus: Corpus, metrics: list[Metric]) -> list[str]:
    return text_warnings(corpus, metrics)


def warned(*args: object, **names: str) -> list[str]:
    return mistaken_texts(opened(*args, **names))  # type: ignore[arg-type]


@pytest.mark.parametrize("lines", [1, 5, LINES, 2000])
def test_right_texts_give_no_warning(tmp_path: Path, lines: int) -> None:
    t = texts(lines)
    assert warned(tmp_path, t["s"], [t["r"]], t["o"]) == []
    assert warned(tmp_path, None, [t["r"]], t["o"]) == []
    assert (
        warned(tmp_path, t["s"], [t["r"]], t["s"], r0="ref.txt", o="source.txt")
        == []
    )
    assert warned(tmp_path, t["s"], [t["r"]], t["o"], r0="REF0", o="REF1") == []


def test_source_and_reference_swapped(tmp_path: Path) -> None:
    t = texts()
    (warning,) = warned(tmp_path, t["r"], [t["s"]], t["o"])
    assert warning.startswith(
        "the source (s.txt) and reference 1 (r0.txt) seem to be swapped: this reference has more"
    )


@pytest.mark.parametrize(
    ("names", "warning"),
    [
        (
            {"s": "ref.txt", "r0": "test.src"},
            "the source (ref.txt) and reference 1 (test.src) seem to be swapped",
        ),
        (
            {"r0": "hyp.txt", "o": "gold.txt"},
            "reference 1 (hyp.txt) and system A (gold.txt) seem to be swapped",
        ),
    ],
)
def test_names_of_files_tell_what_is_swapped(
    tmp_path: Path, names: dict[str, str], warning: str
) -> None:
    t = texts()
    assert warned(tmp_path, t["s"], [t["r"]], t["o"], **names) == [
        f"{warning}, by their names"
    ]


@pytest.mark.parametrize("lines", [10, LINES, 2000])
@pytest.mark.parametrize("which", ["source", "reference", "output"])
@pytest.mark.parametrize("way", ["before", "after"])
def test_a_shift_by_a_line(
    tmp_path: Path, lines: int, which: str, way: str
) -> None:
    t = texts(lines)
    named = {"source": "s", "reference": "r", "output": "o"}[which]
    t[named] = (
        ["a line .", *t[named][:-1]]
        if way == "before"
        else [*t[named][1:], "a line ."]
    )
    (warning,) = warned(tmp_path, t["s"], [t["r"]], t["o"])
    called = {
        "source": "the source (s.txt)",
        "reference": "reference 1 (r0.txt)",
        "output": "system A",
    }[which]
    assert warning.startswith(
        f"{called} seems to be shifted by one line: its lines fit the lines {way} theirs in "
    )


def test_a_shift_that_begins_in_the_middle_is_told_with_its_line(
    tmp_path: Path,
) -> None:
    t = texts(2000)
    (warning,) = warned(
        tmp_path, t["s"], [t["r"]], [*t["o"][:1200], *t["o"][1201:], ""]
    )
    assert warning.startswith(
        "system A seems to be shifted by one line from line 1482 on: "
    )


def test_json_objects_in_memory_are_told() -> None:
    t = texts()
    records = [
        json.dumps({"id": number, "text": line})
        for number, line in enumerate(t["o"])
    ]
    with pytest.warns(
        UserWarning,
        match="system system looks like JSON objects, not texts; take the text out of",
    ):
        pipeline.evaluate(records, [t["r"]], metrics="google_gleu")


def test_the_same_reference_twice(tmp_path: Path) -> None:
    t = texts()
    (warning,) = warned(tmp_path, t["s"], [t["r"], t["r"]], t["o"])
    assert (
        warning
        == "reference 2 (r1.txt) is the same text as reference 1 (r0.txt); was another file meant?"
    )


def joined(lines: list[str]) -> list[str]:
    return [line.replace(" ,", ",").replace(" .", ".") for line in lines]


@pytest.mark.parametrize(
    "metric",
    ["gleu[tok=whitespace]", "bleu[tok=whitespace]", "google_gleu", "green"],
)
def test_tokenised_and_other_texts_in_one_data_set(
    tmp_path: Path, metric: str
) -> None:
    t = texts()
    output = [f"{line.split()[1]} {line}" for line in t["o"]]
    metrics = [from_text(metric)]
    assert doubts(opened(tmp_path, t["s"], [t["r"]], output), metrics) == []
    assert (
        doubts(
            opened(tmp_path, joined(t["s"]), [joined(t["r"])], joined(output)),
            metrics,
        )
        == []
    )
    (warning,) = doubts(
        opened(tmp_path, t["s"], [t["r"]], joined(output)), metrics
    )
    assert (
        "and belong to the word before in system A: with the tokenizer whitespace they do not match"
        in warning
    )
    (warning,) = doubts(
        opened(tmp_path, None, [joined(t["r"])], output), metrics
    )
    assert (
        "are tokens of their own in system A, and belong to the word before in reference 1 (r0.txt): "
        in warning
    )


@pytest.mark.parametrize("metric", ["rouge", "chrf", "bleu[tok=char]"])
def test_metrics_that_do_not_mind_spaces_give_no_warning(
    tmp_path: Path, metric: str
) -> None:
    t = texts()
    assert (
        doubts(
            opened(tmp_path, None, [t["r"]], joined(t["o"])),
            [from_text(metric)],
        )
        == []
    )


def test_tokenised_text_with_a_tokenizer_for_other_text(tmp_path: Path) -> None:
    t = texts()
    corpus = opened(tmp_path, None, [t["r"]], t["o"])
    (warning,) = doubts(corpus, [from_text("bleu")])
    assert warning.startswith(
        "d: system A is tokenised already, and the tokenizer 13a is for texts as people write"
    )
    assert (
        doubts(
            opened(tmp_path, None, [joined(t["r"])], joined(t["o"])),
            [from_text("bleu")],
        )
        == []
    )
    with pytest.warns(
        UserWarning,
        match="is tokenised already, and the tokenizer 13a is for texts",
    ):
        pipeline.evaluate(t["o"], [t["r"]], metrics=["bleu"])


def test_the_sample_is_bounded_and_spread_evenly() -> None:
    for lines in (0, 1, 19, 40, 500, 501, 10_000_000):
        spans = blocks_of_lines(lines)
        assert sum(high - low for low, high in spans) == min(
            lines, BLOCKS * BLOCK_LINES
        )
        assert [low for low, _ in spans[:1]] == [0][: len(spans)]
        assert not spans or spans[-1][1] == lines
        assert all(high <= low for (_, high), (low, _) in pairwise(spans))


@pytest.mark.parametrize(
    ("words", "lines"), [(2, 500), (100, 500), (400, 160), (20_000, 50)]
)
def test_of_documents_fewer_lines_are_looked_at(words: int, lines: int) -> None:
    """By the longest lines, 5 bytes a word: 65,536 / 2,000 is 32, and of a stretch ten are read at
    least.
    """
    short, long = (
        MemoryText.of(name, ["word " * count] * 600)
        for name, count in (("s", 1), ("l", words))
    )
    samples = Samples(None, [short], {"A": long})
    assert [len(sample.lines) for sample in samples.all] == [lines, lines]
    assert [len(sample.lines) for sample in samples.short.all] == [
        min(lines, BLOCKS * SHORT_BLOCK_LINES)
    ] * 2


@pytest.mark.parametrize("folder", [ROOT / "data"])
def test_right_sample_data_gives_no_warning(folder: Path) -> None:
    outputs = sorted((folder / "systems").iterdir())
    references = [folder / "reference0.txt", folder / "reference1.txt"]
    for values in ([references[0]], [references[1]], references):
        for source in (folder / "source.txt", None):
            systems = [System(path.stem, {"d": path}) for path in outputs]
            corpus = open_corpus(
                Dataset(name="d", source=source, references=tuple(values)),
                systems,
                [],
            )
            assert corpus is not None
            assert mistaken_texts(corpus) == []


def test_right_conll_and_jfleg_data_give_no_warning(shared: Path) -> None:
    """Thirteen systems on CoNLL-2014 with one reference or two, and a reference of JFLEG dev on
    each other one.
    """
    folder = shared / "conll14"
    names = sorted(
        path.name
        for path in folder.iterdir()
        if path.name not in ("INPUT", "REF0", "REF1")
    )
    cases = [
        (folder / "INPUT", refs, names)
        for refs in (["REF0"], ["REF1"], ["REF0", "REF1"])
    ]
    cases += [(folder / "INPUT", ["REF0"], [name]) for name in names]
    parts = [f"dev.ref{number}" for number in range(4)]
    cases += [
        (shared / "jfleg" / "dev.src", [one], [two])
        for one, two in combinations(parts, 2)
    ]
    for source, references, systems in cases:
        here = source.parent
        dataset = Dataset(
            name="d",
            source=source,
            references=tuple(here / name for name in references),
        )
        corpus = open_corpus(
            dataset, [System(name, {"d": here / name}) for name in systems], []
        )
        assert corpus is not None
        assert mistaken_texts(corpus) == []


def test_mistakes_with_conll_data_are_told(
    shared: Path, tmp_path: Path
) -> None:
    for name in ("INPUT", "REF0"):
        (tmp_path / name.lower()[:2]).write_bytes(
            (shared / "conll14" / name).read_bytes()
        )
    for name in ("AMU", "CAMB", "CUUI", "RAC"):
        swapped = Dataset(
            name="d", source=tmp_path / "re", references=(tmp_path / "in",)
        )
        corpus = open_corpus(
            swapped, [System(name, {"d": shared / "conll14" / name})], []
        )
        assert corpus is not None
        (warning,) = mistaken_texts(corpus)
        assert (
            "seem to be swapped: this reference has more different words"
            in warning
        )


@pytest.mark.parametrize(
    ("names", "first", "lines"),
    [
        (("jfleg/dev.src", "jfleg/dev.ref1", "jfleg/dev.ref0"), 377, 20),
        (("jfleg/dev.src", "jfleg/dev.ref1", "jfleg/dev.ref2"), 377, 20),
        (("conll14/INPUT", "conll14/REF0", "conll14/REF1"), 656, 20),
    ],
)
def test_chance_in_few_lines_gives_no_warning(
    shared: Path,
    tmp_path: Path,
    names: tuple[str, str, str],
    first: int,
    lines: int,
) -> None:
    """In these lines the reference has a fifth more words of its own than the source, by chance."""
    source, reference, output = (
        (shared / name).read_text("utf-8").splitlines()[first : first + lines]
        for name in names
    )
    assert warned(tmp_path, source, [reference], output) == []


# What can be scored but is probably not meant: one warning each, in the results too; none for the
# ordinary.


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(dict(TEXTS))


@pytest.mark.parametrize(
    ("files", "warning"),
    [
        (
            {"a.txt": TEXTS["r.txt"]},
            "d: system A is the same text as reference 1",
        ),
        (
            {"r.txt": TEXTS["s.txt"]},
            "d: reference 1 (r.txt) is the same text as the source",
        ),
        ({"a.txt": "x\n\n\n"}, "d: system A: 2 of 3 lines are empty"),
        ({"s.txt": "x\n\n\n"}, "d: source: 2 of 3 lines are empty"),
        (
            {"a.txt": "a@@ b c\nd@@ e f\ng h i\n"},
            "d: system A has subword pieces ('@@ ' or '\u2581', 2 times); join them before scoring",
        ),
        (
            {"a.txt": "\u2581a b c\nd e f\ng h i\n"},
            "d: system A has subword pieces ('@@ ' or '\u2581', once); join them before scoring",
        ),
        (
            {"a.txt": "\ufeffa b z\nd e f\ng h i\n"},
            "d: a.txt: begins with a byte order mark, which is left out; see `bom: keep` (--bom keep)",
        ),
        (
            {"a.txt": "a\0b\nc\nd\n"},
            "d: a.txt: holds 1 NUL character; is it UTF-8 text?",
        ),
        (
            {"r.txt": "a b\n\nc\n"},
            "d: reference 1 (r.txt) has an empty line, 2: it counts as a sentence of length 0",
        ),
    ],
)
def test_what_is_probably_not_meant_gets_into_the_results(
    files: dict[str, str | bytes], warning: str
) -> None:
    write(files)
    job = prepare()
    assert job.warnings == (warning,)
    assert stages.run(job, "out")[1].warnings == [warning]


def test_the_same_text_is_found_whatever_its_form() -> None:
    write(
        {
            "b.jsonl": "".join(
                f'{{"h": "{line}"}}\n' for line in TEXTS["a.txt"].splitlines()
            )
        }
    )
    text = CONFIG.replace(
        "{A: a.txt}", "{A: a.txt, B: {jsonl: b.jsonl, column: h}}"
    )
    assert prepare(text).warnings == (
        "d: system B is the same text as system A",
    )


@pytest.mark.parametrize(
    "files",
    [
        {"a.txt": TEXTS["s.txt"]},
        {"a.txt": TEXTS["a.txt"].replace("\n", "\r\n")},
        {"a.txt": TEXTS["a.txt"].removesuffix("\n")},
        {"a.txt": TEXTS["a.txt"].replace(" ", "\u00a0")},
        {"a.txt": TEXTS["a.txt"].replace("\n", "  \n")},
        {"a.txt": "a\n\nb\n"},
        {"a.txt": f"{'a ' * 500_000}\nb\nc\n"},
        {"s.txt": "@@ a\nb\nc\n", "a.txt": "@@ a\nb\nd\n"},
    ],
    ids=[
        "unchanged",
        "crlf",
        "no last end",
        "no-break",
        "trailing",
        "an empty line",
        "a long line",
        "source has them",
    ],
)
def test_ordinary_texts_give_no_warning(files: dict[str, str | bytes]) -> None:
    write(files)
    assert prepare().warnings == ()


def test_missing_references_are_no_empty_ones() -> None:
    write({"q.txt": "a\n\nb\n"})
    assert (
        prepare(
            CONFIG.replace("[r.txt]", "[r.txt, q.txt], empty_references: none")
        ).warnings
        == ()
    )


HYPOTHESES = ["the cat sat", "a dog ran home", "birds fly"]
BY_ITEM = [
    ["the cat sat down", "a cat sat"],
    ["the dog ran home", "a dog ran"],
    ["birds fly south", "the birds fly"],
]


def evaluate(
    references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
) -> pipeline.Evaluation:
    return pipeline.evaluate(
        HYPOTHESES, references, sources or HYPOTHESES, ["gleu[iter=2]"]
    )


@pytest.mark.parametrize(
    "references", [[["a"]], [["a"] * 4], [["a"] * 3, ["a"] * 2]]
)
def test_fewer_or_more_references_than_items_are_refused(
    references: list[list[str]],
) -> None:
    with pytest.raises(
        InputError, match="the texts have different numbers of lines"
    ):
        evaluate(references)


def test_subwords_in_memory_are_told() -> None:
    with pytest.warns(
        UserWarning, match=r"memory: system system has subword pieces"
    ):
        pipeline.evaluate(["a@@ b"], [["a b"]], ["a c"], ["gleu[iter=2]"])
    assert Path.cwd().exists()


PIECES = [
    "a b .",
    "c, d.",
    '{"a": "b"}',
    "a@@ b",
    "\u2581a",
    "",
    " ",
    "b\0",
    "." * 9 + " ,",
    "@ ,,,, .. x. y.",
]
FEW_TEXTS = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.sampled_from(PIECES), min_size=n, max_size=n)
)


@st.composite
def few_texts(draw: st.DrawFn) -> tuple[list[str], list[list[str]], list[str]]:
    """Outputs, references and sources, of which some are often the same text."""
    lines = len(first := draw(FEW_TEXTS))
    texts = [
        first,
        *(
            draw(
                st.lists(
                    st.sampled_from(PIECES), min_size=lines, max_size=lines
                )
            )
            for _ in range(3)
        ),
    ]
    chosen = draw(st.lists(st.sampled_from(texts), min_size=3, max_size=5))
    return chosen[0], chosen[2:], chosen[1]


@given(
    texts=few_texts(),
    metric=st.sampled_from(["bleu", "gleu[refs=max]", "chrf", "rouge"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_glance_at_few_texts_hides_no_warning(
    texts: tuple[Any, Any, Any], metric: str
) -> None:
    """The warnings are those that the way for large texts gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quick = pipeline.evaluate(*texts, metric).warnings
        with mock.patch.object(
            input_warnings, "_is_ordinary", return_value=False
        ):
            assert pipeline.evaluate(*texts, metric).warnings == quick


STOP = re.compile(r"([^\W\d_]|\s)[.,](?=\s|$)")
"""A full stop or comma that ends a word, and what is before it."""


@given(
    st.text("ab1_ ..,,\n\t\u00a0\u2028é中①٣²", max_size=80).map(
        lambda text: 6 * text
    )
)
def test_stops_are_counted_where_they_end_a_word(text: str) -> None:
    before = [match[1].isspace() for match in STOP.finditer(text)]
    signs = text.count(".") + text.count(",")
    assert Sample(MemoryText.of("t", [text]), "t").stops == (
        before if signs >= 10 else []
    )


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_the_longest_line_is_told(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the pieces of a file are; of equally long lines it is the first, and the last may
    lack its end.
    """
    monkeypatch.setattr(index, "CHUNK_BYTES", chunk)
    monkeypatch.setattr("pipeline.data.texts.LONG_LINE_BYTES", 10)
    write(
        {
            "s.txt": "a\n" + "b " * 9 + "\n" + "c " * 9 + "\n",
            "r.txt": "a\nb\n" + "c" * 11,
            "a.txt": "a\nb\n" + "c" * 10,
        }
    )
    taking = "takes time and memory; are line ends missing?"
    assert [text for text in prepare().warnings if "bytes" in text] == [
        f"d: s.txt: line 2 has 18 bytes, which {taking}",
        f"d: r.txt: line 3 has 11 bytes, which {taking}",
    ]


def test_of_very_long_lines_the_beginning_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By hand: 4 characters of each line."""
    monkeypatch.setattr(sample, "MAX_LINE_CHARACTERS", 4)
    lines = MemoryText.of("t", ["a b c", "d", "e f", "g h"])
    assert Sample(lines, "t").lines == ["a b ", "d", "e f", "g h"]


def corrected(lines: int, errors: int, correct: int) -> dict[str, list[str]]:
    """Return a source of lines with so many errors, after some without, its correction, and an
    output.

    The output corrects one error in every other line.
    """
    reference = [line.split() for line in texts(lines)["r"]]
    source, output = (
        [[*words] for words in reference],
        [[*words] for words in reference],
    )
    for number in range(correct, lines):
        for position in range(errors):
            source[number][position] += f"z{number}"
            if position or number % 2:
                output[number][position] += f"z{number}"
    return {
        name: [" ".join(words) for words in text]
        for name, text in zip("sro", (source, reference, output), strict=True)
    }


def test_output_and_reference_swapped(tmp_path: Path) -> None:
    t = corrected(220, 3, 20)
    (warning,) = warned(tmp_path, t["s"], [t["o"]], t["r"])
    assert (
        warning
        == (  # not 1 and 3, because a word that the line of the source has elsewhere does not count
            "reference 1 (r0.txt) and the output seem to be swapped: in the lines that they change, this reference changes "
            "0.9 words and the output 2.8; references mostly change more than outputs"
        )
    )
    assert warned(tmp_path, t["s"], [t["r"]], t["o"]) == []


@pytest.mark.parametrize("correct", [0, 100, 400])
def test_a_bold_output_on_mostly_correct_text_gives_no_warning(
    tmp_path: Path, correct: int
) -> None:
    """As on texts by advanced writers: the reference leaves most lines, the output changes a word
    in each.
    """
    t = corrected(correct + 100, 2, correct)
    bold = [
        " ".join([word, *line.split()[1:]])
        for line, word in zip(t["r"], cycle(("so", "but", "and")))
    ]
    assert warned(tmp_path, t["s"], [t["r"]], bold) == []


def test_few_changed_lines_tell_nothing_of_what_is_swapped(
    tmp_path: Path,
) -> None:
    t = corrected(120, 3, 21)
    assert warned(tmp_path, t["s"], [t["o"]], t["r"]) == []
    t = corrected(120, 3, 20)
    assert len(warned(tmp_path, t["s"], [t["o"]], t["r"])) == 1


def test_an_output_that_stands_for_the_reference_is_told_where_it_is_timid(
    shared: Path,
) -> None:
    """Systems that change about one word in a line; the others change as much as some people do."""
    folder = shared / "conll14"
    reported = []
    for name in (
        "AMU",
        "CAMB",
        "CUUI",
        "IITB",
        "IPN",
        "POST",
        "RAC",
        "SJTU",
        "UMC",
    ):
        swapped = Dataset(
            name="d", source=folder / "INPUT", references=(folder / name,)
        )
        corpus = open_corpus(swapped, [System("A", {"d": folder / "REF0"})], [])
        assert corpus is not None
        reported += [
            name
            for warning in mistaken_texts(corpus)
            if "and the output seem to be swapped" in warning
        ]
    assert reported == ["CUUI", "IPN", "POST", "SJTU", "UMC"]


def test_references_that_fit_better_the_other_way_round_are_told() -> None:
    square = [[*texts, texts[0]] for texts in BY_ITEM]
    with pytest.warns(
        UserWarning,
        match="they look transposed, as if each were that of an item",
    ) as caught:
        evaluate(square)
    assert len(caught) == 1
    assert (
        evaluate([list(texts) for texts in zip(*square, strict=True)]).warnings
        == ()
    )


# Checks of outputs: each mistake is told with its share and a line, and nothing where references
# have the same.


STARTS = ["He said", "They're sure", "Nobody knew", "It's known", "We heard"]


def written(lines: int = LINES, seed: int = 1) -> list[str]:
    """Return sentences as people write them: with capitals, apostrophes, numbers of words from 12
    to 32, full stops.
    """
    rng = random.Random(seed)
    counts = [12 + rng.randrange(20) for _ in range(lines)]
    return [
        f"{rng.choice(STARTS)} {' '.join(rng.choices(WORDS, k=n))}, {rng.choice(WORDS)}."
        for n in counts
    ]


def edited(lines: list[str], seed: int = 2) -> list[str]:
    """Return lines of which every other one has another word in the middle."""
    rng = random.Random(seed)
    split = [line.split() for line in lines]
    return [
        " ".join(
            [*words[:6], rng.choice(WORDS), *words[7:]] if number % 2 else words
        )
        for number, words in enumerate(split)
    ]


def shuffled(lines: list[str]) -> list[str]:
    return random.Random(3).sample(lines, len(lines))


MISTAKES: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "prefix": (
        lambda lines: [f"Corrected: {line}" for line in lines],
        "system A (o.txt): 100 % of the lines begin with 'Corrected: ', such as line 1, and those of reference 1 "
        "(r0.txt) do not; take it away before scoring",
    ),
    "numbers": (
        lambda lines: [
            f"{number}) {line}" for number, line in enumerate(lines, 10)
        ],
        "system A (o.txt): 100 % of the lines begin with '10) ', such as line 1, and those of reference 1 (r0.txt) do "
        "not; take it away before scoring",
    ),
    "suffix": (
        lambda lines: [
            line if number in (0, 5) else f"{line} </s>"
            for number, line in enumerate(lines)
        ],
        "system A (o.txt): 97 % of the lines end with '. </s>', such as line 2, and those of reference 1 (r0.txt) do "
        "not; take it away before scoring",
    ),
    "shuffled": (
        shuffled,
        "system A (o.txt) seems to be shuffled, or of another data set: ",
    ),
    "in batches": (
        lambda lines: [
            line
            for low in range(0, len(lines), 4)
            for line in lines[low : low + 4][::-1]
        ],
        "system A (o.txt) seems to be shuffled, or of another data set: ",
    ),
}


@pytest.mark.parametrize("lines", [LINES, 2000])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_outputs_is_told(
    tmp_path: Path, mistake: str, lines: int
) -> None:
    change, message = MISTAKES[mistake]
    reference = written(lines)
    output = edited(reference)
    assert warned(tmp_path, None, [reference], output) == []
    (warning,) = warned(tmp_path, None, [reference], change(output))
    assert (
        warning.startswith(message)
        if lines == LINES
        else warning.startswith(message.partition(":")[0])
    )


@pytest.mark.parametrize("mistake", ["prefix", "numbers", "suffix"])
def test_what_references_have_too_is_no_mistake(
    tmp_path: Path, mistake: str
) -> None:
    change = MISTAKES[mistake][0]
    assert (
        warned(tmp_path, None, [change(written())], change(edited(written())))
        == []
    )


def test_shares_and_lines_are_those_of_the_file(tmp_path: Path) -> None:
    """By hand: of 60 lines, 14 from line 41 on fit a line that is seven lines away."""
    right = written()
    (warning,) = warned(
        tmp_path,
        None,
        [right],
        [*right[:40], *right[47:54], *right[40:47], *right[54:]],
    )
    assert (
        "data set: 23 % of the lines, such as line 41, fit their own lines in reference 1 (r0.txt) no"
        in warning
    )


def test_lines_of_the_source_in_place_of_a_translation(tmp_path: Path) -> None:
    reference = written()
    source = [line[::-1] for line in reference]
    output = [
        values if number % 3 else its
        for number, (values, its) in enumerate(
            zip(reference, source, strict=True)
        )
    ]
    (warning,) = warned(tmp_path, source, [reference], output)
    assert warning == (
        "system A (o.txt): 33 % of the lines are those of the source, such as line 1; were the outputs meant?"
    )
    assert warned(tmp_path, source, [reference], edited(reference)) == []


def test_the_source_as_outputs_is_told_where_it_is_not_called_so() -> None:
    source = "".join(f"{line}\n" for line in edited(written(100)))
    write(
        {
            "s.txt": source,
            "r.txt": "".join(f"{line}\n" for line in written(100)),
            "a.txt": source,
        }
    )
    (warning,) = prepare().warnings
    assert warning == (
        "d: system A is the same text as the source; were its outputs meant? Call a baseline `unchanged`"
    )
    assert (
        prepare(CONFIG.replace("{A: a.txt}", "{unchanged: a.txt}")).warnings
        == ()
    )


def curly(lines: list[str]) -> list[str]:
    return [line.replace("'", "\u2019") for line in lines]


SMALL = (
    "d: there are no capital letters in {} (100 % of the lines, such as line 1), and there are in {}: such words do "
    "not match; write all texts alike, or have metrics lower-case them"
)
SIGNS = (
    "d: quotation marks and apostrophes are typographic in {} (100 % of the lines that have any, such as line 1), and "
    "straight in {}: they do not match; write them alike in all texts"
)
TEXT, OUTPUT = "reference 1 (r0.txt)", "system A"


@pytest.mark.parametrize(
    ("change", "reported"),
    [(lambda lines: list(map(str.lower, lines)), SMALL), (curly, SIGNS)],
    ids=["capitals", "quotes"],
)
def test_texts_that_are_not_written_alike(
    tmp_path: Path, change: Callable[[list[str]], list[str]], reported: str
) -> None:
    reference = written(lines=200)
    output, metrics = edited(reference), [from_text("bleu")]
    assert doubts(opened(tmp_path, None, [reference], output), metrics) == []
    assert (
        doubts(
            opened(tmp_path, None, [change(reference)], change(output)), metrics
        )
        == []
    )
    assert doubts(
        opened(tmp_path, None, [reference], change(output)), metrics
    ) == [reported.format(OUTPUT, TEXT)]
    assert doubts(
        opened(tmp_path, None, [change(reference)], output), metrics
    ) == [reported.format(TEXT, OUTPUT)]


@pytest.mark.parametrize(
    ("metric", "warnings"),
    [
        ("bleu[lowercase=true]", 0),
        ("ter", 0),
        ("ter[cased=true]", 1),
        ("rouge", 0),
        ("chrf", 1),
        ("gleu", 1),
    ],
)
def test_lower_case_is_told_where_the_metric_minds(
    tmp_path: Path, metric: str, warnings: int
) -> None:
    output = list(map(str.lower, edited(written())))
    corpus = opened(tmp_path, written(seed=1), [written()], output)
    metrics = [from_text(metric)]
    assert [text for text in doubts(corpus, metrics) if "capital" in text] == [
        SMALL.format(OUTPUT, TEXT)
    ] * warnings


def test_mistakes_in_outputs_are_told_in_memory_and_in_results() -> None:
    output = MISTAKES["prefix"][0](edited(written()))
    with pytest.warns(
        UserWarning,
        match="memory: system system: 100 % of the lines begin with 'Corrected: ', such as",
    ):
        pipeline.evaluate(output, [written()], metrics="bleu")
    write(
        {
            "s.txt": "".join(f"{line}\n" for line in edited(written(), 5)),
            "a.txt": "".join(f"{o}\n" for o in output),
        }
    )
    write({"r.txt": "".join(f"{line}\n" for line in written())})
    (warning,) = stages.run(prepare(), "out")[1].warnings
    assert warning.startswith(
        "d: system A (a.txt): 100 % of the lines begin with 'Corrected: '"
    )


def test_right_translations_of_wmt_give_no_warning(shared: Path) -> None:
    """Outputs of every language pair that is here. Typographic signs are told apart: some are mixed
    there indeed.
    """
    for year in ("22", "23"):
        (texts,) = shared.glob(
            f"mirror/wmt-conference/wmt{year}-news-systems/*/txt"
        )
        for source in sorted((texts / "sources").iterdir()):
            pair = source.name.split(".")[1]
            references = sorted((texts / "references").glob(f"*.{pair}.*"))
            outputs = sorted((texts / "system-outputs").glob(f"*.{pair}.*"))
            systems = [System(path.name, {"d": path}) for path in outputs]
            corpus = open_corpus(
                Dataset(name="d", source=source, references=tuple(references)),
                systems,
                [],
            )
            assert corpus is not None
            assert mistaken_texts(corpus) == []


@pytest.mark.parametrize(
    "mistake", ["prefix", "suffix", "shuffled", "in batches"]
)
def test_mistakes_in_real_outputs_are_told(shared: Path, mistake: str) -> None:
    folder = shared / "conll14"
    read = {
        name: (folder / name).read_text("utf-8").splitlines()
        for name in ("INPUT", "REF0", "AMU", "CAMB")
    }
    change, message = MISTAKES[mistake]
    for name in ("AMU", "CAMB"):
        corpus = Corpus.in_memory(
            {name: change(read[name])}, [read["REF0"]], read["INPUT"]
        )
        (warning,) = mistaken_texts(corpus)
        assert warning.startswith(
            message.partition(":")[0].replace("A (o.txt)", name)
        )
