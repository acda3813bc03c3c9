"""Positions for the labels of points, so that they cover neither each other nor points."""

import math
from collections.abc import Sequence
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle in pixels; y grows upwards."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def area(self) -> float:
        """The area; 0 if the sides are the wrong way round."""
        width = max(self.right - self.left, 0.0)
        height = max(self.top - self.bottom, 0.0)
        return width * height

    def common_area(self, other: "Box") -> float:
        """Return the area that two boxes share."""
        common = Box(
            left=max(self.left, other.left),
            bottom=max(self.bottom, other.bottom),
            right=min(self.right, other.right),
            top=min(self.top, other.top),
        )
        return common.area


POINT = 4.0
"""Half the side of a point, in pixels of a drawing of 100 dots an inch."""
NEAR = 9.0
"""The distance up to which a label needs no line to its point, in the same pixels."""
DISTANCES = (NEAR, 14.0, 22.0, 32.0, 44.0, 60.0, 80.0, 105.0, 135.0)
ANGLES = (
    0,
    180,
    90,
    270,
    45,
    135,
    315,
    225,
    20,
    160,
    340,
    200,
    70,
    110,
    290,
    250,
)
"""Directions from a point in degrees, in the order in which they are tried; 0 is to the right."""
MAX_COVERED = 0.01
"""The area in square pixels that a free position may share with others, due to rounding."""


class LabelPosition(NamedTuple):
    """The position of a label."""

    x: float
    """The middle of the label."""
    y: float
    needs_line: bool
    """Whether it is so distant from its point that a line has to join them."""


def label_positions(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
) -> dict[int, LabelPosition]:
    """Return a position for the label of each point, by the point's index: the nearest one that
    covers no point or other label, or the one that covers least.

    The points are in pixels, and y grows upwards. The sizes are width and height of the labels,
    which should stay inside the frame. The labels are placed in order, those of the points furthest
    to the right first."""
    occupied = [
        Box(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points
    ]
    positions: dict[int, LabelPosition] = {}

    def from_right(index: int) -> tuple[float, float]:
        x, y = points[index]
        return -x, -y

    for index in sorted(range(len(points)), key=from_right):
        distance, box = _best_box(points[index], sizes[index], occupied, frame)
        occupied.append(box)
        x = (box.left + box.right) / 2
        y = (box.bottom + box.top) / 2
        positions[index] = LabelPosition(x, y, distance > NEAR)
    return positions


def _best_box(
    point: tuple[float, float],
    size: tuple[float, float],
    occupied: Sequence[Box],
    frame: Box,
) -> tuple[float, Box]:
    """Return the distance from a point, and the box there, where a label of this size covers no
    occupied box and stays in the frame; if there is none, where it covers least.

    DISTANCES and, at each, ANGLES are tried in order."""
    point_x, point_y = point
    half_width = size[0] / 2
    half_height = size[1] / 2
    tried = []
    for distance in DISTANCES:
        # The middles of labels at a distance are on an ellipse.
        x_radius = distance + half_width
        y_radius = distance + half_height - NEAR / 3
        for angle in ANGLES:
            radians = math.radians(angle)
            x = point_x + math.cos(radians) * x_radius
            y = point_y + math.sin(radians) * y_radius
            box = Box(
                left=x - half_width,
                bottom=y - half_height,
                right=x + half_width,
                top=y + half_height,
            )
            outside = box.area - box.common_area(frame)
            covered = sum(box.common_area(other) for other in occupied)
            covered += outside
            if covered <= MAX_COVERED:
                return distance, box
            tried.append((covered, distance, box))
    _, distance, box = min(tried)
    return distance, box
