# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Words of ASCII letters and digits, compiled: the twin of words() in `python/words.py`.

Each line is lower-cased into a buffer, in which bytes that belong to no word are 0. Words are then read eight bytes at
a time. A word of up to 8 bytes is its own key in the hash table. New words are kept one after the other.
"""

import os

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, memset

from ...errors import InvalidTextError
from ..common import FOLDS, Encoded, Words

from .encode cimport _invalid, _size_of

cdef extern from "words.h" nogil:
    uint64_t gp_fold(uint64_t a, uint64_t b)
    uint64_t gp_hash(const uint8_t *p, size_t size, uint64_t secret0, uint64_t secret1)
    int gp_lower(const uint8_t *source, int64_t size, uint8_t *target)
    int64_t gp_word(const uint8_t *p, uint64_t *key)

cdef uint64_t SECRET0 = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SECRET1 = int.from_bytes(os.urandom(8), "little") | 1

cdef inline size_t _place(uint64_t key) noexcept nogil:
    return gp_fold(key ^ SECRET0, SECRET1)


cdef inline int64_t _used(Vocabulary *known) noexcept nogil:
    return known.ends[known.count - 1] if known.count else 0


cdef int _grow(Vocabulary *known) noexcept nogil:
    """Double the table; return -1 where there is no memory."""
    cdef size_t mask = known.mask * 2 + 1, place, old
    cdef Entry *entries = <Entry *>calloc(mask + 1, sizeof(Entry))
    if entries == NULL:
        return -1
    for old in range(known.mask + 1):
        if known.entries[old].size:
            place = _place(known.entries[old].key) & mask
            while entries[place].size:
                place = (place + 1) & mask
            entries[place] = known.entries[old]
    free(known.entries)
    known.entries = entries
    known.mask = mask
    return 0


cdef int _reserve(void **memory, int64_t *room, int64_t wanted, size_t size) noexcept nogil:
    """Make room for `wanted` items of `size` bytes; return -1 where there is no memory."""
    cdef void *grown
    if wanted > room[0]:
        grown = realloc(memory[0], 2 * wanted * size)
        if grown == NULL:
            return -1
        memory[0], room[0] = grown, 2 * wanted
    return 0


cdef int32_t _add(Vocabulary *known, Entry *entry, uint64_t key, const uint8_t *word, int64_t size) noexcept nogil:
    """Return the id of a new word, which gets this entry of the table; fail as _lookup() does."""
    cdef int64_t used = _used(known)
    if known.frozen:
        return <int32_t>known.count
    if known.count == 0x7FFFFFFF:
        return -2
    if _reserve(<void **>&known.words, &known.words_room, used + size, 1) < 0:
        return -1
    if _reserve(<void **>&known.ends, &known.ends_room, known.count + 1, sizeof(int64_t)) < 0:
        return -1
    memcpy(known.words + used, word, size)
    entry.key, entry.size, entry.id = key, <uint32_t>size, <int32_t>known.count
    known.ends[known.count] = used + size
    known.count += 1
    if 2 * <size_t>known.count > known.mask and _grow(known) < 0:
        return -1
    return <int32_t>(known.count - 1)


cdef inline int32_t _lookup(Vocabulary *known, uint64_t key, const uint8_t *word, int64_t size) noexcept nogil:
    """Return the id of a word; a new word gets a new id. Return -1 where memory runs out, -2 where ids do."""
    cdef size_t place
    cdef Entry *entry
    if size > 8:
        key = gp_hash(word, size, SECRET0, SECRET1)
    place = _place(key) & known.mask
    while True:
        entry = &known.entries[place]
        if entry.key == key and entry.size == <uint32_t>size:
            if size <= 8 or memcmp(known.words + known.ends[entry.id] - size, word, size) == 0:
                return entry.id
        if entry.size == 0:
            return _add(known, entry, key, word, size)
        place = (place + 1) & known.mask


cdef int64_t _unfold(uint8_t *line, const uint8_t *source, int64_t size) noexcept nogil:
    """Replace the two characters that str.lower() turns into ASCII letters; return the new length of the line.

    U+212A KELVIN SIGN becomes k. This is one byte for three, so all that follows moves forward. U+0130 (I with dot
    above) becomes i and a mark; the second byte is 0 already and ends the word, as the mark does.
    """
    cdef int64_t i = 0, to = 0
    while i < size:
        if source[i] == 0xC4 and size - i >= 2 and source[i + 1] == 0xB0:
            line[to] = 0x69
        elif source[i] == 0xE2 and size - i >= 3 and source[i + 1] == 0x84 and source[i + 2] == 0xAA:
            line[to] = 0x6B
            i += 2
        else:
            line[to] = line[i]
        to += 1
        i += 1
    for i in range(8):
        line[to + i] = 0
    return to


cdef int64_t _split(Vocabulary *known, bint google, const uint8_t *start, int64_t size, int32_t *ids) noexcept nogil:
    """Write the ids of a valid line; return how many there are, or the failure that _lookup() returned."""
    cdef int64_t count = 0, place = 0, length
    cdef uint64_t key
    cdef int32_t found
    cdef const uint8_t *line
    if _reserve(<void **>&known.line, &known.line_room, size + 8, 1) < 0:
        return -1
    if gp_lower(start, size, known.line) and google:
        size = _unfold(known.line, start, size)
    line = known.line
    while True:
        while place < size and line[place] == 0:
            place += 1
        if place >= size:
            return count
        length = gp_word(line + place, &key)
        found = _lookup(known, key, line + place, length)
        if found < 0:
            return found
        ids[count] = found
        count += 1
        place += length + 1


cdef int64_t _read_text(
    Vocabulary *known, bint google, const uint8_t *data, const int64_t[::1] starts, const int64_t[::1] ends,
    int32_t *ids, int64_t[::1] offsets, int64_t *bad
) noexcept nogil:
    """Read all lines; return the number of ids, -1 or -2 as _lookup() does, or -3 - line where a line is not UTF-8."""
    cdef int64_t line, count = 0, found
    offsets[0] = 0
    for line in range(starts.shape[0]):
        bad[0] = _invalid(data + starts[line], data + ends[line])
        if bad[0] >= 0:
            return -3 - line
        found = _split(known, google, data + starts[line], ends[line] - starts[line], ids + count)
        if found < 0:
            return found
        count += found
        offsets[line + 1] = count
    return count


cdef int _open(Vocabulary *known, size_t size) except -1:
    """Make an empty vocabulary, which has room for half of `size` words before it grows; size is a power of 2."""
    memset(known, 0, sizeof(Vocabulary))
    known.mask = size - 1
    known.entries = <Entry *>calloc(known.mask + 1, sizeof(Entry))
    if known.entries == NULL:
        raise MemoryError
    return 0


cdef void _close(Vocabulary *known) noexcept:
    free(known.entries)
    free(known.ends)
    free(known.words)
    free(known.line)


def words(texts, fold):
    """Turn texts into ids of their words; see words() in `python/words.py`."""
    if fold not in FOLDS:
        raise KeyError(fold)
    cdef Vocabulary known
    _open(&known, 4096)
    try:
        return _words(&known, texts, fold == "google")
    finally:
        _close(&known)


cdef object _words(Vocabulary *known, texts, bint google):
    import numpy as np

    cdef const uint8_t[::1] data
    cdef const int64_t[::1] starts, ends
    cdef int64_t[::1] offsets
    cdef int32_t[::1] ids
    cdef const uint8_t *bytes_at
    cdef int64_t bad = -1, count
    result = []
    for number, text in enumerate(texts):
        data = text.data
        starts, ends = np.ascontiguousarray(text.starts), np.ascontiguousarray(text.ends)
        bytes_at = &data[0] if data.shape[0] else NULL
        room = _size_of(starts, ends, data.shape[0]) // 2 + len(starts) + 1  # a word and its end take two bytes
        id_array, offset_array = np.empty(room, np.int32), np.empty(len(starts) + 1, np.int64)
        ids, offsets = id_array, offset_array
        with nogil:
            count = _read_text(known, google, bytes_at, starts, ends, &ids[0], offsets, &bad)
        if count == -1:
            raise MemoryError
        if count == -2:
            raise OverflowError("more than 2**31 - 1 different tokens in one call")
        if count < 0:
            raise InvalidTextError(number, int(-3 - count), int(bad))
        result.append(Encoded(id_array[:count].copy(), offset_array))
    word_ends = np.empty(known.count, np.int64)
    cdef int64_t[::1] ends_at = word_ends
    if known.count:
        memcpy(&ends_at[0], known.ends, known.count * sizeof(int64_t))
    return Words(result, known.words[:_used(known)] if known.count else b"", word_ends)
