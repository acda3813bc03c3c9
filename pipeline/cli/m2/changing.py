"""gec-pipeline m2 apply, convert, merge and split: texts and M2 files made of M2 files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ...corpus.edits.m2_files import read_annotated
from ...corpus.edits.m2_tools import ALTERNATIVES, STYLES, converted, merged, split
from ...errors import ConfigError, printable
from ...io.plain_files import SEPARATOR
from ...io.safe_files import write_atomic
from .paths import m2_path, m2_spool, read_m2

if TYPE_CHECKING:
    from collections.abc import Iterable

PLACE = "{annotator}"
"""What the number of the annotator replaces in a name."""
STAND_INS = {
    "first": "the first annotator's edits stand in",
    "source": "the source stands in",
    "none": "the lines are empty",
}
"""What is said of sentences for which an annotator has no line, by the choices of --missing."""
APPLY = """Print the text that the edits of an annotator make, one sentence a line. Of alternatives the first
is taken. Edits that overlap, or do not fit into their sentence, are refused."""
CONVERT = """Write deletions as ERRANT does (with an empty field) or as NUCLE does (-NONE-). ERRANT compares
corrections as they stand, so that files of two styles hardly match. Types and order stay as they are."""
MERGE = """Write the edits of several files of the same sentences as one file. Annotators get new numbers from
0, in the order of the files; standard error says which. A sentence without edits gets noops."""
SPLIT = """Write a file for each annotator. In it the annotator has the number 0, and -o has {annotator} where the
number in the old file stands."""


def add_changes(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the actions and their arguments. What each calls is the default `act`."""
    applied = _action(actions, "apply", "M2 to text: print the sentences as an annotator corrects them", APPLY)
    applied.add_argument("file", metavar="FILE", help="an M2 file")
    which = applied.add_mutually_exclusive_group()
    which.add_argument("--annotator", type=_number, metavar="N", help="the annotator, needed where there are several")
    which.add_argument("--source", action="store_true", help="print the sentences as they are")
    meaning = (
        "what stands in for an annotator who has no line for a sentence that others annotated: the edits of the first "
    )
    meaning += "who has one, the source, or an empty line (default: first)"
    applied.add_argument("--missing", choices=("first", "source", "none"), default="first", help=meaning)
    changed = _action(actions, "convert", "write deletions in the style of ERRANT or NUCLE", CONVERT)
    changed.add_argument("file", metavar="FILE", help="an M2 file")
    changed.add_argument("--to", required=True, choices=STYLES, dest="style", help="the style")
    meaning = "what becomes of alternatives (a||b) in the style of ERRANT, which has none (default: error)"
    changed.add_argument("--alternatives", choices=ALTERNATIVES, default=ALTERNATIVES[0], help=meaning)
    together = _action(actions, "merge", "write the annotators of several files as one file", MERGE)
    together.add_argument("files", nargs="+", metavar="FILE", help="M2 files of the same sentences")
    apart = _action(actions, "split", "write a file for each annotator", SPLIT)
    apart.add_argument("file", metavar="FILE", help="an M2 file")
    meaning = f"the files to write, such as gold.{PLACE}.m2"
    apart.add_argument("-o", "--output", required=True, metavar="NAME", help=meaning)
    for each in (applied, changed, together):
        each.add_argument("-o", "--output", metavar="FILE", help="the file to write (default: standard output)")
    for each, act in ((applied, _apply), (changed, _convert), (together, _merge), (apart, _split)):
        each.set_defaults(act=act)


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str, description: str
) -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    epilog = f"example:\n  {EXAMPLES[name]}\n"
    return actions.add_parser(name, help=summary, description=description, epilog=epilog, formatter_class=raw)


EXAMPLES = {
    "apply": "gec-pipeline m2 apply data/m2/gold.m2 --annotator 1 -o reference1.txt",
    "convert": "gec-pipeline m2 convert data/m2/gold.m2 --to nucle -o gold.nucle.m2",
    "merge": "gec-pipeline m2 merge data/m2/careful.m2 data/m2/eager.m2 -o both.m2",
    "split": "gec-pipeline m2 split data/m2/gold.m2 -o 'gold.{annotator}.m2'",
}
"""An example of each action, on files of the sample."""


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(text)
    return int(text)


_number.__name__ = "number of an annotator"


def _write(output: str | None, pieces: Iterable[str]) -> None:
    """Write to a file, whole or not at all, or to standard output."""
    if output is None:
        shown = printable if sys.stdout.isatty() else str
        sys.stdout.writelines(map(shown, pieces))
    else:
        write_atomic(Path(output), (piece.encode() for piece in pieces))


def _say(text: str) -> None:
    print(printable(text), file=sys.stderr)


def _apply(args: argparse.Namespace) -> int:
    """Print the text of an annotator, or the source."""
    from ...corpus.formats.m2 import spool_m2

    spool, path = m2_spool(), m2_path(args.file)
    file = read_annotated(path, spool)
    edited = any(file.edits)
    if args.source or not edited:
        if args.annotator:
            raise ConfigError(f"--annotator {args.annotator}: {file.name} has no line of an annotator")
        _write(args.output, (" ".join(block.sentence.split()) + "\n" for block in file.blocks))
        return 0
    texts = spool_m2(path, args.missing, spool)
    place, number = _chosen(args.annotator, file.name, sorted({edit.annotator for _, edit in file.numbered_edits()}))
    lacking = [item for item in texts.lacking if item[0] == number]
    for _, count, line in lacking:
        others = f"has no line for {count:,} sentences that others annotated, the first in line {line:,}"
        _say(f"note: {file.name}: annotator {number} {others}; {STAND_INS[args.missing]}")
    lines = spool.local(texts.references[place].path).read_bytes().split(SEPARATOR)[:-1]
    _write(args.output, (f"{line.decode()}\n" for line in lines))
    return 0


def _chosen(given: int | None, name: str, annotators: list[int]) -> tuple[int, int]:
    """Return the place and the number of an annotator; raises ConfigError where it is not clear which one is meant."""
    listed = ", ".join(map(str, annotators))
    if given is None and len(annotators) > 1:
        raise ConfigError(f"{name}: has the annotators {listed}; say which, as in --annotator {annotators[0]}")
    number = annotators[0] if given is None else given
    if number not in annotators:
        raise ConfigError(f"--annotator {number}: {name} has no such annotator; it has {listed}")
    return annotators.index(number), number


def _convert(args: argparse.Namespace) -> int:
    """Write a file in another style."""
    (file,) = read_m2(args.file)
    _write(args.output, converted(file, args.style, args.alternatives))
    return 0


def _merge(args: argparse.Namespace) -> int:
    """Write one file of several, and tell the new numbers of the annotators."""
    names, sentences = merged(read_m2(*args.files))
    _write(args.output, sentences)
    for annotator, name, before in names:
        _say(f"annotator {annotator}: annotator {before} of {name}")
    return 0


def _split(args: argparse.Namespace) -> int:
    """Write a file for each annotator, and tell their names."""
    if PLACE not in args.output:
        raise ConfigError(f"-o {args.output}: expected {PLACE} in the name, where the number of the annotator stands")
    (file,) = read_m2(args.file)
    absent = file.absent()
    for annotator, sentences in split(file).items():
        name = args.output.replace(PLACE, str(annotator))
        _write(name, sentences)
        lacking = len(absent.get(annotator, ()))
        more = f"; {lacking:,} sentences without a line have no edits there, so that they count as unchanged"
        _say(f"wrote {name}{more if lacking else ''}")
    return 0
