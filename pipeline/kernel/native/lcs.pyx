# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Subsequences, compiled: the twin of `python/lcs.py`.

The table of the dynamic programme is kept as bits, 64 rows in a word. A block of 64 rows goes through all columns
before the next block does, and what it carries to the next block is kept for each column. So positions of tokens are
needed for 64 rows at a time only, and memory is linear in the length of lines. Where the way back through the table is
needed, its columns are kept. If there are too many, they are kept for one segment at a time, and computed again.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from ..common import Encoded, check_allowed, check_parallel, check_sentences, check_skip, check_weighted

cdef extern from "lcs.h" nogil:
    int gp_popcount(uint64_t x)
    int gp_rows256(const uint64_t *masks, const int32_t *ids, int64_t size, uint8_t *carry)

cdef enum:
    KEPT = 1 << 20             # the most words of columns that are kept at once: 8 MB

cdef uint64_t ALL = ~<uint64_t>0

cdef inline uint64_t _rows(const uint64_t *masks, const int32_t *two, int64_t size, uint64_t v, uint64_t *kept) noexcept nogil:
    """Take the only block through `size` columns; return the last one. kept (or NULL) gets all of them."""
    cdef int64_t j
    cdef uint64_t u
    for j in range(size):
        u = v & masks[two[j]]
        v = (v + u) | (v - u)
        if kept != NULL:
            kept[j] = v
    return v


cdef inline uint64_t _block(
    const uint64_t *masks, const int32_t *two, int64_t size, uint64_t v, uint8_t *carry, uint64_t *kept
) noexcept nogil:
    """Do the same with what the block before carried; carry then holds what this block carries."""
    cdef int64_t j
    cdef uint64_t u, sum, total
    for j in range(size):
        u = v & masks[two[j]]
        sum = v + u
        total = sum + carry[j]
        carry[j] = (sum < v) | (total < sum)
        v = total | (v - u)
        if kept != NULL:
            kept[j] = v
    return v


cdef inline void _mark(uint64_t *masks, const int32_t *one, int64_t size) noexcept nogil:
    cdef int64_t i
    for i in range(size):
        masks[one[i]] |= <uint64_t>1 << i


cdef inline void _unmark(uint64_t *masks, const int32_t *one, int64_t size) noexcept nogil:
    cdef int64_t i
    for i in range(size):
        masks[one[i]] = 0


cdef int64_t _length(Job *job, const int32_t *one, int64_t m, const int32_t *two, int64_t n) noexcept nogil:
    """Return the length of a longest common subsequence. Equal tokens at the ends may be taken first."""
    cdef int64_t low, size, i, length = 0
    while m and n and one[0] == two[0]:
        one, two, m, n, length = one + 1, two + 1, m - 1, n - 1, length + 1
    while m and n and one[m - 1] == two[n - 1]:
        m, n, length = m - 1, n - 1, length + 1
    if m == 0 or n == 0:
        return length
    if m <= 64:
        _mark(job.masks, one, m)
        length += gp_popcount(~_rows(job.masks, two, n, ALL, NULL))
        _unmark(job.masks, one, m)
        return length
    memset(job.carry, 0, n)
    low = 0
    while m - low > 128:
        size = m - low if m - low < 256 else 256
        for i in range(size):
            job.wide[4 * <int64_t>one[low + i] + (i >> 6)] |= <uint64_t>1 << (i & 63)
        length += gp_rows256(job.wide, two, n, job.carry)
        for i in range(size):
            memset(job.wide + 4 * <int64_t>one[low + i], 0, 4 * sizeof(uint64_t))
        low += size
    for low in range(low, m, 64):
        size = m - low if m - low < 64 else 64
        _mark(job.masks, one + low, size)
        length += gp_popcount(~_block(job.masks, two, n, ALL, job.carry, NULL))
        _unmark(job.masks, one + low, size)
    return length


