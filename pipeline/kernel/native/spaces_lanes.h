/* Words between white space, for one width of vectors; spaces.h includes this file for each, and defines before: GP_NAME,
 * which adds the width to a name; GP_TARGET, the instructions that a function may use. No byte at `limit` or after it is
 * read. */

/* Find words from start to end; return how many there are, at most GP_WORDS_AT_ONCE. `rest` is where to go on, or end.
 * mask: the bits of gp_space that split. `high` becomes true where a byte is no ASCII. Bytes inside of a character are
 * never among the marks, which are white space of ASCII, or may begin another one. */
GP_TARGET static int64_t GP_NAME(words)(
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
        uint64_t marks = GP_NAME(low)(block) & inside;
        if (GP_NAME(high)(block) & inside) {
            *high = 1;
            marks |= (GP_NAME(equal)(block, 0xC2) | GP_NAME(equal)(block, 0xE1) | GP_NAME(equal)(block, 0xE2) |
                      GP_NAME(equal)(block, 0xE3)) & inside;
        }
        if (marks == ((GP_NAME(equal)(block, ' ') | GP_NAME(equal)(block, '\n')) & inside)) { /* most blocks */
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
GP_TARGET static int GP_NAME(is_ascii)(const uint8_t *p, const uint8_t *end) {
    uint64_t high = 0;
    for (; end - p >= 64; p += 64) high |= GP_NAME(high)(p);
    for (; end - p >= 8; p += 8) high |= gp_read8(p) & 0x8080808080808080u;
    for (; p < end; p++) high |= *p & 0x80;
    return high == 0;
}

/* Return how many bytes are `code`. */
GP_TARGET static int64_t GP_NAME(count)(const uint8_t *p, const uint8_t *end, uint8_t code) {
    int64_t count = 0;
    for (; end - p >= 64; p += 64) count += gp_ones(GP_NAME(equal)(p, code));
    for (; p < end; p++) count += *p == code;
    return count;
}

/* Note the line ends among the first `size` bytes at p, at most 64, of which 64 can be read; and what else is there. */
GP_TARGET static inline void GP_NAME(survey_block)(const uint8_t *p, const uint8_t *at, int64_t size, gp_survey *seen) {
    uint64_t inside = size < 64 ? ((uint64_t)1 << size) - 1 : ~(uint64_t)0;
    uint64_t ends = GP_NAME(equal)(p, seen->separator) & inside;
    uint64_t high = GP_NAME(high)(p) & inside, low = GP_NAME(low)(p) & ~GP_NAME(equal)(p, ' ') & ~ends & inside;
    seen->high |= high;
    if (low) { /* none in most blocks */
        seen->nuls += gp_ones(GP_NAME(equal)(p, 0) & inside);
        seen->returns |= (GP_NAME(equal)(p, '\r') & inside) != 0;
    }
    for (uint64_t marks = GP_NAME(equal)(p, '@') & inside; marks; marks &= marks - 1)
        seen->subwords += gp_begins(at + gp_lowest(marks), seen->end, "@@ ");
    if (high)
        for (uint64_t marks = GP_NAME(equal)(p, 0xE2) & inside; marks; marks &= marks - 1)
            seen->subwords += gp_begins(at + gp_lowest(marks), seen->end, "\xE2\x96\x81");
    for (; ends; ends &= ends - 1) gp_end_line(seen, at + gp_lowest(ends));
}

/* Note all of this for the bytes from p to seen->end. */
GP_TARGET static void GP_NAME(survey)(const uint8_t *p, gp_survey *seen) {
    uint8_t tail[64] = {0};
    for (; seen->end - p >= 64; p += 64) GP_NAME(survey_block)(p, p, 64, seen);
    if (p == seen->end) return;
    memcpy(tail, p, seen->end - p);
    GP_NAME(survey_block)(tail, p, seen->end - p, seen);
}

/* Write where the lines end whose last byte is `separator`; return how many there are. */
GP_TARGET static int64_t GP_NAME(ends)(const uint8_t *first, const uint8_t *end, uint8_t separator, int64_t *ends) {
    const uint8_t *p = first;
    int64_t count = 0;
    for (; end - p >= 64; p += 64)
        for (uint64_t marks = GP_NAME(equal)(p, separator); marks; marks &= marks - 1)
            ends[count++] = p - first + gp_lowest(marks);
    for (; p < end; p++)
        if (*p == separator) ends[count++] = p - first;
    return count;
}

#undef GP_TARGET
#undef GP_NAME
#undef GP_FOUR
