"""What stands in the place of a file of a run: a message names it, and where it is deleted the run
goes on.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.errors import StoreError
from tests.conftest import run, tree, write_run

NAMED = re.compile("delete (?:the folder )?([^,]+), which is in")


def folder(path: Path) -> None:
    path.mkdir()
    (path / "inside").touch()


@pytest.mark.parametrize(
    "blocked",
    [
        "unfinished",
        "statistics",
        "statistics/d",
        "results.json",
        "results.json.tmp",
        "COLUMNS",
    ],
)
@pytest.mark.parametrize(
    "put", [folder, Path.touch, lambda path: path.symlink_to("nowhere")]
)
def test_advice_works(
    tmp_path: Path, blocked: str, put: Callable[[Path], None]
) -> None:
    """The same command ends well once the path is deleted that it names; its bytes are as ever."""
    config = write_run(tmp_path, 20)
    run(config, tmp_path / "whole")
    expected = tree(tmp_path / "whole")
    if blocked == "COLUMNS":
        blocked = next(name for name in expected if name.endswith(".columns"))
    shutil.copytree(tmp_path / "whole", tmp_path / "run")
    target = tmp_path / "run" / blocked
    for path in (tmp_path / "run" / "statistics", target):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    put(target)
    for _ in range(3):
        try:
            run(config, tmp_path / "run")
            break
        except StoreError as error:
            named = NAMED.search(str(error)) or re.search(
                r"^(.*): is a link; .*: delete it$", str(error)
            )
            wrong = Path(named[1]) if named else pytest.fail(str(error))
            if wrong != target:
                pytest.fail(str(error))
            shutil.rmtree(
                wrong
            ) if wrong.is_dir() and not wrong.is_symlink() else wrong.unlink()
    found = tree(tmp_path / "run")
    assert {name: found.get(name) for name in expected} == dict(expected)
