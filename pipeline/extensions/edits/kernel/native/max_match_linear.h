/* MaxMatch for lattices with too many arcs, compiled: the twin of `tests/oracles/max_match_linear.py`.
 *
 * Decisions are kept for a block of rows at a time, and costs for the row before each block. So the blocks are made
 * again, from the last to the first, on the way back. */
#ifndef GEC_PIPELINE_MAX_MATCH_LINEAR_H
#define GEC_PIPELINE_MAX_MATCH_LINEAR_H

#include "max_match_paths.h"

#define GP_GOLD (-((int64_t)1 << 40))
#define GP_NEVER (INT64_MAX / 2)
#define GP_JUMP 0xFFFF

/* A gold edit between two vertices. */
typedef struct {
    int32_t i1, j1, i2, j2;
    int64_t cost; /* of what it starts from */
} gp_jump;

typedef struct {
    int32_t i, j;
    int64_t jump;
} gp_start;

typedef struct {
    int64_t jumps, work;
    int32_t states; /* of a vertex: no edit is open, or one with 0, 1 and so on unchanged tokens */
    gp_memory jump, start, costs, kept, decisions, box;
} gp_linear;

static inline void gp_free_linear(gp_linear *l) {
    gp_memory *all[] = {&l->jump, &l->start, &l->costs, &l->kept, &l->decisions, &l->box};
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) free(all[k]->data);
}

static inline int gp_cell(const gp_lattice *t, int32_t i, int32_t j) {
    const int32_t *low = (const int32_t *)t->bounds.data, *high = low + t->n + 1;
    return j < low[i] || j > high[i] ? 0 : ((const uint8_t *)t->table.data)[(int64_t)i * (t->m + 1) + j];
}

/* In how many tables the step of a kind (0 diagonal, 1 deletion, 2 insertion) into a cell is best. */
static inline int gp_step(int cell, int kind) { return (cell >> (2 - kind) & 1) + (cell >> (5 - kind) & 1); }

static inline int gp_keeps(const gp_lattice *t, int32_t i, int32_t j, int kind) {
    return kind == 0 && t->x[i - 1] == t->y[j - 1];
}

/* Set least to how many tokens stay unchanged, at least, between two vertices; GP_NEVER without a way. */
static inline int gp_least_unchanged(gp_linear *l, const gp_lattice *t, const gp_jump *jump, int inserting, int64_t *least) {
    int32_t width = jump->j2 - jump->j1 + 1;
    int64_t *row = (int64_t *)gp_room(&l->box, 2 * (size_t)width * sizeof(int64_t));
    if (row == NULL) return GP_NO_MEMORY;
    int64_t *above = row + width;
    for (int32_t i = jump->i1; i <= jump->i2; i++) {
        for (int32_t j = jump->j1; j <= jump->j2; j++) {
            int32_t k = j - jump->j1;
            int cell = gp_cell(t, i, j);
            int64_t best = i == jump->i1 && k == 0 ? 0 : GP_NEVER;
            if (i > jump->i1 && k > 0 && gp_step(cell, 0) && above[k - 1] + gp_keeps(t, i, j, 0) < best)
                best = above[k - 1] + gp_keeps(t, i, j, 0);
            if (i > jump->i1 && gp_step(cell, 1) && above[k] < best) best = above[k];
            if (k > 0 && gp_step(cell, 2) && row[k - 1] < best && (inserting || i > jump->i1 || k > 1)) best = row[k - 1];
            row[k] = best;
        }
        int64_t *other = above;
        above = row;
        row = other;
    }
    *least = above[width - 1];
    return 0;
}

static inline int gp_append_jump(gp_linear *l, gp_jump jump) {
    gp_jump *jumps = (gp_jump *)gp_room(&l->jump, ((size_t)l->jumps + 1) * sizeof(gp_jump));
    if (jumps == NULL) return GP_NO_MEMORY;
    jumps[l->jumps++] = jump;
    return 0;
}

