"""Take one sentence apart: show which n-grams match, are penalised or are missing, and what they add to the counts.

A matched n-gram is in the output and in the reference. A penalised n-gram is in the output and in the source, and not
in the reference. A missing n-gram is in the reference alone, or more often there. All other n-grams of the output are
called other. --compare names another metric or variant, and shows the n-grams that the two count differently.

Of m2 it shows the proposed edits with each annotator: those that match one of the annotator's, the wrong ones, and
the annotator's edits that are missing. Numbers are tokens of the source, counted from 0: the first that is replaced,
and the one behind the last.
Of ter it shows which blocks of words are shifted, what the output then is, and which of its words are not those of the
reference.
Of errant it shows the edits of an annotated output with what each annotator says of them: right, wrong, or missed. Of
imeasure it shows the same of each changed token. With --annotator errant annotates texts first: all lines, as which
annotator counts may depend on the lines before; what it gives is kept.

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

from ...data.corpus import Corpus
from ...data.input_readers import completed
from ...data.inputs import TEXTS
from ...data.texts import called, read_texts
from ...errors import ConfigError, InputError, printable
from ...execution.count import PreparedCounts, count_in_memory
from ...execution.function_metrics import Computing, with_computed
from ...extension import ExplainOption, loaded
from ...kernel.common import join_lines
from ...metrics.base import capabilities
from ...metrics.base.capabilities import Rule, edit_judge, explainer
from ...metrics.base.metric import Metric
from ...metrics.base.statistics_spec import StatisticsSpec, Text
from ...metrics.build import from_texts
from ...prepare import fit
from ...report.sentence import annotator_columns, edits_of
from ...report.tables import percent
from ...report.tables.ranked import output_cell
from ...report.terminal.printing import print_styled, print_table, print_text
from ...report.terminal.progress import Bar
from ..arguments import add_files, open_files

EXAMPLES = "\nexamples:\n"
"""What divides the description of the command from its examples."""
COLOURS = {
    "green": ("match", "added", "removed"),
    "red": ("penalised", "inserted", "kept", "wrong"),
    "yellow": ("shifted", "missing", "lost"),
    "dim": ("other",),
}
STYLES = {role: colour for colour, roles in COLOURS.items() for role in roles}
"""The colours of n-grams, by what they count as."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "metric", metavar="METRIC", help="a metric, or a metric with options, such as gleu[n=3]"
    )
    add_files(parser, gold=True)
    parser.add_argument(
        "--line", type=int, required=True, metavar="N", help="number of the sentence, from 1"
    )
    parser.add_argument(
        "--compare", metavar="METRIC", help="a second metric or variant, to be compared with"
    )
    meaning = "an option of the metric, such as a path, which brackets cannot hold; may be repeated"
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE", help=meaning)
    meaning = "have errant annotate the texts, for errant and cleme: a spaCy pipeline, or auto for the installed one"
    parser.add_argument("--annotator", metavar="MODEL", help=meaning)
    for option in loaded("explain_options").values():
        option.configure(parser)
        text, examples = str(parser.description).split(EXAMPLES)
        parser.description = f"{text}\n{option.about}\n{EXAMPLES}{examples}  {option.example}\n"


def run(args: argparse.Namespace) -> None:
    texts = list(filter(None, (args.metric, args.compare)))
    options = dict(setting.partition("=")[::2] for setting in args.option)
    metrics = from_texts(texts, options | ({"annotator": args.annotator} if args.annotator else {}))
    for text, metric in zip(texts, metrics, strict=True):
        if capabilities.reads_files(metric):
            raise ConfigError(
                f"explain: {metric.name} takes its numbers from files, not from text; found '{text}'"
            )
    views = {metric.spec.input for metric in metrics}
    further_options: list[ExplainOption] = list(loaded("explain_options").values())
    for option in further_options:
        views |= option.inputs(args)
    corpus = open_files(
        args, quiet=True, views=views, references=any(metric.spec.references for metric in metrics)
    )
    for metric in metrics:
        if metric.spec.source and corpus.source is None:
            raise ConfigError(f"-s: {metric.name_in_text} needs the source")
    if views != {TEXTS}:
        with Bar(enabled=sys.stderr.isatty()) as bar:
            corpus = completed(corpus, views, 1, bar)
    if problems := fit(metrics, [corpus]):
        raise InputError(problems)
    if not 1 <= args.line <= corpus.lines:
        raise InputError(f"--line: expected 1 to {corpus.lines}, found {args.line}")
    if any(option.run(args, corpus, metrics) for option in further_options):
        return
    judges = {
        metric: judge
        for metric in metrics
        if (judge := edit_judge(metric)) and not explainer(metric)
    }
    for metric, judge in judges.items():
        _judged_edits(corpus, metric, judge, args.line)
    if others := [metric for metric in metrics if metric not in judges]:
        _sentence(corpus, others, args.line)


