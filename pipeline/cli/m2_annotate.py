"""gec-pipeline m2 annotate: texts become an M2 file, as errant_parallel of the package errant writes it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..config.resolved import UNPACKED
from ..errors import CorpusError, Problem
from ..io.plain_files import Spool, named, numbered_lines
from ..io.safe_files import write_atomic
from ..io.workers import processors
from ..report.terminal.progress import Bar
from .arguments import jobs
from .given_texts import given_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..annotation.annotate import Annotated

DESCRIPTION = """Annotate corrected texts with their edits: texts become an M2 file, to the byte as errant_parallel
writes it. errant and a spaCy pipeline do the work (`gec-pipeline help annotation`), each distinct pair of sentences
once. What they gave is kept on this computer."""
EPILOG = """examples:
  gec-pipeline m2 annotate -orig data/source.txt -cor data/systems/careful.txt -out careful.m2
  gec-pipeline m2 annotate -orig data/source.txt -cor data/reference0.txt data/reference1.txt -out gold.m2 --n-jobs 2
"""


def add_annotate(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the action and its arguments. What it calls is the default `act`."""
    parser = actions.add_parser(
        "annotate",
        help="texts to M2: annotate corrected texts with their edits (needs errant)",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-orig", "--orig", required=True, metavar="FILE", help="the source, one sentence a line")
    parser.add_argument(
        "-cor", "--cor", required=True, nargs="+", metavar="FILE", help="corrected texts; they are annotators 0, 1 ..."
    )
    parser.add_argument("-out", "--out", required=True, metavar="FILE", help="the M2 file to write")
    parser.add_argument("--model", metavar="NAME", help="a spaCy pipeline, by name or folder (default: en_core_web_sm)")
    parser.add_argument("--n-jobs", type=jobs, default=1, metavar="N", help="worker processes, or auto (default: 1)")
    parser.add_argument("--no-cache", action="store_true", help="neither take nor keep annotations on this computer")
    parser.add_argument("-q", "--quiet", action="store_true", help="no notes and no progress")
    parser.set_defaults(act=annotate)


def annotate(args: argparse.Namespace) -> int:
    """Write the M2 file, and tell what was done."""
    from ..annotation.annotate import annotate_all
    from ..annotation.annotation_cache import AnnotationCache
    from ..annotation.pairs import block
    from ..annotation.spacy_pipelines import versions_of
    from ..report.terminal.text import print_text

    versions = versions_of(args.model)
    source, *texts = _read_all([args.orig, *args.cor])
    with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
        bar.stage("annotating")
        annotated = annotate_all(
            ((line, text[number]) for number, line in enumerate(source) for text in texts),
            model=args.model,
            n_jobs=processors() if args.n_jobs == "auto" else args.n_jobs,
            cache=None if args.no_cache else AnnotationCache(tell=bar.tell),
            progress=bar.progress,
        )
    each = iter(annotated.annotations)
    blocks = (block(line, [next(each) for _ in texts]).encode() for line in source)
    write_atomic(Path(args.out), blocks)
    for note in () if args.quiet else _notes(source, annotated, str(versions)):
        print_text(f"note: {note}", sys.stderr)
    return 0


def _read_all(names: Sequence[str]) -> list[list[str]]:
    """Return the lines of texts; raises CorpusError where one cannot be read, or has another number of lines."""
    spool = Spool(UNPACKED)
    paths = [given_path(name) for name in names]
    texts = [[line for _, line in numbered_lines(spool.local(path), named(path))] for path in paths]
    problems = [
        Problem(named(path), f"has {len(text):,} lines, and {named(paths[0])} has {len(texts[0]):,}; expected the same")
        for path, text in zip(paths, texts, strict=True)
        if len(text) != len(texts[0])
    ]
    if problems:
        raise CorpusError(problems)
    return texts


def _notes(source: Sequence[str], annotated: Annotated, versions: str) -> list[str]:
    """Return what a user should know of the work."""
    empty = [number for number, line in enumerate(source, 1) if not line.strip()]
    notes = [f"made with {versions}"]
    pairs = f"{len(annotated.annotations):,} pairs of sentences, {annotated.changed:,} of them changed"
    notes.append(f"{pairs}; {annotated.distinct:,} are distinct, {annotated.kept:,} of these were kept from before")
    if empty:
        lines = f"{len(empty):,} empty lines of the source, the first in line {empty[0]:,}, have"
        lines = lines if len(empty) > 1 else f"the empty line {empty[0]:,} of the source has"
        notes.append(f"{lines} no sentence in the M2 file, as errant_parallel writes none")
    return notes
