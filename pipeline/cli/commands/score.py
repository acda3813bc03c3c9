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
import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data import TEXTS
from ...errors import ConfigError, printable
from ...execution import RunOptions
from ...metrics import METRICS
from ...report.terminal import Bar, print_text, print_warnings
from .. import arguments

if TYPE_CHECKING:
    from ...data.config import StatisticsConfig
    from ...evaluation import Result
    from ...metrics.base import Metric
    from ...metrics.options import Option
    from ...scoring import Results


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments, but for the options of metrics."""
    parser.add_argument(
        "metrics", metavar="METRIC", nargs="+", help=argparse.SUPPRESS
    )
    arguments.add_files(
        parser, "-i", "--hyp", "--hypotheses", "--input", piped=True, gold=True
    )
    arguments.add_shown(parser, "digits")
    parser.add_argument(
        "--n-jobs",
        type=arguments.jobs,
        default="auto",
        metavar="N",
        help="workers (default: auto)",
    )
    parser.add_argument(
        "--confidence",
        action="store_true",
        help="also bootstrap intervals and paired tests",
    )
    parser.add_argument(
        "--all-intervals",
        action="store_true",
        help="the same, with intervals of all outputs",
    )
    arguments.add_shown(parser, "columns", "boards")
    arguments.add_computing(parser)
    add_sacrebleu_options(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--sentences",
        action="store_true",
        help="print each sentence: score, std, low, high",
    )
    form.add_argument(
        "--sentence-outputs",
        action="store_true",
        help="print each sentence with all outputs, such as recall",
    )
    form.add_argument(
        "--json", action="store_true", help="print as results.json does"
    )
    parser.usage = "%(prog)s METRIC... -r FILE... -o FILE... [OPTION...]"


def configure_rest(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Add the options of all metrics if the command line needs them.

    It does if it asks for help, or has a flag that configure() did not declare. This is slow, since
    it imports every metric. First, sacreBLEU's names of options become ours: `words` is changed in
    place.
    """
    words[:] = itertools.chain.from_iterable(map(_translated, words))
    flags = {word.partition("=")[0] for word in words if word.startswith("--")}
    known = parser._option_string_actions.keys()  # noqa: SLF001 (argparse names them nowhere else)
    asks_for_help = "--help" in words or any(
        re.match(r"-\w*h", word) for word in words
    )
    if asks_for_help or not flags <= known:
        _declare_options(parser, words)


FLAGS_OF_OPTIONS = {"references": "--refs", "gold": "--gold-edits"}
"""The flags of options whose names are those of files."""


def _declare_options(
    parser: argparse.ArgumentParser, words: Sequence[str]
) -> None:
    """Declare every option of every metric, and write the help of the metrics among the words."""
    from ...metrics import named

    known = {
        name: metric
        for name, metric in METRICS.items()
        if not metric.reads_files
    }
    names = dict.fromkeys(map(named, words))
    metrics = [known[name] for name in names if name in known]
    for action in parser._actions:  # noqa: SLF001
        if metrics or (
            action.dest in arguments.COMPUTING and "--plugin" not in words
        ):
            action.help = argparse.SUPPRESS
    if metrics:
        _describe_metrics(parser, metrics)
    else:
        parser.description = str(parser.description).replace(
            "METRIC is a", f"METRIC is one of {', '.join(known)}: a", 1
        )
    group = parser.add_argument_group(
        f"options of {', '.join(metric.name for metric in metrics)}"
    )
    options: dict[str, Option] = {}
    for metric in known.values():
        for option in metric.options:
            if _has_choice(option):
                options[option.name] = option
    for name, option in options.items():
        group.add_argument(
            FLAGS_OF_OPTIONS.get(name, _flag(name)),
            dest=f"option_{name}",
            metavar="VALUE",
            help=_help(name, metrics),
            **_value_of(option),
        )
    for metric in known.values():
        for option in metric.options:
            group.add_argument(
                _flag(f"{metric.name}-{option.name}"),
                dest=f"option_{metric.name}.{option.name}",
                help=argparse.SUPPRESS,
                **_value_of(option),
            )


