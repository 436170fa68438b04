/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi.h"

#include <string.h>

#include "metrics/common/math/math_functions.h"

const OptionSpec cambi_option_specs[] = {
    {.name = "cambi_max_val",
     .alias = "cmxv",
     .help = "larger scores are clipped to this",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(CambiOptions, max_val),
     .default_value = 1000,
     .min = 0,
     .max = 1000},
    {.name = "enc_width",
     .alias = "encw",
     .help = "width at which the distorted video was encoded; default: its own",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, enc_width),
     .min = 180,
     .max = 7680},
    {.name = "enc_height",
     .alias = "ench",
     .help = "height at which the distorted video was encoded; default: its own",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, enc_height),
     .min = 150,
     .max = 7680},
    {.name = "enc_bitdepth",
     .alias = "encbd",
     .help = "bit depth of the encode; below 10 dithering is smoothed away; default: the video's",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, enc_bitdepth),
     .min = 6,
     .max = 16},
    {.name = "src_width",
     .alias = "srcw",
     .help = "width at which full_ref analyses the reference; default: its own",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, src_width),
     .min = 320,
     .max = 7680},
    {.name = "src_height",
     .alias = "srch",
     .help = "height at which full_ref analyses the reference; default: its own",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, src_height),
     .min = 200,
     .max = 4320},
    {.name = "window_size",
     .alias = "ws",
     .help = "side of the window at 3840x2160, in pixels; 65 is about one degree of view",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, window_size),
     .default_value = 65,
     .min = 15,
     .max = 127},
    {.name = "topk",
     .help = "fraction of pixels that is averaged; goes before cambi_topk unless it is 0.6",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, topk),
     .default_value = 0.6,
     .min = 0.0001,
     .max = 1},
    {.name = "cambi_topk",
     .alias = "ctpk",
     .help = "fraction of pixels, those of strongest contrast, that is averaged",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, cambi_topk),
     .default_value = 0.6,
     .min = 0.0001,
     .max = 1},
    {.name = "tvi_threshold",
     .alias = "tvit",
     .help = "relative change of luminance from which a step is visible",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, tvi_threshold),
     .default_value = 0.019,
     .min = 0.0001,
     .max = 1},
    {.name = "cambi_vis_lum_threshold",
     .alias = "vlt",
     .help = "luminance in cd/m2 below which banding is invisible",
     .type = OPTION_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, vis_lum_threshold),
     .min = 0,
     .max = 300},
    {.name = "max_log_contrast",
     .alias = "mlc",
     .help = "steps of up to 2 to this power codes, at 10 bits, are looked at",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, max_log_contrast),
     .default_value = 2,
     .min = 0,
     .max = 5},
    {.name = "heatmaps_path",
     .help = "folder for heat maps: raw 16-bit video of the contrasts, a file per scale",
     .type = OPTION_STRING,
     .flags = OPTION_ACCUMULATE | OPTION_FILES,
     .offset = offsetof(CambiOptions, heatmaps_path)},
    {.name = "full_ref",
     .help = "also score the reference, and by how much the distorted video exceeds it",
     .type = OPTION_BOOL,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, full_ref)},
    {.name = "eotf",
     .help = "transfer function of the display, bt1886 or pq; if cambi_eotf is bt1886",
     .type = OPTION_STRING,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, eotf),
     .default_string = "bt1886"},
    {.name = "cambi_eotf",
     .alias = "ceot",
     .help = "transfer function of the display, bt1886 or pq",
     .type = OPTION_STRING,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, cambi_eotf),
     .default_string = "bt1886"},
    {.name = "cambi_high_res_speedup",
     .alias = "hrs",
     .help = "1080, 1440 or 2160: begin at half resolution for pictures of so many lines or more",
     .type = OPTION_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, high_res_speedup),
     .min = 0,
     .max = 2160},
    {0},
};

const char *cambi_eotf_name(const CambiOptions *options)
{
    return strcmp(options->cambi_eotf, "bt1886") ? options->cambi_eotf : options->eotf;
}

/* The value of `topk` that counts as not given. */
static const double default_topk = 0.6;

static bool speeds_up(int high_res_speedup, unsigned w, unsigned h)
{
    const uint64_t pixels = (uint64_t)w * h;
    switch (high_res_speedup) {
    case 1080:
        return pixels >= 1920 * 1080;
    case 1440:
        return pixels >= 2560 * 1440;
    case 2160:
        return pixels >= 3840 * 2160;
    default:
        return false;
    }
}

