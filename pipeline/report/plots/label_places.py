"""Where the names of points go in a plot, so that none lies on another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .canvas import GREY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Box = tuple[float, float, float, float]

POINT = 4.0
"""Half the side of a point, in pixels of a figure of 100 dots an inch."""
NEAR = 9.0
DISTANCES = (NEAR, 14.0, 22.0, 32.0, 44.0, 60.0, 80.0, 105.0, 135.0)
ANGLES = (0, 180, 90, 270, 45, 135, 315, 225, 20, 160, 340, 200, 70, 110, 290, 250)
"""Degrees: to the right of its point first."""


def place_labels(made: Figure, axes: Axes, labels: Sequence[tuple[str, float, float]]) -> None:
    """Write names beside their points (name, x, y): at the first place that is free, with a line where that is far."""
    made.draw_without_rendering()  # now the axes have their place
    made.set_layout_engine("none")
    points: list[tuple[float, float]] = [tuple(axes.transData.transform((x, y))) for _, x, y in labels]
    sizes = [_size(axes, name) for name, *_ in labels]
    inside = axes.get_window_extent()
    frame = (inside.x0, inside.y0, inside.x1, inside.y1)
    taken: list[Box] = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    for number in sorted(range(len(labels)), key=lambda n: (-points[n][0], -points[n][1])):
        box, far = _best(points[number], sizes[number], taken, frame)
        taken.append(box)
        middle = ((box[0] + box[2]) / 2 - points[number][0], (box[1] + box[3]) / 2 - points[number][1])
        scale = 72 / made.dpi
        axes.annotate(
            labels[number][0],
            labels[number][1:],
            xytext=(middle[0] * scale, middle[1] * scale),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=8,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2}
            if far
            else None,
        )


def _size(axes: Axes, name: str) -> tuple[float, float]:
    """Return width and height of a name in pixels."""
    drawn = axes.text(0, 0, name, fontsize=8)
    box = drawn.get_window_extent()
    drawn.remove()
    return box.width, box.height


def _best(point: tuple[float, float], size: tuple[float, float], taken: Sequence[Box], frame: Box) -> tuple[Box, bool]:
    """Return the first free place for a name, or where the least is covered; and whether it is far off."""
    found = []
    for distance, box in _places(point, size):
        covered = sum(_common(box, other) for other in taken) + (_area(box) - _common(box, frame))
        if covered <= 0.01:
            return box, distance > NEAR
        found.append((covered, distance, box))
    _, distance, box = min(found)
    return box, distance > NEAR


def _places(point: tuple[float, float], size: tuple[float, float]) -> Iterator[tuple[float, Box]]:
    """Yield places round a point, the near ones first."""
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
