/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_ALIGNMENT_WATCH_H
#define MEDIA_ALIGNMENT_WATCH_H

#include "media/alignment/signature.h"

#include <stdbool.h>

/* What shows in pairs of frames without looking for offsets: stillness, blackness, borders. */

/* Frames of one video that stand still while those of the other move. */
typedef struct StillWatch {
    unsigned long long first, count; /* places where a frame repeats the one before */
    bool still;                      /* the last frame did */
} StillWatch;

/* A condition that has to hold for many frames without a gap. */
typedef struct RunWatch {
    unsigned long long begin, frames;
    bool told;
} RunWatch;

/* Black block rows and columns at the edges of a video, those that all frames have. */
typedef struct BorderWatch {
    unsigned top, bottom, left, right;
} BorderWatch;

enum { WATCH_REFERENCE, WATCH_DISTORTED, WATCH_SIDES };

typedef struct PairWatch {
    unsigned long long frames;     /* pairs so far */
    Signature before[WATCH_SIDES]; /* the last pair */
    Signature second[WATCH_SIDES]; /* the one before that */
    Signature begin_of_still;      /* the reference where the distorted video stopped */
    StillWatch repeats[WATCH_SIDES];
    RunWatch frozen, black;
    BorderWatch border[WATCH_SIDES];
    Signature brightest[WATCH_SIDES]; /* of each block, over all frames */
} PairWatch;

typedef enum WatchEvent { WATCH_NOTHING, WATCH_FROZEN, WATCH_BLACK } WatchEvent;

/* The next pair. A freeze or blackness is told once, when it is long enough to be one. */
WatchEvent pair_watch_add(PairWatch *watch, const Signature *reference, const Signature *distorted);

/* Frames that only one side repeats: its number (0: none worth telling), first of them. */
unsigned long long pair_watch_repeats(const PairWatch *watch, unsigned side,
                                      unsigned long long *first);

/* Has this side black borders where the other one has a picture? */
bool pair_watch_has_borders(const PairWatch *watch, unsigned side);

#endif
