"""Take one sentence apart: show which n-grams match, are penalised or are missing, and the counts.

A matched n-gram is in the output and in the reference. A penalised n-gram is in the output and in
the source, but not in the reference. A missing n-gram is in the reference alone, or more often
there. All other n-grams of the output are named other. --compare takes another metric or variant,
and shows the n-grams that the two count differently.

For m2 it shows the proposed edits with each annotator: those that match one of the annotator's, the
wrong ones, and the annotator's edits that are missing. Numbers are tokens of the source, counted
from 0: the first that is replaced, and the one behind the last.
For ter it shows which blocks of words are shifted, the output after that, and which of its words
differ from those of the reference.
For errant it shows the edits of an annotated output and whether they are right, wrong, or missed by
each annotator. For imeasure it shows the same of each changed token. With --annotator errant
annotates texts first: all lines, as which annotator counts may depend on the lines before; the
result is cached.

examples:
  gec-pipeline explain gleu -s source.txt -r ref0.txt ref1.txt -o system.txt --line 3
  gec-pipeline explain gleu -s source.txt -r ref0.txt -o system.txt --line 3 --compare "gleu[variant=paper]"
  gec-pipeline explain m2 --gold gold.m2 -o system.txt --line 3
  gec-pipeline explain errant -r gold.m2 -o system.m2 --line 3
  gec-pipeline explain errant --annotator auto -s source.txt -r ref0.txt -o system.txt --line 3
  gec-pipeline explain imeasure --gold gold.m2 -o system.txt --line 3
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...data import TEXTS, AnyText, Corpus, completed
from ...errors import ConfigError, InputError, printable
from ...execution import PreparedCounts, count_in_memory, with_computed
from ...extension import ExplainOption, loaded
from ...kernel.common import join_lines
from ...metrics import from_texts
from ...metrics.base import Metric, Rule, StatisticsSpec, Text
from ...prepare import fit
from ...report import AnnotatedEdits
from ...report.tables import output_cell, percent
from ...report.terminal import Bar, print_styled, print_table, print_text
from ..arguments import add_files, open_files

EXAMPLES = "\nexamples:\n"
"""What divides the description of the command from its examples."""
COLOURS = {
    "green": ("match", "added", "removed"),
    "red": ("penalised", "inserted", "kept", "wrong"),
    "yellow": ("shifted", "missing", "lost"),
    "dim": ("other",),
}
STYLES: dict[str, str] = {}
"""The colours of n-grams by their roles."""
for _colour, _roles in COLOURS.items():
    STYLES.update(dict.fromkeys(_roles, _colour))


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "metric",
        metavar="METRIC",
        help="a metric, or a metric with options, such as gleu[n=3]",
    )
    add_files(parser, gold=True)
    parser.add_argument(
        "--line",
        type=int,
        required=True,
        metavar="N",
        help="number of the sentence, from 1",
    )
    parser.add_argument(
        "--compare",
        metavar="METRIC",
        help="a second metric or variant, to be compared with",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the metric, such as a path, which brackets cannot hold; may be repeated",
    )
    parser.add_argument(
        "--annotator",
        metavar="MODEL",
        help="have errant annotate the texts, for errant and cleme: a spaCy pipeline, or auto for "
        "the installed one",
    )
    for option in loaded("explain_options").values():
        option.configure(parser)
        text, examples = str(parser.description).split(EXAMPLES)
        parser.description = (
            f"{text}\n{option.about}\n{EXAMPLES}{examples}  {option.example}\n"
        )


def _metric_options(args: argparse.Namespace) -> dict[str, str]:
    options = {}
    for setting in args.option:
        key, _equals, value = setting.partition("=")
        options[key] = value
    if args.annotator:
        options["annotator"] = args.annotator
    return options


def run(args: argparse.Namespace) -> None:
    texts = [text for text in (args.metric, args.compare) if text]
    metrics = from_texts(texts, _metric_options(args))
    for text, metric in zip(texts, metrics, strict=True):
        if metric.reads_files:
            raise ConfigError(
                f"explain: {metric.name} takes its numbers from files, not from text; found '{text}'"
            )
    views = {metric.spec.input for metric in metrics}
    further_options: list[ExplainOption] = list(
        loaded("explain_options").values()
    )
    for option in further_options:
        views |= option.inputs(args)
    corpus = open_files(
        args,
        quiet=True,
        views=views,
        references=any(metric.spec.references for metric in metrics),
    )
    for metric in metrics:
        if metric.spec.source and corpus.source is None:
            raise ConfigError(f"-s: {metric.name_in_text} needs the source")
    if views != {TEXTS}:
        with Bar(enabled=sys.stderr.isatty()) as bar:
            corpus = completed(corpus, views, 1, bar)
    problems = fit(metrics, [corpus])
    if problems:
        raise InputError(problems)
    if not 1 <= args.line <= corpus.lines:
        raise InputError(
            f"--line: expected 1 to {corpus.lines}, found {args.line}"
        )
    if any(option.run(args, corpus, metrics) for option in further_options):
        return
    others = []
    for metric in metrics:
        if metric.has_verdicts and not metric.explains:
            _judged_edits(corpus, metric, args.line)
        else:
            others.append(metric)
    if others:
        _sentence(corpus, others, args.line)


def _text(text: AnyText, line: int) -> str:
    """Return a line of a text."""
    return text.read(line - 1, line)[0]


def _judged_edits(corpus: Corpus, metric: Metric, line: int) -> None:
    """Print a sentence's edits for each system, with the score and the counts by each annotator."""
    (computed_corpus,) = with_computed([corpus], [metric])
    counted = count_in_memory(computed_corpus, [metric.spec])
    view = corpus.read_by(metric.spec)
    annotator = metric.by_annotator()
    judged = AnnotatedEdits(metric, corpus)
    for name in corpus.systems:
        columns = counted[name, metric.spec]
        edits = judged.of(columns, name, line)
        print_text(f"system  {name}, {Corpus.line_name(line, corpus.ids)}")
        print_text(f"source  {_text(view.source, line) if view.source else ''}")
        print_text(f"output  {_text(corpus.systems[name], line)}")
        by_annotator = judged.line_columns(columns, line)
        counts = annotator.shown_counts(by_annotator)
        scores = annotator.sentence_scores(by_annotator)[0].tolist()
        for number, score in enumerate(scores):
            result = "has no line here"
            if edits.verdicts[number] is not None:
                result = f"{metric.output} {percent(score, 2)}"
                for count in counts:
                    if not count.orders:
                        result += f"  {count.name} {count.values[0, number]:g}"
            mark = "counts" if number == edits.chosen else "      "
            print_text(f"annotator {number}  {mark}  {result}")
        if edits.table[1]:
            print_table(*edits.table, left=range(len(edits.table[0])))
        else:
            print("no edits are compared")
        print()


