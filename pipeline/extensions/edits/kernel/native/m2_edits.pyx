# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sentences of M2 files and what is made of them, compiled: as Sentences in `m2_format.py`."""

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.ref cimport Py_DECREF, PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdio cimport sprintf
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy

from pipeline.kernel.native.encode cimport _invalid, gp_count_code

cdef extern from "Python.h":
    PyObject *PyBytes_FromStringAndSize(const char *text, Py_ssize_t size) except NULL
    int _PyBytes_Resize(PyObject **text, Py_ssize_t size) except -1

cdef extern from "white_space.h":
    int gp_white_space(const uint8_t *p, const uint8_t *end) nogil

DEF MOST = 1000  # edits of a sentence
DEF ANNOTATORS = 255  # their numbers are below
DEF LONGEST = 1 << 28  # bytes of a line
DEF SLOTS = 1 << 10  # of types of edits, by their sums

ctypedef const uint8_t *Bytes
ctypedef const int64_t *Places

cdef struct Edit:
    Bytes line, line_end
    Bytes type, type_end
    Bytes text, text_end  # of the first alternative
    int32_t start, end, annotator
    int32_t times  # how often its type is counted here
    bint kept  # it is applied to the text

cdef struct Sentence:
    Bytes text, end
    int64_t line
    int64_t first, last  # its edits
    int32_t tokens

cdef struct Told:
    int64_t deleted, empty, several, alternative, misfits
    int64_t[4] misfit
    bint odd

cdef struct Gold:
    int32_t *starts
    int32_t *ends
    int64_t *alternatives
    int64_t *stops
    uint8_t *text
    int64_t edits, corrections, size  # how many of each there are

cdef struct Part:
    Sentence *sentences
    Edit *edits
    int32_t *sorted  # the edits of each sentence by annotator and span
    int64_t count, size  # of sentences and edits
    int64_t most  # annotators of a sentence
    Edit *known[SLOTS]  # the last of each type
    Told told

cdef bytes NOOP = b"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"


cdef enum:
    SOURCE, CORRECTED, OUTPUT, RECORDS


