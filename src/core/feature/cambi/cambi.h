/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_CAMBI_CAMBI_H
#define CORE_FEATURE_CAMBI_CAMBI_H

#include "feature/extractor.h"

/*
 * CAMBI, the contrast-aware multiscale banding index: how visible false contours are in the luma
 * of a picture. P. Tandon, M. Afonso, J. Sole, L. Krasula: CAMBI: Contrast-aware Multiscale
 * Banding Index, Picture Coding Symposium 2021.
 */
extern const FeatureExtractor cambi_extractor;

enum { CAMBI_SCALES = 5 };

/* The reference is scored with `full_ref` only. */
enum { CAMBI_DIST, CAMBI_REF, CAMBI_PICTURES };

enum CambiOutput {
    CAMBI_OUTPUT_SCORE,
    CAMBI_OUTPUT_SOURCE,
    CAMBI_OUTPUT_FULL_REFERENCE,
};

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

/* An exact sum of contrasts: whole + fraction / 2^24, fraction below 2^24. */
typedef struct CambiSum {
    uint64_t whole, fraction;
} CambiSum;

/*
 * For each scale, the sum over the pixels of strongest contrast; see cambi_pooled_pixels. Finding
 * them takes the whole picture, so records do not merge.
 */
typedef struct CambiRecord {
    CambiSum strongest[CAMBI_PICTURES][CAMBI_SCALES];
    uint16_t heat_maps[]; /* of the distorted picture, scale by scale; only if requested */
} CambiRecord;

#endif
