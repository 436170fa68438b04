/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * CAMBI against its definition, computed pixel by pixel: every window is counted anew, masks and
 * filters look at each neighbour. Sizes, windows and options go where the known scores do not.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/cambi/cambi_internal.h"
#include "metrics/cambi/cambi.h"
#include "support/cases.h"
#include "support/finish_harness.h"

/* A picture of 10-bit codes; mask is NULL until it is known. */
typedef struct Image {
    int w, h;
    int *code;
    int *mask;
} Image;

static Image image_make(int w, int h)
{
    Image image = {w, h, calloc((size_t)w * (size_t)h, sizeof(int)),
                   calloc((size_t)w * (size_t)h, sizeof(int))};
    assert_non_null(image.code);
    assert_non_null(image.mask);
    return image;
}

static void image_free(Image *image)
{
    free(image->code);
    free(image->mask);
}

static int at(const Image *image, int x, int y)
{
    return image->code[y * image->w + x];
}

static bool is_inside(const Image *image, int x, int y)
{
    return x >= 0 && y >= 0 && x < image->w && y < image->h;
}

static int smoothed(const Image *image, int x, int y)
{
    int sum = 0, n = 0;
    for (int dy = 0; dy < 2; dy++) {
        for (int dx = 0; dx < 2; dx++) {
            if (is_inside(image, x + dx, y + dy)) {
                sum += at(image, x + dx, y + dy);
                n++;
            }
        }
    }
    return sum / n;
}

static bool is_flat(const Image *image, int x, int y)
{
    return (x == image->w - 1 || at(image, x, y) == at(image, x + 1, y)) &&
           (y == image->h - 1 || at(image, x, y) == at(image, x, y + 1));
}

static int masked_in(const Image *image, int x, int y)
{
    const int blocks = (image->w >> 6) * (image->h >> 6);
    const int threshold = (49 + 3 * ((blocks ? (int)ceil(log2(blocks)) : 0) - 11) - 1) / 2;
    int flat = 0;
    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++)
            flat += is_inside(image, x + dx, y + dy) && is_flat(image, x + dx, y + dy);
    }
    return flat > threshold;
}

