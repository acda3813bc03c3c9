/* Strings of Python as UTF-8. The characters of a string are all in one, two or four bytes each; that is its kind. */
#ifndef GEC_PIPELINE_UTF8_H
#define GEC_PIPELINE_UTF8_H

#include <stdint.h>
#include <string.h>

#define GP_STEP 16 /* so many characters are looked at together */

/* Return how many bytes characters take as UTF-8, or -1 where one is half of a surrogate pair. */
static inline int64_t gp_utf8_size(int kind, const void *data, int64_t size) {
    int64_t bytes = size;
    if (kind == 1) {
        const uint8_t *p = (const uint8_t *)data;
        for (int64_t i = 0; i < size; i++) bytes += p[i] >> 7; /* compilers vectorise these loops */
    } else if (kind == 2) {
        const uint16_t *p = (const uint16_t *)data;
        unsigned odd = 0;
        for (int64_t i = 0; i < size; i++) {
            bytes += (p[i] >= 0x80) + (p[i] >= 0x800);
            odd |= (p[i] & 0xF800) == 0xD800;
        }
        if (odd) return -1;
    } else {
        const uint32_t *p = (const uint32_t *)data;
        unsigned odd = 0;
        for (int64_t i = 0; i < size; i++) {
            bytes += (p[i] >= 0x80) + (p[i] >= 0x800) + (p[i] >= 0x10000);
            odd |= (p[i] & 0xFFFFF800u) == 0xD800;
        }
        if (odd) return -1;
    }
    return bytes;
}

/* Write a character as UTF-8; return the place behind it. */
static inline uint8_t *gp_utf8_character(uint32_t code, uint8_t *to) {
    if (code < 0x80) {
        *to++ = (uint8_t)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (uint8_t)(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            *to++ = (uint8_t)(0xE0 | code >> 12);
        } else {
            *to++ = (uint8_t)(0xF0 | code >> 18);
            *to++ = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        }
        *to++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
    }
    *to++ = (uint8_t)(0x80 | (code & 0x3F));
    return to;
}

/* Functions that write characters of one kind as UTF-8. Runs of ASCII are copied GP_STEP characters at a time. */
#define GP_WRITER(name, type)                                                              \
    static inline uint8_t *name(const type *p, int64_t size, uint8_t *to) {                \
        int64_t i = 0;                                                                     \
        for (; size - i >= GP_STEP; i += GP_STEP) {                                        \
            type all = 0;                                                                  \
            for (int k = 0; k < GP_STEP; k++) all |= p[i + k];                             \
            if (all < 0x80) {                                                              \
                for (int k = 0; k < GP_STEP; k++) to[k] = (uint8_t)p[i + k];               \
                to += GP_STEP;                                                             \
            } else {                                                                       \
                for (int k = 0; k < GP_STEP; k++) to = gp_utf8_character(p[i + k], to);    \
            }                                                                              \
        }                                                                                  \
        for (; i < size; i++) to = gp_utf8_character(p[i], to);                            \
        return to;                                                                         \
    }

GP_WRITER(gp_write1, uint8_t)
GP_WRITER(gp_write2, uint16_t)
GP_WRITER(gp_write4, uint32_t)

/* Write characters without halves of surrogate pairs as UTF-8; return the place behind them. */
static inline uint8_t *gp_utf8_write(int kind, const void *data, int64_t size, uint8_t *to) {
    if (kind == 1) return gp_write1((const uint8_t *)data, size, to);
    if (kind == 2) return gp_write2((const uint16_t *)data, size, to);
    return gp_write4((const uint32_t *)data, size, to);
}

#endif
