/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_METRICS_METRIC_LIST_H
#define VMAF_SDK_METRICS_METRIC_LIST_H

/* All metrics; metrics/<name>/<name>.c defines vmaf_metric_<name>. */
#define VMAF_METRICS(X)                                                                            \
    X(adm) X(float_adm) X(float_moment) X(float_psnr) X(motion) X(psnr) X(psnr_hvs) X(vif)
    X(adm) X(cambi) X(float_adm) X(float_moment) X(float_psnr) X(motion) X(psnr) X(vif)
#define VMAF_METRICS(X) X(adm) X(float_adm) X(float_moment) X(float_psnr) X(motion) X(psnr) X(vif)
#define VMAF_METRICS(X) X(adm) X(motion) X(psnr) X(speed_chroma) X(speed_temporal) X(vif)

#endif
