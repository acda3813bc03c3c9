"""Write the results of a run in other forms: tables to paste, files of numbers, plots.

With --by type the scores of each type of edit are printed, of metrics that have them, or written in
the other forms.

With --format board the page has leader boards of several runs: systems by data sets and metrics,
with warnings where runs differ in settings or texts.

Tables to paste are printed, unless --output names a folder. Other forms go to the run directory, or
to that folder. The folder - is standard output. `output: {formats: [...]}` in a config asks for the
same. `gec-pipeline help reports` tells more.

examples:
  gec-pipeline report runs/quickstart --format markdown
  gec-pipeline report runs/quickstart --format markdown --system careful 'e*' --metric GLEU+ --columns interval
  gec-pipeline report runs/quickstart --format csv parquet --output paper/numbers
  gec-pipeline report runs/quickstart --format html
  gec-pipeline report runs/quickstart --format html --effects 20
  gec-pipeline report runs/several --format latex --mean
  gec-pipeline report runs/mine runs/theirs --format board --output board.html
  gec-pipeline report runs/conll14 --by type --tier 1 --format latex
  gec-pipeline report runs/quickstart --format plots --plot scores ranks --type pdf --output paper/figures
  gec-pipeline report runs/small runs/large --plot curves --output figures
  gec-pipeline report runs/quickstart --plot scores --type pdf --width column --font serif --no-title --output paper
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...errors import InputError, StoreError
from ...execution import RunDirectory, folder_of
from ...files import write_atomic
from ...report import (
    FORMATS,
    PLOTS,
    SEVERAL_RUNS_FORMATS,
    Format,
    NamedRun,
    PlotStyle,
    ReportContext,
    SeveralRunsFormat,
    unavailable_formats,
)
from ...report.tables import Types
from ...report.terminal import print_line
from ..arguments import add_parts, add_shown, selection_of, whole_number

CURVES = "curves"
"""The plot that takes several runs."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", help="a run directory")
    parser.add_argument(
        "more",
        nargs="*",
        metavar="run",
        help=f"more run directories, for {_forms_of_several_runs()}",
    )
    forms: dict[str, Format | SeveralRunsFormat] = {
        **FORMATS,
        **SEVERAL_RUNS_FORMATS,
    }
    parser.add_argument(
        "--format",
        nargs="+",
        action="extend",
        choices=list(forms),
        default=[],
        metavar="NAME",
        help="; ".join(f"{name}: {form.about}" for name, form in forms.items()),
    )
    parser.add_argument(
        "--output",
        metavar="DIR",
        help="the folder to write to; for board also a file, NAME.html",
    )
    add_parts(parser)
    add_shown(parser, "columns", "mean")
    parser.add_argument(
        "--by", choices=("type",), help="only the scores of each type of edit"
    )
    tiers = "; ".join(f"{tier}: {about}" for tier, about in Types.TIERS.items())
    parser.add_argument(
        "--tier",
        type=int,
        choices=Types.TIERS,
        help=f"with --by type, how finely types are told apart: {tiers} (default: {Types.TIER})",
    )
    parser.add_argument(
        "--digits",
        type=int,
        choices=range(13),
        metavar="N",
        help="decimals of percentages",
    )
    plots = "; ".join(f"{name}: {plot.about}" for name, plot in PLOTS.items())
    parser.add_argument(
        "--plot",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help=f"only these: {plots}",
    )
    parser.add_argument(
        "--lines",
        type=whole_number(0),
        metavar="N",
        help="html: how many sentences of each data set (default: all that fit)",
    )
    parser.add_argument(
        "--effects",
        type=whole_number(0),
        metavar="N",
        help="html: in how many of these to say what each edit does to the scores (default: 0; "
        "help effects)",
    )
    parser.add_argument(
        "--type",
        choices=ReportContext.PLOT_TYPES,
        help="the type of the files of plots (default: png)",
    )
    parser.add_argument(
        "--width",
        choices=PlotStyle.WIDTHS,
        help="make plots as wide as a column of a paper (219 points) or its text (455 points)",
    )
    parser.add_argument(
        "--font",
        choices=PlotStyle.FONTS,
        help="letters of plots (default: sans)",
    )
    parser.add_argument(
        "--no-title",
        action="store_true",
        help="plots without a title, which the caption gives",
    )


def _forms_of_several_runs() -> str:
    """Return the options with which several runs are reported together."""
    options = [f"--format {name}" for name in SEVERAL_RUNS_FORMATS]
    return " and ".join([*options, f"--plot {CURVES}"])