class Texts(NamedTuple):
    """An output and the texts that it is scored with."""

    source: str | None
    references: Mapping[int, str]
    """References by their numbers: one, or all of the line if the metric counts them together."""
    output: str
    corpus_passes: Mapping[StatisticsSpec, Any]
    """The results of passes over all sentences."""
    line: int

    def as_read(self, spec: StatisticsSpec) -> Text:
        """Return the texts as a specification reads them."""
        source = None
        if self.source is not None:
            source = join_lines([self.source.encode()])
        references = [
            join_lines([text.encode()]) for text in self.references.values()
        ]
        output = join_lines([self.output.encode()])
        rows = np.array([self.line - 1])
        return Text(
            source,
            references,
            [output],
            rows=rows,
            corpus_data=self.corpus_passes.get(spec),
        )


def _texts_of(
    corpus: Corpus,
    present: Sequence[int],
    system: str,
    line: int,
    corpus_passes: Mapping[StatisticsSpec, Any],
) -> Texts:
    """Return the texts of a line, with the references of these numbers."""
    source = _text(corpus.source, line) if corpus.source else None
    references = {
        number: _text(corpus.references[number], line) for number in present
    }
    return Texts(
        source,
        references,
        _text(corpus.systems[system], line),
        corpus_passes,
        line,
    )


def _sentence(corpus: Corpus, metrics: Sequence[Metric], line: int) -> None:
    """Print the counts of a sentence for each system, with each reference or with all together."""
    corpus_passes = {}
    for metric in metrics:
        spec = metric.spec
        if spec.corpus_pass:
            corpus_passes[spec] = PreparedCounts(
                corpus.read_by(spec), spec
            ).corpus_pass_result

    text_readers = [metric for metric in metrics if metric.spec.input == TEXTS]
    counting = [one for one in text_readers if not one.computes_numbers]
    present = [
        n for n in range(len(corpus.references)) if not corpus.lacks(n, line)
    ]
    for name in corpus.systems:
        texts = _texts_of(corpus, present, name, line, corpus_passes)
        print_styled(
            printable(
                f"system     {name}, {Corpus.line_name(line, corpus.ids)}"
            ),
            "bold",
        )
        if texts.source is not None:
            print_styled(f"source     {printable(texts.source)}")
        print_styled(f"output     {printable(texts.output)}")
        if text_readers:
            for number, reference in texts.references.items():
                print_styled(f"reference {number + 1} {printable(reference)}")
                with_one = texts._replace(references={number: reference})
                for metric in counting:
                    if metric.by_reference:
                        _explain(metric, counting[0], with_one)
        for metric in counting:
            if not metric.by_reference:
                _explain(metric, counting[0], texts)
        for metric in metrics:
            if metric not in counting:
                print_styled(f"  {metric.name_in_text}", "bold")
                view = corpus.read_by(metric.spec)
                numbers = (
                    present if view is corpus else range(len(view.references))
                )
                text = _texts_of(
                    view, numbers, name, line, corpus_passes
                ).as_read(metric.spec)
                if not _explained(metric, text):
                    print_styled(f"  {_counted(metric, text)}")


