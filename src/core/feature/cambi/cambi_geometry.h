/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_CAMBI_CAMBI_GEOMETRY_H
#define CORE_FEATURE_CAMBI_CAMBI_GEOMETRY_H

#include "feature/cambi/cambi.h"

/*
 * The sizes at which pictures are analysed, which follow from options and picture size.
 */

enum {
    CAMBI_MIN_SIDE = 216,   /* of the longer side */
    CAMBI_MAX_WINDOW = 255, /* so that counts of pixels fit 16 bits */
};

typedef struct CambiGeometry {
    unsigned w, h; /* to which the picture is resized */
    unsigned scale_w[CAMBI_SCALES], scale_h[CAMBI_SCALES];
    unsigned window;      /* side of the window in which pixels are counted, odd */
    bool half_resolution; /* scale 0 is already subsampled by two */
} CambiGeometry;

/* 0, or -EINVAL with the limit that is not respected. */
int cambi_geometry(CambiGeometry geometry[CAMBI_PICTURES], const CambiOptions *options,
                   const PictureFormat *format, Reason *why);

/* Number of pixels of a scale whose contrasts are averaged: the strongest ones. */
size_t cambi_pooled_pixels(const CambiGeometry *geometry, int scale, const CambiOptions *options);

/* Pixels of all scales together, as in CambiRecord.heat_maps. */
size_t cambi_pixels(const CambiGeometry *geometry);

#endif
