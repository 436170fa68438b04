/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_moment/float_moment_internal.h"

#include <errno.h>
#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/framework/extractor.h"
#include "metrics/psnr/psnr_internal.h"
#include "support/cpu.h"
#include "support/memory.h"

enum { OUTPUT_REF_FIRST, OUTPUT_DIST_FIRST, OUTPUT_REF_SECOND, OUTPUT_DIST_SECOND };

static const FeatureOutput outputs[] = {
    {"float_moment_ref1st", 0},
    {"float_moment_dis1st", 0},
    {"float_moment_ref2nd", 0},
    {"float_moment_dis2nd", 0},
    {0},
};
static const char *const also_provides[] = {"float_moment", NULL};

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)options;
    const VmafRecordFloatMoment *record = opaque;
    const uint64_t n_samples = n_samples_of(format, 0);
    for (unsigned p = 0; p < 2; p++) {
        if (record->first[p] > largest_sample(format) * n_samples || record->second[p] > n_samples
                                                                                             << 32)
            return false;
    }
    return true;
}

typedef struct FloatMomentParams {
    PictureFormat format;
    FloatMomentRow *row_moments;
} FloatMomentParams;

/* Columns over which the sum of 16-bit samples fits 32 bits. */
enum { COLUMNS_PER_SUM = 1 << 15 };

static void row_moments16(const void *samples, unsigned w, uint64_t *first, uint64_t *second)
{
    const uint16_t *row = samples;
    for (unsigned begin = 0; begin < w; begin += COLUMNS_PER_SUM) {
        const unsigned end = w - begin < COLUMNS_PER_SUM ? w : begin + COLUMNS_PER_SUM;
        uint32_t sum = 0;
        for (unsigned x = begin; x < end; x++)
            sum += row[x];
        *first += sum;
    }
    *second += rounded_square_sum(row, w);
}

static int params_create(void **out, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    FloatMomentParams *params = memory_alloc(1, sizeof(*params));
    if (!params)
        return -ENOMEM;
    const FloatMomentFunctions *functions = float_moment_functions(cpu_flags);
    params->format = *format;
    params->row_moments = format->bpc == 8    ? functions->row_moments8
                          : format->bpc <= 12 ? functions->row_moments12
                                              : row_moments16;
    *out = params;
    return 0;
}

static int accumulate(const void *opaque, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    (void)scratch;
    const FloatMomentParams *params = opaque;
    VmafRecordFloatMoment *record = records[0];
    const VmafPicture *pictures[2] = {input->ref, input->dist};
    for (int p = 0; p < 2; p++) {
        for (unsigned y = band.begin; y < band.end; y++) {
            const void *row =
                (const char *)pictures[p]->data[0] + (ptrdiff_t)y * pictures[p]->stride[0];
            params->row_moments(row, params->format.w[0], &record->first[p], &record->second[p]);
        }
    }
    return 0;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const VmafRecordFloatMoment *record = input->record;
    const PictureFormat *format = input->format;
    const int excess = (int)format->bpc - 8;
    const double n_samples = (double)format->w[0] * (double)format->h[0];
    for (unsigned p = 0; p < 2; p++) {
        feature_sink_write(sink, OUTPUT_REF_FIRST + p,
                           ldexp((double)record->first[p], -excess) / n_samples);
    }
    for (unsigned p = 0; p < 2; p++) {
        feature_sink_write(sink, OUTPUT_REF_SECOND + p,
                           ldexp((double)record->second[p], -2 * excess) / n_samples);
    }
    return 0;
}

/* -- accumulate -- */

ISA_DECLARE(FloatMomentFunctions, float_moment_rows);

const FloatMomentFunctions *float_moment_functions(unsigned cpu_flags)
{
    return ISA_SELECT(float_moment_rows, cpu_flags);
}

const FeatureExtractor float_moment_extractor = {
    .name = "float_moment",
    .summary = "mean and mean square of luma of both pictures",
    .outputs = outputs,
    .also_provides = also_provides,
    .options = no_options,
    .limits = {.depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_FLOAT_MOMENT,
               .version = VMAF_RECORD_FLOAT_MOMENT_VERSION,
               .size = sizeof(VmafRecordFloatMoment),
               .is_possible = is_possible},
    .params_create = params_create,
    .accumulate = accumulate,
    .merge = record_merge_sums,
    .finish = finish,
};
