"""A metric says everything about itself: one with only what it must have can be used everywhere,
and nothing asks which metric it has."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import pipeline
from pipeline.arrays import Floats, Ints
from pipeline.cli.commands.help import help_pages
from pipeline.data import TEXTS, Corpus, open_corpus
from pipeline.data.config import Column, Dataset, System
from pipeline.errors import Problem
from pipeline.execution.count import count_in_memory
from pipeline.extension import missing_extension
from pipeline.metrics import METRICS
from pipeline.metrics.base import Counted, Metric
from pipeline.metrics.base.ngrams import Rule
from pipeline.metrics.base.statistics_spec import Columns, Field, OverlapSpec
from pipeline.metrics.build import from_text
from pipeline.report import FORMATS
from pipeline.tokenizers import Tokenization
from tests.conftest import ROOT, run, write_run
from tests.support.commands import Command
from tests.support.every_metric import EDITS, GOLD, every_metric
from tests.test_structure import FILES, imported


@dataclass(frozen=True)
class Hits(Metric):
    """The share of the output's tokens that the reference has. It has only what a metric must have."""

    name: ClassVar[str] = "hits"
    summary: ClassVar[str] = "the share of tokens that the reference has"
    options = ()

    @property
    def spec(self) -> OverlapSpec:
        return OverlapSpec(Tokenization(), 1, ("match",), source=False)

    @property
    def terms(self) -> tuple[Field, ...]:
        return (Field("size"), Field("hits", per_reference=True))

    def make_terms(self, columns: Columns) -> dict[str, Ints]:
        return {"size": columns["hyp_len"], "hits": columns["match"][..., 0]}

    def score(self, totals: Columns) -> dict[str, Floats]:
        return {
            "hits": totals["hits"] / np.maximum(totals["size"], 1),
            "size": totals["size"].astype(np.float64),
        }

    def sentence_scores(self, columns: Columns) -> Floats:
        shares: Floats = (
            columns["match"][..., 0]
            / np.maximum(columns["hyp_len"], 1)[:, None]
        )
        return shares


@dataclass(frozen=True)
class ToldHits(Hits):
    """The same with all that a metric can say of itself."""

    help_page: ClassVar[str] = "bleu"
    counts: ClassVar[frozenset[str]] = frozenset({"size"})
    table_outputs: ClassVar[str] = "si.e"
    name_in_text: ClassVar[str] = "Hits & Misses"
    citations: ClassVar[tuple[str, ...]] = ("papineni-etal-2002-bleu",)

    def ngram_rule(self) -> Rule:
        return Rule("match", self.spec.tokenization, 1, 1)

    def shown_counts(self, columns: Columns) -> list[Counted]:
        return [
            Counted("match", columns["match"], per_reference=True, orders=True)
        ]

    def row_names(self) -> list[str]:
        return ["tokens"]


@dataclass(frozen=True)
class RuledHits(Hits):
    """The n-grams are shown, and no counts beside them."""

    def ngram_rule(self) -> Rule:
        return Rule("match", self.spec.tokenization, 1, 2)


