/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi_visibility.h"

#include <string.h>

#include "metrics/common/math/math_functions.h"

enum { BLACK_CODE = 64, WHITE_CODE = 940 };

const uint8_t cambi_step_weights[CAMBI_MAX_STEPS] = {
    1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
};

bool cambi_eotf_find(const char *name, enum CambiEotf *eotf)
{
    if (name && !strcmp(name, "bt1886"))
        *eotf = CAMBI_EOTF_BT1886;
    else if (name && !strcmp(name, "pq"))
        *eotf = CAMBI_EOTF_PQ;
    else
        return false;
    return true;
}

/* BT.1886, annex 1, for a display from 0.01 to 300 cd/m2. */
static double bt1886(double signal)
{
    const double gamma = 2.4, white = 300, black = 0.01;
    const double a = math_pow(white, 1 / gamma), b = math_pow(black, 1 / gamma);
    const double lifted = signal + b / (a - b);
    return math_pow(a - b, gamma) * math_pow(lifted > 0 ? lifted : 0, gamma);
}

/* ST 2084, equation 4.1. */
static double pq(double signal)
{
    const double m1 = 0.1593017578125, m2 = 78.84375;
    const double c1 = 0.8359375, c2 = 18.8515625, c3 = 18.6875;
    const double q = math_pow(signal, 1 / m2);
    const double numerator = q - c1;
    return 10000 * math_pow((numerator > 0 ? numerator : 0) / (c2 - c3 * q), 1 / m1);
}

double cambi_luminance(enum CambiEotf eotf, int code)
{
    const int clamped = code < BLACK_CODE ? BLACK_CODE : code > WHITE_CODE ? WHITE_CODE : code;
    const double signal = (double)(clamped - BLACK_CODE) / (WHITE_CODE - BLACK_CODE);
    return eotf == CAMBI_EOTF_PQ ? pq(signal) : bt1886(signal);
}

static bool is_visible(enum CambiEotf eotf, int code, int k, double tvi_threshold)
{
    const double luminance = cambi_luminance(eotf, code);
    return cambi_luminance(eotf, code + k) - luminance > tvi_threshold * luminance;
}

/* Where a code lies in relation to the last one at which a step is visible. */
enum Place { BELOW, AT, ABOVE };

static enum Place place(enum CambiEotf eotf, int code, int k, double tvi_threshold)
{
    if (!is_visible(eotf, code, k, tvi_threshold))
        return ABOVE;
    return is_visible(eotf, code + 1, k, tvi_threshold) ? BELOW : AT;
}

int cambi_last_visible_code(enum CambiEotf eotf, int k, double tvi_threshold)
{
    int low = BLACK_CODE, high = WHITE_CODE - k - 1;
    enum Place at_low = place(eotf, low, k, tvi_threshold);
    if (at_low != BELOW)
        return at_low == AT ? low : 0;
    enum Place at_high = place(eotf, high, k, tvi_threshold);
    if (at_high != ABOVE)
        return at_high == AT ? high : 1023;
    for (;;) {
        const int middle = low + (high - low) / 2;
        switch (place(eotf, middle, k, tvi_threshold)) {
        case AT:
            return middle;
        case ABOVE:
            high = middle;
            break;
        case BELOW:
            low = middle;
            break;
        }
    }
}

int cambi_first_bright_code(enum CambiEotf eotf, double luminance)
{
    int code = BLACK_CODE;
    while (code < WHITE_CODE && cambi_luminance(eotf, code) < luminance)
        code++;
    return code == BLACK_CODE ? 0 : code;
}

void cambi_visibility_init(CambiVisibility *v, enum CambiEotf eotf, double tvi_threshold,
                           double luminance_threshold, unsigned max_log_contrast)
{
    *v = (CambiVisibility){.n_steps = 1u << max_log_contrast,
                           .first_code = CAMBI_CODES + CAMBI_MAX_STEPS,
                           .last_code = -CAMBI_MAX_STEPS - 1};
    const int n_steps = (int)v->n_steps;
    const int first_bright = cambi_first_bright_code(eotf, luminance_threshold);
    for (int k = 1; k <= n_steps; k++) {
        const int last_visible = cambi_last_visible_code(eotf, k, tvi_threshold);
        for (int code = 0; code <= last_visible; code++) {
            /* libvmaf adds n_steps here, so that it looks a little below the threshold. */
            if (code + k + n_steps <= first_bright)
                continue;
            v->steps[code] |= 1u << (k - 1);
            if (code - k < v->first_code)
                v->first_code = code - k;
            if (code + k > v->last_code)
                v->last_code = code + k;
        }
    }
}

void cambi_band_init(CambiBand *band, const CambiOptions *options)
{
    enum CambiEotf eotf = CAMBI_EOTF_BT1886;
    (void)cambi_eotf_find(cambi_eotf_name(options), &eotf); /* was checked before */
    CambiVisibility v;
    cambi_visibility_init(&v, eotf, options->tvi_threshold, options->vis_lum_threshold,
                          (unsigned)options->max_log_contrast);
    *band = (CambiBand){0};
    if (v.first_code > v.last_code)
        return;
    const int first = v.first_code > 0 ? v.first_code : 0;
    const int last = v.last_code < CAMBI_CODES - 1 ? v.last_code : CAMBI_CODES - 1;
    band->first_code = (unsigned)first;
    band->n_codes = (unsigned)(last - first + 1);
    band->below = (unsigned)(first - v.first_code);
    band->above = (unsigned)(v.last_code - last);
    for (int code = first; code <= last; code++)
        band->steps[code - first + 1] = v.steps[code];
}

void cambi_reciprocals(float *reciprocals, unsigned n)
{
    reciprocals[0] = 0;
    uint64_t power = 100000000; /* of ten: that which gives 1 / i nine digits before the point */
    for (unsigned i = 1; i <= n; i++) {
        if (power / i < 100000000)
            power *= 10;
        uint64_t digits = power / i;
        const uint64_t twice_rest = power % i * 2;
        if (twice_rest > i || (twice_rest == i && digits % 2))
            digits++;
        reciprocals[i] = (float)((double)digits / (double)power);
    }
}
