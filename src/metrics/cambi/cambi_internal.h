/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_INTERNAL_H
#define METRICS_CAMBI_CAMBI_INTERNAL_H

#include "libvmaf/backend_records.h"
#include "metrics/cambi/cambi.h"
#include "metrics/framework/extractor.h"
#include "support/cpu.h"
#include "support/log.h"

#include <stddef.h>
#include <stdint.h>

/*
 * CAMBI, the contrast-aware multiscale banding index: how visible false contours are in the luma
 * of a picture. P. Tandon, M. Afonso, J. Sole, L. Krasula: CAMBI: Contrast-aware Multiscale
 * Banding Index, Picture Coding Symposium 2021.
 */
extern const FeatureExtractor cambi_extractor;

enum CambiOutput {
    CAMBI_OUTPUT_SCORE,
    CAMBI_OUTPUT_SOURCE,
    CAMBI_OUTPUT_FULL_REFERENCE,
};

typedef VmafRecordCambiSum CambiSum;

/* Finding the strongest contrasts takes the whole picture, so records do not merge. */
typedef struct CambiRecord {
    VmafRecordCambi sums;
    uint16_t heat_maps[]; /* of the distorted picture, scale by scale; only if requested */
} CambiRecord;

/*
 * The inner loops of CAMBI, one row at a time. Scalar C is the truth; every other set of kernels
 * gives the same results. Codes are luma at 10 bits, 0 to 1024. Inputs and outputs do not overlap
 * unless it says so.
 */

/* Rows may be read and written beyond their end up to a multiple of so many elements. */
enum { CAMBI_LANES = 32 };

/*
 * Consecutive pixels of a row that have the same code and are not masked out. Longer stretches are
 * cut at multiples of CAMBI_RUN_LENGTH.
 */
enum { CAMBI_RUN_LENGTH = 16 };

typedef struct CambiRun {
    uint32_t x;
    uint16_t code; /* of a band, from 1; see band_codes */
    uint16_t length;
} CambiRun;

/*
 * For each code of a band (rows) and each column the number of pixels under the window at the
 * column that have the code and are not masked out.
 */
typedef struct CambiCounts {
    uint16_t *count;  /* column 0 of row 0; rows have `margin` columns before it */
    ptrdiff_t stride; /* in counts, a multiple of CAMBI_LANES */
    unsigned margin;  /* a multiple of CAMBI_LANES, at least radius */
    unsigned radius;  /* of the window */
    /* By length, what a run adds to the columns from x - radius on: a trapezium. Each is preceded
     * and followed by CAMBI_LANES zeros. */
    const uint16_t *trapezium;
    size_t trapezium_stride;
} CambiCounts;

/* How counts become contrasts. */
typedef struct CambiContrasts {
    const uint32_t *steps;    /* by code of the band; see CambiVisibility.steps */
    const uint8_t *weights;   /* by step - 1 */
    const float *reciprocals; /* see cambi_reciprocals */
} CambiContrasts;

/*
 * Contrasts by class: 0 for those that are zero; then eight for each power of two from 0.5 on, by
 * their leading bits. With the sum of the bits of each class, since that of the numbers follows
 * from it exactly. Several tables, in turn: equal classes often follow each other, and would have
 * to wait.
 */
enum {
    CAMBI_TALLY_SHIFT = 20, /* bits less the leading ones */
    CAMBI_TALLY_CLASSES_PER_OCTAVE = 8,
    CAMBI_TALLY_FIRST = 126 * CAMBI_TALLY_CLASSES_PER_OCTAVE, /* leading bits of 0.5 */
    CAMBI_TALLY_CLASSES = 1 + 19 * CAMBI_TALLY_CLASSES_PER_OCTAVE,
    CAMBI_TALLY_TABLES = 4,
};

typedef struct CambiTally {
    struct {
        uint64_t count, bits;
    } table[CAMBI_TALLY_TABLES][CAMBI_TALLY_CLASSES];
} CambiTally;

