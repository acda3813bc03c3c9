/* The edits of TER for texts of up to 64 words, with rows of the table of costs as bits.
 *
 * Bit j of a row stands for the step from column j to column j + 1: the cost grows by 1 (`up`), falls by 1 (`down`), or
 * stays. A row follows from the one above in some fifteen operations (Myers 1999; Hyyrö 2003). The table has no beam, which
 * changes nothing where the beam has all cells, or where no path of the cost of the whole leaves it: a path is never
 * farther from the middle of the beam than half of its cost and of the difference of both lengths, since so many words are
 * put in or left out to get there and back. See gp_beam_matters().
 *
 * No shift makes the cost lower than the words that one text has beyond those that both share: mostly the first cost is
 * that already, and no shift is tried. */
#ifndef GEC_PIPELINE_EDIT_RATE_H
#define GEC_PIPELINE_EDIT_RATE_H

#include <string.h>

#include "bits.h"

#define GP_MOST_BITS 64

typedef struct {
    uint64_t up, down;
} gp_row;

typedef struct {
    int size, target;                 /* words of the output and of the reference */
    int beam, farthest, block, most;  /* BEAM, FARTHEST, LONGEST_SHIFT and MOST_SHIFTS of common.py */
    int whole, least;                 /* the cost of the words, and what no shift makes lower */
    uint64_t words[GP_MOST_BITS];     /* for each word of the output after the shifts so far, where the reference has it */
    uint64_t moved[GP_MOST_BITS];     /* the same after the shift that is tried */
    uint64_t best_words[GP_MOST_BITS]; /* the same after the best shift */
    gp_row rows[GP_MOST_BITS + 1];
    uint64_t diagonal[GP_MOST_BITS];  /* for each row but the first, which cells cost what the cell above and left does */
    uint64_t above[GP_MOST_BITS];     /* and which cost one more than the cell above */
    uint64_t wrong, missed;           /* words of the output that are wrong, and of the reference that are not there */
    int aligned[GP_MOST_BITS];        /* see places in the Python twin */
    int saved, length, start, place;  /* the best shift: the edits it saves, its block, and its target */
    int tried;
} gp_table_of_edits;

/* Return the row below another, whose word is in the reference at some places; set what the cells of the row cost. */
GP_INLINED gp_row gp_next_row(gp_row row, uint64_t places, uint64_t *same, uint64_t *more, uint64_t *less) {
    uint64_t diagonal = (((places & row.up) + row.up) ^ row.up) | places | row.down;
    uint64_t above = row.down | ~(diagonal | row.up);
    *same = diagonal, *more = above, *less = diagonal & row.up;
    row.up = *less << 1 | ~(diagonal | above << 1 | 1);
    row.down = (above << 1 | 1) & diagonal;
    return row;
}

/* Compute all rows and the cost of the whole. */
static void gp_all_rows(gp_table_of_edits *t) {
    uint64_t less;
    int last = t->target - 1;
    t->rows[0].up = ~(uint64_t)0, t->rows[0].down = 0;
    t->whole = t->target;
    for (int i = 0; i < t->size; i++) {
        t->rows[i + 1] = gp_next_row(t->rows[i], t->words[i], &t->diagonal[i], &t->above[i], &less);
        t->whole += (int)(t->above[i] >> last & 1) - (int)(less >> last & 1);
    }
}

/* Set wrong, missed and aligned by the path that _steps() of the twin takes. */
static void gp_align(gp_table_of_edits *t) {
    int row = t->size, column = t->target;
    t->wrong = t->missed = 0;
    while (row || column) {
        uint64_t bit = column ? (uint64_t)1 << (column - 1) : 0;
        int same = row && t->words[row - 1] & bit ? 1 : 0;
        if (row && column && (same || !(t->diagonal[row - 1] & bit))) {
            if (!same) t->wrong |= (uint64_t)1 << (row - 1), t->missed |= bit;
            t->aligned[--column] = --row;
        } else if (row && (!column || t->above[row - 1] & bit)) {
            t->wrong |= (uint64_t)1 << --row;
        } else {
            t->missed |= bit;
            t->aligned[--column] = row - 1;
        }
    }
}

/* Set moved; return from where the words are again those before the shift. See Shift in the twin. */
static int gp_move(gp_table_of_edits *t, int start, int length, int target) {
    const size_t one = sizeof *t->words;
    int stop, over;
    if (target < start) {
        stop = start + length;
        memcpy(t->moved, t->words, target * one);
        memcpy(t->moved + target, t->words + start, length * one);
        memcpy(t->moved + target + length, t->words + target, (start - target) * one);
    } else {
        stop = target > start + length ? target : target + length;
        if (stop > t->size) stop = t->size;
        over = stop - start - length;
        memcpy(t->moved, t->words, start * one);
        memcpy(t->moved + start, t->words + start + length, over * one);
        memcpy(t->moved + start + over, t->words + start, length * one);
    }
    memcpy(t->moved + stop, t->words + stop, (t->size - stop) * one);
    return stop;
}

