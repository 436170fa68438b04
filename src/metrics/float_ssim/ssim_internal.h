/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_INTERNAL_H
#define METRICS_FLOAT_SSIM_SSIM_INTERNAL_H

#include "libvmaf/picture.h"
#include "metrics/float_ssim/float_ssim.h"
#include "metrics/float_ssim/float_ssim_kernel.h"
#include "metrics/framework/extractor.h"
#include "picture/picture.h"
#include "support/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Structural similarity of luma; large pictures are reduced first. */
extern const FeatureExtractor float_ssim_extractor;

/*
 * Structural similarity of luma over five scales. Z. Wang, E. Simoncelli, A. Bovik, "Multi-scale
 * structural similarity for image quality assessment", Asilomar Conference on Signals, Systems and
 * Computers, 2003.
 */
extern const FeatureExtractor float_ms_ssim_extractor;

/*
 * The inner loops of SSIM, one row at a time.
 *
 * A filtered sample is defined as follows: each product of a sample and a tap is rounded to
 * binary32, the products are added in binary64 in the order of the taps, and the sum is rounded to
 * binary32 once.
 *
 * Rows may be read and written for SSIM_PADDING elements beyond their end. Inputs and outputs do
 * not overlap.
 */

enum { SSIM_PADDING = 16 };

/* Outputs of a column or lane whose first products have been added, and not the last. */
enum { SSIM_IN_PROGRESS = SSIM_TAPS - 1 };

/* Rows of a smaller picture that are computed at a time, at most one of them finished by every pair
 * of rows. Columns likewise, so that intermediate results stay in the first-level cache. */
enum { SSIM_PYRAMID_BAND = 5, SSIM_PYRAMID_BLOCK = 64 };

/* Samples before and after rows of pictures. */
enum { SSIM_PYRAMID_MARGIN = 64 };

/* Images whose local means make up the index. */
enum { SSIM_REF, SSIM_DIST, SSIM_REF_REF, SSIM_DIST_DIST, SSIM_REF_DIST, SSIM_MOMENTS };

/* Similarity of luminance, contrast and structure at the pixels of a row. */
typedef struct SsimSimilarity {
    double *luminance; /* NULL: not wanted */
    double *contrast;
    float *structure;
} SsimSimilarity;

/*
 * A row whose columns are separated into even and odd ones: column 2 i is even[i], column 2 i + 1
 * is odd[i]. Both hold mirrored samples for i = -2 and -1, and beyond the end.
 */
typedef struct SsimSplitRow {
    float *even, *odd;
} SsimSplitRow;

/*
 * Rows are filtered with their columns dealt to `lanes` lanes: lane l of vector i is column
 * l segment + i, where a segment is what each lane has to compute. The next columns of all lanes
 * are thus in the next vector. Filters work on whole turns of SSIM_TAPS vectors, and write vector
 * i + SSIM_IN_PROGRESS where they would write output i: those before it are of no use.
 *
 * is_signed is whether samples may be negative; taps are positive.
 */
typedef struct SsimFunctions {
    unsigned lanes;
    /* The row's samples times a power of two. */
    void (*load_bytes)(float *out, const void *in, unsigned w, float factor);
    void (*load_words)(float *out, const void *in, unsigned w, float factor);
    /* n vectors of dealt samples, in a form that the filters share with this function and that
     * needs 64 bits or less for a sample; n may be rounded up to fours. */
    void (*deal)(uint64_t *out, const float *in, size_t segment, size_t n);
    /* Filters a dealt row, or the product of two: n vectors, a multiple of SSIM_TAPS. */
    void (*filter_row)(float *out, const uint64_t *in, size_t n, bool is_signed);
    void (*filter_product)(float *out, const uint64_t *a, const uint64_t *b, size_t n,
                           bool is_signed);
    /* Filters n columns of vectors through the next SSIM_TAPS rows and puts in their place the
     * rows of output finished by them. SSIM_IN_PROGRESS sums of each column are kept between
     * calls. */
    void (*filter_columns)(float *rows, size_t stride, double *in_progress, size_t n,
                           bool is_signed);
    void (*similarity)(const SsimSimilarity *out, const float *const means[SSIM_MOMENTS], size_t w);
    /* A row of the next scale, w outputs. */
    void (*pyramid_row)(float *out, const SsimSplitRow rows[SSIM_PYRAMID_TAPS], unsigned w);
    /* The same for pictures, in bands: SSIM_PYRAMID_BAND rows of w outputs, those that are finished
     * by 2 SSIM_PYRAMID_BAND rows of samples. Rows begin with SSIM_PYRAMID_RADIUS mirrored samples
     * before their address, end with as many, and may be read for SSIM_PYRAMID_MARGIN. Sums in
     * progress are kept between calls, ssim_pyramid_in_progress(w) of them. */
    void (*picture_pyramid)(float *const out[SSIM_PYRAMID_BAND],
                            const float *const rows[2 * SSIM_PYRAMID_BAND], double *in_progress,
                            unsigned w);
} SsimFunctions;

