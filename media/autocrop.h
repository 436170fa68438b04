/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_AUTOCROP_H
#define MEDIA_AUTOCROP_H

/*
 * Finds constant borders of two media files, in a few frames spread over what is scored, and
 * decides whether the distorted video shares those of its reference. The results are in the member
 * `borders` of the readers, for match_reference and match_distorted.
 */

#include "media/video_reader.h"

typedef struct Autocrop Autocrop;

/* What is scored of both files. */
typedef struct AutocropRange {
    bool by_time;         /* in seconds, not frames */
    double begin, length; /* length 0: to the end */
} AutocropRange;

/* The reader is at its first frame again afterwards. 0; negative errno, and why. */
int autocrop_reference(Autocrop **autocrop, VideoReader *reference, const AutocropRange *range,
                       Message *why);
/* Does the same for one of several distorted videos, in which the range begins `later` frames
 * later. */
int autocrop_distorted(const Autocrop *autocrop, VideoReader *distorted, double later,
                       Message *why);
/* NULL is allowed. */
void autocrop_destroy(Autocrop *autocrop);

#endif
