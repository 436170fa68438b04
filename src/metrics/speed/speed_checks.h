/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_CHECKS_H
#define METRICS_SPEED_SPEED_CHECKS_H

#include "metrics/framework/extractor.h"
#include "metrics/speed/speed_options.h"

/* Checks that the kernel scale and the method are known. */
int speed_check_options(const void *options, Reason *why);
/* Checks the depth, and the size of the analysed planes, which the message calls `what`. */
int speed_check_planes(const char *what, const SpeedOptions *options, const PictureFormat *format,
                       unsigned plane, Reason *why);

#endif
