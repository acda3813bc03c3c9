"""Text files given on the command line: files, addresses, data:NAME/FILE, and columns of files as
FILE:COLUMN.

A file that is called exactly as it is written is that file, whatever colons its name has. Addresses
have no columns."""

import argparse
import codecs
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from encodings.aliases import aliases
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from ..data.config.resolved import Column, Dataset, Input, System, is_glob
from ..data.formats import ENCODED, READERS, format_in
from ..errors import ConfigError, CorpusError, Problem, did_you_mean
from ..files.plain_files import STDIN
from ..files.remote import PREFIX, Remote, is_data, is_remote, is_there, locate

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..data.corpus import Corpus
    from ..scoring.stored_runs import Selection


def given_path(text: str) -> Path | Remote:
    """Return what the command line names: - is standard input, data:NAME/FILE a file of a data set;
    or an address.
    """
    if text == "-":
        return STDIN
    if not is_data(text):
        return locate(Path(), text)
    from ..data.dataset_cache import path_of  # here, because few texts are of data sets

    return path_of(text)


def given_text(text: str, flag: str) -> Input:
    """Return the text that is named after a flag: all lines of a file, or a column of it."""
    path, column = _parted(text, flag)
    form = format_in(str(path))
    column_named = READERS[form].column_named if form else None
    if form and column_named:
        if not isinstance(path, Path):
            return path
        return Column(kind=form, path=path, column=column_named(path, column, flag))
    if form is None or not column:
        return path
    by_name = not re.fullmatch(r"[1-9][0-9]{0,5}", column)
    return Column(
        kind=form, path=path, column=column, header=by_name and bool(READERS[form].header)
    )


def _has_annotations(path: Path, *, by_content: bool) -> bool:
    """Return whether a file holds annotations, by its suffix, or by its first line if requested."""
    from ..data.input_readers import GOLD, reader_of  # here, because most texts have a suffix

    form = format_in(path.name)
    if form is not None:
        return READERS[form].column_named is not None
    if not by_content:
        return False
    try:
        return reader_of(GOLD).is_file(path)
    except (OSError, CorpusError):
        return False


def annotated_output(text: str) -> Input:
    """Return the output that is named after -o, for metrics that compare annotations of outputs.

    Raises ConfigError if a column is named: all annotations of a file are compared.
    """
    from ..data.input_readers import GOLD, reader_of

    path, column = ("-", "") if text == "-" else _parted(text, "-o")
    if isinstance(path, Path) and _has_annotations(path, by_content=True):
        if column:
            raise ConfigError(
                f"-o {text}: the edits of all annotators are compared; name the file alone: {path}"
            )
        return Column(kind=reader_of(GOLD).text_format, path=path, column="")
    return given_text(text, "-o")


def _parted(text: str, flag: str) -> tuple[Path | Remote, str]:
    """Return the file and the column of FILE:COLUMN, at the first colon behind a file that may have
    columns.
    """
    if text == "-" or is_remote(text) or (not is_data(text) and is_there(locate(Path(), text))):
        return given_path(text), ""
    start = text.find(":") + 1 if is_data(text) else 0
    for colon in (match.start() for match in re.finditer(":", text[start:])):
        name, column = text[: start + colon], text[start + colon + 1 :]
        if format_in(name) and column:
            return given_path(name), column
        if is_there(locate(Path(), name)):
            kinds = ", ".join(f".{name}" for name in READERS)
            raise ConfigError(
                f"{flag} {text}: no such file; columns can be named of files that end in {kinds}"
            )
    return given_path(text), ""


DATASET = "files"
MANY = 20_000
"""Up to how many sentences of outputs the Python kernel takes few seconds, so that nothing is said
of it."""


