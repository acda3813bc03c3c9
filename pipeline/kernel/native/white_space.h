/* White space of Unicode in UTF-8: what bytes of str are split at by str.split(). */
#ifndef GEC_PIPELINE_WHITE_SPACE_H
#define GEC_PIPELINE_WHITE_SPACE_H

#include <stdint.h>

/* The length of the white space of several bytes at p, or 0. The first byte is C2, E1, E2 or E3. */
static inline int gp_wide_space(const uint8_t *p, const uint8_t *end) {
    if (p[0] == 0xC2) return end - p >= 2 && (p[1] == 0x85 || p[1] == 0xA0) ? 2 : 0;
    if (end - p < 3) return 0;
    if (p[0] == 0xE1) return p[1] == 0x9A && p[2] == 0x80 ? 3 : 0;
    if (p[0] == 0xE3) return p[1] == 0x80 && p[2] == 0x80 ? 3 : 0;
    if (p[1] == 0x80) return p[2] <= 0x8A || p[2] == 0xA8 || p[2] == 0xA9 || p[2] == 0xAF ? 3 : 0;
    return p[1] == 0x81 && p[2] == 0x9F ? 3 : 0;
}

/* The length of the white space at p, or 0. */
static inline int gp_white_space(const uint8_t *p, const uint8_t *end) {
    uint8_t code = p[0];
    if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13) || (code >= 28 && code <= 31);
    return code == 0xC2 || (code >= 0xE1 && code <= 0xE3) ? gp_wide_space(p, end) : 0;
}

#endif
