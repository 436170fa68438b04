/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/executors/frame_view.h"

#include "picture/picture.h"

static int view_earlier(const VmafPicture earlier[], unsigned n, VmafPicture views[],
                        const VmafPicture *input[])
{
    int err = 0;
    for (unsigned i = 0; i < n && earlier[i].ref && !err; i++) {
        err = picture_on_host(&earlier[i], &views[i]);
        input[i] = &views[i];
    }
    return err;
}

int frame_view(const WorkUnit *unit, const Frame *frame, FrameViews *views, FrameInput *input)
{
    *input = (FrameInput){.ref = &views->ref, .dist = &views->dist};
    int err = picture_on_host(&frame->ref, &views->ref);
    if (!err)
        err = picture_on_host(&frame->dist, &views->dist);
    if (!err)
        err = view_earlier(frame->earlier_ref, unit->needs.ref_history, views->earlier_ref,
                           input->earlier_ref);
    if (!err)
        err = view_earlier(frame->earlier_dist, unit->needs.dist_history, views->earlier_dist,
                           input->earlier_dist);
    return err;
}
