/* Sums of the rows that are drawn, and the draws themselves, from codes. */
#ifndef GEC_PIPELINE_DRAWS_SUMS_H
#define GEC_PIPELINE_DRAWS_SUMS_H

#include "draws_streams.h"

#define GP_STREAMS 512    /* streams whose codes are held at once: whole vectors of each width */
#define GP_ROOM (1 << 20) /* about so many bytes of rows are held at once */
#define GP_FEW 64         /* for fewer streams, smaller tables of choices are made */

/* Numbers of which one is drawn for each line: [lines, references, width]. */
typedef struct {
    const int64_t *numbers;
    int64_t width;
} gp_term;

/* Memory for the draws of a block, aligned for vectors. */
typedef struct {
    uint32_t *codes;   /* [32 / digit of the lines, GP_STREAMS] */
    uint32_t *rows;    /* [slabs of GP_ROW columns, lines, references - 1, GP_ROW] */
    uint32_t *sums;    /* [GP_STREAMS, GP_ROW] */
    uint32_t *choices; /* [256, GP_ROW] */
} gp_block;

/* Return how many lines are drawn at once for so many columns: a multiple of 32. */
static int64_t gp_block_lines(int64_t columns, int references) {
    int64_t slabs = (columns + GP_ROW - 1) / GP_ROW, most = GP_ROOM / (4 * GP_ROW * slabs * references) & ~(int64_t)31;
    return most < 32 ? 32 : most > GP_LINES ? GP_LINES : most;
}

/* Write how much more each reference of some lines has than the first, and add the first's numbers to `base`. Return
 * whether sums of these lines fit into 32 bits. */
static int gp_rows(
    const gp_term *terms, int64_t count, int64_t first, int64_t lines, int references, int64_t *base, uint32_t *rows
) {
    int64_t column = 0;
    uint64_t all = 0;
    for (int64_t t = 0; t < count; t++) {
        for (int64_t i = 0; i < terms[t].width; i++, column++) {
            const int64_t *from = terms[t].numbers + first * references * terms[t].width + i;
            uint32_t *to = rows + column / GP_ROW * lines * (references - 1) * GP_ROW + column % GP_ROW;
            uint64_t sum = 0;
            for (int64_t line = 0; line < lines; line++) {
                uint64_t own = (uint64_t)*from;
                sum += own;
                from += terms[t].width;
                for (int r = 1; r < references; r++, from += terms[t].width, to += GP_ROW) {
                    uint64_t more = (uint64_t)*from - own;
                    all |= more >> 63 ? ~more : more;
                    *to = (uint32_t)more;
                }
            }
            base[column] = (int64_t)((uint64_t)base[column] + sum);
        }
    }
    return all < (uint64_t)INT32_MAX / (uint64_t)GP_LINES;
}

/* Add the numbers that the codes choose, in 64 bits: for numbers so large that few texts have them. */
static void gp_large_sums(
    const gp_streams *all, const gp_term *terms, int64_t count, int64_t first, int64_t lines, const uint32_t *codes,
    int64_t streams, int64_t *sums, int64_t columns
) {
    uint32_t mask = (1u << all->digit) - 1;
    int most = 32 / all->digit;
    for (int64_t s = 0; s < streams; s++)
        for (int64_t line = 0; line < lines; line++) {
            uint32_t draw = codes[line / most * GP_STREAMS + s] >> (line % most * all->digit) & mask;
            for (int64_t t = 0, column = s * columns; t < count; t++) {
                const int64_t *own = terms[t].numbers + (first + line) * all->references * terms[t].width;
                for (int64_t i = 0; i < terms[t].width; i++, column++)
                    sums[column] = (int64_t)((uint64_t)sums[column] + (uint64_t)own[draw * terms[t].width + i] -
                                             (uint64_t)own[i]);
            }
        }
}

/* Add to the sums of some streams [streams, columns] the rows of a block that their codes choose. */
static void gp_small_sums(
    const gp_streams *all, const gp_block *block, int64_t lines, int64_t streams, int64_t *sums, int64_t columns
) {
    int index = all->count >= GP_FEW || all->digit == 8 ? 8 : 4;
    for (int64_t low = 0; low < columns; low += GP_ROW) {
        int64_t several = columns - low < GP_ROW ? columns - low : GP_ROW;
        memset(block->sums, 0, (size_t)(streams * GP_ROW) * sizeof(uint32_t));
        all->width->sums(
            block->codes, GP_STREAMS, lines, all->digit, index, all->references,
            block->rows + low * lines * (all->references - 1), block->sums, streams, block->choices
        );
        for (int64_t s = 0; s < streams; s++)
            for (int64_t i = 0; i < several; i++)
                sums[s * columns + low + i] += (int32_t)block->sums[s * GP_ROW + i];
    }
}

/* Draw for the lines of all terms, and add the numbers drawn to sums [streams, columns]. `base` [columns] is 0. */
static void gp_drawn_sums(
    gp_streams *all, const gp_block *block, const gp_term *terms, int64_t count, int64_t columns, int64_t lines,
    const uint32_t *limits, int64_t *base, int64_t *sums
) {
    int64_t most = gp_block_lines(columns, all->references);
    for (int64_t line = 0; line < lines; line += most) {
        int64_t several = lines - line < most ? lines - line : most;
        int small = gp_rows(terms, count, line, several, all->references, base, block->rows);
        for (int64_t first = 0; first < all->count; first += GP_STREAMS) {
            int64_t streams = all->count - first < GP_STREAMS ? all->count - first : GP_STREAMS;
            int64_t *own = sums + first * columns;
            gp_draw(all, first, streams, several, limits ? limits + line : NULL, block->codes, GP_STREAMS);
            if (small)
                gp_small_sums(all, block, several, streams, own, columns);
            else
                gp_large_sums(all, terms, count, line, several, block->codes, streams, own, columns);
        }
    }
    for (int64_t s = 0; s < all->count; s++)
        for (int64_t i = 0; i < columns; i++)
            sums[s * columns + i] = (int64_t)((uint64_t)sums[s * columns + i] + (uint64_t)base[i]);
}

/* Write the draws of all streams for the next lines: [streams, lines]. */
static void gp_take(
    gp_streams *all, const gp_block *block, int64_t lines, const uint32_t *limits, uint8_t *drawn
) {
    uint32_t mask = (1u << all->digit) - 1;
    for (int64_t line = 0; line < lines; line += GP_LINES) {
        int64_t several = lines - line < GP_LINES ? lines - line : GP_LINES;
        for (int64_t first = 0; first < all->count; first += GP_STREAMS) {
            int64_t streams = all->count - first < GP_STREAMS ? all->count - first : GP_STREAMS;
            gp_draw(all, first, streams, several, limits ? limits + line : NULL, block->codes, GP_STREAMS);
            for (int64_t s = 0; s < streams; s++) {
                uint8_t *to = drawn + (first + s) * lines + line;
                const uint32_t *code = block->codes + s;
                for (int64_t i = 0; i < several; code += GP_STREAMS)
                    for (int shift = 0; shift < 32 && i < several; shift += all->digit)
                        to[i++] = (uint8_t)(*code >> shift & mask);
            }
        }
    }
}

#endif
