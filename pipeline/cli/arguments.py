"""Arguments that several commands share: text files, parts of a run, settings.

A text is a file, an address, data:NAME/FILE, or a column of a file as FILE:COLUMN. A file with
exactly the name that is written is that file, even if its name has colons. Addresses have no
columns.
"""

import argparse
import codecs
import re
import sys
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import replace
from encodings.aliases import aliases
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from ..data import TEXT_FORMATS
from ..data.config import Column, Dataset, Input, System
from ..errors import ConfigError, CorpusError, Problem, did_you_mean
from ..files import Remote, WrittenPath

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..data import Corpus
    from ..scoring import Selection


def given_path(text: str) -> Path | Remote:
    """Return the path or address of a file on the command line.

    - is standard input, and data:NAME/FILE a file of a data set.
    """
    if text == "-":
        return WrittenPath.STDIN
    if not WrittenPath(text).is_data:
        return WrittenPath(text).located()
    # here, because few texts are of data sets
    from ..data import DatasetCache

    return DatasetCache().path_of(text)


def given_text(text: str, flag: str) -> Input:
    """Return the text after a flag: all lines of a file, or a column of it."""
    path, column = _split_column(text, flag)
    form = TEXT_FORMATS.of_file(str(path))
    column_named = TEXT_FORMATS[form].column_named if form else None
    if form and column_named:
        if not isinstance(path, Path):
            return path
        return Column(
            kind=form, path=path, column=column_named(path, column, flag)
        )
    if form is None or not column:
        return path
    is_name = not re.fullmatch(r"[1-9][0-9]{0,5}", column)
    header = is_name and bool(TEXT_FORMATS[form].header)
    return Column(kind=form, path=path, column=column, header=header)


def _has_annotations(path: Path, *, by_content: bool) -> bool:
    """Return whether a file holds annotations, by its suffix, or by its first line if requested."""
    # here, because most texts have a suffix
    from ..data import InputReader

    form = TEXT_FORMATS.of_file(path.name)
    if form is not None:
        return TEXT_FORMATS[form].column_named is not None
    if not by_content:
        return False
    try:
        return InputReader.of(InputReader.GOLD).is_file(path)
    except (OSError, CorpusError):
        return False


def annotated_output(text: str) -> Input:
    """Return the output after -o, for metrics that compare annotations of outputs.

    Raises ConfigError for a column, because all annotations of a file are compared.
    """
    from ..data import InputReader

    if text == "-":
        return given_text(text, "-o")
    path, column = _split_column(text, "-o")
    if not isinstance(path, Path) or not _has_annotations(
        path, by_content=True
    ):
        return given_text(text, "-o")
    if column:
        raise ConfigError(
            f"-o {text}: the edits of all annotators are compared; name the file alone: {path}"
        )
    return Column(
        kind=InputReader.of(InputReader.GOLD).text_format, path=path, column=""
    )


def _split_column(text: str, flag: str) -> tuple[Path | Remote, str]:
    """Return the file and the column of FILE:COLUMN.

    They are split at the first colon behind the name of a file that may have columns.
    """
    if text == "-" or WrittenPath(text).is_remote:
        return given_path(text), ""
    start = 0
    if WrittenPath(text).is_data:
        start = text.find(":") + 1
    elif WrittenPath(text).exists():
        return given_path(text), ""
    for colon in re.finditer(":", text[start:]):
        name = text[: start + colon.start()]
        column = text[start + colon.end() :]
        if TEXT_FORMATS.of_file(name) and column:
            return given_path(name), column
        if WrittenPath(name).exists():
            kinds = ", ".join(f".{name}" for name in TEXT_FORMATS)
            raise ConfigError(
                f"{flag} {text}: no such file; columns can be named of files that end in {kinds}"
            )
    return given_path(text), ""


DATASET = "files"
SLOW_OUTPUTS = 20_000
"""More sentences of outputs than that make the Python kernel slow enough for a warning."""


