# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Draws of references and sums of what is drawn, compiled: the twin of `python/draws.py`.

Many streams are drawn from side by side, in vectors of up to 256 bits (`draws_lanes.h`). The draws of
several lines are together in one number, a code. Sums of the numbers that each code chooses are made once for all
streams, and looked up (`draws_sums.h`).
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from ..common import SEED_STEP, check_drawer, check_present, check_terms

cdef extern from "draws_sums.h" nogil:
    const int GP_WORDS, GP_TOGETHER, GP_ROW, GP_STREAMS, GP_LINES
    const int GP_PYTHON2, GP_PYTHON3, GP_NUMPY, GP_ALL
    ctypedef struct gp_width:
        int bits
        void (*seed)(uint32_t *states, int64_t vectors, const uint32_t *start, const uint32_t *keys) noexcept nogil
    ctypedef struct gp_streams:
        int sampler, references, digit, at
        int64_t count
        const gp_width *width
        uint32_t *words
        int *places
        uint64_t *high
        uint64_t *low
        uint64_t step_high, step_low
        uint32_t *turns
    ctypedef struct gp_term:
        const int64_t *numbers
        int64_t width
    ctypedef struct gp_block:
        uint32_t *codes
        uint32_t *rows
        uint32_t *sums
        uint32_t *choices
    const gp_width *gp_width_of(int bits)
    void gp_start(uint32_t *start)
    int64_t gp_block_lines(int64_t columns, int references)
    void gp_take(gp_streams *streams, const gp_block *block, int64_t lines, const uint32_t *limits, uint8_t *drawn)
    void gp_drawn_sums(
        gp_streams *streams, const gp_block *block, const gp_term *terms, int64_t count, int64_t columns, int64_t lines,
        const uint32_t *limits, int64_t *base, int64_t *sums
    )

cdef extern from "samples.h" nogil:
    ctypedef struct gp_128:
        uint64_t high, low
    ctypedef struct gp_generator:
        gp_128 state, step
        int has_half
        uint32_t half
    ctypedef struct gp_waiting:
        uint16_t *draws
        uint32_t *used
        uint32_t room
    ctypedef struct gp_counts:
        uint8_t *small
        uint64_t *large
        const gp_waiting *waiting
    gp_128 gp_ahead(gp_128 state, gp_128 step, uint64_t draws)
    void gp_add_row(gp_generator *own, uint32_t things, const gp_counts *counts)

WIDTHS = tuple(bits for bits in (32, 128, 256) if gp_width_of(bits) != NULL)
"""The widths of vectors that this processor has, in bits."""

NUMBERS = {"python2": GP_PYTHON2, "python3": GP_PYTHON3, "numpy": GP_NUMPY, "turned": GP_NUMPY, "all": GP_ALL}


cdef gp_128 _pair(number):
    cdef gp_128 pair
    pair.high, pair.low = number >> 64, number & 0xFFFFFFFFFFFFFFFF
    return pair


NEAR = 1 << 21
"""Counts of so many things or more are made part after part."""
WAITING = 1 << 21
"""So many draws wait to be counted, 16 bits each."""
PART = 1 << 16
"""The counts of a part."""


cdef class _Replacing:
    """A generator of numpy from which draws with replacement are made, and written back to it."""

    cdef gp_generator own
    cdef object generator, state

    def __init__(self, generator):
        self.generator, self.state = generator, generator.bit_generator.state
        state = self.state["state"]
        self.own.state, self.own.step = _pair(state["state"]), _pair(state["inc"])
        self.own.has_half, self.own.half = self.state["has_uint32"], self.state["uinteger"]

    cdef int write_back(self) except -1:
        self.state["state"]["state"] = int(self.own.state.high) << 64 | int(self.own.state.low)
        self.state["has_uint32"], self.state["uinteger"] = self.own.has_half, self.own.half
        self.generator.bit_generator.state = self.state
        return 0


cdef bint _is_known(generator, int64_t things) except -1:
    return generator.bit_generator.state["bit_generator"] == "PCG64" and things < 1 << 32


