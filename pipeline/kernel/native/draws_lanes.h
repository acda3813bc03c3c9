/* The Mersenne Twister of several streams side by side, and sums of drawn rows: for one width of vectors.
 *
 * draws.h includes this file once for each width, and defines before: GP_V, a vector of uint32_t or a single one;
 * GP_NAME, which adds the width to a name; GP_TARGET, the instructions that a function may use. Stream number
 * v * LANES + i is lane i of the vectors words[v * 624] to words[v * 624 + 623]. */

#define LANES ((int)(sizeof(GP_V) / 4))
#define VECTORS ((int)(4 * GP_ROW / sizeof(GP_V)))

/* One step of the seeding: a word from the word before it. */
#define GP_MIXED(before, factor) (((before) ^ ((before) >> 30)) * (factor))

/* Seed all streams as init_by_array() of the original does with a key of one word. `start` is the state to begin with.
 * Each word depends on the one before it, so that four vectors at a time keep the processor busy. */
GP_TARGET static void GP_NAME(seed)(uint32_t *states, int64_t vectors, const uint32_t *start, const uint32_t *keys) {
    GP_V *words = (GP_V *)states;
    for (int64_t v = 0; v < vectors; v += GP_TOGETHER) {
        GP_V *x[GP_TOGETHER], last[GP_TOGETHER], key[GP_TOGETHER];
        for (int u = 0; u < GP_TOGETHER; u++) {
            x[u] = words + (v + u) * GP_WORDS;
            memcpy(&key[u], keys + (v + u) * LANES, sizeof(GP_V));
            last[u] = (GP_V){0} + start[0];
        }
        for (uint32_t i = 1; i < GP_WORDS; i++)
            for (int u = 0; u < GP_TOGETHER; u++)
                last[u] = x[u][i] = (start[i] ^ GP_MIXED(last[u], 1664525u)) + key[u];
        for (int u = 0; u < GP_TOGETHER; u++) last[u] = x[u][1] = (x[u][1] ^ GP_MIXED(last[u], 1664525u)) + key[u];
        for (uint32_t i = 2; i < GP_WORDS; i++)
            for (int u = 0; u < GP_TOGETHER; u++)
                last[u] = x[u][i] = (x[u][i] ^ GP_MIXED(last[u], 1566083941u)) - i;
        for (int u = 0; u < GP_TOGETHER; u++) {
            x[u][1] = (x[u][1] ^ GP_MIXED(last[u], 1566083941u)) - 1u;
            x[u][0] = (GP_V){0} + 0x80000000u;
        }
    }
}

/* Return whether any lane has bit 16. */
GP_TARGET static GP_INLINE int GP_NAME(any)(GP_V flags) {
    uint32_t lanes[LANES], all = 0;
    memcpy(lanes, &flags, sizeof flags);
    for (int i = 0; i < LANES; i++) all |= lanes[i];
    return (int)(all >> 16 & 1);
}

/* Return the next word of the state from the words `now` and `next`, and from the one 397 words on. */
GP_TARGET static GP_INLINE GP_V GP_NAME(next)(GP_V now, GP_V next, GP_V far) {
    return far ^ (((now & 0x80000000u) | (next & 0x7fffffffu)) >> 1) ^ ((0 - (next & 1)) & 0x9908b0dfu);
}

/* Draw for `lines` lines with the streams of one vector, whose next word is number `at`; return the number after.
 *
 * A draw is int(random() * limit), and random() is made of two words: 27 bits of the first, 26 of the second. The
 * highest 16 bits are enough, unless the product is so near to the next number that the other bits could reach it. Then
 * the draw is made anew with all bits. With `two` references a draw is the highest bit of the first word, and tempering
 * makes that of four bits of the state. A code has the draws of several lines, the first in the lowest bits. */
