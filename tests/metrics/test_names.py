"""Names of metrics as people write them: in configs, on the command line and in Python."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import pipeline
from pipeline.errors import ConfigError, InputError
from pipeline.metrics import METRICS
from pipeline.metrics.build import from_text, meaning_of, metrics_called
from tests.support.commands import Command
from tests.support.extensions import with_extension
from tests.support.numbers import near
from tests.support.words import rows, wordlist

CONFIG = """\
datasets: {d: {source: s.txt, references: r.txt}}
systems: {A: a.txt, B: b.txt}
metrics: [GLEU+, BLEU, ROUGE-L, {name: chrF++, lowercase: true}]
output: {dir: run}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with texts."""
    texts = {
        "s.txt": "x y z\n",
        "r.txt": "a b c d e\n",
        "a.txt": "a b c d\n",
        "b.txt": "a c\n",
        "c.yaml": CONFIG,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("written", "same"),
    [
        *rows("""
    BLEU => bleu
    sacrebleu => bleu
    sacreBLEU => bleu[flavour=sacrebleu]
    BLEU-4 => bleu
    multi-bleu.perl => bleu[flavour=moses]
    NLTK BLEU => bleu[flavour=nltk]
    chrF => chrf
    chrf++ => chrf[word_order=2]
    chrF++ => chrf[word_order=2]
    chrF+ => chrf[nw=1]
    GLEU => gleu
    gleu+ => gleu
    GLEU+ => gleu
    Google GLEU => google_gleu
    google-gleu => google_gleu
    google_bleu => google_gleu
    GREEN => green
    rouge1 => rouge[types=1]
    rouge-2 => rouge[types=2]
    rougeL => rouge[types=L]
    ROUGE-L => rouge[types=L]
    ROUGE-Lsum => rouge[types=Lsum]
    ROUGE-SU4 => rouge[types=SU4]
    ROUGE-1.5.5 => rouge[flavour=perl]
    rougeL[stemmer=porter] => rouge[types=L,stemmer=porter]
    chrF++|nc:5 => chrf[char_order=5,word_order=2]
"""),
        *with_extension(
            "edits",
            *rows("""
    SentM2 => m2[level=mean]
    MaxMatch => m2
"""),
        ),
        *with_extension(
            "errant",
            *rows("""
    CLEME-dependent => cleme
    SentCLEME-independent => cleme[assumption=independent,level=mean]
    CLEME 2.0 => cleme[version=2]
    SentCLEME2.0 => cleme[version=2,level=mean]
