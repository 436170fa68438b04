/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_STILL_FRAMES_H
#define CORE_ENGINE_STILL_FRAMES_H

/*
 * Frames that equal the one before, in both pictures: slides, titles, a stream that has stopped.
 *
 * A record depends on the pixels of its frame and of as many earlier frames as its extractor asks
 * for. If all of them equal the frames one earlier, all records of the frame are those of the frame
 * before, and nothing need be computed.
 */

#include "engine/requests/work_list.h"

typedef struct StillFrames {
    bool keeps_wrapped;   /* pictures in memory of the program may be kept, too */
    unsigned planes;      /* that are compared; 0: none, there is nothing to gain */
    unsigned history;     /* earlier frames on which records depend */
    VmafPicture last[2];  /* reference and distorted picture of the last frame, or zeros */
    RequestMask computed; /* what was wanted of it */
    uint64_t run;         /* frames, up to the last one, that equal the one before */
} StillFrames;

/* Prepares `still`, which is zero but for keeps_wrapped, for the first frame. */
void still_frames_start(StillFrames *still, const WorkList *work);
/* Gives up the pictures. */
void still_frames_clear(StillFrames *still);

/* The next frame, of which these requests are wanted: whether their records are those of the frame
 * before. Takes references to the pictures until the next call. */
bool still_frames_enter(StillFrames *still, const WorkList *work, const VmafPicture *ref,
                        const VmafPicture *dist, const RequestMask *wanted);

#endif
