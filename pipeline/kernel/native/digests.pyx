# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Digests of several streams at once, compiled: each is that of hashlib.blake2b(digest_size=16), several times as fast.

BLAKE2b waits for itself: a processor can work at four streams in the time of one.
"""

from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport calloc, free

cdef extern from "blake2b.h" nogil:
    ctypedef struct gp_stream:
        pass
    ctypedef struct gp_digest:
        int bits
    const gp_digest *gp_digest_of(int bits)
    void gp_open_stream(gp_stream *stream, int digest_size)
    void gp_feed(const gp_digest *width, gp_stream **streams, const uint8_t **data, int64_t *sizes, int64_t count)
    void gp_finish(gp_stream *stream, uint8_t *digest, int digest_size)

cdef enum:
    SIZE = 16
    MOST = 64

WIDTHS = tuple(bits for bits in (64, 128, 256, 512) if gp_digest_of(bits) != NULL)
"""The widths of vectors that this processor has, in bits."""


cdef class Digests:
    """Digests of as many streams as `count` says. `bits` is one of WIDTHS; 0 is the widest."""

    cdef gp_stream *streams
    cdef int count
    cdef const gp_digest *width

    def __cinit__(self, int count, int bits=0):
        cdef int number
        if not 0 <= count <= MOST:
            raise ValueError(f"count: expected 0 to {MOST}, found {count}")
        self.width = gp_digest_of(bits or max(WIDTHS))
        if self.width == NULL:
            raise ValueError(f"bits: expected one of {WIDTHS}, found {bits}")
        self.count = count
        self.streams = <gp_stream *>calloc(count + 1, sizeof(gp_stream))
        if self.streams == NULL:
            raise MemoryError
        for number in range(count):
            gp_open_stream(&self.streams[number], SIZE)

    def __dealloc__(self):
        free(self.streams)

    def update(self, pieces):
        """Add the next bytes to streams: pieces is a list of as many bytes objects as there are streams."""
        cdef (gp_stream *)[MOST] streams
        cdef (const uint8_t *)[MOST] data
        cdef int64_t[MOST] sizes
        cdef const uint8_t[::1] view
        cdef int number
        cdef int64_t used = 0
        kept = list(pieces)
        if len(kept) != self.count:
            raise ValueError(f"pieces: expected {self.count}, found {len(kept)}")
        for number in range(self.count):
            view = kept[number]
            if view.shape[0]:
                streams[used], data[used], sizes[used] = &self.streams[number], &view[0], view.shape[0]
                used += 1
        with nogil:
            gp_feed(self.width, streams, data, sizes, used)

    def digest(self, int number):
        """Return the digest of a stream in hexadecimal digits; it takes no more bytes."""
        cdef uint8_t[SIZE] digest
        if not 0 <= number < self.count:
            raise IndexError(number)
        gp_finish(&self.streams[number], digest, SIZE)
        return (<bytes>digest[:SIZE]).hex()

    def begin(self, int number):
        """Make a stream empty, for other bytes."""
        if not 0 <= number < self.count:
            raise IndexError(number)
        gp_open_stream(&self.streams[number], SIZE)