cdef class M2Sentences:
    """The sentences of an M2 file, or of a part of it, and a summary of their edits: see EditSummary in `m2_files.py`."""

    cdef bytes data
    cdef Part part
    cdef readonly bint plain
    """Whether all lines are written as most are, and nothing has to be told. If not, nothing else here means anything."""
    cdef readonly dict types
    """How often each type of edits, as bytes, occurs."""
    cdef public object missing

    def __init__(self, bytes data, int64_t line, bint strict):
        """Read lines from a number on. If `strict`, they are not plain where edits are left out of texts."""
        cdef Bytes p = <Bytes>PyBytes_AS_STRING(data)
        cdef Bytes end = p + len(data)
        cdef int64_t i, lines = gp_count_code(p, end, c"\n") + 1
        cdef Edit *edit
        self.data, self.types, self.part.most = data, {}, 1
        self.part.sentences = <Sentence *>malloc(lines * sizeof(Sentence))
        self.part.edits = <Edit *>malloc(lines * sizeof(Edit))
        self.part.sorted = <int32_t *>malloc(lines * sizeof(int32_t))
        if self.part.sentences == NULL or self.part.edits == NULL or self.part.sorted == NULL:
            raise MemoryError
        with nogil:
            self.plain = not _breaks(p, end) and _invalid(p, end) < 0 and _read(p, end, line, strict, &self.part)
            if self.plain:
                _count_types(&self.part)
        for i in range(self.part.size if self.plain else 0):
            edit = &self.part.edits[i]
            if edit.times:
                key = edit.type[:edit.type_end - edit.type]
                self.types[key] = self.types.get(key, 0) + edit.times

    def __dealloc__(self):
        free(self.part.sentences)
        free(self.part.edits)
        free(self.part.sorted)

    @property
    def odd(self):
        """Whether m2scorer may read some of it otherwise."""
        return bool(self.part.told.odd)

    @property
    def sentences(self):
        """How many there are."""
        return self.part.count

    @property
    def most(self):
        """The most annotators of a sentence, and at least 1."""
        return self.part.most

    @property
    def empty(self):
        """How many corrections are -NONE-, and how many are empty."""
        return self.part.told.deleted, self.part.told.empty

    @property
    def alternatives(self):
        """How many corrections have alternatives, and the line of the first."""
        return self.part.told.several, self.part.told.alternative

    @property
    def misfits(self):
        """How many edits do not fit; of the first the line, the span and the tokens of the sentence."""
        cdef int64_t *first = self.part.told.misfit
        return self.part.told.misfits, first[0], first[1], first[2], first[3]

    def absent(self, bint bare):
        """Return Absent of all sentences if `bare`, where annotator 0 has those without lines, else of those with some."""
        cdef int64_t i, j, count, line
        cdef int32_t annotator
        cdef Sentence *own
        cdef bint[ANNOTATORS] known = [False] * ANNOTATORS
        for i in range(self.part.count):
            own = &self.part.sentences[i]
            for j in range(own.first, own.last):
                known[self.part.edits[j].annotator] = True
            known[0] = known[0] or bare and own.first == own.last
        of = {}
        for annotator in range(-1, ANNOTATORS):
            if annotator >= 0 and not known[annotator]:
                continue
            count = line = 0
            for i in range(self.part.count):
                own, j = &self.part.sentences[i], self.part.sentences[i].first
                while j < own.last and self.part.edits[j].annotator != annotator:
                    j += 1
                if j == own.last and (annotator or own.first < own.last if bare else own.first < own.last):
                    count, line = count + 1, line or own.line
            of[annotator] = count, line
        return of

    def texts(self, str kind, int32_t annotator):
        """Return the texts of a kind of Key in `extensions/edits/m2_format.py`, each with the byte 0xFF behind it."""
        cdef int64_t i, first, last
        cdef Sentence *own
        cdef Part *part = &self.part
        cdef Bytes noop = <Bytes>PyBytes_AS_STRING(NOOP)
        cdef int of = {"source": SOURCE, "corrected": CORRECTED, "output": OUTPUT}.get(kind, RECORDS)
        cdef int absent = ("first", "source", "none").index(self.missing)
        cdef int32_t whose
        cdef PyObject *made = PyBytes_FromStringAndSize(NULL, len(self.data) + (part.count + part.size) * 64 + 64)
        cdef uint8_t *begin = <uint8_t *>PyBytes_AS_STRING(<bytes>made)
        cdef uint8_t *to = begin
        with nogil:
            for i in range(part.count):
                own = &part.sentences[i]
                if of == RECORDS:
                    to = _records(to, part, own, annotator, noop)
                    continue
                whose, first = annotator, own.first
                if of == OUTPUT and own.first < own.last:
                    whose = part.edits[own.first].annotator
                while first < own.last and part.edits[part.sorted[first]].annotator != whose:
                    first += 1
                if of == CORRECTED and first == own.last > own.first:  # the annotator has no line
                    if absent == 2:
                        to[0] = 0xFF
                        to += 1
                        continue
                    if absent == 0:
                        first, whose = own.first, part.edits[part.sorted[own.first]].annotator
                last = first
                while of != SOURCE and last < own.last and part.edits[part.sorted[last]].annotator == whose:
                    last += 1
                to = _corrected(to, part, own, first, last)
        _PyBytes_Resize(&made, to - begin)
        texts = <bytes>made
        Py_DECREF(texts)
        return texts


cdef inline Bytes _blank(Bytes p, Bytes end) noexcept nogil:
    """Return where the white space at p ends."""
    cdef int size
    while p < end:
        size = gp_white_space(p, end)
        if not size:
            break
        p += size
    return p


