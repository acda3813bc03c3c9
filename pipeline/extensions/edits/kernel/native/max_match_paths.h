/* The best path of MaxMatch and the gold edits that it matches, compiled: the twin of `python/max_match.py`. */
#ifndef GEC_PIPELINE_MAX_MATCH_PATHS_H
#define GEC_PIPELINE_MAX_MATCH_PATHS_H

#include <math.h>

#include "max_match_lattice.h"

typedef struct {
    const int64_t *firsts, *alternatives, *offsets;
    const int32_t *starts, *ends, *ids;
} gp_golds;

/* Source tokens i1 to i2 became output tokens j1 to j2; start and end are compared with gold edits. */
typedef struct {
    int32_t i1, i2, j1, j2, start, end;
} gp_edit;

typedef struct {
    int32_t arc;
    double weight;
} gp_old_weight;

/* The lower-cased bytes of each token. */
typedef struct {
    const unsigned char *data;
    const int64_t *ends; /* or NULL where nothing is folded */
} gp_folded;

typedef struct {
    gp_edit *edits;
    int32_t size;
    gp_memory memory;
} gp_path;

typedef struct {
    gp_memory lengths, before, old, occurrences, places;
    int32_t n_old;
} gp_search;

static inline void gp_free_search(gp_search *s) {
    gp_memory *all[] = {&s->lengths, &s->before, &s->old, &s->occurrences, &s->places};
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) free(all[k]->data);
}

static inline gp_edit gp_edit_between(int32_t i1, int32_t j1, int32_t i2, int32_t j2, int inserting, int first_row) {
    gp_edit edit = {i1, i2, j1, j2, i1, i2};
    if (first_row && i1 == 0 && inserting) edit.start = j1;
    if (first_row && i2 == 0) edit.end = j2 - 1;
    return edit;
}

static inline gp_edit gp_edit_of(const gp_lattice *t, const gp_arc *arc, int first_row) {
    const gp_vertex *vertices = (const gp_vertex *)t->vertex.data;
    const gp_vertex *source = &vertices[arc->source], *target = &vertices[arc->target];
    return gp_edit_between(source->i, source->j, target->i, target->j, arc->inserting, first_row);
}

static inline int gp_fits(const gp_golds *golds, int64_t gold, const gp_edit *edit, const int32_t *output) {
    int32_t start = golds->starts[gold], end = golds->ends[gold], size = edit->j2 - edit->j1;
    if (edit->start != start || edit->end != end || edit->i2 - edit->i1 != end - start) return 0;
    for (int64_t row = golds->alternatives[gold]; row < golds->alternatives[gold + 1]; row++) {
        if (golds->offsets[row + 1] - golds->offsets[row] != size) continue;
        if (size == 0 || !memcmp(golds->ids + golds->offsets[row], output + edit->j1, size * sizeof(int32_t))) return 1;
    }
    return 0;
}

/* Keep the weight of an arc for gp_restore(). */
static inline int gp_keep(gp_search *s, const gp_arc *arcs, int32_t arc) {
    gp_old_weight *old = (gp_old_weight *)gp_room(&s->old, ((size_t)s->n_old + 1) * sizeof(gp_old_weight));
    if (old == NULL) return GP_NO_MEMORY;
    old[s->n_old].arc = arc;
    old[s->n_old++].weight = arcs[arc].weight;
    return 0;
}

static inline void gp_restore(gp_search *s, gp_lattice *t) {
    const gp_old_weight *old = (const gp_old_weight *)s->old.data;
    gp_arc *arcs = (gp_arc *)t->arc.data;
    while (s->n_old > 0) {
        s->n_old--;
        arcs[old[s->n_old].arc].weight = old[s->n_old].weight;
    }
}

/* Weigh the arcs that match a gold edit which replaces something. */
static inline int gp_weigh_span(gp_search *s, gp_lattice *t, const gp_golds *golds, int64_t gold, int first_row) {
    const int32_t *rows = (const int32_t *)t->rows.data, *first = (const int32_t *)t->first.data;
    gp_arc *arcs = (gp_arc *)t->arc.data;
    int32_t start = golds->starts[gold], end = golds->ends[gold], low = rows[end], high = rows[end + 1];
    for (int32_t e = first[rows[start]]; e < first[rows[start + 1]]; e++) {
        if (arcs[e].target < low || arcs[e].target >= high || !arcs[e].listed) continue;
        gp_edit edit = gp_edit_of(t, &arcs[e], first_row);
        if (!gp_fits(golds, gold, &edit, t->y)) continue;
        if (gp_keep(s, arcs, e)) return GP_NO_MEMORY;
        arcs[e].weight = -(double)t->listed;
    }
    return 0;
}

