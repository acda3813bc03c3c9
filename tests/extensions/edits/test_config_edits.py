"""Mistakes of a config with gold edits."""

from tests.config_files import problems
from tests.data.config.test_config import GOOD, folder  # noqa: F401 (a fixture)


def test_a_key_that_is_unknown_is_not_told_as_references_that_lack_too() -> (
    None
):
    assert len(problems(GOOD.replace("references", "refs"))) == 1
    (found,) = problems(
        GOOD.replace(", references: [r.txt]", "").replace("gleu", "m2")
    )
    assert found.startswith(
        "d: m2 compares edits with those of an M2 file: `gold: FILE` in the data set"
    )
