# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Three-way alignments, compiled: the twin of `python/three_way.py`.

Columns are counted, or counted and listed.

Most cells of the cube cannot lie on a best way, and are left out. A way through a cell costs at least what the best
two-way alignments cost that go through the three projections of the cell. Call `excess` by how much this exceeds the
sum of the best two-way alignments, and `slack` by how much the best three-way alignment does. Cells on best ways have an
excess of at most the slack, and so has each of their projections. So a box of columns for each token is enough. Costs
of cells outside of the boxes count as infinite. Costs inside are then never too low, and exact on all best ways. A move
into a cell of a best way attains its cost exactly if it comes from a cell of a best way. So the way back is the same as
in the whole cube. The slack is guessed to be 0; if the cost that comes out shows more, it is an upper bound to try next.

Tables of two-way alignments are limited to a band of diagonals in the same way.

The moves of a box of many cells are not kept. It is cut in halves, and each cell beyond the cut remembers where its way
back crosses the cut. Then each half is aligned alone. In the second half, ways begin at the crossing only. No
other cell gets cheaper by this, and the cells of the way keep their costs, so that the way back stays the same.
"""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from ..alignments import ChangedColumns, check_three_way

cdef extern from "three_way.h" nogil:
    int32_t GP_START
    int32_t GP_DIFFERENT
    void gp_six_moves(
        const int32_t *both, const int32_t *no_source, const int32_t *no_output, int32_t *row, const int32_t *tokens,
        const int32_t *from_source, int32_t output_token, int32_t one_two, int64_t low, int64_t high
    )
    void gp_last_move(int32_t *row, uint8_t *moves, int64_t low, int64_t high)

cdef enum:
    GAP = 2
    DIFFERENT = 3
    FAR = 1 << 30              # more than any cost
    FIRST_MARGIN = 4           # diagonals beside those that every way needs
    SMALL = 1 << 20            # things for which more room is made than is wanted at first
    KEPT = 1 << 26             # the most moves that are kept at once: 64 MB

cdef enum:                     # places of THREE_WAY_COUNTS
    C_TP
    TN
    D_FP
    D_FN
    FPN
    COUNTS

cdef struct Column:            # of FIELDS in `alignments.py`; -1 is a gap
    int32_t start
    int32_t end
    int32_t output
    int32_t reference
    int32_t kind

cdef struct Line:
    const int32_t *ids
    int64_t size

cdef struct Pair:
    Line one
    Line two
    int64_t low                # the lowest diagonal of the band: j - i
    int64_t width              # of a row in memory: the diagonals, and one more on each side
    int64_t limit              # ways that leave the band cost at least this
    int64_t cost               # of the best way
    int64_t slack              # what first and last are for; -1 where they are not made
    int32_t *table             # costs of ways from the beginning: [one + 1, width]
    int64_t room               # of table
    int32_t *back              # costs of ways to the end, for two rows: [2, width]
    int64_t back_room
    int64_t *first             # for each row, the first column with an excess of at most slack
    int64_t *last              # behind first in memory
    int64_t row_room

cdef struct Cell:
    int64_t i
    int64_t j
    int64_t k

cdef struct Cube:
    Pair source_output
    Pair source_reference
    Pair output_reference
    int64_t stride             # of the planes, which have a row and a column of zeros before the first
    int32_t *planes            # of two tokens of the source; all 0 between uses
    int64_t plane_room
    int32_t *crossings         # of two tokens of the source, or NULL
    int64_t crossing_room
    int32_t *tokens            # of the reference, from 1
    int32_t *from_source       # for each of them, its cost with the token of the source at hand; behind tokens in memory
    int64_t token_room
    uint8_t *moves             # of all kept boxes
    int64_t move_room
    int64_t *boxes             # for each token of the source, where its box begins in moves
    int64_t box_room
    int64_t kept               # KEPT, but for tests
    Column *listed             # the changed columns; NULL where they are counted alone
    int64_t listed_size
    int64_t listed_room


cdef int _reserve(void **memory, int64_t *room, int64_t wanted, int64_t size, bint clean) noexcept nogil:
    """Make room for as many things of a size; what was there is lost. Return -1 where there is no memory."""
    cdef int64_t more = wanted + (wanted // 2 if wanted < SMALL else 0)
    if wanted <= room[0]:
        return 0
    free(memory[0])
    room[0] = 0
    memory[0] = calloc(more, size) if clean else malloc(more * size)
    if memory[0] == NULL:
        return -1
    room[0] = more
    return 0


cdef inline bint _equal(Line one, Line two) noexcept nogil:
    return one.size == two.size and (one.size == 0 or memcmp(one.ids, two.ids, one.size * sizeof(int32_t)) == 0)


cdef inline int64_t _min(int64_t a, int64_t b) noexcept nogil:
    return a if a < b else b


cdef inline int64_t _max(int64_t a, int64_t b) noexcept nogil:
    return a if a > b else b


cdef inline int64_t _low_diagonal(const Pair *pair, int64_t i) noexcept nogil:
    """Return the first place of row i in the band whose column is 0 or more. The place 0 is no diagonal."""
    return _max(0, -i - pair.low) + 1


cdef inline int64_t _high_diagonal(const Pair *pair, int64_t i) noexcept nogil:
    return _min(pair.width - 2, pair.two.size - i - pair.low + 1)


cdef void _fill(Pair *pair) noexcept nogil:
    """Fill the band with the costs of the best ways from the beginning."""
    cdef int64_t i, d, low, high
    cdef int32_t cost, other, token
    cdef int32_t *row
    cdef int32_t *above
    cdef int64_t place
    for i in range(pair.one.size + 1):
        row = pair.table + i * pair.width
        above = row - pair.width
        low, high = _low_diagonal(pair, i), _high_diagonal(pair, i)
        row[low - 1], row[high + 1] = FAR, FAR
        if i == 0:
            for d in range(low, high + 1):
                row[d] = <int32_t>(GAP * (d - low))
            continue
        place = i + pair.low - 2                 # the token of the column of place d is that at d + place
        token = pair.one.ids[i - 1]
        cost = FAR
        if low + i + pair.low == 1:              # column 0
            cost = <int32_t>(GAP * i)
            row[low] = cost
            low += 1
        for d in range(low, high + 1):
            other = above[d] + (DIFFERENT if pair.two.ids[d + place] != token else 0)
            other = other if other < above[d + 1] + GAP else above[d + 1] + GAP
            cost = other if other < cost + GAP else cost + GAP
            row[d] = cost
    pair.cost = pair.table[pair.one.size * pair.width + pair.two.size - pair.one.size - pair.low + 1]


cdef int _band(Pair *pair, int64_t margin) noexcept nogil:
    """Fill a band with so many diagonals beside those that every way needs."""
    cdef int64_t n = pair.one.size, m = pair.two.size
    cdef int64_t low = _max(-n, _min(0, m - n) - margin), high = _min(m, _max(0, m - n) + margin)
    pair.low = low
    pair.width = high - low + 3
    pair.limit = FAR if low == -n and high == m else 2 * (_max(m - n, n - m) + 2 * (margin + 1))
    pair.slack = -1
    if _reserve(<void **>&pair.table, &pair.room, (n + 1) * pair.width, sizeof(int32_t), False) < 0:
        return -1
    _fill(pair)
    return 0


cdef int _align(Pair *pair, Line one, Line two) noexcept nogil:
    """Fill the table of two sequences, so that it is exact on all best ways."""
    pair.one, pair.two = one, two
    if _band(pair, FIRST_MARGIN) < 0:
        return -1
    return _widen(pair, 0)


cdef int _widen(Pair *pair, int64_t slack) noexcept nogil:
    """Widen the band where ways that leave it might cost no more than the best one and slack."""
    if pair.cost + slack < pair.limit:
        return 0
    return _band(pair, (pair.cost + slack) // 4 + 1)


cdef int _limit_columns(Pair *pair, int64_t slack) noexcept nogil:
    """Find for each row the columns whose best ways cost at most `slack` more than the best of all."""
    cdef int64_t i, d, low, high, first, last, rows = pair.one.size + 1
    cdef int32_t cost, other, token, most
    cdef int32_t *row
    cdef int32_t *below
    cdef const int32_t *costs
    cdef int64_t place
    if pair.slack == slack:
        return 0
    if _widen(pair, slack) < 0:
        return -1
    if _reserve(<void **>&pair.first, &pair.row_room, 2 * rows, sizeof(int64_t), False) < 0:
        return -1
    pair.last = pair.first + rows
    if _reserve(<void **>&pair.back, &pair.back_room, 2 * pair.width, sizeof(int32_t), False) < 0:
        return -1
    most = <int32_t>(pair.cost + slack)
    for i in range(pair.one.size, -1, -1):
        row = pair.back + (i & 1) * pair.width
        below = pair.back + (1 - (i & 1)) * pair.width
        costs = pair.table + i * pair.width
        low, high = _low_diagonal(pair, i), _high_diagonal(pair, i)
        row[low - 1], row[high + 1] = FAR, FAR
        place = i + pair.low - 1  # the token after the column of place d is that at d + place
        first, last, cost = high + 1, low - 1, FAR
        token = pair.one.ids[i] if i < pair.one.size else 0
        for d in range(high, low - 1, -1):
            if i == pair.one.size:
                cost = <int32_t>(GAP * (high - d))
            else:
                cost = cost + GAP if cost < FAR else FAR
                other = below[d - 1] + GAP
                cost = other if other < cost else cost
                if d + place < pair.two.size:
                    other = below[d] + (DIFFERENT if pair.two.ids[d + place] != token else 0)
                    cost = other if other < cost else cost
            row[d] = cost
            if cost + costs[d] <= most:
                first = d
                last = d if d > last else last
        pair.first[i] = first + i + pair.low - 1
        pair.last[i] = last + i + pair.low - 1
    pair.slack = slack
    return 0


cdef int _room_for(Cube *cube, int64_t more) noexcept nogil:
    """Make room for more listed columns, and keep those that are there. Return -1 where there is no memory."""
    cdef int64_t room = 2 * (cube.listed_size + more)
    cdef void *memory
    if cube.listed_size + more <= cube.listed_room:
        return 0
    memory = realloc(cube.listed, room * sizeof(Column))
    if memory == NULL:
        return -1
    cube.listed, cube.listed_room = <Column *>memory, room
    return 0


cdef void _list(Cube *cube, int64_t start, int64_t end, int64_t output, int64_t reference, int kind) noexcept nogil:
    cdef Column *column = cube.listed + cube.listed_size
    column.start, column.end = <int32_t>start, <int32_t>end
    column.output, column.reference, column.kind = <int32_t>output, <int32_t>reference, kind
    cube.listed_size += 1


cdef void _turn_round(Cube *cube, int64_t first) noexcept nogil:
    """Put the columns from `first` into their order: they were listed on the way back."""
    cdef int64_t last = cube.listed_size - 1
    cdef Column column
    while first < last:
        column = cube.listed[first]
        cube.listed[first], cube.listed[last] = cube.listed[last], column
        first += 1
        last -= 1


cdef void _list_two(Cube *cube, int64_t one, int64_t one_end, int64_t two, int unequal) noexcept nogil:
    """List a column of two texts, of which the first is the source; two is -1 for a gap.

    The third text is equal to the source: it is the output where the reference alone is changed.
    """
    cdef int64_t same = one if one < one_end else -1
    if unequal == D_FN:
        _list(cube, one, one_end, same, two, unequal)
    else:
        _list(cube, one, one_end, two, same, unequal)


cdef void _count_two(Cube *cube, const Pair *pair, int64_t *counts, int unequal) noexcept nogil:
    """Count the columns of a two-way alignment: both, the first only, the second only, whatever attains the cost."""
    cdef int64_t i = pair.one.size, j = pair.two.size, cost, first = cube.listed_size
    cdef const int32_t *here
    while i > 0 or j > 0:
        here = pair.table + i * pair.width + (j - i - pair.low + 1)
        if i > 0 and j > 0:
            cost = 0 if pair.one.ids[i - 1] == pair.two.ids[j - 1] else DIFFERENT
            if (here - pair.width)[0] + cost == here[0]:
                counts[TN if cost == 0 else unequal] += 1
                i -= 1
                j -= 1
                if cost != 0 and cube.listed != NULL:
                    _list_two(cube, i, i + 1, j, unequal)
                continue
        counts[unequal] += 1
        if i > 0 and (here - pair.width + 1)[0] + GAP == here[0]:
            i -= 1
            if cube.listed != NULL:
                _list_two(cube, i, i + 1, -1, unequal)
        else:
            j -= 1
            if cube.listed != NULL:
                _list_two(cube, i, i, j, unequal)
    if cube.listed != NULL:
        _turn_round(cube, first)


cdef inline int64_t _first_column(const Cube *cube, int64_t i, int64_t j) noexcept nogil:
    return _max(cube.source_reference.first[i], cube.output_reference.first[j])


cdef inline int64_t _last_column(const Cube *cube, int64_t i, int64_t j) noexcept nogil:
    return _min(cube.source_reference.last[i], cube.output_reference.last[j])


cdef inline void _clear(Cube *cube, Cell start, Cell end, int64_t i) noexcept nogil:
    """Set to 0 what a box has written to its plane."""
    cdef int64_t j, first, last
    cdef int32_t *plane = cube.planes + (i & 1) * (cube.output_reference.one.size + 2) * cube.stride
    for j in range(_max(start.j, cube.source_output.first[i]), _min(end.j, cube.source_output.last[i]) + 1):
        first, last = _max(start.k, _first_column(cube, i, j)), _min(end.k, _last_column(cube, i, j))
        if first <= last:
            memset(plane + (j + 1) * cube.stride + first + 1, 0, (last - first + 1) * sizeof(int32_t))


cdef inline void _cross(
    Cube *cube, int32_t *here, int32_t *before, int64_t j, int64_t first, int64_t last, const uint8_t *moves
) noexcept nogil:
    """Hand on to each cell where the way back from it crosses the cut."""
    cdef int64_t k
    cdef int32_t *row = here + (j + 1) * cube.stride + 1
    cdef int32_t *no_source = before + (j + 1) * cube.stride + 1
    cdef int move
    for k in range(first, last + 1):
        move = moves[k - first]
        if move == 0:
            row[k] = no_source[k - cube.stride - 1]
        elif move == 1:
            row[k] = no_source[k - cube.stride]
        elif move == 2:
            row[k] = no_source[k - 1]
        elif move == 3:
            row[k] = row[k - cube.stride - 1]
        elif move == 4:
            row[k] = no_source[k]
        elif move == 5:
            row[k] = row[k - cube.stride]
        else:
            row[k] = row[k - 1]


cdef int64_t _forward(Cube *cube, Cell start, Cell end, int64_t cut) noexcept nogil:
    """Find the costs from start to end, and keep the moves (cut < 0), or the crossings of the plane `cut`.

    Return the cost, FAR where no way leads through the boxes, and -1 where there is no memory. With a cut, the crossing
    of the way back from the end is then at its place in the crossings.
    """
    cdef int64_t outputs = cube.output_reference.one.size, size = (outputs + 2) * cube.stride
    cdef int64_t i, j, k, first, last, cost, low, wide
    cdef int32_t one_two
    cdef int32_t *here
    cdef int32_t *before
    cdef int32_t *row
    cdef int32_t *above
    cdef uint8_t *moves
    cdef const int32_t *source = cube.source_output.one.ids
    cdef const int32_t *output = cube.source_output.two.ids
    for i in range(start.i, end.i + 1):
        here = cube.planes + (i & 1) * size
        before = cube.planes + (1 - (i & 1)) * size
        low = cube.source_output.first[i]
        wide = cube.source_reference.last[i] - cube.source_reference.first[i] + 1
        if i > 0:
            for k in range(_max(1, cube.source_reference.first[i]), cube.source_reference.last[i] + 1):
                cube.from_source[k] = GP_DIFFERENT if cube.tokens[k] != source[i - 1] else 0
        for j in range(_max(start.j, low), _min(end.j, cube.source_output.last[i]) + 1):
            first, last = _max(start.k, _first_column(cube, i, j)), _min(end.k, _last_column(cube, i, j))
            if first > last:
                continue
            row = here + (j + 1) * cube.stride + 1
            above = before + (j + 1) * cube.stride + 1
            one_two = GP_DIFFERENT if i > 0 and j > 0 and source[i - 1] != output[j - 1] else 0
            gp_six_moves(
                above - cube.stride, above, row - cube.stride, row, cube.tokens, cube.from_source,
                output[j - 1] if j > 0 else -1, one_two, first, last
            )
            if i == start.i and j == start.j and first == start.k:
                row[first] = GP_START
            if cut < 0:
                moves = cube.moves + cube.boxes[i] + (j - low) * wide + first - cube.source_reference.first[i]
            else:
                moves = cube.moves
            gp_last_move(row, moves, first, last)
            if i > cut and cut >= 0:
                here = cube.crossings + (i & 1) * size
                _cross(cube, here, cube.crossings + (1 - (i & 1)) * size, j, first, last, moves)
                here = cube.planes + (i & 1) * size
            elif i == cut:
                for k in range(first, last + 1):
                    cube.crossings[(i & 1) * size + (j + 1) * cube.stride + k + 1] = <int32_t>(j * cube.stride + k)
        if i > start.i:
            _clear(cube, start, end, i - 1)
    here = cube.planes + (end.i & 1) * size
    cost = here[(end.j + 1) * cube.stride + end.k + 1]
    _clear(cube, start, end, end.i)
    return FAR if cost >= 0 else (cost - GP_START) >> 3


cdef void _count_back(Cube *cube, Cell start, Cell end, int64_t *counts) noexcept nogil:
    """Go back from end to start by the moves that were kept, and count the columns."""
    cdef int64_t i = end.i, j = end.j, k = end.k, listed = cube.listed_size
    cdef int move, kind
    cdef int32_t s, h, r
    while i > start.i or j > start.j or k > start.k:
        move = cube.moves[
            cube.boxes[i]
            + (j - cube.source_output.first[i])
            * (cube.source_reference.last[i] - cube.source_reference.first[i] + 1)
            + k - cube.source_reference.first[i]
        ]
        s = h = r = -1                         # a gap
        if move == 0 or move == 1 or move == 2 or move == 4:
            i -= 1
            s = cube.source_output.one.ids[i]
        if move == 0 or move == 1 or move == 3 or move == 5:
            j -= 1
            h = cube.source_output.two.ids[j]
        if move == 0 or move == 2 or move == 3 or move == 6:
            k -= 1
            r = cube.source_reference.two.ids[k]
        if s == h:
            kind = TN if h == r else D_FN
        elif s == r:
            kind = D_FP
        else:
            kind = C_TP if h == r else FPN
        counts[kind] += 1
        if kind != TN and cube.listed != NULL:
            _list(cube, i, i + (s >= 0), j if h >= 0 else -1, k if r >= 0 else -1, kind)
    if cube.listed != NULL:
        _turn_round(cube, listed)


cdef int64_t _place_boxes(Cube *cube, Cell start, Cell end) noexcept nogil:
    """Say where the moves of each plane begin; return how many moves there are."""
    cdef int64_t i, total = 0, high, wide
    for i in range(start.i, end.i + 1):
        cube.boxes[i] = total
        high = cube.source_output.last[i] - cube.source_output.first[i] + 1
        wide = cube.source_reference.last[i] - cube.source_reference.first[i] + 1
        total += high * wide if high > 0 and wide > 0 else 0
    return total


cdef int64_t _between(Cube *cube, Cell start, Cell end, int64_t *counts) noexcept nogil:
    """Count the columns of the way between two cells; return as _forward() does."""
    cdef int64_t total = _place_boxes(cube, start, end), cost, size
    cdef int64_t middle = (start.i + end.i) // 2, crossing
    cdef Cell cell
    if total <= cube.kept or end.i - start.i <= 1:
        if _reserve(<void **>&cube.moves, &cube.move_room, total, 1, False) < 0:
            return -1
        cost = _forward(cube, start, end, -1)
        if cost < FAR:
            _count_back(cube, start, end, counts)
        return cost
    size = (cube.output_reference.one.size + 2) * cube.stride
    if _reserve(<void **>&cube.crossings, &cube.crossing_room, 2 * size, sizeof(int32_t), True) < 0:
        return -1
    if _reserve(<void **>&cube.moves, &cube.move_room, cube.stride, 1, False) < 0:
        return -1
    cost = _forward(cube, start, end, middle)
    if cost >= FAR:
        return cost
    crossing = cube.crossings[(end.i & 1) * size + (end.j + 1) * cube.stride + end.k + 1]
    cell.i, cell.j, cell.k = middle, crossing // cube.stride, crossing % cube.stride
    if _between(cube, start, cell, counts) < 0 or _between(cube, cell, end, counts) < 0:
        return -1
    return cost


cdef int _prepare(Cube *cube) noexcept nogil:
    """Make room for the planes, and set out the tokens of the reference."""
    cdef int64_t k, size = cube.source_reference.two.size + 1, sources = cube.source_reference.one.size + 1
    cube.stride = size + 1
    if _reserve(<void **>&cube.planes, &cube.plane_room, 2 * (cube.output_reference.one.size + 2) * cube.stride,
                sizeof(int32_t), True) < 0:
        return -1
    if _reserve(<void **>&cube.tokens, &cube.token_room, 2 * size, sizeof(int32_t), False) < 0:
        return -1
    cube.from_source = cube.tokens + size
    if _reserve(<void **>&cube.boxes, &cube.box_room, sources, sizeof(int64_t), False) < 0:
        return -1
    cube.tokens[0], cube.from_source[0] = -2, 0
    for k in range(1, size):
        cube.tokens[k] = cube.source_reference.two.ids[k - 1]
    return 0


cdef int _count_three(Cube *cube, int64_t *counts) noexcept nogil:
    """Count the columns of the alignment of three sequences, whose pairs are aligned; return -1 without memory."""
    cdef int64_t least = cube.source_output.cost + cube.source_reference.cost + cube.output_reference.cost
    cdef int64_t slack = 0, cost, listed = cube.listed_size
    cdef int64_t found[COUNTS]
    cdef Cell start, end
    cdef int c
    start.i, start.j, start.k = 0, 0, 0
    end.i, end.j, end.k = cube.source_output.one.size, cube.source_output.two.size, cube.source_reference.two.size
    if _prepare(cube) < 0:
        return -1
    while True:
        if (
            _limit_columns(&cube.source_output, slack) < 0
            or _limit_columns(&cube.source_reference, slack) < 0
            or _limit_columns(&cube.output_reference, slack) < 0
        ):
            return -1
        memset(found, 0, sizeof(found))
        cube.listed_size = listed
        cost = _between(cube, start, end, found)
        if cost < 0:
            return -1
        if cost < FAR and cost - least <= slack:
            break
        slack = cost - least if cost < FAR else 2 * slack + 4
    for c in range(COUNTS):
        counts[c] += found[c]
    return 0


cdef int _count(
    Cube *cube, Line source, Line output, Line reference, bint *reference_aligned, int64_t *counts
) noexcept nogil:
    """Count the columns of one sentence, as count_columns() of the Python twin; return -1 without memory.

    reference_aligned is whether source and reference are aligned already.
    """
    cdef bint unchanged = _equal(source, output), uncorrected = _equal(source, reference)
    if unchanged and uncorrected:
        counts[TN] += source.size
        return 0
    if uncorrected:
        if _align(&cube.source_output, source, output) < 0:
            return -1
        _count_two(cube, &cube.source_output, counts, D_FP)
        return 0
    if not reference_aligned[0] and _align(&cube.source_reference, source, reference) < 0:
        return -1
    reference_aligned[0] = True
    if unchanged:
        _count_two(cube, &cube.source_reference, counts, D_FN)
        return 0
    if _align(&cube.source_output, source, output) < 0 or _align(&cube.output_reference, output, reference) < 0:
        return -1
    return _count_three(cube, counts)


cdef int32_t NO_ID = 0         # where the ids of an empty text would begin

cdef struct Text:
    const int32_t *ids
    const int64_t *offsets


cdef inline Line _line(Text text, int64_t line) noexcept nogil:
    cdef Line result
    result.ids, result.size = text.ids + text.offsets[line], text.offsets[line + 1] - text.offsets[line]
    return result


cdef Text _text(text) except *:
    cdef const int32_t[::1] ids = text.ids
    cdef const int64_t[::1] offsets = text.offsets
    cdef Text result
    result.ids = &ids[0] if ids.shape[0] else &NO_ID
    result.offsets = &offsets[0]
    return result


cdef void _free_pair(Pair *pair) noexcept:
    free(pair.table)
    free(pair.back)
    free(pair.first)


cdef class _Work:
    cdef Cube cube
    cdef Text *systems

    def __cinit__(self, systems, int64_t kept):
        cdef int number
        self.cube.kept = kept
        self.systems = <Text *>malloc((len(systems) + 1) * sizeof(Text))
        if self.systems == NULL:
            raise MemoryError
        for number, text in enumerate(systems):
            self.systems[number] = _text(text)

    def __dealloc__(self):
        _free_pair(&self.cube.source_output)
        _free_pair(&self.cube.source_reference)
        _free_pair(&self.cube.output_reference)
        free(self.cube.planes)
        free(self.cube.crossings)
        free(self.cube.tokens)
        free(self.cube.moves)
        free(self.cube.boxes)
        free(self.cube.listed)
        free(self.systems)


def three_way(source, systems, references, firsts, *, int64_t kept=KEPT):
    """Count the columns of three-way alignments; see three_way() in `python/three_way.py`.

    `kept` is the most moves that are kept at once. Results do not depend on it.
    """
    import numpy as np

    check_three_way(source, systems, references, firsts)
    cdef _Work work = _Work(systems, kept)
    cdef Text sources = _text(source), corrections = _text(references)
    cdef const int64_t[::1] first = firsts
    counts = np.zeros((len(systems), len(references.offsets) - 1, COUNTS), np.int64)
    cdef int64_t[:, :, ::1] count = counts
    cdef int64_t line, lines = len(source.offsets) - 1, r
    cdef int s, n_systems = len(systems), failed = 0
    cdef bint aligned
    with nogil:
        for line in range(lines):
            for r in range(first[line], first[line + 1]):
                aligned = False
                for s in range(n_systems):
                    failed |= _count(
                        &work.cube, _line(sources, line), _line(work.systems[s], line), _line(corrections, r),
                        &aligned, &count[s, r, 0]
                    )
            if failed:
                break
    if failed:
        raise MemoryError
    return counts


def three_way_columns(source, systems, references, firsts, *, int64_t kept=KEPT):
    """List the changed columns of three-way alignments; see three_way_columns() in `python/three_way.py`.

    `kept` is that of three_way().
    """
    import numpy as np

    check_three_way(source, systems, references, firsts)
    cdef _Work work = _Work(systems, kept)
    cdef Text sources = _text(source), corrections = _text(references)
    cdef const int64_t[::1] first = firsts
    cdef int64_t line, lines = len(source.offsets) - 1, r
    cdef int s, n_systems = len(systems)
    offsets = np.zeros((len(references.offsets) - 1) * n_systems + 1, np.int64)
    cdef int64_t[::1] offset = offsets
    cdef int64_t counts[COUNTS]
    cdef Line one, two, three
    cdef bint aligned, failed = False
    memset(counts, 0, sizeof(counts))
    with nogil:
        for line in range(lines):
            one = _line(sources, line)
            for r in range(first[line], first[line + 1]):
                aligned = False
                three = _line(corrections, r)
                for s in range(n_systems):
                    two = _line(work.systems[s], line)
                    if not failed and (
                        _room_for(&work.cube, one.size + two.size + three.size + 1) < 0
                        or _count(&work.cube, one, two, three, &aligned, counts) < 0
                    ):
                        failed = True
                    offset[r * n_systems + s + 1] = work.cube.listed_size
            if failed:
                break
    if failed:
        raise MemoryError
    columns = np.zeros((work.cube.listed_size, sizeof(Column) // sizeof(int32_t)), np.int32)
    cdef int32_t[:, ::1] column = columns
    if work.cube.listed_size:
        memcpy(&column[0, 0], work.cube.listed, work.cube.listed_size * sizeof(Column))
    return ChangedColumns(offsets, columns)
