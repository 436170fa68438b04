/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_WAVELET_ROWS_H
#define METRICS_ADM_ADM_WAVELET_ROWS_H

/* Rows between the vertical and the horizontal pass of the wavelet transform with vectors. */

#include "metrics/adm/adm_internal.h"
#include "support/vector.h"

/* At full vectors, horizontal filters read this far beyond the margin. */
enum { ADM_ROW_SLACK = 2 * VEC_16 };

/* A row of 16-bit numbers. Rows 2 i and 2 i + 1 may hold the halves of one row of 32-bit
 * numbers. */
static inline int16_t *adm_workspace_row(const AdmWaveletRow *row, int index)
{
    const size_t pitch = (size_t)row->input_columns + 2 * ADM_ROW_MARGIN + ADM_ROW_SLACK;
    return (int16_t *)row->workspace + (size_t)index * pitch + ADM_ROW_MARGIN;
}

/* Columns of the vertical pass that outputs need. */
static inline AdmRange adm_row_support(const AdmWaveletRow *row, AdmRange outputs)
{
    const AdmAxis axis = {.input = row->input_columns};
    return adm_wavelet_support(&axis, outputs);
}

/* Continues a row beyond the ends of the band: whole-sample symmetric at the beginning,
 * half-sample symmetric at the end. */
static inline void adm_mirror_ends(int16_t *row, AdmRange columns, int n)
{
    if (columns.begin == 0)
        row[-1] = row[1];
    if (columns.end == n) {
        row[n] = row[n - 1];
        row[n + 1] = row[n - 2];
    }
}

#endif