def add_files(
    parser: argparse.ArgumentParser,
    *names: str,
    piped: bool = False,
    gold: bool = False,
    plain: bool = False,
) -> None:
    """Declare -s, -r and -o; each of the last two takes several files, also when it is given again.

    `names` are further names of -o. With `piped`, -o may be left out: `output_from_pipe` then takes
    standard input. With `gold`, there is --gold, and -r may be left out beside it. With `plain`,
    nothing is declared beside the files."""
    several: dict[str, Any] = {"nargs": "+", "action": "extend", "metavar": "FILE"}
    parser.add_argument(
        "-s", "--src", "--source", dest="source", metavar="FILE", help="the uncorrected text"
    )
    flags = ("-r", "--ref", "--references")
    parser.add_argument(
        *flags, dest="references", required=not gold, help="references, one file each", **several
    )
    if gold:
        meaning = "an M2 file: edits for m2, errant ...; source and references for others, where not given"
        parser.add_argument("--gold", metavar="FILE", help=meaning)
    outputs = ("-o", "--out", "--outputs", *names)
    meaning = "outputs of systems, one file each" + (
        "; default: standard input, where it is piped" if piped else ""
    )
    parser.add_argument(*outputs, dest="outputs", required=not piped, help=meaning, **several)
    parser.set_defaults(empty_references="keep", encoding=None, num_refs=None, bom="drop")
    if plain:
        return
    meaning = "empty references: texts (keep), an error, or missing"
    parser.add_argument("--empty-references", choices=("keep", "error", "none"), help=meaning)
    meaning = "byte order marks: no text (drop, the default), or text"
    parser.add_argument("--bom", choices=("drop", "keep"), help=meaning)
    meaning = "the encoding of plain files (default: utf-8)"
    parser.add_argument("--encoding", type=_encoding, metavar="NAME", help=meaning)
    meaning = "the field of ids that joins texts of FILE:COLUMN"
    parser.add_argument("--key", default="", metavar="NAME", help=meaning)
    meaning = "-r is one tab-separated file with N references"
    parser.add_argument("--num-refs", type=int, choices=range(1, 256), metavar="N", help=meaning)


def _encoding(text: str) -> str:
    """Return the name of an encoding; for argparse. It is empty for UTF-8."""
    try:
        "".encode(text)
    except LookupError:
        hint = did_you_mean(text, aliases.keys() - {text})
        raise argparse.ArgumentTypeError(f"no encoding is called '{text}'{hint}") from None
    return "" if codecs.lookup(text).name == "utf-8" else text


def _as_asked(args: argparse.Namespace, text: Input) -> Input:
    """Return a text with the --encoding of lines, or the --key of records; M2 files have neither."""
    if not isinstance(text, Column):
        return Column(kind=ENCODED, path=text, column=args.encoding) if args.encoding else text
    form = READERS.get(text.kind)
    return text.joined_by(args.key, named=bool(form.header)) if form and form.column else text


def output_from_pipe(args: argparse.Namespace) -> None:
    """Take standard input as the output where none is named. Raises ConfigError where nothing is
    piped to it.
    """
    taken = "-" in (args.source, args.gold, *(args.references or ()))
    if not args.outputs and (taken or sys.stdin is None or sys.stdin.isatty()):
        raise ConfigError(
            "the following arguments are required: -o (or pipe an output to standard input)"
        )
    args.outputs = args.outputs or ["-"]


def open_files(
    args: argparse.Namespace,
    *,
    quiet: bool = False,
    views: Collection[str],
    references: bool = True,
) -> "Corpus":
    """Open and check the files; systems are called as they were written. Warnings go to standard
    error.

    `views` says what the metrics read; see `metrics/base/statistics_spec.py`. `references` says whether they
    read any."""
    from ..data.input_readers import needs_files, takes_texts
    from ..data.input_warnings import suspicions  # here, because --help opens nothing
    from ..data.inputs import TEXTS
    from ..data.opener import open_corpus
    from ..report.terminal.printing import print_warnings

    outputs = expanded(args.outputs)
    repeated = next((name for name in outputs if outputs.count(name) > 1), None)
    if repeated is not None:
        raise ConfigError(f"-o: {repeated} is given twice")
    dataset = _dataset(args, views, required=references)
    each = tuple(_as_asked(args, text) for text in dataset.references)
    dataset = replace(
        dataset, source=dataset.source and _as_asked(args, dataset.source), references=each
    )
    problems: list[Problem] = []
    named: dict[str, Input] = {}
    annotated = any(needs_files(view) and not takes_texts(view) for view in views)
    for output in outputs:
        path = annotated_output(output) if annotated else given_text(output, "-o")
        called = str(path) if isinstance(path, Remote) else outputs[len(named)]
        same = sum(name == called or name.startswith(f"{called} #") for name in named)
        named[f"{called} #{same + 1}" if same else called] = path  # of addresses not all is shown
    systems = [System(name, {DATASET: _as_asked(args, path)}) for name, path in named.items()]
    corpus = open_corpus(dataset, systems, problems, views=views)
    if corpus is None:
        raise CorpusError(list(dict.fromkeys(problems)))
    print_warnings(suspicions(corpus, references=TEXTS in views), quiet=quiet)
    return corpus


