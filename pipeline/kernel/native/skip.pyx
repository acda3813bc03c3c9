# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Skip bigrams, compiled: the twin of `python/skip.py`.

All pairs that begin with the same token are counted together, one such token after the other, so that memory is linear
in the line. With a limit to the gap, the tokens that may follow each occurrence of the first token are counted.
Without a limit, one pass over the line is enough: each token makes as many pairs as there were first tokens before it.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from ..common import check_skip

cdef struct Line:
    const int32_t *ids
    int64_t size
    int32_t *head              # for each id, its first position, or -1; all -1 between uses
    int32_t *next              # for each position, the next one of the same id, or -1

cdef struct Work:
    int64_t *most              # for each id, the pairs that end with it: the most in any reference; 0 between uses
    int64_t *own               # the same for the text at hand; 0 between uses
    int64_t gap


cdef inline int64_t _add(Work *work, const Line *line, int32_t token, bint merge) noexcept nogil:
    """Count in own the pairs of a line that begin with a token.

    With merge, raise most to these counts and return by how much it grew. Without, return how many of the pairs most
    has too.
    """
    cdef int32_t place = line.head[token]
    cdef int64_t q, stop, before, seen = 0, found = 0
    cdef int32_t other
    if work.gap >= 0:
        while place >= 0:
            stop = place + work.gap + 2 if line.size - place > work.gap + 2 else line.size
            for q in range(place + 1, stop):
                other = line.ids[q]
                work.own[other] += 1
                if merge and work.own[other] > work.most[other]:
                    work.most[other] = work.own[other]
                    found += 1
                elif not merge and work.own[other] <= work.most[other]:
                    found += 1
            place = line.next[place]
        return found
    for q in range(place if place >= 0 else line.size, line.size):
        other = line.ids[q]
        before = work.own[other]
        work.own[other] = before + seen
        if merge and before + seen > work.most[other]:
            found += before + seen - work.most[other]
            work.most[other] = before + seen
        elif not merge and before < work.most[other]:
            found += (before + seen if before + seen < work.most[other] else work.most[other]) - before
        seen += other == token
    return found


cdef inline void _clear(Work *work, const Line *line, int32_t token, int64_t *counts) noexcept nogil:
    """Set to 0 what _add() may have touched."""
    cdef int32_t place = line.head[token]
    cdef int64_t q, stop
    if work.gap >= 0:
        while place >= 0:
            stop = place + work.gap + 2 if line.size - place > work.gap + 2 else line.size
            for q in range(place + 1, stop):
                counts[line.ids[q]] = 0
            place = line.next[place]
        return
    for q in range(place if place >= 0 else line.size, line.size):
        counts[line.ids[q]] = 0


cdef void _open(Line *line, const int32_t *ids, int64_t size) noexcept nogil:
    cdef int64_t place
    line.ids, line.size = ids, size
    for place in range(size - 1, -1, -1):
        line.next[place] = line.head[ids[place]]
        line.head[ids[place]] = <int32_t>place


cdef void _close(Line *line) noexcept nogil:
    cdef int64_t place
    for place in range(line.size):
        line.head[line.ids[place]] = -1


cdef void _line(Work *work, Line *references, int count, Line *system, int64_t *match, int64_t *total) noexcept nogil:
    """Add to match the pairs that an output shares with the merged references, and to total theirs (unless NULL)."""
    cdef int r, other
    cdef int64_t place
    cdef int32_t token
    cdef bint seen
    for r in range(count):
        for place in range(references[r].size):
            token = references[r].ids[place]
            seen = references[r].head[token] != place
            for other in range(r):
                seen |= references[other].head[token] >= 0
            if seen or (total == NULL and system.head[token] < 0):
                continue
            for other in range(r, count):
                if total != NULL:
                    total[0] += _add(work, &references[other], token, True)
                else:
                    _add(work, &references[other], token, True)
                _clear(work, &references[other], token, work.own)
            if system != NULL and system.head[token] >= 0:
                match[0] += _add(work, system, token, False)
                _clear(work, system, token, work.own)
            for other in range(r, count):
                _clear(work, &references[other], token, work.most)