cdef inline Bytes _word(Bytes p, Bytes end) noexcept nogil:
    """Return where the word at p ends."""
    while p < end and (p[0] > 32 and p[0] < 0xC2 or not gp_white_space(p, end)):
        p += 1
    return p


cdef Bytes _bars(Bytes p, Bytes end, int number) noexcept nogil:
    """Return where so many bars stand next, or the end."""
    while end - p >= number:
        p = <Bytes>memchr(p, c"|", end - p)
        if p == NULL or end - p < number:
            return end
        if p[1] == c"|" and (number == 2 or p[2] == c"|"):
            return p
        p += 1
    return end


cdef inline Bytes _number(Bytes p, Bytes end, int32_t *value) noexcept nogil:
    """Read a number of at most nine digits; return where it ends, NULL where there is none."""
    cdef bint minus = p < end and p[0] == c"-"
    cdef Bytes first = p + minus
    value[0] = 0
    p = first
    while p < end and p - first < 10 and c"0" <= p[0] <= c"9":
        value[0] = 10 * value[0] + p[0] - c"0" if p - first < 9 else 0
        p += 1
    if minus:
        value[0] = -value[0]
    return p if 1 <= p - first <= 9 else NULL


cdef Bytes _trimmed(Bytes first, Bytes end) noexcept nogil:
    """Return where a text ends without the white space at its end, of which each sign has one to three bytes."""
    cdef int size = 1
    while size <= 3 and end > first:
        if end - first >= size and gp_white_space(end - size, end) == size:
            end, size = end - size, 0
        size += 1
    return end


cdef bint _fields(Bytes p, Bytes end, Bytes *fields, Bytes *ends, int32_t *start, int32_t *stop) noexcept nogil:
    """Find the six fields of an edit, and read its span; return whether they are written as most are."""
    cdef int number
    for number in range(6):
        fields[number], ends[number] = p, _bars(p, end, 3)
        if (ends[number] == end) != (number == 5):
            return False
        p = ends[number] + 3
    p = _number(fields[0], ends[0], start)
    return p != NULL and p[0] == c" " and _number(p + 1, ends[0], stop) == ends[0]


cdef bint _read_edit(Bytes p, Bytes end, int64_t line, int32_t tokens, Edit *edit, Told *told) noexcept nogil:
    """Read a line that begins with A; return whether it is written as most are."""
    cdef Bytes[6] fields
    cdef Bytes[6] ends
    cdef Bytes first, last, name
    cdef int number
    cdef bint noop
    edit.line, edit.line_end = p, end
    if not _fields(p + 2, end, fields, ends, &edit.start, &edit.end):
        return False
    if fields[5][0] == c"-" or _number(fields[5], end, &edit.annotator) != end or edit.annotator >= ANNOTATORS:
        return False
    name, last = fields[1], ends[1]
    noop = last - name == 4 and memcmp(name, b"noop", 4) == 0
    for number in range(<int>(last - name) - 3 if not noop else 0):  # noop in other letters, or with blanks
        if name[number] | 32 == c"n" and name[number + 1] | 32 == c"o" and name[number + 3] | 32 == c"p":
            return False
    if last - name >= 6 and memcmp(name, b"error ", 6) == 0:  # as those of XML
        return False
    edit.type, edit.type_end = name, last
    told.odd = told.odd or (edit.start != -1 or edit.end != -1 if noop else edit.start == -1)
    first, last = fields[2], ends[2]
    if not noop and (first == last or last - first == 6 and memcmp(first, b"-NONE-", 6) == 0):
        told.empty += first == last
        told.deleted += first != last
    elif _bars(first, last, 2) != last:
        told.several += 1
        told.alternative = told.alternative or line
    if not noop and edit.start != -1 and not 0 <= edit.start <= edit.end <= tokens:
        if not told.misfits:
            told.misfit[0], told.misfit[1], told.misfit[2], told.misfit[3] = line, edit.start, edit.end, tokens
        told.misfits += 1
    first, last = _blank(first, last), _bars(first, last, 2)
    last = _trimmed(first, last)
    if last < first or last - first == 6 and memcmp(first, b"-NONE-", 6) == 0:
        last = first
    edit.text, edit.text_end, edit.kept = first, last, not noop
    return True


