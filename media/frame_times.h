/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FRAME_TIMES_H
#define MEDIA_FRAME_TIMES_H

/* Finds the frames of a video that are shown at the times at which another one shows its frames. */

#include "media/module_interface.h"

typedef struct FrameTimes FrameTimes;

/* Reads the times of all frames of `other`, since its first one. 0; -ENOTSUP if the file does not
 * have them; another negative errno. */
int frame_times_create(FrameTimes **times, const MediaModule *module, MediaVideo *other,
                       Message *why);
/* NULL is allowed. */
void frame_times_destroy(FrameTimes *times, const MediaModule *module);

/* The last frame of the video that is shown by the next of the times, which both files round to
 * ticks of their clocks. As next_frame of the module; 0 also where the video has ended before that
 * time. */
int frame_times_next(FrameTimes *times, const MediaModule *module, MediaVideo *video,
                     MediaFrame *frame, Message *why);

/* Frames that were given out before, and those that never were, until now. */
void frame_times_count(const FrameTimes *times, unsigned long long *repeated,
                       unsigned long long *unused);

#endif
