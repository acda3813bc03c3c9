"""Options of metrics: each is declared once, as a field of the metric's dataclass, and nothing else
is needed.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import pickle
import re
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import pipeline
from pipeline.arrays import Floats, Ints
from pipeline.cli.commands.schema import json_schema
from pipeline.errors import IDLE, ConfigError, Problem
from pipeline.execution.count import count_in_memory
from pipeline.metrics import METRICS
from pipeline.metrics.base.choices import f_beta, ratio
from pipeline.metrics.base.metric import Metric
from pipeline.metrics.base.statistics_spec import (
    Columns,
    Field,
    OverlapSpec,
    tokenization_of,
)
from pipeline.metrics.build import from_text
from pipeline.metrics.gleu import Gleu
from pipeline.metrics.options import option, strip_option, tokenizer_option
from pipeline.metrics.options.fields import METADATA
from pipeline.scoring.terms import MetricTerms
from pipeline.tokenizers import Tokenization
from tests.metrics.test_bleu import generated
from tests.support.commands import Command
from tests.support.extensions import with_extension
from tests.support.words import rows, wordlist

FOLDER = Path(pipeline.__file__).parent / "metrics"
FILES = sorted(
    path
    for path in FOLDER.rglob("*.py")
    if path.parent.name not in ("base", "options")
)


@dataclasses.dataclass(frozen=True)
class Mine(Metric):
    """As many tokens as words that are asked for, and never more than 1."""

    name: ClassVar[str] = "mine"
    summary: ClassVar[str] = "a metric with two options"

    words: int = option(
        4, key="n", help="words that are enough", minimum=1, maximum=16
    )
    lambda_: str = option("0", help="weight of nothing", choices=("0", "1"))

    level = "mean"

    @property
    def spec(self) -> OverlapSpec:
        return OverlapSpec(Tokenization(), 1, (), source=False)

    @property
    def terms(self) -> tuple[Field, ...]:
        return (Field("hyp_len"),)

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        return {"hyp_len": columns["hyp_len"]}

    def score(self, totals: Columns) -> dict[str, Floats]:
        return {"mine": np.minimum(totals["hyp_len"] / self.words, 1.0)}

    def sentence_scores(self, columns: Columns) -> Floats:
        return self.score(columns)["mine"][:, None]


@pytest.fixture
def mine(monkeypatch: pytest.MonkeyPatch) -> type[Metric]:
    monkeypatch.setitem(METRICS, "mine", Mine)
    return Mine


# ---- once


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: str(path.relative_to(FOLDER))
)
def test_a_metric_says_nothing_of_an_option_but_in_its_field(
    path: Path,
) -> None:
    """No Option is made, and no tuple of options written, outside metrics/base and metrics/options."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func).rpartition(".")[2] != "Option", (
                f"{path}:{node.lineno}"
            )
        if isinstance(node, ast.ClassDef):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and isinstance(
                    field.target, ast.Name
                ):
                    assert field.target.id != "options", (
                        f"{path}:{field.lineno}"
                    )


@pytest.mark.parametrize("name", METRICS)
def test_the_fields_of_a_metric_are_its_options(name: str) -> None:
    fields = dataclasses.fields(METRICS[name])  # type: ignore[arg-type]
    options = METRICS[name].options
    assert [field.name for field in fields] == [
        option.attribute for option in options
    ]
    assert all(METADATA in field.metadata for field in fields)
    assert [field.default for field in fields] == [
        option.default_of({}) for option in options
    ]
    assert [field.compare for field in fields] == [
        option.in_signatures for option in options
    ]
    spellings = [
        spelling for option in options for spelling in {option.name, option.key}
    ]
    assert len(spellings) == len(set(spellings)), "two options have one name"
    assert all(option.help for option in options)
    # what can change a number stands in signatures; only paths do not, which another machine has
    # elsewhere
    assert [option.name for option in options if not option.in_signatures] in (
        [],
        ["files", "columns"],
        ["jar"],
    )


def test_positional_order_is_that_of_signatures() -> None:
    assert list(inspect.signature(Gleu).parameters) == [
        option.attribute for option in Gleu.options
    ]
    assert Gleu("2016", 3) == from_text("gleu[variant=2016,n=3]")


# ---- a metric with two options needs nothing else


@pytest.mark.usefixtures("mine")
def test_two_declared_options_are_read_and_signed() -> None:
    assert [(item.name, item.attribute, item.key) for item in Mine.options] == [
        ("words", "words", "n"),
        ("lambda", "lambda_", "lambda"),
    ]
    metric = from_text("mine[n=3,lambda=1]")
    assert metric == Mine(3, "1") == Mine(words=3, lambda_="1")
    assert metric.settings() == [("n", 3), ("lambda", "1")]
    assert from_text("mine|words:3|lambda:1") == metric
    assert repr(metric) == "Mine(words=3, lambda_='1')"
    assert {metric: 1}[pickle.loads(pickle.dumps(metric))] == 1  # noqa: S301 (our own)
    with pytest.raises(
        ConfigError, match="expected a whole number from 1 to 16, found '17'"
    ):
        from_text("mine[n=17]")


