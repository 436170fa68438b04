/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_INTERNAL_H
#define METRICS_SPEED_SPEED_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "metrics/common/resample.h"
#include "metrics/framework/extractor.h"
#include "metrics/speed/speed.h"
#include "picture/picture.h"

/*
 * Spatial efficient entropic differencing (SpEED): the difference between the local entropies of
 * two planes, both reduced by 16 and with the local mean removed. After C. G. Bampis, P. Gupta, R.
 * Soundararajan, A. C. Bovik, "SpEED-QA: Spatial Efficient Entropic Differencing for Image and
 * Video Quality", IEEE Signal Processing Letters 24(9), 2017.
 *
 * The record holds the reduced planes (backend_records.h), and is condensed to their scores. It
 * does not merge.
 */

extern const FeatureExtractor speed_chroma_extractor;   /* Cb and Cr */
extern const FeatureExtractor speed_temporal_extractor; /* differences of successive luma planes */

enum { SPEED_MAX_PLANES = 2 };

/* What records are condensed to: one score for each plane. */
typedef struct SpeedScores {
    float score[SPEED_MAX_PLANES];
    /* The statistics of a plane were degenerate, in one of the pictures or in both. */
    bool degenerate[SPEED_MAX_PLANES];
} SpeedScores;

/* For formats that the options accept, of so many equal planes. */
size_t speed_record_size(const void *options, const PictureFormat *format, unsigned first_plane,
                         unsigned n_planes);
bool speed_scores_are_possible(const void *condensed);

/* What records are condensed to. */
#define SPEED_CONDENSED                                                                            \
    {                                                                                              \
        sizeof(SpeedScores), speed_scores_are_possible,                                            \
        {                                                                                          \
            sizeof(float), sizeof(bool), offsetof(SpeedScores, degenerate)                         \
        }                                                                                          \
    }

bool speed_record_is_possible(const void *record, size_t size, const PictureFormat *format);

/* The accumulate half; see FeatureExtractor. */
int speed_chroma_plan_create(void **params, const PictureFormat *format,
                             const void *const variants[], unsigned n_variants, unsigned cpu_flags);
int speed_temporal_plan_create(void **params, const PictureFormat *format,
                               const void *const variants[], unsigned n_variants,
                               unsigned cpu_flags);
void speed_params_destroy(void *params);
int speed_scratch_create(void **scratch, const void *params);
void speed_scratch_destroy(void *scratch);
int speed_accumulate(const void *params, void *scratch, const FrameInput *input, RowBand band,
                     void *const records[]);
void speed_condense(const void *params, void *scratch, void *const records[]);

/*
 * The inner loops of SpEED that see many samples. The scalar functions define the numbers; others
 * have to give the same in every bit, so sums keep their order.
 */

/* Rows of 25 numbers are padded with zeros to this. */
enum { SPEED_PADDED_SAMPLES = 32 };

typedef struct SpeedFunctions {
    /* Samples, or the differences of those of two rows, times the factor, in the range of 8-bit
     * video about 0; exact. `deep`: words; bytes have the factor 1. */
    void (*load_samples)(const void *samples, bool deep, float factor, float *out, unsigned w);
    void (*load_differences)(const void *samples, const void *subtracted, bool deep, float factor,
                             float *out, unsigned w);
    /* out[x] = taps[0] rows[0][x] + taps[1] rows[1][x] + ..., added in this order. Rows can be
     * read, and out can be written, up to the next multiple of 16 columns. */
    void (*weigh_rows)(const float *const rows[], const float taps[], int n_taps, float *out,
                       unsigned w);
    /* For each sample of a 5x5 window, the sum over window_w x window_h places in raster order. */
    void (*window_sums)(const float *plane, size_t stride, const SpeedGeometry *geometry,
                        float sums[SPEED_BLOCK][8]);
    /* sums[a][b] += deviations[i][a] deviations[i][b] for i = 0, 1, ..., n - 1 in this order and
     * b <= a; the rest of the sums may be overwritten with anything. */
    void (*add_products)(double (*deviations)[SPEED_PADDED_SAMPLES], unsigned n,
                         double (*sums)[SPEED_PADDED_SAMPLES]);
} SpeedFunctions;

void speed_functions_init(SpeedFunctions *functions, unsigned cpu_flags);

/*
 * Linear algebra on the covariance of the samples of a block. Everything is binary32, and every sum
 * is taken in a given order: small planes have covariances of less than full rank, and then
 * rounding alone decides what comes out. Algorithms: G. Golub, C. Van Loan, "Matrix Computations".
 */

/* Symmetric and positive semidefinite; the padding is zero. */
typedef struct SpeedMatrix {
    float at[SPEED_BLOCK_SAMPLES][SPEED_PADDED_SAMPLES];
} SpeedMatrix;

/* Eigenvalues smaller than this make a matrix singular, and so do pivots. */
#define SPEED_SINGULAR 1e-6

/* Covariance of the samples of all 5x5 windows of a plane whose rows are followed by 3 numbers or
 * more. */
void speed_covariance(const SpeedFunctions *functions, const SpeedGeometry *geometry,
                      const float *plane, size_t stride, SpeedMatrix *covariance);

