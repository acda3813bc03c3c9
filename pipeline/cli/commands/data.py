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

from ...data import Catalogue, DataFile, DataSet, DatasetCache
from ...errors import DataError, Problem, gathered
from ...report.terminal import Bar, print_line, print_table, print_text

NAMES = (
    "NAME, NAME/FILE, NAME/FOLDER, a glob such as 'NAME/dev/*', or a config with data sets of its "
    "own"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their arguments."""
    actions = parser.add_subparsers(
        dest="action", metavar="list|fetch|verify|path", required=True
    )

    def action(name: str, summary: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=summary, description=summary)

    listing = action(
        "list",
        "list the data sets, or the files of one with its licence and what to cite",
    )
    listing.add_argument("name", nargs="?", metavar="NAME", help="a data set")
    fetching = action(
        "fetch",
        "fetch the files that are missing, and check each by its SHA-256",
    )
    fetching.add_argument("names", nargs="*", metavar="NAME", help=NAMES)
    fetching.add_argument("--all", action="store_true", help="all data sets")
    fetching.add_argument(
        "--mirror",
        metavar="URL_OR_FOLDER",
        help="take files from here instead, laid out as REPOSITORY/COMMIT/PATH (default: "
        "GEC_PIPELINE_MIRROR, if set)",
    )
    fetching.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="print nothing but what goes wrong",
    )
    verifying = action(
        "verify",
        "check the files that are here; exit code 2 where some are missing or changed",
    )
    verifying.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"{NAMES} (default: all data sets of which files are here)",
    )
    verifying.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="print nothing but what is wrong",
    )
    locating = action(
        "path",
        "print the folder of a data set, or a file; without a name the folder of all",
    )
    locating.add_argument(
        "name", nargs="?", metavar="NAME[/FILE]", help="a data set or file"
    )


def run(args: argparse.Namespace) -> None:
    {"list": _list, "fetch": _fetch, "verify": _verify, "path": _path}[
        args.action
    ](args)


def _list(args: argparse.Namespace) -> None:
    """Print a data set, or the table of all with their files, sizes, states and licences."""
    cache = DatasetCache()
    catalogue = Catalogue.known()
    if args.name is not None:
        _print_data_set(catalogue.data_set(args.name.removeprefix("data:")))
        return
    rows = []
    for name, dataset in catalogue.items():
        files = dataset.files.values()
        here = sum(cache.state(file, quick=True) == "here" for file in files)
        share = f"{here} of {len(files)}"
        if here == len(files):
            share = "yes"
        elif here == 0:
            share = "no"
        total = sum(file.size for file in files)
        size = f"{total / 1e3:.1f} kB"
        if total >= 50_000:
            size = f"{total / 1e6:.1f} MB"
        elif total == 0:
            size = "-"
        licences = "; ".join(
            dict.fromkeys(file.licence.partition(" (")[0] for file in files)
        )
        rows.append([name, str(len(files)), size, share, licences])
    print_table(
        ["data set", "files", "size", "here", "licence"], rows, left=(0, 3, 4)
    )
    fetch = "fetch:  gec-pipeline data fetch NAME     files: gec-pipeline data list NAME"
    print_line(f"\nfolder: {cache.folder}\n{fetch}")


def _print_data_set(dataset: DataSet) -> None:
    cache = DatasetCache()
    catalogue = Catalogue.known()
    print_text(dataset.title)
    if dataset.note:
        print_text(dataset.note)
    print_line(f"\nfolder   {cache.folder / dataset.name}")
    origins = dict.fromkeys(
        (f.repository, f.commit, f.licence) for f in dataset.files.values()
    )
    for repository, commit, licence in origins:
        origin = "its authors"
        if repository:
            origin = f"https://github.com/{repository}/tree/{commit}"
        print_text(f"from     {origin}  (licence: {licence})")
    if cache.how_to_obtain(dataset.name):
        print_line(f"by hand  {cache.how_to_obtain(dataset.name)}")
    print(f"cite     {', '.join(dataset.citations)}")
    for name, (owner, _) in catalogue.scorables().items():
        if owner is not dataset:
            continue
        texts = catalogue.scorable(name)
        entry = f"{name}: data"
        if "/" in name:
            entry = f"{name.replace('/', '-')}: data:{name}"
        summary = f"source, {len(texts.references)} references"
        if texts.systems:
            summary += f", {len(texts.systems)} outputs (systems: data)"
        print_text(f"config   datasets: {{{entry}}}: {summary}")
    print()
    rows = []
    for file in dataset.files.values():
        size = f"{file.size:,}" if file.size else "-"
        rows.append([f"data:{file.key}", size, cache.state(file, quick=True)])
    print_table(["file", "bytes", ""], rows, left=(0, 2))


def _named_files(names: Sequence[str]) -> list[DataFile]:
    """Return the files of the names, each once; raises DataError with the problems of all names."""
    catalogue = Catalogue.known()
    files: dict[DataFile, None] = {}
    problems: list[Problem] = []
    for name in names:
        if name.lower().endswith((".yaml", ".yml")):
            from ...data.config import read_yaml

            content = read_yaml(name)
            described = {}
            if isinstance(content, dict):
                described = content.get("catalogue", {})
            catalogue.add(described, name)
            for dataset in catalogue.values():
                if dataset.home == name:
                    files |= dict.fromkeys(dataset.files.values())
            continue
        with gathered(problems):
            files |= dict.fromkeys(catalogue.files(name))
    if problems:
        raise DataError(problems)
    return list(files)


def _fetch(args: argparse.Namespace) -> None:
    cache = DatasetCache()
    catalogue = Catalogue.known()
    if bool(args.names) == args.all:
        raise DataError(
            f"name data sets, or --all, not both; known: {', '.join(catalogue)}"
        )
    if args.all:
        files = _named_files(list(catalogue))
        files = [file for file in files if not file.how_to_obtain]
    else:
        files = _named_files(args.names)
    with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
        bar.stage("fetching")
        warn = bar.print if not (args.quiet or bar.enabled) else lambda _: None
        result = cache.fetch(files, args.mirror, warn, bar.size)
    if not args.quiet:
        outcomes = {
            "fetched": result.taken,
            "here before": result.here,
            "could not be fetched": [
                *result.failed,
                *result.skipped,
                *result.not_fetched,
            ],
        }
        for name in dict.fromkeys(file.dataset for file in files):
            counts = []
            for outcome, group in outcomes.items():
                count = sum(file.dataset == name for file in group)
                if count:
                    counts.append(f"{count} {outcome}")
            print_line(f"{name}: {', '.join(counts)}: {cache.folder / name}")
    if result.problems:
        raise DataError(result.problems)


def _verify(args: argparse.Namespace) -> None:
    cache = DatasetCache()
    names = args.names or [
        name for name in Catalogue.known() if (cache.folder / name).is_dir()
    ]
    if not names and not args.quiet:
        hint = "`gec-pipeline data list` tells what can be fetched"
        print_line(f"nothing is in {cache.folder}; {hint}")
    states: dict[str, dict[str, str]] = {}
    for file in _named_files(names):
        states.setdefault(file.dataset, {})[file.name] = cache.state(file)
    problems = []
    for name, state_of in states.items():
        if all(kind == "here" for kind in state_of.values()):
            if not args.quiet:
                print(f"{name}: {len(state_of)} files, as published")
            continue
        for wrong in ("missing", "changed"):
            files = [file for file, kind in state_of.items() if kind == wrong]
            if files:
                share = f"{len(files)} of {len(state_of)} files"
                problems.append(f"{name}: {share} {wrong}: {', '.join(files)}")
        problems.append(
            f"  {cache.how_to_obtain(name) or f'fetch again: gec-pipeline data fetch {name}'}"
        )
    if problems:
        raise DataError("\n".join(problems))


def _path(args: argparse.Namespace) -> None:
    cache = DatasetCache()
    if args.name is None:
        print(cache.folder)
        return
    name = args.name.removeprefix("data:").rstrip("/")
    if "/" in name:
        print(cache.locate([Catalogue.known().file(name)])[0])
        return
    absent = cache.missing_files(
        name
    )  # raises DataError for an unknown data set
    if not (cache.folder / name).is_dir():
        how = (
            cache.how_to_obtain(name)
            or f"fetch it: gec-pipeline data fetch {name}"
        )
        raise DataError(f"{name} is not in {cache.folder}; {how}")
    if absent:
        problem = f"{len(absent)} of its files are missing or changed"
        print_line(
            f"note: {problem}: gec-pipeline data verify {name}", sys.stderr
        )
    print(cache.folder / name)
