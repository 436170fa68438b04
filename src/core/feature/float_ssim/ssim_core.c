/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_ssim/ssim_core.h"

#include <errno.h>

#include "support/memory.h"

/*
 * Rows of both images and of their products are filtered horizontally as they come; the last
 * SSIM_TAPS of them are kept, and filtered vertically.
 */
struct SsimCore {
    float *samples[SSIM_PICTURES];
    float *products[SSIM_MOMENTS]; /* from SSIM_REF_REF */
    float *filtered[SSIM_MOMENTS][SSIM_TAPS];
    float *means[SSIM_MOMENTS];
    SsimSimilarity similarity;
    void *memory;
};

enum {
    N_FLOAT_ROWS =
        SSIM_PICTURES + (SSIM_MOMENTS - SSIM_REF_REF) + SSIM_MOMENTS * (SSIM_TAPS + 1) + 1,
    N_DOUBLE_ROWS = 2,
};

int ssim_core_create(SsimCore **created, unsigned w)
{
    const size_t n = ssim_row_size(w);
    size_t row_bytes;
    if (!n || !size_mul(n, sizeof(float), &row_bytes))
        return -ENOMEM;
    SsimCore *core = memory_alloc(1, sizeof(*core));
    if (!core)
        return -ENOMEM;
    core->memory = memory_alloc(N_FLOAT_ROWS + 2 * N_DOUBLE_ROWS, row_bytes);
    if (!core->memory) {
        memory_free(core);
        return -ENOMEM;
    }
    double *double_row = core->memory;
    core->similarity.luminance = double_row;
    core->similarity.contrast = double_row + n;
    float *row = (float *)(double_row + N_DOUBLE_ROWS * n);
    core->similarity.structure = row;
    for (int p = 0; p < SSIM_PICTURES; p++)
        core->samples[p] = row += n;
    for (int m = SSIM_REF_REF; m < SSIM_MOMENTS; m++)
        core->products[m] = row += n;
    for (int m = 0; m < SSIM_MOMENTS; m++) {
        for (int k = 0; k < SSIM_TAPS; k++)
            core->filtered[m][k] = row += n;
        core->means[m] = row += n;
    }
    *created = core;
    return 0;
}

void ssim_core_destroy(SsimCore *core)
{
    if (!core)
        return;
    memory_free(core->memory);
    memory_free(core);
}

/* Filters row y of the images and of their products horizontally, w outputs. */
static void enter_row(SsimCore *core, const SsimKernels *kernels, const SsimImage *ref,
                      const SsimImage *dist, unsigned y, unsigned w)
{
    const float *r = ssim_image_row(ref, kernels, y, core->samples[0]);
    const float *d = ssim_image_row(dist, kernels, y, core->samples[1]);
    kernels->multiply(core->products[SSIM_REF_REF], r, r, ref->w);
    kernels->multiply(core->products[SSIM_DIST_DIST], d, d, ref->w);
    kernels->multiply(core->products[SSIM_REF_DIST], r, d, ref->w);
    const float *const rows[SSIM_MOMENTS] = {r, d, core->products[SSIM_REF_REF],
                                             core->products[SSIM_DIST_DIST],
                                             core->products[SSIM_REF_DIST]};
    for (int m = 0; m < SSIM_MOMENTS; m++)
        kernels->filter_row(core->filtered[m][y % SSIM_TAPS], rows[m], w);
}

typedef struct Sums {
    double index, luminance, contrast, structure;
} Sums;

/* The order of the additions is part of the metric: from left to right, row after row. */
static void add_row(Sums *sums, const SsimSimilarity *similarity, unsigned w)
{
    Sums s = *sums;
    if (similarity->luminance) {
        for (unsigned x = 0; x < w; x++) {
            const double luminance = similarity->luminance[x];
            const double contrast = similarity->contrast[x];
            const double structure = (double)similarity->structure[x];
            s.index += luminance * contrast * structure;
            s.luminance += luminance;
            s.contrast += contrast;
            s.structure += structure;
        }
    } else {
        for (unsigned x = 0; x < w; x++) {
            s.contrast += similarity->contrast[x];
            s.structure += (double)similarity->structure[x];
        }
    }
    *sums = s;
}

SsimMeans ssim_compare(SsimCore *core, const SsimKernels *kernels, const SsimImage *ref,
                       const SsimImage *dist, bool with_luminance)
{
    const unsigned w = ref->w - (SSIM_TAPS - 1), h = ref->h - (SSIM_TAPS - 1);
    const SsimSimilarity similarity = {
        .luminance = with_luminance ? core->similarity.luminance : NULL,
        .contrast = core->similarity.contrast,
        .structure = core->similarity.structure,
    };
    const float *means[SSIM_MOMENTS];
    for (int m = 0; m < SSIM_MOMENTS; m++)
        means[m] = core->means[m];

    Sums sums = {0};
    for (unsigned y = 0; y < ref->h; y++) {
        enter_row(core, kernels, ref, dist, y, w);
        if (y < SSIM_TAPS - 1)
            continue;
        for (int m = 0; m < SSIM_MOMENTS; m++) {
            const float *rows[SSIM_TAPS];
            for (unsigned k = 0; k < SSIM_TAPS; k++)
                rows[k] = core->filtered[m][(y + 1 + k) % SSIM_TAPS];
            kernels->filter_columns(core->means[m], rows, w);
        }
        kernels->similarity(&similarity, means, w);
        add_row(&sums, &similarity, w);
    }
    const double n = (double)w * (double)h;
    return (SsimMeans){
        .index = (float)(sums.index / n),
        .luminance = (float)(sums.luminance / n),
        .contrast = (float)(sums.contrast / n),
        .structure = (float)(sums.structure / n),
    };
}
