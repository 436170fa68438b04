/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_BACKEND_RECORDS_H
#define LIBVMAF_BACKEND_RECORDS_H

/*
 * Records: the results of accumulating a frame, from which its scores are finished.
 *
 * Every metric is two functions. `accumulate` reduces pixels to a record, which is defined to the
 * last bit; it exists as scalar C (the reference), as SIMD and on devices, and all of them give
 * equal records. `finish` turns a record into scores in floating point; it exists once, in the
 * core. docs/metrics has a page for each metric with its formulas and sources.
 *
 * Records of kind `sums` merge by adding their members, modulo 2^64: a frame may be cut into parts,
 * each accumulated anywhere, and the merged record is the same however it is cut.
 *
 * Records of kind `bytes` are of a whole frame and do not merge. They are structures, or arrays
 * whose length depends on the pictures and the options. Members stand one after the other, without
 * padding.
 *
 * Each record has an identifier and a version. A change of layout or of meaning is a new version.
 * The bounds hold for every record of a W x H frame pair with samples below 2^bpc; the host rejects
 * records outside them. (It allows for samples above the nominal depth, with which sums of samples
 * can grow.)
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * VIF, kind sums, mergeable at any pixel of each scale. Scale s has (W >> s) x (H >> s) pixels.
 * A pixel contributes either to the two logarithmic sums (reference variance at least the noise
 * variance) or to the two flat ones. Units: logarithms to base 2 times 2048; variances in 1/65536
 * of a squared 8-bit grey level.
 *
 * Bounds per scale, with N pixels: 0 <= flat_count <= N; 0 <= log_den <= 28673 N;
 * 0 <= log_num <= 28673 N; 0 <= flat_variance < 2^31 N. A skipped scale is all zero.
 */
#define VMAF_RECORD_VIF         "vif"
#define VMAF_RECORD_VIF_VERSION 1
typedef struct VmafRecordVif {
    int64_t log_num[4]; /* by scale */
    int64_t log_den[4];
    int64_t flat_variance[4]; /* sum of variances */
    int64_t flat_count[4];    /* number of pixels */
} VmafRecordVif;

/*
 * ADM, kind sums, mergeable at whole rows of each scale: a row's sum is rounded before it is added.
 * First index: scale. Second index: band h (vertical low, horizontal high is v; see
 * docs/metrics/adm.md), v, d. den: cubed reference coefficients; num: masked energy of the restored
 * signal; aim: masked energy of the additive impairment. Sums wrap modulo 2^64, as the metric
 * defines; their scale depends on the frame size.
 *
 * Bounds: aim is zero if AIM is skipped; all members of scale 0 are zero if scale 0 is skipped.
 */
#define VMAF_RECORD_ADM         "adm"
#define VMAF_RECORD_ADM_VERSION 1
typedef struct VmafRecordAdm {
    uint64_t den[4][3];
    int64_t num[4][3];
    int64_t aim[4][3];
} VmafRecordAdm;

/*
 * Motion, kind sums, mergeable at any pixel: sum of absolute values of the low-pass filtered
 * difference between the reference frame and an earlier one, in 1/256 of an 8-bit grey level.
 *
 * Bounds: 0 <= sad <= 65535 W H.
 */
#define VMAF_RECORD_MOTION         "motion"
#define VMAF_RECORD_MOTION_VERSION 1
typedef struct VmafRecordMotion {
    uint64_t sad;
} VmafRecordMotion;

/*
 * PSNR, kind sums, mergeable at any sample: sum of squared differences per plane (Y, Cb, Cr), in
 * squared code values; zero for planes that are not computed.
 *
 * Bounds: 0 <= sse[p] <= (2^bpc - 1)^2 times the plane's samples.
 */
#define VMAF_RECORD_PSNR         "psnr"
#define VMAF_RECORD_PSNR_VERSION 1
typedef struct VmafRecordPsnr {
    uint64_t sse[3];
} VmafRecordPsnr;

/*
 * Floating-point PSNR of luma, kind sums, mergeable at any sample: sum of squared differences in
 * squared code values, each square rounded to 24 significant bits (which changes nothing up to 12
 * bits).
 *
 * Bounds: 0 <= sse <= 2^32 W H.
 */
#define VMAF_RECORD_FLOAT_PSNR         "float_psnr"
#define VMAF_RECORD_FLOAT_PSNR_VERSION 1
typedef struct VmafRecordFloatPsnr {
    uint64_t sse;
} VmafRecordFloatPsnr;

/*
 * Moments of luma, kind sums, mergeable at any sample, of the reference [0] and of the distorted
 * picture [1]: sums of the samples and of their squares in code values, each square rounded to 24
 * significant bits.
 *
 * Bounds: 0 <= first[p] <= (2^bpc - 1) W H; 0 <= second[p] <= 2^32 W H.
 */
