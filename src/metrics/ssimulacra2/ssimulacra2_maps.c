/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/common/ordered_sum.h"
#include "metrics/ssimulacra2/ssimulacra2_internal.h"

/* Kernels of the error maps. A map is made first, then summed up in the order of its pixels. */

static const float c2 = SSIMULACRA2_C2;

static void add_in_order(double *sum, const double *restrict row, unsigned w)
{
    if (ordered_sum_f64(sum, row, w))
        return;
    double s = *sum;
    for (unsigned x = 0; x < w; x++)
        s += row[x];
    *sum = s;
}

/* Adds a row of a map, and its fourth powers, to the sums that are wanted. Makes the powers. */
static void add_map(double *sums, unsigned wanted, int mean, int fourth, double *restrict map,
                    unsigned w)
{
    if (wanted & 1u << mean)
        add_in_order(&sums[mean], map, w);
    if (wanted & 1u << fourth) {
        for (unsigned x = 0; x < w; x++) {
            const double square = map[x] * map[x];
            map[x] = square * square;
        }
        add_in_order(&sums[fourth], map, w);
    }
}

static inline void ssim_map(double *restrict map, const float *restrict ref_mean,
                            const float *restrict dist_mean, const float *restrict ref_ref,
                            const float *restrict dist_dist, const float *restrict ref_dist,
                            unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        const float u = ref_mean[x], v = dist_mean[x];
        /* No weight is given to dark or bright surroundings: means enter by their difference. */
        const float means = 1 - (u - v) * (u - v);
        const float structure = 2 * (ref_dist[x] - u * v) + c2;
        const float variance = ((ref_ref[x] - u * u) + (dist_dist[x] - v * v)) + c2;
        const double d = 1 - ((double)means * (double)structure) / (double)variance;
        map[x] = d < 0 ? 0 : d;
    }
}

static void add_ssim(double *sums, unsigned wanted, const float *const moments[SSIMULACRA2_MOMENTS],
                     unsigned w, double *const rows[SSIMULACRA2_MAP_ROWS])
{
    ssim_map(rows[0], moments[SSIMULACRA2_REF], moments[SSIMULACRA2_DIST],
             moments[SSIMULACRA2_REF_REF], moments[SSIMULACRA2_DIST_DIST],
             moments[SSIMULACRA2_REF_DIST], w);
    add_map(sums, wanted, SSIMULACRA2_SSIM1, SSIMULACRA2_SSIM4, rows[0], w);
}

/* Positive where the distorted picture has the stronger edge. */
static inline void edge_map(double *restrict map, const float *restrict ref,
                            const float *restrict dist, const float *restrict ref_mean,
                            const float *restrict dist_mean, unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        const double ref_edge = fabs((double)ref[x] - (double)ref_mean[x]);
        const double dist_edge = fabs((double)dist[x] - (double)dist_mean[x]);
        map[x] = (1 + dist_edge) / (1 + ref_edge) - 1;
    }
}

static void add_edges(double *sums, unsigned wanted, const Ssimulacra2Edges *edges, unsigned w,
                      double *const rows[SSIMULACRA2_MAP_ROWS])
{
    const unsigned ring_norms = 1u << SSIMULACRA2_RING1 | 1u << SSIMULACRA2_RING4;
    const unsigned blur_norms = 1u << SSIMULACRA2_BLUR1 | 1u << SSIMULACRA2_BLUR4;
    double *restrict map = rows[0], *restrict part = rows[1];
    edge_map(map, edges->ref, edges->dist, edges->ref_mean, edges->dist_mean, w);
    if (wanted & ring_norms) {
        for (unsigned x = 0; x < w; x++)
            part[x] = map[x] > 0 ? map[x] : 0;
        add_map(sums, wanted, SSIMULACRA2_RING1, SSIMULACRA2_RING4, part, w);
    }
    if (wanted & blur_norms) {
        for (unsigned x = 0; x < w; x++)
            part[x] = -map[x] > 0 ? -map[x] : 0;
        add_map(sums, wanted, SSIMULACRA2_BLUR1, SSIMULACRA2_BLUR4, part, w);
    }
}

void ISA_VARIANT(ssimulacra2_init_maps)(Ssimulacra2Kernels *kernels)
{
    kernels->add_ssim = add_ssim;
    kernels->add_edges = add_edges;
}
