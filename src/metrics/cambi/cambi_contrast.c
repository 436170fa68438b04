/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi_internal.h"

#include <string.h>

#include "metrics/cambi/cambi_heat_map.h"

/*
 * Windows slide down the picture, those of all columns together: each row of pixels is added to the
 * counts when it comes under the windows and removed when it has left them. Rows are handled as
 * runs of equal codes, because a run changes the counts of its code in a way that only depends on
 * its length.
 */

/* The scale in work. */
typedef struct Pass {
    const CambiKernels *kernels;
    const CambiVariant *variant;
    CambiScratch *scratch;
    unsigned w, window;
    CambiCounts counts;
} Pass;

/* Runs of a row under the windows. */
static CambiRun *runs_of_row(const Pass *pass, unsigned y, unsigned **n_runs)
{
    const unsigned slot = y % pass->window;
    *n_runs = &pass->scratch->n_runs[slot];
    return pass->scratch->runs + slot * pass->scratch->stride;
}

static void add_row(const Pass *pass, const CambiImage *image, unsigned y)
{
    const CambiKernels *kernels = pass->kernels;
    CambiScratch *scratch = pass->scratch;
    unsigned *n_runs;
    CambiRun *runs = runs_of_row(pass, y, &n_runs);
    kernels->band_codes(scratch->band, image->codes + y * scratch->stride,
                        image->mask + y * scratch->stride, pass->w, pass->variant->band.first_code,
                        pass->variant->band.n_codes);
    *n_runs = kernels->find_runs(runs, scratch->begins, scratch->band, pass->w);
    kernels->add_runs(&pass->counts, runs, *n_runs);
}

static void remove_row(const Pass *pass, unsigned y)
{
    unsigned *n_runs;
    const CambiRun *runs = runs_of_row(pass, y, &n_runs);
    pass->kernels->remove_runs(&pass->counts, runs, *n_runs);
}

/* All counts are zero. */
static CambiCounts empty_counts(const CambiVariant *variant, int which, CambiScratch *scratch)
{
    /* Before the band there is a row for codes outside it, which are not counted. */
    const size_t n_rows = 1u + variant->band.below + variant->band.n_codes + variant->band.above;
    memset(scratch->counts, 0, n_rows * scratch->counts_stride * sizeof(*scratch->counts));
    return (CambiCounts){
        .count =
            scratch->counts + variant->band.below * scratch->counts_stride + scratch->counts_margin,
        .stride = (ptrdiff_t)scratch->counts_stride,
        .margin = scratch->counts_margin,
        .radius = variant->geometry[which].window / 2,
        .trapezium = variant->trapezium[which] + CAMBI_LANES,
        .trapezium_stride = variant->trapezium_stride[which],
    };
}

CambiSum cambi_sum_contrasts(const CambiPlan *plan, const CambiVariant *variant, int which,
                             int scale, CambiScratch *scratch, const CambiImage *image,
                             uint16_t *heat_map)
{
    const CambiKernels *kernels = &plan->kernels;
    const CambiGeometry *g = &variant->geometry[which];
    const unsigned w = g->scale_w[scale], h = g->scale_h[scale], radius = g->window / 2;
    const Pass pass = {kernels, variant,   scratch,
                       w,       g->window, empty_counts(variant, which, scratch)};
    const CambiContrasts how = {variant->band.steps, cambi_step_weights, plan->reciprocals};

    CambiTally tally = {0};
    size_t n_contrasts = 0;
    for (unsigned below = 0; below < h + radius; below++) {
        if (below >= g->window)
            remove_row(&pass, below - g->window);
        if (below < h)
            add_row(&pass, image, below);
        if (below < radius)
            continue;
        const unsigned y = below - radius;
        unsigned *n_runs;
        const CambiRun *runs = runs_of_row(&pass, y, &n_runs);
        float *contrasts = scratch->contrasts + n_contrasts;
        const unsigned n = kernels->contrasts(contrasts, runs, *n_runs, &pass.counts, &how);
        kernels->tally(&tally, contrasts, n);
        n_contrasts += n;
        if (heat_map)
            cambi_heat_map_row(heat_map + (size_t)y * w, contrasts, runs, *n_runs,
                               variant->heat_map_gain);
    }
    return cambi_sum_strongest(&tally, scratch->contrasts, n_contrasts,
                               variant->pooled[which][scale]);
}
