/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What extractors there are, and their options at both ends of their ranges. */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_support.h"
#include "support/cases.h"

/*
 * Properties of every extractor: any picture is scored or rejected, no memory outside the planes is
 * touched, and neither threads nor sub-sampling change a score.
 */

/* Names of all extractors, in the order of the library. */
static const char *extractor_name(unsigned index)
{
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    return vmaf_extractor_info(index, &info) == 0 ? info.name : NULL;
}

/* Planes of exactly the size of their samples, so that sanitizers see every access outside. */
typedef struct TightPicture {
    void *data[3];
} TightPicture;

static void free_tight(void *cookie)
{
    TightPicture *tight = cookie;
    for (unsigned p = 0; p < 3; p++)
        free(tight->data[p]);
    free(tight);
}

static VmafPicture tight_picture(Shape shape, bool distorted, unsigned frame)
{
    TightPicture *tight = calloc(1, sizeof(*tight));
    VmafPicture padded = make_picture(shape, distorted, frame), pic;
    const size_t sample = shape.bpc > 8 ? 2 : 1;
    ptrdiff_t stride[3];
    assert_non_null(tight);
    for (unsigned p = 0; p < 3; p++) {
        const size_t row = padded.w[p] * sample;
        stride[p] = (ptrdiff_t)row;
        tight->data[p] = malloc(row * padded.h[p]);
        for (unsigned y = 0; y < padded.h[p] && row; y++)
            memcpy((char *)tight->data[p] + y * row,
                   (char *)padded.data[p] + (ptrdiff_t)y * padded.stride[p], row);
    }
    assert_success(vmaf_picture_unref(&padded));
    assert_success(vmaf_picture_wrap(&pic, shape.pix_fmt, shape.bpc, shape.w, shape.h, tight->data,
                                     stride, free_tight, tight));
    return pic;
}

/* Two frames. 1 if they were scored, 0 if they were rejected; anything else fails the test. */
static int try_shape(const char *extractor, Shape shape)
{
    VmafContext *vmaf = open_context(0, 0);
    use(vmaf, extractor, NULL);
    int err = 0, n_read = 0;
    for (unsigned i = 0; i < 2 && !err; i++) {
        VmafPicture ref = tight_picture(shape, false, i), dist = tight_picture(shape, true, i);
        err = vmaf_read_pictures(vmaf, &ref, &dist, i);
        n_read += !err;
        if (err) {
            assert_success(vmaf_picture_unref(&ref));
            assert_success(vmaf_picture_unref(&dist));
        }
    }
    const int flush_err = flush(vmaf);
    if (err ? err != -EINVAL || n_read || flush_err != err : flush_err)
        fail_msg("%s, %ux%u, format %d, %u bit: %d after %d frames, flush %d", extractor, shape.w,
                 shape.h, shape.pix_fmt, shape.bpc, err, n_read, flush_err);
    assert_success(vmaf_close(vmaf));
    return !err;
}

CASE(every_picture_is_scored_or_refused)
{
    static const unsigned sizes[][2] = {{1, 1},   {2, 2},   {3, 3},   {1, 40},  {40, 1},  {7, 8},
                                        {8, 8},   {9, 10},  {10, 11}, {11, 11}, {15, 16}, {16, 17},
                                        {17, 17}, {31, 18}, {33, 32}, {49, 51}, {64, 80}};
    for (unsigned e = 0; extractor_name(e); e++) {
        unsigned n_scored = 0;
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            for (int format = VMAF_PIX_FMT_YUV420P; format <= VMAF_PIX_FMT_YUV400P; format++) {
                for (unsigned bpc = 8; bpc <= 16; bpc++)
                    n_scored += (unsigned)try_shape(
                        extractor_name(e),
                        (Shape){(enum VmafPixelFormat)format, bpc, sizes[s][0], sizes[s][1]});
            }
        }
        const Shape large = {VMAF_PIX_FMT_YUV420P, 8, 332, 182};
        if (!try_shape(extractor_name(e), large))
            fail_msg("%s refuses %ux%u", extractor_name(e), large.w, large.h);
        print_message("%s: %u of %u small shapes\n", extractor_name(e), n_scored,
                      (unsigned)(sizeof(sizes) / sizeof(sizes[0])) * 4 * 9);
    }
}

static char *report_of(const char *extractor, unsigned n_subsample)
{
    static const Shape shape = {VMAF_PIX_FMT_YUV420P, 8, 332, 182};
    VmafContext *vmaf = open_context(0, n_subsample);
    use(vmaf, extractor, NULL);
    read_clip(vmaf, shape, 4);
    char *text = report_text(vmaf, VMAF_OUTPUT_FORMAT_CSV);
    assert_success(vmaf_close(vmaf));
    return text;
}

/* The line of a frame in a CSV report. */
static const char *line_of(const char *csv, unsigned frame, size_t *length)
{
    char start[16];
    snprintf(start, sizeof(start), "\n%u,", frame);
    const char *line = strstr(csv, start);
    assert_non_null(line);
    *length = strcspn(line + 1, "\n") + 1;
    return line;
}

