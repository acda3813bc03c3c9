/* BLAKE2b (RFC 7693) of several streams at once: a stream depends on each of its bytes in turn, but not on other streams. */
#ifndef GEC_PIPELINE_BLAKE2B_H
#define GEC_PIPELINE_BLAKE2B_H

#include <stdint.h>
#include <string.h>

#define GP_BLOCK 128
#define GP_MOST_LANES 4

/* A stream: its state, the bytes that are in it, and bytes that wait; the last block can only be taken at the end. */
typedef struct {
    uint64_t h[8];
    uint64_t size;
    int64_t waiting;
    uint8_t rest[GP_BLOCK];
} gp_stream;

static const uint64_t gp_start[8] = {
    0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
    0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};

/* The word of 8 bytes at p, the lowest byte first. */
static inline uint64_t gp_word64(const uint8_t *p) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
#else
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--) word = word << 8 | p[i];
    return word;
#endif
}

#define GP_V uint64_t
#define GP_NAME(name) gp_##name##_64
#define GP_TARGET
#include "blake2b_lanes.h"

#if defined(__GNUC__) || defined(__clang__)
#define GP_DIGEST_VECTORS 1
typedef uint64_t gp_u128 __attribute__((vector_size(16), may_alias));
#define GP_V gp_u128
#define GP_NAME(name) gp_##name##_128
#define GP_TARGET
#include "blake2b_lanes.h"
#if defined(__x86_64__)
#define GP_DIGEST_WIDE 1
typedef uint64_t gp_u256 __attribute__((vector_size(32), may_alias));
#define GP_V gp_u256
#define GP_NAME(name) gp_##name##_256
#define GP_TARGET __attribute__((target("avx2")))
#include "blake2b_lanes.h"

/* Four lanes with the instructions of AVX-512, which turns bits at once, under the name of its own vectors. */
#define GP_V gp_u256
#define GP_NAME(name) gp_##name##_512
#define GP_TARGET __attribute__((target("avx512f,avx512vl")))
#include "blake2b_lanes.h"
#endif
#endif

typedef struct {
    int bits, lanes;
    void (*take)(gp_stream **streams, const uint8_t **data, int64_t blocks, int last);
} gp_digest;

/* Return the functions for vectors of so many bits, or NULL where the processor has none. 64 bits are always there. */
static const gp_digest *gp_digest_of(int bits) {
    static const gp_digest widths[] = {
        {64, 1, gp_blake2b_64},
#ifdef GP_DIGEST_VECTORS
        {128, 2, gp_blake2b_128},
#endif
#ifdef GP_DIGEST_WIDE
        {256, 4, gp_blake2b_256},
        {512, 4, gp_blake2b_512},
#endif
    };
#ifdef GP_DIGEST_WIDE
    if (bits == 256 && !__builtin_cpu_supports("avx2")) return NULL;
    if (bits == 512 && !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))) return NULL;
#endif
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (widths[i].bits == bits) return &widths[i];
    return NULL;
}

static void gp_open_stream(gp_stream *stream, int digest_size) {
    memset(stream, 0, sizeof *stream);
    memcpy(stream->h, gp_start, sizeof stream->h);
    stream->h[0] ^= 0x01010000u ^ (uint64_t)digest_size; /* no key, one node */
}

/* Add the next bytes to each of some different streams. */
static void gp_feed(const gp_digest *width, gp_stream **streams, const uint8_t **data, int64_t *sizes, int64_t count) {
    gp_stream idle, *lanes[GP_MOST_LANES];
    const uint8_t *at[GP_MOST_LANES];
    int64_t number[GP_MOST_LANES];
    gp_open_stream(&idle, 1);
    for (int64_t i = 0; i < count; i++) { /* whole blocks begin behind what waits */
        gp_stream *stream = streams[i];
        int64_t more = GP_BLOCK - stream->waiting;
        if (sizes[i] <= more) more = sizes[i];
        memcpy(stream->rest + stream->waiting, data[i], more);
        stream->waiting += more, data[i] += more, sizes[i] -= more;
    }
    for (int from_rest = 1; from_rest >= 0; from_rest--) {
        for (;;) {
            int64_t used = 0, blocks = INT64_MAX;
            for (int64_t i = 0; i < count && used < width->lanes; i++) {
                int64_t ready = from_rest ? streams[i]->waiting == GP_BLOCK && sizes[i] > 0 : (sizes[i] - 1) / GP_BLOCK;
                if (ready < 1) continue;
                blocks = ready < blocks ? ready : blocks;
                at[used] = from_rest ? streams[i]->rest : data[i];
                number[used] = i;
                lanes[used++] = streams[i];
            }
            if (!used) break;
            for (int64_t lane = used; lane < width->lanes; lane++) lanes[lane] = &idle, at[lane] = at[0];
            (used > 1 ? width->take : gp_blake2b_64)(lanes, at, blocks, 0);
            for (int64_t lane = 0; lane < used; lane++) {
                int64_t i = number[lane];
                if (from_rest) streams[i]->waiting = 0;
                else data[i] += blocks * GP_BLOCK, sizes[i] -= blocks * GP_BLOCK;
            }
        }
    }
    for (int64_t i = 0; i < count; i++) {
        if (!sizes[i]) continue;
        memcpy(streams[i]->rest, data[i], sizes[i]);
        streams[i]->waiting = sizes[i];
    }
}

/* Write the digest of a stream, which then takes no more bytes. */
static void gp_finish(gp_stream *stream, uint8_t *digest, int digest_size) {
    const uint8_t *data = stream->rest;
    memset(stream->rest + stream->waiting, 0, GP_BLOCK - stream->waiting);
    stream->size += stream->waiting;
    gp_blake2b_64(&stream, &data, 1, 1);
    for (int i = 0; i < digest_size; i++) digest[i] = (uint8_t)(stream->h[i / 8] >> (8 * (i % 8)));
}

#endif