def add_files(
    parser: argparse.ArgumentParser,
    *names: str,
    piped: bool = False,
    gold: bool = False,
    plain: bool = False,
) -> None:
    """Declare -s, -r and -o; the last two take several files, and may be repeated.

    `names` are further names of -o. With `piped`, -o may be left out: `output_from_pipe` then takes
    standard input. With `gold`, there is --gold, and -r may be left out beside it. With `plain`,
    nothing is declared beside the files.
    """
    files: dict[str, Any] = {
        "nargs": "+",
        "action": "extend",
        "metavar": "FILE",
    }
    parser.add_argument(
        "-s",
        "--src",
        "--source",
        dest="source",
        metavar="FILE",
        help="the uncorrected text",
    )
    parser.add_argument(
        "-r",
        "--ref",
        "--references",
        dest="references",
        required=not gold,
        help="references, one file each",
        **files,
    )
    if gold:
        parser.add_argument(
            "--gold",
            metavar="FILE",
            help="an M2 file: edits for m2, errant ...; source and references for others, "
            "where not given",
        )
    outputs = "outputs of systems, one file each"
    if piped:
        outputs += "; default: standard input, where it is piped"
    parser.add_argument(
        "-o",
        "--out",
        "--outputs",
        *names,
        dest="outputs",
        required=not piped,
        help=outputs,
        **files,
    )
    parser.set_defaults(
        empty_references="keep", encoding=None, num_refs=None, bom="drop"
    )
    if plain:
        return
    parser.add_argument(
        "--empty-references",
        choices=("keep", "error", "none"),
        help="empty references: texts (keep), an error, or missing",
    )
    parser.add_argument(
        "--bom",
        choices=("drop", "keep"),
        help="byte order marks: no text (drop, the default), or text",
    )
    parser.add_argument(
        "--encoding",
        type=_encoding,
        metavar="NAME",
        help="the encoding of plain files (default: utf-8)",
    )
    parser.add_argument(
        "--key",
        default="",
        metavar="NAME",
        help="the field of ids that joins texts of FILE:COLUMN",
    )
    parser.add_argument(
        "--num-refs",
        type=int,
        choices=range(1, 256),
        metavar="N",
        help="-r is one tab-separated file with N references",
    )


def _encoding(text: str) -> str:
    """Return the name of an encoding, for argparse; it is empty for UTF-8."""
    try:
        "".encode(text)
    except LookupError:
        hint = did_you_mean(text, aliases.keys() - {text})
        raise argparse.ArgumentTypeError(
            f"no encoding is called '{text}'{hint}"
        ) from None
    return "" if codecs.lookup(text).name == "utf-8" else text


def _with_options(args: argparse.Namespace, text: Input) -> Input:
    """Return a text with the --encoding of lines, or the --key of records; M2 files have neither."""
    if not isinstance(text, Column):
        if args.encoding:
            return Column(kind=Column.ENCODED, path=text, column=args.encoding)
        return text
    form = TEXT_FORMATS.get(text.kind)
    if form and form.column:
        # the first line has names if the column of ids has one
        has_name = bool(form.header and args.key) and not args.key.isdecimal()
        return replace(text, key=args.key, header=text.header or has_name)
    return text


def output_from_pipe(args: argparse.Namespace) -> None:
    """Take standard input as the output if none is named.

    Raises ConfigError if nothing is piped to it.
    """
    if args.outputs:
        return
    is_used = "-" in (args.source, args.gold, *(args.references or ()))
    if is_used or sys.stdin is None or sys.stdin.isatty():
        raise ConfigError(
            "the following arguments are required: -o (or pipe an output to standard input)"
        )
    args.outputs = ["-"]


def open_files(
    args: argparse.Namespace,
    *,
    quiet: bool = False,
    views: Collection[str],
    references: bool = True,
) -> "Corpus":
    """Open and check the files; systems are named as on the command line.

    Warnings go to standard error. `views` is what the metrics read; see `data/inputs.py`.
    `references` is whether they read any.
    """
    # here, because --help opens nothing
    from ..data import TEXTS, InputReader, open_corpus, suspicions
    from ..report.terminal import print_warnings

    outputs = expanded(args.outputs)
    repeated = next((name for name in outputs if outputs.count(name) > 1), None)
    if repeated is not None:
        raise ConfigError(f"-o: {repeated} is given twice")
    dataset = _dataset(args, views, required=references)
    texts: dict[str, Input] = {}
    are_annotated = any(
        InputReader.of(view).needs_files(view)
        and not InputReader.of(view).takes_texts(view)
        for view in views
    )
    for output in outputs:
        text = (
            annotated_output(output)
            if are_annotated
            else given_text(output, "-o")
        )
        name = output
        if isinstance(text, Remote):
            # Parts of addresses are secret, so that several may look the same.
            name = str(text)
            same = sum(
                other == name or other.startswith(f"{name} #")
                for other in texts
            )
            if same:
                name = f"{name} #{same + 1}"
        texts[name] = _with_options(args, text)
    systems = [System(name, {DATASET: text}) for name, text in texts.items()]
    problems: list[Problem] = []
    corpus = open_corpus(dataset, systems, problems, views=views)
    if corpus is None:
        raise CorpusError(list(dict.fromkeys(problems)))
    print_warnings(suspicions(corpus, references=TEXTS in views), quiet=quiet)
    return corpus