static int mode(int a, int b, int c)
{
    if (a == b || a == c)
        return a;
    if (b == c)
        return b;
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

static int mode_across(const Image *image, int x, int y)
{
    if (x == 0 || x == image->w - 1)
        return at(image, x, y);
    return mode(at(image, x - 1, y), at(image, x, y), at(image, x + 1, y));
}

static Image filtered(const Image *image)
{
    Image out = image_make(image->w, image->h);
    memcpy(out.mask, image->mask, (size_t)image->w * (size_t)image->h * sizeof(int));
    for (int y = 0; y < image->h; y++) {
        for (int x = 0; x < image->w; x++) {
            const bool border = y == 0 || y == image->h - 1;
            out.code[y * image->w + x] =
                border ? at(image, x, y)
                       : mode(mode_across(image, x, y - 1), mode_across(image, x, y),
                              mode_across(image, x, y + 1));
        }
    }
    return out;
}

static Image halved(const Image *image)
{
    Image out = image_make((image->w + 1) / 2, (image->h + 1) / 2);
    for (int y = 0; y < out.h; y++) {
        for (int x = 0; x < out.w; x++) {
            out.code[y * out.w + x] = at(image, 2 * x, 2 * y);
            out.mask[y * out.w + x] = image->mask[2 * y * image->w + 2 * x];
        }
    }
    return out;
}

static float reciprocal(int64_t i)
{
    char text[32];
    snprintf(text, sizeof(text), "%.9g", 1.0 / (double)i);
    return strtof(text, NULL);
}

static float contrast(const Image *image, int x, int y, int radius, const CambiVisibility *v)
{
    const int code = at(image, x, y);
    int64_t count[2 * CAMBI_MAX_STEPS + 1] = {0}; /* by difference */
    if (!image->mask[y * image->w + x])
        return 0;
    for (int j = y - radius; j <= y + radius; j++) {
        for (int i = x - radius; i <= x + radius; i++) {
            if (!is_inside(image, i, j) || !image->mask[j * image->w + i])
                continue;
            const int difference = at(image, i, j) - code;
            if (abs(difference) <= CAMBI_MAX_STEPS)
                count[difference + CAMBI_MAX_STEPS]++;
        }
    }
    float strongest = 0;
    const int64_t own = count[CAMBI_MAX_STEPS];
    for (int k = 1; k <= (int)v->n_steps; k++) {
        if (!(v->steps[code] >> (k - 1) & 1))
            continue;
        const int64_t up = count[CAMBI_MAX_STEPS + k], down = count[CAMBI_MAX_STEPS - k];
        const int64_t other = up > down ? up : down;
        const float value =
            (float)(cambi_step_weights[k - 1] * own * other) * reciprocal(own + other);
        strongest = value > strongest ? value : strongest;
    }
    return strongest;
}

static int descending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* Sums are small enough here to be exact in double precision. */
static double sum_of_strongest(const Image *image, int radius, const CambiVisibility *v, size_t k)
{
    const size_t n = (size_t)image->w * (size_t)image->h;
    float *contrasts = calloc(n, sizeof(*contrasts));
    assert_non_null(contrasts);
    for (size_t i = 0; i < n; i++)
        contrasts[i] =
            contrast(image, (int)(i % (size_t)image->w), (int)(i / (size_t)image->w), radius, v);
    qsort(contrasts, n, sizeof(*contrasts), descending);
    double sum = 0;
    for (size_t i = 0; i < k; i++)
        sum += (double)contrasts[i];
    free(contrasts);
    assert_true(sum < 0x1p29);
    return sum;
}

static uint32_t noise(unsigned x, unsigned y)
{
    uint32_t n = x * 374761393u + y * 668265263u;
    n = (n ^ (n >> 13)) * 1274126177u;
    return n ^ (n >> 16);
}

/* Plateaus of a few codes with some noise; at all bit depths in the darker half. */
static unsigned plateaus(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned level = 4 * (30 + (x / 37 + 2 * (y / 9)) % 11) + noise(x / 11, y / 5) % 5;
    const unsigned sparkle = noise(x, y) % 23 == 0;
    if (bpc < 10)
        return (level >> 2) + sparkle;
    /* What is left of the code, and lost in rounding to it. */
    const unsigned step = 1u << (bpc - 10);
    return (level + sparkle) * step + noise(y, x) % step - step / 2;
}

typedef struct Case {
    const char *options;
    unsigned bpc, w, h;
    bool smooth;
    enum CambiEotf eotf;
    double tvi_threshold, luminance_threshold;
    unsigned max_log_contrast;
} Case;

static Image first_image(const Case *c)
{
    Image loaded = image_make((int)c->w, (int)c->h), image = image_make((int)c->w, (int)c->h);
    for (unsigned y = 0; y < c->h; y++) {
        for (unsigned x = 0; x < c->w; x++) {
            const unsigned sample = plateaus(x, y, 0, 0, c->bpc);
            loaded.code[y * c->w + x] =
                (int)(c->bpc <= 10 ? sample << (10 - c->bpc)
                                   : (sample + (1u << (c->bpc - 11))) >> (c->bpc - 10));
        }
    }
    for (int y = 0; y < image.h; y++) {
        for (int x = 0; x < image.w; x++)
            image.code[y * image.w + x] = c->smooth ? smoothed(&loaded, x, y) : at(&loaded, x, y);
    }
    for (int y = 0; y < image.h; y++) {
        for (int x = 0; x < image.w; x++)
            image.mask[y * image.w + x] = masked_in(&image, x, y);
    }
    image_free(&loaded);
    return image;
}

static void check(const Case *c, unsigned window)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, c->bpc, c->w, c->h);
    FinishHarness harness;
    harness_start(&harness, &cambi_extractor, c->options, &format);
    VmafPicture dist = harness_picture(&format, plateaus, 0);
    harness_frame(&harness, &(FrameInput){.ref = &dist, .dist = &dist}, 0);
    harness_picture_free(&dist);
    const CambiRecord *record = harness.record;
    CambiGeometry geometry[CAMBI_PICTURES];
    assert_int_equal(cambi_geometry(geometry, harness.options, format.w[0], format.h[0]),
                     CAMBI_ACCEPTED);
    assert_int_equal(geometry[CAMBI_DIST].window, window);

    CambiVisibility v;
    cambi_visibility_init(&v, c->eotf, c->tvi_threshold, c->luminance_threshold,
                          c->max_log_contrast);
    Image image = first_image(c);
    double first_sum = 0;
    for (int scale = 0; scale < CAMBI_SCALES; scale++) {
        if (scale > 0) {
            Image half = halved(&image);
            image_free(&image);
            image = half;
        }
        Image next = filtered(&image);
        image_free(&image);
        image = next;
        const size_t pooled = cambi_pooled_pixels(&geometry[CAMBI_DIST], scale, harness.options);
        const double sum = sum_of_strongest(&image, (int)window / 2, &v, pooled);
        const double found = cambi_sum_value(&record->sums.strongest[CAMBI_DIST][scale]);
        if (found != sum)
            fail_msg("\"%s\", scale %d: %.17g, not %.17g", c->options, scale, found, sum);
        first_sum += scale == 0 ? sum : 0;
    }
    image_free(&image);
    harness_stop(&harness);
    if (!(first_sum > 0))
        fail_msg("\"%s\" has no contrasts", c->options);
}

