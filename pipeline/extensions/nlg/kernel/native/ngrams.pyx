# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The distinct n-grams of each text, compiled: the twin of `python/ngrams.py`.

An n-gram is the number of the n-gram without its last token, and that token. A table of hashes has the numbers of such
pairs. The n-grams of a row, and of a line, are told apart by marks, an array with a place for each n-gram.
"""

import os

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ..counted_ngrams import SharedGrams, check_rows

cdef extern from "hash.h" nogil:
    uint64_t gp_fold(uint64_t a, uint64_t b)

cdef uint64_t SECRET0 = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SECRET1 = int.from_bytes(os.urandom(8), "little") | 1

cdef enum:
    ROOM = 4096              # entries of the table at first

cdef struct Entry:
    uint64_t key             # the number of the n-gram without its last token, and the id of that token
    int64_t number           # from 1; 0 where the entry is free

cdef struct Table:
    Entry *entries
    uint64_t mask            # one less than how many entries there are, a power of 2


cdef inline Entry *_at(const Table *table, uint64_t key) noexcept nogil:
    """Return the entry of a key, or the free one where it belongs."""
    cdef uint64_t place = gp_fold(key ^ SECRET0, SECRET1) & table.mask
    cdef Entry *entry = &table.entries[place]
    while entry.number and entry.key != key:
        place = (place + 1) & table.mask
        entry = &table.entries[place]
    return entry


cdef int _grow(Table *table) noexcept nogil:
    """Make room for four times as many; return -1 where memory runs out."""
    cdef Table larger
    cdef uint64_t place
    larger.mask = 4 * table.mask + 3
    larger.entries = <Entry *>calloc(larger.mask + 1, sizeof(Entry))
    if larger.entries == NULL:
        return -1
    for place in range(table.mask + 1):
        if table.entries[place].number:
            _at(&larger, table.entries[place].key)[0] = table.entries[place]
    free(table.entries)
    table[0] = larger
    return 0


cdef int64_t _number(
    Table *table, const int32_t *ids, const int64_t[::1] offsets, int64_t length, int64_t *numbers, int64_t *shorter,
    int64_t *last
) noexcept nogil:
    """Replace the numbers of the n-grams that begin at each token by those of n-grams with one token more.

    Write what each is made of; return how many there are, -1 where memory runs out, -2 where there are too many.
    """
    cdef int64_t row, start, count = 0
    cdef uint64_t key
    cdef Entry *entry
    memset(table.entries, 0, (table.mask + 1) * sizeof(Entry))
    for row in range(offsets.shape[0] - 1):
        for start in range(offsets[row], offsets[row + 1] - length + 1):
            key = <uint64_t>numbers[start] << 32 | <uint32_t>ids[start + length - 1]
            entry = _at(table, key)
            if not entry.number:
                if count == 0x7FFFFFFF:
                    return -2
                shorter[count], last[count] = numbers[start], ids[start + length - 1]
                count += 1
                entry.key, entry.number = key, count
                if <uint64_t>(2 * count) > table.mask:
                    if _grow(table) < 0:
                        return -1
                    entry = _at(table, key)
            numbers[start] = entry.number - 1
    return count


cdef int64_t _entries(
    const int64_t[::1] offsets, int64_t length, const int64_t *numbers, int64_t *marks,
    int64_t *edges, int64_t *rows, int64_t *own, int64_t *times
) noexcept nogil:
    """Write the distinct n-grams of each row, with how often it has them; return how many there are."""
    cdef int64_t row, start, number, count = 0
    for row in range(offsets.shape[0] - 1):
        edges[row] = count
        for start in range(offsets[row], offsets[row + 1] - length + 1):
            number = numbers[start]
            if marks[number] < edges[row] or marks[number] >= count or own[marks[number]] != number:
                marks[number] = count
                rows[count], own[count], times[count] = row, number, 0
                count += 1
            times[marks[number]] += 1
    edges[offsets.shape[0] - 1] = count
    return count


cdef int64_t _places(
    int64_t lines, int64_t references, int64_t texts, const int64_t *edges, const int64_t *own, const int64_t *times,
    int64_t *marks, int64_t *marked, int64_t *places, int64_t *most
) noexcept nogil:
    """Write the place of each n-gram of a row; return how many places there are."""
    cdef int64_t line, text, entry, number, row, count = 0
    for line in range(lines):
        for text in range(texts):
            row = text * lines + line
            for entry in range(edges[row], edges[row + 1]):
                number = own[entry]
                if marked[number] != line + 1:
                    places[entry] = -1
                    if text >= references:
                        continue
                    marked[number], marks[number], most[count] = line + 1, count, 0
                    count += 1
                places[entry] = marks[number]
                if text < references and times[entry] > most[marks[number]]:
                    most[marks[number]] = times[entry]
    return count


def shared_ngrams(text, int64_t lines, int64_t references, int64_t order):
    """Count n-grams; see shared_ngrams() in `python/ngrams.py`."""
    import numpy as np

    sizes = check_rows(text, lines, references, order)
    cdef const int32_t[::1] ids = np.ascontiguousarray(np.append(text.ids, 0), np.int32)
    cdef const int64_t[::1] offsets = np.ascontiguousarray(text.offsets)
    cdef int64_t count = 0, entries = 0, places = 0, length, texts = len(sizes) // lines if lines else 0
    cdef int64_t tokens = len(text.ids)
    cdef int64_t[::1] numbers = np.zeros(tokens + 1, np.int64)
    cdef int64_t[::1] edges = np.zeros(len(sizes) + 1, np.int64)
    cdef int64_t[:, ::1] work
    cdef int64_t[::1] marks = np.zeros(tokens + 1, np.int64), marked = np.zeros(tokens + 1, np.int64)
    cdef Table table
    table.mask = ROOM - 1
    table.entries = <Entry *>calloc(ROOM, sizeof(Entry))
    if table.entries == NULL:
        raise MemoryError
    array = np.empty((7, tokens + 1), np.int64)
    work, result = array, []
    try:
        for length in range(1, order + 1):
            with nogil:
                count = _number(&table, &ids[0], offsets, length, &numbers[0], &work[0, 0], &work[1, 0])
                if count >= 0:
                    memset(&marks[0], 0, (count + 1) * sizeof(int64_t))
                    memset(&marked[0], 0, (count + 1) * sizeof(int64_t))
                    entries = _entries(
                        offsets, length, &numbers[0], &marks[0], &edges[0], &work[2, 0], &work[3, 0], &work[4, 0]
                    )
                    places = _places(
                        lines, references, texts, &edges[0], &work[3, 0], &work[4, 0], &marks[0], &marked[0],
                        &work[5, 0], &work[6, 0]
                    )
            if count == -1:
                raise MemoryError
            if count < 0:
                raise OverflowError("more than 2**31 - 1 n-grams in one call")
            sizes = [count, count, entries, entries, entries, entries, places]
            result.append(SharedGrams(*(own[:size].copy() for own, size in zip(array, sizes))))
    finally:
        free(table.entries)
    return result
