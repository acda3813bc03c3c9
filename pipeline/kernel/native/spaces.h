/* White space in lines of UTF-8, 64 bytes at a time, and the words between it. */
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
    const uint8_t *next; /* the next place on the grid: the first line that begins there or behind it is kept */
    int64_t start, grid; /* the place of `first` in the text, and from one place on the grid to the next */
    int64_t *kept, *numbers; /* where each line that is kept begins, and how many lines end before it */
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
    if (at + 1 >= seen->next) {
        int64_t place = at + 1 - seen->first + seen->start;
        *seen->kept++ = place;
        *seen->numbers++ = seen->lines;
        seen->next = at + 1 + seen->grid - place % seen->grid;
    }
}

/* Of 64 bytes a bit each: whether they are >= 0x80 (high), <= 0x20 (low), or `code` (equal). */
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>
#define GP_LOAD(p, i) _mm_loadu_si128((const __m128i *)(p) + (i))
#define GP_BITS(x) ((uint64_t)(uint16_t)_mm_movemask_epi8(x))
#define GP_FOUR(bits) ((bits(0) | bits(1) << 16) | (bits(2) | bits(3) << 16) << 32)
static inline uint64_t gp_high(const uint8_t *p) {
#define GP_PART(i) GP_BITS(GP_LOAD(p, i))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
static inline uint64_t gp_low(const uint8_t *p) {
    __m128i top = _mm_set1_epi8(0x20);
#define GP_PART(i) GP_BITS(_mm_cmpeq_epi8(_mm_max_epu8(GP_LOAD(p, i), top), top))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
static inline uint64_t gp_equal(const uint8_t *p, uint8_t code) {
    __m128i same = _mm_set1_epi8((char)code);
#define GP_PART(i) GP_BITS(_mm_cmpeq_epi8(GP_LOAD(p, i), same))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
#elif (defined(__GNUC__) || defined(__clang__)) && defined(__aarch64__)
#include <arm_neon.h>
/* Of four vectors whose bytes are 0 or 0xFF, a bit each. */
static inline uint64_t gp_gathered(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t low = vpaddq_u8(vandq_u8(a, weights), vandq_u8(b, weights));
    uint8x16_t high = vpaddq_u8(vandq_u8(c, weights), vandq_u8(d, weights));
    low = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
}
#define GP_FOUR(bits) gp_gathered(bits(0), bits(1), bits(2), bits(3))
static inline uint64_t gp_high(const uint8_t *p) {
#define GP_PART(i) vcgeq_u8(vld1q_u8(p + 16 * (i)), vdupq_n_u8(0x80))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
static inline uint64_t gp_low(const uint8_t *p) {
#define GP_PART(i) vcleq_u8(vld1q_u8(p + 16 * (i)), vdupq_n_u8(0x20))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
static inline uint64_t gp_equal(const uint8_t *p, uint8_t code) {
#define GP_PART(i) vceqq_u8(vld1q_u8(p + 16 * (i)), vdupq_n_u8(code))
    return GP_FOUR(GP_PART);
#undef GP_PART
}
#else
static inline uint64_t gp_high(const uint8_t *p) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) bits |= (uint64_t)(p[i] >> 7) << i;
    return bits;
}
static inline uint64_t gp_low(const uint8_t *p) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) bits |= (uint64_t)(p[i] <= 0x20) << i;
    return bits;
}
static inline uint64_t gp_equal(const uint8_t *p, uint8_t code) {
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) bits |= (uint64_t)(p[i] == code) << i;
    return bits;
}
#endif

/* Find words from start to end; return how many there are, at most GP_WORDS_AT_ONCE. `rest` is where to go on, or end.
 * mask: the bits of gp_space that split. `high` becomes true where a byte is no ASCII. Bytes inside of a character are
 * never among the marks, which are white space of ASCII, or may begin another one. No byte at `limit` or after it is
 * read. */
