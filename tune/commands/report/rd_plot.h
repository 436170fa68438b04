/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_REPORT_RD_PLOT_H
#define TUNE_COMMANDS_REPORT_RD_PLOT_H

#include "tune/commands/report/report.h"

#include <stdio.h>

/* The plot of a subject: score over the logarithm of bitrate. Nothing without points. 0; -ENOMEM.
 */
int rd_plot_print(const ReportSubject *subject, FILE *out);

/* The sign of a curve in plots: a piece of its line with a point. */
void rd_plot_print_sign(const ReportCurve *curve, FILE *out);

#endif
