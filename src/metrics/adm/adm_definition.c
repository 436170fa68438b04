/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm.h"

#include <math.h>
#include <stddef.h>

#include "metrics/common/math/math_functions.h"

const OptionSpec adm_option_specs[] = {
    ADM_COMMON_OPTION_SPECS(AdmOptions),
    {
        .name = "adm_ref_display_height",
        .alias = "rdh",
        .help = "height of the display in lines",
        .type = OPTION_INT,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, ref_display_height),
        .default_value = 1080,
        .min = 1,
        .max = 4320,
    },
    {
        .name = "adm_csf_mode",
        .alias = "csf",
        .help = "contrast sensitivity: 0 Watson, 1 Barten, 2 blend of both, 3 second blend",
        .type = OPTION_INT,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, csf_mode),
        .default_value = ADM_CSF_WATSON,
        .min = ADM_CSF_WATSON,
        .max = ADM_CSF_BLEND_MAE,
    },
    {
        .name = "adm_skip_aim",
        .help = "leave out the additive impairment, which then counts as 0",
        .type = OPTION_BOOL,
        .flags = OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, skip_aim),
    },
    {0},
};

/* The mixture of binary32 and binary64 is as arbitrary as it looks, but each rounding affects the
 * scores, so it is part of the definition. */

static const double pi = 3.14159265358979323846;

AdmViewing adm_viewing(const AdmOptions *options)
{
    return (AdmViewing){
        .distance = options->norm_view_dist,
        .height = options->ref_display_height,
        .mode = (AdmCsfMode)options->csf_mode,
        .scale = options->csf_scale,
        .diagonal_scale = options->csf_diag_scale,
    };
}

float adm_pixels_per_degree(const AdmViewing *viewing)
{
    return (float)(viewing->distance * viewing->height * pi / 180.0);
}

/* Reciprocal of the visible quantisation step: eq. 9 with tables IV (luma) and V of Watson. */
static float watson_weight(const AdmViewing *viewing, int scale, int orientation)
{
    static const float a = 0.495F, k = 0.466F, f0 = 0.401F;
    static const float g[2] = {1.0F, 0.534F};
    static const float amplitude[2][ADM_SCALES] = {
        {0.67234F, 0.41317F, 0.22727F, 0.11792F},
        {0.72709F, 0.49428F, 0.28688F, 0.15214F},
    };
    const double resolution = adm_pixels_per_degree(viewing);
    const float u = (float)math_log10(ldexp(1.0, scale + 1) * f0 * g[orientation] / resolution);
    const float ku = k * u;
    const float exponent = ku * u;
    const float step = (float)(2.0 * a * math_pow(10.0, exponent) / amplitude[orientation][scale]);
    return 1.0F / step;
}

/* Parameters of the neural sensitivity are published for 20 and 150 cd/m2; the display has 100. */
static float at_display_luminance(float at_20, float at_150)
{
    const float x0 = (float)math_log10(20.0), x1 = (float)math_log10(150.0), x = 2.0F;
    const float rise = at_150 - at_20, run = x1 - x0;
    const float slope = rise / run;
    const float offset = slope * (x - x0);
    return at_20 + offset;
}

static float barten_sensitivity(const AdmViewing *viewing, int scale)
{
    const float frequency = (float)(adm_pixels_per_degree(viewing) / ldexp(1.0, scale + 1));
    const float p0 = at_display_luminance(0.334278F, 0.394533F);
    const float p1 = at_display_luminance(3.79542F, 2.7755F);
    const float p2 = at_display_luminance(1.07327F, 1.16577F);
    const float p3 = at_display_luminance(6.4635F, 7.45665F);

    const float low = p0 * frequency, high = frequency / 7.0F;
    const float alpha = (float)(1.0 + math_pow(low, p1));
    const float beta = (float)(1.0 / math_pow(1.0 - math_exp(-((double)high * high)), p2));
    const float product = alpha * beta;
    const float neural = (float)(p3 / math_pow(product, 0.5));

    /* Modulation transfer of the eye's optics. */
    static const float weight[4] = {0.424838596301290F, 0.572435103936480F, 0.000167576239164937F,
                                    0.00255872352306433F};
    static const float decay[4] = {0.028F, 0.37F, 37.0F, 360.0F};
    float optics = 0.0F;
    for (int i = 0; i < 4; i++) {
        const float exponent = -decay[i] * frequency;
        optics = (float)(optics + weight[i] * math_exp(exponent));
    }

    /* Sensitivity to luminance. */
    const float relative = 4.0627F / 100.0F;
    const float luminance =
        (float)(30.162F * math_pow(math_pow(relative, 1.6596F) + 1.0, -0.2712F));

    const float sensitivity = neural * optics;
    return sensitivity * luminance;
}

