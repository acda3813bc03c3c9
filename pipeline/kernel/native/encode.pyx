# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Text to ids, compiled: the twin of `python/encode.py`.

A vocabulary is an open-addressing hash table whose entries point into the texts. Tokens of more than 8 bytes are equal
only if their bytes are; equal hashes are not enough. UTF-8 is checked line by line, unless all its bytes are ASCII.
White space is found 64 bytes at a time (see `spaces.h`). The words of a line are looked up together, so that their
entries come from memory at the same time.
"""

import os

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memset

from ...errors import InvalidTextError
from ..common import SPLITS, Encoded

cdef extern from "hash.h" nogil:
    uint64_t gp_fold(uint64_t a, uint64_t b)
    uint64_t gp_hash(const uint8_t *p, size_t size, uint64_t secret0, uint64_t secret1)
    uint64_t gp_pack(const uint8_t *p, size_t size)
    uint64_t gp_read8(const uint8_t *p)
    int gp_plain(const uint8_t *p)
    int gp_letters(const uint8_t *p)

cdef extern from "spaces.h" nogil:
    int _wide_space "gp_wide_space"(const uint8_t *p, const uint8_t *end)
    const uint8_t[256] SPACE "gp_space"
    const gp_spaces *gp_spaces_of(int bits)
    uint64_t gp_key(const uint8_t *p, size_t size, const uint8_t *limit)
    void gp_prefetch(const void *place)

cdef uint64_t SECRET0 = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SECRET1 = int.from_bytes(os.urandom(8), "little") | 1

WIDTHS = tuple(bits for bits in (64, 128, 256) if gp_spaces_of(bits) != NULL)
"""The widths of vectors with which this processor finds white space, in bits; 64 has none."""

cdef const gp_spaces *WIDEST = gp_spaces_of(max(WIDTHS))


cdef const gp_spaces *_spaces(int bits=0) except NULL:
    """Return the functions for a width of vectors, the widest without one; raises ValueError for one that is not there."""
    cdef const gp_spaces *spaces = gp_spaces_of(bits) if bits else WIDEST
    if spaces == NULL:
        raise ValueError(f"bits: expected one of {WIDTHS}, found {bits}")
    return spaces


cdef inline int _char_size(const uint8_t *p, const uint8_t *end) noexcept nogil:
    """Return the length of the valid UTF-8 character at p, or 0 where there is none (as bytes.decode() sees it)."""
    cdef uint8_t lead = p[0]
    cdef uint8_t low = 0x80, high = 0xBF
    cdef int size, place
    if lead < 0x80:
        return 1
    if lead < 0xC2 or lead > 0xF4:
        return 0
    if lead < 0xE0:
        size = 2
    elif lead < 0xF0:
        size = 3
        if lead == 0xE0:
            low = 0xA0
        elif lead == 0xED:
            high = 0x9F
    else:
        size = 4
        if lead == 0xF0:
            low = 0x90
        elif lead == 0xF4:
            high = 0x8F
    if end - p < size or p[1] < low or p[1] > high:
        return 0
    for place in range(2, size):
        if p[place] & 0xC0 != 0x80:
            return 0
    return size


cdef int64_t _invalid(const uint8_t *start, const uint8_t *end) noexcept nogil:
    """Return the position of the first byte that begins no valid character, or -1."""
    cdef const uint8_t *p = start
    cdef int size
    while p < end:
        if end - p >= 8 and gp_read8(p) & <uint64_t>0x8080808080808080 == 0:
            p += 8
            continue
        size = _char_size(p, end)
        if size == 0:
            return p - start
        p += size
    return -1


cdef inline size_t _place(uint64_t key, uint32_t size) noexcept nogil:
    return gp_fold(key ^ SECRET0, (<uint64_t>size << 32) ^ SECRET1)


cdef int _grow(Vocabulary *words) noexcept nogil:
    """Double the table; return -1 where there is no memory."""
    cdef size_t mask = words.mask * 2 + 1, place, old
    cdef Entry *entries = <Entry *>malloc((mask + 1) * sizeof(Entry))
    if entries == NULL:
        return -1
    for place in range(mask + 1):
        entries[place].id = -1
    for old in range(words.mask + 1):
        if words.entries[old].id >= 0:
            place = _place(words.entries[old].key, words.entries[old].size) & mask
            while entries[place].id >= 0:
                place = (place + 1) & mask
            entries[place] = words.entries[old]
    free(words.entries)
    words.entries = entries
    words.mask = mask
    return 0


cdef inline int32_t _lookup(Vocabulary *words, const uint8_t *start, int64_t size) noexcept nogil:
    """Return the id of a token; a new token gets a new id. Return -1 where memory runs out, -2 where ids do."""
    cdef uint64_t key = gp_pack(start, size) if size <= 8 else gp_hash(start, size, SECRET0, SECRET1)
    return _id(words, start, size, key, _place(key, <uint32_t>size))


cdef inline int32_t _id(
    Vocabulary *words, const uint8_t *start, int64_t size, uint64_t key, size_t place
) noexcept nogil:
    """Do what _lookup() does with a key that is known, and with its _place()."""
    cdef Entry *entry
    place &= words.mask
    while True:
        entry = &words.entries[place]
        if entry.id < 0:
            break
        if entry.key == key and entry.size == <uint32_t>size:
            if size <= 8 or memcmp(entry.start, start, size) == 0:
                return entry.id
        place = (place + 1) & words.mask
    if words.frozen:
        return <int32_t>words.count
    if words.count == 0x7FFFFFFF:
        return -2
    entry.key, entry.start, entry.size, entry.id = key, start, <uint32_t>size, <int32_t>words.count
    words.count += 1
    if 2 * <size_t>words.count > words.mask and _grow(words) < 0:
        return -1
    return <int32_t>(words.count - 1)


cdef inline int _emit(Output *out, const uint8_t *token, const uint8_t *end) noexcept nogil:
    """Append the id of a token; return 0, or the failure that _lookup() returned."""
    cdef int32_t found = _lookup(out.words, token, end - token)
    if found < 0:
        return found
    out.ids[out.count] = found
    out.count += 1
    return 0


cdef inline int _space(const uint8_t *p, const uint8_t *end, uint8_t mask) noexcept nogil:
    """Return the length of the white space at p, or 0. mask: 5 for that of Unicode, 2 for that of bytes.split()."""
    cdef uint8_t kind = SPACE[p[0]] & mask
    if kind == 0:
        return 0
    return _wide_space(p, end) if kind == 4 else 1


cdef int _split_chars(Output *out, const uint8_t *p, const uint8_t *end, bint spaces) noexcept nogil:
    """Take every code point for a token. `spaces` says whether white space is one too."""
    cdef int size, failed
    while p < end:
        size = 0 if spaces else _space(p, end, 5)
        if size == 0:
            size = _char_size(p, end)
            if size == 1 and out.words.ascii[p[0]] >= 0:
                out.ids[out.count] = out.words.ascii[p[0]]
                out.count += 1
            else:
                failed = _emit(out, p, p + size)
                if failed:
                    return failed
                if size == 1 and not out.words.frozen:
                    out.words.ascii[p[0]] = out.ids[out.count - 1]
        p += size
    return 0


cdef int _split_blanks(Output *out, const uint8_t *p, const uint8_t *end) noexcept nogil:
    cdef const uint8_t *token
    cdef int failed
    while True:
        token = p
        while p < end and p[0] != 32:
            p += 1
        failed = _emit(out, token, p)
        if failed or p == end:
            return failed
        p += 1


cdef inline bint _is_punctuation(uint8_t code) noexcept nogil:
    return 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126


cdef int _emit_apart(Output *out, const uint8_t *token, const uint8_t *end) noexcept nogil:
    """Append a word as chrF++ does: one punctuation mark at its end, or else at its start, is a token of its own."""
    cdef const uint8_t *middle = NULL
    cdef int failed
    if end - token > 1:
        if _is_punctuation((end - 1)[0]):
            middle = end - 1
        elif _is_punctuation(token[0]):
            middle = token + 1
    if middle == NULL:
        return _emit(out, token, end)
    failed = _emit(out, token, middle)
    return failed if failed else _emit(out, middle, end)


cdef int _split_space(Output *out, const uint8_t *p, const uint8_t *end, uint8_t mask, bint apart) noexcept nogil:
    """Take what is between white space for tokens. See _space() for mask; `apart` splits words as chrF++ does."""
    cdef gp_bounds[GP_WORDS_AT_ONCE] words
    cdef int64_t count, number
    cdef int32_t found
    cdef gp_bounds *word
    while p < end:
        count = out.spaces.words(p, end, out.limit, mask, words, &p)
        if apart:
            for number in range(count):
                found = _emit_apart(out, words[number].start, words[number].start + words[number].size)
                if found:
                    return found
            continue
        for number in range(count):
            word = &words[number]
            if word.size <= 8:
                word.key = gp_key(word.start, word.size, out.limit)
            else:
                word.key = gp_hash(word.start, word.size, SECRET0, SECRET1)
            word.place = _place(word.key, <uint32_t>word.size)
            gp_prefetch(&out.words.entries[word.place & out.words.mask])
        for number in range(count):
            word = &words[number]
            found = _id(out.words, word.start, word.size, word.key, word.place)
            if found < 0:
                return found
            out.ids[out.count + number] = found
        out.count += count
    return 0


cdef inline Kind _kind(const uint8_t *kinds, const uint8_t *p, const uint8_t *end, int *size) noexcept nogil:
    """Return the kind of the character at p, and its size."""
    size[0] = 1
    if p[0] < 0x80:
        return <Kind>kinds[p[0]]
    size[0] = _char_size(p, end)
    if size[0] == 2:
        return <Kind>kinds[(p[0] & 0x1F) << 6 | (p[1] & 0x3F)]
    if size[0] == 3:
        return <Kind>kinds[(p[0] & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F)]
    return <Kind>kinds[(p[0] & 0x07) << 18 | (p[1] & 0x3F) << 12 | (p[2] & 0x3F) << 6 | (p[3] & 0x3F)]


cdef const uint8_t *_trimmed(const uint8_t *start, const uint8_t *end) noexcept nogil:
    """Return the end of a line without its trailing white space."""
    cdef const uint8_t *p
    while end > start:
        p = end - 1
        while p[0] & 0xC0 == 0x80:
            p -= 1
        if _space(p, end, 5) == 0:
            break
        end = p
    return end


cdef int _split_mteval(Output *out, const Style *style, const uint8_t *p, const uint8_t *end) noexcept nogil:
    """Do the substitutions of `python/mteval.py` in one pass.

    The substitutions put blanks around characters and change nothing else. In a run of points, the first substitution
    takes every second point. It begins with the first one, unless a digit or nothing is before. The second
    substitution takes all points that a blank then follows. So only the last point of a run may be left over: it stays
    together with a digit after it, and with the token before it if the run is a single point.
    """
    cdef const uint8_t *token = NULL            # the token under way
    cdef const uint8_t *point
    cdef const uint8_t *last
    cdef Kind kind, before = style.outside, behind
    cdef int size, failed = 0
    cdef bint free
    end = _trimmed(p, end)
    while style.split == MTEVAL_ZH and p < end and _space(p, end, 5):
        p += _space(p, end, 5)
    while p < end:
        kind = _kind(style.kinds, p, end, &size)
        if kind <= _DIGIT or (kind == _DASH and before != _DIGIT):
            if token == NULL:
                token = p
            p += size
            before = kind
            while end - p >= 8:                 # letters: the most frequent case
                size = gp_letters(p)
                p += size
                if size:
                    before = _OTHER
                if size < 8:
                    break
        elif kind != _POINT:
            if token != NULL:
                failed = _emit(out, token, p)
            token = NULL
            if kind != _SPACE and not failed:
                failed = _emit(out, p, p + size)
            p += size
            before = kind
        else:
            free = before == _DIGIT or before == _NONE
            point = last = p
            p += size
            behind = style.outside
            while p < end:
                behind = _kind(style.kinds, p, end, &size)
                if behind != _POINT:
                    break
                behind = style.outside
                free = not free
                last = p
                p += size
            free = free and (behind == _DIGIT or behind == _NONE)
            if not (free and point == last):    # else the token goes on through a point between digits
                if token != NULL:
                    failed = _emit(out, token, point)
                token = NULL
                while point < last and not failed:
                    size = _char_size(point, end)
                    failed = _emit(out, point, point + size)
                    point += size
                if not free and not failed:
                    failed = _emit(out, last, p)
            if free and token == NULL:
                token = last
            before = _POINT
        if failed:
            return failed
    return _emit(out, token, end) if token != NULL else 0


cdef int _split(Output *out, const Style *style, const uint8_t *start, const uint8_t *end) noexcept nogil:
    """Append the ids of a valid line; return 0, or the failure that _lookup() returned."""
    if style.split == WHITESPACE or style.split == CHRF:
        return _split_space(out, start, end, 5, style.split == CHRF)
    if style.split == ASCII_WHITESPACE:
        return _split_space(out, start, end, 2, False)
    if style.split == BLANK:
        return _split_blanks(out, start, end)
    if style.split == CHAR or style.split == NONSPACE:
        return _split_chars(out, start, end, style.split == CHAR)
    return _split_mteval(out, style, start, end)


cdef int64_t _encode_text(
    Output *out, const Style *style, const uint8_t *data, const int64_t[::1] starts, const int64_t[::1] ends,
    int64_t[::1] offsets, int64_t *bad
) noexcept nogil:
    """Encode all lines; return 0, -1 or -2 as _lookup() does, or -3 - line where a line is not UTF-8."""
    cdef int64_t line
    cdef int failed
    offsets[0] = 0
    for line in range(starts.shape[0]):
        if not out.spaces.is_ascii(data + starts[line], data + ends[line]):
            bad[0] = _invalid(data + starts[line], data + ends[line])
            if bad[0] >= 0:
                return -3 - line
        failed = _split(out, style, data + starts[line], data + ends[line])
        if failed:
            return failed
        offsets[line + 1] = out.count
    return 0


cdef object _style(Style *style, split):
    """Fill a style; return the object to which it points, which has to be kept."""
    cdef const uint8_t[::1] kinds
    style.split = <Split><int>SPLITS.index(split)
    style.outside = _SPACE if style.split == MTEVAL_13A else _NONE
    style.kinds = NULL
    if style.split < MTEVAL_13A:
        return None
    from .. import characters

    kinds = characters.kinds(split)
    style.kinds = &kinds[0]
    return kinds


cdef int _open(Vocabulary *words, size_t size) except -1:
    """Make an empty vocabulary, which has room for half of `size` tokens before it grows; size is a power of 2."""
    cdef size_t place
    words.count, words.frozen = 0, False
    memset(words.ascii, 0xFF, sizeof(words.ascii))
    words.mask = size - 1
    words.entries = <Entry *>malloc((words.mask + 1) * sizeof(Entry))
    if words.entries == NULL:
        raise MemoryError
    for place in range(words.mask + 1):
        words.entries[place].id = -1
    return 0


def encode(texts, split, bits=0):
    """Turn texts into ids; see encode() in `python/encode.py`. `bits` is one of WIDTHS; 0 is the widest."""
    cdef Vocabulary words
    cdef Style style
    if split not in SPLITS:
        raise KeyError(split)
    kept = _style(&style, split)
    _open(&words, 4096)
    try:
        return _encode(&words, &style, texts, _spaces(bits))
    finally:
        free(words.entries)


cdef int64_t _size_of(const int64_t[::1] starts, const int64_t[::1] ends, int64_t size) except -1:
    """Return how many bytes lines have; raises ValueError where they reach outside of their data."""
    cdef int64_t line, total = 0
    if starts.shape[0] != ends.shape[0]:
        raise ValueError("lines: there are not as many ends as starts")
    for line in range(starts.shape[0]):
        if not 0 <= starts[line] <= ends[line] <= size:
            raise ValueError("lines: they reach outside of the data")
        total += ends[line] - starts[line]
    return total


cdef object _encode(Vocabulary *words, const Style *style, texts, const gp_spaces *spaces):
    """Return what encode() does. The entries of the vocabulary point into the texts."""
    import numpy as np

    cdef Output out
    cdef const uint8_t[::1] data
    cdef const int64_t[::1] starts, ends
    cdef int64_t[::1] offsets
    cdef int32_t[::1] ids
    cdef const uint8_t *bytes_at
    cdef int64_t bad = -1, failed
    result = []
    for number, text in enumerate(texts):
        data = text.data
        starts, ends = np.ascontiguousarray(text.starts), np.ascontiguousarray(text.ends)
        bytes_at = &data[0] if data.shape[0] else NULL
        line_bytes = _size_of(starts, ends, data.shape[0])
        # a word takes two bytes with the blank after it; other splits may give a token for each byte
        dense = style.split != WHITESPACE and style.split != ASCII_WHITESPACE
        room = line_bytes + len(starts) if dense else line_bytes // 2 + len(starts)
        id_array, offset_array = np.empty(room + 1, np.int32), np.empty(len(starts) + 1, np.int64)
        ids, offsets = id_array, offset_array
        out.words, out.ids, out.count, out.spaces = words, &ids[0], 0, spaces
        out.limit = bytes_at + data.shape[0]
        with nogil:
            failed = _encode_text(&out, style, bytes_at, starts, ends, offsets, &bad)
        if failed == -1:
            raise MemoryError
        if failed == -2:
            raise OverflowError("more than 2**31 - 1 different tokens in one call")
        if failed < 0:
            raise InvalidTextError(number, int(-3 - failed), int(bad))
        result.append(Encoded(id_array[: out.count].copy(), offset_array))
    return result
