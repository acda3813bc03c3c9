# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Records of edits to arrays, compiled: the twin of `python/gold_records.py`.

A record that is not as `record_of()` makes it is left, with all others, to the twin, which says what is wrong.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy

from ..gold_edits import GoldRecords

cdef extern from "white_space.h" nogil:
    int gp_white_space(const uint8_t *p, const uint8_t *end)

cdef struct Text:
    const uint8_t *data
    const int64_t *starts
    const int64_t *ends

cdef struct Found:
    int64_t edits, corrections, size
    int32_t *starts
    int32_t *ends
    int64_t *counts         # corrections of each edit
    int64_t *text_ends      # of corrections, in data
    uint8_t *data


cdef int64_t _tokens(const uint8_t *p, const uint8_t *end) noexcept nogil:
    """Return how many tokens white space parts."""
    cdef int64_t count = 0
    cdef int inside = 0, white
    while p < end:
        white = gp_white_space(p, end)
        if white:
            inside = 0
            p += white
        else:
            count += not inside
            inside = 1
            p += 1
    return count


cdef const uint8_t *_number(const uint8_t *p, const uint8_t *end, int64_t *number) noexcept nogil:
    """Read a number of at most nine digits, and return where it ends; NULL where there is none."""
    cdef int negative = p < end and p[0] == b"-", digits = 0
    p += negative
    number[0] = 0
    while p < end and b"0" <= p[0] <= b"9" and digits < 10:
        number[0] = 10 * number[0] + p[0] - 48
        digits += 1
        p += 1
    if negative:
        number[0] = -number[0]
    return p if 1 <= digits <= 9 else NULL


cdef const uint8_t *_numbers(const uint8_t *p, const uint8_t *end, int64_t *numbers, int count) noexcept nogil:
    """Read numbers with blanks between and around; NULL where there is anything else."""
    cdef int place
    for place in range(count):
        while p < end and (p[0] == b" " or p[0] == b"\t"):
            p += 1
        p = _number(p, end, &numbers[place])
        if p == NULL or (p < end and p[0] != b" " and p[0] != b"\t"):
            return NULL
    while p < end and (p[0] == b" " or p[0] == b"\t"):
        p += 1
    return p if p == end else NULL


cdef const uint8_t *_bars(const uint8_t *p, const uint8_t *end, int size) noexcept nogil:
    """Return where so many bars (two or three) are next, or the end."""
    while p < end:
        p = <const uint8_t *>memchr(p, b"|", end - p)
        if p == NULL or end - p < size:
            return end
        if p[1] == b"|" and p[size - 1] == b"|":
            return p
        p += 1
    return end


cdef void _take_alternative(const uint8_t *p, const uint8_t *end, Found *found) noexcept nogil:
    """Take a correction, without white space around it, unless something else than single blanks is between tokens."""
    cdef const uint8_t *first
    cdef const uint8_t *last
    cdef int white
    if end - p == 6 and not memcmp(p, b"-NONE-", 6):
        p = end
    while p < end and gp_white_space(p, end):
        p += gp_white_space(p, end)
    first = last = p
    while p < end:
        white = gp_white_space(p, end)
        if white:
            p += white
            continue
        if p != last and (p - last != 1 or last[0] != b" "):
            return
        p += 1
        last = p
    memcpy(found.data + found.size, first, last - first)
    found.size += last - first
    found.text_ends[found.corrections] = found.size
    found.corrections += 1


cdef int _take_edit(const uint8_t *p, const uint8_t *end, int64_t tokens, Found *found) noexcept nogil:
    """Take an edit if it counts; return 1 where it is not written as one."""
    cdef const uint8_t *fields[7]
    cdef int64_t span[2]
    cdef int64_t before = found.corrections
    cdef const uint8_t *next
    cdef int place
    if end - p >= 2 and p[0] == b"A" and p[1] == b" ":
        p += 2
    fields[0] = p
    for place in range(1, 7):   # where the next field begins: that is behind the end for the last one
        next = _bars(fields[place - 1], end, 3)
        if (next == end) != (place == 6):
            return 1
        fields[place] = next + 3
    if _numbers(fields[0], fields[1] - 3, span, 2) == NULL:
        return 1
    if fields[2] - 3 - fields[1] == 4 and not memcmp(fields[1], b"noop", 4):
        return 0
    if not (0 <= span[0] <= tokens and 0 <= span[1] <= tokens):
        return 0
    p = fields[2]
    end = fields[3] - 3
    while True:
        next = _bars(p, end, 2)
        _take_alternative(p, next, found)
        if next == end:
            break
        p = next + 2
    found.starts[found.edits], found.ends[found.edits] = <int32_t>span[0], <int32_t>span[1]
    found.counts[found.edits] = found.corrections - before
    found.edits += 1
    return 0


