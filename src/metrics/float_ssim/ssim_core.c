/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <stdint.h>

#include "metrics/common/math/math_functions.h"
#include "metrics/float_ssim/float_ssim.h"
#include "metrics/float_ssim/ssim_internal.h"
#include "support/arena.h"
#include "support/memory.h"

void ssim_functions_init(SsimFunctions *functions, unsigned cpu_flags)
{
    ISA_SELECT_NEON(ssim_functions_fill_filter, cpu_flags)(functions);
    ISA_SELECT(ssim_functions_fill_rows, cpu_flags)(functions);
}

static double limit(const PictureFormat *format)
{
    const uint32_t peak = (1u << format->bpc) - 1;
    const double n_samples = (double)(format->w[0] * format->h[0]);
    return ceil(10 * math_log10((double)(peak * peak) / (0.5 / n_samples)));
}

double ssim_decibels(double index, const PictureFormat *format, bool is_clipped)
{
    const double max = is_clipped ? limit(format) : INFINITY;
    const double decibels = -10 * math_log10(1 - index);
    /* Not fmin: an index that is not a number gets the maximum. */
    return decibels < max ? decibels : max;
}

SsimImage ssim_image_of_picture(const VmafPicture *pic)
{
    return (SsimImage){pic->data[0], pic->stride[0], pic->w[0], pic->h[0], pic->bpc};
}

size_t ssim_row_size(unsigned w)
{
    return size_round_up((size_t)w + SSIM_PADDING, SSIM_PADDING);
}

SsimImage ssim_image_of_plane(const float *plane, unsigned w, unsigned h)
{
    return (SsimImage){plane, (ptrdiff_t)(ssim_row_size(w) * sizeof(float)), w, h, 0};
}

const float *ssim_image_row(const SsimImage *image, const SsimFunctions *functions, unsigned y,
                            float *buffer)
{
    const void *row = (const char *)image->data + (ptrdiff_t)y * image->stride;
    if (!image->bpc)
        return row;
    const float factor = 1.0f / (float)(1u << (image->bpc - 8));
    if (image->bpc == 8)
        functions->load_bytes(buffer, row, image->w, factor);
    else
        functions->load_words(buffer, row, image->w, factor);
    return buffer;
}

/*
 * Images are taken up in bands of SSIM_TAPS rows. Their rows and the products of these are filtered
 * horizontally, then the band is filtered vertically, in place: it finishes as many rows of local
 * means, those that end at its rows. The similarity of each row is computed and added up.
 */
enum { BAND = SSIM_TAPS };

/* How rows of images are dealt to lanes. */
typedef struct Dealing {
    size_t segment;   /* columns of output for each lane */
    size_t n_samples; /* vectors that hold their samples */
    size_t n_steps;   /* the same in whole turns */
    size_t stride;    /* of filtered rows, in elements */
} Dealing;

struct SsimCore {
    const SsimFunctions *functions;
    float *samples[SSIM_PICTURES];     /* a row each */
    uint64_t *dealt[SSIM_PICTURES];    /* the same */
    float *filtered[SSIM_MOMENTS];     /* a band each */
    double *in_progress[SSIM_MOMENTS]; /* sums of columns between bands */
    SsimSimilarity similarity;         /* a row */
    void *memory;
};

static Dealing dealing_of(const SsimFunctions *functions, unsigned w)
{
    const unsigned lanes = functions->lanes, w_out = w - SSIM_IN_PROGRESS;
    Dealing d = {.segment = w_out / lanes + (w_out % lanes != 0)};
    d.n_samples = d.segment + SSIM_IN_PROGRESS;
    d.n_steps = (d.n_samples + SSIM_TAPS - 1) / SSIM_TAPS * SSIM_TAPS;
    d.stride = d.n_steps * lanes;
    return d;
}

static void lay_out(SsimCore *core, Arena *arena, unsigned w)
{
    const Dealing d = dealing_of(core->functions, w);
    for (int p = 0; p < SSIM_PICTURES; p++) {
        core->samples[p] = arena_take(arena, ssim_row_size(w), sizeof(float));
        core->dealt[p] =
            arena_take(arena, d.stride + 3 * (size_t)core->functions->lanes, sizeof(uint64_t));
    }
    for (int m = 0; m < SSIM_MOMENTS; m++) {
        core->filtered[m] = arena_take(arena, d.stride, BAND * sizeof(float));
        core->in_progress[m] = arena_take(arena, d.stride, SSIM_IN_PROGRESS * sizeof(double));
    }
    core->similarity.luminance = arena_take(arena, d.stride, sizeof(double));
    core->similarity.contrast = arena_take(arena, d.stride, sizeof(double));
    core->similarity.structure = arena_take(arena, d.stride, sizeof(float));
}

int ssim_core_create(SsimCore **created, const SsimFunctions *functions, unsigned w)
{
    SsimCore *core = memory_alloc_zeroed(1, sizeof(*core));
    if (!core)
        return -ENOMEM;
    core->functions = functions;
    Arena arena = {0};
    lay_out(core, &arena, w);
    if (arena_allocate(&arena)) {
        memory_free(core);
        return -ENOMEM;
    }
    lay_out(core, &arena, w);
    core->memory = arena.block;
    *created = core;
    return 0;
}

