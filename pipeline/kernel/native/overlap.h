/* N-grams of an output of a few words of 64 tokens as bits: bit p of order n is the n-gram that begins at token p.
 *
 * `places` has for each token the bits where the output has it. The places of an n-gram of another text are those of its
 * first token from which the places of the n-gram without it follow: a shift and an "and" for each order. Each n-gram of
 * the text takes the lowest bit that is still free among its places. So the bits that are taken are the first
 * min(count in the output, count in the text) places of each n-gram, and what is summed over n-grams becomes a number of
 * bits. What several references together take is what any of them takes. */
#ifndef GEC_PIPELINE_OVERLAP_H
#define GEC_PIPELINE_OVERLAP_H

#include <string.h>

#include "bits.h"

#define GP_MOST_WORDS 4
#define GP_ORDERS 16

/* What an output has in common with a text or several. Word w of order n + 1 is number n * words + w. */
typedef struct {
    uint64_t taken[GP_ORDERS * GP_MOST_WORDS];   /* the places that the n-grams of the text take */
    uint64_t present[GP_ORDERS * GP_MOST_WORDS]; /* all places of n-grams that the text has */
} gp_common;

/* What an occurrence of an n-gram in an output must be to be counted, which is how a Kind of common.py is said here: up to
 * the count in the source (S) or in the reference (R), beyond that of the reference, in a text that does not have it; or up
 * to the number that the reference has more than the source, or fewer. */
enum {
    GP_OF_S = 1, GP_OF_R = 2, GP_LESS_R = 4, GP_WITHOUT_S = 8, GP_WITHOUT_R = 16, GP_MORE = 32, GP_FEWER = 64
};

/* Return which of some occurrences of n-grams are counted, a bit for each. The texts take those up to their own counts,
 * and have all of the n-grams that they have at all. */
GP_INLINED uint64_t gp_counted(
    int formula, uint64_t source_takes, uint64_t source_has, uint64_t takes, uint64_t has, uint64_t more, uint64_t fewer
) {
    uint64_t counted = ~(uint64_t)0;
    if (formula & GP_OF_S) counted &= source_takes;
    if (formula & GP_OF_R) counted &= takes;
    if (formula & GP_LESS_R) counted &= ~takes;
    if (formula & GP_WITHOUT_S) counted &= ~source_has;
    if (formula & GP_WITHOUT_R) counted &= ~has;
    if (formula & GP_MORE) counted &= more;
    if (formula & GP_FEWER) counted &= fewer;
    return counted;
}