/* Append an arc to the occurrences as often as it is listed. */
static inline int gp_occur(gp_search *s, const gp_arc *arcs, int32_t arc, int64_t *size) {
    int32_t *all = (int32_t *)gp_room(&s->occurrences, ((size_t)*size + arcs[arc].listed) * sizeof(int32_t));
    if (all == NULL && arcs[arc].listed) return GP_NO_MEMORY;
    for (int k = 0; k < arcs[arc].listed; k++) all[(*size)++] = arc;
    return 0;
}

/* List the arcs of insertions at a place, in the order of their vertices, as often as they are listed. */
static inline int gp_list_insertions(gp_search *s, const gp_lattice *t, int32_t place, int first_row, int64_t *size) {
    const int32_t *rows = (const int32_t *)t->rows.data, *first = (const int32_t *)t->first.data;
    const gp_arc *arcs = (const gp_arc *)t->arc.data;
    *size = 0;
    if (first_row && place < rows[1]) { /* wrong spans: these come from vertex (0, place) */
        for (int32_t e = first[place]; e < first[place + 1]; e++) {
            gp_edit edit = gp_edit_of(t, &arcs[e], first_row);
            if (edit.start != place || edit.end != place) continue;
            int64_t from = *size;
            if (gp_occur(s, arcs, e, size)) return GP_NO_MEMORY;
            int32_t *all = (int32_t *)s->occurrences.data; /* arcs of a vertex need not be in order: sort them */
            for (int64_t k = from; k < *size; k++)
                for (int64_t l = k; l > 0 && arcs[all[l - 1]].target > arcs[all[l]].target; l--) {
                    int32_t arc = all[l];
                    all[l] = all[l - 1];
                    all[l - 1] = arc;
                }
        }
    }
    if (first_row && place == 0) return 0;
    for (int32_t e = first[rows[place]]; e < first[rows[place + 1]]; e++)
        if (arcs[e].target < rows[place + 1] && gp_occur(s, arcs, e, size)) return GP_NO_MEMORY;
    return 0;
}

/* Weigh the arcs of insertions at one place: see _weigh_insertions() in the twin. */
static inline void gp_weigh_insertions(
    gp_lattice *t, const gp_golds *golds, const int32_t *occurrences, int64_t size, const int32_t *places, int32_t n,
    int first_row
) {
    gp_arc *arcs = (gp_arc *)t->arc.data;
    int64_t left = 0, right = size - 1, first = 0, last = (int64_t)n - 1;
    int from_left = 1;
    while (left <= right) {
        from_left = from_left || left == right;
        gp_arc *arc = &arcs[occurrences[from_left ? left : right]];
        gp_edit edit = gp_edit_of(t, arc, first_row);
        int64_t hit = from_left ? first : last;
        while (hit >= first && hit <= last && !gp_fits(golds, places[hit], &edit, t->y)) hit += from_left ? 1 : -1;
        int is_hit = hit >= first && hit <= last;
        if (is_hit)
            arc->weight = -(double)t->listed;
        else
            arc->weight += gp_unchanged(arc) ? 0.0 : 0.001;
        if (from_left) {
            left++;
            if (is_hit) first = hit + 1;
            for (; is_hit && left < size && arcs[occurrences[left]].source != arc->target; left++)
                arcs[occurrences[left]].weight += 0.001;
        } else {
            right--;
            if (is_hit) last = hit - 1;
            for (; is_hit && right >= 0 && arcs[occurrences[right]].target != arc->source; right--)
                arcs[occurrences[right]].weight += 0.001;
        }
        if (!is_hit) from_left = !from_left;
    }
}

/* Weigh the insertions at the place of a gold edit, unless an earlier edit was at the same place. */
static inline int gp_weigh_place(
    gp_search *s, gp_lattice *t, const gp_golds *golds, int64_t begin, int64_t gold, int64_t end, int first_row
) {
    int32_t place = golds->starts[gold], n = 0;
    int64_t size;
    for (int64_t g = begin; g < gold; g++)
        if (golds->starts[g] == place && golds->ends[g] == place) return 0;
    int32_t *places = (int32_t *)gp_room(&s->places, (size_t)(end - gold) * sizeof(int32_t));
    if (places == NULL || gp_list_insertions(s, t, place, first_row, &size)) return GP_NO_MEMORY;
    for (int64_t g = gold; g < end; g++)
        if (golds->starts[g] == place && golds->ends[g] == place) places[n++] = (int32_t)(g - gold);
    const int32_t *occurrences = (const int32_t *)s->occurrences.data;
    gp_arc *arcs = (gp_arc *)t->arc.data;
    for (int64_t k = 0; k < size; k++)
        if (k == 0 || occurrences[k] != occurrences[k - 1]) {
            if (gp_keep(s, arcs, occurrences[k])) return GP_NO_MEMORY;
            arcs[occurrences[k]].weight = arcs[occurrences[k]].steps;
        }
    gp_golds shifted = *golds;
    shifted.starts += gold;
    shifted.ends += gold;
    shifted.alternatives += gold;
    gp_weigh_insertions(t, &shifted, occurrences, size, places, n, first_row);
    return 0;
}

