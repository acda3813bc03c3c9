"""Work with M2 files, which hold sentences and the edits of annotators. `gec-pipeline help m2`
explains them.

examples:
  gec-pipeline m2 check data/m2/gold.m2
  gec-pipeline m2 apply data/m2/gold.m2 --annotator 0
  gec-pipeline m2 convert data/m2/gold.m2 --to nucle -o gold.nucle.m2
  gec-pipeline m2 annotate -orig data/source.txt -cor data/systems/careful.txt -out careful.m2
  gec-pipeline m2 annotate --help
"""

import argparse
import sys
from collections.abc import Iterable
from inspect import getdoc
from pathlib import Path
from typing import Any

from pipeline.cli.arguments import given_path, whole_number
from pipeline.errors import ConfigError, CorpusError, printable
from pipeline.extension import installed
from pipeline.files import TempFiles, named, write_atomic

from ..m2_files import (
    ALTERNATIVES,
    DELETED,
    STYLES,
    Annotated,
    converted,
    other_styles,
    read_annotated,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments. The docstring of each default `act` describes it."""
    actions: Any = parser.add_subparsers(
        dest="action", metavar="annotate|check|apply|convert", required=True
    )

    def action(name: str, summary: str, act: object) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = actions.add_parser(
            name, help=summary, description=getdoc(act)
        )
        added.set_defaults(act=act)
        return added

    errant = installed().get("errant")
    if errant:
        annotate = errant.module("commands.m2_annotate")
        summary = "texts to M2: annotate corrected texts with their edits (needs errant)"
        annotate.configure(action("annotate", summary, annotate.run))

    add = action(
        "check", "say whatever is odd in an M2 file", _check
    ).add_argument
    add("file", metavar="FILE", help="an M2 file")

    output_meaning = "the file to write (default: standard output)"
    summary = "M2 to text: print the sentences as an annotator corrects them"
    apply_parser = action("apply", summary, _apply)
    apply_parser.add_argument("file", metavar="FILE", help="an M2 file")
    text = apply_parser.add_mutually_exclusive_group()
    meaning = "the annotator, needed where there are several"
    text.add_argument(
        "--annotator", type=whole_number(0), metavar="N", help=meaning
    )
    text.add_argument(
        "--source", action="store_true", help="print the sentences as they are"
    )
    apply_parser.add_argument(
        "-o", "--output", metavar="FILE", help=output_meaning
    )

    summary = "write deletions in the style of ERRANT or NUCLE"
    add = action("convert", summary, _convert).add_argument
    add("file", metavar="FILE", help="an M2 file")
    add("--to", required=True, choices=STYLES, dest="style", help="the style")
    meaning = (
        "what becomes of alternatives (a||b) in the style of ERRANT, which has none "
        "(default: error)"
    )
    add(
        "--alternatives",
        choices=ALTERNATIVES,
        default=ALTERNATIVES[0],
        help=meaning,
    )
    add("-o", "--output", metavar="FILE", help=output_meaning)


def run(args: argparse.Namespace) -> None:
    args.act(args)


def read_m2(*names: str) -> list[Annotated]:
    """Read M2 files; raises CorpusError, with the line, where one is not written as such."""
    temp_files = TempFiles(TempFiles.DEFAULT_CAP)
    return [read_annotated(given_path(name), temp_files) for name in names]


def _write(output: str | None, texts: Iterable[str]) -> None:
    """Write to a file, completely or not at all, or to standard output."""
    if output is None:
        to_text = printable if sys.stdout.isatty() else str
        sys.stdout.writelines(map(to_text, texts))
    else:
        write_atomic(Path(output), map(str.encode, texts))


def _apply(args: argparse.Namespace) -> None:
    """Print the text that the edits of an annotator make, one sentence a line. Of alternatives the
    first is taken. Where an annotator has no line for a sentence, the edits of the first who has
    one stand in. Edits that overlap, or do not fit into their sentence, are refused.

    examples:
      gec-pipeline m2 apply data/m2/gold.m2 --annotator 0
      gec-pipeline m2 apply data/m2/gold.m2 --source
    """
    from ..m2_format import CORRECTED, STAND_IN, Request
    from ..m2_texts import read_m2

    temp_files = TempFiles(TempFiles.DEFAULT_CAP)
    path = given_path(args.file)
    file = read_annotated(path, temp_files)
    if args.source or not any(file.edits):
        if args.annotator:
            message = f"{file.name} has no line of an annotator"
            raise ConfigError(f"--annotator {args.annotator}: {message}")
        _write(args.output, (f"{block.text}\n" for block in file.blocks))
        return
    texts = read_m2(path, Request(texts=True), temp_files)
    annotators = texts.annotators()
    listed = ", ".join(map(str, annotators))
    annotator = args.annotator
    if annotator is None:
        annotator = annotators[0]
        if len(annotators) > 1:
            message = f"has the annotators {listed}; say which, as in --annotator {annotator}"
            raise ConfigError(f"{file.name}: {message}")
    if annotator not in annotators:
        message = f"{file.name} has no such annotator; it has {listed}"
        raise ConfigError(f"--annotator {annotator}: {message}")
    count, first_line = texts.annotated[annotator]
    if count:
        note = (
            f"note: {file.name}: annotator {annotator} has no line for {count:,} sentences that "
            f"others annotated, the first in line {first_line:,}; {STAND_IN['first']}"
        )
        print(printable(note), file=sys.stderr)
    corrected = texts.files[CORRECTED, annotator].read_bytes()
    # a separator follows each text
    lines = corrected.split(TempFiles.SEPARATOR)[:-1]
    _write(args.output, (f"{line.decode()}\n" for line in lines))


def _convert(args: argparse.Namespace) -> None:
    """Write deletions as ERRANT does (with an empty field) or as NUCLE does (-NONE-). ERRANT
    compares corrections as they stand, so that files of two styles hardly match. Types and order
    stay as they are.

    examples:
      gec-pipeline m2 convert data/m2/gold.m2 --to nucle -o gold.nucle.m2
    """
    (file,) = read_m2(args.file)
    _write(args.output, converted(file, args.style, args.alternatives))


def _check(args: argparse.Namespace) -> None:
    """Say whatever is odd in an M2 file, with its line. Errors are lines that are none of an M2
    file, edits that do not fit or overlap, and noops beside edits: no score should be made of
    these, and the exit code is 2. Notes are what programs read in different ways: line ends,
    alternatives, styles that are mixed, annotators without a line. Whether two files are of the
    same sentences is said where they are compared (errant_compare).

    examples:
      gec-pipeline m2 check data/m2/gold.m2
    """
    from ..line_checks import check_lines
    from ..m2_format import wrong_sentences

    temp_files = TempFiles(TempFiles.DEFAULT_CAP)
    path = given_path(args.file)
    plain = temp_files.local(path)
    problems = wrong_sentences(plain, named(path))
    if problems:
        raise CorpusError(problems)
    file = read_annotated(path, temp_files)
    notes, unreadable = check_lines(plain, file.name)
    notes += [
        f"{problem.position}: {problem.message}" for problem in unreadable
    ]
    notes += file.summary.notes()
    empty = file.summary.empty
    if len(empty) > 1:
        notes.append(
            f"{file.name}: {empty[DELETED]} deletions are written as {DELETED}, and {empty['']} "
            "empty; `gec-pipeline m2 convert` makes them alike"
        )
    notes += other_styles(file.summary, [])
    for note in notes:
        print(printable(f"note: {note}"))
    edits = sum(not edit.is_noop for _, edit in file.numbered_edits())
    annotators = len(file.summary.annotators)
    counts = f"sentences: {len(file.blocks):,}, annotators: {annotators:,}, edits: {edits:,}"
    print(printable(f"{file.name}: {counts}, notes: {len(notes):,}"))
