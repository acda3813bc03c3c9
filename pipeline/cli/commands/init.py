"""Write a config to start from. If you name your files, the config can be run as it is.

With --sample, write the sample instead: the folders configs/ and data/ that the README and the help
name, with texts, outputs of systems, human judgements, and configs that run.

examples:
  gec-pipeline init --sample && cd sample && gec-pipeline run configs/quickstart.yaml
  gec-pipeline init eval.yaml
  gec-pipeline init eval.yaml -s source.txt -r reference0.txt reference1.txt -o systems/*.txt
"""

import argparse
import itertools
import os
import re
import sys
from pathlib import Path

from ...data.config import Config
from ...errors import ConfigError, InputError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
"""The names of files that stand for data sets and systems as they are."""
PACKAGE = Path(__file__).parents[2]
FIRST = "configs/quickstart.yaml"
"""The config of the sample to begin with."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config",
        nargs="?",
        help="file to write (default: config.yaml, or config-2.yaml ...); with --sample: a new "
        "folder (default: sample)",
    )
    parser.add_argument(
        "--sample",
        action="store_true",
        help="write texts and configs to try everything with",
    )
    parser.add_argument(
        "-s",
        "--source",
        metavar="FILE",
        help="uncorrected text (default: source.txt)",
    )
    parser.add_argument(
        "-r",
        "--references",
        nargs="+",
        metavar="FILE",
        help="references (default: reference0.txt reference1.txt)",
    )
    parser.add_argument(
        "-o",
        "--outputs",
        nargs="+",
        default=[],
        metavar="FILE",
        help="outputs of systems",
    )


def run(args: argparse.Namespace) -> None:
    """Write the config, unless there is one, or the sample."""
    if args.sample:
        _write_sample(args)
    elif args.config:
        _write_config(args, Path(args.config))
    else:
        _write_config(args, _free_path(Path(), "config", ".yaml"))


def _write_sample(args: argparse.Namespace) -> None:
    import shlex

    files = {
        "--source": args.source,
        "--references": args.references,
        "--outputs": args.outputs,
    }
    idle = ", ".join(flag for flag, value in files.items() if value)
    if idle:
        raise ConfigError(
            f"{idle}: has no effect with --sample, which brings its own files"
        )
    folder = Path(args.config or "sample")
    # Where setup.py installs the sample; in the repository.
    roots = (PACKAGE / "sample", PACKAGE.parent)
    root = next((root for root in roots if (root / FIRST).is_file()), None)
    if root is None:
        raise InputError(
            "the sample was not installed with the package; it is in the repository, in configs/ "
            "and data/"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise InputError(f"{folder}: is not empty; name another folder")
        for path in itertools.chain(
            (root / "configs").rglob("*"), (root / "data").rglob("*")
        ):
            if path.is_file():
                copy = folder / path.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
    except OSError as error:
        raise InputError(
            f"{folder}: cannot be written: {error.strerror}"
        ) from None
    command = f"cd {shlex.quote(str(folder))} && gec-pipeline run {FIRST}"
    print(f"wrote {folder}; try: {command}", file=sys.stderr)


def _free_path(folder: Path, stem: str, suffix: str = "") -> Path:
    """Return a path that does not exist: with this stem, or with -2, -3 ... behind it."""
    path = folder / f"{stem}{suffix}"
    number = 2
    while path.exists():
        path = folder / f"{stem}-{number}{suffix}"
        number += 1
    return path


def _write_config(args: argparse.Namespace, path: Path) -> None:
    import json

    base = path.parent

    def relative(file: str | Path) -> str:
        """Return a file as the config names it: a JSON string, relative to the config."""
        if not file:
            return ""
        return json.dumps(os.path.relpath(file, base), ensure_ascii=False)

    source = args.source or "source.txt"
    references = args.references or ["reference0.txt", "reference1.txt"]
    outputs = args.outputs
    if not outputs:
        outputs = [base / "systems" / "mine.txt"]
        source = base / source
        references = [base / reference for reference in references]
    names = _system_names([Path(output) for output in outputs])
    systems = zip(names, outputs, strict=True)
    run_name = re.sub(r"[^A-Za-z0-9._+-]+", "-", path.stem)
    template = (
        Path(__file__).with_name("template.yaml").read_text(encoding="utf-8")
    )
    text = template.format(
        name=path,
        run=_free_path(Path("runs"), run_name).name,
        source=relative(source),
        references="\n".join(
            f"      - {relative(reference)}" for reference in references
        ),
        systems="\n".join(
            f"  {name}: {relative(output)}" for name, output in systems
        ),
    )
    try:
        # Names from the terminal may hold bytes that are not UTF-8.
        with path.open("x", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    except FileExistsError:
        raise ConfigError(
            f"{path}: is there already; name another file"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be written: {error.strerror}"
        ) from None
    print(
        f"wrote {path}; edit it, then: gec-pipeline validate {path}",
        file=sys.stderr,
    )


def _system_names(paths: list[Path]) -> list[str]:
    """Return names of systems from the names of their files; equal ones get a number."""
    names: list[str] = []
    used: set[str] = set()
    for path in paths:
        stem = re.sub(r"[^A-Za-z0-9._+-]+", "-", path.stem)[
            : Config.MAX_NAME - 5
        ]
        if not NAME.fullmatch(stem):
            stem = f"s{stem}"
        name = stem
        number = 2
        while name.lower() in used:
            name = f"{stem}-{number}"
            number += 1
        names.append(name)
        used.add(name.lower())
    return names
