"""Files that are none, in the commands of this extension."""

from pathlib import Path

import pytest

from tests.files.test_special_files import check_door, folder  # noqa: F401 (a fixture)
from tests.support.extensions import with_extension

DOORS = """
score m2 --gold FILE -o careful.txt
score imeasure -s source.txt --gold FILE -o careful.txt
m2 check FILE
m2 apply FILE
m2scorer FILE a.m2
m2scorer careful.txt FILE
""".strip().splitlines()
DOORS += with_extension(
    "errant",
    "score errant --gold a.m2 -o FILE",
    "score gotoscorer --gold a.m2 -o a.m2 --weights FILE",
    "errant_compare -hyp FILE -ref a.m2",
)


@pytest.mark.parametrize("door", DOORS)
def test_only_files_are_read(
    folder: Path,  # noqa: F811
    door: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    check_door(folder, door, monkeypatch, capsys)
