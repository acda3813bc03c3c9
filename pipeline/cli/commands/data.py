"""Fetch published data sets, check them, and print where they are.

`gec-pipeline help data` explains names and mirrors.

examples:
  gec-pipeline data list
  gec-pipeline data list conll14
  gec-pipeline data fetch conll14 jfleg/test
  gec-pipeline data fetch 'seeda/outputs/all/*' --mirror /media/copies
  gec-pipeline data verify
  gec-pipeline data path conll14/INPUT
"""

import argparse
import sys
from collections.abc import Sequence

from ...data import catalogue as catalogues
from ...data.catalogue import (
    DataFile,
    DataSet,
    bring,
    data_set,
    named,
    named_one,
    scorable,
    scorables,
)
from ...data.dataset_cache import State, by_hand, cache, fetch_files, locate_all, missing, state
from ...errors import DataError, Problem, gathered, printable
from ...report.terminal.printing import print_table, print_text
from ...report.terminal.progress import Bar

NAMES = "NAME, NAME/FILE, NAME/FOLDER, a glob such as 'NAME/dev/*', or a config with data sets of its own"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments."""
    actions = parser.add_subparsers(dest="action", metavar="list|fetch|verify|path", required=True)

    def action(name: str, summary: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=summary, description=summary)

    shown = action(
        "list", "list the data sets, or the files of one with its licence and what to cite"
    )
    shown.add_argument("name", nargs="?", metavar="NAME", help="a data set")
    fetched = action("fetch", "fetch the files that are missing, and check each by its SHA-256")
    fetched.add_argument("names", nargs="*", metavar="NAME", help=NAMES)
    fetched.add_argument("--all", action="store_true", help="all data sets")
    mirror = "take files from here instead, laid out as REPOSITORY/COMMIT/PATH (default: GEC_PIPELINE_MIRROR, if set)"
    fetched.add_argument("--mirror", metavar="URL_OR_FOLDER", help=mirror)
    fetched.add_argument(
        "-q", "--quiet", action="store_true", help="print nothing but what goes wrong"
    )
    verified = action(
        "verify", "check the files that are here; exit code 2 where some are missing or changed"
    )
    names = f"{NAMES} (default: all data sets of which files are here)"
    verified.add_argument("names", nargs="*", metavar="NAME", help=names)
    verified.add_argument(
        "-q", "--quiet", action="store_true", help="print nothing but what is wrong"
    )
    placed = action(
        "path", "print the folder of a data set, or a file; without a name the folder of all"
    )
    placed.add_argument("name", nargs="?", metavar="NAME[/FILE]", help="a data set or file")


def run(args: argparse.Namespace) -> None:
    {"list": _list, "fetch": _fetch, "verify": _verify, "path": _path}[args.action](args)


def _list(args: argparse.Namespace) -> None:
    """Print the table of data sets with files, sizes and licences, and whether they are here; or
    one of them.
    """
    if args.name is not None:
        _print_data_set(data_set(args.name.removeprefix("data:")))
        return
    rows = []
    for name, dataset in catalogues.catalogue().items():
        files = dataset.files.values()
        here = sum(state(file, quick=True) == "here" for file in files)
        share = "yes" if here == len(files) else f"{here} of {len(files)}" if here else "no"
        whole = sum(file.size for file in files)
        size = f"{whole / 1e6:.1f} MB" if whole >= 50_000 else f"{whole / 1e3:.1f} kB"
        licences = "; ".join(dict.fromkeys(file.licence.partition(" (")[0] for file in files))
        rows.append([name, str(len(files)), size if whole else "-", share, licences])
    print_table(["data set", "files", "size", "here", "licence"], rows, left=(0, 3, 4))
    fetch = "fetch:  gec-pipeline data fetch NAME     files: gec-pipeline data list NAME"
    print(printable(f"\nfolder: {cache()}\n{fetch}"))


def _print_data_set(dataset: DataSet) -> None:
    print_text(dataset.title + (f"\n{dataset.note}" if dataset.note else ""))
    print(printable(f"\nfolder   {cache() / dataset.name}"))
    groups = dict.fromkeys((f.repository, f.commit, f.licence) for f in dataset.files.values())
    for repository, commit, licence in groups:
        where = f"https://github.com/{repository}/tree/{commit}" if repository else "its authors"
        print_text(f"from     {where}  (licence: {licence})")
    if by_hand(dataset.name):
        print(printable(f"by hand  {by_hand(dataset.name)}"))
    print(f"cite     {', '.join(dataset.citations)}")
    for name in (name for name, (owner, _) in scorables().items() if owner is dataset):
        whole = scorable(name)
        written = f"{name}: data" if "/" not in name else f"{name.replace('/', '-')}: data:{name}"
        outputs = f", {len(whole.systems)} outputs (systems: data)" if whole.systems else ""
        print_text(
            f"config   datasets: {{{written}}}: source, {len(whole.references)} references{outputs}"
        )
    print()
    rows = [
        [f"data:{file.key}", f"{file.size:,}" if file.size else "-", state(file, quick=True)]
        for file in dataset.files.values()
    ]
    print_table(["file", "bytes", ""], rows, left=(0, 2))


def _named_files(names: Sequence[str]) -> list[DataFile]:
    """Return the files that the names stand for, each once; raises DataError with the problems of
    all names.
    """
    files: dict[DataFile, None] = {}
    problems: list[Problem] = []
    for name in names:
        if name.lower().endswith((".yaml", ".yml")):
            from ...data.config.compose import read

            root = read(name)[0]
            bring(root.plain().get("catalogue", {}) if isinstance(root.value, dict) else {}, name)
            brought = (own for own in catalogues.catalogue().values() if own.home == name)
            files |= {file: None for own in brought for file in own.files.values()}
            continue
        with gathered(problems):
            files |= dict.fromkeys(named(name))
    if problems:
        raise DataError(problems)
    return list(files)


def _fetch(args: argparse.Namespace) -> None:
    if bool(args.names) == args.all:
        raise DataError(
            f"name data sets, or --all, not both; known: {', '.join(catalogues.catalogue())}"
        )
    files = _named_files(list(catalogues.catalogue()) if args.all else args.names)
    files = [file for file in files if not (args.all and file.how_to_obtain)]
    with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
        bar.stage("fetching")
        warn = bar.print if not (args.quiet or bar.enabled) else lambda _: None
        result = fetch_files(files, args.mirror, warn, bar.size)
    lost = [*result.failed, *result.skipped, *result.not_fetched]
    if not args.quiet:
        kinds = {"fetched": result.taken, "here before": result.here, "could not be fetched": lost}
        for name in dict.fromkeys(file.dataset for file in files):
            counts = {
                kind: sum(file.dataset == name for file in group) for kind, group in kinds.items()
            }
            summary = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
            print(printable(f"{name}: {summary}: {cache() / name}"))
    if result.problems:
        raise DataError(result.problems)


def _verify(args: argparse.Namespace) -> None:
    names = args.names or [name for name in catalogues.catalogue() if (cache() / name).is_dir()]
    states: dict[str, dict[str, State]] = {}
    for file in _named_files(names):
        states.setdefault(file.dataset, {})[file.name] = state(file)
    if not names and not args.quiet:
        print(
            printable(
                f"nothing is in {cache()}; `gec-pipeline data list` tells what can be fetched"
            )
        )
    problems = []
    for name, kinds in states.items():
        wrong = [file for file, kind in kinds.items() if kind != "here"]
        if not wrong and not args.quiet:
            print(f"{name}: {len(kinds)} files, as published")
        for kind in ("missing", "changed"):
            files = [file for file in wrong if kinds[file] == kind]
            problems += (
                [f"{name}: {len(files)} of {len(kinds)} files {kind}: {', '.join(files)}"]
                if files
                else []
            )
        problems += (
            [f"  {by_hand(name) or f'fetch again: gec-pipeline data fetch {name}'}"]
            if wrong
            else []
        )
    if problems:
        raise DataError("\n".join(problems))


def _path(args: argparse.Namespace) -> None:
    if args.name is None:
        print(cache())
        return
    name = args.name.removeprefix("data:").rstrip("/")
    if "/" in name:
        print(locate_all([named_one(name)])[0])
        return
    lacking = missing(name)  # raises DataError for a data set that nobody knows
    if not (cache() / name).is_dir():
        how = by_hand(name) or f"fetch it: gec-pipeline data fetch {name}"
        raise DataError(f"{name} is not in {cache()}; {how}")
    if lacking:
        note = f"note: {len(lacking)} of its files are missing or changed: gec-pipeline data verify {name}"
        print(printable(note), file=sys.stderr)
    print(cache() / name)