/* Return whether the output has a correction from column j on. */
static inline int gp_has(const gp_lattice *t, const gp_golds *golds, int64_t row, int32_t j) {
    int64_t size = golds->offsets[row + 1] - golds->offsets[row];
    if (j + size > t->m) return 0;
    return size == 0 || !memcmp(t->y + j, golds->ids + golds->offsets[row], (size_t)size * sizeof(int32_t));
}

/* Return whether insertions lead from column j to column end of a row. */
static inline int gp_inserts(const gp_lattice *t, int32_t i, int32_t j, int64_t end) {
    while (j < end)
        if (!gp_step(gp_cell(t, i, ++j), 2)) return 0;
    return 1;
}

/* Add the jumps of a gold edit that replaces tokens by one of its corrections. */
static inline int gp_list_spans(
    gp_linear *l, const gp_lattice *t, const gp_golds *golds, int64_t gold, int64_t row, int32_t max_unchanged,
    int64_t limit, int first_row
) {
    int32_t start = golds->starts[gold], end = golds->ends[gold];
    int64_t size = golds->offsets[row + 1] - golds->offsets[row], least;
    if (end - start > 1 && size == end - start &&
        !memcmp(t->x + start, golds->ids + golds->offsets[row], (size_t)size * sizeof(int32_t)))
        return 0; /* it changes nothing */
    for (int32_t j = 0; j + size <= t->m; j++) {
        if (!gp_has(t, golds, row, j)) continue;
        l->work += ((int64_t)end - start + 1) * (size + 1);
        if (l->work > limit) return GP_TOO_LONG;
        gp_jump jump = {start, j, end, j + (int32_t)size, 0};
        if (!(gp_cell(t, start, j) >> 6) || !(gp_cell(t, end, jump.j2) >> 6)) continue;
        if (gp_least_unchanged(l, t, &jump, !(first_row && start == 0 && j > 0), &least)) return GP_NO_MEMORY;
        int is_step = end - start == 1 && size <= 1 && gp_step(gp_cell(t, end, jump.j2), size == 0);
        if ((least <= max_unchanged || is_step) && gp_append_jump(l, jump)) return GP_NO_MEMORY;
    }
    return 0;
}

/* Return the shortest correction of the gold edits first <= g < end at a place that is inserted from column j on, or -1;
 * hit becomes the first edit that has one so short. */
static inline int64_t gp_inserted(
    const gp_lattice *t, const gp_golds *golds, int64_t first, int64_t end, int32_t place, int32_t j, int64_t *hit
) {
    int64_t best = -1;
    for (int64_t gold = first; gold < end; gold++) {
        if (golds->starts[gold] != place || golds->ends[gold] != place) continue;
        for (int64_t row = golds->alternatives[gold]; row < golds->alternatives[gold + 1]; row++) {
            int64_t size = golds->offsets[row + 1] - golds->offsets[row];
            if (size == 0 || (best >= 0 && size >= best) || !gp_has(t, golds, row, j)) continue;
            if (!gp_inserts(t, place, j, j + size)) continue;
            best = size;
            *hit = gold;
        }
    }
    return best;
}

/* Add the jumps of the gold insertions at the place of a gold edit: see _insertions() in the twin. */
static inline int gp_list_inserted(
    gp_linear *l, const gp_lattice *t, const gp_golds *golds, int64_t first, int64_t end, int first_row
) {
    int32_t place = golds->starts[first];
    if (first_row) {
        gp_jump jump = {0, place, 0, place + 1, 0};
        int is_step = place < t->m && gp_step(gp_cell(t, 0, place + 1), 2);
        gp_edit edit = {0, 0, place, place + 1, place, place};
        for (int64_t gold = first; is_step && gold < end; gold++)
            if (gp_fits(golds, gold, &edit, t->y)) return gp_append_jump(l, jump);
        if (place == 0) return 0;
    }
    for (int32_t j = 0; j < t->m;) {
        int64_t hit = first, size = gp_inserted(t, golds, first, end, place, j, &hit);
        gp_jump jump = {place, j, place, j + (int32_t)size, 0};
        if (size > 0 && gp_append_jump(l, jump)) return GP_NO_MEMORY;
        first = size > 0 ? hit + 1 : first;
        j += size > 0 ? (int32_t)size : 1;
    }
    return 0;
}