/* Weigh all arcs for the gold edits begin <= g < end; changed says whether any weight is not the one without gold. */
static inline int gp_weigh(
    gp_search *s, gp_lattice *t, const gp_golds *golds, int64_t begin, int64_t end, int first_row, int *changed
) {
    s->n_old = 0;
    for (int64_t gold = begin; gold < end; gold++) {
        int32_t start = golds->starts[gold], stop = golds->ends[gold];
        if (start < stop && gp_weigh_span(s, t, golds, gold, first_row)) return GP_NO_MEMORY;
        if (start == stop && gp_weigh_place(s, t, golds, begin, gold, end, first_row)) return GP_NO_MEMORY;
    }
    const gp_old_weight *old = (const gp_old_weight *)s->old.data;
    const gp_arc *arcs = (const gp_arc *)t->arc.data;
    *changed = 0;
    for (int32_t k = 0; k < s->n_old; k++) *changed |= arcs[old[k].arc].weight != old[k].weight;
    return 0;
}

/* Find the shortest path with the method of Bellman and Ford; its edits, from left to right, are the path's. */
static inline int gp_search_path(gp_search *s, const gp_lattice *t, int first_row, gp_path *path) {
    double *lengths = (double *)gp_room(&s->lengths, t->vertices * sizeof(double));
    int32_t *before = (int32_t *)gp_room(&s->before, t->vertices * sizeof(int32_t));
    const int32_t *order = (const int32_t *)t->order.data;
    const gp_arc *arcs = (const gp_arc *)t->arc.data;
    if (lengths == NULL || before == NULL) return GP_NO_MEMORY;
    for (int32_t v = 0; v < t->vertices; v++) lengths[v] = v ? INFINITY : 0.0;
    for (int32_t round = 1, changed = 1; round < t->vertices && changed; round++) {
        changed = 0;
        for (int32_t k = 0; k < t->ordered; k++) {
            const gp_arc *arc = &arcs[order[k]];
            double length = lengths[arc->source] + arc->weight;
            if (length < lengths[arc->target]) {
                lengths[arc->target] = length;
                before[arc->target] = order[k];
                changed = 1;
            }
        }
    }
    path->size = 0;
    for (int32_t v = t->vertices - 1; v > 0; v = arcs[before[v]].source)
        path->size += !gp_unchanged(&arcs[before[v]]);
    path->edits = (gp_edit *)gp_room(&path->memory, (size_t)path->size * sizeof(gp_edit) + 1);
    if (path->edits == NULL) return GP_NO_MEMORY;
    int32_t place = path->size;
    for (int32_t v = t->vertices - 1; v > 0; v = arcs[before[v]].source)
        if (!gp_unchanged(&arcs[before[v]])) path->edits[--place] = gp_edit_of(t, &arcs[before[v]], first_row);
    return 0;
}

/* Return whether two runs of tokens have the same lower-cased bytes. */
static inline int gp_folds(const gp_folded *f, const int32_t *one, int32_t n, const int32_t *two, int32_t m) {
    int32_t i = 0, j = 0;
    int64_t at1 = 0, end1 = 0, at2 = 0, end2 = 0;
    for (;;) {
        for (; at1 == end1 && i < n; i++) {
            at1 = one[i] ? f->ends[one[i] - 1] : 0;
            end1 = f->ends[one[i]];
        }
        for (; at2 == end2 && j < m; j++) {
            at2 = two[j] ? f->ends[two[j] - 1] : 0;
            end2 = f->ends[two[j]];
        }
        if (at1 == end1 || at2 == end2) return at1 == end1 && at2 == end2;
        int64_t size = end1 - at1 < end2 - at2 ? end1 - at1 : end2 - at2;
        if (memcmp(f->data + at1, f->data + at2, (size_t)size)) return 0;
        at1 += size;
        at2 += size;
    }
}

/* Leave out edits that only change case and white space. */
static inline void gp_drop_folded(const gp_folded *f, const int32_t *x, const int32_t *y, gp_path *path) {
    int32_t kept = 0;
    for (int32_t k = 0; k < path->size; k++) {
        gp_edit edit = path->edits[k];
        if (!gp_folds(f, x + edit.i1, edit.i2 - edit.i1, y + edit.j1, edit.j2 - edit.j1)) path->edits[kept++] = edit;
    }
    path->size = kept;
}

/* Count the gold edits begin <= g < end that an edit matches, from *start on, which is then behind the last. */
static inline int32_t gp_match(
    const gp_golds *golds, int64_t *start, int64_t end, const gp_edit *edit, const int32_t *y, uint8_t *matched
) {
    int32_t hits = 0;
    for (int64_t gold = *start; gold < end; gold++) {
        if (!gp_fits(golds, gold, edit, y)) continue;
        hits++;
        *start = gold + 1;
        if (matched != NULL) matched[gold] = 1;
    }
    return hits;
}

#endif
