/* BLAKE2b (RFC 7693) of several streams side by side, for one width of vectors; blake2b.h includes this file for each, and
 * defines before: GP_V, a vector of uint64_t or a single one; GP_NAME, which adds the width to a name; GP_TARGET, the
 * instructions that a function may use. */

#define LANES ((int)(sizeof(GP_V) / 8))
#define GP_TURN(x, by) (((x) >> (by)) | ((x) << (64 - (by))))
#define GP_MIX(a, b, c, d, x, y) \
    a += b + m[x], d = GP_TURN(d ^ a, 32), c += d, b = GP_TURN(b ^ c, 24); \
    a += b + m[y], d = GP_TURN(d ^ a, 16), c += d, b = GP_TURN(b ^ c, 63)
#define GP_ROUND(o0, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, o11, o12, o13, o14, o15) \
    GP_MIX(v0, v4, v8, v12, o0, o1); \
    GP_MIX(v1, v5, v9, v13, o2, o3); \
    GP_MIX(v2, v6, v10, v14, o4, o5); \
    GP_MIX(v3, v7, v11, v15, o6, o7); \
    GP_MIX(v0, v5, v10, v15, o8, o9); \
    GP_MIX(v1, v6, v11, v12, o10, o11); \
    GP_MIX(v2, v7, v8, v13, o12, o13); \
    GP_MIX(v3, v4, v9, v14, o14, o15)

/* Take so many blocks of 128 bytes of each stream, all of them with a stream in each lane. last: the last block of all. */
GP_TARGET static void GP_NAME(blake2b)(gp_stream **streams, const uint8_t **data, int64_t blocks, int last) {
    GP_V h[8], m[16], sizes;
    uint64_t words[16][LANES];
    for (int i = 0; i < 8; i++) {
        for (int lane = 0; lane < LANES; lane++) words[i][lane] = streams[lane]->h[i];
        memcpy(&h[i], words[i], sizeof(GP_V));
    }
    for (int lane = 0; lane < LANES; lane++) words[0][lane] = streams[lane]->size;
    memcpy(&sizes, words[0], sizeof(GP_V));
    for (int64_t block = 0; block < blocks; block++) {
        for (int lane = 0; lane < LANES; lane++)
            for (int i = 0; i < 16; i++) words[i][lane] = gp_word64(data[lane] + 128 * block + 8 * i);
        memcpy(m, words, sizeof m);
        if (!last) sizes += 128;
        GP_V v0 = h[0], v1 = h[1], v2 = h[2], v3 = h[3], v4 = h[4], v5 = h[5], v6 = h[6], v7 = h[7], zero = h[0] ^ h[0];
        GP_V v8 = zero + gp_start[0], v9 = zero + gp_start[1], v10 = zero + gp_start[2], v11 = zero + gp_start[3];
        GP_V v12 = sizes ^ gp_start[4], v13 = zero + gp_start[5], v14 = zero + gp_start[6], v15 = zero + gp_start[7];
        if (last) v14 = ~v14;
        GP_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        GP_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
        GP_ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);
        GP_ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);
        GP_ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);
        GP_ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);
        GP_ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);
        GP_ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);
        GP_ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);
        GP_ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);
        GP_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        GP_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
        h[0] ^= v0 ^ v8, h[1] ^= v1 ^ v9, h[2] ^= v2 ^ v10, h[3] ^= v3 ^ v11;
        h[4] ^= v4 ^ v12, h[5] ^= v5 ^ v13, h[6] ^= v6 ^ v14, h[7] ^= v7 ^ v15;
    }
    for (int i = 0; i < 8; i++) {
        memcpy(words[i], &h[i], sizeof(GP_V));
        for (int lane = 0; lane < LANES; lane++) streams[lane]->h[i] = words[i][lane];
    }
    for (int lane = 0; lane < LANES && !last; lane++) streams[lane]->size += 128 * blocks;
}

#undef LANES
#undef GP_TURN
#undef GP_MIX
#undef GP_ROUND
#undef GP_V
#undef GP_NAME
#undef GP_TARGET