GP_TARGET static GP_INLINE int GP_NAME(draw)(
    GP_V *x, int at, int64_t lines, const uint32_t *limits, uint32_t limit, int digit, uint32_t *codes, int64_t stride,
    int two
) {
    int most = 32 / digit;
    GP_V now = x[at];
    for (int64_t line = 0; line < lines; line += most, codes += stride) {
        int several = lines - line < most ? (int)(lines - line) : most, first = at;
        GP_V code = {0}, near = {0};
        for (int k = 0; k < several; k++) {
            int far = at + 397 - (at + 397 < GP_WORDS ? 0 : GP_WORDS);
            int farther = at + 398 - (at + 398 < GP_WORDS ? 0 : GP_WORDS), then = at + 2 < GP_WORDS ? at + 2 : 0;
            GP_V second = x[at + 1], after = x[then], word = GP_NAME(next)(now, second, x[far]);
            x[at] = word;
            x[at + 1] = GP_NAME(next)(second, after, x[farther]);
            now = after;
            at = then;
            if (two) {
                code = (code >> 1) | ((word ^ (word << 4) ^ (word << 7) ^ (word << 15)) & 0x80000000u);
                continue;
            }
            if (limits) limit = limits[line + k];
            word ^= word >> 11;
            word ^= (word << 7) & 0x9d2c5680u;
            word ^= (word << 15) & 0xefc60000u; /* the fourth step of tempering does not reach these bits */
            word = (word >> 16) * limit;
            near |= (word & 0xffff) + (limit - 1);
            code = (code >> digit) | ((word >> 16) << (32 - digit));
        }
        code >>= digit * (most - several);
        memcpy(codes, &code, sizeof code);
        if (!two && GP_NAME(any)(near)) {
            const uint32_t *own = limits ? limits + line : NULL;
            for (int i = 0; i < LANES; i++)
                codes[i] = gp_exact((uint32_t *)x + i, LANES, first, several, own, limit, digit);
        }
    }
    return at;
}

/* Draw with the streams of several vectors; return the number of the next word. */
GP_TARGET static int GP_NAME(draws)(
    uint32_t *states, int64_t vectors, int at, int64_t lines, const uint32_t *limits, uint32_t limit, int digit,
    uint32_t *codes, int64_t stride
) {
    GP_V *words = (GP_V *)states;
    int end = at;
    for (int64_t v = 0; v < vectors; v++, words += GP_WORDS, codes += LANES)
        if (limit == 2 && !limits)
            end = GP_NAME(draw)(words, at, lines, NULL, 2, 1, codes, stride, 1);
        else
            end = GP_NAME(draw)(words, at, lines, limits, limit, digit, codes, stride, 0);
    return end;
}

/* Make the next 624 words of one state, and their outputs. Compilers vectorise these loops. */
GP_TARGET static void GP_NAME(twist)(uint32_t *x, uint32_t *out) {
    for (int i = 0; i < 227; i++) x[i] = gp_twisted(x[i], x[i + 1], x[i + 397]);
    for (int i = 227; i < GP_WORDS - 1; i++) x[i] = gp_twisted(x[i], x[i + 1], x[i - 227]);
    x[GP_WORDS - 1] = gp_twisted(x[GP_WORDS - 1], x[0], x[396]);
    for (int i = 0; i < GP_WORDS; i++) out[i] = gp_temper(x[i]);
}

/* Add to the sums of each stream the rows that its codes choose.
 *
 * rows has for each line, and each reference but the first, GP_ROW numbers: how much that reference has more than the
 * first. For as many lines as `index` bits of a code have, the sums of all choices are made, and then looked up. */
GP_TARGET static void GP_NAME(sums)(
    const uint32_t *codes, int64_t stride, int64_t lines, int digit, int index, int references, const uint32_t *rows,
    uint32_t *sums, int64_t streams, uint32_t *choices
) {
    GP_V *total = (GP_V *)sums, *table = (GP_V *)choices;
    const GP_V *row = (const GP_V *)rows;
    int most = index / digit, shift = 0;
    uint32_t mask = (1u << index) - 1;
    for (int i = 0; i < VECTORS; i++) table[i] = (GP_V){0};
    for (int64_t line = 0; line < lines; line += most) {
        int several = lines - line < most ? (int)(lines - line) : most;
        for (int k = 0; k < several; k++)
            for (int r = 1; r < references; r++, row += VECTORS) {
                GP_V *to = table + ((int64_t)r << (digit * k)) * VECTORS;
                for (int j = 0; j < VECTORS << (digit * k); j += VECTORS)
                    for (int i = 0; i < VECTORS; i++) to[j + i] = table[j + i] + row[i];
            }
        for (int64_t s = 0; s < streams; s++) {
            const GP_V *from = table + (int64_t)(codes[s] >> shift & mask) * VECTORS;
            for (int i = 0; i < VECTORS; i++) total[s * VECTORS + i] += from[i];
        }
        shift += index;
        if (shift == 32) shift = 0, codes += stride;
    }
}

#undef LANES
#undef VECTORS
#undef GP_MIXED
#undef GP_V
#undef GP_NAME
#undef GP_TARGET
