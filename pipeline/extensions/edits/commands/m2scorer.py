"""Score an output as m2scorer does (MaxMatch, the scorer of CoNLL-2013 and 2014): the same options
and output lines.

OUTPUT is a text with a sentence in each line. GOLD is an M2 file, whatever its name. With -v each
sentence is shown with each annotator: edits, counts so far, and which annotator was chosen. For
several systems, intervals and tests there is `gec-pipeline score m2 --gold GOLD -o a.txt b.txt`;
`gec-pipeline help maxmatch` says what is computed, and which files are read otherwise.

examples:
  gec-pipeline m2scorer output.txt gold.m2
  gec-pipeline m2scorer -v --beta 1 output.txt gold.m2
  gec-pipeline m2scorer --max_unchanged_words 0 --ignore_whitespace_casing output.txt gold.m2
  gec-pipeline m2scorer --code 3.2 output.txt gold.m2
"""

import argparse
import operator
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pipeline.api import evaluate_corpus
from pipeline.cli.arguments import DATASET, given_path
from pipeline.data import Corpus, Opener, open_corpus, text_warnings
from pipeline.data.config import Dataset, System
from pipeline.errors import CorpusError, Problem, printable
from pipeline.files import Remote, named
from pipeline.kernel.common import join_lines
from pipeline.metrics import from_texts
from pipeline.metrics.base import Text
from pipeline.report.terminal import print_warnings

from ..records import (
    EditCounts,
    GoldEdit,
    Judged,
    ProposedEdit,
    gold_blocks,
    is_match,
    shrunk,
)
from ..view_names import GOLD

RULE = "-" * 43


def sentence_lines(
    source: str,
    output: str,
    judged: Judged,
    counts: EditCounts,
    beta: float,
) -> Iterator[str]:
    """Yield the lines that -v prints for a sentence with an annotator.

    These are signs, texts and edits, then counts and scores. `counts` are those of all sentences up
    to this one, if this annotator is chosen here.
    """
    yield f">> Annotator: {judged.annotator}"
    # an edit is listed once for each gold edit that it matches
    correct_edits = []
    for edit in judged.edits:
        correct_edits += [edit] * len(edit.matched)
    for edit in correct_edits:
        sign = _sign(edit, judged)
        if sign:
            yield f"{sign} {_edit(edit)}"
    yield f"SOURCE        : {source}"
    yield f"HYPOTHESIS    : {output}"
    yield f"EDIT SEQ      : [{', '.join(_edit(shrunk(edit)) for edit in judged.edits)}]"
    yield f"GOLD EDITS    : [{', '.join(_gold_edit(edit, judged) for edit in judged.gold)}]"
    yield f"CORRECT EDITS : [{', '.join(map(_edit, correct_edits))}]"
    correct, proposed, gold = map(float, counts)
    denominator = beta * beta * gold + proposed
    score = float(correct == 0)
    if denominator:
        score = (1 + beta * beta) * correct / denominator
    for name, count in zip(EditCounts._fields, counts, strict=True):
        yield f"# {name:<12}: {count}"
    yield f"precision     : {_number(correct / proposed if proposed else 1.0)}"
    yield f"recall        : {_number(correct / gold if gold else 1.0)}"
    yield f"f_{beta:.1f}         : {_number(score)}"
    yield RULE


def _sign(edit: ProposedEdit, judged: Judged) -> str:
    """Return the sign of a correct deletion beside an insertion, or the other way round.

    Neighbours are taken without the words that they leave unchanged. The sign is ! if one of them
    is correct too, else & for a deletion and * for an insertion. It is empty for all other edits.
    """
    is_insertion = edit.start == edit.end
    is_deletion = edit.start < edit.end and not edit.correction
    if not is_insertion and not is_deletion:
        return ""
    has_counterpart = False
    for other in judged.edits:
        if edit.end != other.start and edit.start != other.end:
            continue
        neighbour = shrunk(other)
        if is_insertion:
            is_counterpart = (
                neighbour.start < neighbour.end and not neighbour.correction
            )
        else:
            is_counterpart = neighbour.start == neighbour.end
        if not is_counterpart:
            continue
        has_counterpart = True
        for gold in judged.gold:
            if is_match(neighbour, gold, judged.tokens):
                return "!"
    if not has_counterpart:
        return ""
    return "*" if is_insertion else "&"


def total_lines(
    totals: EditCounts, beta: float, *, verbose: bool
) -> Iterator[str]:
    """Yield the lines with the scores of all sentences, and with `verbose` their counts before.

    Precision is 1 if nothing is proposed, and recall if nothing is annotated.
    """
    correct, proposed, gold = map(float, totals)
    precision = correct / proposed if proposed else 1.0
    recall = correct / gold if gold else 1.0
    denominator = beta * beta * precision + recall
    score = 0.0
    if denominator:
        score = (1.0 + beta * beta) * precision * recall / denominator
    if verbose:
        yield f"CORRECT EDITS  : {totals.correct}"
        yield f"PROPOSED EDITS : {totals.proposed}"
        yield f"GOLD EDITS     : {totals.gold}"
        yield f"P = {_number(precision)}"
        yield f"R = {_number(recall)}"
        yield f"F_{beta:.1f} = {_number(score)}"
    yield f"Precision   : {precision:.4f}"
    yield f"Recall      : {recall:.4f}"
    yield f"F_{beta:.1f}       : {score:.4f}"


