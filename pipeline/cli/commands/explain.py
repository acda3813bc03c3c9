"""Take one sentence apart: show which n-grams match, are penalised or are missing, and what they add to the counts.

A matched n-gram is in the output and in the reference. A penalised n-gram is in the output and in the source, and not
in the reference. A missing n-gram is in the reference alone, or more often there. All other n-grams of the output are
called other. --compare names another metric or variant. With --line it shows the n-grams that the two count
differently, and without --line the sentences where the two differ most.

Of m2 it shows the proposed edits with each annotator: those that match one of the annotator's, the wrong ones, and
the annotator's edits that are missing. Numbers are tokens of the source, counted from 0: the first that is replaced,
and the one behind the last.
Of ter it shows which blocks of words are shifted, what the output then is, and which of its words are not those of the
reference.
Of errant it shows the edits of an annotated output with what each annotator says of them: right, wrong, or missed. Of
imeasure it shows the same of each changed token.

examples:
  gec-pipeline explain gleu -s source.txt -r ref0.txt ref1.txt -o system.txt --line 3
  gec-pipeline explain gleu -s source.txt -r ref0.txt -o system.txt --line 3 --compare "gleu[variant=paper]"
  gec-pipeline explain gleu -s source.txt -r ref0.txt -o system.txt --compare "gleu[variant=2016]" --top 5
  gec-pipeline explain m2 --gold gold.m2 -o system.txt --line 3
  gec-pipeline explain errant -r gold.m2 -o system.m2 --line 3
  gec-pipeline explain imeasure --gold gold.m2 -o system.txt --line 3
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...api import evaluate_corpus
from ...corpus.corpus import Corpus
from ...corpus.texts import read_texts, text_in_memory
from ...errors import ConfigError, InputError, printable
from ...execution.count import count_in_memory
from ...kernel.lines import join_lines
from ...metrics.base.capabilities import data_set_columns, edit_judge, explainer, reads_files, row_names, shown_ngrams
from ...metrics.base.metric import Text
from ...metrics.base.ngram_roles import grams, merged, roles
from ...metrics.base.views import TEXTS
from ...metrics.build import from_text
from ...prepare import fit
from ...report.tables.digits import percent
from ..arguments import add_files, open_files
from ..explained_edits import explain_edits

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from ...metrics.base.columns import Columns
    from ...metrics.base.metric import Metric
    from ...metrics.base.ngram_roles import Grams, Rule

STYLES = {
    "match": "green",
    "removed": "green",
    "penalised": "red",
    "inserted": "red",
    "kept": "red",
    "wrong": "red",
    "shifted": "yellow",
    "missing": "yellow",
    "lost": "yellow",
    "other": "dim",
}
"""The colours of n-grams, by what they count as."""


class Texts(NamedTuple):
    """An output and the texts that it is scored with."""

    source: str | None
    references: Sequence[str]
    """One reference, or all references where the metric counts them together."""
    output: str

    @property
    def every(self) -> list[str | None]:
        """The source, the references and the output."""
        return [self.source, *self.references, self.output]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("metric", metavar="METRIC", help="a metric, or a metric with options, such as gleu[n=3]")
    add_files(parser, gold=True)
    parser.add_argument("--line", type=int, metavar="N", help="number of the sentence, from 1")
    parser.add_argument("--compare", metavar="METRIC", help="a second metric or variant, to be compared with")
    parser.add_argument(
        "--top", type=int, default=10, metavar="N", help="with --compare: how many sentences (default: 10)"
    )


def run(args: argparse.Namespace) -> int:
    """Explain a sentence, or list the sentences where two metrics differ."""
    metrics = [_metric(text) for text in (args.metric, args.compare) if text]
    corpus = open_files(args, quiet=True, views={metric.needs.input for metric in metrics})
    if problems := fit(metrics, [corpus]):
        raise InputError(problems)
    for metric in metrics:
        if metric.needs.source and corpus.source is None:
            raise ConfigError(f"-s: {metric.name_in_text} needs the source")
    if args.line is None and not args.compare:
        raise ConfigError("--line: which sentence? (or --compare METRIC for those where two variants differ)")
    if args.line is None:
        _differences(corpus, metrics, args.top)
    elif not 1 <= args.line <= corpus.lines:
        raise InputError(f"--line: expected 1 to {corpus.lines}, found {args.line}")
    else:
        with_verdicts = [metric for metric in metrics if edit_judge(metric) and not explainer(metric)]
        for metric in with_verdicts:
            explain_edits(corpus, metric, args.line)
        if others := [metric for metric in metrics if metric not in with_verdicts]:
            _sentence(corpus, others, args.line)
    return 0


def _metric(text: str) -> Metric:
    metric = from_text(text)
    if reads_files(metric):
        raise ConfigError(f"explain: {metric.name} takes its numbers from files, not from text; found '{text}'")
    return metric


def _differences(corpus: Corpus, metrics: Sequence[Metric], top: int) -> None:
    """Print the sentences whose scores differ most between two metrics."""
    evaluations = [evaluate_corpus(corpus, [metric]) for metric in metrics]
    for first, second in zip(*evaluations, strict=True):
        difference = second.sentences - first.sentences
        print(printable(f"{first.system}: {percent(first.score, 4)} and {percent(second.score, 4)}"))
        for metric, result in zip(metrics, (first, second), strict=True):
            print(f"  {metric.edition or metric.output} = {result.signature}")
        order = np.argsort(-np.abs(difference), kind="stable")[:top]
        for line in order[difference[order] != 0].tolist():
            scores = f"{percent(first.sentences[line], 2):>7}{percent(second.sentences[line], 2):>8}"
            output = read_texts(corpus.systems[first.system], line, line + 1)[0]
            print(f"  line {line + 1:>6}:{scores}  {_one_line(output)}")
        print(f"  {int((difference != 0).sum())} of {len(difference)} sentences differ")


def _one_line(text: str, width: int = 70) -> str:
    text = printable(text.replace("\n", " "))
    return text if len(text) <= width else text[: width - 3] + "..."


def _sentence(corpus: Corpus, metrics: Sequence[Metric], line: int) -> None:
    """Print what each metric counts of a sentence, for each system, with each reference or with all together."""
    texts = [read_texts(text, line - 1, line)[0] for text in corpus.texts()]
    source = texts.pop(0) if corpus.source else None
    references = texts[: len(corpus.references)]
    of_texts = [metric for metric in metrics if metric.needs.input == TEXTS]
    for name, output in zip(corpus.systems, texts[len(references) :], strict=True):
        _say(f"system     {name}, line {line}", "bold")
        if source is not None:
            _say(f"source     {printable(source)}")
        _say(f"output     {printable(output)}")
        for number, reference in enumerate(references if of_texts else ()):
            _say(f"reference {number} {printable(reference)}")
            _explain(
                [metric for metric in of_texts if metric.by_reference], of_texts, Texts(source, [reference], output)
            )
        _explain(
            [metric for metric in of_texts if not metric.by_reference], of_texts, Texts(source, references, output)
        )
        for metric in metrics:
            if metric not in of_texts:
                _explain_edits(metric, corpus.read_by(metric.needs), name, line)


def _explain_edits(metric: Metric, corpus: Corpus, system: str, line: int) -> None:
    """Print what a metric of edits says of a sentence; `corpus` is as the metric reads it."""
    texts = [corpus.source, *corpus.references, corpus.systems[system]]
    read = [
        join_lines([text.encode() for text in read_texts(item, line - 1, line)]) if item else None for item in texts
    ]
    _say(f"  {metric.name_in_text}", "bold")
    source, *references, output = read
    text = Text(source, [item for item in references if item], [output] if output else [])
    own = explainer(metric)
    for role, said in (own and own.explained(text)) or [("", _counted(metric, text))]:
        _say(f"    {role:<10}{printable(said)}" if role else f"  {printable(said)}", STYLES.get(role, ""))


def _counted(metric: Metric, text: Text) -> str:
    """Return the counts of a sentence by a metric that does not explain more of it."""
    columns = metric.needs.count(text)[0]
    if data_set_columns(metric).whole_sums:
        return "it weighs each edit by all sentences together, so that a sentence alone has no score"
    counts = [f"{count.name} {count.values.flat[0]:g}" for count in metric.shown_counts(columns)]
    outputs = {name: float(values.flat[0]) for name, values in metric.sentence_outputs(columns).items()}
    rates = "".join(f" ({line})" for line in _rates(outputs))
    return f"{metric.output} {percent(next(iter(outputs.values())), 2)}{rates}: {', '.join(counts)}"


def _explain(shown: Sequence[Metric], metrics: Sequence[Metric], texts: Texts) -> None:
    """Print score, counts and n-grams of the metrics `shown`. Of the second metric, only n-grams that differ."""
    for metric in shown:
        columns = _columns(metric, texts)
        outputs = {name: float(values[0, 0]) for name, values in metric.sentence_outputs(columns).items()}
        _say(f"  {_heading(metric, columns, outputs)}", "bold")
        for rates in _rates(outputs):
            _say(f"  {rates}")
        other = metrics[0] if metric is not metrics[0] else None
        if other and shown_ngrams(metric).ngram_rule():
            _say("  n-grams that it counts differently:")
        for n, line in _counts(metric, columns):
            _say(line)
            for kind, names in _by_role(metric, other, texts, n):
                _say(f"    {kind:<10}{printable(names)}", STYLES[kind])
        source, *lines = [None if text is None else join_lines([text.encode()]) for text in texts.every]
        read = [line for line in lines if line]
        own = explainer(metric)
        for role, said in own.explained(Text(source, read[:-1], read[-1:])) if own else ():
            _say(f"    {role:<10}{printable(said)}" if role else f"  {printable(said)}", STYLES.get(role, ""))


def _columns(metric: Metric, texts: Texts) -> Columns:
    """Return the columns that a metric counts of one sentence."""
    source = text_in_memory("text", [texts.source]) if texts.source is not None else None
    references = tuple(text_in_memory("text", [text]) for text in texts.references)
    corpus = Corpus(
        name="sentence",
        lines=1,
        source=source,
        references=references,
        systems={"output": text_in_memory("text", [texts.output])},
    )
    return next(iter(count_in_memory(corpus, [metric.needs])["output", metric.needs].blocks()))


def _heading(metric: Metric, columns: Columns, outputs: Mapping[str, float]) -> str:
    """Return the name and the score of a metric, and the brevity penalty and the lengths if the metric has them."""
    apart = metric.by_reference and "brevity_penalty" in outputs
    penalty = f", brevity penalty {percent(outputs['brevity_penalty'], 2)}" if apart else ""
    counts = {count.name: float(count.values.flat[0]) for count in metric.shown_counts(columns)}
    has_lengths = {"hyp_len", "ref_len"} <= counts.keys()
    lengths = f" ({counts['hyp_len']:g} of {counts['ref_len']:g} tokens)" if has_lengths else ""
    title = f"variant {metric.edition}" if metric.edition else metric.name_in_text
    return f"{title}: {metric.output} {percent(next(iter(outputs.values())), 2)}{penalty}{lengths}"


def _rates(outputs: Mapping[str, float]) -> list[str]:
    """Return lines with recall and precision, one for each type that a metric has; none where it has no recall."""
    rates = [name for name in outputs if name.rpartition("_")[2] in ("recall", "precision")]
    lines = []
    for stem in dict.fromkeys(name.rpartition("_")[0] for name in rates if name.endswith("recall")):
        own = [stem, *(name for name in rates if name.rpartition("_")[0] == stem)]
        lines.append(", ".join(f"{name} {percent(outputs[name], 2)}" for name in own if name in outputs))
    return lines


def _counts(metric: Metric, columns: Columns) -> Iterator[tuple[int, str]]:
    """Yield each order, and a line with the counts that are shown of the order."""
    counts = {count.name: count.values.reshape(-1) for count in metric.shown_counts(columns) if count.orders}
    rule = shown_ngrams(metric).ngram_rule()
    rows = row_names(metric)[: max(map(len, counts.values()), default=rule.last if rule else 0)]
    for n, row in enumerate(rows, 1):
        title, end = (f"n={row}", f"_{n}") if row.isdigit() else (row, "")
        numbers = ", ".join(f"{name}{end} {values[n - 1]:g}" for name, values in counts.items())
        yield n, f"  {title}: {numbers}" if numbers else f"  {title}"


def _by_role(metric: Metric, other: Metric | None, texts: Texts, n: int) -> Iterator[tuple[str, str]]:
    """Yield each role of n-grams of order n, and the n-grams in it. With `other` only n-grams that differ are named."""
    rule, other_rule = shown_ngrams(metric).ngram_rule(), shown_ngrams(other).ngram_rule() if other else None
    if rule is None or not rule.first <= n <= rule.last:
        return
    other_roles = _roles(other_rule, rule, texts, n) if other_rule else {}
    for kind, counted in _roles(rule, rule, texts, n).items():
        counted_by_other = other_roles.get(kind, Counter())
        shown = {gram: count for gram, count in counted.items() if count != counted_by_other[gram]}
        if shown:
            yield kind, " · ".join(_name(rule, gram, count) for gram, count in shown.items())


def _roles(rule: Rule, read_by: Rule, texts: Texts, n: int) -> dict[str, Grams]:
    """Return the n-grams of order n by their roles under a rule. `read_by` is the rule that makes the tokens."""

    def ngrams(text: str) -> Grams:
        return grams(read_by.tokenization.tokens(text), n)

    sigma = ngrams(texts.source) if texts.source is not None else Counter()
    return roles(rule.name, sigma, merged([ngrams(text) for text in texts.references]), ngrams(texts.output))


def _name(rule: Rule, gram: tuple[str, ...], count: int) -> str:
    joined = ("" if rule.tokenization.tokenizer == "char" else " ").join(gram)
    return f"{joined} ×{count}" if count > 1 else joined  # noqa: RUF001 (the multiplication sign is meant)


def _say(text: str, style: str = "") -> None:
    """Print a line, in colour on a terminal."""
    if style and sys.stdout.isatty():
        from rich.console import Console
        from rich.text import Text

        Console(soft_wrap=True, highlight=False).print(Text(text, style=style))
    else:
        print(text)