/* Do so unless an edit from `begin` on was at the same place. */
static inline int gp_list_place(
    gp_linear *l, const gp_lattice *t, const gp_golds *golds, int64_t begin, int64_t gold, int64_t end, int first_row
) {
    for (int64_t g = begin; g < gold; g++)
        if (golds->starts[g] == golds->starts[gold] && golds->ends[g] == golds->starts[gold]) return 0;
    return gp_list_inserted(l, t, golds, gold, end, first_row);
}

static inline int gp_compare_jumps(const void *a, const void *b) {
    const gp_jump *one = (const gp_jump *)a, *two = (const gp_jump *)b;
    if (one->i2 != two->i2) return one->i2 < two->i2 ? -1 : 1;
    if (one->j2 != two->j2) return one->j2 < two->j2 ? -1 : 1;
    if (one->i1 != two->i1) return one->i1 < two->i1 ? -1 : 1;
    return one->j1 < two->j1 ? -1 : one->j1 > two->j1;
}

static inline int gp_compare_starts(const void *a, const void *b) {
    const gp_start *one = (const gp_start *)a, *two = (const gp_start *)b;
    if (one->i != two->i) return one->i < two->i ? -1 : 1;
    if (one->j != two->j) return one->j < two->j ? -1 : 1;
    return one->jump < two->jump ? -1 : one->jump > two->jump;
}

/* List all jumps of the gold edits begin <= g < end, ordered by where they lead, and by where they start. */
static inline int gp_find_jumps(
    gp_linear *l, const gp_lattice *t, const gp_golds *golds, int64_t begin, int64_t end, int32_t max_unchanged,
    int64_t limit, int first_row
) {
    l->jumps = l->work = 0;
    for (int64_t gold = begin; gold < end; gold++)
        for (int64_t row = golds->alternatives[gold]; row < golds->alternatives[gold + 1]; row++) {
            if (golds->starts[gold] > golds->ends[gold]) continue;
            l->work += ((int64_t)t->m + 1) * (golds->offsets[row + 1] - golds->offsets[row] + 1);
            if (l->work > limit) return GP_TOO_LONG;
        }
    for (int64_t gold = begin; gold < end; gold++) {
        int failed = 0;
        if (golds->starts[gold] == golds->ends[gold])
            failed = gp_list_place(l, t, golds, begin, gold, end, first_row);
        else if (golds->starts[gold] < golds->ends[gold])
            for (int64_t row = golds->alternatives[gold]; row < golds->alternatives[gold + 1] && !failed; row++)
                failed = gp_list_spans(l, t, golds, gold, row, max_unchanged, limit, first_row);
        if (failed) return failed;
    }
    gp_jump *jumps = (gp_jump *)l->jump.data;
    gp_start *starts = (gp_start *)gp_room(&l->start, ((size_t)l->jumps + 1) * sizeof(gp_start));
    if (starts == NULL) return GP_NO_MEMORY;
    if (l->jumps) qsort(jumps, (size_t)l->jumps, sizeof(gp_jump), gp_compare_jumps);
    for (int64_t k = 0; k < l->jumps; k++) {
        starts[k].i = jumps[k].i1;
        starts[k].j = jumps[k].j1;
        starts[k].jump = k;
    }
    if (l->jumps) qsort(starts, (size_t)l->jumps, sizeof(gp_start), gp_compare_starts);
    return 0;
}