def _judged_edits(
    corpus: Corpus, metric: Metric, judge: capabilities.JudgesEdits, line: int
) -> None:
    """Print the edits of a sentence of each system, with the score and the counts by each
    annotator.
    """
    (whole,) = with_computed([corpus], [metric], Computing())
    counted = count_in_memory(whole, [metric.spec])
    view, annotator = corpus.read_by(metric.spec), capabilities.by_annotator(metric)
    for name in corpus.systems:
        columns = counted[name, metric.spec]
        edits = edits_of(metric, judge, corpus, columns, name, line)
        print_text(f"system  {name}, {called(line, corpus.ids)}")
        print_text(f"source  {read_texts(view.source, line - 1, line)[0] if view.source else ''}")
        print_text(f"output  {read_texts(corpus.systems[name], line - 1, line)[0]}")
        own = annotator_columns(metric, columns, line, corpus)
        counts = [count for count in annotator.shown_counts(own) if not count.orders]
        for number, score in enumerate(annotator.sentence_scores(own)[0].tolist()):
            shown = "  ".join(f"{count.name} {count.values[0, number]:g}" for count in counts)
            said = "has no line here"
            if edits.verdicts[number] is not None:
                said = f"{metric.output} {percent(score, 2)}  {shown}"
            print_text(
                f"annotator {number}  {'counts' if number == edits.chosen else '      '}  {said}"
            )
        if edits.table[1]:
            print_table(*edits.table, left=range(len(edits.table[0])))
        else:
            print("no edits are compared")
        print()


class Texts(NamedTuple):
    """An output and the texts that it is scored with."""

    source: str | None
    references: Mapping[int, str]
    """One reference by its number, or all that the line has where the metric counts them together.
    """
    output: str
    whole: Mapping[StatisticsSpec, Any]
    """What the surveys of needs have found in all sentences."""
    line: int

    def as_read(self, spec: StatisticsSpec) -> Text:
        """Return the same as needs read it."""
        texts = (self.source or "", *self.references.values(), self.output)
        source, *references, output = (join_lines([text.encode()]) for text in texts)
        given = None if self.source is None else source
        return Text(
            given, references, [output], rows=np.array([self.line - 1]), whole=self.whole.get(spec)
        )


def _sentence(corpus: Corpus, metrics: Sequence[Metric], line: int) -> None:
    """Print what each metric counts of a sentence, for each system, with each reference or with all
    together.
    """

    def texts_of(view: Corpus, system: str) -> Texts:
        source = read_texts(view.source, line - 1, line)[0] if view.source else None
        there = [
            n
            for n in range(len(view.references))
            if view is not corpus or not corpus.lacks(n, line)
        ]
        references = {n: read_texts(view.references[n], line - 1, line)[0] for n in there}
        return Texts(
            source, references, read_texts(view.systems[system], line - 1, line)[0], whole, line
        )

    weighed = [metric.spec for metric in metrics if metric.spec.corpus_pass]
    whole = {
        spec: PreparedCounts(corpus.read_by(spec), spec).corpus_pass_result for spec in weighed
    }
    read = [metric for metric in metrics if metric.spec.input == TEXTS]
    of_texts = [metric for metric in read if not capabilities.computes_numbers(metric)]
    for name in corpus.systems:
        texts = texts_of(corpus, name)
        print_styled(printable(f"system     {name}, {called(line, corpus.ids)}"), "bold")
        if texts.source is not None:
            print_styled(f"source     {printable(texts.source)}")
        print_styled(f"output     {printable(texts.output)}")
        for number, reference in (texts.references if read else {}).items():
            print_styled(f"reference {number + 1} {printable(reference)}")
            for metric in of_texts:
                if metric.by_reference:
                    _explain(metric, of_texts[0], texts._replace(references={number: reference}))
        for metric in of_texts:
            if not metric.by_reference:
                _explain(metric, of_texts[0], texts)
        for metric in metrics:
            if metric not in of_texts:
                print_styled(f"  {metric.name_in_text}", "bold")
                text = texts_of(corpus.read_by(metric.spec), name).as_read(metric.spec)
                if not _explained(metric, text):
                    print_styled(f"  {_counted(metric, text)}")


def _explained(metric: Metric, text: Text) -> bool:
    """Print what a metric itself says of a sentence; return whether it says anything."""
    own = explainer(metric)
    lines = list(own.explained(text)) if own else []
    for role, said in lines:
        print_styled(
            f"    {role:<10}{printable(said)}" if role else f"  {printable(said)}",
            STYLES.get(role, ""),
        )
    return bool(lines)


