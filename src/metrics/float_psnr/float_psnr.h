/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_PSNR_FLOAT_PSNR_H
#define METRICS_FLOAT_PSNR_FLOAT_PSNR_H

#include "metrics/framework/extractor.h"

/* PSNR of luma in the 8-bit range, as the floating-point extractors of VMAF define it. */
extern const FeatureExtractor float_psnr_extractor;

/* Peak of a bit depth in the 8-bit range: 255, 255.75, ...; the largest PSNR that is written. */
double float_psnr_peak(unsigned bpc);
double float_psnr_cap(unsigned bpc);

#endif
