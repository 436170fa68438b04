/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Handing over frames: ownership, indices, refusals, errors that stay, the flush. */
#include "api/api_support.h"
#include "support/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const Shape small = {VMAF_PIX_FMT_YUV420P, 8, 16, 16}; /* too small for adm */

static bool is_zero(const VmafPicture *pic)
{
    return !pic->ref && !pic->priv && !pic->data[0] && !pic->w[0] && !pic->h[0] && !pic->bpc &&
           !pic->stride[0] && pic->pix_fmt == VMAF_PIX_FMT_UNKNOWN;
}

CASE(reading_takes_the_pictures)
{
    VmafContext *vmaf = open_with_features(0, 0, "psnr", NULL);
    VmafPicture ref = make_picture(tiny, false, 0), dist = make_picture(tiny, true, 0);
    assert_success(vmaf_read_pictures(vmaf, &ref, &dist, 0));
    assert_true(is_zero(&ref));
    assert_true(is_zero(&dist));
    assert_refused(vmaf_picture_unref(&ref));
    assert_refused(vmaf_picture_unref(&dist));
    assert_success(vmaf_close(vmaf));
}

/* Offers a pair and expects that it is rejected and that the caller keeps it. */
static void expect_pair_refused(VmafContext *vmaf, Shape of_ref, Shape of_dist, unsigned index)
{
    VmafPicture ref = make_picture(of_ref, false, 1), dist = make_picture(of_dist, true, 1);
    assert_refused(vmaf_read_pictures(vmaf, &ref, &dist, index));
    fill_picture(&ref, false, 2);
    fill_picture(&dist, false, 2);
    assert_success(vmaf_picture_unref(&ref));
    assert_success(vmaf_picture_unref(&dist));
}

/* Each of the two would be released, and there is but one. */
CASE(a_copy_of_a_structure_is_no_second_picture)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
        VmafContext *vmaf = open_with_features(n_threads, 0, "psnr", NULL);
        VmafPicture ref = make_picture(tiny, false, 1), copy = ref, shared;
        assert_refused(vmaf_read_pictures(vmaf, &ref, &copy, 0));
        fill_picture(&ref, false, 2); /* it is still there */
        assert_success(vmaf_picture_share(&shared, &ref));
        assert_success(vmaf_read_pictures(vmaf, &ref, &shared, 0));
        flush_and_close(vmaf);
    }
}

CASE(pictures_without_rows_are_refused)
{
    const Shape deep = {VMAF_PIX_FMT_YUV420P, 10, 32, 32};
    const Shape shapes[] = {tiny, deep};
    static const ptrdiff_t strides[] = {0, 1, -1, 15, -15};
    VmafContext *vmaf = open_with_features(0, 0, "psnr", NULL);
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned i = 0; i < 3 * sizeof(strides) / sizeof(strides[0]); i++) {
            VmafPicture pair[2] = {make_picture(shapes[s], false, 1),
                                   make_picture(shapes[s], true, 1)};
            pair[i % 2].stride[i % 3] = strides[i / 3];
            assert_refused(vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0));
            assert_success(vmaf_picture_unref(&pair[0]));
            assert_success(vmaf_picture_unref(&pair[1]));
        }
    }
    expect_pair_refused(vmaf, (Shape){VMAF_PIX_FMT_YUV420P, 8, 0, 32},
                        (Shape){VMAF_PIX_FMT_YUV420P, 8, 0, 32}, 0);
    expect_pair_refused(vmaf, (Shape){VMAF_PIX_FMT_YUV420P, 8, 32, 0},
                        (Shape){VMAF_PIX_FMT_YUV420P, 8, 32, 0}, 0);
    assert_success(read_frame(vmaf, tiny, 0, 0));
    flush_and_close(vmaf);
}

