# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""N-gram overlap, compiled: the twin of overlap() in `python/overlap.py`.

For each line, the n-grams of source and references become nodes of a trie. A hash table leads from the node of the
first n - 1 tokens and the last token to the node of an n-gram; it compares keys, so collisions do no harm. Outputs add
no nodes: where an n-gram has no node, no longer n-gram has one. A node counts how often its n-gram is in the source
(sigma), in each reference (rho) and so far in the output (eta). The k-th occurrence in the output matches a reference
if k <= rho. References are counted in blocks, so that memory does not grow with their number. Outputs and references
resemble the source, so an n-gram is mostly followed by the same one as last time; this guess is tried first.

Outputs of at most 64 tokens are counted without a trie where only KINDS that depend on the output are asked for: each
n-gram of the output is a bit (see `overlap_bits.h`).
"""

import os

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from .match import fits, fits_merged, match, merged_match
from ..common import KINDS, MAX_ORDER, MERGED_KINDS, check_overlap

cdef extern from "hash.h" nogil:
    uint64_t gp_fold(uint64_t a, uint64_t b)

cdef extern from "overlap_bits.h" nogil:
    enum:
        GP_SHORT
    ctypedef struct gp_common:
        uint64_t *taken
        uint64_t *present
    int64_t gp_bits(uint64_t bits)
    void gp_common_of(const uint64_t *places, const int32_t *ids, int64_t size, int order, gp_common *common)
    void gp_place(uint64_t *places, const int32_t *ids, int64_t size)
    void gp_unplace(uint64_t *places, const int32_t *ids, int64_t size)

cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little") | 1
cdef uint64_t MULTIPLIER = 0x9E3779B97F4A7C15

cdef inline size_t _place(Trie *trie, uint64_t key) noexcept nogil:
    return gp_fold(key ^ SECRET, MULTIPLIER) & trie.mask


cdef inline uint32_t _find(Trie *trie, uint64_t key) noexcept nogil:
    """Return the node of a key, or 0."""
    cdef size_t place = _place(trie, key)
    while trie.slots[place].stamp == trie.stamp:
        if trie.slots[place].key == key:
            return trie.slots[place].node
        place = (place + 1) & trie.mask
    return 0


cdef int _begin(Trie *trie, size_t expected) noexcept nogil:
    """Empty the trie for a line of about `expected` nodes; return -1 where there is no memory."""
    cdef size_t wanted = 256
    while wanted < expected:
        wanted *= 2
    if wanted > 65536:
        wanted = 65536           # tables grow further if there really are so many n-grams
    if trie.room == 0 and _grow_nodes(trie) < 0:
        return -1
    trie.count = 1
    memset(&trie.nodes[0], 0, sizeof(Node))
    trie.nodes[0].key = ~<uint64_t>0
    if wanted > trie.capacity:
        free(trie.slots)
        trie.capacity = 0
        trie.slots = <Slot *>calloc(wanted, sizeof(Slot))
        if trie.slots == NULL:
            return -1
        trie.capacity = wanted
        trie.stamp = 0
    trie.mask = wanted - 1
    trie.stamp += 1
    if trie.stamp == 0:          # stamps have overflowed
        memset(trie.slots, 0, trie.capacity * sizeof(Slot))
        trie.stamp = 1
    return 0


cdef int _grow_slots(Trie *trie) noexcept nogil:
    """Double the part of the table in use."""
    cdef size_t size = (trie.mask + 1) * 2, place, node
    cdef Slot *slots
    if size > trie.capacity:
        slots = <Slot *>calloc(size, sizeof(Slot))
        if slots == NULL:
            return -1
        free(trie.slots)
        trie.slots = slots
        trie.capacity = size
        trie.stamp = 0
    trie.mask = size - 1
    trie.stamp += 1
    if trie.stamp == 0:
        memset(trie.slots, 0, trie.capacity * sizeof(Slot))
        trie.stamp = 1
    for node in range(1, trie.count):
        place = _place(trie, trie.nodes[node].key)
        while trie.slots[place].stamp == trie.stamp:
            place = (place + 1) & trie.mask
        trie.slots[place].key = trie.nodes[node].key
        trie.slots[place].node = <uint32_t>node
        trie.slots[place].stamp = trie.stamp
    return 0


cdef int _grow_nodes(Trie *trie) noexcept nogil:
    cdef size_t room = trie.room * 2 if trie.room else 1024
    cdef void *grown
    if room > <size_t>0xFFFFFFFF:
        return -1
    grown = realloc(trie.nodes, room * sizeof(Node))
    if grown == NULL:
        return -1
    trie.nodes = <Node *>grown
    trie.room = room
    return 0


cdef inline uint32_t _insert(Trie *trie, uint64_t key) noexcept nogil:
    """Return the node of a key; it is made where it is missing. Return 0 where there is no memory."""
    cdef size_t place = _place(trie, key)
    cdef uint32_t node
    while trie.slots[place].stamp == trie.stamp:
        if trie.slots[place].key == key:
            return trie.slots[place].node
        place = (place + 1) & trie.mask
    if trie.count == trie.room and _grow_nodes(trie) < 0:
        return 0
    node = <uint32_t>trie.count
    trie.count += 1
    memset(&trie.nodes[node], 0, sizeof(Node))
    trie.nodes[node].key = key
    trie.slots[place].key = key
    trie.slots[place].node = node
    trie.slots[place].stamp = trie.stamp
    if 2 * trie.count > trie.mask and _grow_slots(trie) < 0:
        return 0
    return node


cdef inline uint32_t _step(Trie *trie, Node **nodes, uint32_t before, uint64_t key) noexcept nogil:
    """Return the node, as _insert() does, of the n-gram that follows the node `before` in a text."""
    cdef uint32_t node = nodes[0][before].next
    if nodes[0][node].key == key:               # never true for the root, whose key is no n-gram's
        return node
    node = _insert(trie, key)
    nodes[0] = trie.nodes                       # the array may move when a node is made
    if before and node:
        nodes[0][before].next = node
    return node


cdef int _count_text(
    Trie *trie, const int32_t *ids, int64_t size, int order, int reference, int64_t *source_match
) noexcept nogil:
    """Add the n-grams of the source (reference -1) or of a reference; return -1 where there is no memory.

    Unless it is NULL, source_match [order] grows by the n-grams that the reference shares with the source.
    """
    cdef uint32_t[ORDERS] last      # the n-grams that begin one token before
    cdef Node *nodes = trie.nodes
    cdef int64_t start
    cdef int n
    cdef uint32_t node
    memset(last, 0, sizeof(last))
    for start in range(size):
        node = 0
        for n in range(order if order < size - start else <int>(size - start)):
            node = _step(trie, &nodes, last[n], (<uint64_t>node << 32) | <uint32_t>ids[start + n])
            if node == 0:
                return -1
            last[n] = node
            if reference < 0:
                nodes[node].sigma += 1
            else:
                nodes[node].rho[reference] += 1
                if source_match != NULL:
                    source_match[n] += nodes[node].rho[reference] <= nodes[node].sigma
    return 0


cdef int _merge_text(Trie *trie, const int32_t *ids, int64_t size, int order, int32_t stamp, int64_t *added) noexcept nogil:
    """Raise rho[0] to the counts of a reference where they are higher; return -1 where there is no memory.

    Unless it is NULL, added [order] grows by the n-grams that the merged references have more often than the source.
    """
    cdef uint32_t[ORDERS] last
    cdef Node *nodes = trie.nodes
    cdef Node *node
    cdef int64_t start
    cdef int n
    cdef uint32_t at
    memset(last, 0, sizeof(last))
    for start in range(size):
        at = 0
        for n in range(order if order < size - start else <int>(size - start)):
            at = _step(trie, &nodes, last[n], (<uint64_t>at << 32) | <uint32_t>ids[start + n])
            if at == 0:
                return -1
            last[n] = at
            node = &nodes[at]
            node.eta = node.eta + 1 if node.stamp == stamp else 1
            node.stamp = stamp
            if node.eta > node.rho[0]:
                node.rho[0] = node.eta
                if added != NULL:
                    added[n] += node.eta > node.sigma
    return 0


cdef inline void _add(Kinds *kinds, const Node *node, int32_t eta, int references, int order, int n) noexcept nogil:
    """Count the eta-th occurrence of an n-gram of order n + 1 in an output."""
    cdef int r
    if kinds.match != NULL:
        for r in range(references):
            kinds.match[r * order + n] += eta <= node.rho[r]
    if kinds.penalty != NULL and eta <= node.sigma:
        for r in range(references):
            kinds.penalty[r * order + n] += node.rho[r] == 0
    if kinds.source_only != NULL and eta <= node.sigma:
        for r in range(references):
            kinds.source_only[r * order + n] += eta > node.rho[r]
    if kinds.common != NULL and eta <= node.sigma:
        for r in range(references):
            kinds.common[r * order + n] += eta <= node.rho[r]


cdef inline void _add_merged(Kinds *kinds, const Node *node, int32_t eta, int n) noexcept nogil:
    """Do the same for the merged references, whose counts are in rho[0]."""
    if kinds.union_match != NULL:
        kinds.union_match[n] += eta <= node.rho[0]
    if kinds.new_match != NULL:
        kinds.new_match[n] += node.sigma == 0 and eta <= node.rho[0]
    if kinds.gone_match != NULL:
        kinds.gone_match[n] += node.rho[0] == 0 and eta <= node.sigma
    if kinds.added_match != NULL:
        kinds.added_match[n] += eta <= node.rho[0] - node.sigma
    if kinds.removed_match != NULL:
        kinds.removed_match[n] += eta <= node.sigma - node.rho[0]


cdef void _count_output(
    Trie *trie, const int32_t *ids, int64_t size, int order, int references, int32_t stamp, Kinds *kinds, bint merged
) noexcept nogil:
    """Add the n-grams of an output to kinds."""
    cdef uint32_t[ORDERS] last
    cdef Node *nodes = trie.nodes
    cdef Node *node
    cdef int64_t start
    cdef int n, limit
    cdef int32_t eta
    cdef uint32_t found, guess
    cdef uint64_t key
    memset(last, 0, sizeof(last))
    for start in range(size):
        found = 0
        limit = order if order < size - start else <int>(size - start)
        n = 0
        while n < limit:
            key = (<uint64_t>found << 32) | <uint32_t>ids[start + n]
            guess = nodes[last[n]].next
            found = guess if nodes[guess].key == key else _find(trie, key)
            if found == 0:
                break
            last[n] = found
            node = &nodes[found]
            eta = node.eta + 1 if node.stamp == stamp else 1
            node.stamp = stamp
            node.eta = eta
            if merged:
                _add_merged(kinds, node, eta, n)
            else:
                _add(kinds, node, eta, references, order, n)
            n += 1
        while n < order:                # an n-gram without a node gives no guess for the next
            last[n] = 0
            n += 1


cdef inline int64_t _size(const Text *text, int64_t line) noexcept nogil:
    return text.offsets[line + 1] - text.offsets[line]


cdef inline const int32_t *_ids(const Text *text, int64_t line) noexcept nogil:
    return text.ids + text.offsets[line]


cdef inline int64_t *_at(int64_t *first, int64_t place) noexcept nogil:
    return first + place if first != NULL else NULL


cdef int _start_line(Trie *trie, const Job *job, int64_t line, int first, int last) noexcept nogil:
    """Empty the trie, make room for the references first <= r < last, and count the source."""
    cdef size_t expected = 0 if job.source == NULL else _size(job.source, line)
    cdef int number
    for number in range(first, last):
        expected += _size(&job.references[number], line)
    if _begin(trie, expected * job.order) < 0:
        return -1
    if job.source == NULL:
        return 0
    return _count_text(trie, _ids(job.source, line), _size(job.source, line), job.order, -1, NULL)


cdef inline bint _is_short(const Job *job, int64_t line, int system) noexcept nogil:
    """Return whether a line of a system is counted as bits."""
    return job.places != NULL and _size(&job.systems[system], line) <= GP_SHORT


cdef bint _count_short(const Job *job, int64_t line) noexcept nogil:
    """Count the short outputs of a line as bits; return whether all are short."""
    cdef int s, r
    cdef int64_t at = line * job.n_references * job.order, stride = job.lines * job.n_references * job.order
    cdef int64_t place
    cdef const int32_t *ids
    cdef gp_common source, reference
    cdef bint whole = True
    memset(&source, 0, sizeof(source))
    for s in range(job.n_systems):
        if not _is_short(job, line, s):
            whole = False
            continue
        ids = _ids(&job.systems[s], line)
        gp_place(job.places, ids, _size(&job.systems[s], line))
        if job.source != NULL:
            gp_common_of(job.places, _ids(job.source, line), _size(job.source, line), job.order, &source)
        for r in range(job.n_references):
            gp_common_of(
                job.places, _ids(&job.references[r], line), _size(&job.references[r], line), job.order, &reference
            )
            _add_bits(&job.kinds, at + s * stride + r * job.order, job.order, &source, &reference)
        gp_unplace(job.places, ids, _size(&job.systems[s], line))
    return whole


cdef inline void _add_bits(
    const Kinds *kinds, int64_t place, int order, const gp_common *source, const gp_common *reference
) noexcept nogil:
    """Write the counts of an output with a reference."""
    cdef int n
    for n in range(order):
        if kinds.match != NULL:
            kinds.match[place + n] = gp_bits(reference.taken[n])
        if kinds.penalty != NULL:
            kinds.penalty[place + n] = gp_bits(source.taken[n] & ~reference.present[n])
        if kinds.source_only != NULL:
            kinds.source_only[place + n] = gp_bits(source.taken[n] & ~reference.taken[n])
        if kinds.common != NULL:
            kinds.common[place + n] = gp_bits(source.taken[n] & reference.taken[n])


cdef int _count_block(Trie *trie, const Job *job, int64_t line, int first) noexcept nogil:
    """Count a line of all systems with the references of a block; return -1 where there is no memory."""
    cdef int last = first + BLOCK if first + BLOCK < job.n_references else job.n_references
    cdef int number, s
    cdef int64_t at = (line * job.n_references + first) * job.order     # position in the arrays of a system
    cdef int64_t stride = job.lines * job.n_references * job.order       # from system to system
    cdef int64_t *shared = _at(job.kinds.source_match, at)
    cdef Kinds kinds
    if _start_line(trie, job, line, first, last) < 0:
        return -1
    for number in range(first, last):
        if _count_text(
            trie, _ids(&job.references[number], line), _size(&job.references[number], line), job.order, number - first,
            _at(shared, (number - first) * job.order)
        ) < 0:
            return -1
    for s in range(job.n_systems):
        if _is_short(job, line, s):
            continue
        if shared != NULL and s > 0:
            memcpy(shared + s * stride, shared, (last - first) * job.order * sizeof(int64_t))
        kinds.match = _at(job.kinds.match, at + s * stride)
        kinds.penalty = _at(job.kinds.penalty, at + s * stride)
        kinds.source_only = _at(job.kinds.source_only, at + s * stride)
        kinds.common = _at(job.kinds.common, at + s * stride)
        _count_output(
            trie, _ids(&job.systems[s], line), _size(&job.systems[s], line), job.order, last - first, s + 1,
            &kinds, False
        )
    return 0


cdef int _count_merged(Trie *trie, const Job *job, int64_t line) noexcept nogil:
    """Count a line of all systems with all references merged; return -1 where there is no memory."""
    cdef int number, s
    cdef int64_t at = line * job.order, stride = job.lines * job.order
    cdef int64_t *shared = _at(job.kinds.added, at)
    cdef Kinds kinds
    if _start_line(trie, job, line, 0, job.n_references) < 0:
        return -1
    for number in range(job.n_references):
        if _merge_text(
            trie, _ids(&job.references[number], line), _size(&job.references[number], line), job.order, -1 - number,
            shared
        ) < 0:
            return -1
    for s in range(job.n_systems):
        if shared != NULL and s > 0:
            memcpy(shared + s * stride, shared, job.order * sizeof(int64_t))
        kinds.union_match = _at(job.kinds.union_match, at + s * stride)
        kinds.new_match = _at(job.kinds.new_match, at + s * stride)
        kinds.gone_match = _at(job.kinds.gone_match, at + s * stride)
        kinds.added_match = _at(job.kinds.added_match, at + s * stride)
        kinds.removed_match = _at(job.kinds.removed_match, at + s * stride)
        _count_output(
            trie, _ids(&job.systems[s], line), _size(&job.systems[s], line), job.order, 1, s + 1, &kinds, True
        )
    return 0


cdef int _overlap(Trie *trie, const Job *job, bint single, bint merged) noexcept nogil:
    """Count all lines, with single references and with merged ones; return -1 where there is no memory."""
    cdef int64_t line
    cdef int first, failed = 0
    for line in range(job.lines):
        first = 0
        if single and job.places != NULL and _count_short(job, line):
            first = job.n_references
        while single and first < job.n_references and not failed:
            failed = _count_block(trie, job, line, first)
            first += BLOCK
        if merged and not failed:
            failed = _count_merged(trie, job, line)
        if failed:
            break
    return failed


cdef void _point(Text *target, text) except *:
    """Point at the arrays of an Encoded, which the caller keeps alive."""
    cdef const int32_t[::1] ids = text.ids
    cdef const int64_t[::1] offsets = text.offsets
    target.ids = &ids[0] if ids.shape[0] else NULL
    target.offsets = &offsets[0]


cdef int64_t *_first(counts, kind) except? NULL:
    """Return where the array of a kind begins, or NULL where it was not asked for."""
    cdef int64_t[::1] flat
    if kind not in counts or not counts[kind].size:
        return NULL
    flat = counts[kind].reshape(-1)
    return &flat[0]


cdef uint64_t *_places(texts) except? NULL:
    """Return a 0 for each id of texts, or NULL where ids are so high that this would take much more memory than they."""
    cdef size_t ids = max(int(text.ids.max(initial=0)) for text in texts) + 1
    if ids > 1024 + <size_t>sum(len(text.ids) for text in texts):
        return NULL
    cdef uint64_t *places = <uint64_t *>calloc(ids, sizeof(uint64_t))
    if places == NULL:
        raise MemoryError
    return places


def overlap(source, references, systems, order, kinds):
    """Count the n-grams that outputs share with references and source; see overlap() in `python/overlap.py`."""
    import numpy as np

    check_overlap(source, references, systems, order, kinds)
    if source is None and tuple(kinds) == ("match",) and fits(references, systems, order):
        return {"match": match(references, systems, order)}
    if source is None and tuple(kinds) == ("union_match",) and fits_merged(systems):
        return {"union_match": merged_match(references, systems, order)}
    assert MAX_ORDER <= ORDERS
    cdef Job job
    cdef Trie trie
    cdef int number, failed
    memset(&trie, 0, sizeof(Trie))
    memset(&job, 0, sizeof(Job))
    cdef bint single = any(kind in KINDS for kind in kinds), merged = any(kind in MERGED_KINDS for kind in kinds)
    job.n_references, job.n_systems, job.order = len(references), len(systems), order
    job.lines = len(references[0].offsets) - 1
    cdef Text *texts = <Text *>malloc((1 + job.n_references + job.n_systems) * sizeof(Text))
    if texts == NULL:
        raise MemoryError
    try:
        job.source, job.references, job.systems = NULL, texts + 1, texts + 1 + job.n_references
        if source is not None:
            _point(&texts[0], source)
            job.source = &texts[0]
        for number, text in enumerate([*references, *systems]):
            _point(&texts[1 + number], text)
        both, one = (len(systems), job.lines, len(references), order), (len(systems), job.lines, order)
        counts = {kind: np.zeros(both if kind in KINDS else one, np.int64) for kind in kinds}
        job.kinds.match, job.kinds.penalty = _first(counts, "match"), _first(counts, "penalty")
        job.kinds.source_only, job.kinds.common = _first(counts, "source_only"), _first(counts, "common")
        job.kinds.source_match, job.kinds.added = _first(counts, "source_match"), _first(counts, "added")
        job.kinds.union_match, job.kinds.new_match = _first(counts, "union_match"), _first(counts, "new_match")
        job.kinds.gone_match = _first(counts, "gone_match")
        job.kinds.added_match, job.kinds.removed_match = _first(counts, "added_match"), _first(counts, "removed_match")
        if single and "source_match" not in kinds:
            job.places = _places([*([] if source is None else [source]), *references, *systems])
        with nogil:
            failed = _overlap(&trie, &job, single, merged)
        if failed:
            raise MemoryError
    finally:
        free(texts)
        free(job.places)
        free(trie.slots)
        free(trie.nodes)
    return counts


def totals(const int64_t[::1] offsets, int64_t order):
    """Return how many n-grams of the orders 1 to `order` each line has, from its offsets: int64 [lines, order]."""
    import numpy as np

    cdef int64_t lines = offsets.shape[0] - 1, line, n, size
    array = np.empty((lines, order), np.int64)
    cdef int64_t[:, ::1] total = array
    for line in range(lines):
        size = offsets[line + 1] - offsets[line]
        for n in range(order):
            total[line, n] = max(size - n, 0)
    return array


cdef bint _lay(const int64_t[:, :] part, uint16_t *first, int64_t width) noexcept nogil:
    """Write the numbers of some columns into a table whose lines have `width`; return whether they all fit."""
    cdef int64_t line, column, number
    cdef uint64_t seen = 0
    for line in range(part.shape[0]):
        for column in range(part.shape[1]):
            number = part[line, column]
            seen |= <uint64_t>number
            first[column] = <uint16_t>number
        first += width
    return seen <= 0xFFFF


def side_by_side(parts):
    """Return arrays int64 [lines, columns] as one array uint16 [lines, all columns], or None where a number is too high.

    It is what `Schema.pack()` and narrow() of `metrics/base/columns.py` return for them, made in one step.
    """
    import numpy as np

    cdef const int64_t[:, :] part
    cdef uint16_t[:, ::1] table
    cdef int64_t column = 0
    cdef bint fits = True
    array = np.empty((len(parts[0]), sum([own.shape[1] for own in parts])), np.uint16)
    if array.size:
        table = array
        for own in parts:
            part = own
            if part.shape[0] != table.shape[0]:
                raise ValueError("parts: they have different numbers of lines")
            if part.shape[1]:
                with nogil:
                    fits = _lay(part, &table[0, column], table.shape[1])
                if not fits:
                    return None
                column += part.shape[1]
    return array
