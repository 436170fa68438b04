/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Programs that were built for libvmaf 3 keep working: sizes, offsets and enumerators of the
 * public headers. Numbers: libvmaf 3.2 on x86-64, which all LP64 platforms share.
 */
#include "api/api_support.h"
#include "support/cases.h"

#include <string.h>

typedef struct Number {
    const char *what;
    long long actual, expected;
} Number;

static void check(const Number *numbers, size_t count)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        if (numbers[i].actual == numbers[i].expected)
            continue;
        print_error("%s is %lld, expected %lld\n", numbers[i].what, numbers[i].actual,
                    numbers[i].expected);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define CHECK(numbers) check(numbers, sizeof(numbers) / sizeof((numbers)[0]))
#define SIZE(type, size)                                                                           \
    {                                                                                              \
        "sizeof " #type, sizeof(type), size                                                        \
    }
#define ALIGNMENT(type, n)                                                                         \
    {                                                                                              \
        "alignment of " #type, _Alignof(type), n                                                   \
    }
#define OFFSET(type, member, at)                                                                   \
    {                                                                                              \
        "offset of " #type "." #member, offsetof(type, member), at                                 \
    }
#define VALUE(name, value)                                                                         \
    {                                                                                              \
#name, name, value                                                                         \
    }

CASE(structs_have_the_layout_of_libvmaf_3)
{
    if (sizeof(void *) != 8 || sizeof(long) != 8)
        skip();
    static const Number numbers[] = {
        SIZE(VmafConfiguration, 32),
        ALIGNMENT(VmafConfiguration, 8),
        OFFSET(VmafConfiguration, log_level, 0),
        OFFSET(VmafConfiguration, n_threads, 4),
        OFFSET(VmafConfiguration, n_subsample, 8),
        OFFSET(VmafConfiguration, cpumask, 16),
        OFFSET(VmafConfiguration, gpumask, 24),

        SIZE(VmafPicture, 96),
        ALIGNMENT(VmafPicture, 8),
        OFFSET(VmafPicture, pix_fmt, 0),
        OFFSET(VmafPicture, bpc, 4),
        OFFSET(VmafPicture, w, 8),
        OFFSET(VmafPicture, h, 20),
        OFFSET(VmafPicture, stride, 32),
        OFFSET(VmafPicture, data, 56),
        OFFSET(VmafPicture, ref, 80),
        OFFSET(VmafPicture, priv, 88),

        SIZE(VmafModelConfig, 16),
        ALIGNMENT(VmafModelConfig, 8),
        OFFSET(VmafModelConfig, name, 0),
        OFFSET(VmafModelConfig, flags, 8),

        SIZE(VmafModelCollectionScore, 40),
        ALIGNMENT(VmafModelCollectionScore, 8),
        OFFSET(VmafModelCollectionScore, type, 0),
        OFFSET(VmafModelCollectionScore, bootstrap.bagging_score, 8),
        OFFSET(VmafModelCollectionScore, bootstrap.stddev, 16),
        OFFSET(VmafModelCollectionScore, bootstrap.ci.p95.lo, 24),
        OFFSET(VmafModelCollectionScore, bootstrap.ci.p95.hi, 32),

        SIZE(VmafPictureConfiguration, 20),
        ALIGNMENT(VmafPictureConfiguration, 4),
        OFFSET(VmafPictureConfiguration, pic_params.w, 0),
        OFFSET(VmafPictureConfiguration, pic_params.h, 4),
        OFFSET(VmafPictureConfiguration, pic_params.bpc, 8),
        OFFSET(VmafPictureConfiguration, pic_params.pix_fmt, 12),
        OFFSET(VmafPictureConfiguration, pic_cnt, 16),
    };
    CHECK(numbers);
}

CASE(enumerators_have_the_values_of_libvmaf_3)
{
    static const Number numbers[] = {
        SIZE(enum VmafLogLevel, 4),
        VALUE(VMAF_LOG_LEVEL_NONE, 0),
        VALUE(VMAF_LOG_LEVEL_ERROR, 1),
        VALUE(VMAF_LOG_LEVEL_WARNING, 2),
        VALUE(VMAF_LOG_LEVEL_INFO, 3),
        VALUE(VMAF_LOG_LEVEL_DEBUG, 4),

        SIZE(enum VmafOutputFormat, 4),
        VALUE(VMAF_OUTPUT_FORMAT_NONE, 0),
        VALUE(VMAF_OUTPUT_FORMAT_XML, 1),
        VALUE(VMAF_OUTPUT_FORMAT_JSON, 2),
        VALUE(VMAF_OUTPUT_FORMAT_CSV, 3),
        VALUE(VMAF_OUTPUT_FORMAT_SUB, 4),

        SIZE(enum VmafPoolingMethod, 4),
        VALUE(VMAF_POOL_METHOD_UNKNOWN, 0),
        VALUE(VMAF_POOL_METHOD_MIN, 1),
        VALUE(VMAF_POOL_METHOD_MAX, 2),
        VALUE(VMAF_POOL_METHOD_MEAN, 3),
        VALUE(VMAF_POOL_METHOD_HARMONIC_MEAN, 4),
        VALUE(VMAF_POOL_METHOD_NB, 5),

        SIZE(enum VmafPixelFormat, 4),
        VALUE(VMAF_PIX_FMT_UNKNOWN, 0),
        VALUE(VMAF_PIX_FMT_YUV420P, 1),
        VALUE(VMAF_PIX_FMT_YUV422P, 2),
        VALUE(VMAF_PIX_FMT_YUV444P, 3),
        VALUE(VMAF_PIX_FMT_YUV400P, 4),

        SIZE(enum VmafModelFlags, 4),
        VALUE(VMAF_MODEL_FLAGS_DEFAULT, 0),
        VALUE(VMAF_MODEL_FLAG_DISABLE_CLIP, 1),
        VALUE(VMAF_MODEL_FLAG_ENABLE_TRANSFORM, 2),
        VALUE(VMAF_MODEL_FLAG_DISABLE_TRANSFORM, 4),

        SIZE(enum VmafModelCollectionScoreType, 4),
        VALUE(VMAF_MODEL_COLLECTION_SCORE_UNKNOWN, 0),
        VALUE(VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP, 1),

        VALUE(VMAF_API_VERSION_MAJOR, 3),
        VALUE(VMAF_API_VERSION_MINOR, 2),
        VALUE(VMAF_API_VERSION_PATCH, 0),
    };
    CHECK(numbers);
}

CASE(version_is_a_text)
{
    const char *version = vmaf_version();
    assert_non_null(version);
    assert_true(strlen(version) > 0);
    assert_null(strpbrk(version, "\"<>&\n"));
}