def _edit(edit: ProposedEdit) -> str:
    """Return an edit as Python 2 prints a tuple."""
    return f"({edit.start}, {edit.end}, {_text(edit.original)}, {_text(edit.correction)})"


def _gold_edit(edit: GoldEdit, judged: Judged) -> str:
    """Return an annotator's edit. Of its corrections, only -NONE- became a text of bytes."""
    texts = []
    for correction in edit.written.split("||"):
        texts.append(
            "''" if correction == "-NONE-" else f"u{correction.strip()!a}"
        )
    return f"({edit.start}, {edit.end}, {_text(judged.original(edit))}, [{', '.join(texts)}])"


def _text(text: str) -> str:
    """Return a text as Python 2 prints it: an empty one is of bytes here, all others Unicode."""
    return f"u{text!a}" if text else "''"


def _number(value: float) -> str:
    """Return a number as Python 2 prints it: with 12 digits."""
    text = f"{value:.12g}"
    return text if set(text) & set(".en") else f"{text}.0"


BLOCK = 256
"""Sentences whose edits are computed at once."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of m2scorer, and --code. The metric checks the values."""
    add = parser.add_argument
    add("output", metavar="OUTPUT", help="the output, a sentence a line")
    add("gold", metavar="GOLD", help="the annotations, an M2 file")
    add(
        "-v",
        "--verbose",
        action="store_true",
        help="show each sentence with each annotator",
    )
    meaning = "weight of recall against precision (default: 0.5)"
    add("--beta", default="0.5", metavar="B", help=meaning)
    meaning = "unchanged words that an edit may hold (default: 2)"
    add("--max_unchanged_words", default="2", metavar="N", help=meaning)
    meaning = (
        "leave out proposed edits that change only white space and upper case"
    )
    name = "--ignore_whitespace_casing"
    add(name, action="store_const", const="true", default="false", help=meaning)
    meaning = "master, or 3.2 of 2014 (default: master)"
    add("--code", default="master", metavar="VERSION", help=meaning)


def run(args: argparse.Namespace) -> None:
    """Print the score, or with -v also every sentence."""
    names = ("beta", "max_unchanged_words", "ignore_whitespace_casing", "code")
    metric: Any = from_texts(
        ["m2"], {name: getattr(args, name) for name in names}
    )[0]
    beta = float(metric.beta)
    output = given_path(args.output)
    gold = given_path(args.gold)
    if _is_empty(output) and _is_empty(gold):
        print_warnings(
            ["both files are empty: a score of nothing, as m2scorer prints it"]
        )
        _print(total_lines(EditCounts(0, 0, 0), beta, verbose=args.verbose))
        return
    opener = Opener()
    problems: list[Problem] = []
    dataset = Dataset(
        name=DATASET, source=None, references=(), m2=gold, gold=(gold,)
    )
    systems = [System(args.output, {DATASET: output})]
    corpus = open_corpus(
        dataset, systems, problems, opener=opener, views=(GOLD,)
    )
    if corpus is None:
        raise CorpusError(list(dict.fromkeys(problems)))
    print_warnings(text_warnings(corpus, [metric]))
    if args.verbose:
        blocks = gold_blocks(opener.temp_files.local(gold), named(gold))
        totals = _print_sentences(
            metric, corpus, [block.sentence.strip() for block in blocks]
        )
    else:
        (result,) = evaluate_corpus(corpus, [metric])
        totals = EditCounts(
            *(int(result.outputs[name]) for name in EditCounts._fields)
        )
    _print(total_lines(totals, beta, verbose=args.verbose))


def _is_empty(path: Path | Remote) -> bool:
    return isinstance(path, Path) and path.is_file() and not path.stat().st_size


def _print_sentences(
    metric: Any,
    corpus: Corpus,
    sentences: Sequence[str],
) -> EditCounts:
    """Print each sentence with each annotator, and which annotator is chosen.

    `sentences` are those of the source, as the M2 file has them. Returns the sums of the counts
    with the chosen annotators.
    """
    totals = EditCounts(0, 0, 0)
    beta = float(metric.beta)
    for line, (output, annotators) in enumerate(_rows(metric, corpus), 1):
        source = sentences[line - 1]
        for judged in annotators:
            counts = _sum(totals, judged.counts)
            _print(sentence_lines(source, output.strip(), judged, counts, beta))
        keys = [metric.key(totals, judged.counts) for judged in annotators]
        chosen = annotators[keys.index(max(keys))]  # of equals the first
        totals = _sum(totals, chosen.counts)
        _print(
            [f">> Chosen Annotator for line {line} : {chosen.annotator}", ""]
        )
    return totals


def _sum(one: EditCounts, two: EditCounts) -> EditCounts:
    return EditCounts(*map(operator.add, one, two))


def _rows(metric: Any, corpus: Corpus) -> Iterator[tuple[str, list[Judged]]]:
    """Yield each sentence of the output, and its edits beside those of each annotator."""
    view = corpus.read_by(metric.spec)
    for low in range(0, view.lines, BLOCK):
        high = min(low + BLOCK, view.lines)
        # source, the records of each annotator, and the output
        texts = [text.read(low, high) for text in view.texts]
        encoded = [join_lines(map(str.encode, lines)) for lines in texts]
        source, *references, output = encoded
        annotators = metric.judged(Text(source, references, [output]))
        yield from zip(texts[-1], annotators, strict=True)


def _print(lines: Iterable[str]) -> None:
    """Print lines; on a terminal without control characters."""
    for line in lines:
        print(printable(line) if sys.stdout.isatty() else line)