def add_draws(generator, counts, near=NEAR, most=WAITING):
    """Count draws with replacement; see add_draws() in `python/draws.py`.

    From `near` things on they are counted part after part, where up to `most` draws wait.
    """
    cdef int64_t rows = counts.shape[0], things = counts.shape[1], row
    cdef gp_waiting waiting
    cdef gp_counts kinds
    cdef uint8_t[:, ::1] small
    cdef uint64_t[:, ::1] large
    cdef uint16_t[::1] draws
    cdef uint32_t[::1] used
    cdef bint narrow = counts.dtype == "uint8"
    cdef _Replacing own
    if not counts.size:
        return
    if not _is_known(generator, things):
        from ..python.draws import add_draws as slowly

        slowly(generator, counts)
        return
    own = _Replacing(generator)
    kinds.small, kinds.large, kinds.waiting = NULL, NULL, NULL
    if narrow:
        small = counts
        if things >= near and things > 1:
            import numpy as np

            used = np.zeros((things - 1) // PART + 1, np.uint32)
            waiting.room = max(most // len(used), 1)
            if waiting.room > 64:  # else the parts would lie at the same places of a cache
                waiting.room = waiting.room // 64 * 64 + 40
            draws = np.empty(len(used) * waiting.room, np.uint16)
            waiting.draws, waiting.used = &draws[0], &used[0]
            kinds.waiting = &waiting
    else:
        large = counts
    with nogil:
        for row in range(rows):
            if narrow:
                kinds.small = &small[row, 0]
            else:
                kinds.large = &large[row, 0]
            gp_add_row(&own.own, <uint32_t>things, &kinds)
    own.write_back()


def pass_draws(generator, int64_t rows, int64_t things):
    """Pass over draws with replacement; see pass_draws() in `python/draws.py`."""
    cdef gp_counts none
    cdef int64_t row
    cdef _Replacing own
    if not rows or not things:
        return
    if not _is_known(generator, things):
        from ..python.draws import pass_draws as slowly

        slowly(generator, rows, things)
        return
    own = _Replacing(generator)
    none.small, none.large, none.waiting = NULL, NULL, NULL
    with nogil:
        for row in range(rows):
            gp_add_row(&own.own, <uint32_t>things, &none)
    own.write_back()


cdef uint32_t *_aligned(uint32_t[::1] memory) noexcept:
    """Return where the first 64 bytes begin that lie in one line of the cache. There is room for 16 numbers more."""
    return <uint32_t *>((<size_t>&memory[0] + 63) & ~<size_t>63)


cdef class Drawer:
    """Draws references for several iterations; see Drawer in `python/draws.py`. `bits` is the width of vectors."""

    cdef gp_streams streams
    cdef gp_block block
    cdef list memory           # the arrays that the pointers are into

    def __init__(self, sampler, iterations, lines, references, seed=0, bits=0):
        numbers = check_drawer(sampler, iterations, references)
        self.memory = []
        self.streams.width = gp_width_of(bits or max(WIDTHS))
        if self.streams.width == NULL:
            raise ValueError(f"vectors of {bits} bits: this processor has those of {', '.join(map(str, WIDTHS))}")
        self.streams.sampler, self.streams.references = NUMBERS[sampler], references
        self.streams.digit = 1 if references < 3 else 2 if references < 5 else 4 if references < 17 else 8
        self.streams.count, self.streams.at = len(numbers), 0
        if sampler in ("python2", "python3"):
            self._seed(numbers)
        elif sampler == "all":
            self.streams.low = self._longs(numbers)
        else:
            self._jump(sampler, numbers, lines, seed)
        self.block.codes = self._room(GP_STREAMS * GP_LINES * self.streams.digit // 32)
        self.block.sums = self._room(GP_STREAMS * GP_ROW)
        self.block.choices = self._room(256 * GP_ROW)

    cdef uint32_t *_room(self, int64_t numbers) except NULL:
        """Return memory for so many numbers, all 0, which begins with a line of the cache."""
        import numpy as np

        array = np.zeros(numbers + 16, np.uint32)
        self.memory.append(array)
        return _aligned(array)

    cdef uint64_t *_longs(self, list numbers) except NULL:
        cdef uint64_t *longs = <uint64_t *>self._room(2 * len(numbers) + 2)
        cdef int64_t place
        for place in range(len(numbers)):
            longs[place] = numbers[place]
        return longs

    cdef int _seed(self, list numbers) except -1:
        """Seed a Mersenne Twister for each iteration. Those of python3 go on by themselves, so each lies apart."""
        cdef const gp_width *width = self.streams.width if self.streams.sampler == GP_PYTHON2 else gp_width_of(32)
        cdef int64_t lanes = width.bits // 32, together = lanes * GP_TOGETHER, place
        cdef int64_t count = (len(numbers) + together - 1) // together * together
        cdef uint32_t *keys = self._room(count)
        cdef uint32_t start[624]
        for place in range(len(numbers)):
            keys[place] = SEED_STEP * numbers[place]
        self.streams.words = self._room(count * GP_WORDS)
        self.streams.places = <int *>self._room(count)
        for place in range(count):
            self.streams.places[place] = GP_WORDS
        gp_start(start)
        with nogil:
            width.seed(self.streams.words, count // lanes, start, keys)
        return 0

    cdef int _jump(self, str sampler, list numbers, uint64_t lines, seed) except -1:
        """Set numpy's generator for each iteration to where the draws of the iterations before end."""
        import numpy as np

        cdef int64_t turned = self.streams.references if sampler == "turned" else 1, place
        cdef gp_128 state, step, own
        begin = np.random.PCG64(seed).state["state"]
        state, step = _pair(begin["state"]), _pair(begin["inc"])
        self.streams.step_high, self.streams.step_low = step.high, step.low
        self.streams.high, self.streams.low = self._longs([0] * len(numbers)), self._longs(numbers)
        self.streams.turns = self._room(len(numbers))
        for place in range(len(numbers)):
            self.streams.turns[place] = <uint32_t>(self.streams.low[place] % turned)
            own = gp_ahead(state, step, self.streams.low[place] // turned * lines)
            self.streams.high[place], self.streams.low[place] = own.high, own.low
        return 0

    def take(self, lines, present=None):
        """Return the references drawn for the next lines: uint8 [iterations, lines]."""
        import numpy as np

        check_present(present, lines, self.streams.references)
        drawn = np.empty((self.streams.count, lines), np.uint8)
        if not drawn.size:
            return drawn
        cdef uint8_t[:, ::1] view = drawn
        cdef uint32_t[::1] limits = None if present is None else present.astype(np.uint32)
        cdef const uint32_t *first = NULL if present is None else &limits[0]
        cdef int64_t count = lines
        with nogil:
            gp_take(&self.streams, &self.block, count, first, &view[0, 0])
        return drawn

    def sums(self, terms, present=None):
        """Return the sums of what is drawn for the next lines: int64 [iterations, numbers of all terms]."""
        import numpy as np

        cdef int64_t lines = check_terms(terms, self.streams.references), number
        check_present(present, lines, self.streams.references)
        cdef int64_t columns = sum(term.shape[2] for term in terms), count = len(terms)
        totals, bases = np.zeros((self.streams.count, columns), np.int64), np.zeros(columns, np.int64)
        if not totals.size or not lines:
            return totals
        cdef int64_t most = min(gp_block_lines(columns, self.streams.references), lines)
        cdef int64_t slabs = (columns + GP_ROW - 1) // GP_ROW
        cdef const int64_t[:, :, ::1] view
        cdef int64_t[:, ::1] sums = totals
        cdef int64_t[::1] base = bases
        cdef uint32_t[::1] limits = None if present is None else present.astype(np.uint32)
        cdef const uint32_t *first = NULL if present is None else &limits[0]
        cdef uint32_t[::1] rows = np.zeros(slabs * most * (self.streams.references - 1) * GP_ROW + 16, np.uint32)
        cdef gp_term *pointers = <gp_term *>malloc(count * sizeof(gp_term))
        if pointers == NULL:
            raise MemoryError
        self.block.rows = _aligned(rows)
        try:
            for number, term in enumerate(terms):
                view = term
                pointers[number].width = view.shape[2]
                pointers[number].numbers = &view[0, 0, 0] if view.shape[2] else NULL
            with nogil:
                gp_drawn_sums(
                    &self.streams, &self.block, pointers, count, columns, lines, first, &base[0], &sums[0, 0]
                )
        finally:
            free(pointers)
        return totals