def _describe_metrics(
    parser: argparse.ArgumentParser, metrics: Sequence[type[Metric]]
) -> None:
    """Write the help about metrics: their files, summaries, and the examples of their pages."""
    files: dict[str, None] = {}
    summaries = []
    examples: dict[str, None] = {}
    for metric in metrics:
        files |= dict.fromkeys(_files(metric))
        page = metric.help_page or metric.name
        summaries.append(f"{metric.name}: {metric.summary} (help {page})")
        examples |= dict.fromkeys(_examples(metric))
    names = [metric.name for metric in metrics]
    parser.usage = " ".join(["%(prog)s", *names, *files, "[OPTION...]"])
    parser.description = "\n\n".join(
        [*summaries, "\n".join(["examples:", *examples])]
    )
    parser.epilog = "\nFiles, intervals, tests: gec-pipeline score --help"
    if len(metrics) > 1:
        parser.epilog = (
            "An option with the name of a metric before it is for that metric alone, such as "
            f"--chrf-lowercase.{parser.epilog}"
        )


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _has_choice(option: Option) -> bool:
    """Return whether an option has more than one value."""
    return len(option.choices or ()) != 1


def _files(metric: type[Metric]) -> list[str]:
    """Return the options with the files that a metric reads."""
    from ...data import InputReader

    spec = metric().spec
    files = ["-o FILE..."]
    if InputReader.of(spec.input).needs_files(spec.input):
        return ["--gold FILE", *files]
    if spec.references:
        files.insert(0, "-r FILE...")
    if spec.source:
        files.insert(0, "-s FILE")
    return files


def _examples(metric: type[Metric]) -> list[str]:
    """Return the example commands on the help page of a metric that name the metric.

    If there are none, return one command, made of the required options and files of the metric.
    """
    from ...metrics import named
    from .help import help_pages

    examples = []
    page = help_pages().get(metric.help_page or metric.name)
    if page:
        for line in page.read_text(encoding="utf-8").splitlines():
            # indented lines of a page are commands; a comment may follow
            if re.match(r" {4,}.*gec-pipeline score ", line):
                command = re.sub(r" +#.*", "", line.strip())
                # any word may be the metric, in any spelling
                if metric.name in map(named, re.findall(r"[\w.+-]+", command)):
                    examples.append(f"  {command}")
    if examples:
        return examples
    # A metric that is made without options reports each option that it requires as a conflict.
    required = [
        f"{_flag(name)} VALUE" for name, _problem in metric().conflicts()
    ]
    words = " ".join([*required, *_files(metric)]).replace("FILE...", "FILE")
    return [f"  gec-pipeline score {metric.name} {words}"]


def _value_of(option: Option) -> dict[str, Any]:
    """Return how argparse reads the value of an option; a truth value may be left out."""
    return (
        {"nargs": "?", "const": "true", "type": _truth}
        if option.is_truth
        else {}
    )


def _truth(text: str) -> str:
    """Return true or false.

    A flag without a value means true, but argparse takes what follows it for its value.
    """
    if text not in ("true", "false"):
        raise argparse.ArgumentTypeError(
            f"expected true or false, found '{text}'; a METRIC stands before all options"
        )
    return text


def _help(name: str, metrics: Sequence[type[Metric]]) -> str:
    """Return the help of an option: its meanings, with their metrics if not all share them."""
    metrics_of: dict[str, list[str]] = {}
    for metric in metrics:
        for option in metric.options:
            if option.name != name or not _has_choice(option):
                continue
            text = f"{option.help}: {option.values()}"
            default = str(option.default_of({}))
            if option.is_truth:
                default = default.lower()
            if default:
                text += f" (default: {default})"
            metrics_of.setdefault(text, []).append(metric.name)
    meanings = []
    for text, names in metrics_of.items():
        shared = "" if len(names) == len(metrics) else f"({', '.join(names)}) "
        meanings.append(f"{shared}{text}")
    return "; ".join(meanings) or argparse.SUPPRESS


