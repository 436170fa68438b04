/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_AUTOCROP_H
#define MEDIA_AUTOCROP_H

/*
 * Finds constant borders of two media files, in a few frames spread over what is scored, and
 * decides whether the distorted video shares those of its reference. The results are in the member
 * `borders` of the readers, for match_reference and match_distorted.
 */

#include "libvmaf/picture.h"
#include "media/module_interface.h"
#include "media/video_reader.h"

/* -- borders of one video -- */

/*
 * Constant borders of a video, as bars above and below the picture are. What is one has the same
 * luma in all frames that were looked at, all over it, and there is something else along most of
 * its edge in one frame or another: a dark scene has no such edge.
 */
enum { BORDERS_MOST_FRAMES = 12 };

typedef struct Borders Borders;

/* Makes borders for frames of that size. NULL: no memory. */
Borders *borders_create(unsigned width, unsigned height);
/* NULL is allowed. */
void borders_destroy(Borders *borders);

/* Looks at the luma of frame number `index`, below BORDERS_MOST_FRAMES, once. 0; -ENOMEM. */
int borders_add(Borders *borders, unsigned index, const VmafPicture *frame);

/*
 * How much these parts of two videos differ (width 0: all of it), in the frames that both have: the
 * mean distance of the means of blocks, in standard deviations. It shows how alike they are
 * whatever their sizes, range and quality. 0 also for videos that have no frame in common, or
 * nothing in them.
 */
double borders_distance(const Borders *reference, MediaCrop reference_part,
                        const Borders *distorted, MediaCrop distorted_part);

/* -- borders of two files -- */

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
