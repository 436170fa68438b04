/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pairs that equal the one before, or nearly so, have the scores that they have when nobody
 * notices.
 */
#include <stdlib.h>
#include <string.h>

#include "api/api_support.h"
#include "support/cases.h"
#include "support/files.h"

/* Where a picture differs from the one of its scene: in one bit of one sample. */
typedef enum Spoilt {
    SAME,
    FIRST,    /* of luma */
    LAST_ROW, /* its first sample */
    LAST,     /* of luma */
    LAST_COLUMN /* in the middle */,
    LAST_CB,
    LAST_CR,
} Spoilt;

typedef struct Pair {
    unsigned scene;
    Spoilt ref, dist;
} Pair;

/* Runs of each length up to what temporal features look back at, and more; pairs between them that
 * differ in one sample of one picture, from the one before or from that of a run before. */
static const Pair stream[] = {
    {0, SAME, SAME},        {0, SAME, SAME},    {0, SAME, SAME},        {0, SAME, SAME},
    {0, SAME, SAME},        {0, SAME, LAST},    {0, SAME, LAST},        {0, SAME, SAME},
    {0, LAST, SAME},        {0, LAST, SAME},    {0, LAST, SAME},        {0, SAME, LAST_ROW},
    {0, LAST_ROW, SAME},    {0, SAME, FIRST},   {0, SAME, LAST_COLUMN}, {0, LAST_COLUMN, SAME},
    {0, SAME, LAST_CB},     {0, SAME, LAST_CR}, {0, SAME, LAST_CR},     {0, SAME, SAME},
    {0, LAST_CB, SAME},     {0, LAST_CR, SAME}, {1, SAME, SAME},        {0, LAST_CR, SAME},
    {1, SAME, SAME},        {1, SAME, SAME},    {1, SAME, SAME},        {1, SAME, SAME},
    {1, LAST_CR, LAST_ROW}, {2, SAME, SAME},    {2, SAME, SAME},        {2, SAME, SAME},
    {2, SAME, SAME},        {2, FIRST, SAME},   {2, FIRST, SAME},       {2, FIRST, FIRST},
    {2, FIRST, FIRST},      {2, FIRST, FIRST},  {2, FIRST, FIRST},      {2, FIRST, FIRST},
};
enum { N_PAIRS = sizeof(stream) / sizeof(stream[0]) };

static void flip(VmafPicture *pic, unsigned plane, unsigned x, unsigned y)
{
    unsigned char *row = (unsigned char *)pic->data[plane] + (ptrdiff_t)y * pic->stride[plane];
    row[x * (pic->bpc > 8 ? 2 : 1)] ^= 1;
}

static void spoil(VmafPicture *pic, Spoilt where)
{
    const unsigned plane = where == LAST_CB ? 1 : where == LAST_CR ? 2 : 0;
    const unsigned right = pic->w[plane] - 1, bottom = pic->h[plane] - 1;
    if (where == FIRST)
        flip(pic, 0, 0, 0);
    else if (where == LAST_ROW)
        flip(pic, 0, 0, bottom);
    else if (where == LAST_COLUMN)
        flip(pic, 0, right, bottom / 2);
    else if (where != SAME)
        flip(pic, plane, right, bottom);
}

typedef struct Own {
    VmafPicture picture;
    unsigned *n_released;
} Own;

static void release(void *cookie)
{
    Own *own = cookie;
    __atomic_fetch_add(own->n_released, 1, __ATOMIC_SEQ_CST);
    vmaf_picture_unref(&own->picture);
    free(own);
}

/* The same samples as a picture of the program. */
static VmafPicture wrapped(VmafPicture picture, unsigned *n_released)
{
    Own *own = malloc(sizeof(*own));
    VmafPicture pic;
    assert_non_null(own);
    *own = (Own){picture, n_released};
    assert_success(vmaf_picture_wrap(&pic, picture.pix_fmt, picture.bpc, picture.w[0], picture.h[0],
                                     picture.data, picture.stride, release, own));
    return pic;
}

typedef struct Setting {
    bool wraps, keeps;
    unsigned n_threads, n_subsample;
} Setting;

/* The thread sanitizer makes all of it thirty times slower, and is spared what has no threads. */
#ifdef __SANITIZE_THREAD__
enum { SUBSAMPLE_STEP = 3, FIRST_SETTING = 2 };
#else
enum { SUBSAMPLE_STEP = 1, FIRST_SETTING = 0 };
#endif

