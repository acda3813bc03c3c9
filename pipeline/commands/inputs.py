"""Text files given on the command line, without a config."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config import Dataset, System
from ..corpus import open_corpus, suspicions
from ..errors import ConfigError, CorpusError, Problem, printable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..corpus import Corpus

DATASET = "files"


def add_files(parser: argparse.ArgumentParser) -> None:
    """Declare -s, -r and -o; each of the last two takes several files, also when it is given again."""
    several: dict[str, Any] = {"required": True, "nargs": "+", "action": "extend", "metavar": "FILE"}
    parser.add_argument("-s", "--src", "--source", dest="source", metavar="FILE", help="the uncorrected text")
    parser.add_argument("-r", "--ref", "--references", dest="references", help="references, one file each", **several)
    parser.add_argument("-o", "--out", "--outputs", dest="outputs", help="outputs of systems, one file each", **several)


def open_files(args: argparse.Namespace, *, quiet: bool = False) -> Corpus:
    """Open and check the files; systems are called as they were written. Warnings go to standard error."""
    outputs: Sequence[str] = args.outputs
    repeated = next((name for name in outputs if outputs.count(name) > 1), None)
    if repeated is not None:
        raise ConfigError(f"-o: {repeated} is given twice")
    source = Path(args.source) if args.source else None
    dataset = Dataset(DATASET, source, tuple(Path(reference) for reference in args.references))
    problems: list[Problem] = []
    corpus = open_corpus(dataset, [System(name, {DATASET: Path(name)}) for name in outputs], problems)
    if corpus is None:
        raise CorpusError(problems)
    for warning in () if quiet else suspicions(corpus):
        print(printable(f"warning: {warning}"), file=sys.stderr)
    return corpus
