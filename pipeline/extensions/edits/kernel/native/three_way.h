/* Rows of the table of a three-way alignment. A cell is eight times its cost above GP_START. A cell that no way
 * reaches is 0 or more; in the eight there is room for the number of the move that leads into the cell. */
#ifndef GEC_PIPELINE_THREE_WAY_H
#define GEC_PIPELINE_THREE_WAY_H

#include <stdint.h>

#define GP_START INT32_MIN
#define GP_GAP 16     /* 8 * 2 */
#define GP_DIFFERENT 24 /* 8 * 3 */

static inline int32_t gp_least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* For the columns low <= k <= high, write to row the least of the first six moves. Rows are named by what they lack of
 * the cell: a token of the source, of the output, or of both. tokens[k] is the token of the reference that column k
 * adds. from_source[k] is its cost with the token of the source. `one_two` is the cost of the other two tokens. */
static inline void gp_six_moves(
    const int32_t *restrict both, const int32_t *restrict no_source, const int32_t *restrict no_output,
    int32_t *restrict row, const int32_t *restrict tokens, const int32_t *restrict from_source, int32_t output_token,
    int32_t one_two, int64_t low, int64_t high
) {
    for (int64_t k = low; k <= high; k++) {
        int32_t two_three = tokens[k] != output_token ? GP_DIFFERENT : 0;
        int32_t cell = both[k - 1] + one_two + from_source[k] + two_three;
        cell = gp_least(cell, both[k] + one_two + 2 * GP_GAP + 1);
        cell = gp_least(cell, no_source[k - 1] + from_source[k] + 2 * GP_GAP + 2);
        cell = gp_least(cell, no_output[k - 1] + two_three + 2 * GP_GAP + 3);
        cell = gp_least(cell, no_source[k] + 2 * GP_GAP + 4);
        row[k] = gp_least(cell, no_output[k] + 2 * GP_GAP + 5);
    }
}

/* Add the seventh move, which comes from the left, and part costs from moves. `moves` begins with that of `low`. */
static inline void gp_last_move(int32_t *restrict row, uint8_t *restrict moves, int64_t low, int64_t high) {
    int32_t before = row[low - 1];
    for (int64_t k = low; k <= high; k++) {
        int32_t cell = row[k] & ~7, left = before + 2 * GP_GAP;
        moves[k - low] = (uint8_t)(left < cell ? 6 : row[k] & 7);
        before = left < cell ? left : cell;
        row[k] = before;
    }
}

#endif
