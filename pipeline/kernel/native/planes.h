/* Weighted sums of numbers that are packed in planes of 1, 2, 4 or 8 bits, in vectors as wide as the processor has them. */
#ifndef GEC_PIPELINE_PLANES_H
#define GEC_PIPELINE_PLANES_H

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define GP_PLANES_WIDE 1
#include <immintrin.h>
#endif

#define GP_TILE 4096  /* lines that are summed at once: a multiple of 64; products of bytes then fit into 32 bits */
#define GP_SIDE_BY 4  /* planes and samples that are summed side by side */
#define GP_FEW_ROWS 32 /* samples whose weights are held at once */

/* Write the sums of products of four planes and four rows of weights to out[4 * row + plane]. The number of lines is a
 * multiple of 64. */
typedef void (*gp_dots)(const uint8_t *const *planes, const uint8_t *const *rows, int64_t lines, uint32_t *out);

static void gp_dots_plain(const uint8_t *const *planes, const uint8_t *const *rows, int64_t lines, uint32_t *out) {
    for (int r = 0; r < GP_SIDE_BY; r++)
        for (int p = 0; p < GP_SIDE_BY; p++) {
            const uint8_t *plane = planes[p], *row = rows[r];
            uint32_t sum = 0;
            for (int64_t i = 0; i < lines; i++) sum += (uint32_t)plane[i] * row[i];
            out[GP_SIDE_BY * r + p] = sum;
        }
}

#ifdef GP_PLANES_WIDE
/* For weights up to 64: sums of two products then fit into 16 bits. */
__attribute__((target("avx2"))) static void gp_dots_256(
    const uint8_t *const *planes, const uint8_t *const *rows, int64_t lines, uint32_t *out
) {
    const __m256i ones = _mm256_set1_epi16(1);
    for (int r = 0; r < GP_SIDE_BY; r += 2) {
        __m256i sums[2][GP_SIDE_BY];
        for (int k = 0; k < 2; k++)
            for (int p = 0; p < GP_SIDE_BY; p++) sums[k][p] = _mm256_setzero_si256();
        for (int64_t i = 0; i < lines; i += 32) {
            __m256i one = _mm256_loadu_si256((const __m256i *)(rows[r] + i));
            __m256i two = _mm256_loadu_si256((const __m256i *)(rows[r + 1] + i));
            for (int p = 0; p < GP_SIDE_BY; p++) {
                __m256i plane = _mm256_loadu_si256((const __m256i *)(planes[p] + i));
                __m256i first = _mm256_madd_epi16(_mm256_maddubs_epi16(plane, one), ones);
                __m256i second = _mm256_madd_epi16(_mm256_maddubs_epi16(plane, two), ones);
                sums[0][p] = _mm256_add_epi32(sums[0][p], first);
                sums[1][p] = _mm256_add_epi32(sums[1][p], second);
            }
        }
        for (int k = 0; k < 2; k++)
            for (int p = 0; p < GP_SIDE_BY; p++) {
                uint32_t parts[8], sum = 0;
                memcpy(parts, &sums[k][p], sizeof parts);
                for (int i = 0; i < 8; i++) sum += parts[i];
                out[GP_SIDE_BY * (r + k) + p] = sum;
            }
    }
}

/* For weights up to 127, which are signed: sums of four products at a time go into 32 bits. */
__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void gp_dots_512(
    const uint8_t *const *planes, const uint8_t *const *rows, int64_t lines, uint32_t *out
) {
    __m512i sums[GP_SIDE_BY][GP_SIDE_BY];
    for (int r = 0; r < GP_SIDE_BY; r++)
        for (int p = 0; p < GP_SIDE_BY; p++) sums[r][p] = _mm512_setzero_si512();
    for (int64_t i = 0; i < lines; i += 64) {
        __m512i row[GP_SIDE_BY];
        for (int r = 0; r < GP_SIDE_BY; r++) row[r] = _mm512_loadu_si512((const void *)(rows[r] + i));
        for (int p = 0; p < GP_SIDE_BY; p++) {
            __m512i plane = _mm512_loadu_si512((const void *)(planes[p] + i));
            for (int r = 0; r < GP_SIDE_BY; r++) sums[r][p] = _mm512_dpbusd_epi32(sums[r][p], plane, row[r]);
        }
    }
    for (int r = 0; r < GP_SIDE_BY; r++)
        for (int p = 0; p < GP_SIDE_BY; p++) out[GP_SIDE_BY * r + p] = (uint32_t)_mm512_reduce_add_epi32(sums[r][p]);
}
#endif

/* A way to sum, and the largest weight that it takes. */
typedef struct {
    int bits, most;
    gp_dots dots;
} gp_summing;

