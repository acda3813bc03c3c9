# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""N-gram overlap, compiled: the twin of overlap() in `python/overlap.py`.

Outputs of up to a few hundred tokens are counted as bits, one for each n-gram of the output: see `overlap.h`.

For longer ones, and for kinds that do not depend on the output, the n-grams of source and references become nodes of a
trie. A hash table leads from the node of the first n - 1 tokens and the last token to the node of an n-gram; it
compares keys, so collisions do no harm. Outputs add no nodes: where an n-gram has no node, no longer n-gram has one. A
node counts how often its n-gram is in the source (sigma), in each reference (rho) and so far in the output (eta). The
k-th occurrence in the output matches a reference if k <= rho. References are counted in blocks, so that memory does not
grow with their number. Outputs and references resemble the source, so an n-gram is mostly followed by the same one as
last time; this guess is tried first.
"""

import os

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from ..common import COUNTED, KINDS, MAX_ORDER, WITHOUT_OUTPUT, check_overlap

cdef extern from "hash.h" nogil:
    uint64_t gp_fold(uint64_t a, uint64_t b)

cdef extern from "overlap.h" nogil:
    enum:
        GP_MOST_WORDS
        GP_OF_S
        GP_OF_R
        GP_LESS_R
        GP_WITHOUT_S
        GP_WITHOUT_R
        GP_MORE
        GP_FEWER
    ctypedef struct gp_common:
        pass
    uint64_t gp_table(int formula)
    void gp_common_of(
        const uint64_t *places, const int32_t *ids, int64_t size, int order, int words, gp_common *common
    )
    void gp_unite(gp_common *all, const gp_common *one, int size)
    void gp_count(
        int formula, const gp_common *source, const gp_common *reference, int order, int words, int64_t *counts
    )
    bint gp_fits(
        const int32_t *ids, int64_t size, const int32_t *others, int64_t other_size, int order, int words
    )
    void gp_match(
        uint64_t *places, const int32_t *ids, int64_t size, const int32_t *others, int64_t other_size, int order,
        int64_t *counts
    )
    void gp_place(uint64_t *places, const int32_t *ids, int64_t size, int words)
    void gp_unplace(uint64_t *places, const int32_t *ids, int64_t size, int words)

cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little") | 1
cdef uint64_t MULTIPLIER = 0x9E3779B97F4A7C15
cdef enum:
    MANY = 5                     # for so many systems a trie, which they share, is sooner the faster way

def _formula(kind):
    """Return how a kind of `common.py` that depends on the output is counted; see gp_counted()."""
    if kind.within == "h":
        return GP_MORE if (kind.of, kind.less, kind.without) == ("r", "s", "") else GP_FEWER
    flags = (GP_OF_S if "s" in kind.of else 0) | (GP_OF_R if "r" in kind.of else 0)
    flags |= (GP_LESS_R if kind.less == "r" else 0)
    return flags | {"": 0, "s": GP_WITHOUT_S, "r": GP_WITHOUT_R}[kind.without]


FORMULAS = {name: _formula(kind) for name, kind in COUNTED.items() if name not in WITHOUT_OUTPUT}

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


cdef int _count_text(Trie *trie, const int32_t *ids, int64_t size, int order, int reference) noexcept nogil:
    """Add the n-grams of the source (reference -1) or of a reference; return -1 where there is no memory."""
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


cdef inline void _add(
    const Kind *kinds, int count, const Node *node, int32_t eta, int references, int order, int64_t place
) noexcept nogil:
    """Count the eta-th occurrence of an n-gram in an output, at `place` of the arrays."""
    cdef int r, k, flags
    cdef int32_t rho, sigma = node.sigma
    for r in range(references):
        rho = node.rho[r]
        flags = (eta <= sigma) | (sigma > 0) << 1 | (eta <= rho) << 2 | (rho > 0) << 3
        flags |= (eta <= rho - sigma) << 4 | (eta <= sigma - rho) << 5
        for k in range(count):
            kinds[k].counts[place + r * order] += kinds[k].table >> flags & 1


cdef void _count_output(
    Trie *trie, const int32_t *ids, int64_t size, int order, int32_t stamp, const Kind *kinds, int count,
    int references, int64_t place
) noexcept nogil:
    """Add the n-grams of an output to kinds, whose numbers for it begin at `place`."""
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
            _add(kinds, count, node, eta, references, order, place + n)
            n += 1
        while n < order:                # an n-gram without a node gives no guess for the next
            last[n] = 0
            n += 1


cdef inline int64_t _size(const Text *text, int64_t line) noexcept nogil:
    return text.offsets[line + 1] - text.offsets[line]


cdef inline const int32_t *_ids(const Text *text, int64_t line) noexcept nogil:
    return text.ids + text.offsets[line]


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
    return _count_text(trie, _ids(job.source, line), _size(job.source, line), job.order, -1)


cdef inline const Kind *_alone(const Job *job) noexcept nogil:
    """Return the kind that is counted where it is n-grams that an output shares with a reference, and nothing else is."""
    cdef const Kind *kind = NULL
    if job.source_match != NULL or job.added != NULL:
        return NULL
    if job.n_single == 1 and job.n_merged == 0:
        kind = &job.single[0]
    elif job.n_single == 0 and job.n_merged == 1 and job.n_references == 1:
        kind = &job.merged[0]
    return kind if kind != NULL and kind.formula == GP_OF_R else NULL


cdef int _words_of(const Job *job, int64_t line, int system) noexcept nogil:
    """Return how many words of bits an output takes; 0 where it is counted by the trie."""
    cdef int64_t size = _size(&job.systems[system], line), words = (size + 63) // 64 if size else 1
    cdef const Text *text
    cdef int r
    if words <= job.most_words:
        return <int>words
    if job.most_words == 0 or _alone(job) == NULL:
        return 0
    for r in range(job.n_references):
        text = &job.references[r]
        if not gp_fits(
            _ids(&job.systems[system], line), size, _ids(text, line), _size(text, line), job.order, job.most_words
        ):
            return 0
    return job.most_words


cdef void _count_bits(const Job *job, int64_t line, int64_t place, int system, int words) noexcept nogil:
    """Count an output as bits."""
    cdef gp_common source, reference, merged
    cdef const Text *text
    cdef const int32_t *ids = _ids(&job.systems[system], line)
    cdef int64_t size = _size(&job.systems[system], line), stride = job.lines * job.order, at
    cdef int r, k
    cdef const Kind *alone = _alone(job)
    if alone != NULL:
        for r in range(job.n_references):
            text = &job.references[r]
            at = (system * stride + place * job.order) * job.n_references + r * job.order
            gp_match(job.places, ids, size, _ids(text, line), _size(text, line), job.order, alone.counts + at)
        return
    memset(&source, 0, sizeof(gp_common))
    gp_place(job.places, ids, size, words)
    if job.source != NULL:
        gp_common_of(job.places, _ids(job.source, line), _size(job.source, line), job.order, words, &source)
    for r in range(job.n_references):
        text = &job.references[r]
        gp_common_of(job.places, _ids(text, line), _size(text, line), job.order, words, &reference)
        at = (system * stride + place * job.order) * job.n_references + r * job.order
        for k in range(job.n_single):
            gp_count(job.single[k].formula, &source, &reference, job.order, words, job.single[k].counts + at)
        if r == 0:
            memcpy(&merged, &reference, sizeof(gp_common))
        elif job.n_merged:
            gp_unite(&merged, &reference, job.order * words)
    at = system * stride + place * job.order
    for k in range(job.n_merged):
        gp_count(job.merged[k].formula, &source, &merged, job.order, words, job.merged[k].counts + at)
    gp_unplace(job.places, ids, size, words)


cdef int _count_block(Trie *trie, const Job *job, int64_t line, int64_t place, int first) noexcept nogil:
    """Count a line of all systems with the references of a block; return -1 where there is no memory."""
    cdef int last = first + BLOCK if first + BLOCK < job.n_references else job.n_references
    cdef int number, s
    cdef int64_t at = (place * job.n_references + first) * job.order     # position in the arrays of a system
    cdef int64_t stride = job.lines * job.n_references * job.order       # from system to system
    cdef Kind shared
    if _start_line(trie, job, line, first, last) < 0:
        return -1
    for number in range(first, last):
        if _count_text(
            trie, _ids(&job.references[number], line), _size(&job.references[number], line), job.order, number - first
        ) < 0:
            return -1
    if job.source_match != NULL and job.source != NULL:   # what the source matches as an output
        shared.table, shared.counts = gp_table(GP_OF_R), job.source_match
        _count_output(
            trie, _ids(job.source, line), _size(job.source, line), job.order, -1, &shared, 1, last - first, at
        )
        for s in range(1, job.n_systems):
            memcpy(shared.counts + at + s * stride, shared.counts + at, (last - first) * job.order * sizeof(int64_t))
    for s in range(job.n_systems):
        if not _words_of(job, line, s):
            _count_output(
                trie, _ids(&job.systems[s], line), _size(&job.systems[s], line), job.order, s + 1, job.single,
                job.n_single, last - first, at + s * stride
            )
    return 0


cdef int _count_merged(Trie *trie, const Job *job, int64_t line, int64_t place) noexcept nogil:
    """Count a line of all systems with all references merged; return -1 where there is no memory."""
    cdef int number, s
    cdef int64_t at = place * job.order, stride = job.lines * job.order
    if _start_line(trie, job, line, 0, job.n_references) < 0:
        return -1
    for number in range(job.n_references):
        if _merge_text(
            trie, _ids(&job.references[number], line), _size(&job.references[number], line), job.order, -1 - number,
            job.added + at if job.added != NULL else NULL
        ) < 0:
            return -1
    for s in range(job.n_systems):
        if job.added != NULL and s > 0:
            memcpy(job.added + at + s * stride, job.added + at, job.order * sizeof(int64_t))
        if not _words_of(job, line, s):
            _count_output(
                trie, _ids(&job.systems[s], line), _size(&job.systems[s], line), job.order, s + 1, job.merged,
                job.n_merged, 1, at + s * stride
            )
    return 0


cdef int _count_line(Trie *trie, const Job *job, int64_t line, int64_t place) noexcept nogil:
    """Count a line, whose numbers are those of line `place` in the arrays; return -1 where there is no memory."""
    cdef int s, words, first = 0
    cdef bint rest = False
    for s in range(job.n_systems):
        words = _words_of(job, line, s)
        if words:
            _count_bits(job, line, place, s, words)
        else:
            rest = True
    while (rest and job.n_single or job.source_match != NULL) and first < job.n_references:
        if _count_block(trie, job, line, place, first) < 0:
            return -1
        first += BLOCK
    if rest and job.n_merged or job.added != NULL:
        return _count_merged(trie, job, line, place)
    return 0


cdef void _point(Text *target, text) except *:
    """Point at the arrays of an Encoded, which the caller keeps alive."""
    cdef const int32_t[::1] ids = text.ids
    cdef const int64_t[::1] offsets = text.offsets
    target.ids = &ids[0] if ids.shape[0] else NULL
    target.offsets = &offsets[0]


cdef int _ask(Job *job, kind, int64_t *first) except -1:
    """Have a kind counted, and written from `first` on; most_words becomes 0 where it cannot be counted as bits."""
    cdef int formula
    cdef Kind asked
    if kind == "source_match":
        job.source_match = first
    elif kind == "added":
        job.added = first
    else:
        formula = FORMULAS[kind]
        if formula & (GP_MORE | GP_FEWER):
            job.most_words = 0     # bits do not say how often another text has an n-gram
        asked.formula, asked.table, asked.counts = formula, gp_table(formula), first
        if kind in KINDS:
            job.single[job.n_single] = asked
            job.n_single += 1
        else:
            job.merged[job.n_merged] = asked
            job.n_merged += 1
    return 0


cdef uint64_t *_places(texts, systems, int *most_words) except? NULL:
    """Return a 0 for each id of texts and word of bits that outputs of the systems take.

    Lower most_words to the words that are needed, or to 0, and return NULL, where ids are so high that this would take
    much more memory than they.
    """
    import numpy as np

    cdef int64_t longest = max([int(np.diff(text.offsets).max(initial=1)) for text in systems], default=1)
    cdef int words = min(most_words[0], (longest + 63) // 64)
    cdef size_t ids = max(int(text.ids.max(initial=0)) for text in texts) + 1
    most_words[0] = 0
    if words == 0 or ids > 1024 + <size_t>sum(len(text.ids) for text in texts):
        return NULL
    cdef uint64_t *places = <uint64_t *>calloc(ids * words, sizeof(uint64_t))
    if places == NULL:
        raise MemoryError
    most_words[0] = words
    return places


def overlap(source, references, systems, order, kinds):
    """Count the n-grams that outputs share with references and source; see overlap() in `python/overlap.py`."""
    import numpy as np

    check_overlap(source, references, systems, order, kinds)
    assert MAX_ORDER <= ORDERS
    cdef Job job
    cdef Trie trie
    cdef int number, failed = 0
    cdef int64_t line
    cdef int64_t[::1] flat
    memset(&trie, 0, sizeof(Trie))
    memset(&job, 0, sizeof(Job))
    job.n_references, job.n_systems, job.order = len(references), len(systems), order
    job.lines = len(references[0].offsets) - 1
    both, one = (len(systems), job.lines, len(references), order), (len(systems), job.lines, order)
    counts = {kind: np.zeros(both if kind in KINDS else one, np.int64) for kind in kinds}
    job.most_words = GP_MOST_WORDS if len(systems) < MANY else 2
    for kind, array in counts.items():
        if array.size:
            flat = array.reshape(-1)
            _ask(&job, kind, &flat[0])
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
        job.places = _places([*([] if source is None else [source]), *references, *systems], systems, &job.most_words)
        with nogil:
            for line in range(job.lines):
                failed = _count_line(&trie, &job, line, line)
                if failed:
                    break
        if failed:
            raise MemoryError
    finally:
        free(texts)
        free(job.places)
        free(trie.slots)
        free(trie.nodes)
    return counts
