/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/framework/extractor.h"

#include <errno.h>

#include "support/memory.h"

FeatureNeeds extractor_needs(const FeatureExtractor *extractor, const void *options,
                             enum VmafPixelFormat pix_fmt)
{
    FeatureNeeds needs = extractor->needs_of ? extractor->needs_of(options) : extractor->needs;
    if (pix_fmt == VMAF_PIX_FMT_YUV400P)
        needs.planes &= PLANE_Y;
    return needs;
}

size_t extractor_record_size(const FeatureExtractor *extractor, const void *options,
                             const PictureFormat *format)
{
    return extractor->record_size ? extractor->record_size(options, format)
                                  : extractor->record.size;
}

int extractor_check_format(const FeatureExtractor *extractor, const void *options,
                           const PictureFormat *format, Reason *why)
{
    int err = check_limits(extractor->name, &extractor->limits, format, why);
    if (!err && extractor->check_format)
        err = extractor->check_format(options, format, why);
    return err;
}

int extractor_params_create(const FeatureExtractor *extractor, void **params,
                            const PictureFormat *format, const void *const variants[],
                            unsigned n_variants, unsigned cpu_flags)
{
    *params = NULL;
    return extractor->params_create
               ? extractor->params_create(params, format, variants, n_variants, cpu_flags)
               : 0;
}

void extractor_params_destroy(const FeatureExtractor *extractor, void *params)
{
    if (extractor->params_destroy)
        extractor->params_destroy(params);
    else
        memory_free(params);
}

int extractor_scratch_create(const FeatureExtractor *extractor, void **scratch, const void *params)
{
    *scratch = NULL;
    return extractor->scratch_create ? extractor->scratch_create(scratch, params) : 0;
}

void extractor_scratch_destroy(const FeatureExtractor *extractor, void *scratch)
{
    if (extractor->scratch_destroy)
        extractor->scratch_destroy(scratch);
    else
        memory_free(scratch);
}

void record_merge_sums(void *into, const void *from, size_t record_size)
{
    uint64_t *sums = into;
    const uint64_t *parts = from;
    for (size_t i = 0; i < record_size / sizeof(*sums); i++)
        sums[i] += parts[i];
}

int check_minimum_size(const char *metric, const PictureFormat *format, unsigned minimum,
                       Reason *why)
{
    if (format->w[0] >= minimum && format->h[0] >= minimum)
        return 0;
    return reason_set(why, -EINVAL, "%s needs pictures of at least %ux%u samples, not %ux%u",
                      metric, minimum, minimum, format->w[0], format->h[0]);
}

static int check_depth(const char *metric, const PictureFormat *format, unsigned depths,
                       Reason *why)
{
    if (!depths || depths >> format->bpc & 1)
        return 0;
    const char *taken = depths == DEPTHS_COMMON    ? "8, 10, 12 or 16"
                        : depths == DEPTHS_8_TO_12 ? "8 to 12"
                                                   : "8 to 16";
    return reason_set(why, -EINVAL, "%s needs %s bits per sample, not %u", metric, taken,
                      format->bpc);
}

int check_has_chroma(const char *metric, const PictureFormat *format, Reason *why)
{
    if (format->pix_fmt != VMAF_PIX_FMT_YUV400P)
        return 0;
    return reason_set(why, -EINVAL, "%s needs chroma planes, which 4:0:0 pictures do not have",
                      metric);
}

int check_limits(const char *metric, const FeatureLimits *limits, const PictureFormat *format,
                 Reason *why)
{
    int err = limits->chroma ? check_has_chroma(metric, format, why) : 0;
    if (!err)
        err = check_minimum_size(metric, format, limits->size, why);
    return err ? err : check_depth(metric, format, limits->depths, why);
}

void feature_sink_write(FeatureSink *sink, unsigned output, double value)
{
    feature_sink_write_at(sink, output, sink->index, value);
}

void feature_sink_write_at(FeatureSink *sink, unsigned output, unsigned index, double value)
{
    if (!sink->status)
        sink->write(sink, output, index, value);
}

void feature_sink_aggregate(FeatureSink *sink, const char *name, double value)
{
    if (!sink->status)
        sink->aggregate(sink, name, value);
}
