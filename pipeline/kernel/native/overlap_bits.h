/* N-grams of an output of at most 64 tokens as bits: bit p of order n is the n-gram that begins at token p.
 *
 * `places` has for each token the bits where the output has it. A token of another text then finds all places of its
 * n-grams with a shift and an "and" for each order. Each n-gram of the text takes the lowest bit that is still free among
 * its places. So the bits that are taken are the first min(count in the output, count in the text) places of each n-gram,
 * and what is summed over n-grams becomes a number of bits. */
#ifndef GEC_PIPELINE_OVERLAP_BITS_H
#define GEC_PIPELINE_OVERLAP_BITS_H

#include <stdint.h>
#include <string.h>

#define GP_SHORT 64
#define GP_ORDERS 16

#if defined(__GNUC__) || defined(__clang__)
#define GP_INLINED static inline __attribute__((always_inline))
#else
#define GP_INLINED static inline
#endif

/* What an output has in common with another text, for each order: the places that the n-grams of the text take, and all
 * places of n-grams that the text has. */
typedef struct {
    uint64_t taken[GP_ORDERS], present[GP_ORDERS];
} gp_common;

GP_INLINED int64_t gp_bits(uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int64_t)((x * 0x0101010101010101u) >> 56);
}

/* The text is read from its end, so that the places of the tokens that follow are known, shifted by their distance. */
GP_INLINED void gp_compare(
    const uint64_t *places, const int32_t *ids, int64_t size, const int order, gp_common *common
) {
    uint64_t taken[GP_ORDERS] = {0}, present[GP_ORDERS] = {0}, after[GP_ORDERS] = {0};
    for (int64_t at = size - 1; at >= 0; at--) {
        uint64_t here = places[ids[at]], same = here;
        for (int n = 0; n < order; n++) {
            if (n) same &= after[n];
            uint64_t left = same & ~taken[n];
            present[n] |= same;
            taken[n] |= left & (0 - left);
        }
        for (int n = order - 1; n > 1; n--) after[n] = after[n - 1] >> 1;
        after[1] = here >> 1;
    }
    memcpy(common->taken, taken, order * sizeof *taken);
    memcpy(common->present, present, order * sizeof *present);
}

/* The loops over orders of a known number are unrolled, and their arrays become registers. */
static void gp_common_of(const uint64_t *places, const int32_t *ids, int64_t size, int order, gp_common *common) {
    if (order == 4) gp_compare(places, ids, size, 4, common);
    else if (order == 2) gp_compare(places, ids, size, 2, common);
    else gp_compare(places, ids, size, order, common);
}

/* Set the bits of an output's tokens, or clear them. */
static void gp_place(uint64_t *places, const int32_t *ids, int64_t size) {
    for (int64_t at = 0; at < size; at++) places[ids[at]] |= (uint64_t)1 << at;
}

static void gp_unplace(uint64_t *places, const int32_t *ids, int64_t size) {
    for (int64_t at = 0; at < size; at++) places[ids[at]] = 0;
}

#endif
