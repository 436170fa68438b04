/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi_internal.h"

#include <string.h>

#include "metrics/cambi/cambi_kernel.h"

static const void *luma_row(const VmafPicture *pic, unsigned y)
{
    return (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
}

bool cambi_samples_fit(const CambiParams *params, const VmafPicture *pic)
{
    const unsigned bpc = params->format.bpc;
    if (bpc == 8 || bpc == 16)
        return true;
    for (unsigned y = 0; y < params->format.h[0]; y++) {
        if (params->functions.used_bits(luma_row(pic, y), params->format.w[0]) >> bpc)
            return false;
    }
    return true;
}

static const void *sampled_row(const CambiParams *params, const CambiSampling *sampling,
                               const VmafPicture *pic, unsigned y, unsigned w, void *samples)
{
    if (!sampling->rows)
        return luma_row(pic, y);
    const void *row = luma_row(pic, sampling->rows[y]);
    if (params->format.bpc == 8) {
        for (unsigned x = 0; x < w; x++)
            ((uint8_t *)samples)[x] = ((const uint8_t *)row)[sampling->columns[x]];
    } else {
        for (unsigned x = 0; x < w; x++)
            ((uint16_t *)samples)[x] = ((const uint16_t *)row)[sampling->columns[x]];
    }
    return samples;
}

void cambi_load_codes(const CambiParams *params, const CambiVariant *variant, int which,
                      CambiScratch *scratch, const VmafPicture *pic, uint16_t *codes)
{
    const CambiFunctions *functions = &params->functions;
    const unsigned w = variant->geometry[which].w, h = variant->geometry[which].h;
    uint16_t *row = codes;
    for (unsigned y = 0; y < h; y++, row += scratch->stride) {
        const void *samples =
            sampled_row(params, &variant->sampling[which], pic, y, w, scratch->samples);
        if (params->format.bpc == 8)
            functions->codes_of_bytes(row, samples, w);
        else
            functions->codes_of_words(row, samples, w, params->format.bpc);
        if (variant->smooth && y > 0)
            functions->smooth(row - scratch->stride, row, w);
    }
    if (variant->smooth)
        functions->smooth(row - scratch->stride, row - scratch->stride, w);
}

enum { FLAT_RADIUS = CAMBI_FLAT_RADIUS, FLAT_WINDOW = 2 * FLAT_RADIUS + 1 };

void cambi_find_flat_parts(const CambiParams *params, CambiScratch *scratch,
                           const CambiImage *image, const CambiGeometry *g)
{
    const unsigned w = g->w, h = g->h;
    const CambiFunctions *functions = &params->functions;
    const size_t stride = scratch->stride;
    const unsigned threshold = cambi_flatness_threshold(g);
    const uint8_t *zeros = scratch->flat;
    uint8_t *ring = scratch->flat + stride;
    uint8_t *sums = scratch->flat_sums + CAMBI_LANES;
    /* Beyond the row there must be zeros, which a wider picture may have left otherwise. */
    memset(scratch->flat_sums, 0, stride + 2 * CAMBI_LANES);

    for (unsigned below = 0; below < h + FLAT_RADIUS; below++) {
        const uint8_t *entering = zeros, *leaving = zeros;
        if (below < h) {
            const uint16_t *row = image->codes + below * stride;
            uint8_t *flat = ring + below % CAMBI_FLAT_ROWS * stride;
            functions->flatness(flat, row, below + 1 < h ? row + stride : row, w);
            entering = flat;
        }
        if (below >= FLAT_WINDOW)
            leaving = ring + (below - FLAT_WINDOW) % CAMBI_FLAT_ROWS * stride;
        functions->slide(sums, entering, leaving, w);
        if (below >= FLAT_RADIUS)
            functions->threshold_sums(image->mask + (below - FLAT_RADIUS) * stride, sums, w,
                                      threshold);
    }
}

void cambi_halve(const CambiParams *params, const CambiScratch *scratch, const CambiImage *out,
                 const CambiImage *in, unsigned w, unsigned h)
{
    const size_t stride = scratch->stride;
    for (unsigned y = 0; y < h; y++) {
        params->functions.halve_codes(out->codes + y * stride, in->codes + 2 * y * stride, w);
        params->functions.halve_mask(out->mask + y * stride, in->mask + 2 * y * stride, w);
    }
}

void cambi_filter_modes(const CambiParams *params, CambiScratch *scratch, uint16_t *codes,
                        unsigned w, unsigned h)
{
    const CambiFunctions *functions = &params->functions;
    const size_t stride = scratch->stride;
    for (unsigned y = 0; y < h; y++) {
        const uint16_t *row = codes + y * stride;
        uint16_t *filtered = scratch->rows + y % 3 * stride;
        filtered[0] = row[0];
        filtered[w - 1] = row[w - 1];
        if (w > 2)
            functions->mode_of_three(filtered + 1, row, row + 1, row + 2, w - 2);
        /* The first and the last row keep the codes that they had. */
        if (y >= 2)
            functions->mode_of_three(codes + (y - 1) * stride, scratch->rows + (y - 2) % 3 * stride,
                                     scratch->rows + (y - 1) % 3 * stride, filtered, w);
    }
}