/* Return the way for vectors of so many bits, or NULL where the processor has none. 64 bits are always there. */
static const gp_summing *gp_summing_of(int bits) {
    static const gp_summing ways[] = {
        {64, 255, gp_dots_plain},
#ifdef GP_PLANES_WIDE
        {256, 64, gp_dots_256},
        {512, 127, gp_dots_512},
#endif
    };
#ifdef GP_PLANES_WIDE
    if (bits == 256 && !__builtin_cpu_supports("avx2")) return NULL;
    if (bits == 512 && !(__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni"))) return NULL;
#endif
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (ways[i].bits == bits) return &ways[i];
    return NULL;
}

/* Write the numbers of some lines of a plane, a byte each. The number of lines is a multiple of 8. */
static void gp_unpack(const uint8_t *from, int bits, int64_t lines, uint8_t *to) {
    if (bits == 8) memcpy(to, from, (size_t)lines);
    if (bits == 4)
        for (int64_t i = 0; i < lines / 2; i++) to[2 * i] = from[i] & 15, to[2 * i + 1] = from[i] >> 4;
    if (bits == 2)
        for (int64_t i = 0; i < lines / 4; i++)
            for (int k = 0; k < 4; k++) to[4 * i + k] = from[i] >> (2 * k) & 3;
    if (bits == 1)
        for (int64_t i = 0; i < lines / 8; i++)
            for (int k = 0; k < 8; k++) to[8 * i + k] = from[i] >> k & 1;
}

/* Planes one after the other. Each has `padded` numbers, of which those after the lines are 0. */
typedef struct {
    const uint8_t *data, *bits;
    int64_t planes, lines, padded;
} gp_planes;

/* Memory for a tile. */
typedef struct {
    uint8_t *numbers;       /* [planes + 1, GP_TILE]; the last are all 1 */
    const uint8_t **places; /* [planes + GP_SIDE_BY]: the numbers of each plane */
    uint8_t *weights;       /* [GP_FEW_ROWS, GP_TILE] */
} gp_tile;

/* Add the sums of some rows of weights for a tile: [rows, planes + 1]. `full` is how many lines the tile has, filled up. */
static void gp_tile_sums(
    const gp_summing *way, const gp_planes *own, const gp_tile *tile, const uint8_t *weights, int64_t stride,
    int64_t rows, int64_t lines, int64_t full, int64_t *sums
) {
    uint8_t most = 0;
    for (int64_t r = 0; r < rows; r++) {
        uint8_t *row = tile->weights + r * GP_TILE, top = 0;
        memcpy(row, weights + r * stride, (size_t)lines);
        memset(row + lines, 0, (size_t)(full - lines));
        for (int64_t i = 0; i < full; i++) top = row[i] > top ? row[i] : top;
        most = top > most ? top : most;
    }
    gp_dots dots = most > way->most ? gp_dots_plain : way->dots;
    for (int64_t first = 0; first < rows; first += GP_SIDE_BY) {
        const uint8_t *side[GP_SIDE_BY];
        for (int64_t k = 0; k < GP_SIDE_BY; k++)
            side[k] = tile->weights + (first + k < rows ? first + k : rows - 1) * GP_TILE;
        for (int64_t p = 0; p <= own->planes; p += GP_SIDE_BY) {
            uint32_t out[GP_SIDE_BY * GP_SIDE_BY];
            dots(tile->places + p, side, full, out);
            for (int64_t r = first; r < rows && r < first + GP_SIDE_BY; r++)
                for (int64_t q = p; q <= own->planes && q < p + GP_SIDE_BY; q++)
                    sums[r * (own->planes + 1) + q] += out[GP_SIDE_BY * (r - first) + q - p];
        }
    }
}

/* Add to sums [rows, planes + 1] the products of weights [rows, lines], whose rows are `stride` apart, and planes; and
 * last in each row the sum of the weights. */
static void gp_plane_sums(
    const gp_summing *way, const gp_planes *own, const gp_tile *tile, const uint8_t *weights, int64_t stride,
    int64_t rows, int64_t *sums
) {
    memset(tile->numbers + own->planes * GP_TILE, 1, GP_TILE);
    for (int64_t low = 0; low < own->lines; low += GP_TILE) {
        int64_t lines = own->lines - low < GP_TILE ? own->lines - low : GP_TILE, full = (lines + 63) & ~(int64_t)63;
        int64_t there = own->padded - low < full ? own->padded - low : full;
        const uint8_t *from = own->data;
        for (int64_t p = 0; p < own->planes; from += own->padded / 8 * own->bits[p++]) {
            uint8_t *numbers = tile->numbers + p * GP_TILE;
            tile->places[p] = own->bits[p] == 8 && there == full ? from + low : numbers;
            if (tile->places[p] != numbers) continue;
            gp_unpack(from + low / 8 * own->bits[p], own->bits[p], there, numbers);
            memset(numbers + there, 0, (size_t)(full - there));
        }
        for (int64_t p = own->planes; p < own->planes + GP_SIDE_BY; p++)
            tile->places[p] = tile->numbers + own->planes * GP_TILE;
        for (int64_t r = 0; r < rows; r += GP_FEW_ROWS)
            gp_tile_sums(
                way, own, tile, weights + r * stride + low, stride, rows - r < GP_FEW_ROWS ? rows - r : GP_FEW_ROWS,
                lines, full, sums + r * (own->planes + 1)
            );
    }
}

#endif
