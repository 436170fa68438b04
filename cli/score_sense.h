/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SCORE_SENSE_H
#define CLI_SCORE_SENSE_H

#include "common/html/page.h"

/* Decides which scores of a feature are worse, low or high ones, by the name that it has in
 * reports. */
HtmlSense score_sense(const char *name);

#endif