CASE(pairs_that_do_not_fit_are_refused_and_the_context_goes_on)
{
    const Shape wide = {VMAF_PIX_FMT_YUV420P, 8, 34, 32}, high = {VMAF_PIX_FMT_YUV420P, 8, 32, 34};
    const Shape deep = {VMAF_PIX_FMT_YUV420P, 10, 32, 32};
    const Shape full_chroma = {VMAF_PIX_FMT_YUV444P, 8, 32, 32};
    const Shape others[] = {wide, high, deep, full_chroma};
    for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
        VmafContext *vmaf = open_with_features(n_threads, 0, "psnr", "motion", NULL);

        expect_pair_refused(vmaf, tiny, wide, 0);
        assert_success(read_frame(vmaf, tiny, 0, 0));
        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
            expect_pair_refused(vmaf, tiny, others[i], 1);
            expect_pair_refused(vmaf, others[i], tiny, 1);
            expect_pair_refused(vmaf, others[i], others[i], 1);
        }
        expect_pair_refused(vmaf, tiny, tiny, 0);
        assert_success(read_frame(vmaf, tiny, 1, 1));
        assert_success(flush(vmaf));

        VmafContext *plain = open_with_features(0, 0, "psnr", "motion", NULL);
        read_clip(plain, tiny, 2);
        static const char *const keys[] = {"psnr_y", "VMAF_integer_feature_motion2_score"};
        for (unsigned i = 0; i < 4; i++)
            expect_score(feature_score(vmaf, keys[i / 2], i % 2),
                         feature_score(plain, keys[i / 2], i % 2));
        assert_success(vmaf_close(plain));
        assert_success(vmaf_close(vmaf));
    }
}

CASE(a_picture_that_was_released_is_refused)
{
    VmafContext *vmaf = open_with_features(0, 0, "psnr", NULL);
    VmafPicture ref = make_picture(tiny, false, 0), dist = make_picture(tiny, true, 0);
    assert_success(vmaf_picture_unref(&dist));
    assert_refused(vmaf_read_pictures(vmaf, &ref, &dist, 0));
    assert_success(vmaf_picture_unref(&ref));
    assert_success(vmaf_close(vmaf));
}

CASE(one_picture_may_be_both_reference_and_distorted)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
        VmafContext *vmaf = open_with_features(n_threads, 0, "psnr", NULL);
        VmafPicture pic = make_picture(tiny, false, 0);
        assert_success(vmaf_read_pictures(vmaf, &pic, &pic, 0));
        assert_true(is_zero(&pic));
        assert_success(flush(vmaf));
        expect_score(feature_score(vmaf, "psnr_y", 0), 60.0);
        assert_success(vmaf_close(vmaf));
    }
}

CASE(indices_may_come_in_any_order)
{
    static const unsigned order[CLIP_F_FRAMES] = {3, 0, 4294967295u, 1, 70000};
    VmafContext *vmaf = open_with_features(2, 0, "psnr", "motion", NULL);
    VmafContext *ordered = open_with_features(0, 0, "psnr", "motion", NULL);
    for (unsigned i = 0; i < CLIP_F_FRAMES; i++)
        assert_success(read_frame(vmaf, clip_f, i, order[i]));
    read_clip(ordered, clip_f, CLIP_F_FRAMES);
    assert_success(flush(vmaf));

    static const char *const keys[] = {"psnr_y", "psnr_cr", "VMAF_integer_feature_motion_sad_score",
                                       "VMAF_integer_feature_motion2_score",
                                       "VMAF_integer_feature_motion3_score"};
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        for (unsigned i = 0; i < CLIP_F_FRAMES; i++)
            expect_score(feature_score(vmaf, keys[k], order[i]),
                         feature_score(ordered, keys[k], i));
    }
    assert_false(has_feature_score(vmaf, "psnr_y", 2));
    assert_success(vmaf_close(vmaf));
    assert_success(vmaf_close(ordered));
}

CASE(the_flush_ends_the_stream)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
        VmafContext *vmaf = open_with_features(n_threads, 0, "psnr", NULL);
        read_clip(vmaf, tiny, 2);
        assert_refused(flush(vmaf));
        assert_refused(read_frame(vmaf, tiny, 2, 2));
        assert_refused(vmaf_use_feature(vmaf, "motion", NULL));
        assert_true(has_feature_score(vmaf, "psnr_y", 1));
        assert_false(has_feature_score(vmaf, "psnr_y", 2));
        assert_success(vmaf_close(vmaf));
    }
}

