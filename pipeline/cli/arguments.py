"""Arguments that several commands share: text files without a config, and changes of a config."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config.globs import is_glob
from ..config.overrides import Overrides
from ..config.resolved import STDIN, Dataset, System
from ..corpus.input_warnings import suspicions
from ..corpus.opener import open_corpus
from ..errors import ConfigError, CorpusError, Problem, printable
from ..io.catalogue import PREFIX, is_data, named_in
from ..io.dataset_cache import path_of
from ..io.remote import Remote, locate

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..corpus.corpus import Corpus

DATASET = "files"
"""The name of the data set that the files of the command line make."""


def add_files(parser: argparse.ArgumentParser) -> None:
    """Declare -s, -r and -o. Both -r and -o take several files, and may be repeated."""
    several: dict[str, Any] = {"required": True, "nargs": "+", "action": "extend", "metavar": "FILE"}
    parser.add_argument("-s", "--src", "--source", dest="source", metavar="FILE", help="the uncorrected text")
    parser.add_argument("-r", "--ref", "--references", dest="references", help="references, one file each", **several)
    parser.add_argument("-o", "--out", "--outputs", dest="outputs", help="outputs of systems, one file each", **several)


def open_files(args: argparse.Namespace, *, quiet: bool = False) -> Corpus:
    """Return the opened files. Systems have the names that the user wrote; warnings go to standard error.

    Raises ConfigError where an output is given twice, and CorpusError where files do not fit together.
    """
    outputs = expanded(args.outputs)
    repeated = next((name for name in outputs if outputs.count(name) > 1), None)
    if repeated is not None:
        raise ConfigError(f"-o: {repeated} is given twice")
    source = given_path(args.source) if args.source else None
    dataset = Dataset(
        name=DATASET, source=source, references=tuple(given_path(reference) for reference in expanded(args.references))
    )
    problems: list[Problem] = []
    systems = dict[str, Path | Remote]()
    for path in map(given_path, outputs):
        label = str(path) if isinstance(path, Remote) else outputs[len(systems)]
        same = sum(name == label or name.startswith(f"{label} #") for name in systems)
        systems[f"{label} #{same + 1}" if same else label] = path  # two addresses may be shown as the same text
    corpus = open_corpus(dataset, [System(name, {DATASET: path}) for name, path in systems.items()], problems)
    if corpus is None:
        raise CorpusError(problems)
    for warning in () if quiet else suspicions(corpus):
        print(printable(f"warning: {warning}"), file=sys.stderr)
    return corpus


def given_path(text: str) -> Path | Remote:
    """Return the file that a text names: - is standard input, and data:NAME/FILE is a file of a data set."""
    if text == "-":
        return STDIN
    return path_of(text) if is_data(text) else locate(Path(), text)


def expanded(texts: Sequence[str]) -> list[str]:
    """Return the names with each data:NAME/GLOB replaced by the files that it matches. Other globs are the shell's."""
    each = ([f"{PREFIX}{file.key}" for file in named_in(t)] if is_data(t) and is_glob(t) else [t] for t in texts)
    return [name for names in each for name in names]


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
    """Return the changes of the config that --set and --only ask for."""
    return Overrides(tuple(args.settings), tuple(args.only))


def jobs(text: str) -> int | str:
    """Return a number of workers, or "auto"; raises ValueError, which argparse reports."""
    if text == "auto" or (text.isascii() and text.isdigit() and int(text) > 0):
        return text if text == "auto" else int(text)
    raise ValueError(text)


jobs.__name__ = "number of workers (auto, or from 1)"