/* `window_size` is meant for 3840x2160; other sizes scale it by the mean of width and height. */
static unsigned window_side(unsigned window_size, unsigned w, unsigned h, bool half_resolution)
{
    unsigned side = (window_size * (w + h) / 375) >> 4;
    if (half_resolution)
        side = (side + 1) >> 1;
    return side | 1;
}

static unsigned half(unsigned n)
{
    return (n + 1) >> 1;
}

static void set_geometry(CambiGeometry *g, unsigned w, unsigned h, bool half_resolution,
                         unsigned window_size)
{
    *g = (CambiGeometry){.w = w, .h = h, .half_resolution = half_resolution};
    g->window = window_side(window_size, w, h, half_resolution);
    g->scale_w[0] = half_resolution ? half(w) : w;
    g->scale_h[0] = half_resolution ? half(h) : h;
    for (int scale = 1; scale < CAMBI_SCALES; scale++) {
        g->scale_w[scale] = half(g->scale_w[scale - 1]);
        g->scale_h[scale] = half(g->scale_h[scale - 1]);
    }
}

static bool is_too_small(const CambiGeometry *g)
{
    return g->w < CAMBI_MIN_SIDE && g->h < CAMBI_MIN_SIDE;
}

CambiRejection cambi_geometry(CambiGeometry geometry[CAMBI_PICTURES], const CambiOptions *options,
                              unsigned w, unsigned h)
{
    unsigned enc_w = (unsigned)options->enc_width, enc_h = (unsigned)options->enc_height;
    unsigned src_w = (unsigned)options->src_width, src_h = (unsigned)options->src_height;
    if (!enc_w || !enc_h || enc_w > w || enc_h > h) {
        enc_w = w;
        enc_h = h;
    }
    if (!src_w || !src_h) {
        src_w = w;
        src_h = h;
    }

    const bool half_resolution = speeds_up(options->high_res_speedup, enc_w, enc_h);
    const unsigned window_size = (unsigned)options->window_size;
    CambiGeometry *dist = &geometry[CAMBI_DIST], *ref = &geometry[CAMBI_REF];
    set_geometry(dist, enc_w, enc_h, half_resolution, window_size);
    set_geometry(ref, src_w, src_h, half_resolution, window_size);

    if (is_too_small(dist))
        return CAMBI_DIST_TOO_SMALL;
    if (dist->window > CAMBI_MAX_WINDOW)
        return CAMBI_DIST_WINDOW_TOO_LARGE;
    if (is_too_small(ref))
        return CAMBI_REF_TOO_SMALL;
    if (ref->window > CAMBI_MAX_WINDOW)
        return CAMBI_REF_WINDOW_TOO_LARGE;
    if ((src_w > enc_w && src_h < enc_h) || (src_w < enc_w && src_h > enc_h))
        return CAMBI_SIZES_CROSS;
    return CAMBI_ACCEPTED;
}

size_t cambi_pooled_pixels(const CambiGeometry *geometry, int scale, const CambiOptions *options)
{
    const double fraction = options->topk != default_topk ? options->topk : options->cambi_topk;
    const size_t pixels = (size_t)geometry->scale_w[scale] * geometry->scale_h[scale];
    const size_t pooled = (size_t)(fraction * (double)pixels);
    return pooled < 1 ? 1 : pooled > pixels ? pixels : pooled;
}

size_t cambi_pixels(const CambiGeometry *geometry)
{
    size_t pixels = 0;
    for (int scale = 0; scale < CAMBI_SCALES; scale++)
        pixels += (size_t)geometry->scale_w[scale] * geometry->scale_h[scale];
    return pixels;
}

static int ceil_log2(unsigned n)
{
    int log = 0;
    while ((1u << log) < n)
        log++;
    return log;
}

unsigned cambi_flatness_threshold(const CambiGeometry *geometry)
{
    const int log_blocks = ceil_log2((geometry->w >> 6) * (geometry->h >> 6));
    return (unsigned)(49 + 3 * (log_blocks - 11) - 1) >> 1;
}

void cambi_sample_positions(uint32_t *positions, unsigned n_out, unsigned n_in)
{
    const float step = (float)n_in / (float)n_out;
    float position = (float)((double)(step / 2) - 0.5);
    for (unsigned i = 0; i < n_out; i++) {
        const uint32_t index = (uint32_t)((double)position + 0.5);
        positions[i] = index < n_in ? index : n_in - 1; /* what is lost can lead past the end */
        position += step;
    }
}

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
