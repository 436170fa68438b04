/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_H
#define METRICS_CAMBI_CAMBI_H

#include <stddef.h>
#include <stdint.h>

#include "metrics/framework/option.h"

/* Options of CAMBI. */

typedef struct CambiOptions {
    double max_val;
    int enc_width, enc_height; /* 0: as the picture */
    int enc_bitdepth;          /* 0: as the picture */
    int src_width, src_height; /* 0: as the picture */
    int window_size;
    double topk, cambi_topk;
    double tvi_threshold;
    double vis_lum_threshold;
    int max_log_contrast;
    const char *heatmaps_path; /* NULL: none */
    bool full_ref;
    const char *eotf, *cambi_eotf;
    int high_res_speedup;
} CambiOptions;

/* The effective transfer function: `cambi_eotf`, or `eotf` if that has its default. */
const char *cambi_eotf_name(const CambiOptions *options);

/* True if dithering is smoothed away, in a video of that bit depth. */
static inline bool cambi_smooths(const CambiOptions *options, unsigned bpc)
{
    return (options->enc_bitdepth ? (unsigned)options->enc_bitdepth : bpc) < 10;
}

/* Ends with an empty entry. */
extern const OptionSpec cambi_option_specs[];

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

typedef enum CambiRejection {
    CAMBI_ACCEPTED,
    CAMBI_DIST_TOO_SMALL, /* both sides are below CAMBI_MIN_SIDE */
    CAMBI_REF_TOO_SMALL,
    CAMBI_DIST_WINDOW_TOO_LARGE, /* beyond CAMBI_MAX_WINDOW */
    CAMBI_REF_WINDOW_TOO_LARGE,
    CAMBI_SIZES_CROSS, /* of the two pictures, one is wider and the other one higher */
} CambiRejection;

/* For pictures of w x h samples. The geometry is filled in either way. */
CambiRejection cambi_geometry(CambiGeometry geometry[CAMBI_PICTURES], const CambiOptions *options,
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

/*
 * Steps between luma codes that an observer sees: a model of a display, and Weber's law with a
 * threshold. Codes are of 10 bits, limited range, whatever the input is.
 */

enum {
    CAMBI_CODES = 1025, /* 0 to 1024: rounding deeper samples to 10 bits can overshoot by one */
    CAMBI_MAX_STEPS = 32,
};

enum CambiEotf {
    CAMBI_EOTF_BT1886, /* Recommendation ITU-R BT.1886 */
    CAMBI_EOTF_PQ,     /* SMPTE ST 2084 */
};

/* How much a step of 1, 2, ... codes counts. */
extern const uint8_t cambi_step_weights[CAMBI_MAX_STEPS];

typedef struct CambiVisibility {
    unsigned n_steps;
    /* Bit k - 1: whether the contrast between a code and codes that differ by k is looked at. */
    uint32_t steps[CAMBI_CODES];
    /* Smallest and largest code that such comparisons involve, perhaps below 0 or above 1024;
     * first > last if there are none. */
    int first_code, last_code;
} CambiVisibility;

/* False for a name that is not known. */
bool cambi_eotf_find(const char *name, enum CambiEotf *eotf);

/* Luminance of a code in cd/m2. */
double cambi_luminance(enum CambiEotf eotf, int code);

/* The code up to which a step of k codes is visible, if it must change luminance by the given
 * fraction; 1023 if it always is. */
int cambi_last_visible_code(enum CambiEotf eotf, int k, double tvi_threshold);

/* The code from which luminance reaches a threshold; 0 if all do. */
int cambi_first_bright_code(enum CambiEotf eotf, double luminance);

void cambi_visibility_init(CambiVisibility *visibility, enum CambiEotf eotf, double tvi_threshold,
                           double luminance_threshold, unsigned max_log_contrast);

/* The band: codes that have steps themselves or lie within reach of one that has. All others are as
 * good as masked out. */
typedef struct CambiBand {
    unsigned first_code, n_codes; /* none: no code has steps */
    /* Codes below and above the band that are compared with but never occur. */
    unsigned below, above;
    /* By code less first_code plus one: the steps of CambiVisibility; element 0 is not used. */
    uint32_t steps[CAMBI_CODES + 1];
} CambiBand;

void cambi_band_init(CambiBand *band, const CambiOptions *options);

/*
 * Elements 1 to n: 1 / i as libvmaf's table has it, which was printed with nine digits: the
 * binary32 number nearest to that decimal number. Mostly, but not always, that nearest to 1 / i.
 */
void cambi_reciprocals(float *reciprocals, unsigned n);

#endif
