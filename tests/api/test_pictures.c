/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures: layout, references, pools, the caller's own memory. */
#include "api/api_support.h"
#include "support/cases.h"

#include <stdlib.h>
#include <string.h>

static const VmafPictureConfiguration pool_of_four = {{32, 32, 8, VMAF_PIX_FMT_YUV420P}, 4};

CASE(impossible_pictures_are_refused)
{
    VmafPicture pic;
    assert_refused(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_UNKNOWN, 8, 16, 16));
    assert_refused(vmaf_picture_alloc(&pic, (enum VmafPixelFormat)5, 8, 16, 16));
    assert_refused(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 7, 16, 16));
    assert_refused(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 17, 16, 16));
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV444P, 16, 0xffffffffu, 0xffffffffu),
                     -12);
}

CASE(a_picture_is_released_once)
{
    VmafPicture pic = make_picture(tiny, false, 0);
    assert_success(vmaf_picture_unref(&pic));
    assert_null(pic.data[0]);
    assert_refused(vmaf_picture_unref(&pic));
}

typedef struct PlaneSizes {
    Shape shape;
    unsigned chroma_w, chroma_h;
} PlaneSizes;

CASE(chroma_rounds_down_and_samples_are_zero)
{
    static const PlaneSizes cases[] = {
        {{VMAF_PIX_FMT_YUV420P, 9, 33, 35}, 16, 17}, {{VMAF_PIX_FMT_YUV420P, 8, 1, 1}, 0, 0},
        {{VMAF_PIX_FMT_YUV422P, 8, 33, 35}, 16, 35}, {{VMAF_PIX_FMT_YUV444P, 16, 33, 35}, 33, 35},
        {{VMAF_PIX_FMT_YUV400P, 12, 33, 35}, 0, 0},  {{VMAF_PIX_FMT_YUV420P, 8, 64, 0}, 32, 0},
        {{VMAF_PIX_FMT_YUV444P, 10, 0, 16}, 0, 16},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const Shape *shape = &cases[i].shape;
        const size_t sample = shape->bpc > 8 ? 2 : 1;
        VmafPicture pic;
        memset(&pic, 0xff, sizeof(pic));
        assert_success(vmaf_picture_alloc(&pic, shape->pix_fmt, shape->bpc, shape->w, shape->h));
        assert_int_equal(pic.pix_fmt, shape->pix_fmt);
        assert_int_equal(pic.bpc, shape->bpc);
        assert_non_null(pic.ref);
        assert_non_null(pic.priv);
        for (unsigned p = 0; p < 3; p++) {
            assert_int_equal(pic.w[p], p ? cases[i].chroma_w : shape->w);
            assert_int_equal(pic.h[p], p ? cases[i].chroma_h : shape->h);
            if (p && shape->pix_fmt == VMAF_PIX_FMT_YUV400P) {
                assert_null(pic.data[p]);
                assert_int_equal(pic.stride[p], 0);
                continue;
            }
            assert_true((size_t)pic.stride[p] >= pic.w[p] * sample);
            assert_int_equal(pic.stride[p] % 32, 0);
            assert_int_equal((uintptr_t)pic.data[p] % 32, 0);
            for (unsigned y = 0; y < pic.h[p]; y++) {
                const char *row = (const char *)pic.data[p] + (ptrdiff_t)y * pic.stride[p];
                for (size_t x = 0; x < pic.w[p] * sample; x++)
                    assert_int_equal(row[x], 0);
            }
        }
        assert_success(vmaf_picture_unref(&pic));
    }
}