static inline int64_t gp_find_words(
    const uint8_t *start, const uint8_t *end, const uint8_t *limit, int mask, gp_bounds *words, const uint8_t **rest,
    int *high
) {
    const uint8_t *token = start;
    int64_t count = 0;
    for (const uint8_t *p = start; p < end; p += 64) {
        uint8_t tail[64];
        const uint8_t *block = p;
        uint64_t inside = end - p < 64 ? ((uint64_t)1 << (end - p)) - 1 : ~(uint64_t)0;
        if (limit - p < 64) {
            memset(tail, 'x', sizeof tail);
            memcpy(tail, p, limit - p);
            block = tail;
        }
        uint64_t marks = gp_low(block) & inside;
        if (gp_high(block) & inside) {
            *high = 1;
            marks |= (gp_equal(block, 0xC2) | gp_equal(block, 0xE1) | gp_equal(block, 0xE2) |
                      gp_equal(block, 0xE3)) & inside;
        }
        if (marks == ((gp_equal(block, ' ') | gp_equal(block, '\n')) & inside)) { /* most blocks */
            for (; marks; marks &= marks - 1) {
                const uint8_t *at = p + gp_lowest(marks);
                words[count].start = token;
                words[count].size = at - token;
                count += at > token;
                token = at + 1;
            }
        }
        for (; marks; marks &= marks - 1) {
            const uint8_t *at = p + gp_lowest(marks);
            int kind = gp_space[*at] & mask, size = kind < 4 ? kind > 0 : gp_wide_space(at, end);
            if (!size) continue;
            words[count].start = token;
            words[count].size = at - token;
            count += at > token;
            token = at + size;
        }
        if (count > GP_WORDS_AT_ONCE - 65) {
            *rest = token;
            return count;
        }
    }
    if (token < end) {
        words[count].start = token;
        words[count++].size = end - token;
    }
    *rest = end;
    return count;
}

/* Return whether all bytes are below 0x80. */
static inline int gp_is_ascii(const uint8_t *p, const uint8_t *end) {
    uint64_t high = 0;
    for (; end - p >= 64; p += 64) high |= gp_high(p);
    for (; end - p >= 8; p += 8) high |= gp_read8(p) & 0x8080808080808080u;
    for (; p < end; p++) high |= *p & 0x80;
    return high == 0;
}

/* Return how many bytes are `code`. */
static inline int64_t gp_count_code(const uint8_t *p, const uint8_t *end, uint8_t code) {
    int64_t count = 0;
    for (; end - p >= 64; p += 64) count += gp_ones(gp_equal(p, code));
    for (; p < end; p++) count += *p == code;
    return count;
}

/* Note the line ends among the first `size` bytes at p, at most 64, of which 64 can be read; and what else is there. */
static inline void gp_survey_block(const uint8_t *p, const uint8_t *at, int64_t size, gp_survey *seen) {
    uint64_t inside = size < 64 ? ((uint64_t)1 << size) - 1 : ~(uint64_t)0;
    uint64_t ends = gp_equal(p, seen->separator) & inside;
    uint64_t high = gp_high(p) & inside, low = gp_low(p) & ~gp_equal(p, ' ') & ~ends & inside;
    seen->high |= high;
    if (low) { /* none in most blocks */
        seen->nuls += gp_ones(gp_equal(p, 0) & inside);
        seen->returns |= (gp_equal(p, '\r') & inside) != 0;
    }
    for (uint64_t marks = gp_equal(p, '@') & inside; marks; marks &= marks - 1)
        seen->subwords += gp_begins(at + gp_lowest(marks), seen->end, "@@ ");
    if (high)
        for (uint64_t marks = gp_equal(p, 0xE2) & inside; marks; marks &= marks - 1)
            seen->subwords += gp_begins(at + gp_lowest(marks), seen->end, "\xE2\x96\x81");
    for (; ends; ends &= ends - 1) gp_end_line(seen, at + gp_lowest(ends));
}

/* Note all of this for the bytes from p to seen->end. */
static inline void gp_survey_bytes(const uint8_t *p, gp_survey *seen) {
    uint8_t tail[64] = {0};
    for (; seen->end - p >= 64; p += 64) gp_survey_block(p, p, 64, seen);
    if (p == seen->end) return;
    memcpy(tail, p, seen->end - p);
    gp_survey_block(tail, p, seen->end - p, seen);
}

/* Write where the lines end whose last byte is `separator`; return how many there are. */
static inline int64_t gp_find_ends(const uint8_t *first, const uint8_t *end, uint8_t separator, int64_t *ends) {
    const uint8_t *p = first;
    int64_t count = 0;
    for (; end - p >= 64; p += 64)
        for (uint64_t marks = gp_equal(p, separator); marks; marks &= marks - 1)
            ends[count++] = p - first + gp_lowest(marks);
    for (; p < end; p++)
        if (*p == separator) ends[count++] = p - first;
    return count;
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