@pytest.mark.usefixtures("mine")
def test_two_declared_options_are_listed_and_can_be_given(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("one two three\n", encoding="utf-8")
    assert (
        "a whole number from 1 to 16  words that are enough"
        in command("list metrics mine").out
    )
    (score,) = json.loads(
        command("score mine --words 6 -r a.txt -o a.txt --json --n-jobs 1").out
    )["scores"]
    assert score["score"] == 0.5
    assert score["metric"].startswith("mine|n:6|lambda:0|")
    forms = json.loads(json_schema())["$defs"]["Metric"]["anyOf"]
    mine = next(
        form
        for form in forms
        if form.get("properties", {}).get("name", {}).get("const") == "mine"
    )
    assert set(mine["properties"]) == {"name", "words", "n", "lambda"}


# ---- options that several metrics have


@dataclasses.dataclass(frozen=True)
class Words(Metric):
    """The mean number of words, for tests of a metric that has tokenizer and strip but no unit."""

    name: ClassVar[str] = "words"
    summary: ClassVar[str] = "words of a sentence"
    level = "mean"
    terms: ClassVar[tuple[Field, ...]] = (Field("hyp_len"),)

    tokenizer: str = tokenizer_option("13a")
    strip: bool = strip_option()

    @property
    def spec(self) -> OverlapSpec:
        return OverlapSpec(tokenization_of(self), 1, (), source=False)

    def score(self, totals: Columns) -> dict[str, Floats]:
        return {"words": totals["hyp_len"].astype(np.float64)}


def test_a_metric_without_unit_can_have_tokenizer_and_strip(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(METRICS, "words", Words)
    metric = from_text("words[strip=true]")
    assert metric.settings() == [("tok", "13a"), ("strip", True)]
    assert metric.spec.tokenization == Tokenization("13a", strip=True)
    assert (
        pipeline.evaluate(["One, two."], [["Two."]], metrics=["words"]).score
        == 4.0
    )
    assert from_text("words[tok=whitespace]").settings() == [
        ("tok", "whitespace")
    ]
    with pytest.raises(
        ConfigError, match="tokenizer whitespace ignores it anyway"
    ):
        from_text("words[tok=whitespace,strip=true]")


# ---- kinds of problems


def test_a_kind_changes_neither_equality_nor_what_is_printed() -> None:
    plain = Problem("f:1:2", "is wrong")
    idle = Problem("f:1:2", "is wrong", IDLE)
    assert (plain, hash(plain), str(plain), repr(plain)) == (
        idle,
        hash(idle),
        str(idle),
        repr(idle),
    )
    assert dataclasses.replace(idle, message="is mended").kind == IDLE


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("gleu[refs=max,iter=3]", [IDLE]),
        ("gleu[n=10]", [""]),
        ("gleu[refs=max,seed=3,n=0]", ["", IDLE]),
    ],
)
def test_an_option_without_effect_is_idle(text: str, kinds: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        from_text(text)
    assert [problem.kind for problem in caught.value.problems] == kinds


# ---- arithmetic


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_equal_numbers_make_equal_metrics(metric: type[Metric]) -> None:
    """Every option that a number stands for as text, whatever zeros are written."""
    for entry in metric.options:
        number = (
            entry.pattern
            and re.fullmatch(entry.pattern, "0.90")
            and not re.fullmatch(entry.pattern, "a")
        )
        # an option of a metric with code: a number is written as Python writes it
        if entry.resolved:
            assert (
                not number
                or entry.resolved("0.90", Path())
                == entry.resolved("0.9", Path())
                == "0.9"
            ), entry.name
            continue
        assert not number or entry.read("0.90") == entry.read("0.9") == "0.9", (
            entry.name
        )
        if entry.numbers and re.fullmatch(entry.pattern, "10.0"):
            assert entry.read("10.0") == "10", entry.name


def test_ratios_are_0_where_the_whole_is_0() -> None:
    assert ratio(np.array([1, 3, 0]), np.array([2, 0, 0])).tolist() == [
        0.5,
        0.0,
        0.0,
    ]
    assert ratio(np.array([[2], [4]]), np.array([4, 0])).tolist() == [
        [0.5, 0.0],
        [1.0, 0.0],
    ]
    precision = np.array([0.0, 0.5, 0.0, 1.0])
    recall = np.array([0.0, 0.5, 1.0, 0.5])
    assert f_beta(precision, recall, 1.0).tolist() == [0.0, 0.5, 0.0, 1.0 / 1.5]
    assert f_beta(precision, recall, 0.0).tolist() == [0.0, 0.5, 0.0, 1.0]


# Scores from sums of counts: those that the same texts have, and those of sacreBLEU.


SUMMED = wordlist(
    "bleu bleu[flavour=nltk,smoothing=method5] chrf chrf[nw=2,eps=true] ter green"
)
SUMMED += ["rouge[level=micro]"]
SUMMED += ["gleu[refs=max]", "gleu[variant=paper,refs=max]", "google_gleu"]


@pytest.mark.parametrize("text", SUMMED)
def test_the_sums_of_a_corpus_give_its_score(text: str) -> None:
    from pipeline.data import Corpus

    hypotheses, references = generated(2, references=2)
    metric = from_text(text)
    corpus = Corpus.in_memory(
        hypotheses, references, references[0] if metric.spec.source else None
    )
    counts = count_in_memory(corpus, [metric.spec])["system", metric.spec]
    terms = MetricTerms(metric)
    totals = sum(block.fixed.sum(axis=0) for block in terms.blocks(counts))
    expected = terms.of_system(counts)
    found = metric.score(terms.schema.unpack(np.asarray(totals)))
    assert {name: float(value) for name, value in found.items()} == expected


# The names of stored counts: with others, counts that users have stored would not be found.


KEYS = rows("""
    gleu[tok=13a,strip=true,lc=true] => overlap-match-penalty-n4-13a-strip-lc => OverlapNeeds(tokenization=Tokenization(tokenizer='13a', strip=True, lowercase=True, stemmer='none', strip_end=False), order=4, kinds=('match', 'penalty'), source=True, source_len=False)
    gleu[variant=2016-03,tok=whitespace,lambda=0.1] => overlap-union_match-new_match-gone_match-n4-whitespace => OverlapNeeds(tokenization=Tokenization(tokenizer='whitespace', strip=False, lowercase=False, stemmer='none', strip_end=False), order=4, kinds=('union_match', 'new_match', 'gone_match'), source=True, source_len=False)
    green => overlap-match-source_only-common-source_match-source_len-n4-whitespace => OverlapNeeds(tokenization=Tokenization(tokenizer='whitespace', strip=False, lowercase=False, stemmer='none', strip_end=False), order=4, kinds=('match', 'source_only', 'common', 'source_match'), source=True, source_len=True)
    chrf++ => chrf-overlap-match-n6-nonspace-overlap-match-n2-chrf => ChrfNeeds(characters=OverlapNeeds(tokenization=Tokenization(tokenizer='nonspace', strip=False, lowercase=False, stemmer='none', strip_end=False), order=6, kinds=('match',), source=False, source_len=False), words=OverlapNeeds(tokenization=Tokenization(tokenizer='chrf', strip=False, lowercase=False, stemmer='none', strip_end=False), order=2, kinds=('match',), source=False, source_len=False))
    ter[nopunct=true,asian=true,cased=true] => ter-tercom-nopunct-asian-cased => TerNeeds(tokens=Tercom(normalized=False, no_punct=True, asian_support=True, case_sensitive=True))
    rouge[types=1+L+W+SU4] => rouge-n1-lcs-weighted-skip_4-w1.2-newline-google => RougeNeeds(tokenization=Tokenization(tokenizer='google', strip=False, lowercase=False, stemmer='none', strip_end=False), splitting=Splitting(mode='newline', boundary=''), order=1, parts=('lcs', 'weighted'), gaps=(4,), lead=False, merged=False, weight='1.2', source=False)
    rouge[flavour=perl,types=1+L+W+S4+SU4,bytes=50] => rouge-n1-union-weighted_union-skip_4-lead-b50-w1.2-newline-perl => RougeNeeds(tokenization=Tokenization(tokenizer='perl', strip=False, lowercase=False, stemmer='none', strip_end=False), splitting=Splitting(mode='newline', boundary=''), order=1, parts=('union', 'weighted_union'), gaps=(4,), lead=True, merged=False, weight='1.2', source=False, limit=Limit(words=0, bytes=50))
""")
"""Key and cache key of the needs of a metric, as version 0.2.0 of the program made them."""

KEYS += with_extension(
    "functions",
    *rows("""
    external[score=f_beta,decimals=2] => external-external-tp-fp-fn-d2 => ExternalNeeds(title='external', names=('tp', 'fp', 'fn'), decimals=2, source=False)
"""),
)
KEYS += with_extension(
    "nlg",
    *rows("""
    length[strip=end,tok=13a] => overlap-n1-13a-rstrip => OverlapNeeds(tokenization=Tokenization(tokenizer='13a', strip=False, lowercase=False, stemmer='none', strip_end=True), order=1, kinds=(), source=False, source_len=False)
"""),
)


@pytest.mark.parametrize(("text", "key", "cache_key"), KEYS)
def test_keys_of_stored_counts_are_as_they_were(
    text: str, key: str, cache_key: str
) -> None:
    spec = from_text(text).spec
    assert (spec.key, spec.cache_key) == (key, cache_key)