/* Viewing conditions of the tables; those with distance times height below 3240 are rejected
 * earlier. */
static const struct {
    int height;
    double distance;
    int row;
} conditions[] = {{1080, 3, 0}, {2160, 1.5, 0}, {1080, 5, 1},
                  {2160, 3, 2}, {2160, 5, 3},   {720, 5, 4}};

static const float blend[][2][ADM_SCALES] = {
    {{0.01183F, 0.025026F, 0.04295F, 0.058621F}, {0.004302F, 0.011778F, 0.023918F, 0.035901F}},
    {{0.004212F, 0.014809F, 0.029642F, 0.047464F}, {0.000984F, 0.005852F, 0.0146F, 0.027574F}},
    {{0.00226F, 0.01183F, 0.025026F, 0.04295F}, {0.000479F, 0.004302F, 0.011778F, 0.023918F}},
    {{0.000092F, 0.004212F, 0.014809F, 0.029642F}, {0.000050F, 0.000984F, 0.005852F, 0.0146F}},
    {{0.010144F, 0.022561F, 0.040309F, 0.05672F}, {0.003463F, 0.010282F, 0.021839F, 0.034641F}},
};

static const float blend_mae[][2][ADM_SCALES] = {
    {{0.011249F, 0.022606F, 0.035930F, 0.045673F}, {0.004097F, 0.010921F, 0.021430F, 0.031313F}},
    {{0.004052F, 0.013939F, 0.026298F, 0.038833F}, {0.000927F, 0.005544F, 0.013415F, 0.024515F}},
    {{0.002166F, 0.011249F, 0.022606F, 0.035930F}, {0.000447F, 0.004097F, 0.010921F, 0.021430F}},
    {{0.000077F, 0.004052F, 0.013939F, 0.026298F}, {0.000045F, 0.000927F, 0.005544F, 0.013415F}},
    {{0.009689F, 0.020577F, 0.034162F, 0.044523F}, {0.003302F, 0.009579F, 0.019661F, 0.030318F}},
};

static float tabulated_weight(const float table[][2][ADM_SCALES], const AdmViewing *viewing,
                              int scale, int orientation)
{
    static const float unlisted = -22.0F;
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
        if (conditions[i].height == viewing->height && conditions[i].distance == viewing->distance)
            return table[conditions[i].row][orientation][scale];
    return unlisted;
}

float adm_csf_weight(const AdmViewing *viewing, int scale, int orientation)
{
    switch (viewing->mode) {
    case ADM_CSF_BARTEN:
        return (float)(barten_sensitivity(viewing, scale) *
                       (orientation == ADM_DIAGONAL ? viewing->diagonal_scale : viewing->scale));
    case ADM_CSF_BLEND:
        return tabulated_weight(blend, viewing, scale, orientation);
    case ADM_CSF_BLEND_MAE:
        return tabulated_weight(blend_mae, viewing, scale, orientation);
    case ADM_CSF_WATSON:
        break;
    }
    return watson_weight(viewing, scale, orientation);
}

/* Low bits of a number's integer part; 0 if it has more than `limit` bits including the sign. */
static uint32_t low_bits(double value, int limit, uint32_t mask)
{
    if (!(fabs(value) < ldexp(1.0, limit - 1)))
        return 0;
    return (uint32_t)(uint64_t)(int64_t)value & mask;
}

void adm_csf_fixed_point(const AdmViewing *viewing, int scale, uint32_t weights[ADM_BANDS])
{
    /* The usual viewing condition has weights that were once computed with less precision. */
    static const uint32_t usual[ADM_BANDS] = {36453, 36453, 49417};
    if (scale == 0 && viewing->mode == ADM_CSF_WATSON &&
        fabs(viewing->distance * viewing->height - ADM_USUAL_RESOLUTION) < 1e-8) {
        for (int b = 0; b < ADM_BANDS; b++)
            weights[b] = usual[b];
        return;
    }
    for (int b = 0; b < ADM_BANDS; b++) {
        const int orientation = b == BAND_D ? ADM_DIAGONAL : ADM_HORIZONTAL_VERTICAL;
        const double weight = adm_csf_weight(viewing, scale, orientation);
        /* Weights too large for their word (Barten's with a scale near 1) lose their upper bits:
         * such scores mean little, but equal the published ones. */
        if (scale == 0)
            weights[b] = low_bits(ldexp(weight, b == BAND_D ? 23 : 21), 32, 0xFFFF);
        else
            weights[b] = low_bits(ldexp(weight, 32), 64, 0xFFFFFFFF);
    }
}

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