cdef int _take_record(
    const uint8_t *p, const uint8_t *end, int64_t tokens, int64_t *head, Found *found
) noexcept nogil:
    """Take the edits of a record; return 1 where it is not written as one."""
    cdef const uint8_t *next
    cdef int64_t numbers[3]
    if p == end:
        return 0
    next = <const uint8_t *>memchr(p, b"\n", end - p)
    next = end if next == NULL else next
    if _numbers(p, next, numbers, 3) == NULL:
        return 1
    head[0], head[1] = numbers[0], numbers[1]
    while next < end:
        p = next + 1
        next = <const uint8_t *>memchr(p, b"\n", end - p) if p < end else NULL
        next = end if next == NULL else next
        if _take_edit(p, next, tokens, found):
            return 1
    return 0


cdef Text _text(lines) except *:
    """Return where a text is, whose arrays the caller keeps alive."""
    cdef Text text
    cdef const int64_t[::1] starts = lines.starts
    cdef const int64_t[::1] ends = lines.ends
    text.data = <const uint8_t *><const char *>lines.data
    text.starts = &starts[0] if starts.shape[0] else NULL
    text.ends = &ends[0] if ends.shape[0] else NULL
    return text


cdef int _take_all(
    const Text *source, const Text *records, int64_t lines, int64_t annotators, int64_t *heads, int64_t *sizes,
    Found *found
) noexcept nogil:
    cdef int64_t line, annotator, place, tokens, before
    for line in range(lines):
        tokens = _tokens(source.data + source.starts[line], source.data + source.ends[line])
        for annotator in range(annotators):
            place = line * annotators + annotator
            before = found.edits
            if _take_record(
                records[annotator].data + records[annotator].starts[line],
                records[annotator].data + records[annotator].ends[line],
                tokens, heads + 2 * place, found,
            ):
                return 1
            sizes[place] = found.edits - before
    return 0


def gold_records(source, records):
    """Return the gold edits of annotators; see gold_records() in `python/gold_records.py`."""
    import numpy as np

    from ..lines import Lines
    from ..python.gold_records import gold_records as in_python

    cdef int64_t lines = len(source.starts), annotators = len(records), size, most, failed = 1
    cdef Text texts[256]
    cdef Found found
    cdef int64_t[:, :, ::1] heads
    cdef int64_t[::1] sizes
    cdef int32_t[:, ::1] spans
    cdef int64_t[::1] counts
    cdef int64_t[::1] text_ends
    cdef uint8_t *data
    if not lines or not 0 < annotators < 256 or any(len(own.starts) != lines for own in records):
        return in_python(source, records)
    size = sum(int((own.ends - own.starts).sum()) for own in records)
    most = sum(own.data.count(b"\n") for own in records)                    # no more edits than lines
    bars = sum(own.data.count(b"||") for own in records)                    # nor more corrections than these and one
    kept_heads, kept_sizes = np.full((lines, annotators, 2), -1, np.int64), np.zeros(lines * annotators + 1, np.int64)
    kept_spans, kept_counts = np.empty((2, most + 1), np.int32), np.zeros(most + 1, np.int64)
    kept_ends = np.empty(most + bars + 1, np.int64)
    heads, sizes, spans, counts, text_ends = kept_heads, kept_sizes, kept_spans, kept_counts, kept_ends
    for number, own in enumerate(records):
        texts[number] = _text(own)
    texts[annotators] = _text(source)
    data = <uint8_t *>malloc(size + 1)
    if data == NULL:
        raise MemoryError
    try:
        found.edits = found.corrections = found.size = 0
        found.starts, found.ends, found.counts = &spans[0, 0], &spans[1, 0], &counts[0]
        found.text_ends, found.data = &text_ends[0], data
        with nogil:
            failed = _take_all(
                &texts[annotators], texts, lines, annotators, &heads[0, 0, 0], &sizes[0], &found
            )
        if failed:
            return in_python(source, records)
        written = (<const char *>data)[:found.size]
    finally:
        free(data)
    ends = kept_ends[:found.corrections].copy()
    starts = np.concatenate((np.zeros(min(len(ends), 1), np.int64), ends[:max(len(ends) - 1, 0)]))
    return GoldRecords(
        kept_heads, _offsets(kept_sizes[:lines * annotators]), kept_spans[0, :found.edits].copy(),
        kept_spans[1, :found.edits].copy(), _offsets(kept_counts[:found.edits]), Lines(written, starts, ends),
    )


def _offsets(sizes):
    import numpy as np

    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
