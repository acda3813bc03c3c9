# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What is read from a file in one pass over its bytes, compiled: line ends, blank lines, validity and odd marks.

These functions do what `data/scan.py` and `data/texts.py` do with numpy and regular expressions.
"""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memset

from .encode cimport _invalid, gp_count_code, gp_find_ends, gp_is_blank, gp_survey, gp_survey_bytes

cdef extern from *:
    """
    #ifdef __GLIBC__
    #include <malloc.h>
    static void gp_keep_memory(void) {
        mallopt(M_MMAP_THRESHOLD, 32 << 20);
        mallopt(M_TRIM_THRESHOLD, 64 << 20);
    }
    #else
    static void gp_keep_memory(void) {}
    #endif
    """
    void gp_keep_memory()


def keep_memory():
    """Let this process keep up to 64 MB that it does not need at the moment, where the C library is glibc.

    Shard after shard takes the same few megabytes. The system would clear them each time, a tenth of the time of counting.
    """
    gp_keep_memory()


def survey(const uint8_t[::1] piece, int separator, int64_t start, int64_t line, int64_t grid):
    """Return what is in a piece of a text, whose lines end with the byte `separator`.

    The piece is at the byte `start` of the text, and its first line begins at the byte `line`, -1 where that is not
    known. The result is: of each line that is the first to begin in its cell of `grid` bytes, how many lines of the
    piece end before it, and where it begins in the text, int64 [2, lines kept]; whether each line that ends here is
    blank, uint8, the first as though it began here; the bytes behind the last line end, and whether they are blank
    (not if there are none); whether the piece is valid UTF-8; whether there is a carriage return; how many marks of
    subwords and how many NUL characters there are; the bytes of the longest line that ends here, and its number, from
    0 (-1 bytes if none ends).
    """
    import numpy as np

    cdef gp_survey seen
    cdef int64_t size = piece.shape[0], lines
    cdef int64_t[:, ::1] kept
    cdef uint8_t[::1] blank
    cdef bint valid = True
    if size == 0 or start < 0 or line > start or grid < 1:
        raise ValueError("survey: expected bytes, a place from 0 and a grid from 1 on")
    memset(&seen, 0, sizeof(seen))
    seen.first = seen.line = &piece[0]
    seen.before, seen.longest = (start - line if line >= 0 else 0), -1
    seen.end, seen.separator, seen.start, seen.grid = seen.first + size, <uint8_t>separator, start, grid
    seen.next = seen.first + (line // grid * grid + grid - start) if line >= 0 else seen.first
    with nogil:
        lines = gp_count_code(seen.first, seen.end, seen.separator)
    kept_array, blank_array = np.empty((2, min(lines, size // grid + 2) + 1), np.int64), np.empty(lines + 1, np.uint8)
    kept, blank = kept_array, blank_array
    seen.numbers, seen.kept, seen.blank = &kept[0, 0], &kept[1, 0], &blank[0]
    with nogil:
        gp_survey_bytes(seen.first, &seen)
        if seen.high:
            valid = _invalid(seen.first, seen.end) < 0
    open_blank = seen.line < seen.end and gp_is_blank(seen.line, seen.end)
    rest = seen.end - seen.line
    return (
        kept_array[:, : seen.kept - &kept[1, 0]], blank_array[:lines], rest, open_blank, valid, seen.returns,
        seen.subwords, seen.nuls, seen.longest, seen.place
    )


def line_ends(const uint8_t[::1] data, int separator):
    """Return where each line of data ends: int64 [lines]. A last line without the byte `separator` ends with the data."""
    import numpy as np

    cdef int64_t size = data.shape[0], lines
    cdef const uint8_t *first
    cdef int64_t[::1] ends
    if size == 0:
        return np.zeros(0, np.int64)
    first = &data[0]
    cdef bint lacking = first[size - 1] != separator
    with nogil:
        lines = gp_count_code(first, first + size, <uint8_t>separator)
    array = np.empty(lines + lacking, np.int64)
    if lines + lacking:
        ends = array
        with nogil:
            lines = gp_find_ends(first, first + size, <uint8_t>separator, &ends[0])
            if lacking:
                ends[lines] = size
    return array
