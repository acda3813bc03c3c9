"""Run the recipes of published results, and compare the values with the published ones.

Each recipe is an ordinary config with the published values. Files that a recipe reads are fetched
first if they are missing (see `gec-pipeline help data`). Without names the recipes are listed.
`gec-pipeline help reproduce` explains verdicts, and how to write a recipe.

examples:
  gec-pipeline reproduce
  gec-pipeline reproduce koyama-corpus jfleg-source
  gec-pipeline reproduce 'gjg-*' --mirror /media/copies
  gec-pipeline reproduce --all --report published.html
  gec-pipeline reproduce --all --format markdown > reproduced.md
  gec-pipeline reproduce --board conll14-m2 --add mine.txt
  gec-pipeline reproduce --check my.yaml
  gec-pipeline reproduce --show jfleg-source > my.yaml
  gec-pipeline reproduce --new mine.yaml config.yaml table.md --repository OWNER/NAME@COMMIT
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from pipeline.cli.commands.report import relative_address
from pipeline.data.config import Node
from pipeline.errors import (
    IncompleteError,
    InputError,
    Problem,
    did_you_mean,
    gathered,
    listed,
    printable,
    wrong_name,
)
from pipeline.execution import SILENT, Listener
from pipeline.files import why_unreadable, write_atomic
from pipeline.report import unavailable_formats
from pipeline.report.tables import p_cell, percent
from pipeline.report.terminal import Bar, print_table
from pipeline.scoring import Results

from .. import tables
from ..recipe import (
    Outcome,
    Recipe,
    fetch_missing,
    matching_recipes,
    read_recipes,
    recipes,
)

MAX_UNFETCHED = 3
"""Files that could not be fetched and are named one by one."""
MISSING_FILES = re.compile(
    r": ([\w.+-]+)/\S+ .*?\b(?:not in|changed in) .*(?:gec-pipeline data fetch|then put it at) "
)
"""A problem that says that files of a data set are not on this computer: NAME/FILE is not in
FOLDER, get it so."""
MAX_NAME = 60
"""Characters of the name of a result."""
MAX_VALUES = 60
"""Values of a result that was named and are printed without --verbose."""


OPTIONS: tuple[tuple[str, str | tuple[str, ...] | None, str], ...] = (
    ("--all", None, "all results, but those that take minutes; it names these"),
    ("--slow", None, "with --all: also those that take minutes (TrueSkill)"),
    ("--list", None, "list the results, as the command does without names"),
    ("--show", "NAME", "print the recipe, a config for `gec-pipeline run`"),
    (
        "--check",
        "FILE",
        "say what is missing or wrong in a recipe, with the lines",
    ),
    (
        "--board",
        "BOARD",
        "score the published systems of a leader board, such as conll14-m2",
    ),
    (
        "--add",
        "FILE",
        "with --board: an output of yours, tested against every system of the board",
    ),
    (
        "--new",
        ("FILE", "CONFIG", "TABLE"),
        "write a recipe of a config and a printed table (CSV, TSV, Markdown), run it, "
        "and say its verdict",
    ),
    (
        "--repository",
        "OWNER/NAME@COMMIT",
        "with --new: the config names files of this repository on GitHub as "
        "data:NAME/PATH, which are fetched",
    ),
    (
        "--mirror",
        "URL_OR_FOLDER",
        "take missing files from here, laid out as REPOSITORY/COMMIT/PATH "
        "(default: GEC_PIPELINE_MIRROR, if set)",
    ),
    ("--no-fetch", None, "take only files that are here; use no network"),
    ("--output", "DIR", "keep the run directories here"),
    (
        "--report",
        "FILE",
        "write the reproduction report: publications with their values beside ours, "
        "and leader boards",
    ),
)
"""Options with the names of their values, None for one that has no value, and their help."""


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    names = "a published result, a pattern such as 'jfleg-*', or the file of a recipe, such as my.yaml"
    add("names", nargs="*", metavar="NAME", help=names)
    for option, value, text in OPTIONS:
        if value is None:
            add(option, action="store_true", help=text)
        else:
            count = len(value) if isinstance(value, tuple) else None
            add(option, nargs=count, metavar=value, help=text)
    add(
        "-v",
        "--verbose",
        action="store_true",
        help="print every value, however many",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--format",
        choices=("text", "json", "markdown"),
        help="markdown: the table of `help reproduce`",
    )
    form.add_argument(
        "--json",
        dest="format",
        action="store_const",
        const="json",
        help="as --format json",
    )
    add("-q", "--quiet", action="store_true", help="no progress")


def run(args: argparse.Namespace) -> int:
    """Do what the options ask for: check, make or show a recipe, score a leader board, or list or
    run recipes. Return the exit status: 1 if a verdict is worse than the one on record.
    """
    if args.check is not None:
        _check(args)
    elif args.new or args.repository:
        _new(args)
    elif args.show is not None:
        _show(args)
    elif args.board or args.add:
        _board(args)
    else:
        return _list_or_run(args)
    return 0


def _list_or_run(args: argparse.Namespace) -> int:
    """List the recipes that the arguments name, or run them and print their verdicts. Return 1 if
    one is worse than on record.

    Raises InputError for options that do not fit together, or if no recipe could be run, and
    IncompleteError if some could not."""
    if args.all and args.names:
        raise InputError("--all: name results, or take all of them")
    if args.slow and not args.all:
        raise InputError(
            "--slow: has no effect without --all; results that are named always run"
        )
    runs = bool(args.names or args.all) and not args.list
    if args.report:  # a page that cannot be made is refused before any work
        _check_report(args.report, runs=runs)
    selected = list(recipes().values())
    if args.names:
        selected = matching_recipes(args.names)
    if not runs:
        _list(selected, args)
        return 0
    if args.all and not args.slow:
        slow = [recipe.name for recipe in selected if recipe.slow]
        selected = [recipe for recipe in selected if not recipe.slow]
        if slow and not args.quiet:
            print(
                f"left out, as they take minutes: {', '.join(slow)} (--slow runs them too)",
                file=sys.stderr,
            )
    outcomes = _outcomes(selected, args)
    _print(outcomes, args)
    if any(outcome.worse for outcome in outcomes):
        return 1
    not_run = sum(outcome.expectations is None for outcome in outcomes)
    if not_run:
        error_type = InputError if not_run == len(outcomes) else IncompleteError
        raise error_type(
            f"{not_run} of {len(outcomes)} results could not be run: see above"
        )
    return 0


def _check_report(report: str, *, runs: bool) -> None:
    """Raise InputError if the page of --report cannot be made: nothing runs, `report` is a folder,
    or a package is missing.
    """
    if not runs:
        raise InputError(
            "--report: has no effect where nothing runs: name results, or take --all"
        )
    if Path(report).is_dir():
        raise InputError(
            f"--report: {report} is a folder; expected the name of a file, such as published.html"
        )
    reasons = unavailable_formats(["html"])
    if reasons:
        raise InputError(reasons[0].replace("html:", "--report:", 1))


def _list(listed_recipes: Sequence[Recipe], args: argparse.Namespace) -> None:
    """Print a table of recipes; raises InputError beside --format, which is for outcomes."""
    if args.format:
        raise InputError(
            f"--format {args.format}: has no effect where nothing runs: name results, or take --all"
        )
    print_table(*tables.list_table(listed_recipes), left=(0, 1, 2, 3))
    print(
        "\nrun: gec-pipeline reproduce NAME ...  recipe: gec-pipeline reproduce --show NAME"
    )
    print("what has no recipe, and why: gec-pipeline help reproduce")


def _new(args: argparse.Namespace) -> None:
    """Write a recipe made of a config and a printed table, run it, and record its verdict in it.

    Raises InputError if the file exists or is not beside the config, the table is wrong, or the
    recipe cannot be run."""
    from pipeline import stages
    from pipeline.data.config import read_yaml
    from pipeline.extensions.page.page import as_yaml

    from ..new_recipe import from_repository, new_recipe, table_rows

    if not args.new:
        raise InputError("--repository: has no effect without --new")
    file, config, table = map(Path, args.new)
    is_yaml = file.suffix in (".yaml", ".yml")
    is_beside = file.parent.resolve() == config.parent.resolve()
    if file.exists() or not is_yaml or not is_beside:
        raise InputError(
            f"--new: {file}: expected the name of a new .yaml file in the folder of {config}"
        )
    content = read_yaml(config)
    rows = table_rows(table)
    if args.repository:
        systems = [row.cells[0] for row in rows[1:]]
        content = from_repository(
            content, args.repository, systems, args.mirror
        )
    metrics = stages.prepare(Node.from_mapping(content, config.parent)).metrics
    recipe = new_recipe(content, table, rows, metrics)
    write_atomic(file, as_yaml(recipe))
    (outcome,) = _outcomes(matching_recipes([str(file)]), args)
    if outcome.expectations is None:
        file.unlink()  # so that the same command can be given again
        raise InputError(f"{file}: {outcome.message}")
    verdict = outcome.expectations["verdict"]
    recipe["publication"]["verdict"] = verdict
    write_atomic(file, as_yaml(recipe))
    _print([outcome], args)
    print(printable(f"written: {file}, with the verdict {verdict}"))
    command = f"gec-pipeline reproduce --check {file}"
    print(printable(f"then say where it was published: {command}"))


def _check(args: argparse.Namespace) -> None:
    """Check the recipes in a file without running them, and print that nothing is wrong or missing.

    Raises InputError with everything that is, and IncompleteError if not all could be checked since
    files of data sets are missing."""
    from pipeline import stages

    if args.names or args.all or args.show is not None or args.report:
        raise InputError(
            "--check: checks one file and runs nothing; leave the rest out"
        )
    path = Path(args.check)
    try:
        checked = read_recipes(path)
    except InputError:
        checked = []
    problems: list[Problem] = []
    # A file without recipes is prepared too, which reports what is wrong in it
    # with the lines.
    for config in [recipe.config for recipe in checked] or [path]:
        with gathered(problems):
            stages.prepare(config)
    problems = [
        problem
        for problem in problems
        if not MISSING_FILES.search(problem.message)
    ]
    problems += _problems_of_name(args.check)
    if problems:
        raise InputError(list(dict.fromkeys(problems)))

    first = read_recipes(path)[0]  # raises what was passed over above
    verdict = first.publication["verdict"]
    required = ["cite", "url", "recipe"]
    if verdict == "not published":
        required = ["recipe"]  # what is in no publication cannot be cited
    missing = []
    for key in required:
        if not first.publication.get(key):
            missing.append(f"publication.{key}")
    if not first.expected:
        missing.append("expect")
    if missing:
        message = (
            f"the keys {', '.join(missing)} are missing: `gec-pipeline help reproduce` has all "
            "keys of a recipe"
        )
        raise InputError.at(args.check, message)
    print(
        printable(
            f"{args.check}: nothing is missing; verdict on record: {verdict}"
        )
    )
    for recipe in checked:
        files = recipe.how_to_get_files()
        if files:
            raise IncompleteError(
                f"{args.check}: not all could be checked: {files}"
            )
    print(printable(f"run it: gec-pipeline reproduce {args.check}"))


def _problems_of_name(file: str) -> list[Problem]:
    """Return a problem if the name of a recipe's file is no valid name, or is that of another recipe
    of the package; the file may be that recipe itself.
    """
    path = Path(file)
    name = path.stem
    wrong = wrong_name(name, MAX_NAME)
    if wrong:
        message = f"'{name}' cannot be the name of a result: {wrong}"
        return [Problem(file, message)]
    for recipe in recipes().values():
        if name in (recipe.name, recipe.family):
            if recipe.path.resolve() == path.resolve():
                return []
            message = f"another result is called {name} already: gec-pipeline reproduce --show {name}"
            return [Problem(file, message)]
    return []


def _board(args: argparse.Namespace) -> None:
    """Score the systems of a leader board, and with --add an output of the user's, print the scores,
    and keep the run directory for `report`.

    Raises InputError for an unknown board, options that do not fit together, or missing files."""
    from pipeline import stages
    from pipeline.report import print_results

    from ..leader_boards import leader_boards

    if not args.board:
        raise InputError(
            "--add: has no effect without --board, such as --board conll14-m2"
        )
    if args.names or args.all or args.report or args.format:
        raise InputError(
            "--board: scores one leader board, for `gec-pipeline report` to show; leave the rest out"
        )
    outcomes = [
        Outcome(recipe=recipe, expectations=None)
        for recipe in recipes().values()
    ]
    boards = {
        board.name: board for board in leader_boards(outcomes, unread=True)
    }
    if args.board not in boards:
        hint = did_you_mean(args.board, boards)
        raise InputError(
            f"--board {args.board}: expected one of {', '.join(boards)}{hint}"
        )
    board = boards[args.board]
    added = Path(args.add) if args.add else None
    if added and not added.is_file():
        raise InputError.at(
            args.add, why_unreadable(added, FileNotFoundError())
        )
    folder = Path(args.output or "runs") / board.folder
    with Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar:
        incomplete: dict[str, Recipe] = {}
        for entrant in board.entrants:
            if not entrant.here:
                for recipe in entrant.recipes:
                    incomplete[recipe.name] = recipe
        _fetch(list(incomplete.values()), args, bar)
        config = board.config(added)
        if config is None:
            raise InputError(
                f"--board {board.name}: the data set, or all outputs but one, are not here"
            )
        bar.stage(board.title)
        job = stages.prepare(Node.from_mapping(config))
        _, results = stages.run(job, folder, listener=_RunListener(bar))
    print_results(results, 2)
    if added:
        print(
            printable(_neighbours(results, config["statistics"]["baseline"], 2))
        )
    missing = [entrant.name for entrant in board.entrants if not entrant.here]
    if missing:
        print(printable(f"outputs that are not here: {listed(missing)}"))
    command = (
        f"gec-pipeline report {folder} --format html latex --output {folder}"
    )
    print(printable(f"page and LaTeX: {command}"))


def _fetch(
    selected: Sequence[Recipe], args: argparse.Namespace, bar: Bar
) -> None:
    """Fetch the missing files of recipes, unless --no-fetch forbids it, and print the first messages
    about files that could not be fetched.
    """
    if args.no_fetch:
        return
    bar.stage("fetching")
    warn = (lambda _: None) if args.quiet else bar.print
    problems = fetch_missing(selected, args.mirror, warn, bar.size)
    for problem in problems[:MAX_UNFETCHED]:
        bar.print(problem)
    if len(problems) > MAX_UNFETCHED:
        bar.print(f"and {len(problems) - MAX_UNFETCHED} more")


def _show(args: argparse.Namespace) -> None:
    """Print the config of the recipe of a name: its file, or, for one of several recipes in a file,
    the config with its parameters.

    Raises InputError if the name means recipes of several files, or other options stand beside."""
    matches = matching_recipes([args.show])
    others = [*args.names, "--all"] if args.all else args.names
    if others:
        raise InputError(
            f"--show: shows one recipe and runs none; found {', '.join(others)} beside it"
        )
    if matches[0].family and len(matches) == 1:
        from pipeline.extensions.page.page import as_yaml

        sys.stdout.write(as_yaml(matches[0].content))
        return
    if len({recipe.path for recipe in matches}) > 1:
        names = ", ".join(recipe.name for recipe in matches)
        raise InputError(
            f"--show: shows one recipe; '{args.show}' means {names}"
        )
    sys.stdout.write(matches[0].path.read_text(encoding="utf-8"))


def _outcomes(
    selected: Sequence[Recipe], args: argparse.Namespace
) -> list[Outcome]:
    """Run recipes, after fetching their missing files, and return their outcomes; with --report
    write the reproduction report. Without --output the run directories are deleted.
    """
    outcomes = []
    with (
        Bar(enabled=not args.quiet and sys.stderr.isatty()) as bar,
        tempfile.TemporaryDirectory(
            prefix="gec-pipeline-reproduce-"
        ) as temporary,
    ):
        _fetch(selected, args, bar)
        folder = Path(args.output or temporary)
        for number, recipe in enumerate(selected, 1):
            bar.stage(f"{recipe.name} ({number} of {len(selected)})")
            outcomes.append(
                reproduce(recipe, folder, _RunListener(bar, slow=recipe.slow))
            )
        if args.report:
            _write_report(outcomes, folder, Path(args.report), bar)
            if not args.quiet:
                bar.print(f"written: {args.report}")
    return outcomes


def _write_report(
    outcomes: Sequence[Outcome],
    folder: Path,
    page: Path,
    bar: Bar,
) -> None:
    """Write the reproduction report of these outcomes to the file `page`. The run directories of the
    recipes are in `folder`.

    Each leader board is first scored by another run there, so that all its systems have one
    signature. A board without data or that cannot be run has published scores only, and is left out
    if it has none."""
    from pipeline import stages

    from ..leader_boards import leader_boards
    from ..pages.leader_boards import ScoredBoard
    from ..pages.page import reproduction_report

    scored = []
    for board in leader_boards(outcomes):
        config = board.config()
        results = None
        message = "the outputs or the data set are not here"
        if config:
            bar.stage(board.title)
            try:
                job = stages.prepare(Node.from_mapping(config))
                _, results = stages.run(
                    job,
                    folder / board.folder,
                    listener=_RunListener(bar),
                )
            except InputError as error:
                message = str(error)
        if results:
            scored.append(ScoredBoard(board, config, results, ""))
        elif board.has_published_scores:
            scored.append(ScoredBoard(board, config, None, message))
    bar.stage("writing the page")

    def explorer(name: str) -> str:
        """Return the address of a run's explorer as it is seen from the page, or an empty text."""
        target = folder / name / "report.html"
        return relative_address(target, page) if target.is_file() else ""

    write_atomic(page, reproduction_report(outcomes, scored, explorer))