typedef struct CambiFunctions {
    /* All bits that occur in a row of words. */
    unsigned (*used_bits)(const uint16_t *row, unsigned w);
    /* Samples to codes. */
    void (*codes_of_bytes)(uint16_t *codes, const uint8_t *row, unsigned w);
    void (*codes_of_words)(uint16_t *codes, const uint16_t *row, unsigned w, unsigned bpc);
    /* Against dithering: the mean of each pixel and its neighbours to the right and below,
     * rounded down. In the last row `below` is `row` itself, which is harmless: a mean of two equal
     * pairs is that of one. In place. */
    void (*smooth)(uint16_t *row, const uint16_t *below, unsigned w);
    /* 1 where a pixel equals its neighbours to the right and below, else 0. */
    void (*flatness)(uint8_t *flat, const uint16_t *row, const uint16_t *below, unsigned w);
    /* sums += entering - leaving */
    void (*slide)(uint8_t *sums, const uint8_t *entering, const uint8_t *leaving, unsigned w);
    /* 1 where seven sums around a pixel add up to more than a threshold, else 0. Three sums on both
     * sides of the row are read. */
    void (*threshold_sums)(uint8_t *mask, const uint8_t *sums, unsigned w, unsigned threshold);
    /* The value that occurs at least twice among three, or else the smallest. */
    void (*mode_of_three)(uint16_t *out, const uint16_t *a, const uint16_t *b, const uint16_t *c,
                          unsigned w);
    /* Keep the even columns: w counts columns of the output. */
    void (*halve_codes)(uint16_t *out, const uint16_t *in, unsigned w);
    void (*halve_mask)(uint8_t *out, const uint8_t *in, unsigned w);
    /* Code less first_code plus one, or 0 for pixels that are masked out or outside the band. */
    void (*band_codes)(uint16_t *band, const uint16_t *codes, const uint8_t *mask, unsigned w,
                       unsigned first_code, unsigned n_codes);
    /* Returns their number, at most w. `begins` is for work, w + 1 elements. */
    unsigned (*find_runs)(CambiRun *runs, uint32_t *begins, const uint16_t *band, unsigned w);
    void (*add_runs)(const CambiCounts *counts, const CambiRun *runs, unsigned n_runs);
    void (*remove_runs)(const CambiCounts *counts, const CambiRun *runs, unsigned n_runs);
    /* Contrasts of the pixels of runs, run after run; returns the number of pixels. Up to
     * CAMBI_LANES elements more are written. */
    unsigned (*contrasts)(float *out, const CambiRun *runs, unsigned n_runs,
                          const CambiCounts *counts, const CambiContrasts *how);
    /* Adds contrasts to a tally. */
    void (*tally)(CambiTally *tally, const float *contrasts, size_t n);
} CambiFunctions;

/* The fastest functions for a processor, from its CPU_* flags. */
void cambi_functions_init(CambiFunctions *functions, unsigned cpu_flags);
ISA_DECLARE_INIT(CambiFunctions, cambi_functions_fill);

/*
 * What CAMBI keeps for a stream (params) and for a worker (scratch).
 */

/* The samples of a picture that a resized one takes; NULL: all. */
typedef struct CambiSampling {
    uint32_t *columns, *rows;
} CambiSampling;

/* One request: its options, worked out. */
typedef struct CambiVariant {
    CambiGeometry geometry[CAMBI_PICTURES];
    CambiSampling sampling[CAMBI_PICTURES];
    size_t pooled[CAMBI_PICTURES][CAMBI_SCALES]; /* pixels; see cambi_pooled_pixels */
    bool full_ref;
    bool smooth;          /* against dithering */
    double heat_map_gain; /* 0: no heat maps */
    CambiBand band;
    uint16_t *trapezium[CAMBI_PICTURES]; /* see CambiCounts */
    size_t trapezium_stride[CAMBI_PICTURES];
} CambiVariant;

typedef struct CambiParams {
    CambiFunctions functions;
    PictureFormat format;
    float *reciprocals;
    /* The largest of all variants and pictures. */
    unsigned max_w, max_h, max_radius, max_count_rows;
    unsigned n_variants;
    CambiVariant variants[];
} CambiParams;

/* A plane of codes and which of its pixels are not masked out; rows have the same stride. */
typedef struct CambiImage {
    uint16_t *codes;
    uint8_t *mask;
} CambiImage;

/* A ring that holds the rows under the window of flatness and one more. */
enum { CAMBI_FLAT_ROWS = 8 };

