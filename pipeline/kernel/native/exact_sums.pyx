# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums of floats without rounding, compiled: the twin of exact_sum() in `scoring/terms.py`."""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    DIGITS = 68              # of 32 bits, the lowest of which is worth 2**-1074, as is the smallest float
    LONGEST = 1 << 30        # numbers after which a digit could be too large for 64 bits
    LANES = 4                # sums of every fourth number, which do not wait for one another


cdef uint64_t LOW = 0xFFFFFFFF


cdef inline int _add(int64_t *digits, const double *value) noexcept nogil:
    """Add a number to the digits; return whether it is finite."""
    cdef uint64_t bits, mantissa, low
    cdef int64_t sign
    cdef int exponent, shift
    memcpy(&bits, value, 8)
    exponent = <int>(bits >> 52) & 0x7FF
    if exponent == 0x7FF:
        return 0
    mantissa = bits & (LOW << 20 | 0xFFFFF)
    if exponent:
        mantissa |= <uint64_t>1 << 52
        exponent -= 1
    sign = -<int64_t>(bits >> 63)             # (x ^ -1) + 1 is -x
    digits, shift = digits + (exponent >> 5), exponent & 31
    low = (mantissa & LOW) << shift
    mantissa = (mantissa >> 32 << shift) + (low >> 32)
    digits[0] += (<int64_t>(low & LOW) ^ sign) - sign
    digits[1] += (<int64_t>(mantissa & LOW) ^ sign) - sign
    digits[2] += (<int64_t>(mantissa >> 32) ^ sign) - sign
    return 1


def exact_sum(const double[::1] values):
    """Return a whole number, and the power of 2 that it is to be divided by: together the sum of finite numbers.

    Raises ValueError for infinity and NaN, and for very many numbers.
    """
    cdef int64_t digits[LANES][DIGITS]
    cdef int64_t i, place, low, high, size = values.shape[0]
    cdef int finite = 1
    if size > LONGEST:
        raise ValueError(f"values: expected at most {LONGEST}, found {size}")
    memset(digits, 0, sizeof(digits))
    with nogil:
        for i in range(size):
            finite &= _add(digits[i % LANES], &values[i])
    if not finite:
        raise ValueError("values: expected finite numbers")
    low, high = DIGITS, 0
    for place in range(DIGITS):
        for i in range(1, LANES):
            digits[0][place] += digits[i][place]
        if digits[0][place]:
            low, high = min(low, place), place
    total = 0
    for place in range(high, low - 1, -1):
        total = (total << 32) + digits[0][place]
    return total, 1074 - 32 * low
