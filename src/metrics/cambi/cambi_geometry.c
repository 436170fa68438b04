/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi_geometry.h"

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

CambiRefusal cambi_geometry(CambiGeometry geometry[CAMBI_PICTURES], const CambiOptions *options,
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
