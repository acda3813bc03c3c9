"""What `prepared.pyx` uses of `match.pyx`."""

from libc.stdint cimport int32_t, int64_t, uint64_t

cdef struct Slot:
    uint64_t key               # (number of the n-gram without its last word) << 32 | last word
    int32_t left               # how often the reference has it, less what the output at hand took
    int32_t number             # the number of the n-gram, above those of all words

cdef struct Text:
    const int32_t *ids
    const int64_t *offsets

cdef struct Table:
    int32_t *words             # for each id, how much is left of it, or of short references its last place; see _chain()
    int32_t first              # the lowest number of longer n-grams
    int32_t count
    Slot *slots
    size_t mask
    size_t room
    int32_t **taken            # the counts from which an output took
    int64_t taken_room
    int32_t *chains            # of short references, three numbers for each order and place; see _chain()
    int64_t chains_room
    const int32_t *output      # the tokens that are chained, where references are merged

cdef int _match(
    Table *table, const Text *references, int n_references, const Text *systems, int n_systems, int64_t lines,
    int order, int64_t *match
) noexcept nogil