"""),
        ),
    ],
)
def test_a_name_as_people_write_it_is_understood(
    written: str, same: str
) -> None:
    assert from_text(written) == from_text(same)


@pytest.mark.parametrize("name", METRICS)
def test_every_spelling_makes_a_metric_or_is_asked_back(name: str) -> None:
    for spelling, implied in METRICS[name].spellings.items():
        try:
            assert meaning_of(spelling) == (name, implied)
        except ConfigError as error:
            assert "may be one of these" in str(error)  # noqa: PT017 (either is right)
            continue
        assert metrics_called(spelling, [from_text(spelling)])


@pytest.mark.parametrize(
    ("text", "numbers"),
    rows("""
    green => 0 1
    green[flavour=gec-metrics] => 1
    green[flavour=authors] => 0
    green|n:4|beta:2|unit:word|tok:whitespace|nrefs:2|v:0.2.0 => 0
    bleu[tok=intl] => 2
    BLEU[tokenizer=intl] => 2
    bleu => 2 3
    bleu[lowercase=true] => 3
    BLEU[n=4] => 2 3
    chrF++ => 4
    chrF++[char_order=6] => 4
    chrf => 4
    chrf[nc=6] => 4
    chrf[word_order=0] =>
    chrF++[word_order=0] =>
    green[flavor=authors] =>
    green[n=0] =>
    green[ =>
    nothing =>
"""),
)
def test_metrics_are_meant_by_what_a_config_says_of_them(
    text: str, numbers: str
) -> None:
    """By hand, of metrics that a config has with these options and others: `bleu[lowercase=true]`
    is of one that has it among other options.
    """
    requested = wordlist(
        "green green[flavour=gec-metrics] bleu[tok=intl] bleu[lc=true,tok=char] chrF++"
    )
    metrics = [from_text(one) for one in requested]
    assert metrics_called(text, metrics) == [
        metrics[int(number)] for number in numbers.split()
    ]


@pytest.mark.parametrize("name", ["sentence_gleu", "corpus_gleu", "GLEU score"])
def test_a_name_of_two_metrics_is_asked_back(
    name: str, command: Command
) -> None:
    """GLEU+ and Google's GLEU are both called so; all choices stand in one message."""
    assert command.refused(
        f"score '{name}' -s s.txt -r r.txt -o a.txt"
    ).err == (
        f"error: '{name}' may be one of these; write the one that you mean:\n"
        f"  gleu: {METRICS['gleu'].summary}\n  google_gleu: {METRICS['google_gleu'].summary}\n"
    )


@pytest.mark.parametrize(
    ("written", "message"),
    rows("""
    rougeL[types=1] => 'rougeL' means types: L already; leave 'types' out, or write rouge
    chrF++[nw=1] => 'chrF++' means word_order: 2 already; leave 'nw' out, or write chrf
    rougeX => no metric is called 'rougeX' (did you mean 'rouge'?)
    rouge-L, bleu => expected name, name[key=value,...] or name|key:value|...
"""),
)
def test_a_name_that_cannot_be_meant(written: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        from_text(written)
    assert message in str(caught.value)


def names_of(scores: list[dict[str, Any]]) -> list[str]:
    return [score["metric"].partition("|")[0] for score in scores]


def test_results_have_canonical_names_alone(command: Command) -> None:
    """However the config writes them: run directories do not depend on it."""
    command("run c.yaml -q")
    before = Path("run/results.json").read_bytes()
    names = {*names_of(json.loads(before)["scores"])}
    assert sorted(names) == wordlist("bleu chrf gleu rouge")
    canonical = CONFIG.replace(
        "GLEU+, BLEU, ROUGE-L, {name: chrF++,",
        "gleu, bleu, 'rouge[types=L]', {name: chrf, nw: 2,",
    )
    Path("c.yaml").write_text(canonical, encoding="utf-8")
    command("run c.yaml -q")
    assert Path("run/results.json").read_bytes() == before


@pytest.mark.parametrize("name", ["chrF++", "chrf++", "CHRF", "chrf"])
def test_commands_on_runs_understand_names(name: str, command: Command) -> None:
    command("run c.yaml -q")
    for line in ("show run", "compare run", "report run --format markdown"):
        printed = command(f"{line} --metric {name}").out
        assert "chrf" in printed
        assert not re.search(r"(gleu|bleu|rouge)\|", printed)
    error = command.refused("show run --metric chrF+").err
    assert "--metric chrF+: there is no such one" in error


def test_only_understands_names(command: Command) -> None:
    scores = command.json("run c.yaml --only rougeL --only GLEU --only A -q")
    assert [score["system"] for score in scores["scores"]] == ["A", "A"]
    assert names_of(scores["scores"]) == ["gleu", "rouge"]
    error = command.refused("run c.yaml --only rouge1 -q").err
    assert "--only rouge1: matches no data set, system or metric" in error


def test_a_system_is_preferred_to_a_metric_of_the_same_name(
    command: Command,
) -> None:
    Path("c.yaml").write_text(
        CONFIG.replace("B: b.txt", "BLEU: b.txt"), encoding="utf-8"
    )
    scores = command.json("run c.yaml --only BLEU -q")["scores"]
    assert [score["system"] for score in scores] == ["BLEU"] * 4


def test_python_understands_names_and_a_single_metric() -> None:
    texts: dict[str, Any] = {
        "hypotheses": ["a b c d"],
        "references": [["a b c d e"]],
    }
    one = pipeline.evaluate(**texts, metrics="BLEU")
    assert (
        one.signature == pipeline.evaluate(**texts, metrics=["bleu"]).signature
    )
    assert one.get(metric="sacreBLEU").score == one.score
    # by hand: of 4 and 5 words 4 are shared, so F is 8 of 9
    assert pipeline.evaluate(**texts, metrics={"name": "rougeL"}).score == near(
        8 / 9
    )
    assert (
        pipeline.evaluate(**texts, metrics=from_text("bleu")).score == one.score
    )
    several = pipeline.evaluate(**texts, metrics=["chrF++", "bleu"])
    assert several.get(metric="BLEU").signature == one.signature
    assert several.get(metric="chrF++").measure == from_text("chrf[nw=2]")
    with pytest.raises(InputError, match="no result fits"):
        several.get(metric="chrF+")


def test_one_needs_no_list(command: Command) -> None:
    """references: FILE and metrics: NAME, also in files that are included, in defaults and by
    --set.
    """
    lists = CONFIG.replace("r.txt", "[r.txt]").replace(
        "[GLEU+, BLEU, ROUGE-L, {name: chrF++, lowercase: true}]", "[gleu]"
    )
    plain = lists.replace("[r.txt]", "r.txt").replace("[gleu]", "gleu")
    references = "--set datasets.d.references"
    texts = {
        "lists": (lists, ""),
        "plain": (plain, ""),
        "mapping": (plain.replace(": gleu", ": {name: GLEU+}"), ""),
        "set": (lists, f"--set metrics=GLEU {references}=r.txt"),
        "items": (plain, f"--set metrics.0=GLEU+ {references}.0=r.txt"),
        "include": ("include: [lists.yaml]\nmetrics: gleu\n", ""),
        "policy": (plain + "defaults: {metrics: {references: sample}}\n", ""),
    }
    results = set()
    for name, (text, more) in texts.items():
        Path(f"{name}.yaml").write_text(text, encoding="utf-8")
        command(f"run {name}.yaml -q --output {name} {more}")
        results.add(Path(name, "results.json").read_bytes())
    assert len(results) == 1