cdef inline bint _before(Edit *one, Edit *two) noexcept nogil:
    """Return whether an edit comes before another that stands behind it in the file."""
    if one.annotator != two.annotator:
        return one.annotator < two.annotator
    return one.start < two.start or one.start == two.start and one.end <= two.end


cdef bint _fit(Part *part, Sentence *own, bint strict) noexcept nogil:
    """Sort the edits of a sentence, and say which are applied; return whether nothing has to be told."""
    cdef int64_t i, j, annotators = 0
    cdef int32_t one, behind = 0
    cdef Edit *edit
    cdef Edit *other
    cdef bint kept = False, noops = True, left_out = False
    for i in range(own.first, own.last):
        edit, j = &part.edits[i], i
        while j > own.first:
            other = &part.edits[part.sorted[j - 1]]
            if _before(other, edit):
                break
            part.sorted[j] = part.sorted[j - 1]
            j -= 1
        part.sorted[j] = <int32_t>i
    for i in range(own.first, own.last):
        edit = &part.edits[part.sorted[i]]
        if i == own.first or part.edits[part.sorted[i - 1]].annotator != edit.annotator:
            behind, kept, noops, left_out = 0, False, True, False
            annotators += 1
            part.most = max(part.most, annotators)
        noops = noops and not edit.kept
        edit.kept = edit.kept and behind <= edit.start <= edit.end <= own.tokens
        if edit.kept:
            behind, kept = edit.end, True
        left_out = left_out or not edit.kept
        if strict and left_out and (kept or not noops):
            return False
    return True


cdef bint _breaks(Bytes p, Bytes end) noexcept nogil:
    """Return whether there is one of BREAKS in `m2_texts.py`. A NUL follows at the end."""
    while p < end and not (
        p[0] < 32 and (11 <= p[0] <= 13 or 28 <= p[0] <= 30) or p[0] == 0xC2 and p[1] == 0x85
        or p[0] == 0xE2 and p[1] == 0x80 and (p[2] == 0xA8 or p[2] == 0xA9)
    ):
        p += 1
    return p < end


cdef bint _read(Bytes p, Bytes end, int64_t line, bint strict, Part *part) noexcept nogil:
    """Read the sentences of some lines; return whether all of them are written as most are."""
    cdef Bytes stop, at
    cdef Sentence *own = NULL
    cdef bint inside = False
    while p < end:
        stop = <Bytes>memchr(p, c"\n", end - p)
        stop = end if stop == NULL else stop
        if stop - p >= LONGEST:
            return False
        if stop - p >= 2 and p[0] == c"S" and p[1] == c" ":
            if own != NULL and not _fit(part, own, strict):
                return False
            own = &part.sentences[part.count]
            part.count += 1
            part.told.odd = part.told.odd or inside
            own.text, own.end, own.line, own.first, own.last = p + 2, stop, line, part.size, part.size
            own.tokens, at, inside = 0, _blank(p + 2, stop), True
            while at < stop:
                own.tokens += 1
                at = _blank(_word(at, stop), stop)
        elif stop - p >= 2 and p[0] == c"A" and p[1] == c" " and inside and own.last - own.first < MOST:
            if not _read_edit(p, stop, line, own.tokens, &part.edits[part.size], &part.told):
                return False
            part.size += 1
            own.last += 1
        elif stop == p:
            inside = False
        elif stop - p >= 2 and p[0] == c"I" and p[1] == c" " and inside:
            part.told.odd = True
        else:
            return False
        p = stop + 1
        line += 1
    return own == NULL or _fit(part, own, strict)


