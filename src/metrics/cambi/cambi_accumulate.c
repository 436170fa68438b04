/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi_contrast.h"
#include "metrics/cambi/cambi_image.h"

static void accumulate_picture(const CambiPlan *plan, const CambiVariant *variant, int which,
                               CambiScratch *scratch, const VmafPicture *pic,
                               VmafRecordCambi *record, uint16_t *heat_map)
{
    if (!cambi_samples_fit(plan, pic)) {
        record->is_beyond_depth[which] = 1;
        return;
    }
    const CambiGeometry *g = &variant->geometry[which];
    int current = 0;
    cambi_load_codes(plan, variant, which, scratch, pic, scratch->image[current].codes);
    cambi_find_flat_parts(plan, scratch, &scratch->image[current], g);

    for (int scale = 0; scale < CAMBI_SCALES; scale++) {
        const unsigned w = g->scale_w[scale], h = g->scale_h[scale];
        if (scale > 0 || g->half_resolution) {
            cambi_halve(plan, scratch, &scratch->image[!current], &scratch->image[current], w, h);
            current = !current;
        }
        const CambiImage *image = &scratch->image[current];
        cambi_filter_modes(plan, scratch, image->codes, w, h);
        record->strongest[which][scale] =
            cambi_sum_contrasts(plan, variant, which, scale, scratch, image, heat_map);
        if (heat_map)
            heat_map += (size_t)w * h;
    }
}

int cambi_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                     void *const records[])
{
    const CambiPlan *p = plan;
    (void)band; /* records do not merge: it is the whole frame */
    for (unsigned i = 0; i < p->n_variants; i++) {
        const CambiVariant *variant = &p->variants[i];
        CambiRecord *record = records[i];
        if (!record)
            continue;
        accumulate_picture(p, variant, CAMBI_DIST, scratch, input->dist, &record->sums,
                           variant->heat_map_gain > 0 ? record->heat_maps : NULL);
        if (variant->full_ref)
            accumulate_picture(p, variant, CAMBI_REF, scratch, input->ref, &record->sums, NULL);
    }
    return 0;
}
