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

from ...data.config.resolver import MAX_NAME, NAME
from ...errors import ConfigError, InputError

PACKAGE = Path(__file__).parents[2]
FIRST = "configs/quickstart.yaml"
"""The config of the sample to begin with."""


def configure(parser: argparse.ArgumentParser) -> None:
    told = "file to write (default: config.yaml, or config-2.yaml ...); with --sample: a new folder (default: sample)"
    parser.add_argument("config", nargs="?", help=told)
    parser.add_argument(
        "--sample", action="store_true", help="write texts and configs to try everything with"
    )
    parser.add_argument(
        "-s", "--source", metavar="FILE", help="uncorrected text (default: source.txt)"
    )
    told = "references (default: reference0.txt reference1.txt)"
    parser.add_argument("-r", "--references", nargs="+", metavar="FILE", help=told)
    parser.add_argument(
        "-o", "--outputs", nargs="+", default=[], metavar="FILE", help="outputs of systems"
    )


def run(args: argparse.Namespace) -> None:
    """Write the file, unless there is one, or the sample."""
    if args.sample:
        import shlex

        given = {
            "--source": args.source,
            "--references": args.references,
            "--outputs": args.outputs,
        }
        idle = ", ".join(flag for flag, value in given.items() if value)
        if idle:
            raise ConfigError(f"{idle}: has no effect with --sample, which brings its own files")
        folder = Path(args.config or "sample")
        roots = (
            PACKAGE / "sample",
            PACKAGE.parent,
        )  # installed, as setup.py puts it there; in the repository
        root = next((root for root in roots if (root / FIRST).is_file()), None)
        if root is None:
            missing = "the sample was not installed with the package; it is in the repository, in configs/ and data/"
            raise InputError(missing)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise InputError(f"{folder}: is not empty; name another folder")
            for path in (
                path
                for name in ("configs", "data")
                for path in (root / name).rglob("*")
                if path.is_file()
            ):
                copy = folder / path.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
        except OSError as error:
            raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
        print(
            f"wrote {folder}; try: cd {shlex.quote(str(folder))} && gec-pipeline run {FIRST}",
            file=sys.stderr,
        )
        return
    _write_config(args, Path(args.config) if args.config else _free(Path(), "config", ".yaml"))


def _free(folder: Path, stem: str, suffix: str = "") -> Path:
    """Return a path that is not there: the name itself, or with -2, -3 ... behind its stem."""
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(path for name in names if not (path := folder / f"{name}{suffix}").exists())


def _write_config(args: argparse.Namespace, path: Path) -> None:
    import json

    base = path.parent

    def relative(file: str | Path) -> str:
        return json.dumps(os.path.relpath(file, base), ensure_ascii=False) if file else ""

    source, references = (
        args.source or "source.txt",
        args.references or ["reference0.txt", "reference1.txt"],
    )
    outputs = args.outputs or [base / "systems" / "mine.txt"]
    names = _names([Path(output) for output in outputs])
    text = (
        Path(__file__)
        .with_name("template.yaml")
        .read_text(encoding="utf-8")
        .format(
            name=path,
            run=_free(Path("runs"), re.sub(r"[^A-Za-z0-9._+-]+", "-", path.stem)).name,
            source=relative(source if args.outputs else base / source),
            references="\n".join(
                f"      - {relative(r if args.outputs else base / r)}" for r in references
            ),
            systems="\n".join(
                f"  {name}: {relative(output)}" for name, output in zip(names, outputs, strict=True)
            ),
        )
    )
    try:
        with path.open(
            "x", encoding="utf-8", errors="surrogateescape"
        ) as file:  # a name as the terminal gave it
            file.write(text)
    except FileExistsError:
        raise ConfigError(f"{path}: is there already; name another file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
    print(f"wrote {path}; edit it, then: gec-pipeline validate {path}", file=sys.stderr)


def _names(paths: list[Path]) -> list[str]:
    """Return names of systems, made of the names of their files. Of equal names all but the first
    get a number."""
    names: list[str] = []
    for path in paths:
        stem = re.sub(r"[^A-Za-z0-9._+-]+", "-", path.stem)[: MAX_NAME - 5]
        name = stem if NAME.fullmatch(stem) else f"s{stem}"
        taken = {other.lower() for other in names}
        numbered = (f"{name}-{number}" for number in itertools.count(2))
        names.append(
            name
            if name.lower() not in taken
            else next(n for n in numbered if n.lower() not in taken)
        )
    return names
