/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_geometry.h"

AdmRange adm_range_hull(AdmRange a, AdmRange b)
{
    if (adm_range_length(a) == 0)
        return b;
    if (adm_range_length(b) == 0)
        return a;
    return (AdmRange){adm_min(a.begin, b.begin), adm_max(a.end, b.end)};
}

int adm_ceil_log2(uint64_t n)
{
    int k = 0;
    while (k < 63 && (uint64_t)1 << k < n)
        k++;
    return k;
}

AdmShifts adm_shifts_init(int scale, const AdmAxis *columns, const AdmAxis *rows)
{
    const uint64_t window_columns = (uint64_t)adm_range_length(columns->window);
    const uint64_t window_rows = (uint64_t)adm_range_length(rows->window);
    const int log_columns = adm_ceil_log2((uint64_t)columns->size);
    const int log_rows = adm_ceil_log2((uint64_t)rows->size);
    if (scale == 0)
        return (AdmShifts){
            .den_row = adm_max(0, adm_ceil_log2(window_columns * window_rows) - 20),
            .term = {log_columns - 4, log_columns - 4, log_columns - 3},
            .row = log_rows,
        };
    return (AdmShifts){
        .den_square = scale == 2 ? 30 : 31,
        .den_term = adm_ceil_log2(window_columns),
        .den_row = adm_ceil_log2(window_rows),
        .term = {log_columns, log_columns, log_columns},
        .row = log_rows,
    };
}

AdmWaveletShifts adm_wavelet_shifts(int scale, int depth)
{
    static const AdmWaveletShifts coarse[ADM_SCALES] = {{0, 16}, {0, 15}, {16, 16}, {16, 15}};
    AdmWaveletShifts shifts = coarse[scale];
    if (scale == 0)
        shifts.vertical = depth;
    return shifts;
}

void adm_axes_init(AdmAxis axes[ADM_SCALES], int samples)
{
    int input = samples;
    for (int s = 0; s < ADM_SCALES; s++) {
        const int size = input - input / 2;
        const int border = size > 5 ? (size - 5) / 10 : 0;
        axes[s] = (AdmAxis){.input = input, .size = size, .window = {border, size - border}};
        input = size;
    }
}

AdmRange adm_wavelet_support(const AdmAxis *axis, AdmRange outputs)
{
    if (adm_range_length(outputs) == 0)
        return (AdmRange){0, 0};
    return (AdmRange){adm_max(0, 2 * outputs.begin - 1), adm_min(axis->input, 2 * outputs.end + 1)};
}

void adm_cone_init(AdmExtent *cone, const AdmAxis *axes, const AdmRange *part)
{
    AdmRange approx = {0, 0};
    for (int s = ADM_SCALES - 1; s >= 0; s--) {
        const AdmRange evaluated = adm_range_intersect(axes[s].window, part[s]);
        AdmRange detail = {0, 0};
        if (adm_range_length(evaluated) > 0)
            detail = (AdmRange){adm_max(0, evaluated.begin - 1),
                                adm_min(axes[s].size, evaluated.end + 1)};
        const AdmRange computed = adm_range_hull(detail, approx);
        cone[s] = (AdmExtent){evaluated, detail, approx, computed};
        approx = adm_wavelet_support(&axes[s], computed);
    }
}
