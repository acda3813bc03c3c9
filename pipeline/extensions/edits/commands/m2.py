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

from pipeline.cli.arguments import STAND_IN, given_path, jobs, whole_number
from pipeline.errors import ConfigError, CorpusError, Problem, printable
from pipeline.files.plain_files import SEPARATOR, UNPACKED, TempFiles, named, numbered_lines
from pipeline.files.safe_files import write_atomic
from pipeline.parallel import processors

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
    """Declare the actions and their arguments. Each is the default `act`, whose docstring describes
    it.
    """
    actions: Any = parser.add_subparsers(
        dest="action", metavar="annotate|check|apply|convert", required=True
    )

    def action(name: str, summary: str, act: object) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = actions.add_parser(
            name, help=summary, description=getdoc(act)
        )
        added.set_defaults(act=act)
        return added

    summary = "texts to M2: annotate corrected texts with their edits (needs errant)"
    add = action("annotate", summary, _annotate).add_argument
    add("-orig", "--orig", required=True, metavar="FILE", help="the source, one sentence a line")
    corrected = "corrected texts; they are annotators 0, 1 ..."
    add("-cor", "--cor", required=True, nargs="+", metavar="FILE", help=corrected)
    add("-out", "--out", required=True, metavar="FILE", help="the M2 file to write")
    add(
        "--model",
        metavar="NAME",
        help="a spaCy pipeline, by name or folder (default: en_core_web_sm)",
    )
    add(
        "--n-jobs", type=jobs, default=1, metavar="N", help="worker processes, or auto (default: 1)"
    )
    add(
        "--no-cache", action="store_true", help="neither take nor keep annotations on this computer"
    )
    add("-q", "--quiet", action="store_true", help="no notes and no progress")

    add = action("check", "say whatever is odd in an M2 file", _check).add_argument
    add("file", metavar="FILE", help="an M2 file")

    written = "the file to write (default: standard output)"
    applied = action(
        "apply", "M2 to text: print the sentences as an annotator corrects them", _apply
    )
    applied.add_argument("file", metavar="FILE", help="an M2 file")
    which, numbered = (
        applied.add_mutually_exclusive_group(),
        "the annotator, needed where there are several",
    )
    which.add_argument("--annotator", type=whole_number(0), metavar="N", help=numbered)
    which.add_argument("--source", action="store_true", help="print the sentences as they are")
    applied.add_argument("-o", "--output", metavar="FILE", help=written)

    add = action(
        "convert", "write deletions in the style of ERRANT or NUCLE", _convert
    ).add_argument
    add("file", metavar="FILE", help="an M2 file")
    add("--to", required=True, choices=STYLES, dest="style", help="the style")
    meaning = "what becomes of alternatives (a||b) in the style of ERRANT, which has none (default: error)"
    add("--alternatives", choices=ALTERNATIVES, default=ALTERNATIVES[0], help=meaning)
    add("-o", "--output", metavar="FILE", help=written)


def run(args: argparse.Namespace) -> None:
    args.act(args)


def read_m2(*names: str) -> list[Annotated]:
    """Read M2 files; raises CorpusError, with the line, where one is not written as such."""
    temp_files = TempFiles(UNPACKED)
    return [read_annotated(given_path(name), temp_files) for name in names]


def _write(output: str | None, pieces: Iterable[str]) -> None:
    """Write to a file, whole or not at all, or to standard output."""
    if output is None:
        shown = printable if sys.stdout.isatty() else str
        sys.stdout.writelines(map(shown, pieces))
    else:
        write_atomic(Path(output), (piece.encode() for piece in pieces))


