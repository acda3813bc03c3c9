/* Lines lower-cased, in which bytes that belong to no word of ASCII letters and digits become blanks. */
#ifndef GEC_PIPELINE_WORDS_H
#define GEC_PIPELINE_WORDS_H

#include <stdint.h>

/* Write a valid line, and return its new length, which is never greater. str.lower() turns two other characters into
 * ASCII letters too, which is asked for by `google`: U+212A KELVIN SIGN becomes k, and U+0130 (I with dot above) i and a
 * mark, which ends the word as the second byte does. */
static int64_t gp_fold_line(const uint8_t *from, int64_t size, int google, uint8_t *to) {
    uint8_t odd = 0;
    int64_t end = 0;
    for (int64_t i = 0; i < size; i++) { /* compilers vectorise this loop */
        uint8_t c = from[i], l = c | 0x20;
        uint8_t letter = (uint8_t)(l - 'a') < 26 ? 0xFF : 0, digit = (uint8_t)(c - '0') < 10 ? 0xFF : 0;
        to[i] = (l & letter) | (c & digit) | (0x20 & ~(letter | digit));
        odd |= (uint8_t)((c == 0xC4) | (c == 0xE2));
    }
    if (!odd || !google) return size;
    for (int64_t i = 0; i < size; i++, end++) {
        to[end] = to[i];
        if (from[i] == 0xC4 && from[i + 1] == 0xB0)
            to[end] = 'i';
        else if (from[i] == 0xE2 && from[i + 1] == 0x84 && from[i + 2] == 0xAA)
            to[end] = 'k', i += 2;
    }
    return end;
}

#endif