def _dataset(
    args: argparse.Namespace, views: Collection[str], *, required: bool
) -> Dataset:
    """Return the data set of the files.

    A single file of annotations as -r holds the references of all annotators, and the source.
    """
    from ..data import TEXTS, InputReader

    needs_gold = any(InputReader.of(view).needs_files(view) for view in views)
    reads_edits = any(view != TEXTS for view in views)
    gold = getattr(args, "gold", None)
    references = expanded(args.references or ())
    if required and not (references or gold):
        raise ConfigError(
            "the following arguments are required: -r/--ref/--references (or --gold FILE)"
        )
    source = given_text(args.source, "-s") if args.source else None
    # The references: an M2 file, columns of one file, or a text each.
    m2 = None
    if (
        len(references) == 1
        and references[0] != "-"
        and not WrittenPath(references[0]).is_remote
    ):
        path = given_path(references[0])
        if isinstance(path, Path) and _has_annotations(
            path, by_content=reads_edits
        ):
            m2 = path
    texts: list[Input] = []
    if not m2:
        texts = [given_text(reference, "-r") for reference in references]
    if args.num_refs:
        if m2 or len(references) != 1:
            names = ", ".join(references) or "none"
            raise ConfigError(
                f"--num-refs: -r is one file of tab-separated lines, found {names}"
            )
        texts = []
        for number in range(1, args.num_refs + 1):
            path = given_path(references[0])
            texts.append(Column(kind="tsv", path=path, column=str(number)))
    has_missing = args.empty_references == "none"
    for number, text in enumerate(texts):
        if isinstance(text, Column):
            texts[number] = replace(text, null=has_missing)
    # The gold edits.
    annotations: Path | Remote | None = m2 if reads_edits else None
    if gold:
        annotations = given_path(gold)
    if needs_gold and annotations is None:
        message = "metrics of edits need an M2 file, which has the edits of annotators: --gold FILE"
        if any(
            InputReader.of(view).needs_files(view)
            and not InputReader.of(view).takes_texts(view)
            for view in views
        ):
            message += (
                "; or texts are annotated for those that have the option --annotator: "
                "--annotator auto"
            )
        raise ConfigError(f"--gold: {message}")
    if gold and references and not source and not reads_edits:
        form = InputReader.of(InputReader.GOLD).text_format
        column_named = TEXT_FORMATS[form].column_named
        if column_named:
            path = given_path(gold)
            source = Column(
                kind=form, path=path, column=column_named(path, "", "-s")
            )
    return Dataset(
        name=DATASET,
        source=_with_options(args, source) if source else None,
        references=tuple(_with_options(args, text) for text in texts),
        m2=m2 if references else annotations,
        gold=(annotations,) if annotations else (),
        empty_references=args.empty_references,
        bom=args.bom,
    )


def expanded(texts: Sequence[str]) -> list[str]:
    """Return file names with data:NAME/GLOB replaced by the files that match, as a shell does."""
    names: list[str] = []
    for text in texts:
        if WrittenPath(text).is_data and WrittenPath(text).is_glob:
            # here, because few texts are of data sets
            from ..data import Catalogue

            names += [
                f"{WrittenPath.DATA}{file.key}"
                for file in Catalogue.known().files_in_config(text)
            ]
        else:
            names.append(text)
    return names


def kernel_notes(corpora: "Iterable[Corpus]") -> Iterator[str]:
    """Yield a warning if there is much to count and the compiled kernel is missing."""
    from .. import kernel

    reason = kernel.why_not_native()
    if (
        reason
        and sum(corpus.lines * len(corpus.systems) for corpus in corpora)
        > SLOW_OUTPUTS
    ):
        yield f"the Python kernel is used: it is slower, with equal results. {reason}"


def add_config(parser: argparse.ArgumentParser) -> None:
    """Declare a config, and --set and --only, which change it."""
    parser.add_argument(
        "config", help="a YAML file; `gec-pipeline help config` explains it"
    )
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change the config, such as output.digits=4 or metrics.0.order=3; may be repeated",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only data sets, systems or metrics of this name, such as AMU or 'A*'; "
        "may be repeated",
    )


def jobs(text: str) -> int | str:
    """Return a number of workers, for argparse."""
    if text == "auto":
        return text
    if text.isascii() and text.isdigit() and int(text) > 0:
        return int(text)
    raise ValueError(text)


jobs.__name__ = "number of workers (auto, or from 1)"


