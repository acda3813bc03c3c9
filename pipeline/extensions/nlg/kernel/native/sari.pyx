# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""What SARI counts, compiled: the twin of `python/sari.py`.

The n-grams of a line are nodes of the trie of `overlap.pyx` of the core, those of the source first. A node counts how often its
n-gram is in the source (sigma), in all references together (rho[0]) and in the output (rho[1]).
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

from ..counted_ngrams import SARI_COUNTS, SARI_ORDER, SARI_RATIOS, check_sari

from pipeline.kernel.native.overlap cimport Node, Text, Trie, _begin, _count_text, _point

cdef enum:
    ORDER = 4
    COUNTS = 13
    RATIOS = 3


cdef inline int64_t _less(int64_t one, int64_t two) noexcept nogil:
    return one if one < two else two


cdef void _sum(Trie *trie, uint8_t *orders, int64_t many, int64_t *counts, double *ratios) noexcept nogil:
    """Add up a line of a system, and empty rho[1] for the next one. `many` is the number of references."""
    cdef Node *node
    cdef size_t number
    cdef int64_t place, sigma, rho, eta, wanted, right, kept, gone, surplus
    orders[0] = 0
    for number in range(1, trie.count):
        node = &trie.nodes[number]
        orders[number] = orders[node.key >> 32] + 1
        place = orders[number] - 1
        sigma, rho, eta = node.sigma, node.rho[0], node.rho[1]
        node.rho[1] = 0
        if sigma == 0:
            counts[place] += eta > 0 and rho > 0
            counts[ORDER + place] += eta > 0
            counts[2 * ORDER + place] += rho > 0
            continue
        wanted = _less(many * sigma, rho)
        right = _less(many * eta, wanted)
        kept = _less(sigma, eta)
        gone = sigma - kept
        surplus = many * sigma - wanted
        counts[3 * ORDER + place] += right
        counts[4 * ORDER + place] += many * kept
        counts[5 * ORDER + place] += wanted
        counts[6 * ORDER + place] += _less(many * gone, surplus)
        counts[7 * ORDER + place] += many * gone
        counts[8 * ORDER + place] += surplus
        counts[9 * ORDER + place] += kept > 0
        counts[10 * ORDER + place] += wanted > 0
        counts[11 * ORDER + place] += gone > 0
        counts[12 * ORDER + place] += surplus > 0
        if many and kept:
            ratios[place] += <double>right / <double>(many * kept)
        if right:
            ratios[ORDER + place] += <double>right / <double>wanted
        if many and gone and many * gone > rho:
            ratios[2 * ORDER + place] += <double>(many * gone - rho) / <double>(many * gone)


cdef int _count_line(
    Trie *trie, uint8_t **orders, size_t *room, const Text *texts, int references, int systems, int64_t line,
    const uint8_t *there, int64_t lines, int64_t *counts, double *ratios
) noexcept nogil:
    """Count a line of all systems; return -1 where there is no memory."""
    cdef int64_t many = 0, size, expected = 0
    cdef int number
    cdef void *grown
    for number in range(1 + references):
        expected += texts[number].offsets[line + 1] - texts[number].offsets[line]
    if _begin(trie, expected * ORDER) < 0:
        return -1
    for number in range(1 + references + systems):
        if 0 < number <= references:
            if not there[number - 1]:
                continue
            many += 1
        size = texts[number].offsets[line + 1] - texts[number].offsets[line]
        if _count_text(
            trie, texts[number].ids + texts[number].offsets[line], size, ORDER,
            -1 if number == 0 else 0 if number <= references else 1
        ) < 0:
            return -1
        if number > references:
            if trie.count > room[0]:
                grown = realloc(orders[0], 2 * trie.count)
                if grown == NULL:
                    return -1
                orders[0], room[0] = <uint8_t *>grown, 2 * trie.count
            size = (number - 1 - references) * lines + line
            _sum(trie, orders[0], many, counts + size * COUNTS * ORDER, ratios + size * RATIOS * ORDER)
    return 0


def sari(source, references, systems, missing=None):
    """Count the n-grams that outputs add, keep and delete; see sari() in `python/sari.py`."""
    import numpy as np

    present = np.ascontiguousarray(check_sari(source, references, systems, missing), np.uint8)
    assert (SARI_ORDER, len(SARI_COUNTS), len(SARI_RATIOS)) == (ORDER, COUNTS, RATIOS)
    cdef int64_t lines = len(source.offsets) - 1, line
    cdef int n_references = len(references), n_systems = len(systems), number, failed = 0
    counts = np.zeros((n_systems, lines, COUNTS, ORDER), np.int64)
    ratios = np.zeros((n_systems, lines, RATIOS, ORDER))
    if not counts.size:
        return counts, ratios
    cdef const uint8_t[::1] there = present.reshape(-1)
    cdef int64_t[::1] whole = counts.reshape(-1)
    cdef double[::1] real = ratios.reshape(-1)
    cdef Trie trie
    cdef uint8_t *orders = NULL
    cdef size_t room = 0
    memset(&trie, 0, sizeof(Trie))
    cdef Text *texts = <Text *>malloc((1 + n_references + n_systems) * sizeof(Text))
    if texts == NULL:
        raise MemoryError
    try:
        for number, text in enumerate([source, *references, *systems]):
            _point(&texts[number], text)
        with nogil:
            for line in range(lines):
                failed = _count_line(
                    &trie, &orders, &room, texts, n_references, n_systems, line, &there[line * n_references], lines,
                    &whole[0], &real[0]
                )
                if failed:
                    break
        if failed:
            raise MemoryError
    finally:
        free(texts)
        free(orders)
        free(trie.slots)
        free(trie.nodes)
    return counts, ratios