void ssim_core_destroy(SsimCore *core)
{
    if (!core)
        return;
    memory_free(core->memory);
    memory_free(core);
}

/* Filters row y of the images and of their products horizontally. */
static void enter_row(SsimCore *core, const SsimImage *ref, const SsimImage *dist, unsigned y,
                      const Dealing *d, bool is_signed)
{
    const SsimFunctions *functions = core->functions;
    const SsimImage *const images[SSIM_PICTURES] = {ref, dist};
    for (int p = 0; p < SSIM_PICTURES; p++)
        functions->deal(core->dealt[p], ssim_image_row(images[p], functions, y, core->samples[p]),
                        d->segment, d->n_samples);
    const uint64_t *r = core->dealt[0], *s = core->dealt[1];
    float *out[SSIM_MOMENTS];
    for (int m = 0; m < SSIM_MOMENTS; m++)
        out[m] = core->filtered[m] + y % BAND * d->stride;
    functions->filter_row(out[SSIM_REF], r, d->n_steps, is_signed);
    functions->filter_row(out[SSIM_DIST], s, d->n_steps, is_signed);
    functions->filter_product(out[SSIM_REF_REF], r, r, d->n_steps, false);
    functions->filter_product(out[SSIM_DIST_DIST], s, s, d->n_steps, false);
    functions->filter_product(out[SSIM_REF_DIST], r, s, d->n_steps, is_signed);
}

/* The first outputs of rows are those before the window is inside. */
static size_t outputs_begin(const SsimCore *core)
{
    return (size_t)SSIM_IN_PROGRESS * core->functions->lanes;
}

static void filter_band(SsimCore *core, const Dealing *d, bool is_signed)
{
    for (int m = 0; m < SSIM_MOMENTS; m++) {
        const bool is_square = m == SSIM_REF_REF || m == SSIM_DIST_DIST;
        core->functions->filter_columns(core->filtered[m] + outputs_begin(core), d->stride,
                                        core->in_progress[m], d->segment, is_signed && !is_square);
    }
}

typedef struct Sums {
    double index, luminance, contrast, structure;
} Sums;

/* The order of the additions is part of the metric: from left to right, row after row. */
static void add_row(Sums *sums, const SsimSimilarity *similarity, const Dealing *d, unsigned lanes,
                    size_t w)
{
    Sums s = *sums;
    for (size_t lane = 0; lane < lanes; lane++) {
        const size_t first = lane * d->segment;
        const size_t n = first >= w ? 0 : w - first < d->segment ? w - first : d->segment;
        const double *contrast = similarity->contrast + lane;
        const float *structure = similarity->structure + lane;
        if (similarity->luminance) {
            const double *luminance = similarity->luminance + lane;
            for (size_t i = 0; i < n * lanes; i += lanes) {
                s.index += luminance[i] * contrast[i] * (double)structure[i];
                s.luminance += luminance[i];
                s.contrast += contrast[i];
                s.structure += (double)structure[i];
            }
        } else {
            for (size_t i = 0; i < n * lanes; i += lanes) {
                s.contrast += contrast[i];
                s.structure += (double)structure[i];
            }
        }
    }
    *sums = s;
}

/* Adds the similarity of row y of a band of means. */
static void compare_row(SsimCore *core, unsigned y, const Dealing *d, unsigned w,
                        bool with_luminance, Sums *sums)
{
    const unsigned lanes = core->functions->lanes;
    SsimSimilarity similarity = core->similarity;
    if (!with_luminance)
        similarity.luminance = NULL;
    const float *means[SSIM_MOMENTS];
    for (int m = 0; m < SSIM_MOMENTS; m++)
        means[m] = core->filtered[m] + y * d->stride + outputs_begin(core);
    core->functions->similarity(&similarity, means, d->segment * lanes);
    add_row(sums, &similarity, d, lanes, w);
}

SsimMeans ssim_compare(SsimCore *core, const SsimImage *ref, const SsimImage *dist,
                       bool with_luminance)
{
    const unsigned w = ssim_positions(ref->w);
    const Dealing d = dealing_of(core->functions, ref->w);
    /* The pyramid's filter has negative taps. */
    const bool is_signed = !ref->bpc;
    Sums sums = {0};
    for (unsigned begin = 0; begin < ref->h; begin += BAND) {
        const unsigned end = ref->h - begin < BAND ? ref->h : begin + BAND;
        for (unsigned y = begin; y < end; y++)
            enter_row(core, ref, dist, y, &d, is_signed);
        filter_band(core, &d, is_signed);
        for (unsigned y = begin; y < end; y++) {
            if (y >= SSIM_IN_PROGRESS)
                compare_row(core, y % BAND, &d, w, with_luminance, &sums);
        }
    }
    return (SsimMeans){
        .index = ssim_mean(sums.index, ref->w, ref->h),
        .luminance = ssim_mean(sums.luminance, ref->w, ref->h),
        .contrast = ssim_mean(sums.contrast, ref->w, ref->h),
        .structure = ssim_mean(sums.structure, ref->w, ref->h),
    };
}