CASE(a_flush_without_frames_fails_if_there_are_features)
{
    VmafContext *vmaf = open_context(0, 0);
    flush_and_close(vmaf);

    vmaf = open_with_features(0, 0, "psnr", NULL);
    assert_refused(flush(vmaf));
    assert_refused(flush(vmaf));
    assert_success(read_frame(vmaf, tiny, 0, 0));
    flush_and_close(vmaf);
}

CASE(features_are_registered_before_the_first_pair)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load_model("vmaf_v0.6.1");
    use(vmaf, "psnr", NULL);
    assert_success(read_frame(vmaf, tiny, 0, 0));
    assert_refused(vmaf_use_feature(vmaf, "vif", NULL));
    assert_refused(vmaf_use_features_from_model(vmaf, model));
    assert_success(read_frame(vmaf, tiny, 1, 1));
    assert_success(flush(vmaf));
    close_with_model(vmaf, model);
}

CASE(frames_without_features_are_accepted)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
        VmafContext *vmaf = open_context(n_threads, 0);
        read_clip(vmaf, small, 20);
        assert_success(vmaf_close(vmaf));

        vmaf = open_with_features(n_threads, 0, "null", NULL);
        read_clip(vmaf, small, 20);
        assert_success(vmaf_close(vmaf));
    }
}

/* adm rejects the size with the first pair: from then on reads and the flush fail. */
CASE(the_error_of_an_extractor_stays)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
        VmafContext *vmaf = open_with_features(n_threads, 0, "psnr", "adm", NULL);
        assert_success(vmaf_import_feature_score(vmaf, "mine", 7.5, 0));
        assert_refused(read_frame(vmaf, small, 0, 0));
        assert_refused(read_frame(vmaf, small, 1, 1));
        assert_refused(read_frame(vmaf, clip_f, 2, 2));
        assert_refused(flush(vmaf));
        assert_refused(flush(vmaf));

        expect_score(feature_score(vmaf, "mine", 0), 7.5);
        char *path = temporary_path();
        assert_refused(vmaf_write_output(vmaf, path, VMAF_OUTPUT_FORMAT_JSON));
        assert_int_equal(access(path, F_OK), -1);
        free(path);
        assert_success(vmaf_close(vmaf));
    }
}

/* A score stored in advance makes the extractor fail at that frame. */
CASE(an_error_in_the_stream_stays_and_known_scores_remain)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
        VmafContext *vmaf = open_with_features(n_threads, 0, "psnr", NULL);
        assert_success(vmaf_import_feature_score(vmaf, "psnr_cb", 1.0, 2));
        assert_success(read_frame(vmaf, tiny, 0, 0));
        assert_success(read_frame(vmaf, tiny, 1, 1));
        int err = 0;
        for (unsigned i = 2; i < 100 && !err; i++)
            err = read_frame(vmaf, tiny, i, i);
        if (!n_threads || err)
            assert_int_equal(err, -22);
        assert_refused(flush(vmaf));
        assert_refused(read_frame(vmaf, tiny, 100, 100));
        assert_refused(flush(vmaf));

        assert_true(has_feature_score(vmaf, "psnr_y", 0));
        assert_true(has_feature_score(vmaf, "psnr_cr", 1));
        expect_score(feature_score(vmaf, "psnr_cb", 2), 1.0);
        assert_false(has_feature_score(vmaf, "psnr_y", 3));
        char *path = temporary_path();
        assert_refused(vmaf_write_output(vmaf, path, VMAF_OUTPUT_FORMAT_CSV));
        assert_int_equal(access(path, F_OK), -1);
        free(path);
        assert_success(vmaf_close(vmaf));
    }
}

CASE(a_context_can_be_closed_at_any_time)
{
    for (unsigned n_threads = 0; n_threads < 5; n_threads++) {
        assert_success(vmaf_close(open_context(n_threads, 0)));

        VmafContext *vmaf = open_with_features(n_threads, 0, "vif", NULL);
        assert_success(vmaf_close(vmaf));

        vmaf = open_with_features(n_threads, 0, "vif", "motion", NULL);
        read_frames(vmaf, clip_f, n_threads);
        assert_success(vmaf_close(vmaf));
    }
}
