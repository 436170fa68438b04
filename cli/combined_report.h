/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_COMBINED_REPORT_H
#define CLI_COMBINED_REPORT_H

#include "output.h"

/* One JSON document on several distorted videos: of each the report, or why there is none. */
int combined_report_write(const Output *output, const ScoredVideo videos[], unsigned n);

#endif
