/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which frames are found to repeat the one before. */
#include <string.h>

#include "engine/context.h"
#include "metrics/framework/extractor.h"
#include "picture/picture.h"
#include "support/cases.h"

enum { W = 20, H = 37 };

typedef struct Fixture {
    Logger logger;
    FeatureSet features;
    WorkList work;
    StillFrames still;
} Fixture;

static void start(Fixture *f, const char *const names[])
{
    PictureFormat format;
    const char *failed = NULL;
    Reason why;
    *f = (Fixture){.logger.level = VMAF_LOG_LEVEL_NONE};
    feature_set_init(&f->features, &f->logger);
    for (unsigned i = 0; names[i]; i++)
        assert_int_equal(feature_set_add(&f->features, registry_find(names[i]), NULL, true, &why),
                         0);
    assert_int_equal(picture_format_init(&format, VMAF_PIX_FMT_YUV420P, 8, W, H), 0);
    assert_int_equal(work_list_create(&f->work, &f->features, &format, 0, &failed, &why), 0);
    still_frames_start(&f->still, &f->work);
}

static void stop(Fixture *f)
{
    still_frames_clear(&f->still);
    work_list_destroy(&f->work);
    feature_set_destroy(&f->features);
}

static VmafPicture picture(unsigned value)
{
    VmafPicture pic;
    assert_int_equal(picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, W, H), 0);
    memset(pic.data[0], (int)value, (size_t)pic.stride[0] * H);
    return pic;
}

static RequestMask everything(const Fixture *f)
{
    return mask_or(f->work.every_frame, &f->work.sampled);
}

static bool enter_wanting(Fixture *f, unsigned ref_value, unsigned dist_value, RequestMask wanted)
{
    VmafPicture ref = picture(ref_value), dist = picture(dist_value);
    const bool repeats = still_frames_enter(&f->still, &f->work, &ref, &dist, &wanted);
    picture_unref(&ref);
    picture_unref(&dist);
    return repeats;
}

static bool enter(Fixture *f, unsigned ref_value, unsigned dist_value)
{
    return enter_wanting(f, ref_value, dist_value, everything(f));
}

CASE(given_records_of_one_frame_then_the_second_equal_pair_repeats)
{
    Fixture f;
    start(&f, (const char *[]){"adm", "psnr", NULL});
    assert_false(enter(&f, 1, 2));
    assert_true(enter(&f, 1, 2));
    assert_true(enter(&f, 1, 2));
    assert_false(enter(&f, 3, 2));
    assert_false(enter(&f, 3, 4));
    assert_true(enter(&f, 3, 4));
    still_frames_clear(&f.still);
    assert_false(enter(&f, 3, 4));
    stop(&f);
}

CASE(given_a_look_back_then_as_many_more_pairs_have_to_be_equal)
{
    Fixture f;
    start(&f, (const char *[]){"adm", "motion", NULL});
    for (int i = 0; i < 2; i++) {
        assert_false(enter(&f, 1, 2));
        assert_false(enter(&f, 1, 2));
        assert_true(enter(&f, 1, 2));
        assert_true(enter(&f, 1, 2));
        assert_false(enter(&f, 5, 2));
    }
    stop(&f);
}

CASE(given_subsampling_then_no_more_is_wanted_than_was_computed)
{
    Fixture f;
    start(&f, (const char *[]){"adm", "psnr", NULL});
    const RequestMask few = f.work.every_frame, all = everything(&f), none = {{0}};
    assert_false(mask_empty(&few) || mask_equal(&few, &all));
    assert_false(enter_wanting(&f, 1, 2, all));
    assert_true(enter_wanting(&f, 1, 2, few));
    assert_false(enter_wanting(&f, 1, 2, all));
    assert_true(enter_wanting(&f, 1, 2, all));
    assert_false(enter_wanting(&f, 1, 2, none));
    assert_false(enter_wanting(&f, 1, 2, few));
    stop(&f);
}

CASE(given_brief_features_alone_then_nothing_is_compared)
{
    Fixture f;
    start(&f, (const char *[]){"psnr", "float_psnr", "motion", NULL});
    for (int i = 0; i < 4; i++)
        assert_false(enter(&f, 1, 2));
    assert_null(f.still.last[0].ref);
    stop(&f);
}

CASE(given_scores_of_a_backend_then_nothing_repeats)
{
    Fixture f;
    start(&f, (const char *[]){"adm", NULL});
    assert_false(enter(&f, 1, 2));
    assert_true(enter(&f, 1, 2));
    f.work.requests[0].pinned = true;
    assert_false(enter(&f, 1, 2));
    f.work.requests[0].pinned = false;
    f.work.requests[0].scores = true;
    assert_false(enter(&f, 1, 2));
    f.work.requests[0].scores = false;
    assert_true(enter(&f, 1, 2));
    stop(&f);
}

/* Which nobody can read here, also after pairs of ordinary memory. */
CASE(given_a_pair_on_a_device_then_it_is_neither_read_nor_kept)
{
    static PictureBacking on_device = {.memory = PICTURE_DEVICE};
    Fixture f;
    start(&f, (const char *[]){"adm", NULL});
    f.still.keeps_wrapped = true;
    const RequestMask all = everything(&f);
    VmafPicture pair[2] = {picture(1), picture(2)};
    assert_false(enter(&f, 1, 2));
    for (int i = 0; i < 2; i++) {
        VmafPicture view = pair[i];
        picture_set_backing(&pair[i], &on_device);
        view.data[0] = view.data[1] = view.data[2] = (void *)16;
        VmafPicture others[2] = {i == 0 ? view : pair[0], i == 1 ? view : pair[1]};
        assert_false(still_frames_enter(&f.still, &f.work, &others[0], &others[1], &all));
        assert_null(f.still.last[0].ref);
        assert_false(enter(&f, 1, 2));
        assert_true(enter(&f, 1, 2));
    }
    stop(&f);
    for (int i = 0; i < 2; i++)
        picture_unref(&pair[i]);
}

/* Every sample of every plane counts, if the plane does. */
CASE(given_any_sample_that_differs_then_pairs_are_not_equal)
{
    VmafPicture a[2], b[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(picture_alloc(&a[i], VMAF_PIX_FMT_YUV420P, 10, W, H), 0);
        assert_int_equal(picture_alloc(&b[i], VMAF_PIX_FMT_YUV420P, 10, W, H), 0);
    }
    assert_true(picture_pairs_equal(a, b, 7));
    assert_false(picture_pairs_equal(a, a, 7));
    for (int i = 0; i < 2; i++)
        for (unsigned p = 0; p < 3; p++)
            for (unsigned y = 0; y < b[i].h[p]; y++)
                for (unsigned x = 0; x < b[i].w[p]; x++) {
                    uint16_t *row =
                        (uint16_t *)((char *)b[i].data[p] + (ptrdiff_t)y * b[i].stride[p]);
                    row[x] = 0x200;
                    assert_false(picture_pairs_equal(a, b, 7));
                    assert_false(picture_pairs_equal(a, b, 1u << p));
                    assert_true(picture_pairs_equal(a, b, 7u & ~(1u << p)));
                    row[x] = 0;
                }
    /* What lies behind a row is no sample. */
    ((uint16_t *)b[0].data[0])[W] = 1;
    assert_true(picture_pairs_equal(a, b, 7));
    for (int i = 0; i < 2; i++) {
        picture_unref(&a[i]);
        picture_unref(&b[i]);
    }
}
