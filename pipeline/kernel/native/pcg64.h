/* numpy's generator PCG64 (O'Neill 2014): a product of 128 bits for each draw. */
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

#endif