static inline size_t ssim_pyramid_in_progress(size_t w)
{
    const size_t n_columns = SSIM_PYRAMID_BLOCK + SSIM_PADDING;
    const size_t n_blocks = w / SSIM_PYRAMID_BLOCK + 1;
    return n_blocks * n_columns * (SSIM_PYRAMID_RADIUS + 1) * (SSIM_PYRAMID_BAND - 1);
}

/* The fastest functions for a processor with these CPU_* flags. */
void ssim_functions_init(SsimFunctions *functions, unsigned cpu_flags);
ISA_DECLARE_INIT_NEON(SsimFunctions, ssim_functions_fill_filter);
ISA_DECLARE_INIT(SsimFunctions, ssim_functions_fill_rows);

enum { SSIM_PICTURES = 2 }; /* reference, distorted */

/* Samples of either kind: luma of a picture, or binary32 numbers in the range of 8-bit video. */
typedef struct SsimImage {
    const void *data;
    ptrdiff_t stride; /* in bytes */
    unsigned w, h;
    unsigned bpc; /* 0: binary32 */
} SsimImage;

SsimImage ssim_image_of_picture(const VmafPicture *pic);

/* Samples between rows of binary32 planes of a given width, padding included. */
size_t ssim_row_size(unsigned w);
SsimImage ssim_image_of_plane(const float *plane, unsigned w, unsigned h);

/* Row y as binary32, in the image itself or in `buffer`. */
const float *ssim_image_row(const SsimImage *image, const SsimFunctions *functions, unsigned y,
                            float *buffer);

/*
 * The structural similarity index of two images. Z. Wang, A. Bovik, H. Sheikh, E. Simoncelli,
 * "Image quality assessment: from error visibility to structural similarity", IEEE Transactions on
 * Image Processing, 2004.
 */

/* Means over all positions at which the window lies inside the images. */
typedef struct SsimMeans {
    float index; /* of luminance times contrast times structure */
    float luminance;
    float contrast;
    float structure;
} SsimMeans;

/* Memory for images up to a given width. */
typedef struct SsimCore SsimCore;

/* 0, -ENOMEM. The kernels are used until it is destroyed. */
int ssim_core_create(SsimCore **core, const SsimFunctions *functions, unsigned w);
void ssim_core_destroy(SsimCore *core); /* NULL allowed */

/*
 * Images of equal size, at least SSIM_TAPS each way. Without `with_luminance` the means that it
 * enters into, index and luminance, are 0.
 */
SsimMeans ssim_compare(SsimCore *core, const SsimImage *ref, const SsimImage *dist,
                       bool with_luminance);

/*
 * An index s in decibels, -10 log10(1 - s). Infinite for equal pictures, or, with `is_clipped`, the
 * value for a picture in which half a sample is off by one code value, rounded up.
 */
double ssim_decibels(double index, const PictureFormat *format, bool is_clipped);

/* Bounds of the means, those of backend_records.h; a NaN is within none of them. */

/*
 * The largest luminance and contrast. |2 a b| <= a^2 + b^2, and roundings add less than 2^-20.
 */
#define SSIM_LARGEST 1.001f

/*
 * The largest magnitude of structure at a scale of MS-SSIM, whose filter at most doubles magnitudes
 * of samples: with samples up to R, covariances are below 2.01 R^2, and structure is at most
 * 1 + covariance / 29.26. Times luminance and contrast it is no more than that either.
 */
static inline float ssim_largest_structure(const PictureFormat *format, unsigned scale)
{
    const float largest =
        (float)(largest_sample(format) << scale) / (float)(1u << (format->bpc - 8));
    return 2 + largest * largest / 14;
}

static inline bool ssim_is_within(float mean, float largest)
{
    return mean >= -largest && mean <= largest;
}

/* True if a mean of luminance or contrast is possible; one that is not wanted is zero. */
static inline bool ssim_is_possible_mean(float mean, float least, bool is_wanted)
{
    return is_wanted ? mean >= least && mean <= SSIM_LARGEST : mean == 0;
}

/* Halves the size of images: a low-pass filter of 9x9 taps at every second column and row. */
typedef struct SsimPyramid SsimPyramid;

/* Memory for images up to a width. 0, -ENOMEM. */
int ssim_pyramid_create(SsimPyramid **pyramid, unsigned w);
void ssim_pyramid_destroy(SsimPyramid *pyramid); /* NULL allowed */

/* Writes the next scale of an image of at least 5x5 samples into a plane of binary32 samples, rows
 * of ssim_row_size. */
void ssim_pyramid_step(SsimPyramid *pyramid, const SsimFunctions *functions, const SsimImage *in,
                       float *out);

/* Reduces pictures by a factor: means of squares of samples. */
typedef struct SsimReducer SsimReducer;

/* Memory for pictures up to a width. 0, -ENOMEM. */
int ssim_reducer_create(SsimReducer **reducer, unsigned w);
void ssim_reducer_destroy(SsimReducer *reducer); /* NULL allowed */

/* Writes a picture of which width and height are at least the factor, reduced, into a plane of
 * binary32 samples, rows of ssim_row_size. */
void ssim_reduce(SsimReducer *reducer, const SsimFunctions *functions, const SsimImage *in,
                 unsigned factor, float *out);

#endif
