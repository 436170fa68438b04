/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/executors/frame_view.h"

#include "picture/picture.h"

/* Adds to the number of downloads, unless that is an error. */
static int view_one(const VmafPicture *pic, VmafPicture *view, int downloads)
{
    if (downloads < 0)
        return downloads;
    const int result = picture_on_host(pic, view);
    return result < 0 ? result : downloads + result;
}

static int view_earlier(const VmafPicture earlier[], unsigned n, VmafPicture views[],
                        const VmafPicture *input[], int downloads)
{
    for (unsigned i = 0; i < n && earlier[i].ref; i++) {
        downloads = view_one(&earlier[i], &views[i], downloads);
        input[i] = &views[i];
    }
    return downloads;
}

int frame_view(const WorkUnit *unit, const Frame *frame, FrameViews *views, FrameInput *input)
{
    *input = (FrameInput){.ref = &views->ref, .dist = &views->dist};
    int downloads = view_one(&frame->ref, &views->ref, 0);
    downloads = view_one(&frame->dist, &views->dist, downloads);
    downloads = view_earlier(frame->earlier_ref, unit->needs.ref_history, views->earlier_ref,
                             input->earlier_ref, downloads);
    return view_earlier(frame->earlier_dist, unit->needs.dist_history, views->earlier_dist,
                        input->earlier_dist, downloads);
}
