/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_METRIC_LIST_H
#define METRICS_FRAMEWORK_METRIC_LIST_H

/* The metrics that there are. The build of the tests reads these lists, too. */
/* clang-format off */

/* All by their names, in the order of libvmaf, in which users see them. A file of the metric's folder
 * defines <name>_extractor. */
#define VMAF_METRICS(X) \
    X(float_psnr) \
    X(float_ansnr) \
    X(float_adm) \
    X(float_vif) \
    X(float_motion) \
    X(float_moment) \
    X(speed_chroma) \
    X(speed_temporal) \
    X(float_ms_ssim) \
    X(float_ssim) \
    X(ciede) \
    X(psnr) \
    X(psnr_hvs) \
    X(adm) \
    X(motion) \
    X(vif) \
    X(cambi) \
    X(ssim) \
    X(ssimulacra2)

/* The metrics that devices compute, by name, record and kind: VMAF_RECORD_<record> is of the kind
 * VMAF_BACKEND_RECORD_<kind>. A *_device.c of the metric's folder defines vmaf_metric_<name>. */
#define VMAF_DEVICE_METRICS(X) \
    X(adm, ADM, SUMS) \
    X(cambi, CAMBI, BYTES) \
    X(float_adm, FLOAT_ADM, BYTES) \
    X(float_ansnr, FLOAT_ANSNR, BYTES) \
    X(float_moment, FLOAT_MOMENT, SUMS) \
    X(float_motion, FLOAT_MOTION, BYTES) \
    X(float_ms_ssim, FLOAT_MS_SSIM, BYTES) \
    X(float_psnr, FLOAT_PSNR, SUMS) \
    X(float_ssim, FLOAT_SSIM, BYTES) \
    X(float_vif, FLOAT_VIF, BYTES) \
    X(motion, MOTION, SUMS) \
    X(psnr, PSNR, SUMS) \
    X(psnr_hvs, PSNR_HVS, BYTES) \
    X(speed_chroma, SPEED_CHROMA, BYTES) \
    X(speed_temporal, SPEED_TEMPORAL, BYTES) \
    X(ssim, SSIM, BYTES) \
    X(ssimulacra2, SSIMULACRA2, BYTES) \
    X(vif, VIF, SUMS)

/* clang-format on */

#endif
