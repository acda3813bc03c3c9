"""Where the names of points go in a plot, so that none lies on another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Box = tuple[float, float, float, float]
    """Left, bottom, right and top, in pixels; y grows upwards."""

POINT = 4.0
"""Half the side of a point, in pixels of a drawing of 100 dots an inch."""
NEAR = 9.0
"""The distance up to which a label needs no line to its point, in the same pixels."""
DISTANCES = (NEAR, 14.0, 22.0, 32.0, 44.0, 60.0, 80.0, 105.0, 135.0)
ANGLES = (0, 180, 90, 270, 45, 135, 315, 225, 20, 160, 340, 200, 70, 110, 290, 250)
"""Directions from a point in degrees, in the order in which they are tried; 0 is to the right."""


class LabelPlace(NamedTuple):
    """Where a label goes."""

    x: float
    """The middle of the label."""
    y: float
    far: bool
    """Whether it is so far from its point that a line has to join them."""


def label_places(
    points: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]], frame: Box
) -> dict[int, LabelPlace]:
    """Return a place for the label of each point, by its number: the first free place, or where it covers least.

    The points are in pixels, and y grows upwards. The sizes are width and height of the labels, which should stay
    inside the frame. Points on the right choose first.
    """
    taken: list[Box] = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    places: dict[int, LabelPlace] = {}
    for number in sorted(range(len(points)), key=lambda n: (-points[n][0], -points[n][1])):
        box, far = _best(points[number], sizes[number], taken, frame)
        taken.append(box)
        places[number] = LabelPlace((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, far)
    return places


def _best(point: tuple[float, float], size: tuple[float, float], taken: Sequence[Box], frame: Box) -> tuple[Box, bool]:
    """Return the first free place for a label, or where it covers least, and whether that is far from its point."""
    tried = []
    for distance, box in _places(point, size):
        covered = sum(_common(box, other) for other in taken) + (_area(box) - _common(box, frame))
        if covered <= 0.01:
            return box, distance > NEAR
        tried.append((covered, distance, box))
    _, distance, box = min(tried)
    return box, distance > NEAR


def _places(point: tuple[float, float], size: tuple[float, float]) -> Iterator[tuple[float, Box]]:
    """Yield places round a point with their distances, the near ones first."""
    width, height = size
    for distance in DISTANCES:
        for angle in ANGLES:
            across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            x = point[0] + across * (distance + width / 2)
            y = point[1] + up * (distance + height / 2 - NEAR / 3)
            yield distance, (x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _common(one: Box, two: Box) -> float:
    """Return the area that two boxes share."""
    width = min(one[2], two[2]) - max(one[0], two[0])
    height = min(one[3], two[3]) - max(one[1], two[1])
    return width * height if width > 0 and height > 0 else 0.0


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