cdef class _Memory:
    cdef Work work
    cdef Line *lines
    cdef int count

    def __cinit__(self, int count, int64_t ids, int64_t longest, int64_t gap):
        cdef int number
        cdef int64_t i
        self.work.gap = gap
        self.work.most = <int64_t *>calloc(ids, sizeof(int64_t))
        self.work.own = <int64_t *>calloc(ids, sizeof(int64_t))
        self.lines = <Line *>calloc(count, sizeof(Line))
        if self.work.most == NULL or self.work.own == NULL or self.lines == NULL:
            raise MemoryError
        self.count = count
        for number in range(count):
            self.lines[number].head = <int32_t *>malloc(ids * sizeof(int32_t))
            self.lines[number].next = <int32_t *>malloc(longest * sizeof(int32_t))
            if self.lines[number].head == NULL or self.lines[number].next == NULL:
                raise MemoryError
            memset(self.lines[number].head, 0xFF, ids * sizeof(int32_t))

    def __dealloc__(self):
        cdef int number
        for number in range(self.count):
            free(self.lines[number].head)
            free(self.lines[number].next)
        free(self.lines)
        free(self.work.most)
        free(self.work.own)


cdef struct Text:
    const int32_t *ids
    const int64_t *offsets


cdef void _point(Text *target, text) except *:
    cdef const int32_t[::1] ids = text.ids
    cdef const int64_t[::1] offsets = text.offsets
    target.ids = &ids[0] if ids.shape[0] else NULL
    target.offsets = &offsets[0]


def skip_bigrams(references, systems, gap):
    """Count the skip bigrams that outputs share with references; see skip_bigrams() in `python/skip.py`."""
    import numpy as np

    check_skip(references, systems, gap)
    texts = [*references, *systems]
    cdef int64_t longest = max(int(np.diff(text.offsets).max(initial=0)) for text in texts)
    cdef int64_t ids = max(int(text.ids.max(initial=0)) for text in texts) + 1
    # a gap beyond the longest line changes nothing, and sums with it could overflow
    cdef _Memory memory = _Memory(len(references) + 1, ids, longest + 1, min(gap, longest))
    cdef int64_t n_lines = len(references[0].offsets) - 1, line
    cdef int n_references = len(references), n_systems = len(systems), number, s
    matches, totals = np.zeros((n_systems, n_lines), np.int64), np.zeros(n_lines, np.int64)
    cdef int64_t[:, ::1] match = matches
    cdef int64_t[::1] total = totals
    cdef Line *output = memory.lines + n_references
    cdef int64_t unused = 0
    cdef const int64_t *offsets
    cdef Text *all_texts = <Text *>malloc(len(texts) * sizeof(Text))
    if all_texts == NULL:
        raise MemoryError
    try:
        for number, text in enumerate(texts):
            _point(&all_texts[number], text)
        with nogil:
            for line in range(n_lines):
                for number in range(n_references):
                    offsets = all_texts[number].offsets + line
                    _open(&memory.lines[number], all_texts[number].ids + offsets[0], offsets[1] - offsets[0])
                output.size = 0
                if n_systems == 0:
                    _line(&memory.work, memory.lines, n_references, output, &unused, &total[line])
                for s in range(n_systems):
                    offsets = all_texts[n_references + s].offsets + line
                    _open(output, all_texts[n_references + s].ids + offsets[0], offsets[1] - offsets[0])
                    _line(
                        &memory.work, memory.lines, n_references, output, &match[s, line],
                        &total[line] if s == 0 else NULL
                    )
                    _close(output)
                for number in range(n_references):
                    _close(&memory.lines[number])
    finally:
        free(all_texts)
    return matches, totals
