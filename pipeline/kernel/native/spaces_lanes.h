/* Words between white space, for one width of vectors; spaces.h includes this file for each, and defines before: GP_NAME,
 * which adds the width to a name; GP_TARGET, the instructions that a function may use. No byte at `limit` or after it is
 * read. */

/* Return bits of the bytes that are ASCII white space, or may begin another one, among the first 64 bytes at p. */
GP_TARGET static inline uint64_t GP_NAME(marks)(const uint8_t *p, const uint8_t *limit) {
    uint8_t tail[64];
    if (limit - p < 64) {
        memset(tail, 'x', sizeof tail);
        memcpy(tail, p, limit - p);
        p = tail;
    }
    uint64_t bits = GP_NAME(low)(p);
    if (GP_NAME(high)(p))
        bits |= GP_NAME(equal)(p, 0xC2) | GP_NAME(equal)(p, 0xE1) | GP_NAME(equal)(p, 0xE2) | GP_NAME(equal)(p, 0xE3);
    return bits;
}

/* Find words from start to end; return how many there are, at most GP_WORDS_AT_ONCE. `rest` is where to go on, or end.
 * mask: the bits of gp_space that split. Bytes inside of a character are never among the marks. */
GP_TARGET static int64_t GP_NAME(words)(
    const uint8_t *start, const uint8_t *end, const uint8_t *limit, int mask, gp_bounds *words, const uint8_t **rest
) {
    const uint8_t *token = start;
    int64_t count = 0;
    for (const uint8_t *p = start; p < end; p += 64) {
        uint64_t marks = GP_NAME(marks)(p, limit);
        if (end - p < 64) marks &= ((uint64_t)1 << (end - p)) - 1;
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
GP_TARGET static int GP_NAME(is_ascii)(const uint8_t *p, const uint8_t *end) {
    uint64_t high = 0;
    for (; end - p >= 64; p += 64) high |= GP_NAME(high)(p);
    for (; end - p >= 8; p += 8) high |= gp_read8(p) & 0x8080808080808080u;
    for (; p < end; p++) high |= *p & 0x80;
    return high == 0;
}

#undef GP_TARGET
#undef GP_NAME
#undef GP_FOUR
