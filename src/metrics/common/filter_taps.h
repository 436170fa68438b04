/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_FILTER_TAPS_H
#define METRICS_COMMON_FILTER_TAPS_H

/* Taps of windows and of resizing, along one axis, for the metrics that have options for them. */

#include <stdbool.h>
#include <stdint.h>

/*
 * Gaussian windows that an option scales, as if the picture were seen from nearer or farther. Sizes
 * are odd; taps are binary32, add up to about 1, and are defined to the last bit.
 */

/* True if a factor is within 0.001 of one of a list, as libvmaf wants it. */
bool gaussian_scale_is_known(double scale);
/* Taps of a window that has `size` taps at scale 1; at least 3. */
int gaussian_window_size(int size, double scale);
void gaussian_window(float taps[], int size, float deviation);

/*
 * Resizing of planes: which input samples make an output sample, and their weights in binary32,
 * along one axis; the weight of a sample is the product of those for its column and its row.
 *
 * Output sample x lies at (x + 0.5) n_in / n_out - 0.5 of the input. Beyond the border the input is
 * mirrored at the border sample, which is not repeated.
 */

typedef enum ResampleMethod {
    RESAMPLE_NEAREST,
    RESAMPLE_BILINEAR,
    RESAMPLE_BICUBIC,  /* Keys' kernel with a = -0.75, 4 x 4 samples */
    RESAMPLE_LANCZOS4, /* 9 x 9 samples, weights normalised to a sum of 1 */
} ResampleMethod;

enum { RESAMPLE_MAX_TAPS = 9 };

typedef struct ResampleTap {
    uint32_t index; /* of the input sample */
    float weight;
} ResampleTap;

/* Finds a method by the name that options have for it. */
bool resample_method_find(const char *name, ResampleMethod *method);
unsigned resample_n_taps(ResampleMethod method);
/* The taps of output sample x of n_out; the input has n_in. */
void resample_taps(ResampleMethod method, unsigned x, unsigned n_out, unsigned n_in,
                   ResampleTap taps[RESAMPLE_MAX_TAPS]);

#endif