CASE(a_pool_lends_its_pictures_again)
{
    VmafContext *vmaf = open_context(0, 0);
    assert_success(vmaf_preallocate_pictures(vmaf, pool_of_four));
    VmafPicture pics[4];
    for (unsigned i = 0; i < 4; i++) {
        assert_success(vmaf_fetch_preallocated_picture(vmaf, &pics[i]));
        assert_int_equal(pics[i].w[0], 32);
        assert_int_equal(pics[i].h[1], 16);
        for (unsigned k = 0; k < i; k++)
            assert_ptr_not_equal(pics[i].data[0], pics[k].data[0]);
    }
    const void *memory = pics[2].data[0];
    assert_success(vmaf_picture_unref(&pics[2]));
    assert_refused(vmaf_picture_unref(&pics[2]));
    assert_success(vmaf_fetch_preallocated_picture(vmaf, &pics[2]));
    assert_ptr_equal(pics[2].data[0], memory);
    for (unsigned i = 0; i < 4; i++)
        assert_success(vmaf_picture_unref(&pics[i]));
    assert_success(vmaf_close(vmaf));
}

CASE(pictures_of_a_pool_outlive_the_context)
{
    VmafContext *vmaf = open_context(0, 0);
    assert_success(vmaf_preallocate_pictures(vmaf, pool_of_four));
    VmafPicture pics[2];
    for (unsigned i = 0; i < 2; i++)
        assert_success(vmaf_fetch_preallocated_picture(vmaf, &pics[i]));
    assert_success(vmaf_close(vmaf));
    for (unsigned i = 0; i < 2; i++) {
        fill_picture(&pics[i], false, i);
        assert_success(vmaf_picture_unref(&pics[i]));
    }
}

/* A picture in the test's own memory, every plane between guard bytes. */
typedef struct OwnPicture {
    VmafPicture pic;
    unsigned char *memory;
    size_t size;
    unsigned n_released;
} OwnPicture;

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

static void count_release(void *cookie)
{
    ((OwnPicture *)cookie)->n_released++;
}

/*
 * `padding` bytes follow each row; `upside_down` stores the last row first; planes that are not
 * in `planes` are left out.
 */
static void own_picture(OwnPicture *own, Shape shape, bool distorted, unsigned frame,
                        size_t padding, bool upside_down, unsigned planes)
{
    VmafPicture model = make_picture(shape, distorted, frame);
    const size_t sample = shape.bpc > 8 ? 2 : 1;
    size_t offset[3] = {0};
    *own = (OwnPicture){.size = GUARD};
    for (unsigned p = 0; p < 3; p++) {
        offset[p] = own->size;
        own->size += (model.w[p] * sample + padding) * model.h[p] + GUARD;
    }
    own->memory = malloc(own->size);
    assert_non_null(own->memory);
    memset(own->memory, GUARD_BYTE, own->size);

    void *data[3] = {0};
    ptrdiff_t stride[3] = {0};
    for (unsigned p = 0; p < 3; p++) {
        if (!(planes >> p & 1))
            continue;
        stride[p] = (ptrdiff_t)(model.w[p] * sample + padding);
        data[p] = own->memory + offset[p];
        if (upside_down) {
            data[p] = (char *)data[p] + stride[p] * (ptrdiff_t)(model.h[p] - 1);
            stride[p] = -stride[p];
        }
        for (unsigned y = 0; y < model.h[p]; y++)
            memcpy((char *)data[p] + (ptrdiff_t)y * stride[p],
                   (char *)model.data[p] + (ptrdiff_t)y * model.stride[p], model.w[p] * sample);
    }
    assert_success(vmaf_picture_unref(&model));
    assert_success(vmaf_picture_wrap(&own->pic, shape.pix_fmt, shape.bpc, shape.w, shape.h, data,
                                     stride, count_release, own));
}

static void check_guards_and_free(OwnPicture *own)
{
    assert_int_equal(own->n_released, 1);
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(own->memory[i], GUARD_BYTE);
        assert_int_equal(own->memory[own->size - 1 - i], GUARD_BYTE);
    }
    free(own->memory);
}

static const char *const some_keys[] = {"VMAF_integer_feature_adm2_score",
                                        "VMAF_integer_feature_vif_scale0_score",
                                        "VMAF_integer_feature_motion_sad_score", "psnr_y"};
