"""Files that are none, in the commands of this extension."""

from pathlib import Path

import pytest

from tests.files.test_special_files import check_door, folder  # noqa: F401 (a fixture)

DOORS = """
reproduce --check FILE
run expected.yaml
""".strip().splitlines()


@pytest.mark.parametrize("door", DOORS)
def test_only_files_are_read(
    folder: Path,  # noqa: F811
    door: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    check_door(folder, door, monkeypatch, capsys)
