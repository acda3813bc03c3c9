from libc.stdint cimport int64_t, uint8_t

cdef int64_t _invalid(const uint8_t *start, const uint8_t *end) noexcept nogil
