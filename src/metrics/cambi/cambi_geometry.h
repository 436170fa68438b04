/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_GEOMETRY_H
#define METRICS_CAMBI_CAMBI_GEOMETRY_H

#include <stddef.h>
#include <stdint.h>

#include "metrics/cambi/cambi_options.h"

/*
 * The sizes at which pictures are analysed, which follow from options and picture size.
 */

enum { CAMBI_SCALES = 5 };

/* The reference is scored with `full_ref` only. */
enum { CAMBI_DIST, CAMBI_REF, CAMBI_PICTURES };

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

typedef enum CambiRefusal {
    CAMBI_ACCEPTED,
    CAMBI_DIST_TOO_SMALL, /* both sides are below CAMBI_MIN_SIDE */
    CAMBI_REF_TOO_SMALL,
    CAMBI_DIST_WINDOW_TOO_LARGE, /* beyond CAMBI_MAX_WINDOW */
    CAMBI_REF_WINDOW_TOO_LARGE,
    CAMBI_SIZES_CROSS, /* of the two pictures, one is wider and the other one higher */
} CambiRefusal;

/* For pictures of w x h samples. The geometry is filled in either way. */
CambiRefusal cambi_geometry(CambiGeometry geometry[CAMBI_PICTURES], const CambiOptions *options,
                            unsigned w, unsigned h);

/* How many pictures are scored. */
static inline int cambi_pictures(const CambiOptions *options)
{
    return options->full_ref ? CAMBI_PICTURES : 1;
}

/* Number of pixels of a scale whose contrasts are averaged: the strongest ones. */
size_t cambi_pooled_pixels(const CambiGeometry *geometry, int scale, const CambiOptions *options);

/* Pixels of all scales together, as in CambiRecord.heat_maps. */
size_t cambi_pixels(const CambiGeometry *geometry);

/* How many of the 7x7 pixels around it must be flat for a pixel to count: more than this; more in
 * larger pictures, where they cover less of the field of view. */
unsigned cambi_flatness_threshold(const CambiGeometry *geometry);

/*
 * Nearest-neighbour sampling of one axis: which of n_in samples each of n_out takes. Positions are
 * accumulated in single precision, as libvmaf does; the error that this builds up decides between
 * neighbours.
 */
void cambi_sample_positions(uint32_t *positions, unsigned n_out, unsigned n_in);

#endif
