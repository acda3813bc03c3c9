"""Completion in the shell: what is proposed for the beginning of a line, as argcomplete is asked by
a shell.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.extensions import with_extension
from tests.support.programs import python

needs_argcomplete = pytest.mark.skipif(
    find_spec("argcomplete") is None,
    reason="the package argcomplete is missing",
)
CODE = "import sys; from pipeline.cli import main; sys.exit(main())"


def asked(
    line: str, folder: Path, before: str = ""
) -> tuple[int, list[str], str]:
    """Return the exit code, the proposals, and all that was printed where a user should not see
    anything.
    """
    answer = folder / "answer"
    answer.write_text("")
    environment = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    done = python("-c", before + CODE, cwd=folder, environment=environment)
    return (
        done.returncode,
        [word.strip() for word in answer.read_text().splitlines()],
        done.stdout + done.stderr,
    )


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completion")
    (folder / "config.yaml").touch()
    (folder / "other.txt").touch()
    return folder


@needs_argcomplete
@pytest.mark.parametrize(
    ("line", "proposals"),
    [
        ("gec-pipeline ra", {"rank"}),
        (
            "gec-pipeline rep",
            {"report", *with_extension("published", "reproduce")},
        ),
        ("gec-pipeline run --ou", {"--output"}),
        ("gec-pipeline run c", {"config.yaml"}),
        ("gec-pipeline score r", {"rouge"}),
        ("gec-pipeline help res", {"results"}),
        *with_extension(
            "published", ("gec-pipeline reproduce gjg-bl", {"gjg-bleu"})
        ),
        (
            "gec-pipeline data fetch conll14-",
            {"conll14-annotations", "conll14-judgements", "conll14-outputs"},
        ),
        ("gec-pipeline report run --format mark", {"markdown"}),
        ("gec-pipeline nonsense x", set()),
        ("gec-pipeline score 'gl", {"gleu"}),
    ],
)
def test_what_the_tab_key_proposes(
    here: Path, line: str, proposals: set[str]
) -> None:
    code, words, result = asked(line, here)
    assert (code, result) == (0, "")
    assert {
        word
        for word in words
        if not word.startswith("--") or line.endswith("--ou")
    } == proposals


def test_without_the_package_nothing_is_run_or_printed(here: Path) -> None:
    """Else each Tab would run the command."""
    blocked = "import sys; sys.modules['argcomplete'] = None\n"
    assert asked("gec-pipeline ", here, blocked) == (1, [], "")


def test_shells_that_ask_every_program_see_that_this_one_answers() -> None:
    """argcomplete looks for this word in the first kilobyte of the module that the script imports."""
    assert (
        b"PYTHON_ARGCOMPLETE_OK"
        in (ROOT / "pipeline" / "cli" / "__init__.py").read_bytes()[:1024]
    )


def test_completion_costs_nothing_where_nobody_asks() -> None:
    code = "import sys; from pipeline.cli import main; main(['list', 'metrics', 'gleu']); "
    code += "sys.exit('pipeline.cli.completion' in sys.modules or 'argcomplete' in sys.modules)"
    assert python("-c", code).returncode == 0