cdef void _count_types(Part *part) noexcept nogil:
    """Count types at the edits that have them first, or again where another type has taken the slot."""
    cdef int64_t i
    cdef Bytes p
    cdef uint32_t slot
    cdef Edit *one
    cdef Edit *other
    for i in range(part.size):
        one, slot, p = &part.edits[i], 0, part.edits[i].type
        while p < one.type_end:
            slot = slot * 31 + p[0]
            p += 1
        other = part.known[slot % SLOTS]
        if other == NULL or other.type_end - other.type != p - one.type or memcmp(one.type, other.type, p - one.type):
            other = part.known[slot % SLOTS] = one
        one.times = 0
        other.times += 1


cdef inline uint8_t *_put(uint8_t *to, Bytes p, Bytes end) noexcept nogil:
    memcpy(to, p, end - p)
    return to + (end - p)


cdef uint8_t *_corrected(uint8_t *to, Part *part, Sentence *own, int64_t first, int64_t last) noexcept nogil:
    """Write a sentence as the sorted edits of some places make it."""
    cdef Bytes at = _blank(own.text, own.end), stop
    cdef uint8_t *begin = to
    cdef int32_t token = 0
    cdef int64_t i
    cdef Edit *edit
    for i in range(first, last + 1):
        edit = &part.edits[part.sorted[i]] if i < last else NULL
        if edit != NULL and not edit.kept:
            continue
        while at < own.end and (edit == NULL or token < edit.end):
            stop = _word(at, own.end)
            if edit == NULL or token < edit.start:
                to = _put(to, at, stop)
                to[0] = c" "
                to += 1
            at = _blank(stop, own.end)
            token += 1
        if edit != NULL and edit.text != edit.text_end:
            to = _put(to, edit.text, edit.text_end)
            to[0] = c" "
            to += 1
    to -= to > begin  # the last blank
    to[0] = 0xFF
    return to + 1


cdef uint8_t *_records(uint8_t *to, Part *part, Sentence *own, int32_t annotator, Bytes noop) noexcept nogil:
    """Write the lines of an annotator, of all where that is -1. A sentence without lines has a noop of annotator 0."""
    cdef int64_t i, j
    cdef int order = 0
    cdef int32_t[3] head
    cdef bint has = False
    for i in range(own.first, own.last):
        if annotator >= 0 and part.edits[i].annotator != annotator:
            j = own.first
            while part.edits[j].annotator != part.edits[i].annotator:
                j += 1
            order += not has and j == i
            continue
        if annotator >= 0 and not has:
            to += sprintf(<char *>to, "%d %d 0\n", order, annotator)
        has = True
        to = _put(to, part.edits[i].line, part.edits[i].line_end)
        to[0] = c"\n"
        to += 1
    if own.first == own.last and annotator <= 0:
        to += sprintf(<char *>to, "%s%s\n", b"0 0 0\n" if annotator == 0 else b"", <const char *>noop)
        has = True
    to -= has
    to[0] = 0xFF
    return to + 1


