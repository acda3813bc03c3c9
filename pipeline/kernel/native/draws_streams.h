/* The samplers: streams of draws, whose codes have the draws of several lines. */
#ifndef GEC_PIPELINE_DRAWS_STREAMS_H
#define GEC_PIPELINE_DRAWS_STREAMS_H

#include "draws.h"
#include "pcg64.h"

#define GP_LINES 2048 /* the most lines that are drawn at once */

enum { GP_PYTHON2, GP_PYTHON3, GP_NUMPY, GP_ALL };

typedef struct {
    int sampler, references;
    int digit;            /* the bits of a draw in a code: 1, 2, 4 or 8 */
    int64_t count;        /* of streams */
    const gp_width *width;
    uint32_t *words;      /* the states of the Mersenne Twisters */
    int at;               /* the next word of all streams (python2) */
    int *places;          /* the next word of each stream (python3) */
    uint64_t *high, *low; /* the states of numpy's generators. low alone: the rest of the number (all) */
    uint64_t step_high, step_low;
    uint32_t *turns;      /* for each stream, what is added to its draws modulo the limit (numpy) */
} gp_streams;

/* Seed one generator as init_by_array() of the original does with a key of one word. */
static void gp_start(uint32_t *start) {
    start[0] = 19650218u;
    for (uint32_t i = 1; i < GP_WORDS; i++) start[i] = 1812433253u * (start[i - 1] ^ (start[i - 1] >> 30)) + i;
}

/* ---- python3: the highest bits of a word, drawn again while they are too large */

static inline int gp_bit_length(uint32_t number) {
    int bits = 0;
    for (; number; number >>= 1) bits++;
    return bits;
}

/* Write draws, a byte each, as codes. Eight of them are brought together at a time. */
static void gp_pack(const uint8_t *drawn, int64_t lines, int digit, uint32_t *codes, int64_t stride) {
    int bits = 0;
    uint32_t code = 0;
    for (int64_t line = 0; line < lines; line += 8) {
        uint64_t word = 0;
        for (int i = 0; i < 8; i++) word |= (uint64_t)drawn[line + i] << (8 * i);
        if (digit == 8) {
            codes[0] = (uint32_t)word;
            if (line + 4 < lines) codes[stride] = (uint32_t)(word >> 32);
            codes += 2 * stride;
            continue;
        }
        if (digit == 4) {
            word = (word | word >> 4) & 0x00ff00ff00ff00ffu;
            word = (word | word >> 8) & 0x0000ffff0000ffffu;
            word |= word >> 16;
        } else if (digit == 2) {
            word = (word | word >> 6) & 0x000f000f000f000fu;
            word = (word | word >> 12) & 0x000000ff000000ffu;
            word = (word | word >> 24) & 0xffffu;
        } else
            word = word * 0x0102040810204080u >> 56;
        code |= (uint32_t)word << bits;
        bits += 8 * digit;
        if (bits < 32 && line + 8 < lines) continue;
        *codes = code;
        codes += stride;
        code = 0, bits = 0;
    }
}

/* Draw for some lines with one stream. Whether a word is kept cannot be foretold, so that there is no branch for it. */
static void gp_python3(
    gp_streams *all, int64_t stream, int64_t lines, const uint32_t *limits, uint32_t *codes, int64_t stride
) {
    uint32_t *x = all->words + stream * GP_WORDS, out[GP_WORDS], limit = (uint32_t)all->references;
    uint8_t drawn[GP_LINES + 8], shifts[256];
    int at = all->places[stream], shift = 32 - gp_bit_length(limit);
    int64_t count = 0;
    for (int i = 0; i < 256; i++) shifts[i] = (uint8_t)(32 - gp_bit_length((uint32_t)i));
    for (int i = at; i < GP_WORDS; i++) out[i] = gp_temper(x[i]);
    while (count < lines) {
        if (at == GP_WORDS) {
            all->width->twist(x, out);
            at = 0;
        }
        for (; limits && at < GP_WORDS && count < lines; at++) {
            uint32_t own = limits[count], draw = out[at] >> shifts[own];
            drawn[count] = (uint8_t)draw;
            count += draw < own;
        }
        for (; !limits && at < GP_WORDS && count < lines; at++) {
            uint32_t draw = out[at] >> shift;
            drawn[count] = (uint8_t)draw;
            count += draw < limit;
        }
    }
    memset(drawn + lines, 0, 8);
    gp_pack(drawn, lines, all->digit, codes, stride);
    all->places[stream] = at;
}

