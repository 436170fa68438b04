/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "feature/ssimulacra2/ssimulacra2_kernels.h"

/* Kernels of the error maps. A map is made first, then summed up in the order of its pixels. */

/* The stabilising constant of structural similarity: (0.03 * 1)^2. */
static const float c2 = 0.0009f;

static inline double fourth_power(double v)
{
    return (v * v) * (v * v);
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

static void add_ssim(double *sums, const float *const moments[SSIMULACRA2_MOMENTS], unsigned w,
                     double *map)
{
    ssim_map(map, moments[SSIMULACRA2_REF], moments[SSIMULACRA2_DIST], moments[SSIMULACRA2_REF_REF],
             moments[SSIMULACRA2_DIST_DIST], moments[SSIMULACRA2_REF_DIST], w);
    double ssim1 = sums[SSIMULACRA2_SSIM1], ssim4 = sums[SSIMULACRA2_SSIM4];
    for (unsigned x = 0; x < w; x++) {
        ssim1 += map[x];
        ssim4 += fourth_power(map[x]);
    }
    sums[SSIMULACRA2_SSIM1] = ssim1;
    sums[SSIMULACRA2_SSIM4] = ssim4;
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

static void add_edges(double *sums, const float *ref, const float *dist, const float *ref_mean,
                      const float *dist_mean, unsigned w, double *map)
{
    edge_map(map, ref, dist, ref_mean, dist_mean, w);
    double ring1 = sums[SSIMULACRA2_RING1], ring4 = sums[SSIMULACRA2_RING4];
    double blur1 = sums[SSIMULACRA2_BLUR1], blur4 = sums[SSIMULACRA2_BLUR4];
    for (unsigned x = 0; x < w; x++) {
        const double ring = map[x] > 0 ? map[x] : 0;
        const double blur = -map[x] > 0 ? -map[x] : 0;
        ring1 += ring;
        ring4 += fourth_power(ring);
        blur1 += blur;
        blur4 += fourth_power(blur);
    }
    sums[SSIMULACRA2_RING1] = ring1;
    sums[SSIMULACRA2_RING4] = ring4;
    sums[SSIMULACRA2_BLUR1] = blur1;
    sums[SSIMULACRA2_BLUR4] = blur4;
}

void ssimulacra2_init_maps(Ssimulacra2Kernels *kernels)
{
    kernels->add_ssim = add_ssim;
    kernels->add_edges = add_edges;
}
