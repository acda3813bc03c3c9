/* The lattice of MaxMatch, compiled: the twin of `python/max_match.py`.
 *
 * The table of alignments has a byte for each cell: bits 0 to 2 say whether an insertion, a deletion or a diagonal step
 * into it is best where a substitution costs 1, bits 3 to 5 the same where it costs 2, and bits 6 and 7 whether the end
 * is reached from it in these two. Functions return 0, or one of the codes below. */
#ifndef GEC_PIPELINE_MAX_MATCH_LATTICE_H
#define GEC_PIPELINE_MAX_MATCH_LATTICE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GP_NO_MEMORY (-1)
#define GP_TOO_LONG (-2)
#define GP_MANY_ARCS 1

#define GP_FEW 6         /* the cost beyond the difference of lengths that most outputs do not exceed */
#define GP_FAR (1 << 29) /* the cost of a cell that is not reached */

#if defined(_MSC_VER)
#include <intrin.h>
static inline int gp_lowest_bit(uint64_t word) {
    unsigned long place;
    if (_BitScanForward(&place, (unsigned long)word)) return (int)place;
    _BitScanForward(&place, (unsigned long)(word >> 32));
    return 32 + (int)place;
}
#else
static inline int gp_lowest_bit(uint64_t word) { return __builtin_ctzll(word); }
#endif

/* Memory that is used again from line to line. */
typedef struct {
    void *data;
    size_t capacity;
} gp_memory;

/* Make room for so many bytes and keep what is there; return it, or NULL where there is no memory. */
static inline void *gp_room(gp_memory *memory, size_t bytes) {
    if (bytes > memory->capacity) {
        size_t capacity = bytes + bytes / 2 + 1024;
        void *data = realloc(memory->data, capacity);
        if (data == NULL) return NULL;
        memory->data = data;
        memory->capacity = capacity;
    }
    return memory->data;
}

typedef struct {
    int32_t i, j;
    int32_t next[3];   /* the vertices to which steps lead, in ascending order */
    uint8_t listed[3]; /* in how many of the two tables each step is best */
    uint8_t steps;
    uint8_t unchanged; /* whether the last step leaves a token as it is */
} gp_vertex;

typedef struct {
    int32_t source, target; /* vertices */
    double weight;
    int32_t steps;
    uint16_t unchanged; /* steps that leave a token as they are; the limits of `gold_edits.py` keep it below 11,585 */
    uint8_t listed;     /* how often it is in the list of arcs that is searched */
    uint8_t inserting;  /* whether its first step is an insertion */
} gp_arc;

typedef struct {
    int32_t middle, arc;
} gp_event;

typedef struct {
    int32_t n, m;
    const int32_t *x, *y;
    int64_t listed; /* arcs of the list that is searched, with repetitions */
    int32_t vertices, arcs, ordered;
    gp_memory table, bounds, costs, ids, vertex, rows, arc, first, event, counts, order, at, bits;
} gp_lattice;

static inline void gp_free_lattice(gp_lattice *t) {
    gp_memory *all[] = {&t->table, &t->bounds, &t->costs, &t->ids,    &t->vertex, &t->rows, &t->arc,
                        &t->first, &t->event,  &t->counts, &t->order, &t->at,     &t->bits};
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) free(all[k]->data);
}

static inline int gp_unchanged(const gp_arc *arc) { return arc->unchanged == arc->steps; }

static inline int gp_listed(int cell) { /* how many steps into a cell there are, those of both tables twice */
    cell = (cell & 0x15) + ((cell >> 1) & 0x15);
    return (cell & 3) + ((cell >> 2) & 3) + ((cell >> 4) & 3);
}

/* Note in each cell of a band which steps into it are best; return what the alignment costs where a substitution costs 2.
 *
 * An alignment of this cost inserts at most (cost + m - n) / 2 tokens and deletes at most (cost - m + n) / 2. All best
 * alignments are in the band of cells that so many insertions and deletions reach. The band is that of `most`, which is
 * at least the difference of n and m. Where the returned cost is higher, the band was too narrow to hold all of them. */
