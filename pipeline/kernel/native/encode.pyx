# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Text to ids, compiled: the twin of `python/encode.py`.

A vocabulary is an open-addressing hash table whose entries have the tokens of up to 11 bytes, and hashes of longer
ones. These are equal only if their bytes are; equal hashes are not enough. UTF-8 is checked line by line,
unless all its bytes are ASCII. White space is found 64 bytes at a time (see `spaces.h`). Many words are looked up
together, so that their entries come from memory at the same time.

The words of words() are those between white space, once lines are lower-cased and all else is blanked.
"""

import os

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from ...errors import InvalidTextError
from ..common import FOLDS, SPLITS, Encoded, Lines, Words


cdef extern from "hash.h" nogil:
    uint64_t gp_hash(const uint8_t *p, size_t size, uint64_t secret0, uint64_t secret1)
    uint64_t gp_read8(const uint8_t *p)
    int gp_plain(const uint8_t *p)
    int gp_letters(const uint8_t *p)

cdef extern from "spaces.h" nogil:
    int _wide_space "gp_wide_space"(const uint8_t *p, const uint8_t *end)
    const uint8_t[256] SPACE "gp_space"
    enum:
        GP_KEYED
    void gp_key(const uint8_t *p, size_t size, const uint8_t *limit, uint64_t *first, uint32_t *second)
    void gp_prefetch(const void *place)

cdef uint64_t SECRET0 = int.from_bytes(os.urandom(8), "little")
cdef uint64_t SECRET1 = int.from_bytes(os.urandom(8), "little") | 1
cdef uint64_t MULTIPLIER0 = int.from_bytes(os.urandom(8), "little") | 1
cdef uint64_t MULTIPLIER1 = int.from_bytes(os.urandom(8), "little") | 1

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


cdef inline uint64_t _hash(uint64_t first, uint32_t second) noexcept nogil:
    """Return a number whose highest bits depend on all of a key, in a way that nobody knows."""
    return first * MULTIPLIER0 + second * MULTIPLIER1


cdef int _make_entries(Vocabulary *words, size_t count) noexcept nogil:
    """Give an empty table of so many entries, a power of 2, to a vocabulary; return -1 where there is no memory."""
    words.entries = <Entry *>malloc(count * sizeof(Entry))
    if words.entries == NULL:
        return -1
    memset(words.entries, 0xFF, count * sizeof(Entry))
    words.mask, words.shift = count - 1, 64
    while count > 1:
        count >>= 1
        words.shift -= 1
    return 0


cdef int _grow(Vocabulary *words) noexcept nogil:
    """Make the table larger; return -1 where there is no memory."""
    cdef size_t place, before = words.mask + 1, old
    cdef Entry *entries = words.entries
    cdef Entry *entry
    if _make_entries(words, before * 4 if before < 0x10000 else before * 2) < 0:
        words.entries = entries
        return -1
    for old in range(before):
        entry = &entries[old]
        if entry.id >= 0:
            place = _hash(entry.first, entry.second) >> words.shift
            while words.entries[place].id >= 0:
                place = (place + 1) & words.mask
            words.entries[place] = entry[0]
    free(entries)
    return 0


cdef inline void _want(
    const Vocabulary *words, const gp_bounds *bounds, int64_t count, const uint8_t *limit, Wanted *wanted
) noexcept nogil:
    """Note words whose ids are wanted; their entries begin to come from memory. No byte at `limit` or later is read."""
    cdef int64_t number, size
    cdef const uint8_t *start
    cdef const Entry *entries = words.entries
    cdef int shift = words.shift
    cdef uint64_t multiplier0 = MULTIPLIER0, multiplier1 = MULTIPLIER1, first, hash
    cdef uint32_t second
    for number in range(count):
        start, size = bounds[number].start, bounds[number].size
        if size <= GP_KEYED:
            gp_key(start, size, limit, &first, &second)
        else:
            first, second = gp_hash(start, size, SECRET0, SECRET1), <uint32_t>0xFF000000 | <uint32_t>(size & 0xFFFFFF)
        hash = first * multiplier0 + second * multiplier1
        wanted[number].first, wanted[number].second, wanted[number].hash = first, second, hash
        gp_prefetch(&entries[hash >> shift])


cdef inline bint _is(const Vocabulary *words, const Entry *entry, const gp_bounds *word) noexcept nogil:
    """Return whether a token with equal key is the same: a longer one is only where its bytes are."""
    cdef const gp_bounds *other
    if word.size <= GP_KEYED:
        return True
    other = &words.noted[entry.id]
    return other.size == word.size and memcmp(other.start, word.start, word.size) == 0


cdef int _note(Vocabulary *words, const gp_bounds *word) noexcept nogil:
    """Keep where the next token is; return -1 where there is no memory."""
    cdef int64_t room = 2 * words.count + 256
    cdef void *grown
    if words.count >= words.noted_room:
        grown = realloc(words.noted, room * sizeof(gp_bounds))
        if grown == NULL:
            return -1
        words.noted, words.noted_room = <gp_bounds *>grown, room
    words.noted[words.count] = word[0]
    return 0


cdef int32_t _id(Vocabulary *words, const Wanted *wanted, const gp_bounds *word) noexcept nogil:
    """Return the id of a token; a new one gets a new id. Return -1 where memory runs out, -2 where ids do."""
    cdef size_t place = wanted.hash >> words.shift
    cdef Entry *entry
    while True:
        entry = &words.entries[place]
        if entry.id < 0:
            break
        if entry.first == wanted.first and entry.second == wanted.second and _is(words, entry, word):
            return entry.id
        place = (place + 1) & words.mask
    if words.frozen:
        return <int32_t>words.count
    if words.count == 0x7FFFFFFF:
        return -2
    if (words.notes_all or word.size > GP_KEYED) and _note(words, word) < 0:
        return -1
    entry.first, entry.second, entry.id = wanted.first, wanted.second, <int32_t>words.count
    words.count += 1
    if 2 * <size_t>words.count > words.mask and _grow(words) < 0:
        return -1
    return <int32_t>(words.count - 1)


cdef inline int _look_up(Output *out, const Wanted *wanted, const gp_bounds *bounds, int64_t count) noexcept nogil:
    """Append the ids of words that are wanted; return 0, or the failure that _id() returned."""
    cdef int64_t number
    cdef int32_t found
    cdef int32_t *ids = out.ids + out.count
    cdef const Entry *entries = out.words.entries
    cdef const Entry *entry
    cdef int shift = out.words.shift
    cdef const Wanted *word
    for number in range(count):
        word = &wanted[number]
        entry = &entries[word.hash >> shift]
        if ((entry.first ^ word.first) | (entry.second ^ word.second)) == 0 and word.second >> 24 <= GP_KEYED:
            ids[number] = entry.id
            continue
        found = _id(out.words, word, &bounds[number])
        if found < 0:
            return found
        ids[number] = found
        entries, shift = out.words.entries, out.words.shift
    out.count += count
    return 0


cdef int _look_up_waiting(Output *out) noexcept nogil:
    """Append the ids of the tokens that wait; return 0, or the failure that _id() returned."""
    cdef Wanted[GP_WORDS_AT_ONCE] wanted
    cdef int64_t count = out.n_waiting
    out.n_waiting = 0
    _want(out.words, out.waiting, count, out.limit, wanted)
    return _look_up(out, wanted, out.waiting, count)


cdef inline int _emit(Output *out, const uint8_t *token, const uint8_t *end) noexcept nogil:
    """Have the id of a token appended, later together with others; return 0, or the failure that _id() returned."""
    cdef gp_bounds *word = &out.waiting[out.n_waiting]
    word.start, word.size = token, end - token
    out.n_waiting += 1
    return _look_up_waiting(out) if out.n_waiting == GP_WORDS_AT_ONCE else 0


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
                failed = _emit(out, p, p + size) or _look_up_waiting(out)
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


cdef int _split_fields(Output *out, const uint8_t *p, const uint8_t *end) noexcept nogil:
    cdef const uint8_t *token
    cdef int failed
    while True:
        token = p
        while p < end and p[0] != c"\n" and not (p[0] == c"|" and end - p > 2 and p[1] == c"|" and p[2] == c"|"):
            p += 1
        failed = _emit(out, token, p)
        if failed or p == end:
            return failed
        p += 3 if p[0] == c"|" else 1


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
    cdef Wanted[GP_WORDS_AT_ONCE] wanted
    cdef int64_t count, number
    cdef int32_t failed
    cdef int high
    while p < end:
        count = gp_find_words(p, end, out.limit, mask, words, &p, &high)
        if apart:
            for number in range(count):
                failed = _emit_apart(out, words[number].start, words[number].start + words[number].size)
                if failed:
                    return failed
            continue
        _want(out.words, words, count, out.limit, wanted)
        failed = _look_up(out, wanted, words, count)
        if failed:
            return failed
    return 0


cdef inline bint _are_apart(const uint8_t *p, int64_t size, uint8_t mask) noexcept nogil:
    """Return whether one or two white spaces are between two lines; see _space() for mask."""
    return (size == 1 or size == 2) and SPACE[p[0]] & mask & 3 and SPACE[p[size - 1]] & mask & 3


cdef int64_t _wrong_line(
    const uint8_t *data, const int64_t[::1] starts, const int64_t[::1] ends, int64_t low, int64_t high, int64_t *bad
) noexcept nogil:
    """Return the first of the lines low <= line < high that is not UTF-8, and which of its bytes is not; or -1."""
    cdef int64_t line
    for line in range(low, high):
        bad[0] = _invalid(data + starts[line], data + ends[line])
        if bad[0] >= 0:
            return line
    return -1


cdef int64_t _encode_words(
    Output *out, uint8_t mask, const uint8_t *data, const int64_t[::1] starts, const int64_t[::1] ends,
    int64_t[::1] offsets, int64_t *bad
) noexcept nogil:
    """Do what _encode_text() does for words between white space; see _space() for mask.

    Words are found in many lines at once, where these stand one after the other with white space between them.
    """
    cdef gp_bounds[GP_WORDS_AT_ONCE] words
    cdef Wanted[GP_WORDS_AT_ONCE] wanted
    cdef int64_t first = 0, last, line = 0, lines = starts.shape[0], before, count, number, wrong
    cdef int64_t suspect = -1       # from this line on there may be characters that are no ASCII, and are to be checked
    cdef int failed, high
    cdef const uint8_t *p
    cdef const uint8_t *end
    cdef const uint8_t *end_of_line
    while first < lines:
        last = first
        while last + 1 < lines and _are_apart(data + ends[last], starts[last + 1] - ends[last], mask):
            last += 1
        p, end, end_of_line = data + starts[first], data + ends[last], data + ends[line]
        while p < end:
            before, high = line, 0
            count = gp_find_words(p, end, out.limit, mask, words, &p, &high)
            for number in range(count):
                while words[number].start >= end_of_line:
                    line += 1
                    offsets[line] = out.count + number
                    end_of_line = data + ends[line]
            if high and suspect < 0:
                suspect = before
            if 0 <= suspect < line:
                wrong = _wrong_line(data, starts, ends, suspect, line if high else before + 1, bad)
                if wrong >= 0:
                    return -3 - wrong
                suspect = line if high else -1
            _want(out.words, words, count, out.limit, wanted)
            failed = _look_up(out, wanted, words, count)
            if failed:
                return failed
        while line <= last:
            line += 1
            offsets[line] = out.count
        if suspect >= 0:
            wrong = _wrong_line(data, starts, ends, suspect, line, bad)
            if wrong >= 0:
                return -3 - wrong
            suspect = -1
        first = last + 1
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
    """Do the substitutions of `python/encode.py` in one pass.

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
    """Append the ids of a valid line, but of its tokens that wait; return 0, or the failure that _id() returned."""
    if style.split == WHITESPACE or style.split == CHRF:
        return _split_space(out, start, end, 5, style.split == CHRF)
    if style.split == ASCII_WHITESPACE:
        return _split_space(out, start, end, 2, False)
    if style.split == BLANK:
        return _split_blanks(out, start, end)
    if style.split == RECORD_FIELDS:
        return _split_fields(out, start, end)
    if style.split == CHAR or style.split == NONSPACE:
        return _split_chars(out, start, end, style.split == CHAR)
    return _split_mteval(out, style, start, end)


