/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_METRICS_METRIC_LIST_H
#define VMAF_SDK_METRICS_METRIC_LIST_H

/* All metrics. metrics/<name>/<name>.c defines vmaf_metric_<name>. */
/* clang-format off */
#define VMAF_METRICS(X) \
    X(adm) \
    X(cambi) \
    X(float_adm) \
    X(float_ansnr) \
    X(float_moment) \
    X(float_motion) \
    X(float_ms_ssim) \
    X(float_psnr) \
    X(float_ssim) \
    X(float_vif) \
    X(motion) \
    X(psnr) \
    X(psnr_hvs) \
    X(speed_chroma) \
    X(speed_temporal) \
    X(ssim) \
    X(ssimulacra2) \
    X(vif)
/* clang-format on */

#endif
