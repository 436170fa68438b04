/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/alignment/watch.h"

#include "media/alignment/window.h"

enum {
    LEVEL = 256,
    STILL = 2,             /* distance of frames that are repeated: rounding in a decoder */
    MOVES = 3 * LEVEL / 2, /* from one frame to the next; coding would not leave that out */
    MOVED = 3 * LEVEL,     /* from the beginning of a freeze */
    BLACK = 20 * LEVEL,    /* luma of black is 16 in limited range */
    PICTURE = 40 * LEVEL,  /* certainly not black, whatever the range */
    LONG_STILL = 48,       /* frames */
    LONG_BLACK = 24,
    LONG_BORDERS = 24,
    LEAST_REPEATS = 3,   /* places */
    REPEATS_SHARE = 100, /* one frame in so many */
};

static bool row_is_black(const Signature *signature, unsigned row)
{
    for (unsigned i = 0; i < SIGNATURE_COLUMNS; i++)
        if (signature->mean[row * SIGNATURE_COLUMNS + i] >= BLACK)
            return false;
    return true;
}

static bool column_is_black(const Signature *signature, unsigned column)
{
    for (unsigned j = 0; j < SIGNATURE_ROWS; j++)
        if (signature->mean[j * SIGNATURE_COLUMNS + column] >= BLACK)
            return false;
    return true;
}

