"""What `sums.pyx` uses of `formulas.pyx`."""

from libc.stdint cimport int64_t

cdef enum:
    ORDERS = 7                 # numpy adds more numbers than these in pairs

cdef object _np()
cdef int _log(np, array, double *values, int64_t size) except -1
cdef double _log_brevity(int64_t ref_len, int64_t hyp_len, bint inverted) noexcept nogil
cdef double _mean(const double *values, int64_t count) noexcept nogil
cdef bint _precisions(
    const int64_t *match, const int64_t *total, int64_t orders, const double *power, int smoothing, double value,
    double *precision
) noexcept nogil
cdef double _weighted(
    const double *weight, const int64_t *total, const double *logs, int64_t orders, int smoothing, double value,
    bint effective
) noexcept nogil
cdef double _log_penalty(int64_t ref_len, int64_t hyp_len, bint inverted) noexcept nogil
cdef int64_t _closest(const int64_t *lengths, int64_t count, int64_t length, bint first) noexcept nogil