static inline int32_t gp_fill_band(const gp_lattice *t, uint8_t *cell, int32_t *one, int32_t *two, int32_t most) {
    int32_t m = t->m, deleted = (most - m + t->n) / 2, inserted = (most + m - t->n) / 2;
    int32_t last = inserted < m ? inserted : m;
    for (int32_t j = 0; j <= last; j++) {
        one[j] = two[j] = j;
        cell[j] = j ? 1 | 8 : 0;
    }
    for (int32_t i = 1; i <= t->n; i++) {
        int32_t token = t->x[i - 1], first = i - deleted, left1 = GP_FAR, left2 = GP_FAR, diagonal1, diagonal2;
        cell += m + 1;
        if (last < m) { /* no step comes from above into the last cell of the row */
            last++;
            one[last] = two[last] = GP_FAR;
        }
        if (first <= 0) {
            diagonal1 = diagonal2 = i - 1;
            cell[0] = 2 | 16;
            one[0] = two[0] = left1 = left2 = i;
            first = 1;
        } else {
            diagonal1 = one[first - 1];
            diagonal2 = two[first - 1];
        }
        for (int32_t j = first; j <= last; j++) {
            int32_t other = token != t->y[j - 1];
            int32_t a1 = left1 + 1, b1 = one[j] + 1, c1 = diagonal1 + other;
            int32_t a2 = left2 + 1, b2 = two[j] + 1, c2 = diagonal2 + 2 * other;
            diagonal1 = one[j];
            diagonal2 = two[j];
            left1 = b1 < c1 ? b1 : c1;
            left1 = a1 < left1 ? a1 : left1;
            left2 = b2 < c2 ? b2 : c2;
            left2 = a2 < left2 ? a2 : left2;
            one[j] = left1;
            two[j] = left2;
            cell[j] = (uint8_t)((a1 == left1) | (b1 == left1) << 1 | (c1 == left1) << 2 | (a2 == left2) << 3 |
                                (b2 == left2) << 4 | (c2 == left2) << 5);
        }
    }
    return two[m];
}

/* Note which steps are best in all cells that a best alignment may pass. Other cells are left as they were. */
static inline void gp_fill_table(const gp_lattice *t, uint8_t *table, int32_t *one, int32_t *two) {
    int32_t most = (t->n < t->m ? t->m - t->n : t->n - t->m) + GP_FEW;
    int32_t cost = gp_fill_band(t, table, one, two, most);
    if (cost > most) gp_fill_band(t, table, one, two, cost);
}

/* Keep only steps from which the end is reached; note in low and high the columns of each row where there are any. */
static inline void gp_trace_table(gp_lattice *t, uint8_t *table, int32_t *low, int32_t *high) {
    int64_t width = (int64_t)t->m + 1;
    t->vertices = 0;
    t->listed = 0;
    for (int32_t i = 0; i <= t->n; i++) {
        low[i] = t->m + 1;
        high[i] = -1;
    }
    low[t->n] = high[t->n] = t->m;
    table[t->n * width + t->m] |= 0xC0;
    for (int32_t i = t->n; i >= 0; i--) {
        uint8_t *row = table + i * width, *above = i ? row - width : row;
        int32_t first = low[i], last = high[i], top_first = t->m + 1, top_last = -1;
        for (int32_t j = last; j >= first; j--) {
            int cell = row[j], reached = cell >> 6;
            if (!reached) {
                row[j] = 0;
                continue;
            }
            cell &= (reached & 1 ? 7 : 0) | (reached & 2 ? 56 : 0);
            row[j] = (uint8_t)(cell | reached << 6);
            int insertion = (cell & 1) | (cell >> 2 & 2), deletion = (cell >> 1 & 1) | (cell >> 3 & 2);
            int diagonal = (cell >> 2 & 1) | (cell >> 4 & 2);
            if (insertion) {
                row[j - 1] |= (uint8_t)(insertion << 6);
                if (j - 1 < first) first = j - 1;
            }
            if (deletion) {
                above[j] |= (uint8_t)(deletion << 6);
                if (j > top_last) top_last = j;
                top_first = j;
            }
            if (diagonal) {
                above[j - 1] |= (uint8_t)(diagonal << 6);
                if (j - 1 > top_last) top_last = j - 1;
                top_first = j - 1;
            }
            t->vertices++;
            t->listed += gp_listed(cell);
        }
        low[i] = first;
        if (i) {
            low[i - 1] = top_first;
            high[i - 1] = top_last;
        }
    }
}

/* Fill the table of alignments of two lines. */
static inline int gp_align(gp_lattice *t, const int32_t *x, int32_t n, const int32_t *y, int32_t m) {
    uint8_t *table = (uint8_t *)gp_room(&t->table, (size_t)(n + 1) * (m + 1));
    int32_t *costs = (int32_t *)gp_room(&t->costs, 2 * (size_t)(m + 1) * sizeof(int32_t));
    int32_t *bounds = (int32_t *)gp_room(&t->bounds, 2 * (size_t)(n + 1) * sizeof(int32_t));
    if (table == NULL || costs == NULL || bounds == NULL) return GP_NO_MEMORY;
    t->x = x;
    t->y = y;
    t->n = n;
    t->m = m;
    gp_fill_table(t, table, costs, costs + m + 1);
    gp_trace_table(t, table, bounds, bounds + n + 1);
    return 0;
}