cdef int64_t _encode_text(
    Output *out, const Style *style, const uint8_t *data, const int64_t[::1] starts, const int64_t[::1] ends,
    int64_t[::1] offsets, int64_t *bad
) noexcept nogil:
    """Encode all lines; return 0, -1 or -2 as _id() does, or -3 - line where a line is not UTF-8."""
    cdef int64_t line
    cdef int failed
    offsets[0] = 0
    if style.split == WHITESPACE or style.split == ASCII_WHITESPACE:
        return _encode_words(out, 5 if style.split == WHITESPACE else 2, data, starts, ends, offsets, bad)
    for line in range(starts.shape[0]):
        if not gp_is_ascii(data + starts[line], data + ends[line]):
            bad[0] = _invalid(data + starts[line], data + ends[line])
            if bad[0] >= 0:
                return -3 - line
        failed = _split(out, style, data + starts[line], data + ends[line])
        if failed:
            return failed
        offsets[line + 1] = out.count + out.n_waiting
    return _look_up_waiting(out)


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
    words.count, words.frozen = 0, False
    memset(words.ascii, 0xFF, sizeof(words.ascii))
    words.noted, words.noted_room, words.notes_all = NULL, 0, False
    if _make_entries(words, size) < 0:
        raise MemoryError
    return 0