/* Return the first jump that leads to row i or a later one. */
static inline int64_t gp_first_jump(const gp_linear *l, int32_t i) {
    const gp_jump *jumps = (const gp_jump *)l->jump.data;
    int64_t low = 0, high = l->jumps;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (jumps[middle].i2 < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline int64_t gp_first_start(const gp_linear *l, int32_t i) {
    const gp_start *starts = (const gp_start *)l->start.data;
    int64_t low = 0, high = l->jumps;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (starts[middle].i < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#if defined(__GNUC__) || defined(__clang__)
#define GP_ALWAYS static inline __attribute__((always_inline))
#else
#define GP_ALWAYS static inline
#endif

GP_ALWAYS void gp_take(int64_t *cost, uint16_t *decision, int64_t other, int why) {
    if (other < *cost) {
        *cost = other;
        if (decision != NULL) *decision = (uint16_t)why;
    }
}

/* Take a step from the states of a vertex to those of another. Why is the kind of step, and 3 times 1 more than the open
 * edit where one is closed or goes on. */
GP_ALWAYS void gp_take_step(
    int32_t states, const int64_t *from, int64_t *cost, uint16_t *decision, int kind, int listed, int unchanged
) {
    uint16_t *inside = decision == NULL ? NULL : decision + 1;
    gp_take(cost, decision, from[0] + 1000 + (unchanged ? 0 : listed), kind);
    if (unchanged < states - 1) gp_take(cost + 1 + unchanged, inside ? inside + unchanged : NULL, from[0] + 1001, kind);
    for (int32_t u = 0; u + unchanged < states - 1; u++) {
        gp_take(cost, decision, from[1 + u] + 1000, kind + 3 * (1 + u));
        gp_take(cost + 1 + u + unchanged, inside ? inside + u + unchanged : NULL, from[1 + u] + 1000, kind + 3);
    }
}

/* Find the costs of all states of a row, and the decisions where they are asked for. */
GP_ALWAYS void gp_take_states(
    gp_linear *l, const gp_lattice *t, int32_t i, const int64_t *above, int64_t *row, uint16_t *decisions, int32_t states
) {
    const int32_t *low = (const int32_t *)t->bounds.data, *high = low + t->n + 1;
    const uint8_t *cells = (const uint8_t *)t->table.data + (int64_t)i * (t->m + 1);
    gp_jump *jumps = (gp_jump *)l->jump.data;
    const gp_start *starts = (const gp_start *)l->start.data;
    int64_t jump = gp_first_jump(l, i), start = gp_first_start(l, i);
    for (int32_t j = low[i]; j <= high[i]; j++) {
        int cell = cells[j];
        if (!(cell >> 6)) continue;
        int64_t *cost = row + (int64_t)j * states;
        uint16_t *decision = decisions == NULL ? NULL : decisions + (int64_t)j * states;
        for (int32_t k = 0; k < states; k++) cost[k] = GP_NEVER;
        if (i == 0 && j == 0) cost[0] = 0;
        for (; jump < l->jumps && jumps[jump].i2 == i && jumps[jump].j2 == j; jump++)
            gp_take(cost, decision, jumps[jump].cost + GP_GOLD, GP_JUMP);
        for (int kind = 0; kind < 3; kind++) {
            int listed = gp_step(cell, kind);
            if (!listed) continue;
            const int64_t *from = kind == 2 ? cost - states : above + (int64_t)(kind == 0 ? j - 1 : j) * states;
            gp_take_step(states, from, cost, decision, kind, listed, gp_keeps(t, i, j, kind));
        }
        for (; start < l->jumps && starts[start].i == i && starts[start].j == j; start++)
            jumps[starts[start].jump].cost = cost[0];
    }
}

/* Do so, with code of its own for the usual number of states. */
static inline void gp_take_row(
    gp_linear *l, const gp_lattice *t, int32_t i, const int64_t *above, int64_t *row, uint16_t *decisions
) {
    if (l->states != 4)
        gp_take_states(l, t, i, above, row, decisions, l->states);
    else if (decisions != NULL)
        gp_take_states(l, t, i, above, row, decisions, 4);
    else
        gp_take_states(l, t, i, above, row, NULL, 4);
}

/* The way back, an edit at a time, and where it is now. */
typedef struct {
    gp_path *path;
    int32_t i, j, state; /* the vertex, and 0 or 1 more than the unchanged tokens of the open edit */
    int32_t end_i, end_j; /* where the open edit ends */
} gp_way_back;

static inline int gp_append(gp_path *path, gp_edit edit) {
    path->edits = (gp_edit *)gp_room(&path->memory, ((size_t)path->size + 1) * sizeof(gp_edit));
    if (path->edits == NULL) return GP_NO_MEMORY;
    path->edits[path->size++] = edit;
    return 0;
}

/* Go back over a jump: the first, of those that lead here, that costs least. */
static inline void gp_jump_back(const gp_linear *l, gp_way_back *way) {
    const gp_jump *jumps = (const gp_jump *)l->jump.data, *best = NULL;
    for (int64_t k = gp_first_jump(l, way->i); k < l->jumps && jumps[k].i2 == way->i && jumps[k].j2 <= way->j; k++)
        if (jumps[k].j2 == way->j && (best == NULL || jumps[k].cost < best->cost)) best = &jumps[k];
    way->i = best->i1;
    way->j = best->j1;
}

/* Go back from a state to the one before it, and append the edit that starts there, if any. */
static inline int gp_step_back(
    const gp_linear *l, const gp_lattice *t, gp_way_back *way, const uint16_t *decisions, int first_row
) {
    int why = decisions[(int64_t)way->j * l->states + way->state], inserting, is_kept = 0;
    int32_t i = way->i, j = way->j;
    if (way->state == 0) {
        way->end_i = i;
        way->end_j = j;
    }
    if (why == GP_JUMP && way->state == 0) {
        gp_jump_back(l, way);
        is_kept = way->i + 1 == i && way->j + 1 == j && gp_keeps(t, i, j, 0);
        inserting = way->i == i;
    } else {
        int kind = why % 3, from = why / 3, unchanged = gp_keeps(t, i, j, kind);
        is_kept = way->state == 0 && from == 0 && unchanged;
        if (way->state > 0 && from > 0) from = way->state - unchanged;
        way->i -= kind < 2;
        way->j -= kind != 1;
        way->state = from;
        inserting = kind == 2;
    }
    if (way->state > 0 || is_kept) return 0;
    return gp_append(way->path, gp_edit_between(way->i, way->j, way->end_i, way->end_j, inserting, first_row));
}

/* Find the edits of an aligned pair of lines, from left to right. */
static inline int gp_linear_path(gp_linear *l, const gp_lattice *t, int first_row, gp_path *path) {
    int64_t width = ((int64_t)t->m + 1) * l->states, size = 1;
    while (size * size < t->n + 1) size++;
    size = 2 * size;
    int64_t blocks = (t->n + size) / size;
    if (size > t->n + 1) size = t->n + 1;
    int64_t *row = (int64_t *)gp_room(&l->costs, 2 * (size_t)width * sizeof(int64_t));
    int64_t *kept = (int64_t *)gp_room(&l->kept, (size_t)(blocks * width) * sizeof(int64_t));
    uint16_t *decisions = (uint16_t *)gp_room(&l->decisions, (size_t)(size * width) * sizeof(uint16_t));
    if (row == NULL || kept == NULL || decisions == NULL) return GP_NO_MEMORY;
    int64_t *above = row + width, *other;
    for (int32_t i = 0; i <= t->n; i++) {
        if (i % size == 0 && i) memcpy(kept + i / size * width, above, (size_t)width * sizeof(int64_t));
        gp_take_row(l, t, i, above, row, NULL);
        other = above;
        above = row;
        row = other;
    }
    gp_way_back way = {path, t->n, t->m, 0, t->n, t->m};
    path->size = 0;
    while (way.i > 0 || way.j > 0) {
        int32_t first = (int32_t)(way.i / size * size);
        if (first) memcpy(above, kept + first / size * width, (size_t)width * sizeof(int64_t));
        for (int32_t i = first; i <= way.i; i++) {
            gp_take_row(l, t, i, above, row, decisions + (i - first) * width);
            other = above;
            above = row;
            row = other;
        }
        while (way.i >= first && (way.i > 0 || way.j > 0))
            if (gp_step_back(l, t, &way, decisions + (way.i - first) * width, first_row)) return GP_NO_MEMORY;
    }
    for (int32_t k = 0; k < path->size / 2; k++) {
        gp_edit edit = path->edits[k];
        path->edits[k] = path->edits[path->size - 1 - k];
        path->edits[path->size - 1 - k] = edit;
    }
    return 0;
}

#endif
