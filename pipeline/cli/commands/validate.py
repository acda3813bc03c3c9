"""Check a config and every file that it names, without scoring. All problems are printed at once.

examples:
  gec-pipeline validate configs/quickstart.yaml
  gec-pipeline validate eval.yaml --only AMU
  gec-pipeline validate kept.yaml --plugin kept.py --try
"""

import argparse
from collections.abc import Iterable

from ...data import Corpus
from ...data.config import Overrides
from ...report.terminal import print_line
from ..arguments import add_config

LINES_AT_ONCE = 8192
"""How many lines are read at once to count their tokens."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_config(parser)
    parser.add_argument(
        "--try",
        dest="try_",
        action="store_true",
        help="compute two texts in several calls by metrics of your own",
    )


def run(args: argparse.Namespace) -> None:
    """Print a table of the files, matches of globs, signatures of the metrics, and warnings."""
    from ...execution import RunOptions
    from ...prepare import prepare
    from ...report.terminal import print_table, print_text, print_warnings

    job = prepare(
        args.config, overrides=Overrides(tuple(args.settings), tuple(args.only))
    )
    print_warnings(job.warnings)
    token_counts: dict[tuple[str, str], int] = {}
    rows: list[list[str]] = []
    for corpus in job.corpora:
        rows += _rows(corpus, token_counts)
    if rows:
        print_table(
            ["dataset", "role", "lines", "tokens", "empty", "file"],
            rows,
            left=(0, 1, 5),
        )
    for corpus in job.corpora:
        fewest, highest = corpus.present()
        per_line = f"{highest} references a line"
        if highest == 1:
            per_line = "1 reference a line"
        if corpus.missing:
            missing = (
                sum(file.blank for file in corpus.references) / corpus.lines
            )
            mean = len(corpus.references) - missing
            per_line = f"{fewest} to {highest} references a line, {mean:.2f} on average"
        print(f"{corpus.name}: {per_line}")
    for match in job.config.matches:
        names = ", ".join(file.name for file in match.files)
        print_text(
            f"{match.key}: {match.pattern} matches {len(match.files)}: {names}"
        )
    signatures: dict[str, None] = {}
    for task in sorted(job.tasks, key=lambda task: len(task.corpus.references)):
        signatures[task.signature] = None
    _print_lines(signatures)
    for stage in job.stages:
        opened = job.opened[stage.name]
        if opened is not None:
            _print_lines(stage.describe(opened))
    if args.try_:
        from ...execution import computations

        options = RunOptions().under(job.config.parsed.run)
        for computation in computations(job.metrics, options):
            for message in computation.tried(job.corpora):
                print_line(f"tried: {message}")


def _print_lines(lines: Iterable[str]) -> None:
    """Print lines of text."""
    for line in lines:
        print(line)


def _rows(
    corpus: Corpus, token_counts: dict[tuple[str, str], int]
) -> list[list[str]]:
    """Return a row for each text.

    `token_counts` gets numbers of tokens, split at white space, by path and digest of the text.
    """
    roles = {}
    if corpus.source:
        roles["source"] = corpus.source
    for number, file in enumerate(corpus.references, 1):
        roles[f"reference {number}"] = file
    for name, file in corpus.systems.items():
        if name not in corpus.references_as_systems:
            roles[f"system {name}"] = file
    rows = []
    for role, file in roles.items():
        key = (file.display_name, file.digest)
        if key not in token_counts:
            token_counts[key] = 0
            for low in range(0, file.lines, LINES_AT_ONCE):
                texts = file.read(low, min(low + LINES_AT_ONCE, file.lines))
                token_counts[key] += sum(len(text.split()) for text in texts)
        numbers = [
            f"{file.lines:,}",
            f"{token_counts[key]:,}",
            f"{file.blank:,}",
        ]
        rows.append([corpus.name, role, *numbers, file.display_name])
    return rows
