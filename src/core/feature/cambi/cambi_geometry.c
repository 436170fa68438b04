/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/cambi/cambi_geometry.h"

#include <errno.h>

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

static int check_geometry(const CambiGeometry *g, const char *what, Reason *why)
{
    if (g->w < CAMBI_MIN_SIDE && g->h < CAMBI_MIN_SIDE)
        return refuse(why, -EINVAL,
                      "cambi needs a width or height of at least %d; the %s size is %ux%u",
                      CAMBI_MIN_SIDE, what, g->w, g->h);
    if (g->window > CAMBI_MAX_WINDOW)
        return refuse(
            why, -EINVAL,
            "cambi at %s size %ux%u needs a window of %u pixels, at most %d are possible: reduce "
            "window_size or use cambi_high_res_speedup",
            what, g->w, g->h, g->window, CAMBI_MAX_WINDOW);
    return 0;
}

int cambi_geometry(CambiGeometry geometry[CAMBI_PICTURES], const CambiOptions *options,
                   const PictureFormat *format, Reason *why)
{
    const unsigned w = format->w[0], h = format->h[0];
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
    set_geometry(&geometry[CAMBI_DIST], enc_w, enc_h, half_resolution, window_size);
    set_geometry(&geometry[CAMBI_REF], src_w, src_h, half_resolution, window_size);

    int err = check_geometry(&geometry[CAMBI_DIST], "encode", why);
    if (!err)
        err = check_geometry(&geometry[CAMBI_REF], "source", why);
    if (!err && ((src_w > enc_w && src_h < enc_h) || (src_w < enc_w && src_h > enc_h)))
        err = refuse(why, -EINVAL,
                     "cambi: neither of source size %ux%u and encode size %ux%u contains the other",
                     src_w, src_h, enc_w, enc_h);
    return err;
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
