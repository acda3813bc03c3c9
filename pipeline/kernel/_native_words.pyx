# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Words of ASCII letters and digits, compiled: the twin of words() in `_python_words.py`.

One pass folds, splits and looks up. New words are kept behind one another in a buffer, to which the entries of the
hash table point; a word of up to 8 bytes is its own key.
"""

import os

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp

from ..errors import InvalidTextError
from .common import FOLDS, Encoded, Words, check_lines

from ._native_encode cimport _invalid

cdef extern from "_hash.h" nogil:
    uint64_t gp_fold(uint64_t a, uint64_t b)
    uint64_t gp_hash(const uint8_t *p, size_t size, uint64_t secret0, uint64_t secret1)
    uint64_t gp_pack(const uint8_t *p, size_t size)

cdef uint64_t SECRET0 = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SECRET1 = int.from_bytes(os.urandom(8), "little") | 1

cdef uint8_t[256] FOLDED    # the byte that an ASCII letter or digit becomes; 0 for all others

for _code in range(256):
    FOLDED[_code] = ord(chr(_code).lower()) if _code < 128 and chr(_code).isalnum() else 0

cdef struct Entry:
    uint64_t key
    int64_t start              # in the buffer
    uint32_t size
    int32_t id                 # -1: the place is free

cdef struct Vocabulary:
    Entry *entries
    size_t mask
    int64_t count
    uint8_t *words             # all words, behind one another
    int64_t used
    int64_t room


cdef inline size_t _place(uint64_t key, uint32_t size) noexcept nogil:
    return gp_fold(key ^ SECRET0, (<uint64_t>size << 32) ^ SECRET1)


cdef int _grow(Vocabulary *known) noexcept nogil:
    """Double the table; return -1 where there is no memory."""
    cdef size_t mask = known.mask * 2 + 1, place, old
    cdef Entry *entries = <Entry *>malloc((mask + 1) * sizeof(Entry))
    if entries == NULL:
        return -1
    for place in range(mask + 1):
        entries[place].id = -1
    for old in range(known.mask + 1):
        if known.entries[old].id >= 0:
            place = _place(known.entries[old].key, known.entries[old].size) & mask
            while entries[place].id >= 0:
                place = (place + 1) & mask
            entries[place] = known.entries[old]
    free(known.entries)
    known.entries = entries
    known.mask = mask
    return 0


cdef inline int32_t _lookup(Vocabulary *known, int64_t size) noexcept nogil:
    """Return the id of the word that stands behind the others in the buffer; -1 where there is no memory."""
    cdef const uint8_t *word = known.words + known.used
    cdef uint64_t key = gp_pack(word, size) if size <= 8 else gp_hash(word, size, SECRET0, SECRET1)
    cdef size_t place = _place(key, <uint32_t>size) & known.mask
    cdef Entry *entry
    while True:
        entry = &known.entries[place]
        if entry.id < 0:
            break
        if entry.key == key and entry.size == <uint32_t>size:
            if size <= 8 or memcmp(known.words + entry.start, word, size) == 0:
                return entry.id
        place = (place + 1) & known.mask
    if known.count == 0x7FFFFFFF:
        return -2
    entry.key, entry.start, entry.size, entry.id = key, known.used, <uint32_t>size, <int32_t>known.count
    known.count += 1
    known.used += size
    if 2 * <size_t>known.count > known.mask and _grow(known) < 0:
        return -1
    return <int32_t>(known.count - 1)


cdef inline uint8_t _odd(const uint8_t **at, const uint8_t *end) noexcept nogil:
    """Return the ASCII letter that the character at `at` becomes, and step to its last byte; 0 for all others.

    Of all characters that are not ASCII two become one: U+212A KELVIN SIGN k, U+0130 (I with dot above) i and a mark.
    """
    cdef const uint8_t *p = at[0]
    if p[0] == 0xE2 and end - p >= 3 and p[1] == 0x84 and p[2] == 0xAA:
        at[0] = p + 2
        return 0x6B
    if p[0] == 0xC4 and end - p >= 2 and p[1] == 0xB0:      # its second byte ends the word, as the mark does
        return 0x69
    return 0


cdef int64_t _split(Vocabulary *known, bint google, const uint8_t *p, const uint8_t *end, int32_t *ids) noexcept nogil:
    """Write the ids of a valid line; return how many, or what _lookup() returned below 0."""
    cdef int64_t count = 0, size = 0
    cdef uint8_t *word = known.words + known.used
    cdef uint8_t folded
    cdef int32_t found
    while True:
        folded = 0
        if p < end:
            folded = FOLDED[p[0]]
            if folded == 0 and google and p[0] >= 0x80:
                folded = _odd(&p, end)
        if folded:
            word[size] = folded
            size += 1
        elif size:
            found = _lookup(known, size)
            if found < 0:
                return found
            ids[count] = found
            count += 1
            size = 0
            word = known.words + known.used
        if p >= end:
            return count
        p += 1


cdef int64_t _read_text(
    Vocabulary *known, bint google, const uint8_t *data, const int64_t[::1] starts, const int64_t[::1] ends,
    int32_t *ids, int64_t[::1] offsets, int64_t *bad
) noexcept nogil:
    """Read all lines; return the number of ids, or -1, -2 (see _lookup), or -3 - line for invalid UTF-8."""
    cdef int64_t line, count = 0, found, room
    cdef void *grown
    offsets[0] = 0
    for line in range(starts.shape[0]):
        bad[0] = _invalid(data + starts[line], data + ends[line])
        if bad[0] >= 0:
            return -3 - line
        room = known.used + ends[line] - starts[line] + 1
        if room > known.room:
            grown = realloc(known.words, 2 * room)
            if grown == NULL:
                return -1
            known.words, known.room = <uint8_t *>grown, 2 * room
        found = _split(known, google, data + starts[line], data + ends[line], ids + count)
        if found < 0:
            return found
        count += found
        offsets[line + 1] = count
    return count


def words(texts, fold):
    """Turn texts into ids of their words; see words() in `_python_words.py`."""
    if fold not in FOLDS:
        raise KeyError(fold)
    check_lines(texts)
    cdef Vocabulary known
    known.count = known.used = 0
    known.mask = 4095
    known.room = 1 << 16
    known.entries = <Entry *>malloc((known.mask + 1) * sizeof(Entry))
    known.words = <uint8_t *>malloc(known.room)
    try:
        if known.entries == NULL or known.words == NULL:
            raise MemoryError
        for place in range(known.mask + 1):
            known.entries[place].id = -1
        return _words(&known, texts, fold == "google")
    finally:
        free(known.entries)
        free(known.words)


cdef object _words(Vocabulary *known, texts, bint google):
    import numpy as np

    cdef const uint8_t[::1] data
    cdef const int64_t[::1] starts, ends
    cdef int64_t[::1] offsets
    cdef int32_t[::1] ids
    cdef const uint8_t *bytes_at
    cdef int64_t bad = -1, count
    cdef size_t place
    result = []
    for number, text in enumerate(texts):
        data = text.data
        starts, ends = np.ascontiguousarray(text.starts), np.ascontiguousarray(text.ends)
        bytes_at = &data[0] if data.shape[0] else NULL
        room = int((text.ends - text.starts).sum()) // 2 + len(starts) + 1      # at least two bytes a word
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
    for place in range(known.mask + 1):
        if known.entries[place].id >= 0:
            ends_at[known.entries[place].id] = known.entries[place].start + known.entries[place].size
    return Words(result, known.words[:known.used], word_ends)