enum { N_SOME_KEYS = sizeof(some_keys) / sizeof(some_keys[0]) };

static VmafContext *context_with_some_features(unsigned n_threads)
{
    VmafContext *vmaf = open_with_features(n_threads, 0, "adm", "vif", "motion", NULL);
    use(vmaf, "psnr", options("enable_chroma", "false", NULL));
    return vmaf;
}

CASE(scores_do_not_depend_on_where_samples_lie)
{
    static const struct {
        size_t padding;
        bool upside_down;
    } layouts[] = {{0, false}, {14, false}, {0, true}, {2, true}, {1000, false}};
    static const Shape shapes[] = {{VMAF_PIX_FMT_YUV420P, 8, 49, 51},
                                   {VMAF_PIX_FMT_YUV422P, 10, 49, 51}};
    for (unsigned s = 0; s < 2; s++) {
        VmafContext *plain = context_with_some_features(0);
        read_clip(plain, shapes[s], 3);
        for (size_t l = 0; l < 2 * sizeof(layouts) / sizeof(layouts[0]); l++) {
            VmafContext *vmaf = context_with_some_features(l % 2 ? 3 : 0);
            OwnPicture own[6];
            for (unsigned i = 0; i < 3; i++) {
                own_picture(&own[2 * i], shapes[s], false, i, layouts[l / 2].padding,
                            layouts[l / 2].upside_down, 7);
                own_picture(&own[2 * i + 1], shapes[s], true, i, layouts[l / 2].padding,
                            layouts[l / 2].upside_down, 7);
                assert_success(vmaf_read_pictures(vmaf, &own[2 * i].pic, &own[2 * i + 1].pic, i));
            }
            assert_success(flush(vmaf));
            for (unsigned k = 0; k < N_SOME_KEYS * 3; k++)
                expect_score(feature_score(vmaf, some_keys[k / 3], k % 3),
                             feature_score(plain, some_keys[k / 3], k % 3));
            assert_success(vmaf_close(vmaf));
            for (unsigned i = 0; i < 6; i++)
                check_guards_and_free(&own[i]);
        }
        assert_success(vmaf_close(plain));
    }
}

CASE(missing_planes_are_allowed_where_nothing_needs_them)
{
    VmafContext *vmaf = context_with_some_features(0);
    unsigned planes;
    assert_success(vmaf_planes_needed(vmaf, VMAF_PIX_FMT_YUV420P, &planes));
    assert_int_equal(planes, 1);
    OwnPicture ref, dist;
    own_picture(&ref, clip_f, false, 0, 0, false, 1);
    own_picture(&dist, clip_f, true, 0, 0, false, 1);
    assert_success(vmaf_read_pictures(vmaf, &ref.pic, &dist.pic, 0));
    assert_success(flush(vmaf));
    expect_score(feature_score(vmaf, "psnr_y", 0), 25.328930880094632);
    assert_success(vmaf_close(vmaf));
    check_guards_and_free(&ref);
    check_guards_and_free(&dist);
}

CASE(missing_planes_that_a_feature_needs_are_refused)
{
    VmafContext *vmaf = open_with_features(0, 0, "psnr", NULL);
    unsigned planes;
    assert_success(vmaf_planes_needed(vmaf, VMAF_PIX_FMT_YUV420P, &planes));
    assert_int_equal(planes, 7);
    assert_success(vmaf_planes_needed(vmaf, VMAF_PIX_FMT_YUV400P, &planes));
    assert_int_equal(planes, 1);
    assert_refused(vmaf_planes_needed(vmaf, VMAF_PIX_FMT_UNKNOWN, &planes));

    for (unsigned missing = 0; missing < 3; missing++) {
        OwnPicture ref, dist;
        own_picture(&ref, clip_f, false, 0, 0, false, 7);
        own_picture(&dist, clip_f, true, 0, 0, false, 7 & ~(1u << missing));
        assert_refused(vmaf_read_pictures(vmaf, &ref.pic, &dist.pic, 0));
        assert_int_equal(ref.n_released + dist.n_released, 0);
        assert_success(vmaf_picture_unref(&ref.pic));
        assert_success(vmaf_picture_unref(&dist.pic));
        check_guards_and_free(&ref);
        check_guards_and_free(&dist);
    }
    assert_success(vmaf_close(vmaf));
}