#define VMAF_RECORD_FLOAT_MOMENT         "float_moment"
#define VMAF_RECORD_FLOAT_MOMENT_VERSION 1
typedef struct VmafRecordFloatMoment {
    uint64_t first[2];
    uint64_t second[2];
} VmafRecordFloatMoment;

/*
 * Floating-point motion, kind bytes: a binary32 number for each row, the sum from left to right of
 * the absolute differences between the low-pass filtered reference frame and the one before, in
 * 8-bit grey levels. Every operation is rounded on its own; docs/metrics/float_motion.md has the
 * order. Rows of Y, then, with motion_add_uv, of Cb and of Cr; with motion_add_scale1 the rows of
 * each plane are followed by those of the plane reduced to half its size, rounded up. Without an
 * earlier frame all are zero; with motion_force_zero there is no record.
 *
 * Bounds: 0 <= row <= 65536 times the samples of the row; no NaN.
 */
#define VMAF_RECORD_FLOAT_MOTION         "float_motion"
#define VMAF_RECORD_FLOAT_MOTION_VERSION 1

/*
 * Anchored signal-to-noise ratios of luma, kind bytes: for each row two binary32 sums, from left to
 * right, of the squares of the filtered reference (signal) and of the squares of its difference
 * from the filtered distorted picture (noise), in squared 8-bit grey levels. Every operation is
 * rounded on its own; docs/metrics/float_ansnr.md has the order.
 *
 * Bounds, with samples up to R in 8-bit grey levels: 0 <= signal, noise <= (R + 256)^2 W; no NaN.
 */
#define VMAF_RECORD_FLOAT_ANSNR         "float_ansnr"
#define VMAF_RECORD_FLOAT_ANSNR_VERSION 1
typedef struct VmafRecordFloatAnsnrRow {
    float signal;
    float noise;
} VmafRecordFloatAnsnrRow;

/*
 * SpEED, kind bytes: the planes that are compared, as binary32 numbers in 8-bit grey levels,
 * low-pass filtered, reduced 16 times and less their local mean. Every operation is rounded on its
 * own; docs/metrics/speed.md has the order. The record holds, in raster order, the part of each
 * plane that whole blocks of 5x5 cover, first of the reference, then of the distorted picture.
 * speed_chroma: Cb of both, Cr of both. speed_temporal: luma less that of the frame before; without
 * an earlier frame all numbers are zero.
 *
 * Bounds: |number| <= 64 (2^bpc - 1) / 2^(bpc - 8); no NaN.
 */
#define VMAF_RECORD_SPEED_CHROMA           "speed_chroma"
#define VMAF_RECORD_SPEED_CHROMA_VERSION   1
#define VMAF_RECORD_SPEED_TEMPORAL         "speed_temporal"
#define VMAF_RECORD_SPEED_TEMPORAL_VERSION 1

/*
 * SSIM of luma, kind bytes: means in binary32, over all positions of the window, of the index,
 * which is luminance times contrast times structure, and of each of the three. Every operation is
 * rounded on its own, also those of the sums over the picture, which are in binary64, from left to
 * right and row after row; docs/metrics/float_ssim.md has the order. Without enable_lcs the last
 * three are zero.
 *
 * Bounds, with samples up to R in 8-bit grey levels: |luminance| <= 1.001; 0 <= contrast <= 1.001;
 * |index|, |structure| <= 2 + R^2 / 14; no NaN.
 */
#define VMAF_RECORD_FLOAT_SSIM         "float_ssim"
#define VMAF_RECORD_FLOAT_SSIM_VERSION 1
typedef struct VmafRecordFloatSsim {
    float index;
    float luminance;
    float contrast;
    float structure;
} VmafRecordFloatSsim;

/*
 * Multi-scale SSIM of luma, kind bytes: the same means at each of five scales. Without enable_lcs
 * luminance is zero except at the last scale.
 *
 * Bounds: as for one scale, at scale s with 2^s R for R.
 */
#define VMAF_RECORD_FLOAT_MS_SSIM         "float_ms_ssim"
#define VMAF_RECORD_FLOAT_MS_SSIM_VERSION 1
typedef struct VmafRecordFloatMsSsim {
    float luminance[5];
    float contrast[5];
    float structure[5];
} VmafRecordFloatMsSsim;

/*
 * Floating-point VIF, kind bytes: numerators, then denominators of the four scales, in binary32.
 * Each is a sum over the pixels of a scale, rounded after every addition, rows from left to right,
 * then their sums from top to bottom. Scale s has (w >> s) x (h >> s) pixels, where w x h is the
 * size after vif_prescale.
 *
 * Bounds per scale, with N pixels: 0 <= den <= 256 N; -2^20 N <= num <= 256 N (flat areas with
 * samples above the nominal depth count negative); no NaN. A skipped scale is all zero.
 */