def run(args: argparse.Namespace) -> None:
    from ...api import evaluate_corpus
    from ...data import suspicions
    from ...metrics import from_texts
    from ...scoring import DatasetInfo, Results, ScoredRun

    # The metrics and their options.
    texts = requested_metrics(args)
    options = {}
    for key, value in vars(args).items():
        if key.startswith("option_") and value is not None:
            options[key.removeprefix("option_")] = value
    metrics = from_texts(texts, options, args.pair or "")
    # The texts.
    arguments.output_from_pipe(args)
    check_sacrebleu_options(args, len(metrics), len(args.outputs))
    views = {metric.spec.input for metric in metrics}
    reads_references = any(metric.spec.references for metric in metrics)
    corpus = arguments.open_files(
        args, views=views, quiet=args.quiet, references=reads_references
    )
    statistics = requested_statistics(args, next(iter(corpus.systems)))
    if not args.quiet:
        for note in arguments.kernel_notes([corpus]):
            print_text(f"note: {note}", sys.stderr)
    # The scores.
    with Bar(enabled=sys.stderr.isatty() and not args.quiet) as bar:
        computing = RunOptions(
            n_jobs=args.n_jobs, **arguments.computing_options(args)
        )
        evaluation = evaluate_corpus(
            corpus, metrics, options=computing, listener=bar, by_type=False
        )
    # when the files were opened
    printed_warnings = suspicions(corpus, references=TEXTS in views)
    results = Results(
        datasets={corpus.name: DatasetInfo.of(corpus)},
        scores=[result.found for result in evaluation],
        warnings=list(dict.fromkeys([*printed_warnings, *evaluation.warnings])),
    )
    if statistics:
        from ...evaluation import metric_results_of

        scored_run = ScoredRun(results, metric_results_of(evaluation))
        results = scored_run.with_statistics(statistics).results
    new_warnings = [
        text for text in results.warnings if text not in printed_warnings
    ]
    print_warnings(new_warnings, quiet=args.quiet)
    if args.bare:
        _print_bare(evaluation, list(corpus.systems), args)
    elif args.json:
        sys.stdout.write(results.to_json())
    elif args.sentences or args.sentence_outputs:
        print_sentences(evaluation, args.digits, spread=args.sentences)
    else:
        _print_tables(
            results, args, metrics=len(metrics), systems=len(corpus.systems)
        )


def _print_bare(
    results: Sequence[Result], systems: Sequence[str], args: argparse.Namespace
) -> None:
    """Print the scores, or sentence scores, of the systems in their order."""
    from ...report.tables import percent

    by_system = {result.system: result for result in results}
    for system in systems:
        result = by_system[system]
        numbers = (
            result.sentences.tolist() if args.sentences else [result.score]
        )
        for number in numbers:
            print(percent(number, args.digits, result.signature))


def _print_tables(
    results: Results, args: argparse.Namespace, *, metrics: int, systems: int
) -> None:
    from ...report import print_results

    columns = args.columns
    # Several outputs are compared in one table, with the columns of the statistics.
    is_compared = systems > 1 and (metrics > 1 or args.paired)
    if not columns and is_compared and not args.boards:
        if args.paired:
            columns = ["mean ±*", "p", "p adjusted"]
        elif results.statistics:
            columns = ["interval"]
        if metrics < 2:
            columns = [*columns, "against *"]
    boards = args.boards or (systems < 2 and not args.columns)
    print_results(results, args.digits, columns, boards=boards)


