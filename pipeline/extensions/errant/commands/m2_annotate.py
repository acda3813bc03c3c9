"""The action annotate of the command m2."""

import argparse
import sys
from pathlib import Path

from pipeline.cli.arguments import given_path, jobs
from pipeline.errors import CorpusError, Problem
from pipeline.files import TempFiles, named, numbered_lines, write_atomic
from pipeline.parallel import processors


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add(
        "-orig",
        "--orig",
        required=True,
        metavar="FILE",
        help="the source, one sentence a line",
    )
    meaning = "corrected texts; they are annotators 0, 1 ..."
    add("-cor", "--cor", required=True, nargs="+", metavar="FILE", help=meaning)
    add(
        "-out",
        "--out",
        required=True,
        metavar="FILE",
        help="the M2 file to write",
    )
    meaning = "a spaCy pipeline, by name or folder (default: en_core_web_sm)"
    add("--model", metavar="NAME", help=meaning)
    meaning = "worker processes, or auto (default: 1)"
    add("--n-jobs", type=jobs, default=1, metavar="N", help=meaning)
    meaning = "neither take nor keep annotations on this computer"
    add("--no-cache", action="store_true", help=meaning)
    add("-q", "--quiet", action="store_true", help="no notes and no progress")


def run(args: argparse.Namespace) -> None:
    """Annotate corrected texts with their edits: texts become an M2 file, to the byte as
    errant_parallel writes it. errant and a spaCy pipeline do the work (`gec-pipeline help
    annotation`), each distinct pair of sentences once. What they gave is kept on this computer.

    examples:
      gec-pipeline m2 annotate -orig source.txt -cor system.txt -out system.m2
      gec-pipeline m2 annotate -orig source.txt -cor ref0.txt ref1.txt -out gold.m2
    """
    from pipeline.report.terminal import Bar, print_text

    from ..annotate import AnnotationCache, annotate_all
    from ..errant_annotator import block, versions_of

    # the texts
    versions = versions_of(args.model)
    temp_files = TempFiles(TempFiles.DEFAULT_CAP)
    source = _lines(args.orig, temp_files)
    texts = [_lines(name, temp_files) for name in args.cor]
    problems = []
    expected = (
        f"{named(given_path(args.orig))} has {len(source):,}; expected the same"
    )
    for name, text in zip(args.cor, texts, strict=True):
        if len(text) != len(source):
            message = f"has {len(text):,} lines, and {expected}"
            problems.append(Problem(named(given_path(name)), message))
    if problems:
        raise CorpusError(problems)

    # their edits: each sentence of the source with each of its corrected texts
    pairs = []
    corrected_lines = zip(*texts, strict=True)
    for line, corrected in zip(source, corrected_lines, strict=True):
        pairs += [(line, text) for text in corrected]
    with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
        bar.stage("annotating")
        annotated = annotate_all(
            pairs,
            model=args.model,
            n_jobs=processors() if args.n_jobs == "auto" else args.n_jobs,
            cache=None if args.no_cache else AnnotationCache(warn=bar.warn),
            progress=bar.progress,
        )
    blocks = []
    for index, line in enumerate(source):
        first = index * len(texts)
        annotations = annotated.annotations[first : first + len(texts)]
        blocks.append(block(line, annotations).encode())
    write_atomic(Path(args.out), blocks)
    if args.quiet:
        return

    # notes
    print_text(f"note: made with {versions}", sys.stderr)
    print_text(
        f"note: {len(pairs):,} pairs of sentences, {annotated.changed:,} of them changed; "
        f"{annotated.distinct:,} are distinct, "
        f"{annotated.cached:,} of these were kept from before",
        sys.stderr,
    )
    empty = [
        number for number, line in enumerate(source, 1) if not line.strip()
    ]
    if empty:
        lines = f"the empty line {empty[0]:,} of the source has"
        if len(empty) > 1:
            lines = f"{len(empty):,} empty lines of the source, the first in line {empty[0]:,}, have"
        note = f"{lines} no sentence in the M2 file, as errant_parallel writes none"
        print_text(f"note: {note}", sys.stderr)


def _lines(name: str, temp_files: TempFiles) -> list[str]:
    """Return the lines of a text file; raises CorpusError."""
    path = given_path(name)
    return [
        line for _, line in numbered_lines(temp_files.local(path), named(path))
    ]