typedef void (*UseFeatures)(VmafContext *vmaf);

/* The report of the stream, all digits. */
static char *score_stream(Shape shape, UseFeatures use_features, Setting setting)
{
    VmafContext *vmaf = open_context(setting.n_threads, setting.n_subsample);
    unsigned n_released = 0;
    use_features(vmaf);
    if (setting.keeps)
        assert_success(vmaf_keep_last_pair(vmaf));
    for (unsigned i = 0; i < N_PAIRS; i++) {
        VmafPicture ref = make_picture(shape, false, stream[i].scene);
        VmafPicture dist = make_picture(shape, true, stream[i].scene);
        spoil(&ref, stream[i].ref);
        spoil(&dist, stream[i].dist);
        if (setting.wraps) {
            ref = wrapped(ref, &n_released);
            dist = wrapped(dist, &n_released);
        }
        assert_success(vmaf_read_pictures(vmaf, &ref, &dist, i));
    }
    assert_success(flush(vmaf));
    assert_int_equal(n_released, setting.wraps ? 2 * N_PAIRS : 0);
    char *path = temporary_path();
    assert_success(vmaf_write_output_with_format(vmaf, path, VMAF_OUTPUT_FORMAT_CSV, "%.17g"));
    char *text = file_content(path);
    assert_non_null(text);
    free(path);
    assert_success(vmaf_close(vmaf));
    return text;
}

/* Wrapped pictures that the context may not keep cannot be compared. */
static void compare_settings(Shape shape, UseFeatures use_features)
{
    for (unsigned n_subsample = 0; n_subsample < 4; n_subsample += SUBSAMPLE_STEP) {
        char *expected =
            score_stream(shape, use_features, (Setting){.wraps = true, .n_subsample = n_subsample});
        for (unsigned i = FIRST_SETTING; i < 6; i++) {
            const Setting setting = {
                .wraps = i % 2, .keeps = i % 2, .n_threads = i / 2, .n_subsample = n_subsample};
            char *actual = score_stream(shape, use_features, setting);
            assert_string_equal(actual, expected);
            free(actual);
        }
        free(expected);
    }
}

static void use_luma_features(VmafContext *vmaf)
{
    use(vmaf, "vif", NULL);
    use(vmaf, "adm", NULL);
    use(vmaf, "motion", NULL);
}

static void use_features_without_history(VmafContext *vmaf)
{
    use(vmaf, "adm", NULL);
    use(vmaf, "float_ssim", NULL);
    use(vmaf, "psnr", NULL);
}

static void use_long_history(VmafContext *vmaf)
{
    use(vmaf, "motion", options("motion_five_frame_window", "true", NULL));
    use(vmaf, "float_motion", NULL);
    use(vmaf, "float_moment", NULL);
}

static void use_brief_features(VmafContext *vmaf)
{
    use(vmaf, "psnr", NULL);
    use(vmaf, "float_psnr", NULL);
}

static const UseFeatures sets[] = {use_luma_features, use_features_without_history,
                                   use_long_history, use_brief_features};

CASE(given_still_and_nearly_still_pairs_then_scores_are_those_of_pairs_alone)
{
    static const Shape shapes[] = {{VMAF_PIX_FMT_YUV420P, 8, 65, 49},
                                   {VMAF_PIX_FMT_YUV444P, 10, 48, 34}};
    for (unsigned s = 0; s < 2; s++)
        for (unsigned i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
            compare_settings(shapes[s], sets[i]);
}

/* Every extractor that takes such pictures, alone. */
#ifndef __SANITIZE_THREAD__
static const char *alone;

static void use_alone(VmafContext *vmaf)
{
    use(vmaf, alone, NULL);
}

static bool accepts(Shape shape)
{
    VmafContext *vmaf = open_context(0, 0);
    use_alone(vmaf);
    const bool accepted = !read_frame(vmaf, shape, 0, 0);
    assert_success(vmaf_close(vmaf));
    return accepted;
}

CASE(given_still_pairs_then_every_extractor_gives_the_same_scores)
{
    const Shape shapes[] = {{VMAF_PIX_FMT_YUV420P, 8, 192, 176},
                            {VMAF_PIX_FMT_YUV420P, 8, 320, 180}};
    unsigned n_scored = 0;
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++) {
        alone = info.name;
        for (unsigned s = 0; s < 2; s++) {
            if (!accepts(shapes[s]))
                continue;
            char *expected = score_stream(shapes[s], use_alone, (Setting){.wraps = true});
            char *actual = score_stream(shapes[s], use_alone, (Setting){0});
            assert_string_equal(actual, expected);
            free(expected);
            free(actual);
            n_scored++;
            break;
        }
    }
    assert_true(n_scored >= 15);
}
#endif