/* Return gp_counted() of a single occurrence for all that can be known of it: bit i is that of the flags i. */
static uint64_t gp_table(int formula) {
    uint64_t table = 0;
    for (int i = 0; i < 64; i++)
        table |= (gp_counted(formula, i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1, i >> 4 & 1, i >> 5) & 1) << i;
    return table;
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

/* Write how many n-grams of each order are counted. */
static void gp_count(
    int formula, const gp_common *source, const gp_common *reference, int order, int words, int64_t *counts
) {
    for (int n = 0; n < order; n++)
        for (int i = n * words; i < (n + 1) * words; i++)
            counts[n] += gp_bits(gp_counted(
                formula, source->taken[i], source->present[i], reference->taken[i], reference->present[i], 0, 0
            ));
}

/* --- what an output shares with one text and nothing else, as chrF and Google-GLEU count it
 *
 * An n-gram of both texts may be left out of both: it adds one to the sum of min(count in the output, count in the text).
 * Those within the words with which both begin, or end, are left out, so that bits are needed only for the words between,
 * and for order - 1 words on both sides, in which some of the n-grams between begin or end. */
typedef struct {
    int64_t head, tail; /* with how many tokens both begin and end; no token is in both */
    int64_t start;      /* where the n-grams between begin, in both texts */
    int64_t end, other; /* where they end in the output, and in the text */
} gp_middle;

GP_INLINED gp_middle gp_middle_of(
    const int32_t *ids, int64_t size, const int32_t *others, int64_t other_size, int order
) {
    int64_t least = size < other_size ? size : other_size, head = 0, tail = 0, end;
    gp_middle found;
    while (head + 8 <= least && memcmp(ids + head, others + head, 8 * sizeof *ids) == 0) head += 8;
    while (head < least && ids[head] == others[head]) head++;
    while (tail < least - head && ids[size - 1 - tail] == others[other_size - 1 - tail]) tail++;
    end = tail < order - 1 ? tail : order - 1;
    found.head = head, found.tail = tail;
    found.start = head < order - 1 ? 0 : head - (order - 1);
    found.end = size - tail + end, found.other = other_size - tail + end;
    return found;
}

/* Do what a turn of gp_compare() does, where `places` are those of a token. N-grams of `first` + 1 tokens and more take. */
GP_INLINED void gp_take(
    const uint64_t *here, uint64_t *taken, uint64_t *same, const int order, const int words, const int first
) {
    for (int n = order - 1; n >= 0; n--) {
        const uint64_t *after = same + (n - 1) * words;
        uint64_t searched = ~(uint64_t)0;
        for (int w = 0; w < words; w++) {
            uint64_t now = here[w], left;
            if (n) now &= after[w] >> 1 | (w + 1 < words ? after[w + 1] << 63 : 0);
            same[n * words + w] = now;
            if (n < first) continue;
            left = now & ~taken[n * words + w];
            if (w) left &= searched;
            taken[n * words + w] |= left & (0 - left);
            if (w + 1 < words && left) searched = 0;
        }
    }
}

GP_INLINED void gp_match_bits(
    uint64_t *places, const int32_t *ids, int64_t size, const int32_t *others, int64_t other_size,
    const gp_middle *middle, const int order, const int words, int64_t *counts
) {
    uint64_t taken[GP_ORDERS * GP_MOST_WORDS], same[GP_ORDERS * GP_MOST_WORDS];
    int64_t start = middle->start, head = middle->head, stop = size - middle->tail, at = middle->other - 1;
    gp_place(places, ids + start, middle->end - start, words);
    for (int n = 0; n < order; n++) { /* the places of what is left out are taken before */
        int64_t low = head - n - start, high = stop - start;
        for (int w = 0; w < words; w++) {
            int64_t from = low - 64 * w, to = high - 64 * w;
            uint64_t below = from <= 0 ? 0 : from >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << from) - 1;
            uint64_t above = to <= 0 ? ~(uint64_t)0 : to >= 64 ? 0 : ~(uint64_t)0 << to;
            taken[n * words + w] = below | above;
            same[n * words + w] = 0;
            counts[n] -= gp_bits(below | above);
        }
        if (head > n) counts[n] += head - n;
        if (middle->tail > n) counts[n] += middle->tail - n;
    }
    for (; at >= other_size - middle->tail; at--) /* no n-gram that begins here is between */
        gp_take(places + (size_t)others[at] * words, taken, same, order, words, order);
    for (; at >= head; at--) gp_take(places + (size_t)others[at] * words, taken, same, order, words, 0);
    for (int first = 1; first < order && at >= start; first++, at--) /* those are that end behind the head */
        gp_take(places + (size_t)others[at] * words, taken, same, order, words, first);
    for (int n = 0; n < order; n++)
        for (int w = 0; w < words; w++) counts[n] += gp_bits(taken[n * words + w]);
    gp_unplace(places, ids + start, middle->end - start, words);
}

/* Return whether the n-grams between the common ends of an output and a text fit into so many words of bits. */
static int gp_fits(const int32_t *ids, int64_t size, const int32_t *others, int64_t other_size, int order, int words) {
    gp_middle middle = gp_middle_of(ids, size, others, other_size, order);
    return middle.end - middle.start <= 64 * (int64_t)words;
}

/* Add to counts [order] how many n-grams of each order an output shares with a text, where gp_fits() says that they fit. */
static void gp_match(
    uint64_t *places, const int32_t *ids, int64_t size, const int32_t *others, int64_t other_size, int order,
    int64_t *counts
) {
    gp_middle middle = gp_middle_of(ids, size, others, other_size, order);
    int words = (int)((middle.end - middle.start + 63) / 64);
    if (middle.head == size && size == other_size)
        for (int n = 0; n < order && n < size; n++) counts[n] += size - n;
    else if (words <= 1 && order == 6) gp_match_bits(places, ids, size, others, other_size, &middle, 6, 1, counts);
    else if (words == 2 && order == 6) gp_match_bits(places, ids, size, others, other_size, &middle, 6, 2, counts);
    else if (words <= 1 && order == 4) gp_match_bits(places, ids, size, others, other_size, &middle, 4, 1, counts);
    else gp_match_bits(places, ids, size, others, other_size, &middle, order, words ? words : 1, counts);
}

#endif
