/* N-grams of an output of a few words of 64 tokens as bits: bit p of order n is the n-gram that begins at token p.
 *
 * `places` has for each token the bits where the output has it. The places of an n-gram of another text are those of its
 * first token from which the places of the n-gram without it follow: a shift and an "and" for each order. Each n-gram of
 * the text takes the lowest bit that is still free among its places. So the bits that are taken are the first
 * min(count in the output, count in the text) places of each n-gram, and what is summed over n-grams becomes a number of
 * bits. What several references together take is what any of them takes. */
#ifndef GEC_PIPELINE_OVERLAP_H
#define GEC_PIPELINE_OVERLAP_H

#include <stdint.h>
#include <string.h>

#define GP_MOST_WORDS 4
#define GP_ORDERS 16

#if defined(__GNUC__) || defined(__clang__)
#define GP_INLINED static inline __attribute__((always_inline))
#else
#define GP_INLINED static inline
#endif

/* What an output has in common with a text or several. Word w of order n + 1 is number n * words + w. */
typedef struct {
    uint64_t taken[GP_ORDERS * GP_MOST_WORDS];   /* the places that the n-grams of the text take */
    uint64_t present[GP_ORDERS * GP_MOST_WORDS]; /* all places of n-grams that the text has */
} gp_common;

/* The kinds that common.py has a formula for, as what is counted of n-grams of the output. They are in the order of KINDS
 * and MERGED_KINDS, but for those of WITHOUT_OUTPUT. */
enum { GP_MATCH, GP_PENALTY, GP_SOURCE_ONLY, GP_COMMON, GP_NEW_MATCH, GP_ADDED_MATCH, GP_REMOVED_MATCH };

/* Return which of some occurrences of n-grams in an output a kind counts, a bit for each. `more` and `fewer` are those
 * up to the number that the reference has more than the source, or fewer. */
GP_INLINED uint64_t gp_counted(
    int kind, uint64_t source_takes, uint64_t source_has, uint64_t takes, uint64_t has, uint64_t more, uint64_t fewer
) {
    switch (kind) {
    case GP_MATCH: return takes;
    case GP_PENALTY: return source_takes & ~has;
    case GP_SOURCE_ONLY: return source_takes & ~takes;
    case GP_COMMON: return source_takes & takes;
    case GP_NEW_MATCH: return takes & ~source_has;
    case GP_ADDED_MATCH: return more;
    default: return fewer;
    }
}

/* Return gp_counted() of a single occurrence for all that can be known of it: bit i is that of the flags i. */
static uint64_t gp_table(int kind) {
    uint64_t table = 0;
    for (int i = 0; i < 64; i++)
        table |= (gp_counted(kind, i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1, i >> 4 & 1, i >> 5) & 1) << i;
    return table;
}

GP_INLINED int64_t gp_bits(uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int64_t)((x * 0x0101010101010101u) >> 56);
}

/* The text is read from its end, so that the places of the n-grams that follow are known. */
GP_INLINED void gp_compare(
    const uint64_t *places, const int32_t *ids, int64_t size, const int order, const int words, gp_common *common
) {
    uint64_t any;
    uint64_t taken[GP_ORDERS * GP_MOST_WORDS], present[GP_ORDERS * GP_MOST_WORDS], same[GP_ORDERS * GP_MOST_WORDS];
    for (int i = 0; i < order * words; i++) taken[i] = present[i] = same[i] = 0;
    for (int64_t at = size - 1; at >= 0; at--) {
        const uint64_t *here = places + (size_t)ids[at] * words;
        any = 0;
        for (int w = 0; w < words; w++) any |= here[w];
        if (words > 1 && order > 2 && !any) { /* a token that the output has not ends all n-grams before it */
            for (int i = 0; i < order * words; i++) same[i] = 0;
            continue;
        }
        for (int n = order - 1; n >= 0; n--) {
            uint64_t searched = ~(uint64_t)0; /* 0 where a place has been taken */
            const uint64_t *after = same + (n - 1) * words;
            for (int w = 0; w < words; w++) {
                uint64_t now = here[w], left;
                if (n) now &= after[w] >> 1 | (w + 1 < words ? after[w + 1] << 63 : 0);
                same[n * words + w] = now;
                present[n * words + w] |= now;
                left = now & ~taken[n * words + w] & searched;
                taken[n * words + w] |= left & (0 - left);
                if (left) searched = 0;
            }
        }
    }
    memcpy(common->taken, taken, order * words * sizeof *taken);
    memcpy(common->present, present, order * words * sizeof *present);
}

/* Loops of a known number of turns are unrolled, and their arrays become registers. */
static void gp_common_of(
    const uint64_t *places, const int32_t *ids, int64_t size, int order, int words, gp_common *common
) {
    if (words == 1 && order == 4) gp_compare(places, ids, size, 4, 1, common);
    else if (words == 1) gp_compare(places, ids, size, order, 1, common);
    else if (words == 2 && order == 4) gp_compare(places, ids, size, 4, 2, common);
    else if (words == 2) gp_compare(places, ids, size, order, 2, common);
    else if (words == 3) gp_compare(places, ids, size, order, 3, common);
    else gp_compare(places, ids, size, order, 4, common);
}

/* Add what an output has in common with one more text. */
static void gp_unite(gp_common *all, const gp_common *one, int size) {
    for (int i = 0; i < size; i++) all->taken[i] |= one->taken[i], all->present[i] |= one->present[i];
}

/* Write how many n-grams of each order a kind counts. */
static void gp_count(
    int kind, const gp_common *source, const gp_common *reference, int order, int words, int64_t *counts
) {
    for (int n = 0; n < order; n++)
        for (int i = n * words; i < (n + 1) * words; i++)
            counts[n] += gp_bits(gp_counted(
                kind, source->taken[i], source->present[i], reference->taken[i], reference->present[i], 0, 0
            ));
}

/* Set the bits of an output's tokens, or clear them. */
static void gp_place(uint64_t *places, const int32_t *ids, int64_t size, int words) {
    for (int64_t at = 0; at < size; at++) places[(size_t)ids[at] * words + at / 64] |= (uint64_t)1 << at % 64;
}

static void gp_unplace(uint64_t *places, const int32_t *ids, int64_t size, int words) {
    for (int64_t at = 0; at < size; at++)
        for (int w = 0; w < words; w++) places[(size_t)ids[at] * words + w] = 0;
}

#endif