#define VMAF_RECORD_FLOAT_VIF         "float_vif"
#define VMAF_RECORD_FLOAT_VIF_VERSION 1
typedef struct VmafRecordFloatVif {
    float num[4], den[4];
} VmafRecordFloatVif;

/*
 * SSIM from integer sums, kind bytes: the similarity of every pixel times its weight, which is the
 * part of the window inside the picture in 1/65536, in binary64, rounded after every addition from
 * left to right, row by row.
 *
 * Bounds: |weighted_similarity| <= 65537 W H; no NaN.
 */
#define VMAF_RECORD_SSIM         "ssim"
#define VMAF_RECORD_SSIM_VERSION 1
typedef struct VmafRecordSsim {
    double weighted_similarity;
} VmafRecordSsim;

/*
 * Floating-point ADM, kind bytes: binary32 sums over the evaluated window of each scale. Second
 * index: band h, v, d, as in ADM. den: weighted reference coefficients to the power of adm_p_norm;
 * num: that of the restored signal where it is visible; aim: that of the additive impairment where
 * it is visible. Terms of a row are added from left to right, then the sums of the rows from top to
 * bottom; every operation is rounded on its own. All members of scale 0 are zero if it is skipped.
 *
 * Bounds: none is negative or NaN; none is infinite if adm_p_norm is at most 3.
 */
#define VMAF_RECORD_FLOAT_ADM         "float_adm"
#define VMAF_RECORD_FLOAT_ADM_VERSION 1
typedef struct VmafRecordFloatAdm {
    float den[4][3];
    float num[4][3];
    float aim[4][3];
} VmafRecordFloatAdm;

/*
 * PSNR-HVS-M, kind bytes: for Y, Cb and Cr the sum of the weighted squared errors of all
 * coefficients in binary32. Every operation is rounded on its own, and one sum runs over the blocks
 * of a plane; docs/metrics/psnr_hvs.md has the order.
 *
 * Bounds, with N coefficients of a plane: 0 <= error[p] <= 2^28 N for 8 bits, 2^36 N for more; no
 * NaN.
 */
#define VMAF_RECORD_PSNR_HVS         "psnr_hvs"
#define VMAF_RECORD_PSNR_HVS_VERSION 1
typedef struct VmafRecordPsnrHvs {
    float error[3];
} VmafRecordPsnrHvs;

/*
 * SSIMULACRA 2, kind bytes: binary64 sums over the pixels of a scale of error maps, and of their
 * fourth powers. First index: components X, Y, B; then scales; then the maps dissimilarity, added
 * edges, lost edges, and their fourth powers. Every operation is rounded on its own, sums in raster
 * order too; docs/metrics/ssimulacra2.md has the order. Sums to which the metric gives no weight,
 * and those of scales below 8x8, are zero.
 *
 * Bounds, with N pixels of a scale: no sum is negative, infinite or NaN; added edges <= 4 N, their
 * fourth powers <= 256 N; lost edges, and their fourth powers, <= N.
 */
#define VMAF_RECORD_SSIMULACRA2         "ssimulacra2"
#define VMAF_RECORD_SSIMULACRA2_VERSION 1
typedef struct VmafRecordSsimulacra2 {
    double sum[3][6][6];
} VmafRecordSsimulacra2;

/*
 * CAMBI, kind bytes, since the pixels with the strongest contrasts are known only once the whole
 * picture is. For the distorted picture [0] and, with full_ref, for the reference [1] it holds the
 * exact sum at each scale of the contrasts of the K strongest pixels, K as in
 * docs/metrics/cambi.md, as whole + fraction / 2^24; and 1 if a sample does not fit the bit depth,
 * so that the frame fails. Then the sums of this picture are zero, as are all members of a
 * reference that is not scored. (With heatmaps_path, heat maps follow, which only the CPU makes.)
 *
 * Bounds, with a window of S pixels and the weight w of the largest step: 0 <= fraction < 2^24;
 * 0 <= whole <= (w S / 4 + 1) K; is_beyond_depth is 0, or 1 unless samples fill their bytes.
 */
#define VMAF_RECORD_CAMBI         "cambi"
#define VMAF_RECORD_CAMBI_VERSION 1
typedef struct VmafRecordCambiSum {
    uint64_t whole, fraction;
} VmafRecordCambiSum;
typedef struct VmafRecordCambi {
    VmafRecordCambiSum strongest[2][5];
    uint64_t is_beyond_depth[2];
} VmafRecordCambi;

#ifdef __cplusplus
}
#endif

#endif