static BorderWatch borders_of(const Signature *signature)
{
    BorderWatch border = {0};
    while (border.top < SIGNATURE_ROWS && row_is_black(signature, border.top))
        border.top++;
    while (border.bottom < SIGNATURE_ROWS &&
           row_is_black(signature, SIGNATURE_ROWS - 1 - border.bottom))
        border.bottom++;
    while (border.left < SIGNATURE_COLUMNS && column_is_black(signature, border.left))
        border.left++;
    while (border.right < SIGNATURE_COLUMNS &&
           column_is_black(signature, SIGNATURE_COLUMNS - 1 - border.right))
        border.right++;
    return border;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void watch_borders(PairWatch *watch, unsigned side, const Signature *signature)
{
    const BorderWatch here = borders_of(signature);
    BorderWatch *all = &watch->border[side];
    if (!watch->frames)
        *all = here;
    all->top = smaller(all->top, here.top);
    all->bottom = smaller(all->bottom, here.bottom);
    all->left = smaller(all->left, here.left);
    all->right = smaller(all->right, here.right);
    for (unsigned i = 0; i < SIGNATURE_ROWS * SIGNATURE_COLUMNS; i++)
        if (signature->mean[i] > watch->brightest[side].mean[i])
            watch->brightest[side].mean[i] = signature->mean[i];
}

/* Does a side move, and not just flicker? Noise changes as much over one frame as over two. */
static bool moves(const PairWatch *watch, unsigned side, const Signature *now, double change)
{
    const double over_two = signature_distance(now, &watch->second[side]);
    return change >= MOVES && over_two >= 1.4 * change;
}

/* Frames that are repeated several times over, as at the end of a padded video, are one place. */
static void watch_repeats(PairWatch *watch, const Signature *const now[WATCH_SIDES],
                          const double change[WATCH_SIDES])
{
    for (unsigned side = 0; side < WATCH_SIDES; side++) {
        StillWatch *repeats = &watch->repeats[side];
        const bool still = change[side] <= STILL;
        if (still && !repeats->still && moves(watch, !side, now[!side], change[!side]) &&
            !repeats->count++)
            repeats->first = watch->frames;
        repeats->still = still;
    }
}

static bool is_black(const Signature *signature)
{
    for (unsigned row = 0; row < SIGNATURE_ROWS; row++)
        if (!row_is_black(signature, row))
            return false;
    return true;
}

static bool has_picture(const Signature *signature)
{
    for (unsigned i = 0; i < SIGNATURE_ROWS * SIGNATURE_COLUMNS; i++)
        if (signature->mean[i] >= PICTURE)
            return true;
    return false;
}

/* Counts frames for which something holds without a gap; true once they are enough. */
static bool run_goes_on(RunWatch *run, bool holds, unsigned long long frame, unsigned enough)
{
    if (!holds) {
        run->frames = 0;
        return false;
    }
    if (!run->frames++)
        run->begin = frame;
    return run->frames >= enough && !run->told;
}

/* Noise changes as much from one frame to the next as over many, and is no movement. */
static WatchEvent watch_freeze(PairWatch *watch, const Signature *reference,
                               const double change[WATCH_SIDES])
{
    enum { MORE_THAN_NOISE = 2 };
    const bool still = watch->frames && change[WATCH_DISTORTED] <= STILL;
    if (still && !watch->frozen.frames)
        watch->begin_of_still = watch->before[WATCH_REFERENCE];
    if (!run_goes_on(&watch->frozen, still, watch->frames, LONG_STILL))
        return WATCH_NOTHING;
    const double moved = signature_distance(&watch->begin_of_still, reference);
    if (moved < MOVED || moved < MORE_THAN_NOISE * change[WATCH_REFERENCE])
        return WATCH_NOTHING;
    watch->frozen.told = true;
    return WATCH_FROZEN;
}

WatchEvent pair_watch_add(PairWatch *watch, const Signature *reference, const Signature *distorted)
{
    const Signature *now[WATCH_SIDES] = {reference, distorted};
    double change[WATCH_SIDES] = {0};
    for (unsigned side = 0; side < WATCH_SIDES; side++) {
        watch_borders(watch, side, now[side]);
        if (watch->frames)
            change[side] = signature_distance(now[side], &watch->before[side]);
    }
    if (watch->frames > 1)
        watch_repeats(watch, now, change);
    WatchEvent event = WATCH_NOTHING;
    const bool black = is_black(distorted) && has_picture(reference);
    if (run_goes_on(&watch->black, black, watch->frames, LONG_BLACK)) {
        watch->black.told = true;
        event = WATCH_BLACK;
    } else if (!black) {
        event = watch_freeze(watch, reference, change);
    }
    for (unsigned side = 0; side < WATCH_SIDES; side++) {
        watch->second[side] = watch->before[side];
        watch->before[side] = *now[side];
    }
    watch->frames++;
    return event;
}

unsigned long long pair_watch_repeats(const PairWatch *watch, unsigned side,
                                      unsigned long long *first)
{
    const StillWatch *repeats = &watch->repeats[side];
    *first = repeats->first;
    const bool many =
        repeats->count >= LEAST_REPEATS && repeats->count * REPEATS_SHARE >= watch->frames;
    return many && repeats->count > watch->repeats[!side].count ? repeats->count : 0;
}

/* Do blocks from row `begin` to `end` of columns `left` to `right` show a picture at some time? */
static bool shows(const Signature *brightest, unsigned begin, unsigned end, unsigned left,
                  unsigned right)
{
    for (unsigned j = begin; j < end; j++)
        for (unsigned i = left; i < right; i++)
            if (brightest->mean[j * SIGNATURE_COLUMNS + i] >= PICTURE)
                return true;
    return false;
}

bool pair_watch_has_borders(const PairWatch *watch, unsigned side)
{
    enum { ROWS = SIGNATURE_ROWS, COLUMNS = SIGNATURE_COLUMNS };
    const BorderWatch *mine = &watch->border[side];
    const Signature *other = &watch->brightest[!side];
    if (watch->frames < LONG_BORDERS || mine->top == ROWS)
        return false;
    const bool rows = shows(other, 0, mine->top, 0, COLUMNS) &&
                      shows(other, ROWS - mine->bottom, ROWS, 0, COLUMNS);
    const bool columns = shows(other, 0, ROWS, 0, mine->left) &&
                         shows(other, 0, ROWS, COLUMNS - mine->right, COLUMNS);
    return rows || columns;
}
