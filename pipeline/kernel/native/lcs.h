/* Bits of a table of longest common subsequences: they are counted, and four words of a column are made in one step. */
#ifndef GEC_PIPELINE_LCS_H
#define GEC_PIPELINE_LCS_H

#include <stdint.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <x86intrin.h>
#define gp_add(carry, a, b, sum) _addcarry_u64(carry, a, b, sum)
#else
static inline unsigned char gp_add(unsigned char carry, unsigned long long a, unsigned long long b, unsigned long long *sum) {
    unsigned long long first = a + b, total = first + carry;
    *sum = total;
    return (first < a) | (total < first);
}
#endif

#if defined(__GNUC__) || defined(__clang__)
#define gp_popcount(x) __builtin_popcountll(x)
#else
static inline int gp_popcount(unsigned long long x) {
    int n = 0;
    while (x) {
        x &= x - 1;
        n++;
    }
    return n;
}
#endif

/* Take 256 rows through `size` columns; return in how many of them the last column grows. masks has four words for each
 * id: a bit for each row that has its token. carry has for each column what the rows before carry; afterwards it has
 * what these rows carry. */
static inline int gp_rows256(const uint64_t *masks, const int32_t *ids, int64_t size, unsigned char *carry) {
    unsigned long long v0 = ~0ull, v1 = ~0ull, v2 = ~0ull, v3 = ~0ull;
    for (int64_t j = 0; j < size; j++) {
        const uint64_t *mask = masks + 4 * (int64_t)ids[j];
        unsigned long long u0 = v0 & mask[0], u1 = v1 & mask[1], u2 = v2 & mask[2], u3 = v3 & mask[3];
        unsigned long long s0, s1, s2, s3;
        unsigned char c = gp_add(carry[j], v0, u0, &s0);
        c = gp_add(c, v1, u1, &s1);
        c = gp_add(c, v2, u2, &s2);
        carry[j] = gp_add(c, v3, u3, &s3);
        v0 = s0 | (v0 - u0);
        v1 = s1 | (v1 - u1);
        v2 = s2 | (v2 - u2);
        v3 = s3 | (v3 - u3);
    }
    return gp_popcount(~v0) + gp_popcount(~v1) + gp_popcount(~v2) + gp_popcount(~v3);
}

#endif
