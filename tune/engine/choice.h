/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_CHOICE_H
#define TUNE_ENGINE_CHOICE_H

/* Chooses which of many encodes to recommend, and which encodes to make for that. */

#include "tune/engine/confidence.h"
#include "tune/engine/encode_point.h"
#include "tune/engine/knob.h"

#include <stddef.h>

/* Values of a compression index: first, first + step ... up to last. */
typedef struct IndexGrid {
    int first, last, step;
} IndexGrid;

/* The values of a grid; k has room for them. Their number; -EINVAL if step is below 1. */
int grid_values(const IndexGrid *grid, int *k);

typedef struct FineGrid {
    int radius, step;
} FineGrid;

enum { COARSE_DEFAULT_STEP = 10, FINE_DEFAULT_RADIUS = 5, FINE_DEFAULT_STEP = 1 };

/*
 * Where to look more closely, after the encodes of a coarse grid: around the most compressed one
 * that reaches `target`, or the best one if none does or target is NAN. Points without a finite
 * score do not count. k has room for 2 radius + 1. Their number, 0 if the coarse grid has the
 * answer; -EINVAL.
 */
int fine_values(const Knob *knob, const IndexGrid *coarse, const FineGrid *fine,
                const EncodePoint *points, size_t n, double target, int *k);

typedef enum ChoiceStatus {
    CHOICE_MET,
    CHOICE_UNMET, /* none reaches the target: the best there is */
    CHOICE_NONE,  /* no usable point */
} ChoiceStatus;

typedef struct Choice {
    ChoiceStatus status;
    size_t index; /* of the point */
} Choice;

/* Reaches the target, and is compressed most; of equals, the better one. */
Choice choose_most_compressed(const Knob *knob, const EncodePoint *points, size_t n, double target);

/* Reaches the target, and costs least; of equals, the better one, then the more compressed. */
Choice choose_cheapest(const Knob *knob, const EncodePoint *points, size_t n, double target);

/* The bitrate nearest to `kbps`; of equals, the less compressed. CHOICE_MET or CHOICE_NONE. */
Choice choose_bitrate(const Knob *knob, const EncodePoint *points, size_t n, double kbps);

typedef enum Certainty {
    CERTAINTY_NONE,
    CERTAINTY_TIGHT,
    CERTAINTY_EXCLUDED,
    CERTAINTY_WIDE
} Certainty;

typedef struct CertainChoice {
    Choice choice;
    Certainty
        certainty;  /* TIGHT: surely reaches it; EXCLUDED: surely none does; WIDE: some are vague */
    size_t visited; /* points looked at */
} CertainChoice;

/*
 * As choose_cheapest, but points are looked at from the most compressed on, and the first one that
 * reaches the target by its whole, tight interval is taken. 0; -EINVAL if an interval is negative;
 * -ENOMEM.
 */
int choose_by_interval(const Knob *knob, const EncodePoint *points, size_t n, double target,
                       const ConfidenceWidths *widths, CertainChoice *choice);

#endif
