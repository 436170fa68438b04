/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ansnr/float_ansnr_internal.h"

#include <errno.h>
#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/common/rows.h"
#include "metrics/float_ansnr/float_ansnr_filter.h"
#include "metrics/float_psnr/float_psnr.h"
#include "metrics/framework/extractor.h"
#include "support/cpu.h"
#include "support/memory.h"

enum { OUTPUT_ANSNR, OUTPUT_ANPSNR };

static const FeatureOutput outputs[] = {
    {"float_ansnr", OUTPUT_PROVIDED},
    {"float_anpsnr", 0},
    {0},
};

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    return format->h[0] * sizeof(VmafRecordFloatAnsnrRow);
}

static bool is_possible(const void *record, const void *options, const PictureFormat *format)
{
    (void)options;
    const double peak = ldexp((double)largest_sample(format), 8 - (int)format->bpc) + 256;
    const double most = peak * peak * format->w[0];
    const VmafRecordFloatAnsnrRow *rows = record;
    for (unsigned y = 0; y < format->h[0]; y++) {
        if (!(rows[y].signal >= 0 && (double)rows[y].signal <= most && rows[y].noise >= 0 &&
              (double)rows[y].noise <= most))
            return false;
    }
    return true;
}

/* Each row is complete in one of the two records and zero in the other. */
static void merge(void *into, const void *from, size_t record_size)
{
    VmafRecordFloatAnsnrRow *rows = into;
    const VmafRecordFloatAnsnrRow *others = from;
    for (size_t y = 0; y < record_size / sizeof(*rows); y++) {
        rows[y].signal += others[y].signal;
        rows[y].noise += others[y].noise;
    }
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const VmafRecordFloatAnsnrRow *rows = input->record;
    const PictureFormat *format = input->format;
    float signal = 0, noise = 0;
    for (unsigned y = 0; y < format->h[0]; y++) {
        signal += rows[y].signal;
        noise += rows[y].noise;
    }
    const double peak = float_psnr_peak(format->bpc), cap = float_psnr_cap(format->bpc);
    const double ansnr = noise == 0 ? cap : 10 * math_log10((double)(signal / noise));
    const double anpsnr = 10 * math_log10(peak * peak * format->w[0] * format->h[0] /
                                          ((double)noise > 1e-10 ? (double)noise : 1e-10));
    feature_sink_write(sink, OUTPUT_ANSNR, ansnr);
    feature_sink_write(sink, OUTPUT_ANPSNR, anpsnr < cap ? anpsnr : cap);
    return 0;
}

/* -- accumulate -- */

ISA_DECLARE(AnsnrFunctions, ansnr_rows);

const AnsnrFunctions *ansnr_functions(unsigned cpu_flags)
{
    return ISA_SELECT(ansnr_rows, cpu_flags);
}

/*
 * The reference goes through a 3x3 filter, which is exact in any order, so it is computed in
 * integers, columns first. The distorted picture goes through a 5x5 filter whose sums are rounded:
 * for every output, taps are added from left to right in each of five rows, then the rows from top
 * to bottom. Five rows of taps are only three different ones, so each picture row is summed with
 * those three once, and the sums are kept for the five output rows that need them. Squares are
 * added from left to right, several rows at a time.
 */

enum {
    RADIUS = ANSNR_RADIUS,
    MARGIN = 16, /* samples of room on both sides of a row, of which RADIUS are mirrored */
    TAP_ROWS = 3,
    RING = 8,                   /* rows of sums, at least 2 RADIUS + 1 */
    SUMMED_ROWS = ROW_SUMS / 2, /* rows whose squares are added together: signal and noise */
};

typedef struct AnsnrParams {
    PictureFormat format;
    float to_8bit;                    /* factor that takes samples to the 8-bit range */
    float taps[TAP_ROWS][ANSNR_TAPS]; /* rows 0 and 4, 1 and 3, and 2 of the filter */
    const AnsnrFunctions *functions;
} AnsnrParams;

typedef struct AnsnrScratch {
    size_t stride;  /* of the rows below, in samples */
    float *samples; /* a row of the distorted picture with mirrored ends */
    float *sums[RING][TAP_ROWS];
    int32_t *columns;         /* a row of column sums of the reference with mirrored ends */
    float *squares[ROW_SUMS]; /* signal and noise of a row, then those of the next one */
    float rows[];
} AnsnrScratch;

static int params_create(void **out, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    AnsnrParams *params = memory_alloc(1, sizeof(*params));
    if (!params)
        return -ENOMEM;
    params->format = *format;
    params->functions = ansnr_functions(cpu_flags);
    params->to_8bit = 1.0f / (float)(1u << (format->bpc - 8));
    for (int r = 0; r < TAP_ROWS; r++)
        for (int k = -RADIUS; k <= RADIUS; k++)
            params->taps[r][k + RADIUS] = float_ansnr_tap(r, RADIUS - (k < 0 ? -k : k));
    *out = params;
    return 0;
}