class _RunListener(Listener):
    """The listener of the run of a recipe or board. The bar keeps its name, instead of the stages
    of the run.
    """

    def __init__(self, bar: Bar, *, slow: bool = False) -> None:
        # Slow are the recipes of TrueSkill.
        testing = bar.matches if slow else bar.testing
        vars(self).update(progress=bar.progress, testing=testing, warn=bar.warn)


def _print(outcomes: Sequence[Outcome], args: argparse.Namespace) -> None:
    """Print outcomes as --format says. As text they are a table with a row for each; recipes that
    are named come with their publications and values before it.
    """
    if args.format == "json":
        content = tables.plain(outcomes)
        text = json.dumps(
            content, indent=1, ensure_ascii=False, allow_nan=False
        )
        sys.stdout.write(text + "\n")
        return
    if args.format == "markdown":
        sys.stdout.write(printable(tables.to_markdown(outcomes)))
        return
    if args.verbose or not args.all:
        for outcome in outcomes:
            # The recipes of a file that was named have only rows.
            if outcome.recipe.family not in args.names or args.verbose:
                _print_one(outcome, verbose=args.verbose)
    print_table(*tables.summary_table(outcomes), left=tables.LEFT)
    for line in tables.notes_of(outcomes):
        print(printable(line))
    if args.all:
        print()
        print(tables.legend())