def gold_records(source, records):
    """Return GoldRecords, as gold_records() in `gold_records.py`; None where a record is written otherwise."""
    import numpy as np

    from pipeline.kernel.common import Lines
    from ..gold_edits import GoldEdits, GoldRecords

    cdef int64_t lines = len(source.starts), i, cell = 0
    cdef int number, annotators = len(records)
    cdef Bytes[256] data
    cdef Places[256] begins
    cdef Places[256] closes
    cdef const int64_t[::1] view
    cdef int64_t size = sum([int((own.ends - own.starts).sum()) for own in records]), most = size // 2 + 2
    cdef int64_t[:, ::1] heads = np.full((lines * annotators + 1, 2), -1, np.int64)
    cdef int64_t[::1] firsts = np.zeros(lines * annotators + 1, np.int64)
    cdef int32_t[:, ::1] spans = np.empty((2, most), np.int32)
    cdef int64_t[:, ::1] places = np.empty((2, most), np.int64)
    cdef uint8_t[::1] text = np.empty(size + 1, np.uint8)
    cdef Gold gold = Gold(&spans[0, 0], &spans[1, 0], &places[0, 0], &places[1, 0], &text[0], 0, 0, 0)
    cdef bint plain = lines > 0 and annotators < 256 and all([len(own.starts) == lines for own in records])
    cdef int32_t tokens
    cdef Bytes at, end
    for number, own in enumerate([source, *records] if plain else []):
        data[number] = <Bytes>PyBytes_AS_STRING(own.data)
        view = own.starts
        begins[number] = &view[0]
        view = own.ends
        closes[number] = &view[0]
    with nogil:
        for i in range(lines if plain else 0):
            end, tokens = data[0] + closes[0][i], 0
            at = _blank(data[0] + begins[0][i], end)
            while at < end:
                tokens += 1
                at = _blank(_word(at, end), end)
            for number in range(1, annotators + 1):
                at, end = data[number] + begins[number][i], data[number] + closes[number][i]
                plain = plain and _record(at, end, tokens, &heads[cell, 0], &gold)
                cell += 1
                firsts[cell] = gold.edits
    if not plain:
        return None
    gold.alternatives[gold.edits] = gold.corrections
    own, other = np.asarray(spans)[:, : gold.edits], np.asarray(places)
    heads_of = np.asarray(heads)[: lines * annotators].reshape(lines, annotators, 2)
    stops = other[1, : gold.corrections].copy()
    starts = np.zeros(len(stops), np.int64)
    starts[1:] = stops[: max(gold.corrections - 1, 0)]
    texts = Lines(np.asarray(text)[: gold.size].tobytes(), starts, stops)
    places_of = other[0, : gold.edits + 1].copy()
    return GoldRecords(heads_of, GoldEdits(np.asarray(firsts), own[0].copy(), own[1].copy(), places_of, texts))


cdef bint _record(Bytes p, Bytes end, int32_t tokens, int64_t *head, Gold *gold) noexcept nogil:
    """Add the edits of a record; return whether it is written as most are."""
    cdef Bytes[6] fields
    cdef Bytes[6] ends
    cdef Bytes stop, bars, first
    cdef int32_t[3] numbers
    cdef int32_t begin, close
    cdef int number
    if p == end:
        return True
    for number in range(3):
        p = _number(p, end, &numbers[number])
        if p == NULL or (p[0] != c" " if number < 2 else p < end and p[0] != c"\n"):
            return False
        p += 1
    head[0], head[1] = numbers[0], numbers[1]
    while p < end:
        stop = <Bytes>memchr(p, c"\n", end - p)
        stop = end if stop == NULL else stop
        if stop - p < 2 or p[0] != c"A" or p[1] != c" " or not _fields(p + 2, stop, fields, ends, &begin, &close):
            return False
        p = stop + 1
        if ends[1] - fields[1] == 4 and memcmp(fields[1], b"noop", 4) == 0:
            continue
        if not (0 <= begin <= tokens and 0 <= close <= tokens):
            continue
        gold.starts[gold.edits], gold.ends[gold.edits] = begin, close
        gold.alternatives[gold.edits] = gold.corrections
        gold.edits += 1
        first = fields[2]
        while True:
            bars = _bars(first, ends[2], 2)
            if bars - first == 6 and memcmp(first, b"-NONE-", 6) == 0:
                first = bars
            first = _blank(first, bars)
            _correction(first, _trimmed(first, bars), gold)
            if bars == ends[2]:
                break
            first = bars + 2
    return True


cdef void _correction(Bytes p, Bytes end, Gold *gold) noexcept nogil:
    """Add a correction, unless other white space than single blanks is in it."""
    cdef Bytes at = _word(p, end)
    while at < end:
        if at[0] != c" " or _blank(at, end) != at + 1:
            return
        at = _word(at + 1, end)
    gold.size = _put(gold.text + gold.size, p, end) - gold.text
    gold.stops[gold.corrections] = gold.size
    gold.corrections += 1