typedef struct CambiScratch {
    size_t stride;       /* of images and rows, in elements */
    CambiImage image[2]; /* scales alternate; the second is of half size */
    uint16_t *rows;      /* ring of three rows of codes */
    uint8_t *flat;       /* a row of zeros, and a ring of CAMBI_FLAT_ROWS */
    uint8_t *flat_sums;  /* one row, with a margin on both sides */
    void *samples;       /* one row, of the picture */
    uint16_t *band;      /* one row */
    uint32_t *begins;    /* one row */
    CambiRun *runs;      /* ring of as many rows as the window has */
    unsigned *n_runs;
    uint16_t *counts;
    size_t counts_stride;
    unsigned counts_margin;
    float *contrasts; /* of all pixels of a scale that are not masked out */
} CambiScratch;

/*
 * The images that CAMBI looks at: luma at 10 bits and the mask of its flat parts, at five scales.
 */

/* True if all samples of the luma plane fit the bit depth. */
bool cambi_samples_fit(const CambiParams *params, const VmafPicture *pic);

/* Luma, resized, converted to 10 bits and, if the variant wants it, smoothed against dithering. */
void cambi_load_codes(const CambiParams *params, const CambiVariant *variant, int which,
                      CambiScratch *scratch, const VmafPicture *pic, uint16_t *codes);

/* The mask: pixels around which many pixels equal their neighbours, so that banding is visible. */
void cambi_find_flat_parts(const CambiParams *params, CambiScratch *scratch,
                           const CambiImage *image, const CambiGeometry *geometry);

/* Keeps the even columns of the even rows: w and h are the size of the output. */
void cambi_halve(const CambiParams *params, const CambiScratch *scratch, const CambiImage *out,
                 const CambiImage *in, unsigned w, unsigned h);

/* Replaces codes by the most frequent of three neighbours, in each direction. */
void cambi_filter_modes(const CambiParams *params, CambiScratch *scratch, uint16_t *codes,
                        unsigned w, unsigned h);

/*
 * Sums the strongest contrasts of one scale.
 *
 * The contrast of a pixel, if its code occurs n times in the window around it and a code that is k
 * larger, or k smaller, m times, is weight(k) n m / (n + m), the largest over all visible steps k.
 * Pixels that are masked out have no contrast and do not count. `heat_map` (NULL: none), zeroed, is
 * filled in.
 */
CambiSum cambi_sum_contrasts(const CambiParams *params, const CambiVariant *variant, int which,
                             int scale, CambiScratch *scratch, const CambiImage *image,
                             uint16_t *heat_map);

/*
 * Exact sums of contrasts. Contrasts are binary32 numbers, either 0 or at least 0.5 and below 2^18:
 * multiples of 2^-24.
 */

/* Rounded once. */
double cambi_sum_value(const CambiSum *sum);

/* Sums the k largest of n contrasts, 0 < k <= n, or all if k > n. The tally is that of all of them.
 * Leaves the contrasts in disorder. */
CambiSum cambi_sum_strongest(const CambiTally *tally, float *contrasts, size_t n, size_t k);

/*
 * Heat maps: the contrasts of the distorted picture as raw video, a file per scale, 16 bits per
 * sample, without headers.
 */

/* What contrasts are multiplied by: about 65535 over the largest one that is possible. */
double cambi_heat_map_gain(unsigned window, unsigned max_log_contrast);

/* Writes the contrasts of the runs of a row to their places. */
void cambi_heat_map_row(uint16_t *row, const float *contrasts, const CambiRun *runs,
                        unsigned n_runs, double gain);

/* The open files. */
typedef struct CambiHeatMaps CambiHeatMaps;

/* Creates the folder, with its parents, and the files. 0, -ENOMEM, or -EINVAL with a reason. */
int cambi_heat_maps_create(CambiHeatMaps **maps, const char *folder, const CambiGeometry *geometry,
                           Reason *why);
/* `samples` are those of all scales, one after the other. 0 or a negative errno. */
int cambi_heat_maps_write(CambiHeatMaps *maps, unsigned frame, const uint16_t *samples);
void cambi_heat_maps_destroy(CambiHeatMaps *maps); /* NULL allowed */

#endif
