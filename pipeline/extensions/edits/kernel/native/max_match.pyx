# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""MaxMatch (M²), compiled: the twin of `python/max_match.py`.

The arcs from a vertex are made in one pass over the vertices after it, because vertices are in topological order. The
official program tries every vertex between any two others. Lattice and arcs serve all annotators. An annotator whose
edits change no weight gets the path that was searched without gold.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset

from ..gold_edits import (
    MAX_ARCS,
    MAX_CHECKED,
    MAX_LATTICE,
    MAX_ROW,
    MAX_STATES,
    MaxMatches,
    ProposedEdits,
    check_max_match,
    too_long,
)

cdef extern from "max_match_linear.h" nogil:
    int GP_NO_MEMORY
    int GP_TOO_LONG
    int GP_MANY_ARCS

    ctypedef struct gp_memory:
        void *data
        size_t capacity

    ctypedef struct gp_lattice:
        pass

    ctypedef struct gp_search:
        pass

    ctypedef struct gp_golds:
        const int64_t *firsts
        const int64_t *alternatives
        const int64_t *offsets
        const int32_t *starts
        const int32_t *ends
        const int32_t *ids

    ctypedef struct gp_edit:
        int32_t i1, i2, j1, j2, start, end

    ctypedef struct gp_folded:
        const unsigned char *data
        const int64_t *ends

    ctypedef struct gp_path:
        gp_edit *edits
        int32_t size
        gp_memory memory

    ctypedef struct gp_linear:
        int64_t jumps
        int32_t states

    void *gp_room(gp_memory *memory, size_t bytes)
    void gp_free_lattice(gp_lattice *t)
    void gp_free_search(gp_search *s)
    void gp_free_linear(gp_linear *l)
    int gp_align(gp_lattice *t, const int32_t *x, int32_t n, const int32_t *y, int32_t m)
    int gp_make_lattice(gp_lattice *t, int32_t max_unchanged, int64_t max_arcs)
    int gp_weigh(
        gp_search *s, gp_lattice *t, const gp_golds *golds, int64_t begin, int64_t end, int first_row, int *changed
    )
    void gp_restore(gp_search *s, gp_lattice *t)
    int gp_search_path(gp_search *s, const gp_lattice *t, int first_row, gp_path *path)
    void gp_drop_folded(const gp_folded *f, const int32_t *x, const int32_t *y, gp_path *path)
    int32_t gp_match(
        const gp_golds *golds, int64_t *start, int64_t end, const gp_edit *edit, const int32_t *y, uint8_t *matched
    )
    int gp_find_jumps(
        gp_linear *l, const gp_lattice *t, const gp_golds *golds, int64_t begin, int64_t end, int32_t max_unchanged,
        int64_t limit, int first_row
    )
    int gp_linear_path(gp_linear *l, const gp_lattice *t, int first_row, gp_path *path)

cdef struct Text:
    const int32_t *ids
    const int64_t *offsets

cdef struct Limits:
    int64_t arcs, checked, lattice, row, states

cdef struct Job:
    Text source
    Text *systems
    int n_systems, annotators, first_row
    int64_t lines, n_golds
    int32_t max_unchanged
    Limits limits
    gp_golds golds
    gp_folded folded
    gp_lattice lattice
    gp_search search
    gp_linear linear
    gp_path plain       # the path without gold
    gp_path own         # that of an annotator
    int64_t *correct    # for line 0 of system 0
    int64_t *proposed
    uint8_t *reduced
    uint8_t *matched    # or NULL where edits are not asked for
    int64_t *offsets
    gp_memory rows      # seven numbers for each proposed edit
    int64_t n_rows
    int system
    int64_t line


cdef int _find(Job *job, bint reduced, int64_t begin, int64_t end, bint *has_plain, gp_path **path) noexcept nogil:
    """Find the best path with the gold edits begin <= g < end; that without gold is searched once."""
    cdef int failed = 0, changed = 0
    if reduced:
        failed = gp_find_jumps(
            &job.linear, &job.lattice, &job.golds, begin, end, job.max_unchanged, job.limits.checked, job.first_row
        )
        changed = job.linear.jumps > 0
    elif begin < end:
        failed = gp_weigh(&job.search, &job.lattice, &job.golds, begin, end, job.first_row, &changed)
    path[0] = &job.own if changed else &job.plain
    if not failed and (changed or not has_plain[0]):
        if reduced:
            failed = gp_linear_path(&job.linear, &job.lattice, job.first_row, path[0])
        else:
            failed = gp_search_path(&job.search, &job.lattice, job.first_row, path[0])
        if not failed and job.folded.ends != NULL:
            gp_drop_folded(&job.folded, _ids(job, -1), _ids(job, job.system), path[0])
        has_plain[0] = has_plain[0] or not changed
    if not reduced and begin < end:
        gp_restore(&job.search, &job.lattice)
    return failed


