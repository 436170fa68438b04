/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_GEOMETRY_H
#define METRICS_ADM_ADM_GEOMETRY_H

/*
 * Sizes of the wavelet bands, the window in which they are evaluated, and the cone: what has to be
 * computed at each scale so that all windows can be evaluated.
 */

#include <stdbool.h>
#include <stdint.h>

#include "metrics/adm/adm_constants.h"

/* Bands of a scale, in the order of the record. First letter of the filters: h is vertical high
 * and horizontal low, v vertical low and horizontal high, d high in both directions. */
enum { BAND_H, BAND_V, BAND_D, ADM_BANDS };

/* begin <= i < end; empty if begin == end. */
typedef struct AdmRange {
    int begin, end;
} AdmRange;

/* One direction, rows or columns, of the bands of one scale. */
typedef struct AdmAxis {
    int input;       /* samples that the scale's wavelet reads */
    int size;        /* of the bands: half of it, rounded up */
    AdmRange window; /* of evaluation: about the central 80 % */
} AdmAxis;

/* What is computed along one direction of a scale. */
typedef struct AdmExtent {
    AdmRange evaluated; /* part of the window */
    AdmRange detail;    /* of bands h, v and d: one more on each side, for masking */
    AdmRange approx;    /* of band a: what the next scale reads */
    AdmRange computed;  /* hull of detail and approx */
} AdmExtent;

static inline int adm_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int adm_max(int a, int b)
{
    return a > b ? a : b;
}

static inline int adm_range_length(AdmRange range)
{
    return range.end - range.begin;
}

static inline AdmRange adm_range_intersect(AdmRange a, AdmRange b)
{
    const int begin = adm_max(a.begin, b.begin);
    return (AdmRange){begin, adm_max(begin, adm_min(a.end, b.end))};
}

static inline bool adm_range_contains(AdmRange range, int i)
{
    return i >= range.begin && i < range.end;
}

/* Smallest range that contains both. */
AdmRange adm_range_hull(AdmRange a, AdmRange b);

/* Smallest k with 2^k >= n. */
int adm_ceil_log2(uint64_t n);

/* Right shifts within the sums over a band; finishing undoes them. */
typedef struct AdmShifts {
    int den_square, den_term, den_row; /* denominators: squares, cubes, sums of a row */
    int term[ADM_BANDS], row;          /* masked energies: cubes, sums of a row */
} AdmShifts;

AdmShifts adm_shifts_init(int scale, const AdmAxis *columns, const AdmAxis *rows);

/* Right shifts of the wavelet's sums at a scale, for luma of `bpc` bits per sample. */
typedef struct AdmWaveletShifts {
    int vertical, horizontal;
} AdmWaveletShifts;

AdmWaveletShifts adm_wavelet_shifts(int scale, int depth);

/* Axes of all scales for a picture of `samples` columns or rows. */
void adm_axes_init(AdmAxis axes[ADM_SCALES], int samples);
/* Input samples that outputs of the wavelet depend on, mirroring included. */
AdmRange adm_wavelet_support(const AdmAxis *axis, AdmRange outputs);
/* The cone, for the part of the window that lies in `part` of each scale. Arrays of ADM_SCALES. */
void adm_cone_init(AdmExtent *cone, const AdmAxis *axes, const AdmRange *part);

#endif