/* ---- numpy */

/* Draw for up to 32 / digit lines with up to four streams, since each draw of a stream has to wait for the last. */
static void gp_numpy(
    gp_streams *all, int64_t stream, int streams, int lines, const uint32_t *limits, uint32_t *codes
) {
    const gp_128 step = {all->step_high, all->step_low};
    gp_128 states[4];
    uint32_t turns[4], limit = (uint32_t)all->references;
    for (int s = 0; s < 4; s++) {
        int64_t own = stream + (s < streams ? s : 0);
        states[s].high = all->high[own], states[s].low = all->low[own], turns[s] = all->turns[own];
    }
    uint32_t made[4] = {0, 0, 0, 0};
    for (int k = 0; k < lines; k++) {
        if (limits) limit = limits[k];
        for (int s = 0; s < 4; s++) {
            uint64_t word, product;
            states[s] = gp_word(states[s], step, &word);
            product = (word >> 32) * limit;
            uint32_t draw = (uint32_t)(product >> 32);
            if ((uint32_t)product > 0u - limit) /* the other bits could reach the next number */
                draw = (uint32_t)((double)(int64_t)(word >> 11) * (1.0 / 9007199254740992.0) * (double)limit);
            draw += turns[s] < limit ? turns[s] : turns[s] % limit;
            made[s] |= (draw < limit ? draw : draw - limit) << (all->digit * k);
        }
    }
    for (int s = 0; s < streams; s++) {
        all->high[stream + s] = states[s].high, all->low[stream + s] = states[s].low;
        codes[s] = made[s];
    }
}

/* ---- all samplers */

/* Draw for up to GP_LINES lines with the streams from `first` on. codes[i * stride + s] has the draws of stream first + s for
 * 32 / digit lines, the first line in the lowest bits. python2: the streams before are those of whole vectors. */
static void gp_draw(
    gp_streams *all, int64_t first, int64_t streams, int64_t lines, const uint32_t *limits, uint32_t *codes,
    int64_t stride
) {
    int lanes = all->width->bits / 32, most = 32 / all->digit;
    if (all->sampler == GP_PYTHON2) {
        int end = all->width->draws(
            all->words + first * GP_WORDS, (streams + lanes - 1) / lanes, all->at, lines, limits,
            (uint32_t)all->references, all->digit, codes, stride
        );
        if (first + streams == all->count) all->at = end; /* the streams after have the same place until then */
        return;
    }
    if (all->sampler == GP_PYTHON3) {
        for (int64_t s = 0; s < streams; s++) gp_python3(all, first + s, lines, limits, codes + s, stride);
        return;
    }
    for (int64_t line = 0; line < lines; line += most, codes += stride) {
        int several = lines - line < most ? (int)(lines - line) : most;
        if (all->sampler == GP_NUMPY) {
            for (int64_t s = 0; s < streams; s += 4)
                gp_numpy(
                    all, first + s, streams - s < 4 ? (int)(streams - s) : 4, several, limits ? limits + line : NULL,
                    codes + s
                );
            continue;
        }
        for (int64_t s = 0; s < streams; s++) {
            codes[s] = 0;
            for (int k = 0; k < several; k++) {
                codes[s] |= (uint32_t)(all->low[first + s] % (uint32_t)all->references) << (all->digit * k);
                all->low[first + s] /= (uint32_t)all->references;
            }
        }
    }
}

#endif
