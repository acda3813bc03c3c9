"""Text files given on the command line, without a config."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..config.resolved import Column, Dataset, Overrides, System, is_glob
from ..corpus.formats import ONE_ANNOTATOR
from ..errors import ConfigError, CorpusError, Problem
from ..io.remote import PREFIX, Remote, is_data
from ..metrics.base.views import EDITS, GOLD, TEXTS, annotator_of
from .given_texts import annotated_output, given_path, given_text, whole_m2

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Sequence
    from typing import Literal

    from ..config.resolved import Input
    from ..corpus.corpus import Corpus

DATASET = "files"
EMPTY = ("keep", "error", "none")
"""What may be done with empty references, as `empty_references` of a config says."""


def add_files(parser: argparse.ArgumentParser, *names: str, piped: bool = False, gold: bool = False) -> None:
    """Declare -s, -r and -o; each of the last two takes several files, also when it is given again.

    `names` are further names of -o. With `piped`, -o may be left out: `output_from_pipe` then takes standard input.
    With `gold`, there is --gold, and -r may be left out beside it.
    """
    several: dict[str, Any] = {"nargs": "+", "action": "extend", "metavar": "FILE"}
    parser.add_argument("-s", "--src", "--source", dest="source", metavar="FILE", help="the uncorrected text")
    flags = ("-r", "--ref", "--references")
    parser.add_argument(*flags, dest="references", required=not gold, help="references, one file each", **several)
    if gold:
        meaning = "an M2 file for metrics of edits (m2, errant); it also has the source and the references where these "
        parser.add_argument("--gold", metavar="FILE", help=f"{meaning}are not given")
    outputs = ("-o", "--out", "--outputs", *names)
    meaning = "outputs of systems, one file each" + ("; default: standard input, where it is piped" if piped else "")
    parser.add_argument(*outputs, dest="outputs", required=not piped, help=meaning, **several)
    parser.add_argument(
        "--empty-references",
        choices=EMPTY,
        default="keep",
        help="an empty or null reference is a text of no words (keep), an error, or missing (none); default: keep",
    )


def output_from_pipe(args: argparse.Namespace) -> None:
    """Take standard input as the output where none is named. Raises ConfigError where nothing is piped to it."""
    taken = "-" in (args.source, args.gold, *(args.references or ()))
    if not args.outputs and (taken or sys.stdin is None or sys.stdin.isatty()):
        raise ConfigError("the following arguments are required: -o (or pipe an output to standard input)")
    args.outputs = args.outputs or ["-"]


def open_files(args: argparse.Namespace, *, quiet: bool = False, views: Collection[str] = (TEXTS,)) -> Corpus:
    """Open and check the files; systems are called as they were written. Warnings go to standard error.

    `views` says what the metrics read; see `metrics/base/views.py`.
    """
    from ..corpus.input_warnings import suspicions  # here, because --help opens nothing
    from ..corpus.opener import open_corpus
    from ..report.terminal.text import print_text

    outputs = expanded(args.outputs)
    repeated = next((name for name in outputs if outputs.count(name) > 1), None)
    if repeated is not None:
        raise ConfigError(f"-o: {repeated} is given twice")
    dataset = _dataset(args, views)
    problems: list[Problem] = []
    named: dict[str, Input] = {}
    for path in (annotated_output(output) if EDITS in views else given_text(output, "-o") for output in outputs):
        called = str(path) if isinstance(path, Remote) else outputs[len(named)]
        same = sum(name == called or name.startswith(f"{called} #") for name in named)
        named[f"{called} #{same + 1}" if same else called] = path  # of addresses not all is shown
    systems = [System(name, {DATASET: path}) for name, path in named.items()]
    corpus = open_corpus(dataset, systems, problems, views=views)
    if corpus is None:
        raise CorpusError(list(dict.fromkeys(problems)))
    for warning in () if quiet else suspicions(corpus, references=TEXTS in views):
        print_text(f"warning: {warning}", sys.stderr)
    return corpus


def _dataset(args: argparse.Namespace, views: Collection[str]) -> Dataset:
    """Return the data set of the files. An M2 file alone holds the references of all annotators, and the source.

    Metrics of edits read it too, where no other is named as gold. Raises ConfigError where nothing is named.
    """
    required = not {GOLD, EDITS}.isdisjoint(views)
    edits = required or any(map(annotator_of, views))
    gold, references = getattr(args, "gold", None), expanded(args.references or ())
    if not (references or gold):
        raise ConfigError("the following arguments are required: -r/--ref/--references (or --gold FILE)")
    text = given_text(args.source, "-s") if args.source else None
    alone = len(references) == 1 and getattr(args, "num_refs", None) is None
    m2 = whole_m2(references[0], look=edits) if alone else None
    each = () if m2 else _references(references, getattr(args, "num_refs", None))
    annotations = given_path(gold) if gold else m2 if edits else None
    if required and annotations is None:
        other = "; or texts are annotated for those that have the option --annotator: --annotator auto"
        message = "metrics of edits need an M2 file, which has the edits of annotators: --gold FILE"
        raise ConfigError(f"--gold: {message}{other if EDITS in views else ''}")
    if gold and references and not text and not edits:
        text = Column(kind=ONE_ANNOTATOR, path=given_path(gold), column="")
    empty: Literal["keep", "error", "none"] = args.empty_references
    each = tuple(replace(one, null=empty == "none") if isinstance(one, Column) else one for one in each)
    from_edits = m2 if references else annotations
    return Dataset(
        name=DATASET,
        source=text,
        references=each,
        m2=from_edits,
        gold=(annotations,) if annotations else (),
        empty_references=empty,
    )


def _references(given: Sequence[str], columns: int | None) -> tuple[Input, ...]:
    """Return the references that are named after -r: files, or all columns of one file. Raises ConfigError."""
    if columns is None:
        return tuple(given_text(reference, "-r") for reference in given)
    path = given_path(given[0]) if len(given) == 1 else None
    if path is None:
        raise ConfigError(f"--num-refs: the references are columns of one file; -r names {len(given)}")
    numbers = range(1, columns + 1)
    return tuple(Column(kind="tsv", path=path, column=str(number), width=columns) for number in numbers)


def expanded(texts: Sequence[str]) -> list[str]:
    """Return file names with data:NAME/GLOB replaced by the files that it matches, as a shell does with others."""
    if not any(is_data(text) and is_glob(text) for text in texts):
        return list(texts)
    from ..io.catalogue import named_in  # here, because few texts are of data sets

    each = ([f"{PREFIX}{file.key}" for file in named_in(t)] if is_data(t) and is_glob(t) else [t] for t in texts)
    return [text for found in each for text in found]


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare --set and --only, for the commands that read a config."""
    several: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="KEY=VALUE",
        help="change the config, such as output.digits=4 or metrics.0.order=3; may be repeated",
        **several,
    )
    parser.add_argument(
        "--only",
        metavar="PATTERN",
        help="only data sets, systems or metrics of this name, such as AMU or 'A*'; may be repeated",
        **several,
    )


def overrides_of(args: argparse.Namespace) -> Overrides:
    """Return what --set and --only say."""
    return Overrides(tuple(args.settings), tuple(args.only))


def jobs(text: str) -> int | str:
    """Read a number of workers; for argparse."""
    if text == "auto" or (text.isascii() and text.isdigit() and int(text) > 0):
        return text if text == "auto" else int(text)
    raise ValueError(text)


jobs.__name__ = "number of workers (auto, or from 1)"