static inline void gp_add_step(gp_vertex *vertex, int32_t target, int listed) {
    vertex->next[vertex->steps] = target;
    vertex->listed[vertex->steps] = (uint8_t)((listed & 1) + (listed >> 1));
    vertex->steps++;
}

/* Number the vertices of the table, and list the steps from each. */
static inline int gp_number_vertices(gp_lattice *t) {
    const uint8_t *row = (const uint8_t *)t->table.data;
    const int32_t *low = (const int32_t *)t->bounds.data, *high = low + t->n + 1;
    gp_vertex *vertices = (gp_vertex *)gp_room(&t->vertex, t->vertices * sizeof(gp_vertex));
    int32_t *rows = (int32_t *)gp_room(&t->rows, ((size_t)t->n + 2) * sizeof(int32_t));
    int32_t *above = (int32_t *)gp_room(&t->ids, 2 * (size_t)(t->m + 1) * sizeof(int32_t));
    if (vertices == NULL || rows == NULL || above == NULL) return GP_NO_MEMORY;
    int32_t *here = above + t->m + 1, number = 0;
    for (int32_t i = 0; i <= t->n; i++, row += t->m + 1) {
        rows[i] = number;
        for (int32_t j = low[i]; j <= high[i]; j++) {
            int cell = row[j];
            if (!(cell >> 6)) continue;
            gp_vertex *vertex = &vertices[number];
            vertex->i = i;
            vertex->j = j;
            vertex->steps = vertex->unchanged = 0;
            int insertion = (cell & 1) | (cell >> 2 & 2), deletion = (cell >> 1 & 1) | (cell >> 3 & 2);
            int diagonal = (cell >> 2 & 1) | (cell >> 4 & 2);
            if (insertion) gp_add_step(vertex - 1, number, insertion);
            if (deletion) gp_add_step(&vertices[above[j]], number, deletion);
            if (diagonal) {
                gp_add_step(&vertices[above[j - 1]], number, diagonal);
                vertices[above[j - 1]].unchanged = t->x[i - 1] == t->y[j - 1];
            }
            here[j] = number++;
        }
        int32_t *other = above;
        above = here;
        here = other;
    }
    rows[t->n + 1] = number;
    return 0;
}

static inline int32_t gp_add_arc(gp_lattice *t, gp_arc *arcs, int32_t source, int32_t target) {
    int32_t *at = (int32_t *)t->at.data;
    uint64_t *bits = (uint64_t *)t->bits.data;
    gp_arc *arc = &arcs[t->arcs];
    arc->source = source;
    arc->target = target;
    arc->listed = 0;
    at[target] = t->arcs;
    bits[target >> 6] |= (uint64_t)1 << (target & 63);
    return t->arcs++;
}

/* Make all arcs from a vertex: its steps, then what they are joined to. Each time that an arc comes into being, an event
 * is noted with the vertex before its last step. There may be `limit` events. */
static inline int gp_join(gp_lattice *t, int32_t source, int32_t max_unchanged, int64_t *events, int64_t limit) {
    const gp_vertex *vertices = (const gp_vertex *)t->vertex.data, *vertex = &vertices[source];
    int32_t *at = (int32_t *)t->at.data, *counts = (int32_t *)t->counts.data, last = source;
    uint64_t *bits = (uint64_t *)t->bits.data;
    gp_arc *arcs = (gp_arc *)gp_room(&t->arc, ((size_t)t->arcs + 3) * sizeof(gp_arc));
    if (arcs == NULL) return GP_NO_MEMORY;
    for (int e = 0; e < vertex->steps; e++) {
        last = vertex->next[e];
        gp_arc *arc = &arcs[gp_add_arc(t, arcs, source, last)];
        arc->steps = 1;
        arc->unchanged = vertex->unchanged && e == vertex->steps - 1;
        arc->listed = vertex->listed[e];
        arc->inserting = vertices[last].i == vertex->i;
    }
    for (int32_t word = source >> 6; word <= last >> 6; word++) {
        uint64_t left = bits[word];
        while (left) {
            int place = gp_lowest_bit(left);
            int32_t middle = word << 6 | place, label = at[middle];
            vertex = &vertices[middle];
            arcs = (gp_arc *)gp_room(&t->arc, ((size_t)t->arcs + 3) * sizeof(gp_arc));
            gp_event *event = (gp_event *)gp_room(&t->event, ((size_t)*events + 3) * sizeof(gp_event));
            if (arcs == NULL || event == NULL) return GP_NO_MEMORY;
            for (int e = 0; e < vertex->steps; e++) {
                int32_t target = vertex->next[e], steps = arcs[label].steps + 1, arc = at[target];
                int32_t unchanged = arcs[label].unchanged + (vertex->unchanged && e == vertex->steps - 1);
                if (unchanged > max_unchanged) continue;
                if (!(bits[target >> 6] >> (target & 63) & 1)) {
                    arc = gp_add_arc(t, arcs, source, target);
                    if (target > last) last = target;
                } else if (steps >= arcs[arc].steps) {
                    continue;
                }
                arcs[arc].steps = steps;
                arcs[arc].unchanged = (uint16_t)unchanged;
                arcs[arc].inserting = arcs[label].inserting;
                event[*events].middle = middle;
                event[*events].arc = arc;
                counts[middle]++;
                if (++*events > limit) return GP_MANY_ARCS;
            }
            left = place == 63 ? 0 : bits[word] & ~(uint64_t)0 << (place + 1); /* steps from it may have added bits */
        }
    }
    memset(bits + (source >> 6), 0, ((size_t)(last >> 6) - (source >> 6) + 1) * sizeof(uint64_t));
    return 0;
}

