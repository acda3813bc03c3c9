/* Sets as bits of words of 64, and where a text has each token: for each id there are some words of bits. */
#ifndef GEC_PIPELINE_BITS_H
#define GEC_PIPELINE_BITS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define GP_INLINED static inline __attribute__((always_inline))
#else
#define GP_INLINED static inline
#endif

/* Return how many bits are set. */
GP_INLINED int64_t gp_bits(uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int64_t)((x * 0x0101010101010101u) >> 56);
}

/* Set the bits of a text's tokens, a bit for each, or clear all bits of its tokens. */
static inline void gp_place(uint64_t *places, const int32_t *ids, int64_t size, int words) {
    for (int64_t at = 0; at < size; at++) places[(size_t)ids[at] * words + at / 64] |= (uint64_t)1 << at % 64;
}

static inline void gp_unplace(uint64_t *places, const int32_t *ids, int64_t size, int words) {
    for (int64_t at = 0; at < size; at++)
        for (int w = 0; w < words; w++) places[(size_t)ids[at] * words + w] = 0;
}

#endif