def _dataset(args: argparse.Namespace, views: Collection[str], *, required: bool) -> Dataset:
    """Return the data set of the files.

    A file of annotations alone holds the references of all annotators, and the source.
    """
    from ..data.input_readers import GOLD, needs_files, reader_of, takes_texts
    from ..data.inputs import TEXTS

    of_edits = any(map(needs_files, views))
    edits = any(view != TEXTS for view in views)
    gold, references = getattr(args, "gold", None), expanded(args.references or ())
    if required and not (references or gold):
        raise ConfigError(
            "the following arguments are required: -r/--ref/--references (or --gold FILE)"
        )
    text = given_text(args.source, "-s") if args.source else None
    m2 = None
    if len(references) == 1 and references[0] != "-" and not is_remote(references[0]):
        path = given_path(references[0])
        m2 = path if isinstance(path, Path) and _has_annotations(path, by_content=edits) else None
    each: tuple[Input, ...] = (
        () if m2 else tuple(given_text(reference, "-r") for reference in references)
    )
    if args.num_refs:
        if m2 or len(references) != 1:
            found = ", ".join(references) or "none"
            raise ConfigError(f"--num-refs: -r is one file of tab-separated lines, found {found}")
        numbers = map(str, range(1, args.num_refs + 1))
        each = tuple(
            Column(kind="tsv", path=given_path(references[0]), column=number) for number in numbers
        )
    annotations = given_path(gold) if gold else m2 if edits else None
    if of_edits and annotations is None:
        other = (
            "; or texts are annotated for those that have the option --annotator: --annotator auto"
        )
        message = "metrics of edits need an M2 file, which has the edits of annotators: --gold FILE"
        of_outputs = any(needs_files(view) and not takes_texts(view) for view in views)
        raise ConfigError(f"--gold: {message}{other if of_outputs else ''}")
    if gold and references and not text and not edits:
        form = reader_of(GOLD).text_format
        column_named = READERS[form].column_named
        if column_named:
            path = given_path(gold)
            text = Column(kind=form, path=path, column=column_named(path, "", "-s"))
    null = args.empty_references == "none"
    each = tuple(replace(one, null=null) if isinstance(one, Column) else one for one in each)
    return Dataset(
        name=DATASET,
        source=text,
        references=each,
        m2=m2 if references else annotations,
        gold=(annotations,) if annotations else (),
        empty_references=args.empty_references,
        bom=args.bom,
    )


def expanded(texts: Sequence[str]) -> list[str]:
    """Return file names with data:NAME/GLOB replaced by the files that it matches, as a shell does
    with others.
    """
    if not any(is_data(text) and is_glob(text) for text in texts):
        return list(texts)
    from ..data.catalogue import named_in  # here, because few texts are of data sets

    each = (
        [f"{PREFIX}{file.key}" for file in named_in(t)] if is_data(t) and is_glob(t) else [t]
        for t in texts
    )
    return [text for found in each for text in found]


def kernel_notes(corpora: "Iterable[Corpus]") -> Iterator[str]:
    """Yield which kernel is used and why, where there is much to count and the compiled kernel was
    expected.
    """
    from .. import kernel

    reason = kernel.why_not_native()
    if reason and sum(corpus.lines * len(corpus.systems) for corpus in corpora) > MANY:
        yield f"the Python kernel is used: it is slower, with equal results. {reason}"


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare --set and --only, for the commands that read a config."""
    add = partial(parser.add_argument, action="append", default=[])
    meaning = "change the config, such as output.digits=4 or metrics.0.order=3; may be repeated"
    add("--set", dest="settings", metavar="KEY=VALUE", help=meaning)
    meaning = (
        "only data sets, systems or metrics of this name, such as AMU or 'A*'; may be repeated"
    )
    add("--only", metavar="PATTERN", help=meaning)


def jobs(text: str) -> int | str:
    """Read a number of workers; for argparse."""
    if text == "auto" or (text.isascii() and text.isdigit() and int(text) > 0):
        return text if text == "auto" else int(text)
    raise ValueError(text)


jobs.__name__ = "number of workers (auto, or from 1)"


def whole_number(least: int) -> Callable[[str], int]:
    """Return what reads a whole number from `least`; for argparse."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10) or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"expected a whole number from {least}, found '{text}'"
            )
        return int(text)

    return read


