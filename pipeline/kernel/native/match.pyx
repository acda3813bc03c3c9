# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""N-grams that outputs share with each reference: a faster way than overlap.pyx where no other kind is asked for.

Words are counted in an array. A longer n-gram is a pair of numbers: the n-gram without its last word, and that word. A
hash table, made for each line and reference, leads from the pair to the count. Each occurrence in an output takes one
from the count, and matches if something was left. What was taken is given back before the next output.

Most references are short. Of these the places of equal n-grams are chained instead, which needs no table: the places of
a longer n-gram are among those of the n-gram without its last word.
"""

import os

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memset

cdef extern from "hash.h" nogil:
    uint64_t gp_fold(uint64_t a, uint64_t b)

cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little") | 1
cdef uint64_t MULTIPLIER = 0x9E3779B97F4A7C15
cdef uint64_t FREE = ~<uint64_t>0
cdef enum:
    CHAINED = 128            # tokens up to which a reference is short: in longer ones a word may have many places
    LONGER = 512             # the same for an output for which references are merged
    FEW = 2                  # with more outputs it is faster to count the n-grams of merged references once for all
cdef size_t LARGE = 8192     # slots; larger tables grow only where there really are so many n-grams

cdef inline Slot *_slot(Table *table, uint64_t key) noexcept nogil:
    """Return the slot of an n-gram, or the free one where it belongs."""
    cdef size_t place = gp_fold(key ^ SECRET, MULTIPLIER) & table.mask
    while table.slots[place].key != key and table.slots[place].key != FREE:
        place = (place + 1) & table.mask
    return &table.slots[place]


cdef int _room(Table *table, size_t slots) noexcept nogil:
    """Empty the table, which then has so many slots; return -1 where there is no memory."""
    if slots > table.room:
        free(table.slots)
        table.slots = <Slot *>malloc(slots * sizeof(Slot))
        table.room = slots if table.slots != NULL else 0
        if table.slots == NULL:
            return -1
    table.mask = slots - 1
    table.count = 0
    memset(table.slots, 0xFF, slots * sizeof(Slot))
    return 0


cdef int _grow(Table *table) noexcept nogil:
    """Double the table; return -1 where there is no memory."""
    cdef size_t before = table.mask + 1, place
    cdef int32_t count = table.count
    cdef Slot *old = table.slots
    table.slots, table.room = NULL, 0
    if _room(table, 2 * before) < 0:
        free(old)
        return -1
    for place in range(before):
        if old[place].key != FREE:
            _slot(table, old[place].key)[0] = old[place]
    free(old)
    table.count = count
    return 0


cdef int _open(Table *table, const int32_t *ids, int64_t size, int order) noexcept nogil:
    """Count the n-grams of a reference; return -1 where there is no memory."""
    cdef int64_t i, wanted = 2 * size * (order - 1)
    cdef size_t slots = 16
    cdef int n
    cdef int32_t number
    cdef uint64_t key
    cdef Slot *slot
    for i in range(size):
        table.words[ids[i]] += 1
    if order == 1:
        return 0
    while slots < <size_t>wanted and slots < LARGE:
        slots *= 2
    if _room(table, slots) < 0:
        return -1
    for i in range(size):
        number = ids[i]
        for n in range(1, order if order < size - i else <int>(size - i)):
            key = <uint64_t>number << 32 | <uint64_t>ids[i + n]
            slot = _slot(table, key)
            if slot.key == FREE:
                slot.key, slot.left, slot.number = key, 0, table.first + table.count
                table.count += 1
            slot.left += 1
            number = slot.number
        if 2 * (<size_t>table.count + order) > slots:
            if _grow(table) < 0:
                return -1
            slots *= 2
    return 0


cdef int _take(Table *table, const int32_t *ids, int64_t size, int order, bint last, int64_t *match) noexcept nogil:
    """Add to match what an output shares; the last output does not give back. Return -1 where there is no memory."""
    cdef int64_t i, taken = 0
    cdef int n
    cdef int32_t number
    cdef uint64_t key
    cdef Slot *slot
    if not last and _taken_room(table, size * (order - 1)) < 0:
        return -1
    for i in range(size):
        table.words[ids[i]] -= 1
        match[0] += table.words[ids[i]] >= 0
    for i in range(size if order > 1 else 0):
        number = ids[i]
        for n in range(1, order if order < size - i else <int>(size - i)):
            key = <uint64_t>number << 32 | <uint64_t>ids[i + n]
            slot = _slot(table, key)
            if slot.key == FREE:
                break
            slot.left -= 1
            match[n] += slot.left >= 0
            number = slot.number
            if not last:
                table.taken[taken] = &slot.left
                taken += 1
    for i in range(size):
        table.words[ids[i]] += 1
    for i in range(taken):
        table.taken[i][0] += 1
    return 0


cdef int _taken_room(Table *table, int64_t wanted) noexcept nogil:
    """Make room for so many counts from which an output takes; return -1 where there is no memory."""
    cdef void *grown
    if wanted > table.taken_room:
        grown = realloc(table.taken, 2 * wanted * sizeof(int32_t *))
        if grown == NULL:
            return -1
        table.taken, table.taken_room = <int32_t **>grown, 2 * wanted
    return 0


cdef int _chain(Table *table, const int32_t *ids, int64_t size, int order) noexcept nogil:
    """Chain the places of equal n-grams in a short reference; return -1 where there is no memory.

    For each order, chains has three numbers for each place in the reference: the next earlier place with the same
    n-gram, from 1, or 0; the first place with it, from 0; and at that one how often the n-gram is left. words then has
    the last place of each word, from 1, or 0.
    """
    cdef int64_t i, first
    cdef int32_t place
    cdef int n
    cdef int32_t *before
    cdef int32_t *level
    if 5 * size * order > table.chains_room:   # _merge() needs two more numbers for each
        free(table.chains)
        table.chains_room = 10 * size * order
        table.chains = <int32_t *>malloc(table.chains_room * sizeof(int32_t))
        if table.chains == NULL:
            table.chains_room = 0
            return -1
    level = table.chains
    for n in range(order if order < size else <int>size):
        for i in range(size - n):
            if n == 0:
                place = table.words[ids[i]]
                table.words[ids[i]] = <int32_t>(i + 1)
            else:
                place = before[i]
                while place and ids[place - 1 + n] != ids[i + n]:
                    place = before[place - 1]
            first = level[size + place - 1] if place else i
            level[i], level[size + i], level[2 * size + i] = place, <int32_t>first, 0
            level[2 * size + first] += 1
        before = level
        level += 3 * size
    return 0


cdef int _follow(
    Table *table, const int32_t *one, int64_t m, const int32_t *two, int64_t size, int order, bint last, int64_t *match
) noexcept nogil:
    """Do what _take() does, with the chains of a short reference `one`."""
    cdef int64_t i, taken = 0, stop
    cdef int n
    cdef int32_t place
    cdef int32_t *level
    cdef int32_t *left
    if not last and _taken_room(table, size * order) < 0:
        return -1
    for i in range(size):
        place, level = table.words[two[i]], table.chains
        stop = order if order < size - i else size - i
        n = 0
        while place:
            left = &level[2 * m + level[m + place - 1]]
            left[0] -= 1
            match[n] += left[0] >= 0
            if not last:
                table.taken[taken] = left
                taken += 1
            n += 1
            if n == stop:
                break
            while place and (place - 1 + n >= m or one[place - 1 + n] != two[i + n]):
                place = level[place - 1]
            level += 3 * m
    for i in range(taken):
        table.taken[i][0] += 1
    return 0


cdef void _merge(
    Table *table, int64_t m, const int32_t *ids, int64_t size, int order, int32_t *seen, int32_t *best, int64_t *match
) noexcept nogil:
    """Add to match how much more of the chained output, of m tokens, a reference has than those before it.

    best is how much these have; seen is 0 before, and then how often the reference has each n-gram of the output.
    """
    cdef int64_t i, stop, root
    cdef int n
    cdef int32_t place
    cdef int32_t *level
    for i in range(size):
        place, level = table.words[ids[i]], table.chains
        stop = order if order < size - i else size - i
        n = 0
        while place:
            root = level[m + place - 1]
            seen[n * m + root] += 1
            if best[n * m + root] < seen[n * m + root] <= level[2 * m + root]:
                best[n * m + root] += 1
                match[n] += 1
            n += 1
            if n == stop:
                break
            while place and (place - 1 + n >= m or table.output[place - 1 + n] != ids[i + n]):
                place = level[place - 1]
            level += 3 * m


cdef int _merge_all(
    Table *table, const Text *references, int n_references, const Text *systems, int n_systems, int64_t lines,
    int order, int64_t *match
) noexcept nogil:
    cdef int64_t line, i, m, size
    cdef int r, s
    cdef const Text *one
    cdef const Text *two
    cdef int32_t *seen
    for s in range(n_systems):
        two = &systems[s]
        for line in range(lines):
            table.output, m = two.ids + two.offsets[line], two.offsets[line + 1] - two.offsets[line]
            if m == 0:
                match += order
                continue
            if _chain(table, table.output, m, order) < 0:
                return -1
            seen = table.chains + 3 * m * order
            memset(seen, 0, 2 * m * order * sizeof(int32_t))
            for r in range(n_references):
                one = &references[r]
                size = one.offsets[line + 1] - one.offsets[line]
                if r:
                    memset(seen, 0, m * order * sizeof(int32_t))
                _merge(table, m, one.ids + one.offsets[line], size, order, seen, seen + m * order, match)
            for i in range(m):
                table.words[table.output[i]] = 0
            match += order
    return 0


cdef inline void _all(int64_t size, int order, int64_t *match) noexcept nogil:
    """Add to match all n-grams of an output, which is the reference once more."""
    cdef int n
    for n in range(order if order < size else <int>size):
        match[n] += size - n


cdef int _match(
    Table *table, const Text *references, int n_references, const Text *systems, int n_systems, int64_t lines,
    int order, int64_t *match
) noexcept nogil:
    cdef int64_t line, i, size, length
    cdef int64_t *target
    cdef int r, s, failed
    cdef const Text *one
    cdef const Text *two
    cdef const int32_t *ids
    cdef const int32_t *output
    cdef bint few, last, begun
    for line in range(lines):
        for r in range(n_references):
            one = &references[r]
            ids, size = one.ids + one.offsets[line], one.offsets[line + 1] - one.offsets[line]
            few, begun = size <= CHAINED, False
            for s in range(n_systems):
                two, last = &systems[s], s == n_systems - 1
                output, length = two.ids + two.offsets[line], two.offsets[line + 1] - two.offsets[line]
                target = match + ((s * lines + line) * n_references + r) * order
                if size == length and (size == 0 or memcmp(ids, output, size * sizeof(int32_t)) == 0):
                    _all(size, order, target)
                    continue
                failed = 0
                if not begun:
                    failed = _chain(table, ids, size, order) if few else _open(table, ids, size, order)
                    begun = True
                if failed == 0 and few:
                    failed = _follow(table, ids, size, output, length, order, last, target)
                elif failed == 0:
                    failed = _take(table, output, length, order, last, target)
                if failed:
                    return -1
            for i in range(size if begun else 0):
                table.words[ids[i]] = 0
    return 0


cdef void _point(Text *target, text) except *:
    cdef const int32_t[::1] ids = text.ids
    cdef const int64_t[::1] offsets = text.offsets
    target.ids = &ids[0] if ids.shape[0] else NULL
    target.offsets = &offsets[0]


def fits(references, systems, order):
    """Return whether numbers of n-grams stay below 2**31."""
    import numpy as np

    texts = [*references, *systems]
    longest = max(int(np.diff(text.offsets).max(initial=0)) for text in texts)
    highest = max(int(text.ids.max(initial=0)) for text in texts)
    return highest + longest * order < 0x7FFFFFFF


def fits_merged(systems):
    """Return whether merged_match() is the faster way: for few outputs, without long lines."""
    import numpy as np

    return len(systems) <= FEW and all([int(np.diff(text.offsets).max(initial=0)) <= LONGER for text in systems])


def match(references, systems, order):
    """Return what overlap() returns for the kind match, without a source: int64 [systems, lines, references, order]."""
    return _counted(references, systems, order, False)


def merged_match(references, systems, order):
    """Return what overlap() returns for the kind union_match, without a source: int64 [systems, lines, order].

    The n-grams of an output are chained, and those of each reference are looked for in them.
    """
    return _counted(references, systems, order, True)


cdef object _counted(references, systems, order, bint as_one):
    import numpy as np

    cdef int64_t lines = len(references[0].offsets) - 1
    cdef int n_references = len(references), n_systems = len(systems), number, failed = 0, n = order
    shape = [n_systems, lines, n] if as_one else [n_systems, lines, n_references, n]
    counts = np.zeros(shape, np.int64)
    if not counts.size:
        return counts
    cdef int64_t[::1] flat = counts.reshape(-1)
    cdef int64_t ids = max(int(text.ids.max(initial=0)) for text in [*references, *systems]) + 1
    cdef Table table
    memset(&table, 0, sizeof(Table))
    cdef Text *texts = <Text *>malloc((n_references + n_systems) * sizeof(Text))
    table.words = <int32_t *>calloc(ids, sizeof(int32_t))
    table.first = <int32_t>ids
    try:
        if texts == NULL or table.words == NULL:
            raise MemoryError
        for number, text in enumerate([*references, *systems]):
            _point(&texts[number], text)
        with nogil:
            if as_one:
                failed = _merge_all(&table, texts, n_references, texts + n_references, n_systems, lines, n, &flat[0])
            else:
                failed = _match(&table, texts, n_references, texts + n_references, n_systems, lines, n, &flat[0])
        if failed:
            raise MemoryError
    finally:
        free(texts)
        free(table.words)
        free(table.slots)
        free(table.taken)
        free(table.chains)
    return counts