cdef inline const int32_t *_ids(const Job *job, int system) noexcept nogil:
    """Return where the line at work begins, in a system or (-1) the source."""
    cdef const Text *text = &job.source if system < 0 else &job.systems[system]
    return text.ids + text.offsets[job.line]


cdef inline int64_t _size(const Text *text, int64_t line) noexcept nogil:
    return text.offsets[line + 1] - text.offsets[line]


cdef int _note(
    Job *job, const gp_path *path, int64_t begin, int64_t end, const int32_t *output, int64_t place, uint8_t *matched
) noexcept nogil:
    """Count the edits of a path and the gold edits that they match, and keep them where they are asked for."""
    cdef int64_t start = begin
    cdef int32_t k, hits
    cdef int32_t *row
    job.proposed[place] = path.size
    if matched == NULL and begin == end:
        return 0
    for k in range(path.size):
        hits = gp_match(&job.golds, &start, end, &path.edits[k], output, matched)
        job.correct[place] += hits
        if matched != NULL:
            row = <int32_t *>gp_room(&job.rows, (job.n_rows + 1) * 7 * sizeof(int32_t))
            if row == NULL:
                return GP_NO_MEMORY
            row += 7 * job.n_rows
            memcpy(row, &path.edits[k], 6 * sizeof(int32_t))
            row[6] = hits
            job.n_rows += 1
    return 0


cdef int _start_line(Job *job, int64_t n, int64_t m, int *reduced) noexcept nogil:
    """Make the lattice of a line, or prepare the linear method."""
    cdef int failed
    if (n + 1) * (m + 1) > job.limits.lattice:
        return GP_TOO_LONG
    failed = gp_align(
        &job.lattice, _ids(job, -1), <int32_t>n, _ids(job, job.system), <int32_t>m
    )
    if failed:
        return failed
    reduced[0] = 0
    failed = gp_make_lattice(&job.lattice, job.max_unchanged, job.limits.arcs)
    if failed != GP_MANY_ARCS:
        return failed
    reduced[0] = 1
    job.linear.states = job.max_unchanged + 2
    if (m + 1) * job.linear.states > job.limits.row or (n + 1) * (m + 1) * job.linear.states > job.limits.states:
        return GP_TOO_LONG
    return 0


cdef int _compare(Job *job, int system, int64_t line) noexcept nogil:
    """Count a line of a system for all annotators."""
    cdef int64_t n = _size(&job.source, line), m = _size(&job.systems[system], line)
    cdef int64_t place = (system * job.lines + line) * job.annotators, first, begin, end
    cdef const int32_t *output = job.systems[system].ids + job.systems[system].offsets[line]
    cdef uint8_t *matched = NULL
    cdef int a, failed, reduced = 0
    cdef bint has_plain = False
    cdef gp_path *path
    job.system, job.line = system, line
    if job.matched != NULL:
        matched = job.matched + system * job.n_golds
    if n == m and (n == 0 or not memcmp(_ids(job, -1), output, n * sizeof(int32_t))):
        for a in range(job.annotators if matched != NULL else 0):
            job.offsets[place + a + 1] = job.n_rows
        return 0
    failed = _start_line(job, n, m, &reduced)
    if failed:
        return failed
    job.reduced[system * job.lines + line] = reduced
    first = line * job.annotators
    for a in range(job.annotators):
        begin, end = job.golds.firsts[first + a], job.golds.firsts[first + a + 1]
        failed = _find(job, reduced, begin, end, &has_plain, &path)
        if not failed:
            failed = _note(job, path, begin, end, output, place + a, matched)
        if failed:
            return failed
        if matched != NULL:
            job.offsets[place + a + 1] = job.n_rows
    return 0


cdef int _compare_all(Job *job) noexcept nogil:
    cdef int system, failed
    cdef int64_t line
    for system in range(job.n_systems):
        for line in range(job.lines):
            failed = _compare(job, system, line)
            if failed:
                return failed
    return 0


cdef void _point(Text *target, text) except *:
    """Point at the arrays of an Encoded, which the caller keeps alive."""
    cdef const int32_t[::1] ids = text.ids
    cdef const int64_t[::1] offsets = text.offsets
    target.ids = &ids[0] if ids.shape[0] else NULL
    target.offsets = &offsets[0]


cdef const int64_t *_longs(array) except? NULL:
    cdef const int64_t[::1] view = array
    return &view[0] if view.shape[0] else NULL


