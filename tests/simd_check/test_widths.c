/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/framework/extractor.h"
#include "simd_check/simd_check.h"
#include "support/cases.h"
#include "support/finish_harness.h"

/*
 * Every extractor, at every width up to 600 columns and at every bit depth, makes the same record
 * of a frame with each set of instructions. Planes end at a page that cannot be read, and their
 * rows are aligned to samples only.
 */

static unsigned step; /* of widths */

enum { MAX_WIDTH = 600, N_FRAMES = 1 + FEATURE_MAX_HISTORY };

static const unsigned heights[] = {16, 24, 32, 48, 64, 96, 128, 176, 216, 240, 256};
static const unsigned depths[] = {8, 10, 9, 12, 14, 16, 11, 13, 15};

/* -- pictures -- */

static VmafPicture picture(const PictureFormat *format)
{
    VmafPicture pic = {.pix_fmt = format->pix_fmt, .bpc = format->bpc};
    const size_t sample_size = format->bpc > 8 ? 2 : 1;
    for (unsigned plane = 0; plane < picture_format_planes(format->pix_fmt); plane++) {
        const unsigned w = pic.w[plane] = format->w[plane], h = pic.h[plane] = format->h[plane];
        const size_t row = w * sample_size, stride = row + sample_size * (w % 5);
        pic.stride[plane] = (ptrdiff_t)stride;
        pic.data[plane] = simd_buffer(stride * (h - 1) + row, SIMD_GUARD_AFTER);
        /* Noise in some rows, something a viewer might recognise in others. */
        for (unsigned y = 0; y < h; y++)
            simd_fill_samples((uint8_t *)pic.data[plane] + y * stride, w, format->bpc,
                              y % 7 == 0 ? (enum SimdContent)(simd_random() % SIMD_CONTENTS)
                              : y % 2    ? SIMD_SLOPE
                                         : SIMD_NOISE);
    }
    return pic;
}

/* Some of the samples of another picture. */
static VmafPicture distorted(const PictureFormat *format, const VmafPicture *ref)
{
    VmafPicture pic = picture(format);
    for (unsigned plane = 0; plane < picture_format_planes(format->pix_fmt); plane++)
        for (unsigned y = 0; y < pic.h[plane]; y++)
            if (simd_random() % 4)
                memcpy((uint8_t *)pic.data[plane] + (ptrdiff_t)y * pic.stride[plane],
                       (const uint8_t *)ref->data[plane] + (ptrdiff_t)y * ref->stride[plane],
                       pic.w[plane] / 2 * (format->bpc > 8 ? 2u : 1u));
    return pic;
}

/* -- records -- */

static void *record_of(const FeatureExtractor *extractor, const void *options,
                       const PictureFormat *format, const FrameInput *input, unsigned cpu_flags)
{
    void *params, *scratch;
    void *record = calloc(1, extractor_record_size(extractor, options, format));
    assert_non_null(record);
    assert_int_equal(extractor_params_create(extractor, &params, format, &options, 1, cpu_flags),
                     0);
    assert_int_equal(extractor_scratch_create(extractor, &scratch, params), 0);
    const RowBand band = {0, format->h[0]};
    assert_int_equal(extractor->accumulate(params, scratch, input, band, &record), 0);
    extractor_scratch_destroy(extractor, scratch);
    extractor_params_destroy(extractor, params);
    return record;
}

static unsigned compare_records(const FeatureExtractor *extractor, const void *options,
                                const PictureFormat *format)
{
    VmafPicture refs[N_FRAMES], dists[N_FRAMES];
    for (int i = 0; i < N_FRAMES; i++) {
        refs[i] = picture(format);
        dists[i] = distorted(format, &refs[i]);
    }
    FrameInput input = {.ref = &refs[0], .dist = &dists[0]};
    const FeatureNeeds needs = extractor_needs(extractor, options, format->pix_fmt);
    for (unsigned i = 0; i < needs.ref_history; i++)
        input.earlier_ref[i] = &refs[i + 1];
    for (unsigned i = 0; i < needs.dist_history; i++)
        input.earlier_dist[i] = &dists[i + 1];

    unsigned n_compared = 0;
    void *expected = record_of(extractor, options, format, &input, 0);
    for (const SimdFlagSet *set = simd_flag_sets; set->name; set++) {
        if (set->flags == 0 || !simd_is_available(set))
            continue;
        void *actual = record_of(extractor, options, format, &input, set->flags);
        if (memcmp(expected, actual, extractor_record_size(extractor, options, format)) != 0)
            fail_msg("%s: %s differs from plain C at %ux%u, %u bits", extractor->name, set->name,
                     format->w[0], format->h[0], format->bpc);
        free(actual);
        n_compared++;
    }
    free(expected);
    simd_free_buffers();
    return n_compared;
}

/* The flattest format of this width that the extractor accepts; 0 if there is none. */
static int find_format(PictureFormat *format, const FeatureExtractor *extractor,
                       const void *options, unsigned w, unsigned depth)
{
    for (size_t i = 0; i < sizeof(heights) / sizeof(heights[0]); i++) {
        Reason why;
        assert_int_equal(picture_format_init(format, VMAF_PIX_FMT_YUV420P, depth, w, heights[i]),
                         0);
        if (extractor_check_format(extractor, options, format, &why) == 0)
            return 1;
    }
    return 0;
}

static void test_records_are_those_of_plain_c_at_every_width(void **state)
{
    const FeatureExtractor *extractor = *state;
    void *options = harness_options(extractor, "");
    unsigned n_compared = 0, n_sets = 0;
    for (const SimdFlagSet *set = simd_flag_sets; set->name; set++)
        n_sets += set->flags != 0 && simd_is_available(set);
    for (unsigned w = 2; w <= MAX_WIDTH; w += step)
        for (unsigned i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
            PictureFormat format;
            /* 8 bits at every width, the others in turn: each at widths of every rest modulo 64. */
            if ((i == 0 || (i + w + w / 64) % 4 == 0) &&
                find_format(&format, extractor, options, w, depths[i]))
                n_compared += compare_records(extractor, options, &format);
        }
    /* No extractor needs more columns than that. */
    assert_true(n_compared >= n_sets * ((MAX_WIDTH - 320) / step));
    free(options);
}

int main(int argc, char *argv[])
{
    const FeatureExtractor *extractor = argc > 2 ? registry_find(argv[1]) : NULL;
    if (argc > 2)
        step = (unsigned)strtoul(argv[2], NULL, 10);
    if (!extractor || !extractor->accumulate || !step) {
        fprintf(stderr, "usage: test_widths EXTRACTOR STEP [PATTERN...]\n");
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_records_are_those_of_plain_c_at_every_width,
                                  (void *)(uintptr_t)extractor),
    };
    return run_cases_of(argc - 2, argv + 2, tests);
}
