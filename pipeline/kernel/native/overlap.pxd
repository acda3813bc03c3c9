"""What `prepared.pyx`, and the kernel of SARI in the extension nlg, use of `overlap.pyx`."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef enum:
    BLOCK = 4              # references in a block
    ORDERS = 16            # the highest order for which there is room

cdef struct Node:
    uint64_t key           # (node of the first n - 1 tokens) << 32 | last token
    int32_t sigma          # count in the source
    int32_t eta            # count in the output so far
    int32_t stamp          # the output that eta counts
    uint32_t next          # the n-gram of the same order one token later, when last seen; 0 if none
    int32_t[BLOCK] rho     # counts in the references of the block

cdef struct Slot:
    uint64_t key
    uint32_t node
    uint32_t stamp         # the pass that filled it

cdef struct Trie:
    Slot *slots
    size_t capacity
    size_t mask            # for the part in use
    Node *nodes
    size_t room
    size_t count           # nodes in use; 0 is the root
    uint32_t stamp


cdef struct Kind:
    int formula            # see gp_counted()
    uint64_t table         # see gp_table()
    int64_t *counts        # for line 0 of system 0. Kinds with each reference have the shape [references, order] for a
                           # line, merged kinds [order]

cdef struct Text:
    const int32_t *ids
    const int64_t *offsets

cdef struct Job:
    const Text *source      # or NULL
    const Text *references
    const Text *systems
    int n_references
    int n_systems
    int64_t lines
    int order
    Kind[4] single          # those that depend on the output
    int n_single
    Kind[5] merged
    int n_merged
    int64_t *source_match   # these two do not depend on it; NULL where they are not asked for
    int64_t *added
    uint64_t *places        # for each id and word of bits a 0, which is room for `overlap.h`
    int most_words          # of bits that an output takes which is counted as bits; 0: all are counted by the trie

cdef void _point(Text *target, text) except *
cdef int _begin(Trie *trie, size_t expected) noexcept nogil
cdef int _count_text(Trie *trie, const int32_t *ids, int64_t size, int order, int reference) noexcept nogil
cdef int _count_line(Trie *trie, const Job *job, int64_t line, int64_t place) noexcept nogil
cdef int _ask(Job *job, kind, int64_t *first) except -1
