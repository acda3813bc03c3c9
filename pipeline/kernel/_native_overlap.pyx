# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""N-gram overlap, compiled: the twin of overlap() in `_python.py`.

For each line the n-grams of source and references become nodes of a trie: an n-gram is its first n - 1 tokens (a
node) and its last token, and a hash table leads from the two to a node, exactly. Outputs then only walk: an n-gram
that is not there has no longer one. Nodes count how often source (sigma) and references (rho) have them, and how
often the output had them so far (eta): the k-th occurrence matches a reference if k <= rho. References go in blocks,
so that memory is bounded by the line and not by how many there are. Since outputs and references resemble the
source, the n-gram after one that was seen is mostly the same as last time: that guess is checked before the table.
"""

import os

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from .common import KINDS, MAX_ORDER

cdef extern from "_hash.h" nogil:
    uint64_t gp_fold(uint64_t a, uint64_t b)

cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little") | 1
cdef uint64_t MULTIPLIER = 0x9E3779B97F4A7C15

cdef enum:
    BLOCK = 4              # references in a block
    ORDERS = 16            # room for the nodes of the n-grams at one place

cdef struct Node:
    uint64_t key           # (node of the first n - 1 tokens) << 32 | last token
    int32_t sigma          # in the source
    int32_t eta            # in the output so far
    int32_t stamp          # the output that eta counts
    uint32_t next          # the n-gram of the same order that came one token later, when last seen; 0: none
    int32_t[BLOCK] rho     # in the references of the block

cdef struct Slot:
    uint64_t key
    uint32_t node
    uint32_t stamp         # the pass that filled it

cdef struct Trie:
    Slot *slots
    size_t capacity
    size_t mask            # of the part in use
    Node *nodes
    size_t room
    size_t count           # nodes in use; 0 is the root
    uint32_t stamp


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
        wanted = 65536           # the rest by growing, as far as n-grams really differ
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
    if trie.stamp == 0:          # stamps have gone round
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
    """Return the node of a key, made where it is missing; 0 where there is no memory."""
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


cdef int _count_text(Trie *trie, const int32_t *ids, int64_t size, int order, int reference) noexcept nogil:
    """Add the n-grams of the source (reference -1) or of a reference; return -1 where there is no memory."""
    cdef uint32_t[ORDERS] last      # the n-grams one token before
    cdef Node *nodes = trie.nodes   # moves when nodes are made
    cdef int64_t start
    cdef int n
    cdef uint32_t node, guess
    cdef uint64_t key
    memset(last, 0, sizeof(last))
    for start in range(size):
        node = 0
        for n in range(order if order < size - start else <int>(size - start)):
            key = (<uint64_t>node << 32) | <uint32_t>ids[start + n]
            guess = nodes[last[n]].next
            if nodes[guess].key == key:             # the root's key is none of these
                node = guess
            else:
                node = _insert(trie, key)
                nodes = trie.nodes
                if node == 0:
                    return -1
                if last[n]:
                    nodes[last[n]].next = node
            last[n] = node
            if reference < 0:
                nodes[node].sigma += 1
            else:
                nodes[node].rho[reference] += 1
    return 0


cdef void _count_output(
    Trie *trie, const int32_t *ids, int64_t size, int order, int references, int32_t stamp,
    int64_t *match, int64_t *penalty
) noexcept nogil:
    """Add to match and penalty, [references, order] each (or NULL), what an output has."""
    cdef uint32_t[ORDERS] last
    cdef Node *nodes = trie.nodes
    cdef Node *node
    cdef int64_t start
    cdef int n, r, limit
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
            if match != NULL:
                for r in range(references):
                    match[r * order + n] += eta <= node.rho[r]
            if penalty != NULL and eta <= node.sigma:
                for r in range(references):
                    penalty[r * order + n] += node.rho[r] == 0
            n += 1
        while n < order:                # what follows an n-gram that is not there is not known
            last[n] = 0
            n += 1


cdef struct Span:
    const int32_t *ids
    const int64_t *offsets


cdef inline int64_t _size(const Span *text, int64_t line) noexcept nogil:
    return text.offsets[line + 1] - text.offsets[line]


cdef int _count_line(
    Trie *trie, const Span *source, const Span *references, int block, const Span *systems, int n_systems,
    int64_t line, int order, int64_t *match, int64_t *penalty, int64_t at, int64_t stride
) noexcept nogil:
    """Count a line of all systems with a block of references, into place `at` + system * stride; -1 without memory."""
    cdef int number
    cdef size_t expected = 0 if source == NULL else _size(source, line)
    for number in range(block):
        expected += _size(&references[number], line)
    if _begin(trie, expected * order) < 0:
        return -1
    if source != NULL:
        if _count_text(trie, source.ids + source.offsets[line], _size(source, line), order, -1) < 0:
            return -1
    for number in range(block):
        if _count_text(
            trie, references[number].ids + references[number].offsets[line], _size(&references[number], line),
            order, number
        ) < 0:
            return -1
    for number in range(n_systems):
        _count_output(
            trie, systems[number].ids + systems[number].offsets[line], _size(&systems[number], line), order, block,
            number + 1, match + at if match != NULL else NULL, penalty + at if penalty != NULL else NULL
        )
        at += stride
    return 0


cdef int _overlap(
    const Span *source, const Span *references, int n_references, const Span *systems, int n_systems,
    int64_t lines, int order, int64_t *match, int64_t *penalty
) noexcept nogil:
    """Fill match and penalty, [systems, lines, references, order] each (or NULL); return -1 without memory."""
    cdef Trie trie
    cdef int64_t line
    cdef int first, block, failed = 0
    memset(&trie, 0, sizeof(Trie))
    for line in range(lines):
        first = 0
        while first < n_references and not failed:
            block = n_references - first if n_references - first < BLOCK else BLOCK
            failed = _count_line(
                &trie, source, references + first, block, systems, n_systems, line, order,
                match, penalty, (line * n_references + first) * order, lines * n_references * order
            )
            first += BLOCK
        if failed:
            break
    free(trie.slots)
    free(trie.nodes)
    return -1 if failed else 0


cdef void _span(Span *span, text) except *:
    """Point at the arrays of an Encoded (which the caller keeps)."""
    cdef const int32_t[::1] ids = text.ids
    cdef const int64_t[::1] offsets = text.offsets
    span.ids = &ids[0] if ids.shape[0] else NULL
    span.offsets = &offsets[0]


def overlap(source, references, systems, order, kinds):
    """Count the n-grams that outputs share with references and source; see overlap() in `_python.py`."""
    import numpy as np

    if not 1 <= order <= MAX_ORDER:
        raise ValueError(f"order: expected 1 to {MAX_ORDER}, found {order}")
    for kind in kinds:
        if kind not in KINDS:
            raise KeyError(kind)
    cdef int n_references = len(references), n_systems = len(systems), orders = order, number, failed
    cdef int64_t lines = len(references[0].offsets) - 1
    cdef Span *spans = <Span *>malloc((1 + n_references + n_systems) * sizeof(Span))
    cdef Span *origin = NULL
    cdef int64_t[:, :, :, ::1] view
    cdef int64_t *match = NULL
    cdef int64_t *penalty = NULL
    if spans == NULL:
        raise MemoryError
    assert MAX_ORDER <= ORDERS
    try:
        if source is not None:
            _span(&spans[0], source)
            origin = &spans[0]
        for number in range(n_references):
            _span(&spans[1 + number], references[number])
        for number in range(n_systems):
            _span(&spans[1 + n_references + number], systems[number])
        counts = {kind: np.zeros((n_systems, lines, n_references, orders), np.int64) for kind in kinds}
        for kind, array in counts.items():
            view = array
            if array.size and kind == "match":
                match = &view[0, 0, 0, 0]
            elif array.size:
                penalty = &view[0, 0, 0, 0]
        with nogil:
            failed = _overlap(
                origin, spans + 1, n_references, spans + 1 + n_references, n_systems, lines, orders, match, penalty
            )
        if failed:
            raise MemoryError
    finally:
        free(spans)
    return counts
