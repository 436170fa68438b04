/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/cambi/cambi_contrast.h"

#include <string.h>

#include "feature/cambi/cambi_heat_map.h"
#include "feature/cambi/cambi_pool.h"

/*
 * Windows slide down the picture, those of all columns together: each row of pixels is added to the
 * counts when it comes under the windows and removed when it has left them. Rows are handled as
 * runs of equal codes, because a run changes the counts of its code in a way that only depends on
 * its length.
 */

typedef struct RunRing {
    CambiRun *runs;
    unsigned *n_runs;
    size_t stride;
    unsigned rows;
} RunRing;

static const CambiRun *ring_row(const RunRing *ring, unsigned y, unsigned *n_runs)
{
    *n_runs = ring->n_runs[y % ring->rows];
    return ring->runs + y % ring->rows * ring->stride;
}

CambiSum cambi_sum_contrasts(const CambiPlan *plan, const CambiVariant *variant, int which,
                             int scale, CambiScratch *scratch, const CambiImage *image,
                             uint16_t *heat_map)
{
    const CambiKernels *kernels = &plan->kernels;
    const CambiGeometry *g = &variant->geometry[which];
    const unsigned w = g->scale_w[scale], h = g->scale_h[scale], radius = g->window / 2;
    const size_t stride = scratch->stride;
    const RunRing ring = {scratch->runs, scratch->n_runs, stride, g->window};
    const CambiContrasts how = {variant->steps, cambi_step_weights, plan->reciprocals};
    const CambiCounts counts = {
        .count =
            scratch->counts + variant->rows_below * scratch->counts_stride + scratch->counts_margin,
        .stride = (ptrdiff_t)scratch->counts_stride,
        .margin = scratch->counts_margin,
        .radius = radius,
        .trapezium = variant->trapezium[which] + CAMBI_LANES,
        .trapezium_stride = variant->trapezium_stride[which],
    };
    /* Row 0 is that of codes outside the band, which have no counts. */
    const size_t count_rows = 1u + variant->rows_below + variant->n_codes + variant->rows_above;
    memset(scratch->counts, 0, count_rows * scratch->counts_stride * sizeof(uint16_t));

    CambiTally tally = {0};
    size_t n_contrasts = 0;
    for (unsigned below = 0; below < h + radius; below++) {
        unsigned n_runs;
        if (below >= g->window) {
            const CambiRun *runs = ring_row(&ring, below - g->window, &n_runs);
            kernels->remove_runs(&counts, runs, n_runs);
        }
        if (below < h) {
            CambiRun *runs = ring.runs + below % ring.rows * stride;
            kernels->band_codes(scratch->band, image->codes + below * stride,
                                image->mask + below * stride, w, variant->first_code,
                                variant->n_codes);
            n_runs = kernels->find_runs(runs, scratch->begins, scratch->band, w);
            ring.n_runs[below % ring.rows] = n_runs;
            kernels->add_runs(&counts, runs, n_runs);
        }
        if (below >= radius) {
            const unsigned y = below - radius;
            const CambiRun *runs = ring_row(&ring, y, &n_runs);
            float *contrasts = scratch->contrasts + n_contrasts;
            const unsigned n = (g->window <= CAMBI_NARROW_WINDOW ? kernels->contrasts_narrow
                                                                 : kernels->contrasts_wide)(
                contrasts, runs, n_runs, &counts, &how);
            kernels->tally(&tally, contrasts, n);
            n_contrasts += n;
            if (heat_map)
                cambi_heat_map_row(heat_map + (size_t)y * w, contrasts, runs, n_runs,
                                   variant->heat_map_gain);
        }
    }

    return cambi_sum_strongest(&tally, scratch->contrasts, n_contrasts,
                               variant->pooled[which][scale]);
}