def _print_one(outcome: Outcome, *, verbose: bool) -> None:
    """Print the publication of a recipe, the verdicts on its entries of `expect`, and their values,
    unless these are more than MAX_VALUES and not `verbose`.
    """
    print(printable(outcome.recipe.name))
    for line in tables.about(outcome.recipe):
        print(printable(f"  {line}"))
    for signature in outcome.signatures:
        print(printable(f"  metric:       {signature}"))
    if outcome.expectations:
        entries = outcome.expectations["entries"]
        with_values = (
            verbose or sum(entry["values"] for entry in entries) <= MAX_VALUES
        )
        print_table(
            *tables.expectation_table(outcome.expectations), left=(1, 4)
        )
        for number, entry in enumerate(entries, 1):
            if entry["why"]:
                print(printable(f"{number}. {entry['title']}: {entry['why']}"))
            if with_values:
                print()
                print(printable(f"{number}. {entry['title']}"))
                print_table(*tables.values_table(entry), left=(0, 4))
    print()


def reproduce(
    recipe: Recipe, folder: Path, listener: Listener = SILENT
) -> Outcome:
    """Run a recipe and return its outcome; the run directory is `folder`/NAME. If files are missing
    or the run fails, its message says so.
    """
    from pipeline import stages

    missing_files = recipe.how_to_get_files()
    outcome = Outcome(recipe=recipe, expectations=None, message=missing_files)
    if missing_files:
        return outcome
    started = time.perf_counter()
    try:
        job = stages.prepare(recipe.config)
        _, results = stages.run(job, folder / recipe.name, listener=listener)
    except InputError as error:
        outcome.message = str(error)
    else:
        outcome.expectations = results.expectations
        outcome.message = "; ".join(map(str, results.missing))
        outcome.signatures = list(
            dict.fromkeys(score.metric for score in results.scores)
        )
        outcome.warnings = results.warnings
    outcome.seconds = time.perf_counter() - started
    return outcome


def _neighbours(results: Results, system: str, digits: int) -> str:
    """Return a sentence with the rank and score of a system, and how far it is below the next better
    and above the next worse one, with the tests of these differences.

    The results are of one metric and data set, with the system as the baseline of all tests."""
    scores = sorted(results.scores, key=lambda score: score.rank)
    systems = [score.system for score in scores]
    index = systems.index(system)
    score = scores[index]
    points = percent(score.score, digits, score.metric)
    parts = [f"{system} is {score.rank} of {len(scores)}, with {points}"]
    for other_index, direction in ((index - 1, "below"), (index + 1, "above")):
        if not 0 <= other_index < len(scores):
            continue
        other = systems[other_index]
        for test in results.tests:
            if other not in (test.system, test.other):
                continue
            distance = percent(abs(test.difference), digits, test.metric)
            verdict = "not significant"
            if results.is_significant(test):
                verdict = "significant"
            p = p_cell(test, results)
            parts.append(
                f"{distance} {direction} {other} (p adjusted {p}, {verdict})"
            )
    return f"{'; '.join(parts)}."