CASE(ordinary_pictures)
{
    check(&(Case){"window_size=127", 8, 317, 219, true, CAMBI_EOTF_BT1886, 0.019, 0, 2}, 11);
    check(&(Case){"topk=0.02", 8, 317, 219, true, CAMBI_EOTF_BT1886, 0.019, 0, 2}, 5);
    check(&(Case){"max_log_contrast=5:tvi_threshold=0.1:cambi_topk=0.3", 10, 217, 230, false,
                  CAMBI_EOTF_BT1886, 0.1, 0, 5},
          5);
    check(&(Case){"max_log_contrast=0:cambi_vis_lum_threshold=0.3:tvi_threshold=0.01", 10, 230, 217,
                  false, CAMBI_EOTF_BT1886, 0.01, 0.3, 0},
          5);
    check(&(Case){"enc_bitdepth=9", 9, 230, 30, true, CAMBI_EOTF_BT1886, 0.019, 0, 2}, 3);
    check(&(Case){"cambi_eotf=pq:tvi_threshold=0.03:max_log_contrast=1:enc_bitdepth=10", 12, 218,
                  40, false, CAMBI_EOTF_PQ, 0.03, 0, 1},
          3);
    check(&(Case){"tvi_threshold=0.05", 11, 231, 33, false, CAMBI_EOTF_BT1886, 0.05, 0, 2}, 3);
    check(&(Case){"enc_bitdepth=8:tvi_threshold=0.1", 16, 219, 65, true, CAMBI_EOTF_BT1886, 0.1, 0,
                  2},
          3);
}

/* Windows reach beyond both edges at once; scales shrink to single rows. */
CASE(thin_pictures)
{
    check(&(Case){"window_size=127", 8, 1500, 5, true, CAMBI_EOTF_BT1886, 0.019, 0, 2}, 31);
    check(&(Case){"window_size=127", 10, 7, 900, false, CAMBI_EOTF_BT1886, 0.019, 0, 2}, 19);
}

/* Beyond the 65 pixels at which libvmaf stops. */
CASE(wide_windows)
{
    check(&(Case){"window_size=127:topk=0.2", 8, 4200, 20, true, CAMBI_EOTF_BT1886, 0.019, 0, 2},
          89);
    check(&(Case){"window_size=127", 8, 4000, 10, true, CAMBI_EOTF_BT1886, 0.019, 0, 2}, 85);
}
