/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_REPORT_ASSETS_H
#define TUNE_COMMANDS_REPORT_ASSETS_H

#include <stddef.h>

/* report.css, for what pages of reports have beyond those of html/assets.h; the build makes it. */
extern const char report_style_sheet[];
extern const size_t report_style_sheet_size;

#endif