def run(args: argparse.Namespace) -> None:
    """Print or write each form of the results."""
    for name in SEVERAL_RUNS_FORMATS:
        if name in args.format:
            write_several_runs(args, name)
            return
    formats = _requested_formats(args)
    folder = folder_of(args.run)
    context = _context(args, folder, formats)
    is_partial = bool(selection_of(args)) or bool(args.columns) or args.mean
    if context.unread and any(FORMATS[name].texts for name in formats):
        print_line(
            f"note: the page is without sentences: {context.unread}", sys.stderr
        )
    if not formats:
        from ...report import print_types

        print_types(context.results, context.digits, context.tier)
    for name in formats:
        files = FORMATS[name].files(context)
        if name == "plots":
            _check_plots(args.plot, files)
        if not files:
            print_line(f"{name}: this run has nothing for it", sys.stderr)
        elif args.output == "-" or (
            args.output is None and FORMATS[name].printed
        ):
            _print_first(name, files)
        else:
            _write(
                folder,
                Path(args.output or folder),
                files,
                is_partial=is_partial,
            )


def _check_plots(plots: Sequence[str], files: Iterable[str]) -> None:
    """Raise InputError for a requested plot without a file."""
    for plot in plots:
        if not any(file.startswith(f"{plot}.") for file in files):
            raise InputError(
                f"--plot {plot}: this run has nothing for it; it needs {PLOTS[plot].requires}"
            )


def _print_first(name: str, files: Mapping[str, Any]) -> None:
    """Print the first file of a form; most forms have only one."""
    first, *others = files
    content = files[first]
    if isinstance(content, str):
        sys.stdout.write(content)
    elif sys.stdout.isatty():
        raise InputError(
            f"{name}: {first} is no text; name a folder: --output DIR, or pipe it"
        )
    else:
        sys.stdout.flush()
        chunks = [content] if isinstance(content, bytes) else content
        sys.stdout.buffer.writelines(chunks)
    if others:
        message = f"printed: {first}; there is more, --output DIR writes it: {', '.join(others)}"
        print_line(message, sys.stderr)


def _context(
    args: argparse.Namespace, folder: Path, formats: Sequence[str]
) -> ReportContext:
    """Return the context of a run with the choices of the arguments.

    Raises InputError if the run has no data for them.
    """
    from ...reopen import chosen, revisit
    from ...report import overviews

    selection = selection_of(args)
    has_texts = any(FORMATS[name].texts for name in formats)
    folders = [folder, *map(folder_of, args.more)]
    names = run_names(folders)
    contexts = []
    for run in folders:
        stored = revisit(run, args.digits, texts=has_texts)
        contexts.append(chosen(stored, selection))
    context, *more = contexts
    if more:
        other_results = [other.results for other in more]
        beside = tuple(zip(names[1:], other_results, strict=True))
        context = replace(context, name=names[0], beside=beside)
    results = context.results
    if args.by and not results.breakdown:
        raise InputError(
            f"--by type: {args.run} has no scores by type; "
            "metrics of edits such as errant have them"
        )
    if args.columns and "html" in formats:
        # other forms check columns later
        overviews(results, context.digits, args.columns)
    if args.mean:
        results = results.with_means()
    style = context.plot_style
    return replace(
        context,
        results=results,
        by_type=bool(args.by),
        tier=args.tier or Types.TIER,
        plots=tuple(args.plot) or context.plots,
        plot_type=args.type or context.plot_type,
        plot_style=replace(
            style,
            width=args.width or style.width,
            font=args.font or style.font,
            title=style.title and not args.no_title,
        ),
        columns=tuple(args.columns),
        lines=args.lines,
        effects=args.effects or 0,
    )


def _requested_formats(args: argparse.Namespace) -> list[str]:
    """Return the names of the forms.

    Raises InputError for arguments that do not fit, and for a missing package.
    """
    plot_options = []
    for option in ("plot", "type", "width", "font", "no_title"):
        if getattr(args, option):
            plot_options.append(f"--{option.replace('_', '-')}")
    formats = list(dict.fromkeys(args.format))
    if plot_options and not formats:
        formats = ["plots"]
    if args.more and not args.plot:
        args.plot = [CURVES]
    for problem in _problems(args, formats, plot_options):
        raise InputError(problem)
    missing = unavailable_formats(formats)
    if missing:
        raise InputError("\n".join(missing))
    return formats


