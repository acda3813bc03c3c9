/* White space in lines of UTF-8, 64 bytes at a time: the words between it, with instructions that are chosen at run time. */
#ifndef GEC_PIPELINE_SPACES_H
#define GEC_PIPELINE_SPACES_H

#include "hash.h"
#include "white_space.h"

#define GP_WORDS_AT_ONCE 128

/* A word of a line. */
typedef struct {
    const uint8_t *start;
    int64_t size;
} gp_bounds;

/* Bits: 1 ASCII white space of Unicode; 2 of bytes.split() too; 4 may begin a white space of several bytes. */
static const uint8_t gp_space[256] = {
    [9] = 3, [10] = 3, [11] = 3, [12] = 3, [13] = 3, [32] = 3, [28] = 1, [29] = 1, [30] = 1, [31] = 1,
    [0xC2] = 4, [0xE1] = 4, [0xE2] = 4, [0xE3] = 4,
};

/* The number of zeros below the lowest bit that is set. */
static inline int gp_lowest(uint64_t bits) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(bits);
#else
    int count = 0;
    while (!(bits & 0xFF)) bits >>= 8, count += 8;
    while (!(bits & 1)) bits >>= 1, count++;
    return count;
#endif
}

static inline void gp_prefetch(const void *place) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(place);
#else
    (void)place;
#endif
}

static inline int gp_ones(uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
    return (int)((((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u) >> 56);
}

/* What is noted of some bytes of a file; see survey() in scan.pyx. */
typedef struct {
    const uint8_t *first, *end; /* of these bytes */
    const uint8_t *line;        /* where the line at hand begins */
    int64_t before;             /* bytes of it before these bytes */
    int64_t longest, place;     /* bytes of the longest line that ends here, -1 if none does, and its number, from 0 */
    uint8_t separator;
    uint64_t high; /* not 0: some bytes are no ASCII */
    int64_t lines, subwords, nuls;
    int returns;
    int64_t countdown, stride; /* line ends until the next one whose place is kept, from 1; from one to the next */
    int64_t *kept;
    uint8_t *blank; /* for each line that ends here whether it has no token */
} gp_survey;

/* Whether there are the three bytes of a mark at p. */
static inline int gp_begins(const uint8_t *p, const uint8_t *end, const char *mark) {
    return end - p >= 3 && memcmp(p, mark, 3) == 0;
}

/* Whether there is nothing but white space from p to end. */
static inline uint8_t gp_is_blank(const uint8_t *p, const uint8_t *end) {
    while (p < end) {
        int size = gp_white_space(p, end);
        if (!size) return 0;
        p += size;
    }
    return 1;
}

static inline void gp_end_line(gp_survey *seen, const uint8_t *at) {
    int64_t size = at - seen->line + seen->before;
    if (size > seen->longest) seen->longest = size, seen->place = seen->lines;
    seen->before = 0;
    seen->blank[seen->lines++] = gp_is_blank(seen->line, at);
    seen->line = at + 1;
    if (--seen->countdown == 0) {
        *seen->kept++ = at + 1 - seen->first;
        seen->countdown = seen->stride;
    }
}

/* Each file of spaces_lanes.h below has functions for one width of vectors, from these three:
 * high: bits of the bytes >= 0x80; low: of those <= 0x20; equal: of those that are `code`; each of 64 bytes. */

#define GP_TARGET
#define GP_NAME(name) gp_##name##_64
static inline uint64_t gp_high_64(const uint8_t *p) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) bits |= (uint64_t)(p[i] >> 7) << i;
    return bits;
}
static inline uint64_t gp_low_64(const uint8_t *p) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) bits |= (uint64_t)(p[i] <= 0x20) << i;
    return bits;
}
static inline uint64_t gp_equal_64(const uint8_t *p, uint8_t code) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) bits |= (uint64_t)(p[i] == code) << i;
    return bits;
}
#include "spaces_lanes.h"

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define GP_SPACES_X86 1
#include <immintrin.h>