/* Order arcs as they are searched: steps, then events by the vertex before the last step, without some arcs that change
 * nothing (see _without_some() in the twin). Then weigh them without gold. */
static inline int gp_order(gp_lattice *t, int64_t events) {
    int32_t *counts = (int32_t *)t->counts.data, *first = (int32_t *)t->first.data;
    const gp_event *event = (const gp_event *)t->event.data;
    gp_arc *arcs = (gp_arc *)t->arc.data;
    int32_t *order = (int32_t *)gp_room(&t->order, ((size_t)t->arcs + events + 1) * sizeof(int32_t));
    if (order == NULL) return GP_NO_MEMORY;
    int32_t kept = 0, place, passed = 0;
    for (int32_t v = 0; v < t->vertices; v++) /* the steps of a vertex are the first of its arcs */
        for (int32_t e = first[v]; e < first[v + 1] && arcs[e].listed; e++) order[kept++] = e;
    place = kept;
    for (int32_t v = 0; v < t->vertices; v++) {
        int32_t count = counts[v];
        counts[v] = place;
        place += count;
    }
    for (int64_t e = 0; e < events; e++) order[counts[event[e].middle]++] = event[e].arc;
    for (int32_t e = kept; e < place; e++) {
        gp_arc *arc = &arcs[order[e]];
        passed = !passed && gp_unchanged(arc);
        if (passed) continue;
        order[kept++] = order[e];
        arc->listed++;
        t->listed++;
    }
    t->ordered = kept;
    for (int32_t e = 0; e < t->arcs; e++) {
        arcs[e].weight = arcs[e].steps;
        for (int k = gp_unchanged(&arcs[e]) ? 0 : arcs[e].listed; k > 0; k--) arcs[e].weight += 0.001;
    }
    return 0;
}

/* Make the lattice of an aligned pair of lines. Returns GP_MANY_ARCS where there would be more arcs than the limit. */
static inline int gp_make_lattice(gp_lattice *t, int32_t max_unchanged, int64_t max_arcs) {
    int64_t events = 0, limit = max_arcs - t->listed;
    if (limit < 0) return GP_MANY_ARCS;
    size_t words = ((size_t)t->vertices >> 6) + 1;
    int32_t *first = (int32_t *)gp_room(&t->first, ((size_t)t->vertices + 1) * sizeof(int32_t));
    int32_t *counts = (int32_t *)gp_room(&t->counts, t->vertices * sizeof(int32_t));
    uint64_t *bits = (uint64_t *)gp_room(&t->bits, words * sizeof(uint64_t));
    if (first == NULL || counts == NULL || bits == NULL) return GP_NO_MEMORY;
    int32_t *at = (int32_t *)gp_room(&t->at, t->vertices * sizeof(int32_t));
    if (at == NULL || gp_number_vertices(t)) return GP_NO_MEMORY;
    memset(counts, 0, t->vertices * sizeof(int32_t));
    memset(bits, 0, words * sizeof(uint64_t));
    memset(at, 0, t->vertices * sizeof(int32_t));
    t->arcs = 0;
    for (int32_t v = 0; v < t->vertices; v++) {
        first[v] = t->arcs;
        int failed = gp_join(t, v, max_unchanged, &events, limit);
        if (failed) return failed;
    }
    first[t->vertices] = t->arcs;
    return gp_order(t, events);
}

#endif