def _explained(metric: Metric, text: Text) -> bool:
    """Print a metric's own explanation of a sentence; return whether there is any."""
    lines = metric.explained(text)
    for role, words in lines:
        if role:
            print_styled(
                f"    {role:<10}{printable(words)}", STYLES.get(role, "")
            )
        else:
            print_styled(f"  {printable(words)}")
    return bool(lines)


def _counted(metric: Metric, text: Text) -> str:
    """Return the counts of a sentence by a metric without an explanation."""
    if metric.computes_numbers:
        output = [line.decode() for line in text.systems[0].texts()]
        columns = metric.spec.prepared(text).count(output, np.arange(1))
    else:
        columns = metric.spec.count(text)[0]
    if metric.corpus_sums:
        return "it weighs each edit by all sentences together, so that a sentence alone has no score"
    outputs = {}
    for name, values in metric.sentence_outputs(columns).items():
        outputs[name] = float(values.flat[0])
    counts = [
        f"{count.name} {count.values.flat[0]:g}"
        for count in metric.shown_counts(columns)
    ]
    if not counts:
        cells = []
        for name, value in outputs.items():
            cells.append(f"{name} {output_cell(value, name, type(metric), 2)}")
        return ", ".join(cells)
    score = percent(next(iter(outputs.values())), 2, metric.name)
    rates = "".join(f" ({line})" for line in _rates(outputs))
    return f"{metric.output} {score}{rates}: {', '.join(counts)}"


def _explain(metric: Metric, first: Metric, texts: Texts) -> None:
    """Print score, counts and n-grams of a metric.

    Unless it is the first one, only n-grams that the first one counts differently.
    """
    columns = metric.spec.count(texts.as_read(metric.spec))[0]
    outputs = {}
    for name, values in metric.sentence_outputs(columns).items():
        outputs[name] = float(values[0, 0])
    # The score.
    counts = metric.shown_counts(columns)
    totals = {count.name: float(count.values.flat[0]) for count in counts}
    title = (
        f"variant {metric.edition}" if metric.edition else metric.name_in_text
    )
    score = percent(next(iter(outputs.values())), 2, metric.name)
    line = f"  {title}: {metric.output} {score}"
    if metric.by_reference and "brevity_penalty" in outputs:
        line += f", brevity penalty {percent(outputs['brevity_penalty'], 2)}"
    if {"hyp_len", "ref_len"} <= totals.keys():
        line += f" ({totals['hyp_len']:g} of {totals['ref_len']:g} tokens)"
    print_styled(line, "bold")
    for rates in _rates(outputs):
        print_styled(f"  {rates}")
    # The counts and n-grams of each order.
    rule = metric.ngram_rule()
    other = None
    if metric is not first:
        other = first.ngram_rule()
        if rule:
            print_styled("  n-grams that it counts differently:")
    by_order = {
        count.name: count.values.reshape(-1) for count in counts if count.orders
    }
    orders = max(map(len, by_order.values()), default=rule.last if rule else 0)
    for n, row in enumerate(metric.row_names()[:orders], 1):
        title = row
        suffix = ""
        if row.isdigit():
            title = f"n={row}"
            suffix = f"_{n}"
        numbers = [
            f"{name}{suffix} {values[n - 1]:g}"
            for name, values in by_order.items()
        ]
        if numbers:
            title += f": {', '.join(numbers)}"
        print_styled(f"  {title}")
        for role, names in _by_role(rule, other, texts, n):
            print_styled(f"    {role:<10}{printable(names)}", STYLES[role])
    _explained(metric, texts.as_read(metric.spec))


def _rates(outputs: Mapping[str, float]) -> list[str]:
    """Return a line with recall and precision for each type that a metric has.

    There is none if it has no recall.
    """
    lines = []
    for recall in outputs:
        if recall.rpartition("_")[2] != "recall":
            continue
        precision = f"{recall.removesuffix('recall')}precision"
        names = [name for name in outputs if name in (recall, precision)]
        type_name = recall.rpartition("_")[0]
        if type_name in outputs:
            names.insert(0, type_name)
        lines.append(
            ", ".join(f"{name} {percent(outputs[name], 2)}" for name in names)
        )
    return lines


def _by_role(
    rule: Rule | None, other: Rule | None, texts: Texts, n: int
) -> Iterator[tuple[str, str]]:
    """Yield each role of n-grams of order n, and the n-grams in it.

    With `other`, only n-grams that it counts differently.
    """
    if rule is None or not rule.first <= n <= rule.last:
        return
    source = rule.grams(texts.source or "", n)
    references = [rule.grams(text, n) for text in texts.references.values()]
    output = rule.grams(texts.output, n)
    other_roles = {}
    if other:
        other_roles = other.roles(source, references, output)
    separator = "" if rule.tokenization.tokenizer == "char" else " "
    for role, counts in rule.roles(source, references, output).items():
        other_counts = other_roles.get(role, Counter())
        names = []
        for gram, count in counts.items():
            if count != other_counts[gram]:
                name = separator.join(gram)
                if count > 1:
                    name += f" ×{count}"  # noqa: RUF001 (the sign is intended)
                names.append(name)
        if names:
            yield role, " · ".join(names)
