/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/framework/extractor.h"

#include <errno.h>

#include "metrics/common/format_check.h"
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

int extractor_plan_create(const FeatureExtractor *extractor, void **plan,
                          const PictureFormat *format, const void *const variants[],
                          unsigned n_variants, unsigned cpu_flags)
{
    *plan = NULL;
    return extractor->plan_create
               ? extractor->plan_create(plan, format, variants, n_variants, cpu_flags)
               : 0;
}

void extractor_plan_destroy(const FeatureExtractor *extractor, void *plan)
{
    if (extractor->plan_destroy)
        extractor->plan_destroy(plan);
    else
        memory_free(plan);
}

int extractor_scratch_create(const FeatureExtractor *extractor, void **scratch, const void *plan)
{
    *scratch = NULL;
    return extractor->scratch_create ? extractor->scratch_create(scratch, plan) : 0;
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
