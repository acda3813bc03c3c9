# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Texts that are encoded once, and outputs that are counted against them, compiled. The Python kernel has no such form.

The vocabulary is frozen: tokens of outputs that no reference has all get one id more, which matches nothing. So nothing
that several threads share ever changes. What a call needs beside that is kept in a pool, from which each call takes
what no other one uses.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

from ..common import FOLDS, KINDS, MAX_NGRAMS, SPLITS, check_order, check_sizes

from .encode cimport (
    Output, Style, Vocabulary, _close, _encode, _encode_folded, _folded, _invalid, _look_up_waiting, _open, _split,
    _style, gp_fold_line,
)
from .lcs cimport Job as Subsequence, _length
from .overlap cimport Job, Text, Trie, _ask, _count_line

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef enum:
    WORDS = 4                  # of bits that an output may take that is counted as bits, as in `overlap.h`
    SMALL = 1 << 16            # up to so many distinct tokens, short outputs are counted as bits
    FEW = 1 << 10              # up to so many bytes of text the vocabulary begins with little room
    LARGE = 1 << 18            # the memory of a call with a text of more tokens is not kept


cdef int _reserve(void **memory, int64_t *room, int64_t wanted, size_t size) noexcept nogil:
    """Make room for `wanted` items of `size` bytes; return -1 where there is no memory."""
    cdef void *grown
    if wanted > room[0]:
        grown = realloc(memory[0], 2 * wanted * size)
        if grown == NULL:
            return -1
        memory[0], room[0] = grown, 2 * wanted
    return 0


cdef struct Piece:
    const uint8_t *start
    int64_t size


cdef class _Memory:
    """What a call needs and the next call can use again."""

    cdef Trie trie
    cdef uint64_t *places      # as in Job
    cdef Subsequence lcs
    cdef int64_t wide_room
    cdef int64_t carry_room
    cdef Piece *pieces         # where the outputs are
    cdef int64_t pieces_room
    cdef int32_t *ids          # of all outputs
    cdef int64_t ids_room
    cdef int64_t *offsets      # where each output begins in ids
    cdef int64_t offsets_room
    cdef Text *texts           # source, references and output of a line
    cdef int64_t *bounds       # 0 and the size of each of them
    cdef uint8_t *line         # an output, lower-cased
    cdef int64_t line_room

    def __cinit__(self, int references, int64_t tokens, bint subsequences):
        memset(&self.trie, 0, sizeof(Trie))
        memset(&self.lcs, 0, sizeof(Subsequence))
        self.texts = <Text *>calloc(references + 2, sizeof(Text))
        self.bounds = <int64_t *>calloc(2 * (references + 2), sizeof(int64_t))
        if tokens < SMALL:
            self.places = <uint64_t *>calloc(WORDS * (tokens + 1), sizeof(uint64_t))
        if subsequences:
            self.lcs.masks = <uint64_t *>calloc(tokens + 1, sizeof(uint64_t))
        if (
            self.texts == NULL or self.bounds == NULL or (tokens < SMALL and self.places == NULL)
            or (subsequences and self.lcs.masks == NULL)
        ):
            raise MemoryError

    def __dealloc__(self):
        free(self.trie.slots)
        free(self.trie.nodes)
        free(self.places)
        free(self.lcs.masks)
        free(self.lcs.wide)
        free(self.lcs.carry)
        free(self.pieces)
        free(self.ids)
        free(self.offsets)
        free(self.texts)
        free(self.bounds)
        free(self.line)


cdef struct Lengths:
    # Where the columns of the outputs begin that overlap() does not count.
    int64_t *hyp_len
    int64_t *total
    int64_t *ref_len
    int64_t *lcs               # or NULL


cdef class _Plan:
    """Which columns are asked for: their names, shapes without the outputs, and widths."""

    cdef list names
    cdef list shapes
    cdef list widths
    cdef int64_t width
    cdef int order
    cdef bint subsequences

    def __init__(self, int order, kinds, bint subsequences, int references):
        check_order(order, kinds)
        self.order, self.subsequences = order, subsequences
        shapes = {"hyp_len": [], "total": [order], "ref_len": [references]}
        if subsequences:
            shapes["lcs"] = [references]
        shapes.update({kind: [references, order] if kind in KINDS else [order] for kind in kinds})
        self.names, self.shapes = list(shapes), [tuple(shape) for shape in shapes.values()]
        self.widths = [(shape[0] if shape else 1) * (shape[1] if len(shape) > 1 else 1) for shape in self.shapes]
        self.width = sum(self.widths)

    cdef dict columns(self, int64_t n, Lengths *lengths, Job *job):
        """Return the columns of n outputs, still 0, and point at them."""
        import numpy as np

        flat = np.zeros(n * self.width + 1, np.int64)
        cdef int64_t[::1] view = flat
        cdef int64_t start = 0, stop
        cdef Py_ssize_t number
        cdef tuple shape
        cdef dict columns = {}
        lengths.lcs = NULL
        for number in range(len(self.names)):
            stop = start + n * <int64_t>self.widths[number]
            shape = self.shapes[number]
            column = flat[start:stop]
            columns[self.names[number]] = column.reshape((n, *shape)) if shape else column
            if number < 3 + self.subsequences:
                (<int64_t **>lengths)[number] = &view[start]
            else:
                _ask(job, self.names[number], &view[start])
            start = stop
        return columns


