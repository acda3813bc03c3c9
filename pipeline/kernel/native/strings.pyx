# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Strings joined to UTF-8, compiled: the twin of `python/encode.py`.

Strings are read where they are; of none a copy is made on the way.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcpy

from cpython.object cimport PyObject

cdef extern from "Python.h" nogil:
    bint PyUnicode_CheckExact(PyObject *text)
    int PyUnicode_KIND(PyObject *text)
    void *PyUnicode_DATA(PyObject *text)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject *text)
    bint PyUnicode_IS_ASCII(PyObject *text)
    uint32_t PyUnicode_READ(int kind, void *data, Py_ssize_t index)
    bint Py_UNICODE_ISSPACE(uint32_t code)
    PyObject *PyTuple_GET_ITEM(PyObject *items, Py_ssize_t index)

cdef extern from "Python.h":
    object PyBytes_FromStringAndSize(const char *data, Py_ssize_t size)
    char *PyBytes_AS_STRING(object data)

cdef extern from "utf8.h" nogil:
    int64_t gp_utf8_size(int kind, const void *data, int64_t size)
    uint8_t *gp_utf8_write(int kind, const void *data, int64_t size, uint8_t *to)

cdef object _numpy = None


cdef object _np():
    """Return numpy, which is not imported before it is needed."""
    global _numpy
    if _numpy is None:
        import numpy

        _numpy = numpy
    return _numpy


cdef bint _blank(PyObject *text) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(PyUnicode_GET_LENGTH(text)):
        if not Py_UNICODE_ISSPACE(PyUnicode_READ(PyUnicode_KIND(text), PyUnicode_DATA(text), i)):
            return False
    return True


cdef Py_ssize_t _measure(PyObject *strings, Py_ssize_t count, int64_t *edges, int64_t *blanks) noexcept nogil:
    """Write where each string begins and ends, and how many are blank; return one that is no text, or count."""
    cdef Py_ssize_t number
    cdef int64_t size
    cdef PyObject *text
    edges[0], blanks[0] = 0, 0
    for number in range(count):
        text = PyTuple_GET_ITEM(strings, number)
        size = PyUnicode_GET_LENGTH(text)
        blanks[0] += _blank(text)
        if not PyUnicode_IS_ASCII(text):
            size = gp_utf8_size(PyUnicode_KIND(text), PyUnicode_DATA(text), size)
            if size < 0:
                return number
        edges[number + 1] = edges[number] + size
    return count


cdef void _write(PyObject *strings, Py_ssize_t count, uint8_t *to) noexcept nogil:
    cdef Py_ssize_t number, size
    cdef PyObject *text
    for number in range(count):
        text = PyTuple_GET_ITEM(strings, number)
        size = PyUnicode_GET_LENGTH(text)
        if PyUnicode_IS_ASCII(text):
            memcpy(to, PyUnicode_DATA(text), size)
            to += size
        else:
            to = gp_utf8_write(PyUnicode_KIND(text), PyUnicode_DATA(text), size, to)


def joined(texts):
    """Return strings joined to UTF-8; see joined() in `python/encode.py`.

    Other threads run meanwhile: a tuple and its strings do not change.
    """
    cdef tuple strings = tuple(texts)
    cdef PyObject *items = <PyObject *>strings
    cdef Py_ssize_t count = len(strings), number
    for number in range(count):
        if not PyUnicode_CheckExact(PyTuple_GET_ITEM(items, number)):
            strings = tuple(map(str.__str__, strings))
            items = <PyObject *>strings
            break
    array = _np().empty(count + 1, "i8")
    cdef int64_t[::1] edges = array
    cdef int64_t *edge = &edges[0]
    cdef int64_t blank = 0
    with nogil:
        number = _measure(items, count, edge, &blank)
    if number < count:
        strings[number].encode()               # which raises UnicodeEncodeError
    data = PyBytes_FromStringAndSize(NULL, edge[count])
    cdef uint8_t *to = <uint8_t *>PyBytes_AS_STRING(data)
    with nogil:
        _write(items, count, to)
    blanks = [number + 1 for number in range(count) if _blank(PyTuple_GET_ITEM(items, number))] if blank else []
    return strings, data, array, blanks
