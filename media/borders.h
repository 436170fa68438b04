/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_BORDERS_H
#define MEDIA_BORDERS_H

/*
 * Constant borders of a video, as bars above and below the picture are. What is one has the same
 * luma in all frames that were looked at, all over it, and there is something else along most of
 * its edge in one frame or another: a dark scene has no such edge.
 */

#include "media/module_interface.h"

#include "libvmaf/picture.h"

enum { BORDERS_MOST_FRAMES = 12 };

typedef struct Borders Borders;

/* Makes borders for frames of that size. NULL: no memory. */
Borders *borders_create(unsigned width, unsigned height);
/* NULL is allowed. */
void borders_destroy(Borders *borders);

/* Looks at the luma of frame number `index`, below BORDERS_MOST_FRAMES, once. 0; -ENOMEM. */
int borders_add(Borders *borders, unsigned index, const VmafPicture *frame);

/* The part inside of the borders, which are taken for multiples of `across` and `down` samples.
 * Width 0: there are none. */
MediaCrop borders_find(const Borders *borders, unsigned across, unsigned down);

/*
 * How much these parts of two videos differ (width 0: all of it), in the frames that both have: the
 * mean distance of the means of blocks, in standard deviations. It shows how alike they are
 * whatever their sizes, range and quality. 0 also for videos that have no frame in common, or
 * nothing in them.
 */
double borders_distance(const Borders *reference, MediaCrop reference_part,
                        const Borders *distorted, MediaCrop distorted_part);

#endif