def _apply(args: argparse.Namespace) -> None:
    """Print the text that the edits of an annotator make, one sentence a line. Of alternatives the
    first is taken. Where an annotator has no line for a sentence, the edits of the first who has
    one stand in. Edits that overlap, or do not fit into their sentence, are refused.

    examples:
      gec-pipeline m2 apply data/m2/gold.m2 --annotator 0
      gec-pipeline m2 apply data/m2/gold.m2 --source
    """
    from ..m2_format import CORRECTED, Asked
    from ..m2_texts import read_m2

    temp_files, path = TempFiles(UNPACKED), given_path(args.file)
    file = read_annotated(path, temp_files)
    if args.source or not any(file.edits):
        if args.annotator:
            raise ConfigError(
                f"--annotator {args.annotator}: {file.name} has no line of an annotator"
            )
        _write(args.output, (" ".join(block.sentence.split()) + "\n" for block in file.blocks))
        return
    texts = read_m2(path, Asked(texts=True), temp_files)
    annotators = texts.annotators()
    listed = ", ".join(map(str, annotators))
    if args.annotator is None and len(annotators) > 1:
        raise ConfigError(
            f"{file.name}: has the annotators {listed}; say which, as in --annotator {annotators[0]}"
        )
    number = annotators[0] if args.annotator is None else args.annotator
    if number not in annotators:
        raise ConfigError(
            f"--annotator {number}: {file.name} has no such annotator; it has {listed}"
        )
    count, line = texts.annotated[number]
    if count:
        others = (
            f"has no line for {count:,} sentences that others annotated, the first in line {line:,}"
        )
        print(
            printable(f"note: {file.name}: annotator {number} {others}; {STAND_IN}"),
            file=sys.stderr,
        )
    lines = texts.files[CORRECTED, number].read_bytes().split(SEPARATOR)[:-1]
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
    from ..edit_views import odd_lines
    from ..m2_format import wrong_sentences

    temp_files, path = TempFiles(UNPACKED), given_path(args.file)
    plain = temp_files.local(path)
    problems = wrong_sentences(plain, named(path))
    if problems:
        raise CorpusError(problems)
    file = read_annotated(path, temp_files)
    odd, stops = odd_lines(plain, file.name)
    summary, deletions = file.told, file.told.empty
    mixed = f"{deletions[DELETED]} deletions are written as {DELETED}, and {deletions['']} empty"
    notes = [
        *odd,
        *(f"{problem.position}: {problem.message}" for problem in stops),
        *summary.notes(),
        *(
            [f"{file.name}: {mixed}; `gec-pipeline m2 convert` makes them alike"]
            if len(deletions) > 1
            else []
        ),
        *other_styles(summary, []),
    ]
    for note in notes:
        print(printable(f"note: {note}"))
    edits = sum(not edit.is_noop for _, edit in file.numbered_edits())
    counts = f"sentences: {len(file.blocks):,}, annotators: {len(summary.annotators):,}, edits: {edits:,}"
    print(printable(f"{file.name}: {counts}, notes: {len(notes):,}"))


def _annotate(args: argparse.Namespace) -> None:
    """Annotate corrected texts with their edits: texts become an M2 file, to the byte as
    errant_parallel writes it. errant and a spaCy pipeline do the work (`gec-pipeline help
    annotation`), each distinct pair of sentences once. What they gave is kept on this computer.

    examples:
      gec-pipeline m2 annotate -orig source.txt -cor system.txt -out system.m2
      gec-pipeline m2 annotate -orig source.txt -cor ref0.txt ref1.txt -out gold.m2
    """
    from pipeline.report.terminal.printing import print_text
    from pipeline.report.terminal.progress import Bar

    from ..annotate import AnnotationCache, annotate_all
    from ..errant_annotator import block, versions_of

    versions = versions_of(args.model)
    temp_files, paths = TempFiles(UNPACKED), [given_path(name) for name in (args.orig, *args.cor)]
    source, *texts = (
        [line for _, line in numbered_lines(temp_files.local(path), named(path))] for path in paths
    )
    wanted = f"{named(paths[0])} has {len(source):,}; expected the same"
    problems = [
        Problem(named(path), f"has {len(text):,} lines, and {wanted}")
        for path, text in zip(paths[1:], texts, strict=True)
        if len(text) != len(source)
    ]
    if problems:
        raise CorpusError(problems)
    with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
        bar.stage("annotating")
        annotated = annotate_all(
            ((line, text[number]) for number, line in enumerate(source) for text in texts),
            model=args.model,
            n_jobs=processors() if args.n_jobs == "auto" else args.n_jobs,
            cache=None if args.no_cache else AnnotationCache(warn=bar.warn),
            progress=bar.progress,
        )
    each = iter(annotated.annotations)
    blocks = (block(line, [next(each) for _ in texts]).encode() for line in source)
    write_atomic(Path(args.out), blocks)
    empty = [number for number, line in enumerate(source, 1) if not line.strip()]
    notes = [f"made with {versions}"]
    pairs = (
        f"{len(annotated.annotations):,} pairs of sentences, {annotated.changed:,} of them changed"
    )
    notes.append(
        f"{pairs}; {annotated.distinct:,} are distinct, {annotated.kept:,} of these were kept from before"
    )
    if empty:
        lines = f"{len(empty):,} empty lines of the source, the first in line {empty[0]:,}, have"
        lines = lines if len(empty) > 1 else f"the empty line {empty[0]:,} of the source has"
        notes.append(f"{lines} no sentence in the M2 file, as errant_parallel writes none")
    for note in () if args.quiet else notes:
        print_text(f"note: {note}", sys.stderr)