cdef void _close(Vocabulary *words) noexcept:
    free(words.entries)
    free(words.noted)


def encode(texts, split):
    """Turn texts into ids; see encode() in `python/encode.py`."""
    cdef Vocabulary words
    cdef Style style
    if split not in SPLITS:
        raise KeyError(split)
    kept = _style(&style, split)
    _open(&words, 4096)
    try:
        return _encode(&words, &style, texts)
    finally:
        _close(&words)


def words(texts, split):
    """Turn texts into ids and distinct tokens; see words() in `python/encode.py`."""
    import numpy as np

    cdef Vocabulary words
    cdef Style style
    cdef int64_t[::1] ends
    cdef int64_t number, size = 0
    cdef uint8_t *to
    if split not in FOLDS and split not in SPLITS:
        raise KeyError(split)
    kept = _style(&style, split) if split in SPLITS else None
    _open(&words, 4096)
    words.notes_all = True
    try:
        read = _folded(texts, split) if split in FOLDS else list(texts)  # the entries of the vocabulary point into them
        encoded = _encode_folded(&words, read) if split in FOLDS else _encode(&words, &style, read)
        array = np.empty(words.count, np.int64)
        ends = array
        for number in range(words.count):
            size += words.noted[number].size
            ends[number] = size
        data = PyBytes_FromStringAndSize(NULL, size)
        to = <uint8_t *>PyBytes_AS_STRING(data)
        for number in range(words.count):
            memcpy(to, words.noted[number].start, words.noted[number].size)
            to += words.noted[number].size
        return Words(encoded, data, array)
    finally:
        _close(&words)