def _counted(metric: Metric, text: Text) -> str:
    """Return the counts of a sentence by a metric that does not explain more of it."""
    columns = capabilities.columns_of(metric, text)
    if capabilities.data_set_columns(metric).whole_sums:
        return (
            "it weighs each edit by all sentences together, so that a sentence alone has no score"
        )
    counts = [f"{count.name} {count.values.flat[0]:g}" for count in metric.shown_counts(columns)]
    outputs = {
        name: float(values.flat[0]) for name, values in metric.sentence_outputs(columns).items()
    }
    rates = "".join(f" ({line})" for line in _rates(outputs))
    if not counts:
        return ", ".join(
            f"{name} {output_cell(value, name, type(metric), 2)}" for name, value in outputs.items()
        )
    return f"{metric.output} {percent(next(iter(outputs.values())), 2, metric.name)}{rates}: {', '.join(counts)}"


def _explain(metric: Metric, first: Metric, texts: Texts) -> None:
    """Print score, counts and n-grams of a metric. Unless it is the first one, only n-grams that
    differ from its.
    """
    columns = metric.spec.count(texts.as_read(metric.spec))[0]
    outputs = {
        name: float(values[0, 0]) for name, values in metric.sentence_outputs(columns).items()
    }
    shown = metric.shown_counts(columns)
    singles = {count.name: float(count.values.flat[0]) for count in shown}
    title = f"variant {metric.edition}" if metric.edition else metric.name_in_text
    penalty, lengths = "", ""
    if metric.by_reference and "brevity_penalty" in outputs:
        penalty = f", brevity penalty {percent(outputs['brevity_penalty'], 2)}"
    if {"hyp_len", "ref_len"} <= singles.keys():
        lengths = f" ({singles['hyp_len']:g} of {singles['ref_len']:g} tokens)"
    score = percent(next(iter(outputs.values())), 2, metric.name)
    print_styled(f"  {title}: {metric.output} {score}{penalty}{lengths}", "bold")
    for rates in _rates(outputs):
        print_styled(f"  {rates}")
    rule = capabilities.shown_ngrams(metric).ngram_rule()
    other = capabilities.shown_ngrams(first).ngram_rule() if metric is not first else None
    if metric is not first and rule:
        print_styled("  n-grams that it counts differently:")
    counts = {count.name: count.values.reshape(-1) for count in shown if count.orders}
    rows = capabilities.row_names(metric)[
        : max(map(len, counts.values()), default=rule.last if rule else 0)
    ]
    for n, row in enumerate(rows, 1):
        title, end = (f"n={row}", f"_{n}") if row.isdigit() else (row, "")
        numbers = ", ".join(f"{name}{end} {values[n - 1]:g}" for name, values in counts.items())
        print_styled(f"  {title}: {numbers}" if numbers else f"  {title}")
        for role, names in _by_role(rule, other, texts, n):
            print_styled(f"    {role:<10}{printable(names)}", STYLES[role])
    _explained(metric, texts.as_read(metric.spec))


def _rates(outputs: Mapping[str, float]) -> list[str]:
    """Return lines with recall and precision, one for each type that a metric has; none where it
    has no recall.
    """
    rates = [name for name in outputs if name.rpartition("_")[2] in ("recall", "precision")]
    lines = []
    for stem in dict.fromkeys(name.rpartition("_")[0] for name in rates if name.endswith("recall")):
        own = [stem, *(name for name in rates if name.rpartition("_")[0] == stem)]
        lines.append(
            ", ".join(f"{name} {percent(outputs[name], 2)}" for name in own if name in outputs)
        )
    return lines


def _by_role(
    rule: Rule | None, other: Rule | None, texts: Texts, n: int
) -> Iterator[tuple[str, str]]:
    """Yield each role of n-grams of order n, and the n-grams in it. With `other` only n-grams that
    differ are named.
    """
    if rule is None or not rule.first <= n <= rule.last:
        return

    def ngrams(text: str) -> Counter[tuple[str, ...]]:
        return capabilities.grams(rule.tokenization.tokens(text), n)

    sigma = ngrams(texts.source) if texts.source is not None else Counter()
    union, output = (
        capabilities.merged([ngrams(text) for text in texts.references.values()]),
        ngrams(texts.output),
    )
    other_roles = capabilities.roles(other.name, sigma, union, output) if other else {}
    between = "" if rule.tokenization.tokenizer == "char" else " "
    for role, counted in capabilities.roles(rule.name, sigma, union, output).items():
        counted_by_other = other_roles.get(role, Counter())
        named = [
            f"{between.join(gram)} ×{count}" if count > 1 else between.join(gram)  # noqa: RUF001 (the sign is meant)
            for gram, count in counted.items()
            if count != counted_by_other[gram]
        ]
        if named:
            yield role, " · ".join(named)