#define GP_TARGET
#define GP_NAME(name) gp_##name##_128
#define GP_LOAD(p, i) _mm_loadu_si128((const __m128i *)(p) + (i))
#define GP_FOUR(bits) ((bits(0) | bits(1) << 16) | (bits(2) | bits(3) << 16) << 32)
#define GP_BITS(x) ((uint64_t)(uint16_t)_mm_movemask_epi8(x))
static inline uint64_t gp_high_128(const uint8_t *p) {
#define GP_PART(i) GP_BITS(GP_LOAD(p, i))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
static inline uint64_t gp_low_128(const uint8_t *p) {
    __m128i top = _mm_set1_epi8(0x20);
#define GP_PART(i) GP_BITS(_mm_cmpeq_epi8(_mm_max_epu8(GP_LOAD(p, i), top), top))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
static inline uint64_t gp_equal_128(const uint8_t *p, uint8_t code) {
    __m128i same = _mm_set1_epi8((char)code);
#define GP_PART(i) GP_BITS(_mm_cmpeq_epi8(GP_LOAD(p, i), same))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
#undef GP_LOAD
#undef GP_BITS
#include "spaces_lanes.h"

#define GP_TARGET __attribute__((target("avx2,bmi")))
#define GP_NAME(name) gp_##name##_256
#define GP_LOAD(p, i) _mm256_loadu_si256((const __m256i *)(p) + (i))
#define GP_BITS(x) ((uint64_t)(uint32_t)_mm256_movemask_epi8(x))
GP_TARGET static inline uint64_t gp_high_256(const uint8_t *p) {
    return GP_BITS(GP_LOAD(p, 0)) | GP_BITS(GP_LOAD(p, 1)) << 32;
}
GP_TARGET static inline uint64_t gp_low_256(const uint8_t *p) {
    __m256i top = _mm256_set1_epi8(0x20);
#define GP_PART(i) GP_BITS(_mm256_cmpeq_epi8(_mm256_max_epu8(GP_LOAD(p, i), top), top))
    return GP_PART(0) | GP_PART(1) << 32;
#undef GP_PART
}
GP_TARGET static inline uint64_t gp_equal_256(const uint8_t *p, uint8_t code) {
    __m256i same = _mm256_set1_epi8((char)code);
#define GP_PART(i) GP_BITS(_mm256_cmpeq_epi8(GP_LOAD(p, i), same))
    return GP_PART(0) | GP_PART(1) << 32;
#undef GP_PART
}
#undef GP_LOAD
#undef GP_BITS
#include "spaces_lanes.h"
#endif

#if (defined(__GNUC__) || defined(__clang__)) && defined(__aarch64__)
#define GP_SPACES_ARM 1
#include <arm_neon.h>

#define GP_TARGET
#define GP_NAME(name) gp_##name##_128
/* Of four vectors whose bytes are 0 or 0xFF, a bit each. */
static inline uint64_t gp_gathered(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t low = vpaddq_u8(vandq_u8(a, weights), vandq_u8(b, weights));
    uint8x16_t high = vpaddq_u8(vandq_u8(c, weights), vandq_u8(d, weights));
    low = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
}
#define GP_FOUR(bits) gp_gathered(bits(0), bits(1), bits(2), bits(3))
static inline uint64_t gp_high_128(const uint8_t *p) {
#define GP_PART(i) vcgeq_u8(vld1q_u8(p + 16 * (i)), vdupq_n_u8(0x80))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
static inline uint64_t gp_low_128(const uint8_t *p) {
#define GP_PART(i) vcleq_u8(vld1q_u8(p + 16 * (i)), vdupq_n_u8(0x20))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
static inline uint64_t gp_equal_128(const uint8_t *p, uint8_t code) {
#define GP_PART(i) vceqq_u8(vld1q_u8(p + 16 * (i)), vdupq_n_u8(code))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
#include "spaces_lanes.h"
#endif

/* The functions of spaces_lanes.h for a width of vectors. */
typedef struct {
    int bits;
    int64_t (*words)(
        const uint8_t *start, const uint8_t *end, const uint8_t *limit, int mask, gp_bounds *words, const uint8_t **rest,
        int *high
    );
    int (*is_ascii)(const uint8_t *start, const uint8_t *end);
    int64_t (*count)(const uint8_t *start, const uint8_t *end, uint8_t code);
    void (*survey)(const uint8_t *start, gp_survey *seen);
    int64_t (*ends)(const uint8_t *first, const uint8_t *end, uint8_t separator, int64_t *ends);
} gp_spaces;

/* Return the functions for vectors of so many bits, or NULL where the processor has none. 64 bits are always there. */
static const gp_spaces *gp_spaces_of(int bits) {
    static const gp_spaces widths[] = {
        {64, gp_words_64, gp_is_ascii_64, gp_count_64, gp_survey_64, gp_ends_64},
#if defined(GP_SPACES_X86) || defined(GP_SPACES_ARM)
        {128, gp_words_128, gp_is_ascii_128, gp_count_128, gp_survey_128, gp_ends_128},
#endif
#ifdef GP_SPACES_X86
        {256, gp_words_256, gp_is_ascii_256, gp_count_256, gp_survey_256, gp_ends_256},
#endif
    };
#ifdef GP_SPACES_X86
    if (bits == 256 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))) return NULL;
#endif
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (widths[i].bits == bits) return &widths[i];
    return NULL;
}

#define GP_KEYED 11

/* What a word of at most GP_KEYED bytes is, as two numbers: its first eight bytes; the others, and as highest byte the
 * size. There are zeros after its bytes. No byte at `limit` or after it is read. */
static inline void gp_key(const uint8_t *p, size_t size, const uint8_t *limit, uint64_t *first, uint32_t *second) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const uint8_t ones[24] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0};
    if (limit - p >= 12) {
        *first = gp_read8(p) & gp_read8(ones + GP_KEYED - size);
        *second = (uint32_t)(gp_read4(p + 8) & gp_read4(ones + 8 + GP_KEYED - size)) | (uint32_t)size << 24;
        return;
    }
#endif
    (void)limit;
    *first = size < 8 ? gp_pack(p, size) : gp_read8(p);
    *second = (uint32_t)(size > 8 ? gp_pack(p + 8, size - 8) : 0) | (uint32_t)size << 24;
}

#endif