cdef list _folded(texts, fold):
    """Return texts as gp_fold_line() makes them, with a blank behind each line."""
    import numpy as np

    cdef const uint8_t[::1] data
    cdef const int64_t[::1] starts, ends
    cdef int64_t[:, ::1] place
    cdef int64_t line, lines, at, bad = -1
    cdef bint google = fold == "google"
    cdef const uint8_t *source
    cdef uint8_t *to
    result = []
    for number, text in enumerate(texts):
        data = text.data
        starts, ends = np.ascontiguousarray(text.starts), np.ascontiguousarray(text.ends)
        lines, at = starts.shape[0], 0
        folded = PyBytes_FromStringAndSize(NULL, _size_of(starts, ends, data.shape[0]) + lines)
        places = np.empty((2, lines), np.int64)
        place, to = places, <uint8_t *>PyBytes_AS_STRING(folded)
        source = &data[0] if data.shape[0] else NULL
        with nogil:
            for line in range(lines):
                bad = _invalid(source + starts[line], source + ends[line])
                if bad >= 0:
                    break
                place[0, line] = at
                at += gp_fold_line(source + starts[line], ends[line] - starts[line], google, to + at)
                place[1, line] = at
                to[at] = 32
                at += 1
        if bad >= 0:
            raise InvalidTextError(number, line, bad)
        result.append(Lines(folded, places[0], places[1]))
    return result


cdef list _encode_folded(Vocabulary *words, list folded):
    """Return the ids of texts that _folded() made. The entries of the vocabulary point into them."""
    cdef Style style
    _style(&style, "ascii_whitespace")
    return _encode(words, &style, folded)


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


cdef object _encode(Vocabulary *words, const Style *style, texts):
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
        room = line_bytes if dense else line_bytes // 2
        id_array, offset_array = np.empty(room + len(starts) + 1, np.int32), np.empty(len(starts) + 1, np.int64)
        ids, offsets = id_array, offset_array
        out.words, out.ids, out.count, out.n_waiting = words, &ids[0], 0, 0
        out.limit = bytes_at + data.shape[0]
        with nogil:
            failed = _encode_text(&out, style, bytes_at, starts, ends, offsets, &bad)
        if failed == -1:
            raise MemoryError
        if failed == -2:
            raise OverflowError("more than 2**31 - 1 different tokens in one call")
        if failed < 0:
            raise InvalidTextError(number, int(-3 - failed), int(bad))
        id_array.resize(out.count, refcheck=False)  # the rest of its memory is given back
        result.append(Encoded(id_array, offset_array))
    return result