def _problems(
    args: argparse.Namespace,
    formats: Sequence[str],
    plot_options: Sequence[str],
) -> Iterator[str]:
    """Yield which arguments do not fit together."""
    by_type = [name for name, form in FORMATS.items() if form.by_type]
    with_columns = sorted(
        name for name, form in FORMATS.items() if form.columns
    )
    if not formats and not args.by:
        yield f"--format: which? There are {', '.join(FORMATS)}"
    if plot_options and "plots" not in formats:
        yield f"{plot_options[0]} is for --format plots"
    if args.more and (formats != ["plots"] or args.plot != [CURVES]):
        several = f"{_forms_of_several_runs()} take several"
        yield f"{args.more[0]}: one run is reported at a time; {several}"
    if args.more and args.output is None:
        yield "--output: which folder? These are figures of several runs"
    if args.tier and not args.by:
        yield "--tier is for --by type"
    for name in formats:
        if args.by and name not in by_type:
            yield f"--by type: there is no form {name} of it; there are {', '.join(by_type)}"
    for option in ("lines", "effects"):
        if getattr(args, option) is not None and "html" not in formats:
            yield f"--{option} is for --format html"
    if args.columns and set(formats) - set(with_columns):
        yield f"--columns is for --format {', '.join(with_columns)}"


def _write(
    run: Path, folder: Path, files: Mapping[str, Any], *, is_partial: bool
) -> None:
    """Write files to a folder.

    A run directory lists them, and refuses partial files in place of its results.
    """
    if folder.resolve() == run.resolve():
        results = sorted(
            name for name in files if name.endswith((".json", ".csv"))
        )
        if is_partial and results:
            raise InputError(
                f"--output: {run / results[0]} has the whole results; "
                "write what you chose to another folder"
            )
        RunDirectory(run, make=False).add(
            files, lambda text: print_line(text, sys.stderr)
        )
    else:
        for name, content in files.items():
            write_atomic(folder / name, content)
    for name in files:
        print_line(f"written: {folder / name}", sys.stderr)


def run_names(folders: Sequence[Path]) -> list[str]:
    """Return names of runs: those of their folders, or whole paths if two have the same name.

    Raises InputError if a run comes twice.
    """
    short_names = []
    for number, folder in enumerate(folders):
        if folder in folders[:number]:
            raise InputError(f"{folder}: the run is named twice")
        short_names.append(folder.resolve().name)
    names = []
    for folder, name in zip(folders, short_names, strict=True):
        names.append(str(folder) if short_names.count(name) > 1 else name)
    return names


IDLE = ("by", "tier", "plot", "type", "lines", "effects", "columns", "mean")
"""Arguments that have no effect on forms of several runs."""


def write_several_runs(args: argparse.Namespace, name: str) -> None:
    """Print the page of several runs, or write it to a file or folder.

    A run without the selected scores is left out. Raises InputError if other arguments do not fit,
    a run comes twice, or a package is missing, and StoreError if no run has scores.
    """
    from ...reopen import chosen, revisit

    form = SEVERAL_RUNS_FORMATS[name]
    if len(set(args.format)) > 1:
        raise InputError(
            f"--format {name}: is a page of its own; leave the other forms out"
        )
    for option in IDLE:
        if getattr(args, option) not in (None, [], False):
            raise InputError(f"--{option}: has no effect on --format {name}")
    for reason in unavailable_formats([name]):
        raise InputError(reason)
    target = None if args.output in (None, "-") else Path(args.output)
    if target is not None and target.suffix != ".html":
        target = target / form.file
    runs: list[NamedRun] = []
    contexts = []
    refused = StoreError("the runs have no scores")
    folders = [folder_of(run) for run in (args.run, *args.more)]
    for folder, run_name in zip(folders, run_names(folders), strict=True):
        context = revisit(folder, args.digits, texts=False)
        try:
            if not context.results.scores:
                raise StoreError("the run has no scores")
            context = chosen(context, selection_of(args))
        except StoreError as error:
            refused = error
            continue
        address = ""
        page = folder / "report.html"
        if target is not None and page.is_file():
            address = relative_address(page, target)
        runs.append(NamedRun(run_name, context.results, address))
        contexts.append(context)
    if not runs:
        raise refused
    text = form.page(runs, contexts[0].digits)
    if target is None:
        sys.stdout.write(text)
    else:
        write_atomic(target, text)
        print_line(f"written: {target}", sys.stderr)


def relative_address(target: Path, page: Path) -> str:
    """Return the address of a file as it is seen from a page."""
    return quote(
        os.path.relpath(target.resolve(), page.resolve().parent).replace(
            os.sep, "/"
        )
    )
