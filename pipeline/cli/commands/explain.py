"""Take one sentence apart: which n-grams match, are penalised or are missing, and the columns they add to.

A matched n-gram is in output and reference; a penalised one is in output and source and not in the reference; a missing
one is in the reference alone or more often there; the rest of the output is neither. With --compare another variant:
without --line the sentences where the two differ most, with --line the n-grams that they count differently.

examples:
  gec-pipeline explain gleu -s source.txt -r ref0.txt ref1.txt -o system.txt --line 3
  gec-pipeline explain gleu -s source.txt -r ref0.txt -o system.txt --line 3 --compare "gleu[variant=paper]"
  gec-pipeline explain gleu -s source.txt -r ref0.txt -o system.txt --compare "gleu[variant=2016]" --top 5
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ...api import evaluate_corpus
from ...corpus.corpus import Corpus
from ...corpus.texts import read_texts, text_in_memory
from ...errors import ConfigError, InputError, printable
from ...execution.count import count_in_memory
from ...metrics import METRICS
from ...metrics.base.ngram_roles import grams, parts
from ...metrics.build import from_text
from ...metrics.gleu.metric import Gleu
from ...report.tables.digits import percent
from ..arguments import add_files, open_files

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

STYLES = {"match": "green", "penalised": "red", "missing": "yellow", "other": "dim"}
RULES = {"2017": "gleu", "2016": "gleu", "paper": "paper"}
"""Variants that are explained, and how they count n-grams."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("metric", metavar="METRIC", help="gleu, or gleu with options (variants 2017, 2016, paper)")
    add_files(parser)
    parser.add_argument("--line", type=int, metavar="N", help="number of the sentence, from 1")
    parser.add_argument("--compare", metavar="METRIC", help="another variant to hold beside")
    parser.add_argument("--top", type=int, default=10, metavar="N", help="with --compare: how many sentences (10)")


def run(args: argparse.Namespace) -> int:
    """Explain a sentence, or list the sentences where two variants differ."""
    metrics = [_gleu(args.metric), *([_gleu(args.compare)] if args.compare else [])]
    corpus = open_files(args, quiet=True)
    if corpus.source is None:
        raise ConfigError("-s: GLEU+ needs the source")
    if args.line is None and not args.compare:
        raise ConfigError("--line: which sentence? (or --compare METRIC for those where two variants differ)")
    if args.line is None:
        _differences(corpus, metrics, args.top)
    elif not 1 <= args.line <= corpus.lines:
        raise InputError(f"--line: expected 1 to {corpus.lines}, found {args.line}")
    else:
        _sentence(corpus, metrics, args.line)
    return 0


def _gleu(text: str) -> Gleu:
    metric = from_text(text)
    if not isinstance(metric, Gleu) or metric.variant not in RULES:
        known = ", ".join(f"gleu[variant={variant}]" for variant in RULES)
        raise ConfigError(f"explain: expected one of {known}; found '{text}' (metrics: {', '.join(METRICS)})")
    return metric


def _differences(corpus: Corpus, metrics: Sequence[Gleu], top: int) -> None:
    """Print the sentences whose scores differ most between two variants."""
    results = [evaluate_corpus(corpus, [metric]) for metric in metrics]
    for one, other in zip(*results, strict=True):
        difference = other.sentences - one.sentences
        print(printable(f"{one.system}: {percent(one.score, 4)} and {percent(other.score, 4)}"))
        print(f"  {metrics[0].variant} = {one.signature}\n  {metrics[1].variant} = {other.signature}")
        order = np.argsort(-np.abs(difference), kind="stable")[:top]
        for line in order[difference[order] != 0].tolist():
            scores = f"{percent(one.sentences[line], 2):>7}{percent(other.sentences[line], 2):>8}"
            output = read_texts(corpus.systems[one.system], line, line + 1)[0]
            print(f"  line {line + 1:>6}:{scores}  {_one_line(output)}")
        print(f"  {int((difference != 0).sum())} of {len(difference)} sentences differ")


def _one_line(text: str, width: int = 70) -> str:
    text = printable(text.replace("\n", " "))
    return text if len(text) <= width else text[: width - 3] + "..."


def _sentence(corpus: Corpus, metrics: Sequence[Gleu], line: int) -> None:
    """Print every n-gram of a sentence by what it counts as, for each system and reference."""
    texts = [read_texts(text, line - 1, line)[0] for text in corpus.texts()]
    source, references = texts[0], texts[1 : 1 + len(corpus.references)]
    for name, output in zip(corpus.systems, texts[1 + len(references) :], strict=True):
        _say(f"system     {name}, line {line}", "bold")
        _say(f"source     {printable(source)}")
        _say(f"output     {printable(output)}")
        for number, reference in enumerate(references):
            _say(f"reference {number} {printable(reference)}")
            for metric in metrics:
                _reference(metric, source, reference, output, metrics[0] if metric is not metrics[0] else None)


def _reference(metric: Gleu, source: str, reference: str, output: str, other: Gleu | None) -> None:
    tokens = [metric.needs.tokenization.tokens(text) for text in (source, reference, output)]
    _say(f"  variant {metric.variant}{_summary(metric, source, reference, output)}", "bold")
    if other:
        _say("  n-grams that it counts differently:")
    for n in range(1, metric.order + 1):
        sigma, rho, eta = (grams(text, n) for text in tokens)
        found = parts(RULES[metric.variant], sigma, rho, eta)
        match, penalty = (sum(found[kind].values()) for kind in ("match", "penalised"))
        numer = match - penalty if metric.variant == "paper" and metric.clip == "none" else max(match - penalty, 0)
        total = sum(eta.values())
        _say(f"  n={n}: match_{n} {match}, penalty_{n} {penalty}, numer_{n} {numer}, total_{n} {total}")
        before = parts(RULES[other.variant], sigma, rho, eta) if other else {kind: Counter() for kind in found}
        for kind, counted in found.items():
            shown = {gram: count for gram, count in counted.items() if count != before[kind][gram]}
            if shown:
                listed = " · ".join(_name(metric, gram, count) for gram, count in shown.items())
                _say(f"    {kind:<10}{printable(listed)}", STYLES[kind])


def _summary(metric: Gleu, source: str, reference: str, output: str) -> str:
    """Return score, brevity penalty and lengths of the sentence with one reference."""
    texts = [text_in_memory("text", [text]) for text in (source, reference, output)]
    corpus = Corpus(name="sentence", lines=1, source=texts[0], references=(texts[1],), systems={"output": texts[2]})
    needs = metric.needs
    columns = next(iter(count_in_memory(corpus, [needs])["output", needs].blocks()))
    outputs = {name: float(values[0, 0]) for name, values in metric.sentence_outputs(columns).items()}
    lengths = f"{outputs['hyp_len']:.0f} of {outputs['ref_len']:.0f} tokens"
    return f": gleu {percent(outputs['gleu'], 2)}, brevity penalty {percent(outputs['brevity_penalty'], 2)} ({lengths})"


def _name(metric: Gleu, gram: tuple[str, ...], count: int) -> str:
    joined = ("" if metric.unit == "char" else " ").join(gram)
    return f"{joined} ×{count}" if count > 1 else joined  # noqa: RUF001 (the multiplication sign is meant)


def _say(text: str, style: str = "") -> None:
    """Print a line, in colour on a terminal."""
    if style and sys.stdout.isatty():
        from rich.console import Console
        from rich.text import Text

        Console(soft_wrap=True, highlight=False).print(Text(text, style=style))
    else:
        print(text)
