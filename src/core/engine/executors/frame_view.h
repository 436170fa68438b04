/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_EXECUTORS_FRAME_VIEW_H
#define CORE_ENGINE_EXECUTORS_FRAME_VIEW_H

#include "engine/queue/frame.h"

/* The pictures of a frame as the host can read them; no references of their own. */
typedef struct FrameViews {
    VmafPicture ref, dist;
    VmafPicture earlier_ref[FEATURE_MAX_HISTORY], earlier_dist[FEATURE_MAX_HISTORY];
} FrameViews;

/* Makes the views that a unit reads, and the input that points to them. Pictures on a device are
 * copied from there: their number, or a negative errno. */
int frame_view(const WorkUnit *unit, const Frame *frame, FrameViews *views, FrameInput *input);

#endif
