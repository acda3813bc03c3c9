/* numpy's generator PCG64 (O'Neill 2014): a product of 128 bits for each draw. And draws with replacement. */
#ifndef GEC_PIPELINE_PCG64_H
#define GEC_PIPELINE_PCG64_H

#include <stdint.h>

typedef struct {
    uint64_t high, low;
} gp_128;

static inline gp_128 gp_product(uint64_t a, uint64_t b) {
    gp_128 result;
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)a * b;
    result.high = (uint64_t)(product >> 64), result.low = (uint64_t)product;
#else
    uint64_t low = (uint32_t)a * (uint64_t)(uint32_t)b, one = (a >> 32) * (uint32_t)b + (low >> 32);
    uint64_t two = (uint32_t)a * (b >> 32) + (uint32_t)one;
    result.high = (a >> 32) * (b >> 32) + (one >> 32) + (two >> 32), result.low = two << 32 | (uint32_t)low;
#endif
    return result;
}

static inline gp_128 gp_times(gp_128 a, gp_128 b) {
    gp_128 result = gp_product(a.low, b.low);
    result.high += a.high * b.low + a.low * b.high;
    return result;
}

static inline gp_128 gp_plus(gp_128 a, gp_128 b) {
    gp_128 result = {a.high + b.high, a.low + b.low};
    result.high += result.low < a.low;
    return result;
}

#define GP_FACTOR {0x2360ed051fc65da4u, 0x4385df649fccf645u}

/* Return a state after so many draws. */
static gp_128 gp_ahead(gp_128 state, gp_128 step, uint64_t draws) {
    gp_128 factor = GP_FACTOR, one = {0, 1};
    for (; draws; draws >>= 1) {
        if (draws & 1) state = gp_plus(gp_times(state, factor), step);
        step = gp_times(gp_plus(factor, one), step);
        factor = gp_times(factor, factor);
    }
    return state;
}

/* Return the state after a draw, and write its 64 bits. */
static inline gp_128 gp_word(gp_128 state, gp_128 step, uint64_t *word) {
    const gp_128 factor = GP_FACTOR;
    state = gp_plus(gp_times(state, factor), step);
    int turn = (int)(state.high >> 58);
    *word = (state.high ^ state.low) >> turn | (state.high ^ state.low) << (-turn & 63);
    return state;
}

/* A generator of numpy with the half of a word that it has not used yet. */
typedef struct {
    gp_128 state, step;
    int has_half;
    uint32_t half;
} gp_generator;

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

#define GP_PART 16 /* counts are cut into parts of 1 << GP_PART, which the nearest cache holds */

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

/* Count a row of draws part after part: counts that no cache holds are slow to reach one by one. */
static void gp_add_far_draws(gp_generator *own, uint32_t things, uint8_t *counts, const gp_waiting *waiting) {
    uint32_t rest = (uint32_t)(0u - things) % things;
    gp_generator local = *own;
    for (uint32_t i = 0; i < things; i++) {
        uint32_t thing = gp_thing(&local, things, rest), part = thing >> GP_PART;
        waiting->draws[(size_t)part * waiting->room + waiting->used[part]] = (uint16_t)thing;
        if (++waiting->used[part] == waiting->room) gp_count_part(waiting, part, counts);
    }
    for (uint32_t part = 0; part <= (things - 1) >> GP_PART; part++) gp_count_part(waiting, part, counts);
    *own = local;
}

/* Count in each row as many draws with replacement as it has things; the counts take `bytes` bytes, 1 or 8. */
static void gp_add_draws(gp_generator *own, int64_t rows, uint32_t things, int bytes, void *counts) {
    uint32_t rest = (uint32_t)(0u - things) % things;
    gp_generator local = *own;
    for (int64_t row = 0; row < rows; row++) {
        uint8_t *small = (uint8_t *)counts + row * things;
        uint64_t *large = (uint64_t *)counts + row * things;
        if (things == 1) { /* for which numpy draws nothing */
            if (bytes == 1) ++*small;
            if (bytes == 8) ++*large;
            continue;
        }
        for (uint32_t i = 0; bytes == 1 && i < things; i++) small[gp_thing(&local, things, rest)]++;
        for (uint32_t i = 0; bytes == 8 && i < things; i++) large[gp_thing(&local, things, rest)]++;
    }
    *own = local;
}

#endif