def print_sentences(
    results: Sequence[Result], digits: int, *, spread: bool
) -> None:
    """Print a row for each sentence of each system, tab-separated.

    A row has the system, the line, from 1, the id if there is one, and all outputs, or with
    `spread` the score with its std and interval over references. With several metrics, the first
    column is the metric, and a cell is empty if a metric has no such column.
    """
    from ...report.tables import labels, output_cell, percent

    tables: list[dict[str, list[str]]] = []
    names: dict[str, None] = {}
    for result in results:
        columns = (
            result.sentence_spread() if spread else result.sentence_outputs
        )
        cells: dict[str, list[str]] = {}
        for name, values in columns.items():
            cells[name] = []
            for value in values.tolist():
                if spread:
                    cell = percent(value, digits, result.signature)
                else:
                    # some outputs of a metric are in percent, others as they are
                    cell = output_cell(
                        value, name, type(result.measure), digits
                    )
                cells[name].append(cell)
        tables.append(cells)
        names |= dict.fromkeys(cells)
    label_of = labels(result.signature for result in results)
    has_metrics = len(label_of) > 1
    ids = results[0].ids
    header = ["system", "line", *names]
    if ids:
        header.insert(2, "id")
    if has_metrics:
        header.insert(0, "metric")
    print("\t".join(header))
    for result, cells in zip(results, tables, strict=True):
        for line in range(len(next(iter(cells.values())))):
            row = [result.system, str(line + 1)]
            if has_metrics:
                row.insert(0, label_of[result.signature])
            if ids:
                row.append(printable(ids[line]))
            for name in names:
                row.append(cells[name][line] if name in cells else "")
            print("\t".join(row))


# ---- options of sacreBLEU's command: those of `score` that do the same, and other names of them

SACREBLEU_NAMES = {
    "-m": "--metrics",
    "-b": "--score-only",
    "-l": "--language-pair",
    "--digits": "--width -w",
    "--sentences": "--sentence -sl --sentence-level",
    "-f": "--format",
    "--confidence": "-ci",
    "--resamples": "-cin --confidence-n -pbsn --paired-bs-n",
    "--paired-ar": "-par",
    "--paired-bs": "-pbs",
    "--trials": "-parn --paired-ar-n",
    "--tokenizer": "-tok --tokenize",
    "--bleu-lowercase": "-lc",
    "--smoothing": "--smooth-method",
    "--smoothing-value": "-sv --smooth-value",
    "--chrf-char-order": "-cc",
    "--chrf-word-order": "-cw",
    "--whitespace --strip-end": "--chrf-whitespace",
    "--encoding": "-e",
    "--num-refs": "-nr",
}
SYNONYMS: dict[str, str] = {}
"""The options of this command by sacreBLEU's names. Some, such as --chrf-lowercase, are the same."""
for _options, _names in SACREBLEU_NAMES.items():
    SYNONYMS.update(dict.fromkeys(_names.split(), _options))


def _translated(word: str) -> list[str]:
    """Return a word of the command line with the names that options have here."""
    flag, equals, value = word.partition("=")
    others: list[str] = []
    last = flag
    if flag in SYNONYMS:
        *others, last = SYNONYMS[flag].split(" ")
    if last.startswith("--"):
        # configs write names of options with underscores
        last = last.replace("_", "-")
    return [*others, f"{last}{equals}{value}"]


PAIRED = {
    "--paired-ar": "approximate_randomization",
    "--paired-bs": "paired_bootstrap",
}
"""The options for paired tests, and the test of each."""


class _Metrics(argparse.Action):
    """Metrics after -m, beside which none is required before all options."""

    def __call__(
        self,
        parser: Any,
        namespace: Any,
        values: Any,
        option_string: Any = None,
    ) -> None:
        setattr(
            namespace,
            self.dest,
            [*(getattr(namespace, self.dest) or ()), *values],
        )
        for action in parser._actions:  # noqa: SLF001 (argparse has no other way to find it)
            if action.dest == "metrics":
                action.required = False