def whole_number(least: int) -> Callable[[str], int]:
    """Return a function that returns a whole number from `least`, for argparse."""

    def read(text: str) -> int:
        is_number = text.isascii() and text.isdigit() and len(text) < 10
        if not is_number or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"expected a whole number from {least}, found '{text}'"
            )
        return int(text)

    return read


SEVERAL: dict[str, Any] = {
    "nargs": "+",
    "action": "extend",
    "default": [],
    "metavar": "NAME",
}


def add_parts(parser: argparse.ArgumentParser) -> None:
    """Declare --metric, --dataset and --system, each of which takes several names or patterns."""
    meanings = {
        "metric": "only these metrics: names (BLEU, chrF++, gleu[n=3]), signatures, or patterns "
        "such as 'rouge*'",
        "dataset": "only these data sets, or patterns",
        "system": "only these systems, or patterns such as 'A*'",
    }
    for name, meaning in meanings.items():
        parser.add_argument(
            f"--{name}", f"--{name}s", dest=name, help=meaning, **SEVERAL
        )


def add_settings(
    parser: argparse.ArgumentParser,
    model: "type[BaseModel]",
    names: Iterable[str],
    lists: Mapping[str, Any],
    **flags: str,
) -> None:
    """Declare settings of a section of a config as arguments.

    Meanings, choices and defaults are those of the section, which also checks values that are no
    choices. `lists` is how argparse reads lists; `flags` are flags that differ from the names.
    """
    for name in names:
        field = model.model_fields[name]
        meaning = str(field.description)
        default = field.default
        if isinstance(default, list):
            default = default[0] if default else None
        if default is not None and "default" not in meaning:
            meaning += f" (default: {default})"
        kind = field.annotation
        options: dict[str, Any] = {}
        if get_origin(kind) is list:
            kind = get_args(kind)[0]
            options.update(lists)
        if get_origin(kind) is Literal:
            options["choices"] = get_args(kind)
        else:
            options["metavar"] = "NAME" if kind in (str, str | None) else "N"
        flag = flags.get(name, f"--{name.replace('_', '-')}")
        parser.add_argument(
            flag, dest=name, default=None, help=meaning, **options
        )


def add_shown(parser: argparse.ArgumentParser, *names: str) -> None:
    """Declare some of --columns, --mean, --boards and --digits, which choose the content of tables."""
    options: dict[str, dict[str, Any]] = {
        "digits": {
            "type": int,
            "default": 2,
            "choices": range(13),
            "metavar": "N",
            "help": "decimals (default: 2)",
        },
        "columns": {
            "help": "only these columns: outputs such as recall_*, interval, ranks, p ...",
            **SEVERAL,
        },
        "mean": {
            "action": "store_true",
            "help": "also the mean over data sets, each of which counts the same, of systems that "
            "have scores on all of them",
        },
        "boards": {
            "action": "store_true",
            "help": "a ranked table for each metric and data set",
        },
    }
    for name in names:
        parser.add_argument(f"--{name}", **options[name])


def selection_of(args: argparse.Namespace) -> "Selection":
    """Return the selection of --metric, --dataset and --system.

    Some commands have not all of them, or take one name each. A single system is not part of the
    selection, because `show` prints the counts of one.
    """
    from ..scoring import Selection

    selected: dict[str, list[str]] = {}
    for name in ("metric", "dataset", "system"):
        value = getattr(args, name, None) or []
        if isinstance(value, str):
            value = [] if name == "system" else [value]
        selected[name] = value
    return Selection(
        selected["metric"], selected["dataset"], selected["system"]
    )


COMPUTING = ("devices", "batch_size", "recompute", "cache")
"""What add_computing() declares: fields of RunOptions."""


def add_computing(parser: argparse.ArgumentParser) -> None:
    """Declare how metrics of users compute."""
    group = parser.add_argument_group("metrics of your own (help plugins)")
    group.add_argument(
        "--device",
        dest="devices",
        action="append",
        default=[],
        metavar="DEVICE",
        help="where models compute: auto (default), cpu, cuda:1; may be repeated",
    )
    group.add_argument(
        "--batch-size",
        type=whole_number(1),
        metavar="N",
        help="the most lines that a metric gets at once",
    )
    group.add_argument(
        "--recompute",
        action="append",
        default=[],
        metavar="METRIC",
        help="compute numbers anew that are kept on this computer",
    )
    group.add_argument(
        "--no-cache",
        dest="cache",
        action="store_false",
        help="keep nothing on this computer, and read nothing kept",
    )


def computing_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of add_computing() as fields of RunOptions."""
    return {
        "devices": tuple(args.devices),
        "recompute": tuple(args.recompute),
        "batch_size": args.batch_size,
        "cache": args.cache,
    }
