/* What all samplers share, and the Mersenne Twister of many streams for each width of vectors. */
#ifndef GEC_PIPELINE_DRAWS_H
#define GEC_PIPELINE_DRAWS_H

#include <stdint.h>
#include <string.h>

#define GP_WORDS 624   /* of the state of a Mersenne Twister */
#define GP_ROW 16      /* numbers that are summed together: 64 bytes */
#define GP_TOGETHER 4  /* vectors that are seeded together */
#define GP_STREAMS 512 /* streams whose draws are held at once */

#if defined(__GNUC__) || defined(__clang__)
#define GP_INLINE inline __attribute__((always_inline))
#define GP_VECTORS 1
typedef uint32_t gp_v128 __attribute__((vector_size(16), may_alias));
#if defined(__x86_64__)
#define GP_WIDE 1
typedef uint32_t gp_v256 __attribute__((vector_size(32), may_alias));
#endif
#else
#define GP_INLINE inline
#endif

/* Return the output that belongs to a word of the state. */
static inline uint32_t gp_temper(uint32_t word) {
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680u;
    word ^= (word << 15) & 0xefc60000u;
    return word ^ (word >> 18);
}

/* Return the next word of a state from the words `now` and `next`, and from the one 397 words on. */
static inline uint32_t gp_twisted(uint32_t now, uint32_t next, uint32_t far) {
    return far ^ (((now & 0x80000000u) | (next & 0x7fffffffu)) >> 1) ^ ((0 - (next & 1)) & 0x9908b0dfu);
}

/* Return int(random() * limit) as Python makes it of two words. */
static inline uint32_t gp_int_of_random(uint32_t first, uint32_t second, uint32_t limit) {
    double random = ((double)(first >> 5) * 67108864.0 + (double)(second >> 6)) * (1.0 / 9007199254740992.0);
    return (uint32_t)(random * (double)limit);
}

/* Return the code of a stream for the lines whose words begin with number `first`; word k is x[k * lanes]. */
static uint32_t gp_exact(
    const uint32_t *x, int lanes, int first, int several, const uint32_t *limits, uint32_t limit, int digit
) {
    uint32_t code = 0;
    for (int k = 0; k < several; k++) {
        int at = (first + 2 * k) % GP_WORDS;
        uint32_t one = gp_temper(x[at * lanes]), two = gp_temper(x[(at + 1) * lanes]);
        code |= gp_int_of_random(one, two, limits ? limits[k] : limit) << (digit * k);
    }
    return code;
}

/* The functions of draws_lanes.h for a width of vectors. */
typedef struct {
    int bits;
    void (*seed)(uint32_t *states, int64_t vectors, const uint32_t *start, const uint32_t *keys);
    int (*draws)(
        uint32_t *states, int64_t vectors, int at, int64_t lines, const uint32_t *limits, uint32_t limit, int digit,
        uint32_t *codes, int64_t stride
    );
    void (*twist)(uint32_t *x, uint32_t *out);
    void (*sums)(
        const uint32_t *codes, int64_t stride, int64_t lines, int digit, int index, int references,
        const uint32_t *rows, uint32_t *sums, int64_t streams, uint32_t *choices
    );
} gp_width;

#define GP_V uint32_t
#define GP_NAME(name) gp_##name##_32
#define GP_TARGET
#include "draws_lanes.h"

#ifdef GP_VECTORS
#define GP_V gp_v128
#define GP_NAME(name) gp_##name##_128
#define GP_TARGET
#include "draws_lanes.h"
#endif

#ifdef GP_WIDE
#define GP_V gp_v256
#define GP_NAME(name) gp_##name##_256
#define GP_TARGET __attribute__((target("avx2")))
#include "draws_lanes.h"
#endif

/* Return the functions for vectors of so many bits, or NULL where the processor has none. 32 bits are always there. */
static const gp_width *gp_width_of(int bits) {
    static const gp_width widths[] = {
        {32, gp_seed_32, gp_draws_32, gp_twist_32, gp_sums_32},
#ifdef GP_VECTORS
        {128, gp_seed_128, gp_draws_128, gp_twist_128, gp_sums_128},
#endif
#ifdef GP_WIDE
        {256, gp_seed_256, gp_draws_256, gp_twist_256, gp_sums_256},
#endif
    };
#ifdef GP_WIDE
    if (bits == 256 && !__builtin_cpu_supports("avx2")) return NULL;
#endif
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (widths[i].bits == bits) return &widths[i];
    return NULL;
}

#endif