/* -- who may be kept -- */

static void read_wrapped(VmafContext *vmaf, unsigned scene, unsigned index, unsigned *n_released)
{
    VmafPicture ref = wrapped(make_picture(tiny, false, scene), n_released);
    VmafPicture dist = wrapped(make_picture(tiny, true, scene), n_released);
    assert_success(vmaf_read_pictures(vmaf, &ref, &dist, index));
}

CASE(given_nothing_then_wrapped_pictures_are_released_at_once)
{
    unsigned n_released = 0;
    VmafContext *vmaf = open_with_features(0, 0, "adm", NULL);
    for (unsigned i = 0; i < 4; i++) {
        read_wrapped(vmaf, 0, i, &n_released);
        assert_int_equal(n_released, 2 * (i + 1));
    }
    assert_success(vmaf_close(vmaf));
}

CASE(given_that_they_may_be_kept_then_those_of_one_pair_are)
{
    unsigned n_released = 0;
    VmafContext *vmaf = open_with_features(0, 0, "adm", NULL);
    assert_success(vmaf_keep_last_pair(vmaf));
    for (unsigned i = 0; i < 4; i++) {
        read_wrapped(vmaf, i / 2, i, &n_released);
        assert_int_equal(n_released, 2 * i);
    }
    assert_refused(vmaf_keep_last_pair(vmaf));
    assert_success(flush(vmaf));
    assert_int_equal(n_released, 8);
    assert_refused(vmaf_keep_last_pair(NULL));
    assert_success(vmaf_close(vmaf));
}

/* A program without threads may use its memory again as soon as a pair was read. */
CASE(given_memory_that_is_used_again_then_it_is_not_taken_for_a_still_pair)
{
    VmafContext *expected = open_context(0, 0), *actual = open_context(0, 0);
    VmafPicture memory[2] = {make_picture(clip_f, false, 0), make_picture(clip_f, true, 0)};
    use(expected, "adm", NULL);
    use(actual, "adm", NULL);
    assert_success(vmaf_keep_last_pair(actual));
    read_frames(expected, clip_f, 3);
    for (unsigned i = 0; i < 3; i++) {
        VmafPicture pair[2];
        for (int k = 0; k < 2; k++) {
            fill_picture(&memory[k], k, i);
            assert_success(vmaf_picture_wrap(&pair[k], clip_f.pix_fmt, clip_f.bpc, clip_f.w,
                                             clip_f.h, memory[k].data, memory[k].stride, NULL,
                                             NULL));
        }
        assert_success(vmaf_read_pictures(actual, &pair[0], &pair[1], i));
        expect_score(feature_score(actual, "VMAF_integer_feature_adm2_score", i),
                     feature_score(expected, "VMAF_integer_feature_adm2_score", i));
    }
    assert_true(feature_score(actual, "VMAF_integer_feature_adm2_score", 0) !=
                feature_score(actual, "VMAF_integer_feature_adm2_score", 1));
    assert_success(vmaf_close(actual));
    assert_success(vmaf_close(expected));
    for (int k = 0; k < 2; k++)
        assert_success(vmaf_picture_unref(&memory[k]));
}

/* Without threads and without history, two are enough for a pair, and four for two. */
CASE(given_a_pool_of_few_pictures_then_none_is_kept)
{
    VmafContext *vmaf = open_with_features(0, 0, "adm", NULL);
    assert_success(vmaf_keep_last_pair(vmaf));
    const VmafPictureConfiguration pool = {.pic_params = {tiny.w, tiny.h, tiny.bpc, tiny.pix_fmt},
                                           .pic_cnt = 2};
    assert_success(vmaf_preallocate_pictures(vmaf, pool));
    for (unsigned i = 0; i < 4; i++) {
        VmafPicture pair[2];
        for (int k = 0; k < 2; k++) {
            assert_success(vmaf_fetch_preallocated_picture(vmaf, &pair[k]));
            fill_picture(&pair[k], k, 0);
        }
        assert_success(vmaf_read_pictures(vmaf, &pair[0], &pair[1], i));
    }
    flush_and_close(vmaf);
}