def add_sacrebleu_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options that sacreBLEU has too."""
    parser.add_argument(
        "-m",
        dest="more_metrics",
        metavar="METRIC",
        nargs="+",
        action=_Metrics,
        help="metrics, also behind other options",
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
        "-q",
        "--quiet",
        action="store_true",
        help="no warnings and notes on standard error",
    )
    parser.add_argument(
        "-f", dest="form", choices=("text", "json"), help="json is --json"
    )
    paired = parser.add_mutually_exclusive_group()
    for flag, test in PAIRED.items():
        meaning = (
            f"also test against the first output: {test.replace('_', ' ')}"
        )
        paired.add_argument(
            flag, dest="paired", action="store_const", const=test, help=meaning
        )
    parser.add_argument(
        "--resamples",
        metavar="N",
        help="samples of the bootstrap (default: 1000)",
    )
    parser.add_argument(
        "--trials", metavar="N", help="trials of --paired-ar (default: 10000)"
    )


def requested_metrics(args: argparse.Namespace) -> list[str]:
    """Return the metrics; files among them become references, as in sacreBLEU's command.

    Without any metric the metric is BLEU. Raises ConfigError for such files if -r has references.
    """
    from ...metrics import named

    files = [
        text
        for text in args.metrics or ()
        if Path(text).is_file() and not named(text)
    ]
    if files and args.references:
        raise ConfigError(
            f"'{files[0]}' is a file, and no metric; references stand behind -r: -r {files[0]}"
        )
    args.references = args.references or files
    words = [*(args.metrics or ()), *(args.more_metrics or ())]
    return [word for word in words if word not in files] or ["bleu"]


def check_sacrebleu_options(
    args: argparse.Namespace, metrics: int, outputs: int
) -> None:
    """Raise ConfigError for options that do not go together, with so many metrics and outputs."""
    args.json = args.json or (args.form == "json" and not args.bare)
    for problem in _problems(args, metrics, outputs):
        raise ConfigError(problem)


def _problems(
    args: argparse.Namespace, metrics: int, outputs: int
) -> Iterator[str]:
    """Yield which options do not go together."""
    paired = next(
        (flag for flag, test in PAIRED.items() if test == args.paired), ""
    )
    has_samples = args.confidence or args.all_intervals or args.paired
    if args.resamples is not None and not has_samples:
        yield "--resamples: has no effect without --confidence or --paired-bs"
    if args.trials is not None and paired != "--paired-ar":
        yield "--trials: has no effect without --paired-ar"
    if paired and outputs < 2:
        yield f"{paired}: tests outputs against the first one; there is only one"
    sentence_flag = ""
    if args.sentences:
        sentence_flag = "--sentences"
    elif args.sentence_outputs:
        sentence_flag = "--sentence-outputs"
    if sentence_flag and paired:
        yield f"{paired}: is not printed with {sentence_flag}"
    if not args.bare:
        if sentence_flag and args.form:
            yield f"-f: is for results as a whole; leave out {sentence_flag}"
        return
    for option in (
        "json",
        "sentence_outputs",
        "confidence",
        "all_intervals",
        "paired",
    ):
        if getattr(args, option):
            flag = paired if option == "paired" else _flag(option)
            yield f"-b: prints a bare number, and nothing of {flag}; leave one of them out"
    if metrics > 1:
        yield f"-b: prints the numbers of one metric, found {metrics}; take --json for several"
    if args.sentences and outputs > 1:
        yield f"-b --sentences: prints the sentences of one output, found {outputs}; leave out -b"


def requested_statistics(
    args: argparse.Namespace, first_output: str
) -> StatisticsConfig | None:
    """Return the settings of intervals and tests, or None.

    The baseline of paired tests is the first output. Raises InputError for wrong numbers of
    samples.
    """
    if not (args.confidence or args.all_intervals or args.paired):
        return None
    # Here, because most scores have no statistics.
    from ...data.config import StatisticsConfig

    settings: dict[str, Any] = {}
    if args.resamples is not None:
        settings["resamples"] = args.resamples
    if args.trials is not None:
        settings["trials"] = args.trials
    if args.paired:
        settings["test"] = args.paired
        settings["baseline"] = first_output
    if args.all_intervals:
        settings["outputs"] = "all"
    return StatisticsConfig.from_settings(settings, "--")