/* Return the cost of the moved words. Their first `kept` words are those of the words, and so are all from `changed` on. */
static int gp_cost(const gp_table_of_edits *t, int kept, int changed) {
    uint64_t same, more, less, all = ~(uint64_t)0 >> (GP_MOST_BITS - t->target);
    gp_row row = t->rows[kept];
    for (int i = kept; i < t->size; i++) {
        row = gp_next_row(row, t->moved[i], &same, &more, &less);
        if (i + 1 >= changed && !(((row.up ^ t->rows[i + 1].up) | (row.down ^ t->rows[i + 1].down)) & all))
            return t->whole; /* both rows begin with the same cost, and so they are the same */
    }
    return t->size + (int)gp_bits(row.up & all) - (int)gp_bits(row.down & all);
}

/* Try the shifts of a block, and keep the best shift. */
static void gp_try_block(gp_table_of_edits *t, int start, int place, int length) {
    int before = -1;
    for (int number = place - 1; number < place + length; number++) {
        int target = number >= 0 ? t->aligned[number] + 1 : 0, least, cost, goes_before;
        if (target == before) continue;
        before = target;
        t->tried++;
        if (t->saved == 0 || length != t->length) goes_before = t->saved == 0 || length > t->length;
        else goes_before = start < t->start || (start == t->start && target < t->place);
        least = t->saved + !goes_before;
        if (least < 1) least = 1;
        if (least > t->whole - t->least) continue;
        cost = gp_move(t, start, length, target);
        cost = gp_cost(t, start < target ? start : target, cost);
        if (cost > t->whole - least) continue;
        t->saved = t->whole - cost, t->length = length, t->start = start, t->place = target;
        memcpy(t->best_words, t->moved, t->size * sizeof *t->moved);
    }
}

/* Try the shifts of all blocks that both texts have. A block has a wrong word, and one that is missed. */
static void gp_try_all(gp_table_of_edits *t) {
    for (int start = 0; start < t->size && t->wrong >> start; start++) {
        uint64_t places = ~(uint64_t)0, ahead = t->wrong >> start;
        int wrong = (int)gp_bits((ahead & (0 - ahead)) - 1), most; /* so far ahead is the next wrong word */
        if (wrong >= t->block) continue;
        for (int i = 0; i <= wrong && places; i++) places &= t->words[start + i] >> i;
        if (start > t->farthest) places &= ~(uint64_t)0 << (start - t->farthest);
        if (start + t->farthest + 1 < GP_MOST_BITS) places &= ((uint64_t)1 << (start + t->farthest + 1)) - 1;
        for (; places; places &= places - 1) {
            int place = (int)gp_bits((places & (0 - places)) - 1);
            most = t->size - start < t->target - place ? t->size - start : t->target - place;
            if (most > t->block) most = t->block;
            for (int length = wrong + 1; length <= most; length++) {
                int own = t->aligned[place];
                if (!(t->words[start + length - 1] >> (place + length - 1) & 1)) break;
                if (!(t->missed >> place & (((uint64_t)1 << length) - 1))) continue;
                if (start <= own && own < start + length) continue;
                gp_try_block(t, start, place, length);
                if (t->tried >= t->most) return;
            }
        }
    }
}

/* Return whether the beam of the twin may change the cost. One cell is for the rounding of its middle. */
static int gp_beam_matters(const gp_table_of_edits *t) {
    int longer = t->size > t->target ? t->size - t->target : t->target - t->size;
    return t->target >= t->beam && t->whole + longer > 2 * (t->beam - 2);
}

/* Return the edits that make an output a reference, or -1 where the beam of the twin can change them. `places` has a 0 for
 * each id. Both texts have at most GP_MOST_BITS words, and the reference has one at least. */
static int gp_edits(gp_table_of_edits *t, uint64_t *places, const int32_t *output, const int32_t *reference) {
    uint64_t taken = 0;
    int shifts = 0;
    gp_place(places, reference, t->target, 1);
    for (int i = 0; i < t->size; i++) {
        uint64_t left = (t->words[i] = places[output[i]]) & ~taken;
        taken |= left & (0 - left);
    }
    gp_unplace(places, reference, t->target, 1);
    t->least = (t->size > t->target ? t->size : t->target) - (int)gp_bits(taken);
    t->tried = 0;
    for (;; shifts++) {
        gp_all_rows(t);
        if (gp_beam_matters(t)) return -1;
        if (t->whole <= t->least) return shifts + t->whole;
        gp_align(t);
        t->saved = t->length = t->start = t->place = 0;
        gp_try_all(t);
        if (t->tried >= t->most || t->saved == 0) return shifts + t->whole;
        memcpy(t->words, t->best_words, t->size * sizeof *t->words);
    }
}

#endif
