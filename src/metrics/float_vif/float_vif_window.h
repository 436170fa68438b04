/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_FLOAT_VIF_WINDOW_H
#define METRICS_FLOAT_VIF_FLOAT_VIF_WINDOW_H

enum { FLOAT_VIF_MAX_TAPS = 65 };

/* The Gaussian window of a scale, which is also the low-pass filter before it is reduced to that
 * scale. */
typedef struct FloatVifWindow {
    int radius;
    float taps[FLOAT_VIF_MAX_TAPS]; /* 2 radius + 1, from the left */
} FloatVifWindow;

FloatVifWindow float_vif_window(double kernelscale, int scale);

#endif
