/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/speed/speed_plan.h"

static SpeedSource source_of(const SpeedPlan *plan, const SpeedView *view, const FrameInput *input,
                             int picture, unsigned plane)
{
    SpeedSource source = {
        .picture = picture == SPEED_REFERENCE ? input->ref : input->dist,
        .plane = plan->first_plane + plane,
        .bpc = plan->bpc,
    };
    if (plan->is_temporal) {
        source.less = picture == SPEED_REFERENCE || view->use_ref_diff ? input->ref : input->dist;
        source.picture =
            picture == SPEED_REFERENCE ? input->earlier_ref[0] : input->earlier_dist[0];
    }
    return source;
}

static void store_plane(const SpeedGeometry *g, const SpeedResidualScratch *residual, float *out)
{
    for (unsigned y = 0; y < g->blocks_h; y++)
        memcpy(out + (size_t)y * g->blocks_w, residual->residual + y * residual->stride,
               g->blocks_w * sizeof(*out));
}

int speed_accumulate(const void *opaque, void *opaque_scratch, const FrameInput *input,
                     RowBand band, void *const records[])
{
    (void)band;
    const SpeedPlan *plan = opaque;
    SpeedScratch *scratch = opaque_scratch;
    if (plan->is_temporal && !input->earlier_ref[0])
        return 0;
    for (unsigned v = 0; v < plan->n_views; v++) {
        const SpeedView *view = &plan->views[v];
        const size_t n = speed_plane_samples(&view->geometry);
        float *const record = speed_record_of_view(plan, v, records);
        for (unsigned i = 0; record && i < plan->n_planes * SPEED_PICTURES; i++) {
            const SpeedSource source =
                source_of(plan, view, input, i % SPEED_PICTURES, i / SPEED_PICTURES);
            speed_residual(view, &plan->kernels, &source, &scratch->residual);
            store_plane(&view->geometry, &scratch->residual, record + i * n);
        }
        for (unsigned i = 0; record && i < plan->n_variants; i++) {
            if (records[i] && records[i] != record && plan->variants[i].view == v)
                memcpy(records[i], record, plan->n_planes * SPEED_PICTURES * n * sizeof(*record));
        }
    }
    return 0;
}
