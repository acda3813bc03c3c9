"""Published judgements in the commands of this extension."""

import json

import pytest

from tests.config_files import write
from tests.data.test_datasets import here  # noqa: F401 (a fixture)
from tests.support.in_process import Call

JUDGED = "data:conll14-judgements/judgments.xml"


@pytest.mark.usefixtures("here")
def test_commands_take_files_of_data_sets(
    call: Call,
) -> None:
    out = call("human", JUDGED, "--json", "--resamples", "2").out
    assert "CAMB" in json.loads(out)["systems"]
    write({"scores.txt": "AMU 1\nCAMB 3\nRAC 2\nUMC 1.5\n"})
    options = f"--human {JUDGED} -q --resamples 2"
    call(f"correlate scores.txt {options}")
