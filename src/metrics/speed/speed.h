/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_H
#define METRICS_SPEED_SPEED_H

#include "metrics/framework/option.h"

/* Options of both SpEED extractors. */

typedef struct SpeedOptions {
    double speed_kernelscale;
    double speed_prescale;
    const char *speed_prescale_method;
    double speed_sigma_nn;
    double speed_nn_floor;
    double speed_max_val;
    int speed_weight_var_mode; /* of speed_chroma */
    bool speed_use_ref_diff;   /* of speed_temporal */
} SpeedOptions;

/* End with an empty entry. */
extern const OptionSpec speed_chroma_option_specs[];
extern const OptionSpec speed_temporal_option_specs[];

/* True if options look at planes in the same way, so that records are equal. */
bool speed_record_shared(const SpeedOptions *a, const SpeedOptions *b);

/*
 * How planes are looked at: resized, low-pass filtered, reduced 16 times, less their local mean,
 * and cut into blocks of 5x5.
 */

enum {
    SPEED_DECIMATION = 16,
    SPEED_BLOCK = 5,                                 /* columns and rows of a block */
    SPEED_BLOCK_SAMPLES = 25,                        /* its samples, in raster order */
    SPEED_MIN_SIZE = SPEED_DECIMATION * SPEED_BLOCK, /* of a resized plane, in each direction */
    SPEED_MAX_LOW_PASS_TAPS = 35,
    SPEED_MAX_LOCAL_MEAN_TAPS = 9,
};

typedef struct SpeedGeometry {
    unsigned w, h;               /* of the plane */
    unsigned scaled_w, scaled_h; /* resized, or cropped if it is not resized */
    unsigned decimated_w, decimated_h;
    unsigned blocks_across, n_blocks; /* that fit into the decimated plane */
    unsigned blocks_w, blocks_h;      /* what they cover of it: the planes of the record */
    unsigned window_w, window_h; /* positions that any sample of a 5x5 window takes within them */
} SpeedGeometry;

typedef struct SpeedFilters {
    int n_low_pass, n_local_mean;
    float low_pass[SPEED_MAX_LOW_PASS_TAPS];
    float local_mean[SPEED_MAX_LOCAL_MEAN_TAPS];
} SpeedFilters;

SpeedGeometry speed_geometry(unsigned w, unsigned h, double prescale);
/* True if a plane is large enough. */
bool speed_geometry_fits(const SpeedGeometry *geometry);
/* True if the plane is resized, rather than used as it is but for its size. */
bool speed_is_resized(const SpeedGeometry *geometry, double prescale);
SpeedFilters speed_filters(double kernelscale);

#endif