@pytest.fixture(params=[Hits, ToldHits, RuledHits])
def kind(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> type[Hits]:
    """Each of these metrics in turn, in the table of metrics."""
    monkeypatch.setitem(METRICS, "hits", request.param)
    hits: type[Hits] = request.param
    return hits


@pytest.fixture(params=[False, True], ids=["all references", "some missing"])
def directory(
    request: pytest.FixtureRequest, kind: type[Hits], tmp_path: Path
) -> Path:
    """A run of the metric with statistics."""
    statistics = {"resamples": 50, "trials": 50}
    config = write_run(
        tmp_path,
        systems=["A", "B", "C"],
        chosen=["hits", "gleu[iter=3]"],
        statistics=statistics,
    )
    if request.param:
        first = tmp_path / "d" / "ref0"
        second = tmp_path / "d" / "ref1"
        lines = second.read_text(encoding="utf-8").split("\n")
        for number in range(len(lines) - 1):
            if number % 3:
                lines[number] = ""
        second.write_text("\n".join(lines), encoding="utf-8")
        first.write_text("a b c dog runs\n" * (len(lines) - 1))
        content = json.loads(config.read_bytes())
        content["datasets"]["d"]["empty_references"] = "none"
        config.write_text(json.dumps(content), encoding="utf-8")
    assert kind is METRICS["hits"]
    run(config, tmp_path / "run")
    return tmp_path / "run"


def test_a_minimal_metric_is_run_and_reported_in_every_form(
    directory: Path, kind: type[Hits], tmp_path: Path, command: Command
) -> None:
    results = json.loads((directory / "results.json").read_bytes())
    scores = [s for s in results["scores"] if s["metric"].startswith("hits|")]
    assert all(score["rank"] for score in scores if score["bootstrap"])
    assert all(score["bootstrap"] for score in scores)
    tests = [test["metric"] for test in results["tests"]]
    assert tests.count(scores[0]["metric"]) == 3
    # which is of metrics of users
    for form in (form for form in FORMATS if form != "numbers"):
        if FORMATS[form].package:
            pytest.importorskip(FORMATS[form].package)
        target = tmp_path / form
        command(f"report {directory} --format {form} --output {target}")
        assert list(target.iterdir()), form
    files = ("csv/scores.csv", "markdown/results.md", "latex/results.tex")
    texts = [(tmp_path / name).read_text() for name in files]
    assert all("hits" in text for text in texts)
    assert ("size" in texts[1]) == bool(kind.table_outputs)
    if "plots" in FORMATS:
        assert list((tmp_path / "plots").glob("scores.*hits*"))


def test_a_minimal_metric_is_scored_explained_and_listed(
    kind: type[Hits], command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "data")
    files = "-r reference0.txt reference1.txt -o systems/eager.txt systems/careful.txt"
    assert "hits|nrefs:2|v:" in command(f"score hits {files} --boards").out
    out = command(f"explain hits {files} --line 3").out
    name = "Hits & Misses" if kind is ToldHits else "hits"
    scores = re.findall(r"^  \S.*: hits ([0-9.]+)$", out, re.MULTILINE)
    assert scores[:2] == ["86.67", "80.00"]
    assert out.count(f"\n  {name}: hits ") == 4
    assert ("\n  tokens: match 13\n" in out) == (kind is ToldHits)
    assert ("\n  n=2\n    match " in out) == (kind is RuledHits)
    assert ("\n    other     the · watched\n" in out) == (kind is not Hits)
    command(f"explain hits -s source.txt {files} --compare gleu --line 3")
    assert f"\nhits: {kind.summary}\n" in command("list metrics").out
    assert '"const": "hits"' in command("schema").out
    if kind.help_page:
        command("help hits")
    found = pipeline.evaluate(
        ["a b", "c"], [["a c", "c"], ["x", "b"]], metrics=["hits"]
    )
    assert (found.score, found.sentences.tolist()) == (2 / 3, [0.5, 1.0])


# --- what the metrics of the table say


M2 = """S a b
A 1 2|||R:NOUN|||c|||REQUIRED|||-NONE-|||{0}

S a b c
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{0}

S c
A 0 0|||M:DET|||b|||REQUIRED|||-NONE-|||{0}
"""
"""Three sentences with the edits of one annotator."""


def columns_of(metric: Metric, request: pytest.FixtureRequest) -> Columns:
    """Return the columns of an output; some numbers for a metric that reads files."""
    name = "corpus" if metric.spec.input == TEXTS else "edited"
    corpus: Corpus = request.getfixturevalue(name)
    if metric.reads_files:
        fields = metric.spec.schema(2).fields
        return {field.name: np.ones(corpus.lines, np.int64) for field in fields}
    counted = count_in_memory(corpus, [metric.spec])
    return next(iter(counted["A", metric.spec].blocks()))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Three lines with two references."""
    from pipeline.data import Corpus

    texts = ["a b c d", "a b a b c", ""]
    return Corpus.in_memory(
        {"A": texts},
        [["a b c", "a b", "c"], ["b c d e", "b", "a"]],
        texts[::-1],
    )


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Three lines with the edits of two annotators, who agree, and of an output that makes the same
    edits.
    """
    folder = tmp_path_factory.mktemp("edits")
    one = M2.format(0).split("\n\n")
    two = M2.format(1).split("\n\n")
    blocks = [
        f"{a.strip()}\n{b.strip().partition(chr(10))[2]}"
        for a, b in zip(one, two, strict=True)
    ]
    (folder / "gold.m2").write_text(
        "\n\n".join(blocks) + "\n", encoding="utf-8"
    )
    (folder / "a.m2").write_text(M2.format(0), encoding="utf-8")
    gold = folder / "gold.m2"
    problems = list[Problem]()
    dataset = Dataset(
        name="d", source=None, references=(), m2=gold, gold=(gold,)
    )
    systems = [
        System("A", {"d": Column(kind="m2", path=folder / "a.m2", column="")})
    ]
    # each of an extension that may be deleted
    views = [TEXTS]
    for name in (GOLD, EDITS):
        if not missing_extension("inputs", name):
            views.append(name)
    opened = open_corpus(dataset, systems, problems, views=views)
    assert not problems
    assert opened
    return opened


@pytest.mark.parametrize("text", every_metric())
def test_what_a_metric_says_fits_together(
    text: str, request: pytest.FixtureRequest
) -> None:
    metric = from_text(text)
    columns = columns_of(metric, request)
    assert metric.name_in_text
    page = help_pages()[metric.help_page or metric.name]
    assert page.is_file(), (
        f"write {page}, or let help_page name the page that covers {metric.name}"
    )
    scores = metric.sentence_scores(columns)
    has_two_scores = metric.by_reference or metric.policy == "mean"
    assert scores.shape == (3, 2 if has_two_scores else 1)
    outputs = metric.sentence_outputs(columns)
    assert np.array_equal(next(iter(outputs.values())), scores)
    rows = metric.row_names()
    for count in metric.shown_counts(columns):
        shape: tuple[int, ...] = (3,)
        if count.per_reference:
            shape += (2,)
        if count.orders:
            shape += (len(rows),)
        assert count.values.shape == shape, count.name
        assert metric.by_reference or not count.per_reference
    rule = metric.ngram_rule()
    if rule is not None:
        assert rule.last <= len(rows)
        assert rule.merged != metric.by_reference


@pytest.mark.parametrize("text", every_metric())
def test_the_outputs_that_are_counts_and_no_others_are_whole_numbers(
    text: str, request: pytest.FixtureRequest
) -> None:
    """Those of one sentence with one reference; a score may happen to be whole too."""
    metric = from_text(text)
    if metric.reads_files:
        pytest.skip("its numbers are those of files")
    terms = metric.make_terms(columns_of(metric, request))
    totals = {}
    for field in metric.terms:
        term = terms[field.name][1]
        totals[field.name] = term[1] if field.per_reference else term
    outputs = {
        name: float(value) for name, value in metric.score(totals).items()
    }
    counted = {
        name
        for name in outputs
        if re.sub("_[0-9]+$", "", name) in metric.counts
    }
    for name in counted:
        # a mean of two lengths may be a half
        assert (2 * outputs[name]).is_integer()
    score = next(iter(outputs))
    assert score not in counted
    if metric.in_percent and not metric.lower_is_better:
        assert abs(outputs[score]) <= 1


# --- nothing asks which metric it has

FACES = {
    "metrics/__init__.py",
    "metrics/base/__init__.py",
    "metrics/options/__init__.py",
}
"""Files of metrics/ that the rest of the program may import."""
OUTSIDE = [name for name in FILES if not name.startswith("metrics/")]
OWN_COMMANDS = {
    "extensions/compat/commands/gleu.py",
    "extensions/edits/commands/m2scorer.py",
}
"""Commands that are those of one metric: each may take it from the table."""


def names(node: ast.AST) -> set[str]:
    """Return the names in a piece of program."""
    every = list(ast.walk(node))
    return {n.id for n in every if isinstance(n, ast.Name)} | {
        n.attr for n in every if isinstance(n, ast.Attribute)
    }


def is_named(node: ast.AST) -> bool:
    """Return whether the name of a metric stands in a piece of program as a text."""
    return any(
        item.value in METRICS
        for item in ast.walk(node)
        if isinstance(item, ast.Constant)
    )


def asks(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the lines where a file asks which metric it has, or what a metric might have."""
    classes = {kind.__name__ for kind in METRICS.values()} | {"Metric"}
    for node in ast.walk(tree):
        function = (
            node.func.id
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            else ""
        )
        if (
            isinstance(node, ast.Call)
            and function == "isinstance"
            and names(node.args[1]) & classes
        ):
            yield node.lineno, "isinstance"
        elif isinstance(node, ast.Call) and function in ("getattr", "hasattr"):
            if names(node.args[0]) & {"metric", "measure", "need", "needs"}:
                yield node.lineno, function
        elif (
            isinstance(node, ast.Compare)
            and names(node) & {"name", "metric"}
            and is_named(node)
        ):
            yield node.lineno, "name"
        elif (
            isinstance(node, ast.Subscript)
            and "METRICS" in names(node.value)
            and is_named(node.slice)
        ):
            yield node.lineno, "METRICS"


@pytest.mark.parametrize("name", OUTSIDE)
def test_nothing_outside_asks_which_metric_it_has(name: str) -> None:
    tree = ast.parse(FILES[name].read_text(encoding="utf-8"))
    found = [f"pipeline/{name}:{line}: {what}" for line, what in asks(tree)]
    assert [
        item
        for item in found
        if not (name in OWN_COMMANDS and item.endswith(": METRICS"))
    ] == []
    assert [
        f"pipeline/{name}:{item.line} imports {item.file}"
        for item in imported(name)
        if item.file.startswith("metrics/") and item.file not in FACES
    ] == []


@pytest.mark.parametrize(
    "code",
    [
        "isinstance(metric, Gleu)",
        "isinstance(metric, Chrf | Green)",
        "isinstance(m, (base.Metric, str))",
        'getattr(metric, "order", 0)',
        'hasattr(measured.metric, "order")',
        'metric.name == "gleu"',
        'METRICS["bleu"]',
        'metric.name in ("gleu", "bleu")',
    ],
)
def test_who_asks_is_noticed(code: str) -> None:
    assert list(asks(ast.parse(code)))