SEVERAL: dict[str, Any] = {"nargs": "+", "action": "extend", "default": [], "metavar": "NAME"}


def add_parts(parser: argparse.ArgumentParser) -> None:
    """Declare --metric, --dataset and --system, each of which takes several names or patterns."""
    metrics = "only these metrics: names (BLEU, chrF++, gleu[n=3]), signatures, or patterns such as 'rouge*'"
    parser.add_argument("--metric", "--metrics", dest="metric", help=metrics, **SEVERAL)
    parser.add_argument(
        "--dataset",
        "--datasets",
        dest="dataset",
        help="only these data sets, or patterns",
        **SEVERAL,
    )
    systems = "only these systems, or patterns such as 'A*'"
    parser.add_argument("--system", "--systems", dest="system", help=systems, **SEVERAL)


def add_settings(
    parser: argparse.ArgumentParser,
    model: "type[BaseModel]",
    names: Iterable[str],
    lists: Mapping[str, Any],
    **flags: str,
) -> None:
    """Declare settings of a section of a config as arguments, with their meanings, choices and
    defaults there.

    `lists` is how argparse reads those that are lists; `flags` are flags that are others than the
    names. Values that are no choices are checked with the section."""
    for name in names:
        field = model.model_fields[name]
        meaning, default = str(field.description), field.default
        if default is not None and default != [] and "default" not in meaning:
            meaning += f" (default: {default[0] if isinstance(default, list) else default})"
        kind, several = field.annotation, dict[str, Any]()
        if get_origin(kind) is list:
            kind, several = get_args(kind)[0], {**lists}
        shown = {"metavar": "NAME" if kind in (str, str | None) else "N"}
        known: dict[str, Any] = (
            {"choices": get_args(kind)} if get_origin(kind) is Literal else shown
        )
        flag = flags.get(name, f"--{name.replace('_', '-')}")
        parser.add_argument(flag, dest=name, default=None, help=meaning, **several, **known)


def add_shown(parser: argparse.ArgumentParser, *names: str) -> None:
    """Declare some of --columns, --mean and --boards, which say what tables show."""
    means = "also the mean over data sets, each of which counts the same, of systems that have scores on all of them"
    known: dict[str, dict[str, Any]] = {
        "columns": {
            "help": "only these columns: outputs such as recall_*, interval, ranks, p ...",
            **SEVERAL,
        },
        "mean": {"action": "store_true", "help": means},
        "boards": {"action": "store_true", "help": "a ranked table for each metric and data set"},
    }
    for name in names:
        parser.add_argument(f"--{name}", **known[name])


def selection_of(args: argparse.Namespace) -> "Selection":
    """Return what --metric, --dataset and --system ask for. Some commands have not all, or take one
    name each.

    A single system is not among it, because `show` prints the counts of one.
    """
    from ..scoring.stored_runs import Selection

    metric, dataset, system = (
        getattr(args, name, None) or [] for name in ("metric", "dataset", "system")
    )
    systems = system if isinstance(system, list) else []
    metrics, datasets = ([own] if isinstance(own, str) else own for own in (metric, dataset))
    return Selection(metrics, datasets, systems)


COMPUTING = ("devices", "batch_size", "recompute", "cache")
"""What add_computing() declares: fields of RunOptions."""


def add_computing(parser: argparse.ArgumentParser) -> None:
    """Declare how metrics of users compute."""
    add = parser.add_argument_group("metrics of your own (help plugins)").add_argument
    places = "where models compute: auto (default), cpu, cuda:1; may be repeated"
    add("--device", dest="devices", action="append", default=[], metavar="DEVICE", help=places)
    add(
        "--batch-size",
        type=whole_number(1),
        metavar="N",
        help="the most lines that a metric gets at once",
    )
    anew = "compute numbers anew that are kept on this computer"
    add("--recompute", action="append", default=[], metavar="METRIC", help=anew)
    add(
        "--no-cache",
        dest="cache",
        action="store_false",
        help="keep nothing on this computer, and read nothing kept",
    )


def computing_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return what add_computing() declared, as fields of RunOptions."""
    own = {"devices": tuple(args.devices), "recompute": tuple(args.recompute)}
    return {**own, "batch_size": args.batch_size, "cache": args.cache}