CASE(sub_sampling_changes_no_score)
{
    for (unsigned e = 0; extractor_name(e); e++) {
        if (!strcmp(extractor_name(e), "null"))
            continue;
        char *all = report_of(extractor_name(e), 0), *some = report_of(extractor_name(e), 2);
        for (unsigned frame = 0; frame < 4; frame += 2) {
            size_t length_all, length_some;
            const char *of_all = line_of(all, frame, &length_all);
            const char *of_some = line_of(some, frame, &length_some);
            assert_int_equal(length_all, length_some);
            assert_memory_equal(of_all, of_some, length_all);
        }
        assert_null(strstr(some, "\n1,"));
        free(all);
        free(some);
    }
}

/* Scores the large shape with all planes, and again without those that are not needed. */
CASE(planes_that_are_not_needed_may_be_missing)
{
    static const Shape shape = {VMAF_PIX_FMT_YUV420P, 8, 332, 182};
    for (unsigned e = 0; extractor_name(e); e++) {
        VmafContext *vmaf = open_context(0, 0);
        use(vmaf, extractor_name(e), NULL);
        unsigned planes;
        assert_success(vmaf_planes_needed(vmaf, shape.pix_fmt, &planes));
        VmafPicture kept[8];
        for (unsigned i = 0; i < 8; i++) {
            kept[i] = make_picture(shape, i % 2, i / 2);
            for (unsigned p = 0; p < 3; p++) {
                if (!(planes >> p & 1))
                    kept[i].data[p] = NULL;
            }
        }
        for (unsigned i = 0; i < 4; i++) {
            VmafPicture pair[2];
            for (unsigned k = 0; k < 2; k++)
                assert_success(vmaf_picture_wrap(&pair[k], shape.pix_fmt, 8, shape.w, shape.h,
                                                 kept[2 * i + k].data, kept[2 * i + k].stride, NULL,
                                                 NULL));
            assert_success(vmaf_read_pictures(vmaf, &pair[0], &pair[1], i));
        }
        assert_success(flush(vmaf));
        char *expected = report_of(extractor_name(e), 0);
        char *text = report_text(vmaf, VMAF_OUTPUT_FORMAT_CSV);
        assert_string_equal(text, expected);
        free(expected);
        free(text);
        assert_success(vmaf_close(vmaf));
        for (unsigned i = 0; i < 8; i++)
            assert_success(vmaf_picture_unref(&kept[i]));
    }
}

/*
 * Every option of every extractor is used at both ends of its range, on pictures of 8 and of 10
 * bits: frames are scored, or the request or the first pair is rejected; there is no third outcome.
 */

/* 1 if frames were scored, 0 if the request or the first pair was rejected correctly. */
static int try_value(const char *extractor, const char *option, const char *value, unsigned bpc)
{
    const Shape shape = {VMAF_PIX_FMT_YUV420P, bpc, 332, 182};
    VmafContext *vmaf = open_context(0, 0);
    VmafFeatureDictionary *dict = options(option, value, NULL);
    int scored = 0;
    if (vmaf_use_feature(vmaf, extractor, dict)) {
        assert_success(vmaf_feature_dictionary_free(&dict));
    } else {
        int err = 0;
        for (unsigned i = 0; i < 3 && !err; i++)
            err = read_frame(vmaf, shape, i, i);
        const int flush_err = flush(vmaf);
        if (err ? err != -EINVAL || flush_err != err : flush_err)
            fail_msg("%s=%s=%s at %u bits: %d, flush %d", extractor, option, value, bpc, err,
                     flush_err);
        scored = !err;
    }
    assert_success(vmaf_close(vmaf));
    return scored;
}

static void number(char *text, size_t size, double value)
{
    snprintf(text, size, "%.6g", value);
}

static void try_option(const char *extractor, const VmafOptionInfo *option, unsigned *n_tried,
                       unsigned *n_scored)
{
    char low[32] = "false", high[32] = "true";
    if (option->type == VMAF_OPTION_TYPE_STRING)
        return;
    if (option->type != VMAF_OPTION_TYPE_BOOL) {
        number(low, sizeof(low), option->min);
        number(high, sizeof(high), option->max < DBL_MAX ? option->max : 1e300);
    }
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        *n_scored += (unsigned)try_value(extractor, option->name, low, bpc);
        *n_scored += (unsigned)try_value(extractor, option->name, high, bpc);
        *n_tried += 2;
    }
}

CASE(given_every_option_at_its_limits_then_scored_or_refused)
{
    unsigned n_tried = 0, n_scored = 0;
    VmafExtractorInfo extractor = {.struct_size = sizeof(extractor)};
    for (unsigned e = 0; !vmaf_extractor_info(e, &extractor); e++) {
        VmafOptionInfo option = {.struct_size = sizeof(option)};
        for (unsigned o = 0; !vmaf_extractor_option_info(extractor.name, o, &option); o++)
            try_option(extractor.name, &option, &n_tried, &n_scored);
    }
    print_message("%u of %u option values give scores\n", n_scored, n_tried);
    /* The rest are rejected, for example windows that are too large for such small pictures. */
    assert_true(n_scored * 10 > n_tried * 8);
}
