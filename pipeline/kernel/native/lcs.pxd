"""What `prepared.pyx` uses of `lcs.pyx`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef struct Text:
    const int32_t *ids
    const int64_t *offsets     # of sentences
    const int64_t *firsts      # of lines; NULL where each line is one sentence

cdef struct Job:
    Text *references
    Text *systems
    int n_references
    int n_systems
    int64_t lines
    uint64_t *masks            # for each id, a bit for each of its positions in the block; 0 between uses
    uint64_t *wide             # the same for 256 rows, four words for each id
    int32_t *left              # for each id, how often the output has it and no hit has used it; 0 between uses
    uint8_t *carry             # for each column, what the block before carries; as long as the longest sentence
    uint8_t *hit               # for each row, whether it is hit
    const double *powers       # or NULL
    Text *allowed              # [systems, references]: the tokens that may be hit; NULL: those of the outputs

cdef int64_t _length(Job *job, const int32_t *one, int64_t m, const int32_t *two, int64_t n) noexcept nogil
