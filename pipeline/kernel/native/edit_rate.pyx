# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The edits of TER, compiled: the twin of `python/edit_rate.py`.

Short texts are compared by `edit_rate.h`, with rows as bits. What follows is for others.

Of each row only the cells of the beam are kept. The costs of a shift are computed from the first row that it changes.
They end before the last row where no better shift can come of them, or where a row behind the last changed word is
that of the words before the shift, but for a constant: from there on all rows are.
"""

from libc.math cimport ceil, floor
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy

from ..common import BEAM, FARTHEST, LONGEST_SHIFT, MOST_SHIFTS, check_edit_rate

cdef extern from "edit_rate.h" nogil:
    enum:
        GP_MOST_BITS
    ctypedef struct gp_table_of_edits:
        int size
        int target
        int beam
        int farthest
        int block
        int most
    int gp_edits(gp_table_of_edits *t, uint64_t *places, const int32_t *output, const int32_t *reference)

cdef int64_t WIDTH = BEAM, FAR = FARTHEST, BLOCK = LONGEST_SHIFT, MOST = MOST_SHIFTS
cdef int32_t OUTSIDE = 1 << 30

cdef struct Room:
    int64_t size               # words of the output
    int64_t target             # words of the reference
    const int32_t *reference
    int32_t *words             # the output after the shifts so far
    int32_t *moved             # the same after the shift that is tried
    int32_t *best_words        # the same after the best shift
    int64_t *low               # for each row, the first cell of the beam
    int64_t *high              # and the one behind the last
    int64_t *place             # where a row begins in cells
    int32_t *cells             # the costs of all rows
    int32_t *spare             # two rows for the shift that is tried
    char *wrong                # whether each word of the output is wrong
    char *missed               # whether each word of the reference is not there
    int64_t *aligned           # see places in _Alignment
    uint64_t *places           # see gp_edits(); NULL where ids are so high that this would take much more memory than they
    gp_table_of_edits bits

cdef struct Best:
    int64_t saved, length, start, target


cdef inline void _row(
    const int32_t *reference, int32_t word, const int32_t *above, int64_t above_low, int64_t above_high, int32_t *row,
    int64_t low, int64_t high, int32_t *least
) noexcept nogil:
    """Compute a row from the one above. Rows are given by their first cells of the beam."""
    cdef int64_t column = low, stop
    cdef int32_t cost, left = OUTSIDE, other, diagonal, smallest = OUTSIDE
    if column == 0:
        left = (above[0] if above_low == 0 and above_high > 0 else OUTSIDE) + 1
        row[0] = smallest = left
        column = 1
    diagonal = above[column - 1 - above_low] if above_low < column <= above_high else OUTSIDE
    stop = high if high < above_high else above_high
    while column < stop:                        # the cell above and the one left of it are in the beam, or one is not
        other = above[column - above_low] if column >= above_low else OUTSIDE
        cost = diagonal + (word != reference[column - 1])
        if other + 1 < cost:
            cost = other + 1
        if left + 1 < cost:
            cost = left + 1
        row[column - low] = left = cost
        if cost < smallest:
            smallest = cost
        diagonal = other
        column += 1
    while column < high:                        # nothing above
        cost = diagonal + (word != reference[column - 1])
        if left + 1 < cost:
            cost = left + 1
        row[column - low] = left = cost
        if cost < smallest:
            smallest = cost
        diagonal = OUTSIDE
        column += 1
    least[0] = smallest


cdef void _bounds(Room *room) noexcept nogil:
    """Set the beam; see beam() in the twin."""
    cdef int64_t row, middle, width = WIDTH
    cdef double slope = <double>room.target / <double>room.size if room.size else 1.0
    if slope / 2 > WIDTH:
        width = <int64_t>ceil(slope / 2 + WIDTH)
    room.low[0], room.high[0], room.place[0] = 0, room.target + 1, 0
    for row in range(1, room.size + 1):
        middle = <int64_t>floor(row * slope)
        room.low[row] = middle - width if middle > width else 0
        room.high[row] = room.target + 1
        if row < room.size and middle + width < room.target + 1:
            room.high[row] = middle + width
        room.place[row] = room.place[row - 1] + room.high[row - 1] - room.low[row - 1]


cdef int32_t _all_rows(Room *room, int64_t first) noexcept nogil:
    """Compute the rows of the words, those from `first` on; return the cost of the whole."""
    cdef int64_t row, column
    cdef int32_t least
    if first <= 0:
        for column in range(room.target + 1):
            room.cells[column] = <int32_t>column
        first = 1
    for row in range(first, room.size + 1):
        _row(
            room.reference, room.words[row - 1], room.cells + room.place[row - 1], room.low[row - 1],
            room.high[row - 1], room.cells + room.place[row], room.low[row], room.high[row], &least
        )
    return room.cells[room.place[room.size] + room.target - room.low[room.size]]


cdef inline int32_t _cell(const Room *room, int64_t row, int64_t column) noexcept nogil:
    if column < room.low[row] or column >= room.high[row]:
        return OUTSIDE
    return room.cells[room.place[row] + column - room.low[row]]


cdef void _align(Room *room) noexcept nogil:
    """Set wrong, missed and aligned by the path that _steps() of the twin takes."""
    cdef int64_t row = room.size, column = room.target
    cdef int32_t cost
    cdef bint differs
    while row > 0 or column > 0:
        cost = _cell(room, row, column)
        differs = row == 0 or column == 0 or room.words[row - 1] != room.reference[column - 1]
        if row > 0 and column > 0 and cost == _cell(room, row - 1, column - 1) + differs:
            room.wrong[row - 1] = room.missed[column - 1] = differs
            room.aligned[column - 1] = row - 1
            row -= 1
            column -= 1
        elif row > 0 and cost == _cell(room, row - 1, column) + 1:
            room.wrong[row - 1] = 1
            row -= 1
        else:
            room.missed[column - 1] = 1
            room.aligned[column - 1] = row - 1
            column -= 1


cdef int32_t _cost(Room *room, int64_t kept, int64_t changed, int32_t whole, int32_t limit) noexcept nogil:
    """Return the cost of the moved words, or OUTSIDE where it is above the limit.

    Their first `kept` words are those of the words before the shift, and so are all from `changed` on. `whole` is the
    cost of the words before the shift.
    """
    cdef const int32_t *above = room.cells + room.place[kept]
    cdef const int32_t *old
    cdef int32_t *row
    cdef int64_t number, column, width
    cdef int32_t least, difference
    for number in range(kept + 1, room.size + 1):
        row = room.spare + (number & 1) * (room.target + 1)
        _row(
            room.reference, room.moved[number - 1], above, room.low[number - 1], room.high[number - 1], row,
            room.low[number], room.high[number], &least
        )
        if least > limit:
            return OUTSIDE
        above = row
        if number >= changed:
            old, width = room.cells + room.place[number], room.high[number] - room.low[number]
            difference = row[0] - old[0]
            column = 1
            while column < width and row[column] - old[column] == difference:
                column += 1
            if column == width:
                return whole + difference
    return above[room.target - room.low[room.size]]


cdef inline void _move(Room *room, int64_t start, int64_t length, int64_t target, int64_t *changed) noexcept nogil:
    """Set moved, and in `changed` from where the words are again those before the shift; see Shift in the twin."""
    cdef int64_t over, stop
    if target < start:
        memcpy(room.moved, room.words, target * sizeof(int32_t))
        memcpy(room.moved + target, room.words + start, length * sizeof(int32_t))
        memcpy(room.moved + target + length, room.words + target, (start - target) * sizeof(int32_t))
        stop = start + length
    else:
        over = target - start - (length if target > start + length else 0)
        stop = start + length + over
        if stop > room.size:
            stop = room.size
        over = stop - start - length
        memcpy(room.moved, room.words, start * sizeof(int32_t))
        memcpy(room.moved + start, room.words + start + length, over * sizeof(int32_t))
        memcpy(room.moved + start + over, room.words + start, length * sizeof(int32_t))
    memcpy(room.moved + stop, room.words + stop, (room.size - stop) * sizeof(int32_t))
    changed[0] = stop


cdef inline bint _goes_before(Best *best, int64_t length, int64_t start, int64_t target) noexcept nogil:
    """Return whether a shift goes before the best one if it saves as many edits."""
    if best.saved == 0 or length != best.length:
        return best.saved == 0 or length > best.length
    return start < best.start or (start == best.start and target < best.target)


cdef int64_t _try_block(
    Room *room, Best *best, int64_t start, int64_t place, int64_t length, int32_t whole
) noexcept nogil:
    """Try the shifts of a block, and keep the best shift; return how many were tried."""
    cdef int64_t number, target, before = -1, tried = 0, changed, least
    cdef int32_t cost
    for number in range(place - 1, place + length):
        target = room.aligned[number] + 1 if number >= 0 else 0
        if target == before:
            continue
        before = target
        tried += 1
        least = best.saved + (not _goes_before(best, length, start, target))
        if least < 1:
            least = 1
        if least > whole:
            continue
        _move(room, start, length, target, &changed)
        cost = _cost(room, start if start < target else target, changed, whole, <int32_t>(whole - least))
        if cost <= whole - least:
            best.saved, best.length, best.start, best.target = whole - cost, length, start, target
            memcpy(room.best_words, room.moved, room.size * sizeof(int32_t))
    return tried


cdef int64_t _try_all(Room *room, Best *best, int32_t whole, int64_t tried) noexcept nogil:
    """Try the shifts of all blocks that output and reference share; return how many were tried so far."""
    cdef int64_t start, place, last, most, length
    cdef bint wrong, missed
    for start in range(room.size):
        place = start - FAR if start > FAR else 0
        last = start + FAR + 1 if start + FAR + 1 < room.target else room.target
        while place < last:
            most = room.size - start if room.size - start < room.target - place else room.target - place
            if most > BLOCK:
                most = BLOCK
            wrong = missed = False
            length = 0
            while length < most and room.words[start + length] == room.reference[place + length]:
                wrong |= room.wrong[start + length]
                missed |= room.missed[place + length]
                length += 1
                if not wrong or not missed or start <= room.aligned[place] < start + length:
                    continue
                tried += _try_block(room, best, start, place, length, whole)
                if tried >= MOST:
                    return tried
            place += 1
    return tried


cdef int64_t _edits(Room *room, const int32_t *output, const int32_t *reference) noexcept nogil:
    """Return the edits that make an output a reference."""
    cdef int64_t shifts = 0, tried = 0, kept = 0
    cdef int32_t whole, few
    cdef int32_t *other
    cdef Best best
    if room.target == 0:
        return room.size
    if room.size == room.target and memcmp(output, reference, room.size * sizeof(int32_t)) == 0:
        return 0
    if room.places != NULL and room.size <= GP_MOST_BITS and room.target <= GP_MOST_BITS:
        room.bits.size, room.bits.target = <int>room.size, <int>room.target
        few = gp_edits(&room.bits, room.places, output, reference)
        if few >= 0:
            return few
    room.reference = reference
    if room.size:
        memcpy(room.words, output, room.size * sizeof(int32_t))
    _bounds(room)
    while True:
        whole = _all_rows(room, kept)
        if whole == 0:
            return shifts
        _align(room)
        best.saved = best.length = best.start = best.target = 0
        tried = _try_all(room, &best, whole, tried)
        if tried >= MOST or best.saved == 0:
            return shifts + whole
        shifts += 1
        other, room.words, room.best_words = room.words, room.best_words, room.words
        kept = (best.start if best.start < best.target else best.target) + 1


cdef class _Memory:
    cdef Room room
    cdef int32_t *swapped[3]
    cdef int64_t longest, widest, most

    def __cinit__(self, int64_t longest, int64_t widest, int64_t cells, int64_t ids):
        cdef int64_t size = longest + 1, target = widest + 1
        self.room.bits.beam, self.room.bits.farthest = <int>WIDTH, <int>FAR
        self.room.bits.block, self.room.bits.most = <int>BLOCK, <int>MOST
        self.room.places = <uint64_t *>calloc(ids, sizeof(uint64_t)) if ids else NULL
        self.room.words = self.swapped[0] = <int32_t *>malloc(size * sizeof(int32_t))
        self.room.moved = self.swapped[1] = <int32_t *>malloc(size * sizeof(int32_t))
        self.room.best_words = self.swapped[2] = <int32_t *>malloc(size * sizeof(int32_t))
        self.room.low = <int64_t *>malloc(size * sizeof(int64_t))
        self.room.high = <int64_t *>malloc(size * sizeof(int64_t))
        self.room.place = <int64_t *>malloc(size * sizeof(int64_t))
        self.room.cells = <int32_t *>malloc(cells * sizeof(int32_t))
        self.room.spare = <int32_t *>malloc(2 * target * sizeof(int32_t))
        self.room.wrong = <char *>malloc(size)
        self.room.missed = <char *>malloc(target)
        self.room.aligned = <int64_t *>malloc(target * sizeof(int64_t))
        cdef bint all_there = self.room.words != NULL and self.room.moved != NULL and self.room.best_words != NULL
        all_there = all_there and self.room.low != NULL and self.room.high != NULL and self.room.place != NULL
        all_there = all_there and self.room.cells != NULL and self.room.spare != NULL and self.room.wrong != NULL
        all_there = all_there and (self.room.places != NULL or not ids)
        if not all_there or self.room.missed == NULL or self.room.aligned == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.swapped[0])
        free(self.swapped[1])
        free(self.swapped[2])
        free(self.room.low)
        free(self.room.high)
        free(self.room.place)
        free(self.room.cells)
        free(self.room.spare)
        free(self.room.wrong)
        free(self.room.missed)
        free(self.room.aligned)
        free(self.room.places)


cdef struct Text:
    const int32_t *ids
    const int64_t *offsets


cdef void _point(Text *target, text) except *:
    cdef const int32_t[::1] ids = text.ids
    cdef const int64_t[::1] offsets = text.offsets
    target.ids = &ids[0] if ids.shape[0] else NULL
    target.offsets = &offsets[0]


def edit_rate(references, systems):
    """Return how many edits make each output each reference; see edit_rate() in `python/edit_rate.py`."""
    import numpy as np

    check_edit_rate(references, systems)
    texts = [*references, *systems]
    cdef int64_t n_lines = len(references[0].offsets) - 1, line
    cdef int n_references = len(references), n_systems = len(systems), number, r, s
    targets = np.max([np.diff(text.offsets) for text in references], axis=0)
    sizes = np.max([np.diff(text.offsets) for text in systems] or [np.zeros(n_lines, np.int64)], axis=0)
    # a row is as wide as the beam, which grows with the slope, and never wider than the reference
    cells = (np.minimum(2 * (BEAM + 1) * sizes + targets + 1, sizes * (targets + 1)) + 2 * (targets + 1)).max(initial=1)
    ids = max([int(text.ids.max(initial=0)) for text in texts]) + 1
    ids = ids if ids <= 1024 + sum([len(text.ids) for text in texts]) else 0
    cdef _Memory memory = _Memory(int(sizes.max(initial=0)), int(targets.max(initial=0)), int(cells), ids)
    cdef Room *room = &memory.room
    counts = np.zeros((n_systems, n_lines, n_references), np.int64)
    cdef int64_t[:, :, ::1] edits = counts
    cdef const int64_t *ends
    cdef const int32_t *output
    cdef const int32_t *reference
    cdef Text *all_texts = <Text *>malloc(len(texts) * sizeof(Text))
    if all_texts == NULL:
        raise MemoryError
    try:
        for number, text in enumerate(texts):
            _point(&all_texts[number], text)
        with nogil:
            for line in range(n_lines):
                for r in range(n_references):
                    ends = all_texts[r].offsets + line
                    room.target = ends[1] - ends[0]
                    reference = all_texts[r].ids + ends[0]
                    for s in range(n_systems):
                        ends = all_texts[n_references + s].offsets + line
                        room.size = ends[1] - ends[0]
                        output = all_texts[n_references + s].ids + ends[0]
                        edits[s, line, r] = _edits(room, output, reference)
    finally:
        free(all_texts)
    return counts
