/* Hashing of keys: a folded 64 x 64 -> 128 bit product with secrets that differ in each process. So nobody can write a
 * text whose tokens all collide. Results never depend on the secrets. */
#ifndef GEC_PIPELINE_HASH_H
#define GEC_PIPELINE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
static inline uint64_t gp_fold(uint64_t a, uint64_t b) {
    uint64_t high, low = _umul128(a, b, &high);
    return low ^ high;
}
#elif defined(__SIZEOF_INT128__)
static inline uint64_t gp_fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
#else
static inline uint64_t gp_fold(uint64_t a, uint64_t b) {
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = a1 * b0 + ((a0 * b0) >> 32), other = a0 * b1 + (uint32_t)middle;
    uint64_t low = a * b, high = a1 * b1 + (middle >> 32) + (other >> 32);
    return low ^ high;
}
#endif

static inline uint64_t gp_read8(const unsigned char *p) {
    uint64_t value;
    memcpy(&value, p, 8);
    return value;
}

static inline uint64_t gp_read4(const unsigned char *p) {
    uint32_t value;
    memcpy(&value, p, 4);
    return value;
}

/* Return how many of the 8 bytes at p come before the first that is <= 0x20 or >= 0x80; 8 if none is. */
static inline int gp_plain(const unsigned char *p) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word = gp_read8(p);
    uint64_t found = ((word - 0x2121212121212121u) | word) & 0x8080808080808080u;
    return found ? __builtin_ctzll(found) >> 3 : 8;
#else
    int count = 0;
    while (count < 8 && p[count] > 0x20 && p[count] < 0x80) count++;
    return count;
#endif
}

/* Return how many of the 8 bytes at p come before the first that is no letter a-z or A-Z; 8 if all are. */
static inline int gp_letters(const unsigned char *p) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word = gp_read8(p), small = (word & 0x7F7F7F7F7F7F7F7Fu) | 0x2020202020202020u;
    uint64_t letters = (small + 0x1F1F1F1F1F1F1F1Fu) & ~(small + 0x0505050505050505u) & ~word & 0x8080808080808080u;
    uint64_t found = letters ^ 0x8080808080808080u;
    return found ? __builtin_ctzll(found) >> 3 : 8;
#else
    int count = 0;
    while (count < 8 && ((p[count] | 0x20) >= 'a') && ((p[count] | 0x20) <= 'z')) count++;
    return count;
#endif
}

/* Return a token of at most 8 bytes as a number, which has them from its lowest byte on where the machine stores numbers
 * so. Tokens are equal if their numbers and their sizes are. */
static inline uint64_t gp_pack(const unsigned char *p, size_t size) {
    if (size >= 4) return gp_read4(p) | gp_read4(p + size - 4) << (8 * (size - 4));
    if (size == 0) return 0;
    return p[0] | (uint64_t)p[size >> 1] << (8 * (size >> 1)) | (uint64_t)p[size - 1] << (8 * (size - 1));
}

/* Return the hash of a token of more than 8 bytes; no byte outside of the token is read. */
static inline uint64_t gp_hash(const unsigned char *p, size_t size, uint64_t secret0, uint64_t secret1) {
    uint64_t seed = secret0 ^ size;
    size_t left = size;
    while (left > 16) {
        seed = gp_fold(gp_read8(p) ^ secret1, gp_read8(p + 8) ^ seed);
        p += 16;
        left -= 16;
    }
    p += left; /* p is now behind the last byte */
    if (size >= 16) return gp_fold(secret1 ^ size, gp_fold(gp_read8(p - 16) ^ secret1, gp_read8(p - 8) ^ seed));
    return gp_fold(secret1 ^ size, gp_fold(gp_read8(p - left) ^ secret1, gp_read8(p - 8) ^ seed));
}

#endif
