"""How much a reader has to hold in mind: no room is denser, larger or wordier than it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.measure import (
    AIMS,
    NEW_ROOM,
    Figures,
    above_ceilings,
    imported_names,
    lowered,
    measure,
    measure_rooms,
    room_of,
)

SOURCE = '''"""A docstring is no code."""

# nor is a comment

def told(first, whole):
    one, two = first, [
        [y for y in x] for x in whole
    ]
    return one if two else {a for a in one for b in a}
'''


def test_what_is_counted() -> None:
    """By hand: names are told, whole; comprehensions one inside another, and one with two `for`."""
    figures = measure(SOURCE)
    assert figures.code_lines == 5
    assert figures.tokens == 8 + 7 + 11 + 1 + 16
    assert figures.nested == 2
    assert figures.ternaries == 1
    assert figures.pairs == 1
    assert figures.words == 2
    assert figures.longest == 5
    assert figures.rounded()["density"] == 8.6


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("pipeline/api.py", "pipeline"),
        ("pipeline/data/texts.py", "pipeline/data"),
        ("pipeline/data/config/load.py", "pipeline/data"),
        ("pipeline/data", "pipeline/data"),
        ("pipeline/extensions/edits/m2.py", "pipeline/extensions/edits"),
    ],
)
def test_rooms(path: str, room: str) -> None:
    assert room_of(Path(path)) == room


def test_faces_are_names_that_other_rooms_import() -> None:
    """By reading."""
    imports = list(
        imported_names(Path(__file__).parents[1] / "pipeline" / "stages.py")
    )
    assert "pipeline/scoring" in {room for room, _ in imports}


def test_ceilings_only_go_down_and_no_lower_than_the_aims() -> None:
    before = dict.fromkeys(NEW_ROOM, 50.0)
    rooms = {
        "room": Figures(code_lines=1000, tokens=70_000, nested=20, pairs=60)
    }
    after = lowered(rooms, {"room": before})["room"]
    assert (after["nested"], after["pairs"]) == (20.0, 50.0)
    assert after["face"] == AIMS["face"]


def test_no_figure_is_above_its_ceiling() -> None:
    """After a simplification: python -m tests.tools.measure --lower."""
    assert above_ceilings(measure_rooms()) == []
