/* Bytes to words: lower-casing without branches, and finding the end of a word eight bytes at a time. */
#ifndef GEC_PIPELINE_WORDS_H
#define GEC_PIPELINE_WORDS_H

#include "hash.h"

/* Write for each byte of a line its lower-case ASCII letter or digit, or 0, and then eight zeros. Return whether a byte
 * is 0xC4 or 0xE2: with these begin the two other characters that str.lower() turns into ASCII letters. */
static inline int gp_lower(const unsigned char *from, int64_t size, unsigned char *to) {
    unsigned char odd = 0;
    for (int64_t i = 0; i < size; i++) { /* compilers vectorise this loop */
        unsigned char c = from[i], l = c | 0x20;
        unsigned char letter = (unsigned char)(l - 'a') < 26 ? 0xFF : 0, digit = (unsigned char)(c - '0') < 10 ? 0xFF : 0;
        to[i] = (l & letter) | (c & digit);
        odd |= (unsigned char)((c == 0xC4) | (c == 0xE2));
    }
    memset(to + size, 0, 8);
    return odd;
}

/* Return the length of the word at p, which ends before a zero byte; at least eight zeros follow the line. Words of up
 * to 8 bytes are written to key. */
static inline int64_t gp_word(const unsigned char *p, uint64_t *key) {
    int64_t size = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && (defined(__GNUC__) || defined(__clang__))
    uint64_t word = gp_read8(p), zeros = (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
    if (zeros) {
        size = __builtin_ctzll(zeros) >> 3;
        *key = word & ((zeros & -zeros) - 1) & 0x7F7F7F7F7F7F7F7Fu; /* ASCII: no byte has its highest bit */
        return size;
    }
    *key = word;
    for (size = 8;; size += 8) {
        word = gp_read8(p + size), zeros = (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
        if (zeros) return size + (__builtin_ctzll(zeros) >> 3);
    }
#else
    *key = 0;
    while (p[size]) {
        if (size < 8) *key = *key << 8 | p[size];
        size++;
    }
    return size;
#endif
}

#endif
