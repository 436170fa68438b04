/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_ROW_SUMS_H
#define METRICS_COMMON_ROW_SUMS_H

enum { ROW_SUMS = 8 };

/*
 * sums[i] = rows[i][0] + rows[i][1] + ..., from left to right, for metrics in which that order is
 * part of the definition. Each addition waits for the one before it in its row, so several rows at
 * once take as long as one.
 */
void row_sums_f32(const float *const rows[ROW_SUMS], unsigned w, float sums[ROW_SUMS]);

#endif
