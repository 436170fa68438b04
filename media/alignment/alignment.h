/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_ALIGNMENT_ALIGNMENT_H
#define MEDIA_ALIGNMENT_ALIGNMENT_H

/* Do two videos show the same? What their pairs of frames show, and where one of them is late. */

#include "common/messages.h"
#include "media/alignment/signature.h"

#include <stdbool.h>

/* -- pairs of frames without looking for offsets: stillness, blackness, borders -- */

/* Frames of one video that stand still while those of the other move. */
typedef struct StillWatch {
    unsigned long long first, count; /* places where a frame repeats the one before */
    bool still;                      /* the last frame did */
} StillWatch;

/* A condition that has to hold for many frames without a gap. */
typedef struct RunWatch {
    unsigned long long begin, frames;
    bool reported;
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

/* The next pair. A freeze or blackness is reported once, when it is long enough to be one. */
WatchEvent pair_watch_add(PairWatch *watch, const Signature *reference, const Signature *distorted);

/* Frames that only one side repeats: its number (0: none worth telling), first of them. */
unsigned long long pair_watch_repeats(const PairWatch *watch, unsigned side,
                                      unsigned long long *first);

/* -- findings -- */

/*
 * Do the frames of two videos show the same? Frames are added as they come, and findings appear as
 * soon as they are certain. Nothing is found in pictures that do not move, whatever was done to
 * them. For one thread.
 */
typedef struct Alignment Alignment;

typedef enum AlignmentSide { ALIGNMENT_REFERENCE, ALIGNMENT_DISTORTED } AlignmentSide;

typedef enum AlignmentKind {
    ALIGNMENT_OFFSET,   /* the distorted video is late or early, from a frame on */
    ALIGNMENT_BORDERS,  /* one of the videos has black borders that the other does not have */
    ALIGNMENT_REPEATED, /* one of the videos repeats frames that change in the other */
    ALIGNMENT_FROZEN,   /* the distorted video stands still while the reference moves */
    ALIGNMENT_BLACK,    /* the distorted video is black while the reference is not */
} AlignmentKind;

typedef struct AlignmentFinding {
    AlignmentKind kind;
    unsigned long long frame; /* of the reference, the first that is concerned */
    int offset;               /* frames that the distorted video is late; negative: early */
    AlignmentSide side;       /* with the borders, or the repeated frames */
    unsigned long long count; /* of frames that are repeated */
} AlignmentFinding;

/* 0; -ENOMEM. */
int alignment_create(Alignment **alignment);
void alignment_destroy(Alignment *alignment); /* NULL is allowed */

/* The next frame of a side. Neither side may be more than 72 frames ahead. */
void alignment_add(Alignment *alignment, AlignmentSide side, const VmafPicture *picture);
void alignment_add_signature(Alignment *alignment, AlignmentSide side, const Signature *signature);

/* No more frames: what is left is judged, and what was counted is reported. */
void alignment_end(Alignment *alignment);

/* The nth finding; NULL if there are not so many (yet). */
const AlignmentFinding *alignment_finding(const Alignment *alignment, unsigned n);

/* Has a window been judged with certainty? *offset then is that of the first. */
bool alignment_first_offset(const Alignment *alignment, int *offset);

/*
 * One line for people: what was found, and what can be done. `distorted` is what that video is
 * called; `can_apply`: --align auto would help.
 */
void alignment_describe(const AlignmentFinding *finding, const char *distorted, bool can_apply,
                        Message *line);

#endif
