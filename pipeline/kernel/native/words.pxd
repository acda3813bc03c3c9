"""What `prepared.pyx` uses of `words.pyx`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef struct Entry:
    uint64_t key               # the word itself if it has up to 8 bytes, else its hash
    uint32_t size              # 0 where the entry is free
    int32_t id

cdef struct Vocabulary:
    Entry *entries
    size_t mask
    int64_t count
    bint frozen                # words that are not in it all get the same id, `count`, and nothing but `line` changes
    int64_t *ends              # the end of each word in words
    int64_t ends_room
    uint8_t *words             # all words, one after the other
    int64_t words_room
    uint8_t *line              # the line at hand, lower-cased
    int64_t line_room

cdef int64_t _split(Vocabulary *known, bint google, const uint8_t *start, int64_t size, int32_t *ids) noexcept nogil
cdef object _words(Vocabulary *known, texts, bint google)
cdef int _open(Vocabulary *known, size_t size) except -1
cdef void _close(Vocabulary *known) noexcept
