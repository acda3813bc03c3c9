"""What `prepared.pyx` and `scan.pyx` use of `encode.pyx`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef extern from "words.h" nogil:
    int64_t gp_fold_line(const uint8_t *source, int64_t size, bint google, uint8_t *target)

cdef extern from "spaces.h" nogil:
    enum:
        GP_WORDS_AT_ONCE
    ctypedef struct gp_bounds:
        const uint8_t *start
        int64_t size
    ctypedef struct gp_survey:
        const uint8_t *first
        const uint8_t *end
        const uint8_t *line
        int64_t before
        int64_t longest
        int64_t place
        uint8_t separator
        uint64_t high
        int64_t lines
        int64_t subwords
        int64_t nuls
        bint returns
        const uint8_t *next
        int64_t start
        int64_t grid
        int64_t *kept
        int64_t *numbers
        uint8_t *blank
    uint8_t gp_is_blank(const uint8_t *p, const uint8_t *end)
    bint gp_is_ascii(const uint8_t *start, const uint8_t *end)
    int64_t gp_find_words(
        const uint8_t *start, const uint8_t *end, const uint8_t *limit, int mask, gp_bounds *words,
        const uint8_t **rest, int *high
    )
    int64_t gp_count_code(const uint8_t *start, const uint8_t *end, uint8_t code)
    void gp_survey_bytes(const uint8_t *start, gp_survey *seen)
    int64_t gp_find_ends(const uint8_t *first, const uint8_t *end, uint8_t separator, int64_t *ends)

cdef enum Split:             # in the order of SPLITS
    WHITESPACE
    ASCII_WHITESPACE
    BLANK
    CHAR
    NONSPACE
    CHRF
    RECORD_FIELDS
    MTEVAL_13A
    MTEVAL_ZH
    MTEVAL_INTL

cdef enum Kind:              # as in `characters.py`; _NONE is beyond the line
    _OTHER
    _DIGIT
    _POINT
    _ALONE
    _DASH
    _SPACE
    _NONE

cdef struct Style:
    Split split
    const uint8_t *kinds     # of code points, for the mteval tokenisers
    Kind outside             # what their rules see before and after a line

cdef struct Entry:
    uint64_t first           # the first 8 bytes of a token of up to 11 bytes, or the hash of a longer one
    uint32_t second          # its other bytes, and its size as the highest byte; 255 is that of all longer ones
    int32_t id               # -1 where the entry is free

cdef struct Wanted:          # a token whose id is looked up a little later
    uint64_t first
    uint64_t hash            # its highest bits say at which entry the search begins
    uint32_t second

cdef struct Vocabulary:
    Entry *entries
    size_t mask
    int shift                # from a hash to the number of an entry
    gp_bounds *noted         # where a longer token is, by its id
    int64_t noted_room
    bint notes_all           # where every token is
    int64_t count
    bint frozen              # tokens that are not in it all get the same id, `count`, and nothing changes
    int32_t[128] ascii       # ids of single ASCII characters, for the splits into characters; -1 if not seen

cdef struct Output:
    Vocabulary *words
    int32_t *ids
    int64_t count
    const uint8_t *limit     # where the bytes end that may be read; they may go on behind the line
    int64_t n_waiting        # tokens that are found, and whose ids are looked up together
    gp_bounds[GP_WORDS_AT_ONCE] waiting

cdef int64_t _invalid(const uint8_t *start, const uint8_t *end) noexcept nogil
cdef int _look_up_waiting(Output *out) noexcept nogil
cdef int _split(Output *out, const Style *style, const uint8_t *start, const uint8_t *end) noexcept nogil
cdef int _open(Vocabulary *words, size_t size) except -1
cdef void _close(Vocabulary *words) noexcept
cdef object _style(Style *style, split)
cdef list _folded(texts, fold)
cdef list _encode_folded(Vocabulary *words, list folded)
cdef object _encode(Vocabulary *words, const Style *style, texts)
