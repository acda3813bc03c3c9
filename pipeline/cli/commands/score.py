"""Score files without a config.

METRIC is a name as people write it (BLEU, chrF++, rougeL, GLEU+), with options as in gleu[n=3], or
a printed signature. Several may be given: an option is for those that have a use for it. What a
metric needs, examples and its options: gec-pipeline score METRIC --help

FILE is plain text, packed or not, an address, data:NAME/FILE, or FILE:COLUMN: a key of .jsonl, a
column of .csv, .tsv, .parquet or a folder of `datasets`, an annotator of .m2 (help files). --key ID
joins records by their ids. Options of sacreBLEU's command have their names there (help bleu).

examples:
  gec-pipeline score gleu -s source.txt -r ref0.txt ref1.txt -o system.txt
  gec-pipeline score BLEU chrF++ rougeL -r ref.txt -o a.txt --confidence
  gec-pipeline score m2 gleu --gold gold.m2 -o a.txt b.txt
  gec-pipeline score bleu -r d.jsonl:ref -o d.jsonl:hyp outputs.tsv:2
  cat system.txt | gec-pipeline score bleu -r ref.txt
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.inputs import TEXTS
from ...errors import ConfigError, printable
from ...execution.options import RunOptions
from ...metrics import METRICS
from ...metrics.base.capabilities import reads_files
from ...report.terminal.printing import print_text, print_warnings
from ...report.terminal.progress import Bar
from .. import arguments

if TYPE_CHECKING:
    from ...data.config.models import StatisticsConfig
    from ...evaluation import Result
    from ...metrics.base.metric import Metric
    from ...metrics.base.options import Option


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments, but for the options of metrics."""
    parser.add_argument("metrics", metavar="METRIC", nargs="+", help=argparse.SUPPRESS)
    arguments.add_files(parser, "-i", "--hyp", "--hypotheses", "--input", piped=True, gold=True)
    parser.add_argument(
        "--digits",
        type=int,
        default=2,
        choices=range(13),
        metavar="N",
        help="decimals (default: 2)",
    )
    parser.add_argument(
        "--n-jobs", type=arguments.jobs, default="auto", metavar="N", help="workers (default: auto)"
    )
    parser.add_argument(
        "--confidence", action="store_true", help="also bootstrap intervals and paired tests"
    )
    parser.add_argument(
        "--all-intervals", action="store_true", help="the same, with intervals of all outputs"
    )
    arguments.add_shown(parser, "columns", "boards")
    arguments.add_computing(parser)
    add_habits(parser)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--sentences", action="store_true", help="print each sentence: score, std, low, high"
    )
    meaning = "print each sentence with all outputs, such as recall"
    shown.add_argument("--sentence-outputs", action="store_true", help=meaning)
    shown.add_argument("--json", action="store_true", help="print as results.json does")
    parser.usage = "%(prog)s METRIC... -r FILE... -o FILE... [OPTION...]"


def configure_rest(parser: argparse.ArgumentParser, given: list[str]) -> None:
    """Declare the options of all metrics, for which each has to be imported, unless all that is
    given is known.

    What is given gets our words for those of sacreBLEU.
    """
    given[:] = [word for argument in given for word in _in_our_words(argument)]
    flags = {word.partition("=")[0] for word in given if word.startswith("--")}
    known = parser._option_string_actions.keys() - {"--help"}  # noqa: SLF001 (argparse names them nowhere else)
    if not flags <= known or any(re.match(r"-\w*h", word) for word in given):
        _declare_options(parser, given)


TAKEN = {"references": "--refs", "gold": "--gold-edits"}
"""The flags of options whose names are those of files."""


