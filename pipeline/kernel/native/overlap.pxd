"""What `prepared.pyx` uses of `overlap.pyx`."""

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


cdef struct Kinds:
    # Where each kind of `common.py` is added up for a line of a system; NULL where it is not asked for. Kinds with each
    # reference have the shape [references, order], merged kinds [order].
    int64_t *match
    int64_t *penalty
    int64_t *source_only
    int64_t *common
    int64_t *source_match
    int64_t *union_match
    int64_t *new_match
    int64_t *gone_match
    int64_t *added_match
    int64_t *removed_match
    int64_t *added

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
    Kinds kinds             # for line 0 of system 0
    uint64_t *places        # for each id 0: room for `overlap_bits.h`; NULL where all lines are counted by the trie

cdef int _overlap(Trie *trie, const Job *job, bint single, bint merged) noexcept nogil
