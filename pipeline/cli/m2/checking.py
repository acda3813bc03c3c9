"""gec-pipeline m2 check: whatever is odd in M2 files, with lines."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ...corpus.edits.m2_files import other_sentences, other_styles, read_annotated
from ...corpus.edits.m2_tools import check
from ...errors import CorpusError, printable
from ...io.plain_files import named
from .paths import m2_path, m2_spool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...corpus.edits.m2_tools import Checked, Finding

MOST = 5
"""Findings of a kind that are printed, unless all are asked for."""
DESCRIPTION = """Say whatever is odd in an M2 file, with its line: lines that are none of an M2 file, edits that do
not fit or overlap, noops beside edits, edits that stand twice, styles that are mixed, annotators without a line, types
that ERRANT does not have, line ends, and more. With a second file, say whether both are of the same sentences.
The exit code is 2 where there are errors, of which no score should be made. Notes alone give 0."""
EPILOG = """examples:
  gec-pipeline m2 check data/m2/gold.m2
  gec-pipeline m2 check data/m2/careful.m2 data/m2/gold.m2
"""


def add_check(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the action and its arguments. What it calls is the default `act`."""
    parser = actions.add_parser(
        "check",
        help="say whatever is odd in an M2 file, and whether two fit together",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="an M2 file")
    parser.add_argument("other", nargs="?", metavar="FILE2", help="the M2 file that it is to be compared with")
    parser.add_argument("--all", action="store_true", help=f"print all findings, not the first {MOST} of each kind")
    parser.set_defaults(act=_check)


def _check(args: argparse.Namespace) -> int:
    """Print the findings; return 2 where one is an error."""
    spool = m2_spool()
    paths = [m2_path(name) for name in (args.file, args.other) if name is not None]
    errors = 0
    for path in paths:
        checked = check(spool.local(path), named(path))
        for line in _listed(checked, everything=args.all):
            print(printable(line))
        errors += sum(finding.error for finding in checked.findings)
    if len(paths) > 1:
        try:
            file, other = (read_annotated(path, spool) for path in paths)
        except CorpusError:
            print("the files cannot be compared before the errors above are mended")
            return 2
        problems = other_sentences(file, other)
        errors += len(problems)
        for problem in problems:
            print(f"{printable(problem.position)}: error: {printable(problem.message)}")
        for note in () if problems else other_styles(other, [file]):
            print(printable(f"note: {note}"))
        if not problems:
            print(f"both files have the same {len(file.blocks):,} sentences")
    return 2 if errors else 0


def _listed(checked: Checked, *, everything: bool) -> Iterator[str]:
    """Yield a line for each finding that is printed, and one that sums up the file."""
    kinds: dict[str, list[Finding]] = {}
    for finding in checked.findings:
        kinds.setdefault(finding.kind, []).append(finding)
    for findings in kinds.values():
        word = "error" if findings[0].error else "note"
        shown = findings if everything or len(findings) == MOST + 1 else findings[:MOST]
        for finding in shown:
            yield f"{checked.name}:{finding.line}: {word}: {finding.message}"
        if len(findings) > len(shown):
            rest = len(findings) - len(shown)
            yield f"{checked.name}: {word}: {rest:,} more of this kind, the last in line {findings[-1].line}"
    errors = sum(finding.error for finding in checked.findings)
    counts = f"sentences: {checked.sentences:,}, annotators: {len(checked.annotators):,}, edits: {checked.edits:,}"
    yield f"{checked.name}: {counts}, errors: {errors:,}, notes: {len(checked.findings) - errors:,}"
