/* Draws with replacement, as numpy's integers() makes them with PCG64, and how often each thing is drawn.
 *
 * Words come from several states side by side, each so many steps ahead of the one before it that together they make
 * one stream. */
#ifndef GEC_PIPELINE_SAMPLES_H
#define GEC_PIPELINE_SAMPLES_H

#include "pcg64.h"

#define GP_SIDE 16    /* states side by side */
#define GP_CHUNK 128 /* words that are made at once: a multiple of GP_SIDE */

/* A generator of numpy with the half of a word that it has not used yet. */
typedef struct {
    gp_128 state, step;
    int has_half;
    uint32_t half;
} gp_generator;

/* States whose words come next, one after the other; and what takes each of them GP_SIDE steps on. */
typedef struct {
    uint64_t high[GP_SIDE], low[GP_SIDE];
    gp_128 factor, step;
} gp_side;

static inline uint32_t gp_half(gp_generator *own) {
    uint64_t word;
    own->has_half ^= 1;
    if (!own->has_half) return own->half;
    own->state = gp_word(own->state, own->step, &word);
    own->half = (uint32_t)(word >> 32);
    return (uint32_t)word;
}

/* Draw one of `things` as numpy's integers() does (Lemire 2019): 32 bits times their number, again where a few numbers
 * would be drawn more often than others. */
static inline uint32_t gp_thing(gp_generator *own, uint32_t things, uint32_t rest) {
    uint64_t product = (uint64_t)gp_half(own) * things;
    while ((uint32_t)product < rest) product = (uint64_t)gp_half(own) * things;
    return (uint32_t)(product >> 32);
}

static gp_side gp_side_of(const gp_generator *own) {
    const gp_128 factor = GP_FACTOR;
    gp_128 state = own->state, none = {0, 0}, one = {0, 1};
    gp_side side;
    side.factor = one, side.step = none;
    for (int i = 0; i < GP_SIDE; i++) {
        state = gp_plus(gp_times(state, factor), own->step);
        side.high[i] = state.high, side.low[i] = state.low;
        side.factor = gp_times(side.factor, factor);
        side.step = gp_plus(gp_times(side.step, factor), own->step);
    }
    return side;
}

/* Write the draws that the next GP_CHUNK words give, and return how many they are. Words that are passed over give none. */
static int gp_chunk(gp_side *side, uint32_t things, uint32_t rest, uint32_t *draws) {
    const gp_128 factor = side->factor, step = side->step;
    int count = 0;
    for (int k = 0; k < GP_CHUNK; k += GP_SIDE)
        for (int i = 0; i < GP_SIDE; i++) {
            gp_128 state = {side->high[i], side->low[i]};
            int turn = (int)(state.high >> 58);
            uint64_t mixed = state.high ^ state.low, word = mixed >> turn | mixed << (-turn & 63);
            uint64_t first = (uint64_t)(uint32_t)word * things, second = (word >> 32) * things;
            draws[count] = (uint32_t)(first >> 32);
            count += (uint32_t)first >= rest;
            draws[count] = (uint32_t)(second >> 32);
            count += (uint32_t)second >= rest;
            state = gp_plus(gp_times(state, factor), step);
            side->high[i] = state.high, side->low[i] = state.low;
        }
    return count;
}

#define GP_PART 16 /* counts are cut into parts of 1 << GP_PART, which a near cache holds */

/* Draws that wait to be counted, by the parts of the counts: 16 bits each, `room` of them for each part. */
typedef struct {
    uint16_t *draws;
    uint32_t *used;
    uint32_t room;
} gp_waiting;

static inline void gp_count_part(const gp_waiting *waiting, uint32_t part, uint8_t *counts) {
    uint8_t *own = counts + ((size_t)part << GP_PART);
    const uint16_t *draws = waiting->draws + (size_t)part * waiting->room;
    for (uint32_t i = 0; i < waiting->used[part]; i++) own[draws[i]]++;
    waiting->used[part] = 0;
}

static inline void gp_count_far(const gp_waiting *waiting, const uint32_t *draws, int64_t count, uint8_t *counts) {
    uint32_t room = waiting->room, *used = waiting->used;
    for (int64_t i = 0; i < count; i++) {
        uint32_t part = draws[i] >> GP_PART;
        waiting->draws[(size_t)part * room + used[part]] = (uint16_t)draws[i];
        if (++used[part] == room) gp_count_part(waiting, part, counts);
    }
}

/* Where draws are counted: as bytes, as bytes part after part (`waiting`), as 64 bits, or not at all. */
typedef struct {
    uint8_t *small;
    uint64_t *large;
    const gp_waiting *waiting;
} gp_counts;

static inline void gp_count(const gp_counts *counts, const uint32_t *draws, int64_t count) {
    if (counts->waiting)
        gp_count_far(counts->waiting, draws, count, counts->small);
    else if (counts->small)
        for (int64_t i = 0; i < count; i++) counts->small[draws[i]]++;
    else if (counts->large)
        for (int64_t i = 0; i < count; i++) counts->large[draws[i]]++;
}

/* Draw with replacement as many things as there are, and count them. */
static void gp_add_row(gp_generator *own, uint32_t things, const gp_counts *counts) {
    uint32_t rest = (uint32_t)(0u - things) % things, draws[2 * GP_CHUNK + 16], left = things;
    if (things == 1) { /* for which numpy draws nothing */
        draws[0] = 0;
        gp_count(counts, draws, 1);
        return;
    }
    for (; left && own->has_half; left--) {
        draws[0] = gp_thing(own, things, rest);
        gp_count(counts, draws, 1);
    }
    if (left > 2 * GP_CHUNK) {
        gp_side side = gp_side_of(own);
        uint64_t words = 0;
        for (; left > 2 * GP_CHUNK; words += GP_CHUNK) {
            int count = gp_chunk(&side, things, rest, draws);
            gp_count(counts, draws, count);
            left -= (uint32_t)count;
        }
        own->state = gp_ahead(own->state, own->step, words);
    }
    gp_generator local = *own;
    for (uint32_t i = 0; i < left; i++) draws[i] = gp_thing(&local, things, rest);
    gp_count(counts, draws, left);
    *own = local;
    for (uint32_t part = 0; counts->waiting && part <= (things - 1) >> GP_PART; part++)
        gp_count_part(counts->waiting, part, counts->small);
}

#endif
