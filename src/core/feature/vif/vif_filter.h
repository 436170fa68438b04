/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_VIF_FILTER_H
#define CORE_FEATURE_VIF_FILTER_H

/*
 * The window of each scale: a Gaussian of 2^(4-s) + 1 taps with a deviation of a fifth of its
 * length, in units of 1/65536. Scale s both measures with its window and is made with it from the
 * image of scale s - 1.
 */

#include <stdint.h>

enum {
    VIF_SCALES = 4,
    VIF_MAX_RADIUS = 8,
    VIF_MAX_TAPS = 2 * VIF_MAX_RADIUS + 1,
};

typedef struct VifFilter {
    unsigned radius;
    uint16_t taps[VIF_MAX_RADIUS + 1]; /* from the centre outwards; both sides sum to 65536 */
} VifFilter;

/* In the header so that loops over the taps unroll into constants. */
static const VifFilter vif_filters[VIF_SCALES] = {
    {8, {7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489}},
    {4, {14692, 12590, 7925, 3663, 1244}},
    {2, {26386, 16004, 3571}},
    {1, {43728, 10904}},
};

/* Index into 0..n-1 of a sample that may lie outside: mirrored at the border samples. */
static inline unsigned vif_mirror(int i, unsigned n)
{
    int last = (int)n - 1;
    if (last == 0)
        return 0;
    while (i < 0 || i > last)
        i = i < 0 ? -i : 2 * last - i;
    return (unsigned)i;
}

#endif