/* Eigenvalues in the order in which the symmetric QR algorithm leaves them. */
void speed_eigenvalues(const SpeedMatrix *covariance, float eigenvalues[SPEED_BLOCK_SAMPLES]);

/*
 * solution = covariance^-1 blocks, by Householder's QR decomposition. Both have a row of `stride`
 * numbers, a multiple of 16, for each sample and a column for each block; they do not overlap.
 * False if the matrix is singular; the solution is then not valid.
 */
bool speed_solve(const SpeedMatrix *covariance, const float *blocks, float *solution,
                 size_t stride);

/* The blocks of one plane under the model of a Gaussian scale mixture: every block is a Gaussian
 * vector of the covariance of the plane, times the root of a variance of its own. */
typedef struct SpeedAnalysis {
    bool is_singular; /* the covariance is, and variances are 0 */
    float eigenvalues[SPEED_BLOCK_SAMPLES];
    float *variance; /* of each block; a multiple of 16 numbers */
    float *entropy;  /* of each block, in bits */
} SpeedAnalysis;

typedef struct SpeedNoise {
    float variance; /* of the neural noise */
    float floor;    /* signal that is too weak to count, relative to it */
    int weighting;  /* speed_weight_var_mode */
} SpeedNoise;

/* Variances from the samples of the blocks, transposed as for speed_solve(), and the solution. */
void speed_variances(const float *blocks, const float *solution, size_t stride, float *variance);

void speed_entropies(SpeedAnalysis *analysis, unsigned n_blocks, const SpeedNoise *noise);

/* How planes are looked at, for sizes and options. */

typedef struct SpeedView {
    SpeedGeometry geometry;
    Resampler *resampler; /* NULL: planes are used as they are */
    SpeedFilters filters;
    bool use_ref_diff;
} SpeedView;

/* 0, -ENOMEM. The options must have been checked. The resampler is the caller's to destroy. */
int speed_view_init(SpeedView *view, const SpeedOptions *options, unsigned w, unsigned h);

/*
 * From a plane to what is analysed: the plane reduced 16 times, less its local mean. Only those
 * samples of the resized and filtered planes are computed on which the result depends.
 */

/* A plane of one picture, or the difference of a plane of two. */
typedef struct SpeedSource {
    const VmafPicture *picture;
    const VmafPicture *less; /* is subtracted; NULL for one picture */
    unsigned plane;
    unsigned bpc;
} SpeedSource;

/* Rows that may be needed again soon. Row y is in slot y % n_slots or nowhere. */
typedef struct SpeedRowCache {
    float *rows;
    size_t stride;
    unsigned n_slots;
    unsigned numbers[SPEED_MAX_LOW_PASS_TAPS];
} SpeedRowCache;

typedef struct SpeedResidualScratch {
    float *memory;
    SpeedRowCache input, scaled;
    float *columns;   /* a row after the vertical filter; mirrored ends on both sides */
    float *decimated; /* before the local mean is subtracted */
    float *residual;  /* the result; rows are followed by at least 3 finite numbers */
    size_t stride;    /* of the last two */
} SpeedResidualScratch;

/* Scratch memory for any of the views, which memory_free releases. 0, -ENOMEM. */
int speed_residual_scratch_init(SpeedResidualScratch *scratch, const SpeedView views[],
                                unsigned n_views);

/* Leaves decimated_w x decimated_h samples in scratch->residual. */
void speed_residual(const SpeedView *view, const SpeedFunctions *functions,
                    const SpeedSource *source, SpeedResidualScratch *scratch);

/* What accumulating and condensing have in common. */

enum { SPEED_REFERENCE, SPEED_DISTORTED, SPEED_PICTURES };

typedef struct SpeedVariant {
    unsigned view;
    SpeedNoise noise;
} SpeedVariant;

typedef struct SpeedParams {
    SpeedFunctions functions;
    bool is_temporal;
    unsigned first_plane, n_planes;
    unsigned bpc;
    unsigned n_views, n_variants;
    SpeedView *views;
    SpeedVariant variants[];
} SpeedParams;

typedef struct SpeedScratch {
    SpeedResidualScratch residual;
    float *memory;
    float *blocks, *solution; /* transposed: a row for each sample of a block */
    SpeedAnalysis analyses[SPEED_PICTURES];
    SpeedScores *scores; /* of each variant */
} SpeedScratch;

/* Blocks are worked on in groups of 16. */
static inline size_t speed_block_stride(const SpeedGeometry *geometry)
{
    return (geometry->n_blocks + 15) / 16 * (size_t)16;
}

/* The record's planes of one picture, one after the other: numbers of each. */
static inline size_t speed_plane_samples(const SpeedGeometry *geometry)
{
    return (size_t)geometry->blocks_w * geometry->blocks_h;
}

/* The first record of a view that is wanted; NULL: none is. */
void *speed_record_of_view(const SpeedParams *params, unsigned view, void *const records[]);

/* Checks that the kernel scale and the method are known. */
int speed_check_options(const void *options, Reason *why);
/* Checks the depth, and the size of the analysed planes, which the message calls `what`. */
int speed_check_planes(const char *what, const SpeedOptions *options, const PictureFormat *format,
                       unsigned plane, Reason *why);

#endif