cdef const int32_t *_ints(array) except? NULL:
    cdef const int32_t[::1] view = array
    return &view[0] if view.shape[0] else NULL


cdef class _Work:
    """The memory of a call."""

    cdef Job job

    def __cinit__(self, source, systems, gold):
        cdef int number
        cdef Text corrections
        memset(&self.job, 0, sizeof(Job))
        self.job.systems = <Text *>calloc(len(systems) + 1, sizeof(Text))
        if self.job.systems == NULL:
            raise MemoryError
        _point(&self.job.source, source)
        for number, text in enumerate(systems):
            _point(&self.job.systems[number], text)
        _point(&corrections, gold.corrections)
        self.job.n_systems, self.job.lines, self.job.n_golds = len(systems), len(source.offsets) - 1, len(gold.starts)
        self.job.golds.firsts, self.job.golds.alternatives = _longs(gold.firsts), _longs(gold.alternatives)
        self.job.golds.starts, self.job.golds.ends = _ints(gold.starts), _ints(gold.ends)
        self.job.golds.ids, self.job.golds.offsets = corrections.ids, corrections.offsets

    def __dealloc__(self):
        free(self.job.systems)
        gp_free_lattice(&self.job.lattice)
        gp_free_search(&self.job.search)
        gp_free_linear(&self.job.linear)
        free(self.job.plain.memory.data)
        free(self.job.own.memory.data)
        free(self.job.rows.data)


def max_match(
    source, systems, gold, annotators, *, max_unchanged=2, first_row=False, folded=None, max_arcs=MAX_ARCS, edits=False
):
    """Count which edits of outputs are gold, for each annotator; see max_match() in `python/max_match.py`."""
    import numpy as np

    check_max_match(source, systems, gold, annotators, max_unchanged, folded, max_arcs)
    cdef _Work work = _Work(source, systems, gold)
    cdef Job *job = &work.job
    cdef int failed = 0
    shape = len(systems), job.lines, annotators
    cells = len(systems) * job.lines * annotators
    counts = np.zeros((2, cells + 1), np.int64)
    reduced = np.zeros(len(systems) * job.lines + 1, np.uint8)
    offsets = np.zeros(cells + 1 if edits else 1, np.int64)
    matched = np.zeros(len(systems) * job.n_golds + 1 if edits else 1, np.uint8)
    cdef int64_t[:, ::1] count_list = counts
    cdef uint8_t[::1] reduced_list = reduced
    cdef int64_t[::1] offset_list = offsets
    cdef uint8_t[::1] matched_list = matched
    cdef const unsigned char[::1] data
    cdef const int64_t[::1] ends
    job.correct, job.proposed, job.reduced = &count_list[0, 0], &count_list[1, 0], &reduced_list[0]
    job.offsets, job.matched = &offset_list[0], &matched_list[0] if edits else NULL
    job.annotators, job.max_unchanged, job.first_row = annotators, max_unchanged, first_row
    job.limits.arcs, job.limits.checked, job.limits.lattice = max_arcs, MAX_CHECKED, MAX_LATTICE
    job.limits.row, job.limits.states = MAX_ROW, MAX_STATES
    if folded:
        data = b"".join(folded) + b"\0"
        ends = np.cumsum(np.fromiter(map(len, folded), np.int64, len(folded)))
        job.folded.data, job.folded.ends = &data[0], &ends[0]
    with nogil:
        failed = _compare_all(job)
    if failed == GP_TOO_LONG:
        output = _size(&job.systems[job.system], job.line)
        raise too_long(job.system, job.line, _size(&job.source, job.line), output)
    if failed:
        raise MemoryError
    listed = None
    if edits:
        listed = _listed(job, offsets, matched[:len(systems) * job.n_golds].reshape(len(systems), job.n_golds))
    correct, proposed = (row[:cells].reshape(shape).copy() for row in counts)
    return MaxMatches(correct, proposed, reduced[:len(systems) * job.lines].reshape(shape[:2]).astype(np.bool_), listed)


cdef object _listed(const Job *job, offsets, matched):
    """Return the proposed edits that were kept."""
    import numpy as np

    table = np.zeros((job.n_rows, 7), np.int32)
    cdef int32_t[:, ::1] rows = table
    if job.n_rows:
        memcpy(&rows[0, 0], job.rows.data, job.n_rows * 7 * sizeof(int32_t))
    spans, compared, hits = table[:, [0, 1, 2, 3]], table[:, [4, 5]], table[:, 6]
    return ProposedEdits(offsets, *map(np.ascontiguousarray, (spans, compared, hits)), matched.copy())
