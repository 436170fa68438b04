/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_SPEED_SPEED_OPTIONS_H
#define CORE_FEATURE_SPEED_SPEED_OPTIONS_H

#include "definition/speed/speed_options.h"
#include "feature/extractor.h"

/* Checks that the kernel scale and the method are known. */
int speed_check_options(const void *options, Reason *why);
/* Checks the depth, and the size of the analysed planes, which the message calls `what`. */
int speed_check_planes(const char *what, const SpeedOptions *options, const PictureFormat *format,
                       unsigned plane, Reason *why);

#endif
