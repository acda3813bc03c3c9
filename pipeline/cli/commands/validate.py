"""Check a config and every file that it names, without scoring. All problems are printed at once.

examples:
  gec-pipeline validate configs/quickstart.yaml
  gec-pipeline validate eval.yaml --only AMU
  gec-pipeline validate kept.yaml --plugin kept.py --try
"""

import argparse

from ...data.config.resolved import Overrides
from ...data.corpus import Corpus
from ...data.texts import read_texts
from ...errors import printable
from ..arguments import add_selection

BLOCK = 8192
"""How many lines are read at once to count their tokens."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", help="a YAML file; `gec-pipeline help config` explains it")
    add_selection(parser)
    meaning = "compute two texts in several calls by metrics of your own"
    parser.add_argument("--try", dest="try_", action="store_true", help=meaning)


def run(args: argparse.Namespace) -> None:
    """Print a table of the files, the matches of globs, the signatures of the metrics, and the
    warnings.
    """
    from ...execution.options import RunOptions
    from ...prepare import prepare
    from ...report.terminal.printing import print_table, print_text, print_warnings
    from ...scoring.metric_results import signed

    job = prepare(args.config, overrides=Overrides(tuple(args.settings), tuple(args.only)))
    print_warnings(job.warnings)
    counted: dict[tuple[str, str], int] = {}
    rows = [row for corpus in job.corpora for row in _rows(corpus, counted)]
    if rows:
        print_table(["dataset", "role", "lines", "tokens", "empty", "file"], rows, left=(0, 1, 5))
    for corpus in job.corpora:
        least, most = corpus.present()
        per_line = f"{most} reference{'s' * (most != 1)} a line"
        if corpus.missing:
            mean = (
                len(corpus.references)
                - sum(file.blank for file in corpus.references) / corpus.lines
            )
            per_line = f"{least} to {most} references a line, {mean:.2f} on average"
        print(f"{corpus.name}: {per_line}")
    for match in job.config.matches:
        names = ", ".join(file.name for file in match.files)
        print_text(f"{match.key}: {match.pattern} matches {len(match.files)}: {names}")
    ordered = sorted(job.corpora, key=lambda corpus: len(corpus.references))
    views = ((metric, corpus.read_by(metric.spec)) for corpus in ordered for metric in job.metrics)
    for signature in dict.fromkeys(signed(metric, len(view.references)) for metric, view in views):
        print(signature)
    for stage in job.stages:
        opened = job.opened[stage.name]
        if opened is not None:
            for line in stage.describe(opened):
                print(line)
    if args.try_:
        from ...execution.function_metrics import Computing, tried

        for told in tried(
            job.corpora, job.metrics, Computing(RunOptions().under(job.config.written.run))
        ):
            print(printable(f"tried: {told}"))


def _rows(corpus: Corpus, counted: dict[tuple[str, str], int]) -> list[list[str]]:
    """Return a row for each text. `counted` gets numbers of tokens, split at white space, by place
    and digest.
    """
    roles = [("source", corpus.source)] if corpus.source else []
    roles += [(f"reference {number}", file) for number, file in enumerate(corpus.references, 1)]
    roles += [
        (f"system {name}", file)
        for name, file in corpus.systems.items()
        if name not in corpus.references_as_systems
    ]
    rows = []
    for role, file in roles:
        key = file.display_name, file.digest
        if key not in counted:
            blocks = (
                read_texts(file, low, min(low + BLOCK, file.lines))
                for low in range(0, file.lines, BLOCK)
            )
            counted[key] = sum(len(text.split()) for texts in blocks for text in texts)
        rows.append(
            [
                corpus.name,
                role,
                f"{file.lines:,}",
                f"{counted[key]:,}",
                f"{file.blank:,}",
                file.display_name,
            ]
        )
    return rows
