"""Published judgements in the commands of this extension."""

import json

import pytest

from tests.config_files import write
from tests.conftest import called
from tests.data.test_datasets import here  # noqa: F401 (a fixture)

JUDGED = "data:conll14-judgements/judgments.xml"


@pytest.mark.usefixtures("here")
def test_commands_take_files_of_data_sets(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = called(capsys, "human", JUDGED, "--json", "--resamples", "2")
    assert code == 0
    assert "CAMB" in json.loads(out)["systems"]
    write({"scores.txt": "AMU 1\nCAMB 3\nRAC 2\nUMC 1.5\n"})
    options = ("--human", JUDGED, "-q", "--resamples", "2")
    assert called(capsys, "correlate", "scores.txt", *options)[0] == 0