CASE(planes_needed_are_those_of_all_features)
{
    VmafContext *vmaf = open_context(0, 0);
    unsigned planes;
    assert_success(vmaf_planes_needed(vmaf, VMAF_PIX_FMT_YUV444P, &planes));
    assert_int_equal(planes, 0);
    use(vmaf, "motion", NULL);
    assert_success(vmaf_planes_needed(vmaf, VMAF_PIX_FMT_YUV444P, &planes));
    assert_int_equal(planes, 1);
    use(vmaf, "psnr", NULL);
    assert_success(vmaf_planes_needed(vmaf, VMAF_PIX_FMT_YUV444P, &planes));
    assert_int_equal(planes, 7);
    assert_success(vmaf_close(vmaf));
}

CASE(planes_that_cannot_be_read_are_refused_without_release)
{
    static _Alignas(16) unsigned char memory[64 * 64];
    OwnPicture own = {.n_released = 0};
    VmafPicture pic;
    void *const planes[3] = {memory, memory, memory};
    void *const odd[3] = {memory + 1, memory, memory};
    const ptrdiff_t fine[3] = {64, 64, 64}, short_rows[3] = {30, 64, 64};
    const ptrdiff_t short_chroma[3] = {64, 64, -8}, odd_rows[3] = {65, 64, 64};
    const enum VmafPixelFormat yuv = VMAF_PIX_FMT_YUV420P;

    assert_refused(vmaf_picture_wrap(&pic, VMAF_PIX_FMT_UNKNOWN, 8, 32, 32, planes, fine,
                                     count_release, &own));
    assert_refused(vmaf_picture_wrap(&pic, yuv, 7, 32, 32, planes, fine, count_release, &own));
    assert_refused(vmaf_picture_wrap(&pic, yuv, 17, 32, 32, planes, fine, count_release, &own));
    assert_refused(
        vmaf_picture_wrap(&pic, yuv, 8, 32, 32, planes, short_rows, count_release, &own));
    assert_refused(
        vmaf_picture_wrap(&pic, yuv, 8, 32, 32, planes, short_chroma, count_release, &own));
    assert_refused(vmaf_picture_wrap(&pic, yuv, 10, 32, 32, planes, odd_rows, count_release, &own));
    assert_refused(vmaf_picture_wrap(&pic, yuv, 10, 32, 32, odd, fine, count_release, &own));
    assert_int_equal(own.n_released, 0);

    assert_success(vmaf_picture_wrap(&pic, yuv, 8, 32, 32, odd, odd_rows, count_release, &own));
    assert_success(vmaf_picture_unref(&pic));
    assert_int_equal(own.n_released, 1);
    assert_success(vmaf_picture_wrap(&pic, yuv, 8, 32, 32, planes, fine, NULL, NULL));
    assert_success(vmaf_picture_unref(&pic));
}

/* Closing in the middle of the stream releases the pictures that the context holds. */
CASE(wrapped_pictures_are_released_by_close)
{
    for (unsigned n_threads = 0; n_threads < 4; n_threads++) {
        VmafContext *vmaf = context_with_some_features(n_threads);
        OwnPicture own[8];
        for (unsigned i = 0; i < 4; i++) {
            own_picture(&own[2 * i], clip_f, false, i, 0, false, 7);
            own_picture(&own[2 * i + 1], clip_f, true, i, 0, false, 7);
            assert_success(vmaf_read_pictures(vmaf, &own[2 * i].pic, &own[2 * i + 1].pic, i));
        }
        assert_success(vmaf_close(vmaf));
        for (unsigned i = 0; i < 8; i++)
            check_guards_and_free(&own[i]);
    }
}