cdef class Prepared:
    """The lines of a source and of references, against which outputs are counted.

    `split` is one of SPLITS or FOLDS. Raises as encode() and words() do, and ValueError where there is no reference,
    or texts have different numbers of lines. Objects can be pickled, and used by several threads at once.
    """

    cdef readonly object source
    """The source as Lines, or None."""
    cdef readonly object references
    """The references as Lines."""
    cdef readonly object split
    """How lines are split: one of SPLITS or FOLDS."""
    cdef Vocabulary vocabulary
    cdef Style style
    cdef bint folds
    cdef bint google
    cdef int64_t tokens        # how many distinct tokens there are
    cdef int64_t longest       # tokens of the longest line
    cdef readonly int64_t lines
    cdef int count_of_references
    cdef Text *texts           # source (empty where there is none), then references
    cdef int64_t most          # tokens of all texts
    cdef list encoded
    cdef object kept           # what entries of the vocabulary point into
    cdef list pool
    cdef dict plans

    def __init__(self, source, references, split):
        self.source, self.references, self.split = source, tuple(references), split
        self.folds, self.google = split in FOLDS, split == "google"
        texts = [*([source] if source is not None else []), *self.references]
        if split not in SPLITS and not self.folds:
            raise KeyError(split)
        if not self.references or len({len(text.starts) for text in texts}) > 1:
            raise ValueError("texts: they have different numbers of lines, or there is no reference")
        cdef size_t size = 256 if sum([len(text.data) for text in texts]) < FEW else 4096
        self.kept = _style(&self.style, "ascii_whitespace" if self.folds else split)
        _open(&self.vocabulary, size)
        if self.folds:
            self.kept = _folded(texts, split)
            encoded = _encode_folded(&self.vocabulary, self.kept)
        else:
            encoded = _encode(&self.vocabulary, &self.style, texts)
        self.vocabulary.frozen, self.tokens = True, self.vocabulary.count
        self._point(encoded, source is not None)

    cdef int _point(self, list encoded, bint with_source) except -1:
        cdef const int32_t[::1] ids
        cdef const int64_t[::1] offsets
        cdef Py_ssize_t number
        cdef int64_t line
        self.count_of_references = len(encoded) - with_source
        self.texts = <Text *>calloc(1 + self.count_of_references, sizeof(Text))
        if self.texts == NULL:
            raise MemoryError
        self.lines, self.longest, self.most = len(encoded[0].offsets) - 1, 0, 0
        for number in range(len(encoded)):
            ids, offsets = encoded[number].ids, encoded[number].offsets
            self.texts[number + (not with_source)].ids = &ids[0] if ids.shape[0] else NULL
            self.texts[number + (not with_source)].offsets = &offsets[0]
            self.most += offsets[self.lines]
            for line in range(self.lines):
                self.longest = max(self.longest, offsets[line + 1] - offsets[line])
        self.encoded, self.pool, self.plans = encoded, [], {}
        return 0

    def __dealloc__(self):
        _close(&self.vocabulary)
        free(self.texts)

    def __reduce__(self):
        return Prepared, (self.source, self.references, self.split)

    def count(self, outputs, rows, order, kinds, subsequences=False):
        """Count outputs, each against the line whose number `rows` has.

        Returns int64 arrays: hyp_len [outputs], ref_len [outputs, references], total [outputs, order], and what
        overlap() counts for the kinds, [outputs, references, order] or [outputs, order]. With `subsequences` there is
        lcs [outputs, references] too, as lcs() returns it. Raises TypeError, with its number, for an output that is
        neither text nor bytes, UnicodeError for one that is no UTF-8, ValueError for another number of rows than
        outputs, IndexError, with its place, for a row that does not exist, and else as overlap() does.
        """
        cdef const int64_t[::1] row = rows
        cdef int64_t n = len(outputs), number
        cdef _Plan plan = self.plans.get((order, kinds, subsequences))
        cdef _Memory memory
        cdef Lengths lengths
        cdef Job job
        cdef int failed
        if plan is None:
            plan = _Plan(order, kinds, subsequences, self.count_of_references)
            self.plans[order, kinds, subsequences] = plan
        if row.shape[0] != n:
            raise ValueError("rows: expected one for each output")
        outputs = tuple(outputs)
        memory = self._memory(plan)
        self._read(memory, outputs)
        for number in range(n):
            if not 0 <= row[number] < self.lines:
                raise IndexError(number)
        if self.most * order > MAX_NGRAMS:
            import numpy as np

            check_sizes(sum([np.diff(text.offsets) for text in self.encoded])[rows], order)
        memset(&job, 0, sizeof(Job))
        job.most_words = WORDS if self.tokens < SMALL else 0
        columns = plan.columns(n, &lengths, &job)
        with nogil:
            failed = self._count(memory, n, &row[0] if n else NULL, plan.order, &lengths, &job)
        if failed:
            raise MemoryError
        if memory.ids_room < LARGE and self.longest < LARGE:
            self.pool.append(memory)
        return columns

    cdef _Memory _memory(self, _Plan plan):
        """Return memory that no other call uses, from the pool where it has what the plan asks for."""
        cdef _Memory memory
        try:
            memory = self.pool.pop()
        except IndexError:
            memory = None
        if memory is None or (plan.subsequences and memory.lcs.masks == NULL):
            memory = _Memory(self.count_of_references, self.tokens, plan.subsequences)
        return memory

    cdef int _read(self, _Memory memory, tuple outputs) except -1:
        """Point at the outputs. Raises TypeError, with the number of an output that is no text."""
        cdef Py_ssize_t size, number, n = len(outputs)
        cdef int64_t total = 0
        if _reserve(<void **>&memory.pieces, &memory.pieces_room, n + 1, sizeof(Piece)) < 0:
            raise MemoryError
        for number in range(n):
            text = outputs[number]
            if isinstance(text, str):
                memory.pieces[number].start = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &size)
            elif isinstance(text, bytes):
                memory.pieces[number].start, size = <const uint8_t *>PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text)
                if _invalid(memory.pieces[number].start, memory.pieces[number].start + size) >= 0:
                    text.decode()
            else:
                raise TypeError(number)
            memory.pieces[number].size = size
            total += size + 1
        if _reserve(<void **>&memory.ids, &memory.ids_room, total + 1, sizeof(int32_t)) < 0:
            raise MemoryError
        if _reserve(<void **>&memory.offsets, &memory.offsets_room, n + 1, sizeof(int64_t)) < 0:
            raise MemoryError
        return 0

    cdef int _encode_outputs(self, _Memory memory, int64_t n) noexcept nogil:
        """Write the ids of the outputs; return -1 where there is no memory."""
        cdef Output out
        cdef const uint8_t *start
        cdef int64_t number, size
        memory.offsets[0] = 0
        out.words, out.ids, out.count = &self.vocabulary, memory.ids, 0
        out.n_waiting = 0
        for number in range(n):
            start, size = memory.pieces[number].start, memory.pieces[number].size
            if self.folds:
                if _reserve(<void **>&memory.line, &memory.line_room, size + 1, 1) < 0:
                    return -1
                size = gp_fold_line(start, size, self.google, memory.line)
                start = memory.line
            out.limit = start + size
            if _split(&out, &self.style, start, out.limit) < 0 or _look_up_waiting(&out) < 0:
                return -1
            memory.offsets[number + 1] = out.count
        return 0

    cdef int _count(
        self, _Memory memory, int64_t n, const int64_t *rows, int order, Lengths *lengths, Job *job
    ) noexcept nogil:
        """Fill the columns; return -1 where there is no memory."""
        cdef int references = self.count_of_references, r, k
        cdef int64_t number, size, row, place
        cdef Text *output = &memory.texts[references + 1]
        if self._encode_outputs(memory, n) < 0:
            return -1
        job.source = &memory.texts[0] if self.texts[0].offsets != NULL else NULL
        job.references, job.systems, job.places = &memory.texts[1], output, memory.places
        job.n_references, job.n_systems, job.lines, job.order = references, 1, n, order
        for r in range(references + 2):
            memory.texts[r].offsets = &memory.bounds[2 * r]
        for number in range(n):
            row = rows[number]
            for r in range(references + 1):
                if self.texts[r].offsets != NULL:
                    place = self.texts[r].offsets[row]
                    memory.texts[r].ids = self.texts[r].ids + place
                    memory.bounds[2 * r + 1] = self.texts[r].offsets[row + 1] - place
                if r:
                    lengths.ref_len[number * references + r - 1] = memory.bounds[2 * r + 1]
            size = memory.offsets[number + 1] - memory.offsets[number]
            output.ids = memory.ids + memory.offsets[number]
            memory.bounds[2 * references + 3] = size
            lengths.hyp_len[number] = size
            for k in range(order if order < size else <int>size):
                lengths.total[number * order + k] = size - k
            if _count_line(&memory.trie, job, 0, number) < 0:
                return -1
            if lengths.lcs != NULL:
                if self._subsequences(memory, output.ids, size, lengths.lcs + number * references) < 0:
                    return -1
        return 0

    cdef int _subsequences(self, _Memory memory, const int32_t *ids, int64_t size, int64_t *lengths) noexcept nogil:
        """Write the lengths of the longest common subsequences of an output and the references at hand."""
        cdef int r
        cdef int64_t one
        if _reserve(<void **>&memory.lcs.carry, &memory.carry_room, size + 1, 1) < 0:
            return -1
        for r in range(self.count_of_references):
            one = memory.bounds[2 * r + 3]
            if one > 128 and memory.lcs.wide == NULL:
                memory.lcs.wide = <uint64_t *>calloc(4 * (self.tokens + 1), sizeof(uint64_t))
                if memory.lcs.wide == NULL:
                    return -1
            lengths[r] = _length(&memory.lcs, memory.texts[r + 1].ids, one, ids, size)
        return 0
