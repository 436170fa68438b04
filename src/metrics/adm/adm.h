/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_H
#define METRICS_ADM_ADM_H

#include <stdbool.h>
#include <stdint.h>

#include "metrics/adm/adm_kernel.h"
#include "metrics/framework/option.h"

/* Options and limits of ADM. */

enum {
    ADM_MIN_SIZE = 17, /* the coarsest scale needs two coefficients in each direction */
    ADM_MIN_DEPTH = 8,
    ADM_MAX_DEPTH = 16,
};

/* Viewing distance in display heights, times lines of the display: the usual value, and the
 * minimum, which equals it. */
#define ADM_USUAL_RESOLUTION (3.0 * 1080.0)
#define ADM_MIN_RESOLUTION   ADM_USUAL_RESOLUTION

typedef struct AdmOptions {
    bool debug;
    double csf_scale, csf_diag_scale;
    double dlm_weight;
    double enhn_gain_limit;
    double norm_view_dist;  /* in display heights */
    int ref_display_height; /* in lines */
    int csf_mode;           /* AdmCsfMode */
    double noise_weight;
    bool skip_aim, skip_scale0;
    double min_val;
} AdmOptions;

/* The options that ADM shares with float_adm: rows of a table, for a struct with their members. */
#define ADM_COMMON_OPTION_SPECS(Options)                                                           \
    {                                                                                              \
        .name = "debug",                                                                           \
        .help = "also write totals, numerators and denominators",                                  \
        .type = OPTION_BOOL,                                                                       \
        .offset = offsetof(Options, debug),                                                        \
    },                                                                                             \
        {                                                                                          \
            .name = "adm_csf_scale",                                                               \
            .alias = "scf",                                                                        \
            .help =                                                                                \
                "factor on the weights of horizontal and vertical detail; adm_csf_mode 1 only",    \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                             \
            .offset = offsetof(Options, csf_scale),                                                \
            .default_value = 1,                                                                    \
            .min = 0,                                                                              \
            .max = 50,                                                                             \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_csf_diag_scale",                                                          \
            .alias = "scfd",                                                                       \
            .help = "factor on the weights of diagonal detail; adm_csf_mode 1 only",               \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                             \
            .offset = offsetof(Options, csf_diag_scale),                                           \
            .default_value = 1,                                                                    \
            .min = 0,                                                                              \
            .max = 50,                                                                             \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_dlm_weight",                                                              \
            .alias = "dlmw",                                                                       \
            .help = "weight of adm2 in adm3; the rest is that of 1 - aim",                         \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED,                                                                 \
            .offset = offsetof(Options, dlm_weight),                                               \
            .default_value = 0.5,                                                                  \
            .min = 0,                                                                              \
            .max = 1,                                                                              \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_enhn_gain_limit",                                                         \
            .alias = "egl",                                                                        \
            .help = "limit of the gain: 1 gives no credit for enhancement",                        \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                             \
            .offset = offsetof(Options, enhn_gain_limit),                                          \
            .default_value = 100,                                                                  \
            .min = 1,                                                                              \
            .max = 100,                                                                            \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_norm_view_dist",                                                          \
            .alias = "nvd",                                                                        \
            .help = "viewing distance in display heights",                                         \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                             \
            .offset = offsetof(Options, norm_view_dist),                                           \
            .default_value = 3,                                                                    \
            .min = 0.75,                                                                           \
            .max = 24,                                                                             \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_noise_weight",                                                            \
            .alias = "nw",                                                                         \
            .help = "weight of the noise floor in numerators and denominators",                    \
            .type = OPTION_DOUBLE,                                                                 \
            .flags = OPTION_NAMED,                                                                 \
            .offset = offsetof(Options, noise_weight),                                             \
            .default_value = 0.03125,                                                              \
            .min = 0,                                                                              \
            .max = 1500,                                                                           \
        },                                                                                         \
        {                                                                                          \
            .name = "adm_skip_scale0",                                                             \
            .alias = "ssz",                                                                        \
            .help = "leave out scale 0",                                                           \
            .type = OPTION_BOOL,                                                                   \
            .flags = OPTION_NAMED | OPTION_ACCUMULATE,                                             \
            .offset = offsetof(Options, skip_scale0),                                              \
        },                                                                                         \
    {                                                                                              \
        .name = "adm_min_val", .alias = "min", .help = "lower limit of adm3",                      \
        .type = OPTION_DOUBLE, .flags = OPTION_NAMED, .offset = offsetof(Options, min_val),        \
        .default_value = 0, .min = 0, .max = 1,                                                    \
    }

/* Ends with an empty entry. */
extern const OptionSpec adm_option_specs[];

/*
 * Sizes of the wavelet bands, the window in which they are evaluated, and the cone: what has to be
 * computed at each scale so that all windows can be evaluated.
 */

/* Bands of a scale, in the order of the record. First letter of the filters: h is vertical high
 * and horizontal low, v vertical low and horizontal high, d high in both directions. */
enum { BAND_H, BAND_V, BAND_D, ADM_BANDS };

/* begin <= i < end; empty if begin == end. */
typedef struct AdmRange {
    int begin, end;
} AdmRange;

/* One direction, rows or columns, of the bands of one scale. */
typedef struct AdmAxis {
    int input;       /* samples that the scale's wavelet reads */
    int size;        /* of the bands: half of it, rounded up */
    AdmRange window; /* of evaluation: about the central 80 % */
} AdmAxis;

/* What is computed along one direction of a scale. */
typedef struct AdmExtent {
    AdmRange evaluated; /* part of the window */
    AdmRange detail;    /* of bands h, v and d: one more on each side, for masking */
    AdmRange approx;    /* of band a: what the next scale reads */
    AdmRange computed;  /* hull of detail and approx */
} AdmExtent;

static inline int adm_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int adm_max(int a, int b)
{
    return a > b ? a : b;
}

static inline int adm_range_length(AdmRange range)
{
    return range.end - range.begin;
}

static inline AdmRange adm_range_intersect(AdmRange a, AdmRange b)
{
    const int begin = adm_max(a.begin, b.begin);
    return (AdmRange){begin, adm_max(begin, adm_min(a.end, b.end))};
}

static inline bool adm_range_contains(AdmRange range, int i)
{
    return i >= range.begin && i < range.end;
}

/* Smallest range that contains both. */
AdmRange adm_range_hull(AdmRange a, AdmRange b);

/* Smallest k with 2^k >= n. */
int adm_ceil_log2(uint64_t n);

/* Right shifts within the sums over a band; finishing undoes them. */
typedef struct AdmShifts {
    int den_square, den_term, den_row; /* denominators: squares, cubes, sums of a row */
    int term[ADM_BANDS], row;          /* masked energies: cubes, sums of a row */
} AdmShifts;

AdmShifts adm_shifts_init(int scale, const AdmAxis *columns, const AdmAxis *rows);

/* Right shifts of the wavelet's sums at a scale, for luma of `bpc` bits per sample. */
typedef struct AdmWaveletShifts {
    int vertical, horizontal;
} AdmWaveletShifts;

AdmWaveletShifts adm_wavelet_shifts(int scale, int depth);

/* Axes of all scales for a picture of `samples` columns or rows. */
void adm_axes_init(AdmAxis axes[ADM_SCALES], int samples);
/* Input samples that outputs of the wavelet depend on, mirroring included. */
AdmRange adm_wavelet_support(const AdmAxis *axis, AdmRange outputs);
/* The cone, for the part of the window that lies in `part` of each scale. Arrays of ADM_SCALES. */
void adm_cone_init(AdmExtent *cone, const AdmAxis *axes, const AdmRange *part);

/*
 * Contrast sensitivity: how much each wavelet band weighs for a viewer at a given distance.
 *
 * A. B. Watson, G. Y. Yang, J. A. Solomon, J. Villasenor: "Visibility of Wavelet Quantization
 * Noise", IEEE Trans. Image Processing 6(8), 1997.
 * R. Mantiuk, K. J. Kim, A. G. Rempel, W. Heidrich: "HDR-VDP-2", ACM Trans. Graphics 30(4), 2011.
 */

typedef enum AdmCsfMode {
    ADM_CSF_WATSON,    /* thresholds of Watson et al. */
    ADM_CSF_BARTEN,    /* Barten's function with the parameters of HDR-VDP 2.2.1 */
    ADM_CSF_BLEND,     /* both, blended; tabulated for some viewing conditions */
    ADM_CSF_BLEND_MAE, /* the same with another blend */
} AdmCsfMode;

typedef struct AdmViewing {
    double distance; /* in display heights */
    int height;      /* of the display, in lines */
    AdmCsfMode mode;
    double scale, diagonal_scale; /* factors of the weights; ADM_CSF_BARTEN only */
} AdmViewing;

AdmViewing adm_viewing(const AdmOptions *options);

/* Lines of the display per degree of visual angle, as used for the weights. */
float adm_pixels_per_degree(const AdmViewing *viewing);

enum { ADM_HORIZONTAL_VERTICAL, ADM_DIAGONAL };

/*
 * Weight of bands h and v, or d, of a scale from 0 (finest). -22 where a tabulated mode has no
 * entry for the viewing condition.
 */
float adm_csf_weight(const AdmViewing *viewing, int scale, int orientation);

/* Fixed-point weights of bands h, v, d: 16 bits at scale 0, 32 bits at the others. */
void adm_csf_fixed_point(const AdmViewing *viewing, int scale, uint32_t weights[ADM_BANDS]);

#endif
