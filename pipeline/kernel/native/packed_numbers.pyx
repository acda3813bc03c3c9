# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Weighted sums of packed numbers, compiled: the twin of plane_sums() in `python/packed_numbers.py`; see `planes.h`."""

from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport free, malloc

cdef extern from "planes.h" nogil:
    const int GP_TILE, GP_SIDE_BY, GP_FEW_ROWS
    ctypedef struct gp_summing:
        int bits, most
    ctypedef struct gp_planes:
        const uint8_t *data
        const uint8_t *bits
        int64_t planes, lines, padded
    ctypedef struct gp_tile:
        uint8_t *numbers
        const uint8_t **places
        uint8_t *weights
    const gp_summing *gp_summing_of(int bits)
    void gp_plane_sums(
        const gp_summing *way, const gp_planes *own, const gp_tile *tile, const uint8_t *weights, int64_t stride,
        int64_t rows, int64_t *sums
    )

WIDTHS = tuple(bits for bits in (64, 256, 512) if gp_summing_of(bits) != NULL)
"""The widths of vectors that this processor has, in bits."""


def plane_sums(data, bits, int64_t lines, weights, int width=0):
    """Return sums of packed numbers; see plane_sums() in `python/packed_numbers.py`. `width` is that of vectors, in bits."""
    import numpy as np

    from ..python.packed_numbers import check_planes

    check_planes(data, bits, lines, weights)
    cdef const gp_summing *way = gp_summing_of(width or max(WIDTHS))
    if way == NULL:
        raise ValueError(f"vectors of {width} bits: this processor has those of {', '.join(map(str, WIDTHS))}")
    cdef const uint8_t[::1] own = data, sizes = bits
    cdef const uint8_t[:, :] rows = weights
    cdef gp_planes planes
    cdef gp_tile tile
    planes.planes, planes.lines, planes.padded = len(bits), lines, (lines + 7) // 8 * 8
    totals = np.zeros((len(weights), len(bits) + 1), np.int64)
    if not weights.size:
        return totals
    cdef int64_t[:, ::1] sums = totals
    planes.data = &own[0] if own.shape[0] else NULL
    planes.bits = &sizes[0] if sizes.shape[0] else NULL
    tile.numbers = <uint8_t *>malloc((planes.planes + 1 + GP_FEW_ROWS) * GP_TILE)
    tile.places = <const uint8_t **>malloc((planes.planes + GP_SIDE_BY) * sizeof(uint8_t *))
    try:
        if tile.numbers == NULL or tile.places == NULL:
            raise MemoryError
        tile.weights = tile.numbers + (planes.planes + 1) * GP_TILE
        with nogil:
            gp_plane_sums(
                way, &planes, &tile, &rows[0, 0], rows.strides[0], rows.shape[0], &sums[0, 0]
            )
    finally:
        free(tile.numbers)
        free(tile.places)
    return totals