def _declare_options(parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    """Declare every option of every metric, all of which have to be imported; the help shows those
    of metrics in it.
    """
    from ...metrics.names import named

    known = {name: metric for name, metric in METRICS.items() if not reads_files(metric)}
    asked = [known[name] for name in dict.fromkeys(map(named, given)) if name in known]
    parser.description = str(parser.description).replace(
        "METRIC is a", f"METRIC is one of {', '.join(known)}: a", 1
    )
    for action in parser._actions:  # noqa: SLF001
        if asked or (action.dest in arguments.COMPUTING and "--plugin" not in given):
            action.help = argparse.SUPPRESS
    if asked:  # then the help is about them: what each is, and the examples of its page
        flags = dict.fromkeys(flag for metric in asked for flag in _files(metric))
        parser.usage = " ".join(
            ["%(prog)s", *(metric.name for metric in asked), *flags, "[OPTION...]"]
        )
        told = [
            f"{metric.name}: {metric.summary} (help {metric.help_page or metric.name})"
            for metric in asked
        ]
        examples = dict.fromkeys(example for metric in asked for example in _examples(metric))
        parser.description = "\n\n".join([*told, "\n".join(["examples:", *examples])])
        one = "An option with the name of a metric before it is for that metric alone, such as --chrf-lowercase."
        parser.epilog = (
            f"{one if len(asked) > 1 else ''}\nFiles, intervals, tests: gec-pipeline score --help"
        )
    group = parser.add_argument_group(f"options of {', '.join(metric.name for metric in asked)}")
    every = [option for metric in known.values() for option in metric.options]
    options = {
        option.name: option for option in every if len(option.choices or ()) != 1
    }  # else nothing is to choose
    for name, option in options.items():
        flag = TAKEN.get(name, f"--{name.replace('_', '-')}")
        group.add_argument(
            flag,
            dest=f"option_{name}",
            metavar="VALUE",
            help=_help(name, asked),
            **_value_of(option),
        )
    for metric in known.values():
        for option in metric.options:
            flag, dest = (
                f"--{metric.name}-{option.name}".replace("_", "-"),
                f"option_{metric.name}.{option.name}",
            )
            group.add_argument(flag, dest=dest, help=argparse.SUPPRESS, **_value_of(option))


def _files(metric: type[Metric]) -> list[str]:
    """Return the options that name the files which a metric needs."""
    from ...data.input_readers import needs_files

    spec = metric().spec
    gold = ""
    if needs_files(spec.input):
        gold = "--gold FILE"
    elif spec.references:
        gold = "-r FILE..."
    return [
        *(["-s FILE"] if spec.source and "gold" not in gold else []),
        *([gold] if gold else []),
        "-o FILE...",
    ]


def _examples(metric: type[Metric]) -> Iterator[str]:
    """Yield the examples of `score` with a metric on its page of the help, or else a plain one."""
    from ...metrics.names import named
    from .help import help_pages

    page = help_pages().get(metric.help_page or metric.name)
    lines = page.read_text(encoding="utf-8").splitlines() if page else []
    commands = (
        re.sub(r" +#.*", "", line.strip())
        for line in lines
        if re.match(r" {4,}.*gec-pipeline score ", line)
    )
    own = [
        command
        for command in commands
        if metric.name in map(named, re.findall(r"[\w.+-]+", command))
    ]
    given = [
        f"--{name.replace('_', '-')} VALUE" for name, _ in metric().conflicts()
    ]  # it has no default
    files = " ".join([*given, *_files(metric)]).replace("FILE...", "FILE")
    yield from (f"  {each}" for each in own or [f"gec-pipeline score {metric.name} {files}"])


def _value_of(option: Option) -> dict[str, Any]:
    """Return how argparse reads the value of an option. A flag of what is true or false needs none."""
    return {"nargs": "?", "const": "true", "type": _truth} if option.is_truth else {}


def _truth(text: str) -> str:
    """Return true or false. A flag without a value means true; what follows it may have been meant
    otherwise.
    """
    if text not in ("true", "false"):
        raise argparse.ArgumentTypeError(
            f"expected true or false, found '{text}'; a METRIC stands before all options"
        )
    return text


def _help(name: str, metrics: Sequence[type[Metric]]) -> str:
    """Return the help of an option: each of its meanings, after the metrics that have this meaning
    if not all do.
    """
    meant: dict[str, list[str]] = {}
    for metric in metrics:
        for option in metric.options:
            if option.name == name and len(option.choices or ()) != 1:
                default = str(option.default_of({}))
                default = (
                    f" (default: {default.lower() if option.is_truth else default})"
                    if default
                    else ""
                )
                meant.setdefault(f"{option.help}: {option.values()}{default}", []).append(
                    metric.name
                )
    told = [
        text if len(of) == len(metrics) else f"({', '.join(of)}) {text}"
        for text, of in meant.items()
    ]
    return "; ".join(told) or argparse.SUPPRESS


def run(args: argparse.Namespace) -> None:
    from ...api import evaluate_corpus
    from ...data.input_warnings import suspicions
    from ...metrics.build import from_texts
    from ...report.console import print_results
    from ...report.tables import percent
    from ...scoring.metric_results import describe
    from ...scoring.results import Results

    given = {
        key.removeprefix("option_"): value
        for key, value in vars(args).items()
        if key.startswith("option_")
    }
    texts = metrics_asked(args)
    options = {key: value for key, value in given.items() if value is not None}
    metrics = from_texts(texts, options, args.pair or "")
    arguments.output_from_pipe(args)
    check_habits(args, len(metrics), len(args.outputs))
    views = {metric.spec.input for metric in metrics}
    needed = any(metric.spec.references for metric in metrics)
    corpus = arguments.open_files(args, views=views, quiet=args.quiet, references=needed)
    statistics = statistics_asked(args, next(iter(corpus.systems)))
    for note in () if args.quiet else arguments.kernel_notes([corpus]):
        print_text(f"note: {note}", sys.stderr)
    known = suspicions(corpus, references=TEXTS in views)  # told when the files were opened
    with Bar(enabled=sys.stderr.isatty() and not args.quiet) as bar:
        how = RunOptions(n_jobs=args.n_jobs, **arguments.computing_options(args))
        evaluation = evaluate_corpus(corpus, metrics, options=how, listener=bar, by_type=False)
    results = Results(
        datasets={corpus.name: describe(corpus)},
        scores=[result.found for result in evaluation],
        warnings=list(dict.fromkeys([*known, *evaluation.warnings])),
    )
    if statistics:
        from ...evaluation import boards_of
        from ...scoring.resampling.significance import with_statistics

        results = with_statistics(results, boards_of(evaluation), statistics)[0]
    print_warnings((note for note in results.warnings if note not in known), quiet=args.quiet)
    order = list(corpus.systems)
    if args.bare:
        by_system = {result.system: result for result in evaluation}
        for result in (by_system[system] for system in order):
            for number in result.sentences.tolist() if args.sentences else [result.score]:
                print(percent(number, args.digits, result.signature))
    elif args.json:
        sys.stdout.write(results.to_json())
    elif args.sentences or args.sentence_outputs:
        print_sentences(evaluation, args.digits, spread=args.sentences)
    else:
        tested = (
            ["mean ±*", "p", "p adjusted"] if args.paired else ["interval"] if statistics else []
        )
        tested += ["against *"] if len(metrics) < 2 else []
        usual = args.boards or len(order) < 2 or (len(metrics) < 2 and not args.paired)
        columns = args.columns or ([] if usual else tested)
        print_results(
            results,
            args.digits,
            columns,
            boards=args.boards or (len(order) < 2 and not args.columns),
        )


def print_sentences(results: Sequence[Result], digits: int, *, spread: bool) -> None:
    """Print, tab-separated, each sentence of each system: its line, from 1, its id if it has one,
    and columns.

    These are all outputs, or with `spread` the score with its std and interval over references.
    Where there are several metrics, the first column is the metric, and a cell is empty where a
    metric has no such column."""
    from ...report.tables import percent
    from ...report.tables.ranked import labels, output_cell

    def cells_of(result: Result) -> dict[str, list[str]]:
        numbers = result.sentence_spread() if spread else result.sentence_outputs
        cells = {name: values.tolist() for name, values in numbers.items()}
        if spread:
            return {
                n: [percent(value, digits, result.signature) for value in values]
                for n, values in cells.items()
            }
        metric = type(
            result.measure
        )  # of which some outputs are shown as they are, others in percent
        return {
            n: [output_cell(value, n, metric, digits) for value in values]
            for n, values in cells.items()
        }

    called = labels(result.signature for result in results)
    several = len(called) > 1
    every = [(result, cells_of(result)) for result in results]
    names = list(dict.fromkeys(name for _, cells in every for name in cells))
    ids = results[0].ids
    print(
        *(["metric"] if several else []),
        "system",
        "line",
        *(["id"] if ids else []),
        *names,
        sep="\t",
    )
    for result, cells in every:
        first = [called[result.signature]] if several else []
        for line in range(len(next(iter(cells.values())))):
            place = [str(line + 1), *([printable(ids[line])] if ids else [])]
            print(
                *first,
                result.system,
                *place,
                *(cells[n][line] if n in cells else "" for n in names),
                sep="\t",
            )


# ---- what users of sacreBLEU's command type: options of `score` that do the same, and other names
# of ours

THEIRS = {
    "-m": ("--metrics",),
    "-b": ("--score-only",),
    "-l": ("--language-pair",),
    "--digits": ("--width", "-w"),
    "--sentences": ("--sentence", "-sl", "--sentence-level"),
    "-f": ("--format",),
    "--confidence": ("-ci",),
    "--resamples": ("-cin", "--confidence-n", "-pbsn", "--paired-bs-n"),
    "--paired-ar": ("-par",),
    "--paired-bs": ("-pbs",),
    "--trials": ("-parn", "--paired-ar-n"),
    "--tokenizer": ("-tok", "--tokenize"),
    "--bleu-lowercase": ("-lc",),
    "--smoothing": ("--smooth-method",),
    "--smoothing-value": ("-sv", "--smooth-value"),
    "--chrf-char-order": ("-cc",),
    "--chrf-word-order": ("-cw",),
    "--whitespace --strip-end": ("--chrf-whitespace",),
    "--encoding": ("-e",),
    "--num-refs": ("-nr",),
}
SYNONYMS = {theirs: ours for ours, several in THEIRS.items() for theirs in several}
"""sacreBLEU's names of options, and ours. It calls options of chrF and TER as we do, such as
--chrf-lowercase."""


def _in_our_words(argument: str) -> list[str]:
    """Return an argument with the name that an option has here, or with several options that mean
    the same.
    """
    flag, equals, value = argument.partition("=")
    *others, last = SYNONYMS.get(flag, "").split() or [flag]
    last = (
        last.replace("_", "-") if last[:2] == "--" else last
    )  # as configs write the names of options
    return [*others, f"{last}{equals}{value}"]


PAIRED = {"--paired-ar": "approximate_randomization", "--paired-bs": "paired_bootstrap"}
"""The options that ask for paired tests, and the test of each."""


class _Metrics(argparse.Action):
    """Metrics after -m, beside which none is needed before all options."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *values])
        for action in parser._actions:  # noqa: SLF001 (argparse has no other way to find it)
            action.required = action.required and action.dest != "metrics"


def add_habits(parser: argparse.ArgumentParser) -> None:
    """Declare the options that sacreBLEU has too."""
    meaning = "metrics, also behind other options"
    parser.add_argument(
        "-m", dest="more_metrics", metavar="METRIC", nargs="+", action=_Metrics, help=meaning
    )
    parser.add_argument(
        "-l",
        dest="pair",
        metavar="PAIR",
        help="languages such as en-ja: some have an own tokenizer",
    )
    parser.add_argument(
        "-b",
        dest="bare",
        action="store_true",
        help="print bare numbers, of each output or sentence",
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="no warnings and notes on standard error"
    )
    parser.add_argument("-f", dest="form", choices=("text", "json"), help="json is --json")
    paired = parser.add_mutually_exclusive_group()
    for flag, test in PAIRED.items():
        meaning = f"also test against the first output: {test.replace('_', ' ')}"
        paired.add_argument(flag, dest="paired", action="store_const", const=test, help=meaning)
    parser.add_argument("--resamples", metavar="N", help="samples of the bootstrap (default: 1000)")
    parser.add_argument("--trials", metavar="N", help="trials of --paired-ar (default: 10000)")


def metrics_asked(args: argparse.Namespace) -> list[str]:
    """Return the metrics, and take files that stand among them for references, as sacreBLEU's
    command does.

    Without any metric the metric is BLEU. Raises ConfigError for such files where references stand
    behind -r too."""
    from ...metrics.names import named

    files = [text for text in args.metrics or () if Path(text).is_file() and not named(text)]
    if files and args.references:
        raise ConfigError(
            f"'{files[0]}' is a file, and no metric; references stand behind -r: -r {files[0]}"
        )
    args.references = args.references or files
    return [
        text for text in (*(args.metrics or ()), *(args.more_metrics or ())) if text not in files
    ] or ["bleu"]


def check_habits(args: argparse.Namespace, metrics: int, outputs: int) -> None:
    """Raise ConfigError for options that do not go together, with so many metrics and outputs."""
    args.json = args.json or (args.form == "json" and not args.bare)
    paired = next((flag for flag, test in PAIRED.items() if test == args.paired), "")
    if args.resamples is not None and not (args.confidence or args.all_intervals or paired):
        raise ConfigError("--resamples: has no effect without --confidence or --paired-bs")
    if args.trials is not None and paired != "--paired-ar":
        raise ConfigError("--trials: has no effect without --paired-ar")
    if paired and outputs < 2:
        raise ConfigError(f"{paired}: tests outputs against the first one; there is only one")
    parts = {"--sentences": args.sentences, "--sentence-outputs": args.sentence_outputs}
    for flag in (flag for flag, given in parts.items() if given):
        if paired:
            raise ConfigError(f"{paired}: is not printed with {flag}")
        if args.form and not args.bare:
            raise ConfigError(f"-f: is for results as a whole; leave out {flag}")
    if not args.bare:
        return
    others = {"--json": args.json, "--sentence-outputs": args.sentence_outputs}
    others |= {
        "--confidence": args.confidence,
        "--all-intervals": args.all_intervals,
        paired: bool(paired),
    }
    for flag in (flag for flag, given in others.items() if given):
        raise ConfigError(f"-b: prints a bare number, and nothing of {flag}; leave one of them out")
    if metrics > 1:
        raise ConfigError(
            f"-b: prints the numbers of one metric, found {metrics}; take --json for several"
        )
    if args.sentences and outputs > 1:
        raise ConfigError(
            f"-b --sentences: prints the sentences of one output, found {outputs}; leave out -b"
        )


def statistics_asked(args: argparse.Namespace, first: str) -> StatisticsConfig | None:
    """Return the settings of intervals and tests, or None. The baseline of paired tests is the
    output `first`.

    Raises InputError for wrong numbers of samples.
    """
    if not (args.confidence or args.all_intervals or args.paired):
        return None
    from ...data.config.models import (
        StatisticsConfig,  # here, because most scores have no statistics
    )

    paired = {"test": args.paired, "baseline": first} if args.paired else {}
    given = {"resamples": args.resamples, "trials": args.trials, **paired}
    given |= {"outputs": "all"} if args.all_intervals else {}
    return StatisticsConfig.from_settings(
        {name: value for name, value in given.items() if value is not None}, "--"
    )