static int scratch_create(void **out, const void *opaque)
{
    const AnsnrParams *params = opaque;
    enum { N_ROWS = 1 + RING * TAP_ROWS + 1 + ROW_SUMS };
    size_t stride = size_round_up((size_t)params->format.w[0] + 2 * MARGIN, MARGIN);
    size_t size;
    if (!size_mul(stride, N_ROWS * sizeof(float), &size) ||
        !size_add(size, sizeof(AnsnrScratch), &size))
        return -ENOMEM;
    AnsnrScratch *scratch = memory_alloc(1, size);
    if (!scratch)
        return -ENOMEM;
    scratch->stride = stride;
    float *row = scratch->rows + MARGIN;
    scratch->samples = row;
    for (int i = 0; i < RING; i++)
        for (int r = 0; r < TAP_ROWS; r++)
            scratch->sums[i][r] = row += stride;
    scratch->columns = (int32_t *)(row += stride);
    for (int i = 0; i < ROW_SUMS; i++)
        scratch->squares[i] = row += stride;
    *out = scratch;
    return 0;
}

static const void *picture_row(const VmafPicture *pic, unsigned y)
{
    return (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
}

static void load_sums(const AnsnrParams *params, AnsnrScratch *scratch, const VmafPicture *dist,
                      unsigned y)
{
    const unsigned w = params->format.w[0];
    float *samples = scratch->samples;
    params->functions->load(picture_row(dist, y), params->format.bpc > 8, params->to_8bit, samples,
                            w);
    for (int k = 1; k <= RADIUS; k++) {
        samples[-k] = samples[mirror_whole_and_half(-k, w)];
        samples[w - 1 + (unsigned)k] = samples[mirror_whole_and_half((int)w - 1 + k, w)];
    }
    for (int r = 0; r < TAP_ROWS; r++)
        params->functions->sum_taps(samples, params->taps[r], scratch->sums[y % RING][r], w);
}

static void load_columns(const AnsnrParams *params, const VmafPicture *ref, unsigned y,
                         int32_t *columns)
{
    const unsigned w = params->format.w[0], h = params->format.h[0];
    params->functions->sum_columns(
        picture_row(ref, mirror_whole_and_half((int)y - 1, h)), picture_row(ref, y),
        picture_row(ref, mirror_whole_and_half((int)y + 1, h)), params->format.bpc > 8, columns, w);
    columns[-1] = columns[mirror_whole_and_half(-1, w)];
    columns[w] = columns[mirror_whole_and_half((int)w, w)];
}

static void make_squares(const AnsnrParams *params, AnsnrScratch *scratch, unsigned y,
                         float *squares[2])
{
    const float *rows[ANSNR_TAPS];
    for (int k = -RADIUS; k <= RADIUS; k++)
        rows[k + RADIUS] = scratch->sums[mirror_whole_and_half((int)y + k, params->format.h[0]) %
                                         RING][RADIUS - (k < 0 ? -k : k)];
    params->functions->squares(scratch->columns, params->to_8bit / 16, rows, squares[0], squares[1],
                               params->format.w[0]);
}

static int accumulate(const void *opaque, void *opaque_scratch, const FrameInput *input,
                      RowBand band, void *const records[])
{
    const AnsnrParams *params = opaque;
    AnsnrScratch *scratch = opaque_scratch;
    VmafRecordFloatAnsnrRow *record = records[0];
    const unsigned h = params->format.h[0];

    unsigned next = band.begin > RADIUS ? band.begin - RADIUS : 0;
    for (unsigned begin = band.begin; begin < band.end; begin += SUMMED_ROWS) {
        const unsigned left = band.end - begin, n = left < SUMMED_ROWS ? left : SUMMED_ROWS;
        float sums[ROW_SUMS];
        for (unsigned i = 0; i < n; i++) {
            for (; next <= begin + i + RADIUS && next < h; next++)
                load_sums(params, scratch, input->dist, next);
            load_columns(params, input->ref, begin + i, scratch->columns);
            make_squares(params, scratch, begin + i, &scratch->squares[2 * i]);
        }
        row_sums_f32((const float *const *)scratch->squares, params->format.w[0], sums);
        for (unsigned i = 0; i < n; i++) {
            record[begin + i].signal += sums[2 * i];
            record[begin + i].noise += sums[2 * i + 1];
        }
    }
    return 0;
}

const FeatureExtractor float_ansnr_extractor = {
    .name = "float_ansnr",
    .summary = "anchored signal-to-noise ratios of low-pass filtered luma",
    .outputs = outputs,
    .options = no_options,
    .limits = {.size = ANSNR_MIN_SIZE, .depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_FLOAT_ANSNR,
               .version = VMAF_RECORD_FLOAT_ANSNR_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .record_size = record_size,
    .params_create = params_create,
    .scratch_create = scratch_create,
    .accumulate = accumulate,
    .merge = merge,
    .finish = finish,
};