cdef struct Kept:
    uint64_t *columns          # [blocks, segment]
    uint64_t *starts           # [segments, blocks], the column before each segment
    int64_t room               # of each, in words
    int64_t start_room


cdef int _reserve(Kept *kept, int64_t columns, int64_t starts) noexcept nogil:
    if columns > kept.room:
        free(kept.columns)
        kept.columns = <uint64_t *>malloc(columns * 2 * sizeof(uint64_t))
        kept.room = columns * 2 if kept.columns != NULL else 0
    if starts > kept.start_room:
        free(kept.starts)
        kept.starts = <uint64_t *>malloc(starts * 2 * sizeof(uint64_t))
        kept.start_room = starts * 2 if kept.starts != NULL else 0
    return 0 if kept.room >= columns and kept.start_room >= starts else -1


cdef int _trace(Job *job, Kept *kept, const int32_t *one, int64_t m, const int32_t *two, int64_t n) noexcept nogil:
    """Mark in hit the tokens of `one` that trace() of the Python twin yields; return -1 where there is no memory."""
    cdef int64_t blocks = (m + 63) // 64
    cdef int64_t segment = n if blocks * n <= KEPT else (KEPT // blocks if KEPT // blocks > 64 else 64)
    cdef int64_t segments = (n + segment - 1) // segment if n else 0
    cdef int64_t b, s, low, size, first, count, i = m - 1, j = n - 1
    cdef uint64_t v
    if m == 0 or n == 0:
        return 0
    if _reserve(kept, blocks * segment, segments * blocks) < 0:
        return -1
    if segments > 1:                            # a first pass, for the column before each segment
        memset(job.carry, 0, n)
        for b in range(blocks):
            low = b * 64
            size = m - low if m - low < 64 else 64
            _mark(job.masks, one + low, size)
            v = ALL
            for s in range(segments):
                kept.starts[s * blocks + b] = v
                first = s * segment
                count = n - first if n - first < segment else segment
                v = _block(job.masks, two + first, count, v, job.carry + first, NULL)
            _unmark(job.masks, one + low, size)
    else:
        for b in range(blocks):
            kept.starts[b] = ALL
    for s in range(segments - 1, -1, -1):
        first = s * segment
        count = n - first if n - first < segment else segment
        memset(job.carry + first, 0, count)
        for b in range(blocks):
            low = b * 64
            size = m - low if m - low < 64 else 64
            _mark(job.masks, one + low, size)
            if blocks == 1:
                _rows(job.masks, two + first, count, kept.starts[s], kept.columns)
            else:
                v = kept.starts[s * blocks + b]
                _block(job.masks, two + first, count, v, job.carry + first, kept.columns + b * segment)
            _unmark(job.masks, one + low, size)
        while i >= 0 and j >= first:
            if one[i] == two[j]:
                job.hit[i] = 1
                i -= 1
                j -= 1
            elif kept.columns[(i >> 6) * segment + j - first] >> (i & 63) & 1:
                i -= 1
            else:
                j -= 1
        if i < 0:
            break
    return 0


cdef inline int64_t _first(const Text *text, int64_t line) noexcept nogil:
    return text.firsts[line] if text.firsts != NULL else line


cdef inline void _give(Job *job, const Text *text, int64_t line, bint back) noexcept nogil:
    """Count the tokens of a text's line in left, or set their counts to 0 again (back)."""
    cdef int64_t i
    for i in range(text.offsets[_first(text, line)], text.offsets[_first(text, line + 1)]):
        job.left[text.ids[i]] = 0 if back else job.left[text.ids[i]] + 1


cdef inline int64_t _take(Job *job, const int32_t *one, int64_t m) noexcept nogil:
    """Return how many hits of a sentence find an unused token in the output, and use these tokens."""
    cdef int64_t i, hits = 0
    for i in range(m):
        if job.hit[i] and job.left[one[i]] > 0:
            job.left[one[i]] -= 1
            hits += 1
    return hits


cdef inline void _take_runs(Job *job, const int32_t *one, int64_t m, double *weight) noexcept nogil:
    """Do the same with weights: a run of k hits adds powers[k] to weight."""
    cdef int64_t i, run = 0
    for i in range(m):
        if job.hit[i] and job.left[one[i]] > 0:
            job.left[one[i]] -= 1
            run += 1
            if i + 1 == m or job.hit[i + 1] == 0:
                weight[0] += job.powers[run]
                run = 0


cdef struct Table:
    double *row                # a row of the dynamic programme, from column 0
    int64_t *runs
    uint8_t *ups               # a bit for each row and column: whether the way back passes over the row's token
    int64_t room               # bytes of ups


cdef double _weigh(
    Table *table, const double *powers, const int32_t *one, int64_t m, const int32_t *two, int64_t n, bint keep
) noexcept nogil:
    """Return the weight of a weighted longest common subsequence. `keep` says whether ups is filled."""
    cdef int64_t i, j, run, run_before, stride = (n + 7) // 8
    cdef double before, above
    cdef bint up
    for j in range(n + 1):
        table.row[j] = 0
        table.runs[j] = 0
    if keep and m * stride:                    # without any, ups may be NULL, which memset must not get
        memset(table.ups, 0, m * stride)
    for i in range(m):
        before, run_before = 0, 0              # in the row above, one column to the left
        for j in range(n):
            above, run = table.row[j + 1], table.runs[j + 1]
            up = above >= table.row[j]
            if one[i] == two[j]:
                table.row[j + 1] = before + powers[run_before + 1] - powers[run_before]
                table.runs[j + 1] = run_before + 1
            else:
                if not up:
                    table.row[j + 1] = table.row[j]
                elif keep:
                    table.ups[i * stride + (j >> 3)] |= 1 << (j & 7)
                table.runs[j + 1] = 0
            before, run_before = above, run
    return table.row[n]


cdef int _trace_weighted(
    Job *job, Table *table, const int32_t *one, int64_t m, const int32_t *two, int64_t n
) noexcept nogil:
    cdef int64_t i = m - 1, j = n - 1, stride = (n + 7) // 8
    if m * stride > table.room:
        free(table.ups)
        table.ups = <uint8_t *>malloc(m * stride * 2)
        table.room = m * stride * 2 if table.ups != NULL else 0
        if table.ups == NULL:
            return -1
    _weigh(table, job.powers, one, m, two, n, True)
    while i >= 0 and j >= 0:
        if one[i] == two[j]:
            job.hit[i] = 1
            i -= 1
            j -= 1
        elif table.ups[i * stride + (j >> 3)] >> (j & 7) & 1:
            i -= 1
        else:
            j -= 1
    return 0


cdef void _lcs(Job *job, int64_t *lengths) noexcept nogil:
    cdef int64_t line, m, n
    cdef int r, s
    cdef const Text *one
    cdef const Text *two
    for s in range(job.n_systems):
        two = &job.systems[s]
        for line in range(job.lines):
            n = two.offsets[line + 1] - two.offsets[line]
            for r in range(job.n_references):
                one = &job.references[r]
                m = one.offsets[line + 1] - one.offsets[line]
                lengths[0] = _length(job, one.ids + one.offsets[line], m, two.ids + two.offsets[line], n)
                lengths += 1


cdef int _union(Job *job, Kept *kept, Table *table, int64_t *hits, double *weights) noexcept nogil:
    """Add to hits, or to weights where hits is NULL; return -1 where there is no memory."""
    cdef int64_t line, x, y, m
    cdef int r, s, failed = 0
    cdef const Text *one
    cdef const Text *two
    cdef const Text *given
    cdef const int32_t *sentence
    for s in range(job.n_systems):
        two = &job.systems[s]
        for line in range(job.lines):
            for r in range(job.n_references):
                one = &job.references[r]
                given = two if job.allowed == NULL else &job.allowed[s * job.n_references + r]
                _give(job, given, line, False)
                for x in range(_first(one, line), _first(one, line + 1)):
                    sentence, m = one.ids + one.offsets[x], one.offsets[x + 1] - one.offsets[x]
                    memset(job.hit, 0, m)
                    for y in range(_first(two, line), _first(two, line + 1)):
                        if hits != NULL:
                            failed |= _trace(
                                job, kept, sentence, m, two.ids + two.offsets[y], two.offsets[y + 1] - two.offsets[y]
                            )
                        else:
                            failed |= _trace_weighted(
                                job, table, sentence, m, two.ids + two.offsets[y], two.offsets[y + 1] - two.offsets[y]
                            )
                    if hits != NULL:
                        hits[0] += _take(job, sentence, m)
                    else:
                        _take_runs(job, sentence, m, weights)
                _give(job, given, line, True)
                if failed:
                    return -1
                if hits != NULL:
                    hits += 1
                else:
                    weights += 1
    return 0


cdef void _point(Text *target, text) except *:
    """Point at the arrays of Encoded or Sentences, which the caller keeps alive."""
    cdef const int32_t[::1] ids = text.ids
    cdef const int64_t[::1] offsets = text.offsets
    cdef const int64_t[::1] firsts
    target.ids = &ids[0] if ids.shape[0] else NULL
    target.offsets = &offsets[0]
    target.firsts = NULL
    if not isinstance(text, Encoded):
        firsts = text.firsts
        target.firsts = &firsts[0]


cdef class _Work:
    """The memory of a call."""

    cdef Job job
    cdef Table table
    cdef Kept kept

    def __cinit__(self, references, systems, bint weighted, allowed=None):
        import numpy as np

        cdef int64_t longest = 1, ids = 1
        cdef int number
        memset(&self.job, 0, sizeof(Job))
        memset(&self.table, 0, sizeof(Table))
        memset(&self.kept, 0, sizeof(Kept))
        several = [text for texts in allowed or () for text in texts]
        for text in [*references, *systems, *several]:
            longest = max(longest, int(np.diff(text.offsets).max(initial=0)))
            ids = max(ids, int(text.ids.max(initial=0)) + 1)
        self.job.n_references, self.job.n_systems = len(references), len(systems)
        first = references[0]
        self.job.lines = len(first.offsets if isinstance(first, Encoded) else first.firsts) - 1
        self.job.references = <Text *>malloc(len(references) * sizeof(Text))
        self.job.systems = <Text *>malloc((len(systems) + 1) * sizeof(Text))
        self.job.masks = <uint64_t *>calloc(ids, sizeof(uint64_t))
        self.job.wide = <uint64_t *>calloc(4 * ids if longest > 128 else 1, sizeof(uint64_t))
        self.job.left = <int32_t *>calloc(ids, sizeof(int32_t))
        self.job.carry = <uint8_t *>malloc(longest)
        self.job.hit = <uint8_t *>malloc(longest)
        if (
            self.job.references == NULL or self.job.systems == NULL or self.job.masks == NULL or self.job.wide == NULL
            or self.job.left == NULL or self.job.carry == NULL or self.job.hit == NULL
        ):
            raise MemoryError
        if weighted:
            self.table.row = <double *>malloc((longest + 1) * sizeof(double))
            self.table.runs = <int64_t *>malloc((longest + 1) * sizeof(int64_t))
            if self.table.row == NULL or self.table.runs == NULL:
                raise MemoryError
        for number, text in enumerate(references):
            _point(&self.job.references[number], text)
        for number, text in enumerate(systems):
            _point(&self.job.systems[number], text)
        if several:
            self.job.allowed = <Text *>malloc(len(several) * sizeof(Text))
            if self.job.allowed == NULL:
                raise MemoryError
            for number, text in enumerate(several):
                _point(&self.job.allowed[number], text)

    def __dealloc__(self):
        free(self.job.references)
        free(self.job.systems)
        free(self.job.allowed)
        free(self.job.masks)
        free(self.job.wide)
        free(self.job.left)
        free(self.job.carry)
        free(self.job.hit)
        free(self.table.row)
        free(self.table.runs)
        free(self.table.ups)
        free(self.kept.columns)
        free(self.kept.starts)


def lcs(references, systems):
    """Return lengths of longest common subsequences; see lcs() in `python/lcs.py`."""
    import numpy as np

    check_parallel(references, systems)
    cdef _Work work = _Work(references, systems, False)
    lengths = np.zeros((len(systems), work.job.lines, len(references)), np.int64)
    cdef int64_t[::1] flat = lengths.reshape(-1)
    if lengths.size:
        with nogil:
            _lcs(&work.job, &flat[0])
    return lengths


def union_lcs(references, systems, allowed=None):
    """Return hits of union longest common subsequences; see union_lcs() in `python/lcs.py`."""
    import numpy as np

    check_sentences(references, systems)
    check_allowed(references, systems, allowed)
    cdef _Work work = _Work(references, systems, False, allowed)
    cdef int failed = 0
    hits = np.zeros((len(systems), work.job.lines, len(references)), np.int64)
    cdef int64_t[::1] flat = hits.reshape(-1)
    if hits.size:
        with nogil:
            failed = _union(&work.job, &work.kept, NULL, &flat[0], NULL)
    if failed:
        raise MemoryError
    return hits


def weighted_lcs(references, systems, powers):
    """Return weights of weighted longest common subsequences; see weighted_lcs() in `python/lcs.py`."""
    import numpy as np

    references, systems = [_flat(text) for text in references], [_flat(text) for text in systems]
    check_weighted(references, systems, powers)
    references, systems = [text.as_lines for text in references], [text.as_lines for text in systems]
    cdef _Work work = _Work(references, systems, True)
    cdef const double[::1] power_list = powers
    weights = np.zeros((len(systems), work.job.lines, len(references)))
    cdef double[::1] flat = weights.reshape(-1)
    cdef double *target = &flat[0] if weights.size else NULL
    cdef int64_t line, m, n
    cdef int r, s
    cdef const Text *one
    cdef const Text *two
    with nogil:
        for s in range(work.job.n_systems):
            two = &work.job.systems[s]
            for line in range(work.job.lines):
                n = two.offsets[line + 1] - two.offsets[line]
                for r in range(work.job.n_references):
                    one = &work.job.references[r]
                    m = one.offsets[line + 1] - one.offsets[line]
                    target[0] = _weigh(
                        &work.table, &power_list[0], one.ids + one.offsets[line], m, two.ids + two.offsets[line], n,
                        False
                    )
                    target += 1
    return weights


def _flat(text):
    import numpy as np

    return text._replace(offsets=text.offsets[text.firsts], firsts=np.arange(len(text.firsts), dtype=np.int64))


def weighted_union(references, systems, powers, allowed=None):
    """Return weighted hits and their bases; see weighted_union() in `python/lcs.py`."""
    import numpy as np

    check_weighted(references, systems, powers)
    check_allowed(references, systems, allowed)
    cdef _Work work = _Work(references, systems, True, allowed)
    cdef const double[::1] power_list = powers
    work.job.powers = &power_list[0]
    cdef int failed = 0
    weights = np.zeros((len(systems), work.job.lines, len(references)))
    cdef double[::1] flat = weights.reshape(-1)
    if weights.size:
        with nogil:
            failed = _union(&work.job, &work.kept, &work.table, NULL, &flat[0])
    if failed:
        raise MemoryError
    bases = np.zeros((work.job.lines, len(references)))
    cdef double[:, ::1] base = bases
    cdef int64_t line, x
    cdef int r
    cdef const Text *one
    for r in range(work.job.n_references):
        one = &work.job.references[r]
        for line in range(work.job.lines):
            for x in range(_first(one, line), _first(one, line + 1)):
                base[line, r] += power_list[one.offsets[x + 1] - one.offsets[x]]
    return weights, bases


# ---- skip bigrams
#
# All pairs that begin with the same token are counted together, one such token after the other, so that memory is linear
# in the line. With a limit to the gap, the tokens that may follow each occurrence of the first token are counted.
# Without a limit, one pass over the line is enough: each token makes as many pairs as there were first tokens before it.

cdef struct Line:
    const int32_t *ids
    int64_t size
    int32_t *head              # for each id, its first position, or -1; all -1 between uses
    int32_t *next              # for each position, the next one of the same id, or -1

cdef struct Pairs:
    int64_t *most              # for each id, the pairs that end with it: the most in any reference; 0 between uses
    int64_t *own               # the same for the text at hand; 0 between uses
    int64_t gap


cdef inline int64_t _add_pairs(Pairs *work, const Line *line, int32_t token, bint merge) noexcept nogil:
    """Count in own the pairs of a line that begin with a token.

    With merge, raise most to these counts and return by how much it grew. Without, return how many of the pairs most
    has too.
    """
    cdef int32_t place = line.head[token]
    cdef int64_t q, stop, before, seen = 0, found = 0
    cdef int32_t other
    if work.gap >= 0:
        while place >= 0:
            stop = place + work.gap + 2 if line.size - place > work.gap + 2 else line.size
            for q in range(place + 1, stop):
                other = line.ids[q]
                work.own[other] += 1
                if merge and work.own[other] > work.most[other]:
                    work.most[other] = work.own[other]
                    found += 1
                elif not merge and work.own[other] <= work.most[other]:
                    found += 1
            place = line.next[place]
        return found
    for q in range(place if place >= 0 else line.size, line.size):
        other = line.ids[q]
        before = work.own[other]
        work.own[other] = before + seen
        if merge and before + seen > work.most[other]:
            found += before + seen - work.most[other]
            work.most[other] = before + seen
        elif not merge and before < work.most[other]:
            found += (before + seen if before + seen < work.most[other] else work.most[other]) - before
        seen += other == token
    return found


cdef inline void _clear_pairs(Pairs *work, const Line *line, int32_t token, int64_t *counts) noexcept nogil:
    """Set to 0 what _add_pairs() may have touched."""
    cdef int32_t place = line.head[token]
    cdef int64_t q, stop
    if work.gap >= 0:
        while place >= 0:
            stop = place + work.gap + 2 if line.size - place > work.gap + 2 else line.size
            for q in range(place + 1, stop):
                counts[line.ids[q]] = 0
            place = line.next[place]
        return
    for q in range(place if place >= 0 else line.size, line.size):
        counts[line.ids[q]] = 0


cdef void _open_line(Line *line, const int32_t *ids, int64_t size) noexcept nogil:
    cdef int64_t place
    line.ids, line.size = ids, size
    for place in range(size - 1, -1, -1):
        line.next[place] = line.head[ids[place]]
        line.head[ids[place]] = <int32_t>place


cdef void _close_line(Line *line) noexcept nogil:
    cdef int64_t place
    for place in range(line.size):
        line.head[line.ids[place]] = -1


cdef void _line_pairs(Pairs *work, Line *references, int count, Line *system, int64_t *match, int64_t *total) noexcept nogil:
    """Add to match the pairs that an output shares with the merged references, and to total theirs (unless NULL)."""
    cdef int r, other
    cdef int64_t place
    cdef int32_t token
    cdef bint seen
    for r in range(count):
        for place in range(references[r].size):
            token = references[r].ids[place]
            seen = references[r].head[token] != place
            for other in range(r):
                seen |= references[other].head[token] >= 0
            if seen or (total == NULL and system.head[token] < 0):
                continue
            for other in range(r, count):
                if total != NULL:
                    total[0] += _add_pairs(work, &references[other], token, True)
                else:
                    _add_pairs(work, &references[other], token, True)
                _clear_pairs(work, &references[other], token, work.own)
            if system != NULL and system.head[token] >= 0:
                match[0] += _add_pairs(work, system, token, False)
                _clear_pairs(work, system, token, work.own)
            for other in range(r, count):
                _clear_pairs(work, &references[other], token, work.most)


cdef class _Lines:
    cdef Pairs work
    cdef Line *lines
    cdef int count

    def __cinit__(self, int count, int64_t ids, int64_t longest, int64_t gap):
        cdef int number
        cdef int64_t i
        self.work.gap = gap
        self.work.most = <int64_t *>calloc(ids, sizeof(int64_t))
        self.work.own = <int64_t *>calloc(ids, sizeof(int64_t))
        self.lines = <Line *>calloc(count, sizeof(Line))
        if self.work.most == NULL or self.work.own == NULL or self.lines == NULL:
            raise MemoryError
        self.count = count
        for number in range(count):
            self.lines[number].head = <int32_t *>malloc(ids * sizeof(int32_t))
            self.lines[number].next = <int32_t *>malloc(longest * sizeof(int32_t))
            if self.lines[number].head == NULL or self.lines[number].next == NULL:
                raise MemoryError
            memset(self.lines[number].head, 0xFF, ids * sizeof(int32_t))

    def __dealloc__(self):
        cdef int number
        for number in range(self.count):
            free(self.lines[number].head)
            free(self.lines[number].next)
        free(self.lines)
        free(self.work.most)
        free(self.work.own)


def skip_bigrams(references, systems, gap):
    """Count the skip bigrams that outputs share with references; see skip_bigrams() in `python/lcs.py`."""
    import numpy as np

    check_skip(references, systems, gap)
    texts = [*references, *systems]
    cdef int64_t longest = max(int(np.diff(text.offsets).max(initial=0)) for text in texts)
    cdef int64_t ids = max(int(text.ids.max(initial=0)) for text in texts) + 1
    # a gap beyond the longest line changes nothing, and sums with it could overflow
    cdef _Lines memory = _Lines(len(references) + 1, ids, longest + 1, min(gap, longest))
    cdef int64_t n_lines = len(references[0].offsets) - 1, line
    cdef int n_references = len(references), n_systems = len(systems), number, s
    matches, totals = np.zeros((n_systems, n_lines), np.int64), np.zeros(n_lines, np.int64)
    cdef int64_t[:, ::1] match = matches
    cdef int64_t[::1] total = totals
    cdef Line *output = memory.lines + n_references
    cdef int64_t unused = 0
    cdef const int64_t *offsets
    cdef Text *all_texts = <Text *>malloc(len(texts) * sizeof(Text))
    if all_texts == NULL:
        raise MemoryError
    try:
        for number, text in enumerate(texts):
            _point(&all_texts[number], text)
        with nogil:
            for line in range(n_lines):
                for number in range(n_references):
                    offsets = all_texts[number].offsets + line
                    _open_line(&memory.lines[number], all_texts[number].ids + offsets[0], offsets[1] - offsets[0])
                output.size = 0
                if n_systems == 0:
                    _line_pairs(&memory.work, memory.lines, n_references, output, &unused, &total[line])
                for s in range(n_systems):
                    offsets = all_texts[n_references + s].offsets + line
                    _open_line(output, all_texts[n_references + s].ids + offsets[0], offsets[1] - offsets[0])
                    _line_pairs(
                        &memory.work, memory.lines, n_references, output, &match[s, line],
                        &total[line] if s == 0 else NULL
                    )
                    _close_line(output)
                for number in range(n_references):
                    _close_line(&memory.lines[number])
    finally:
        free(all_texts)
    return matches, totals
