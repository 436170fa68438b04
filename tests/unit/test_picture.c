/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "picture/picture.h"
#include "picture/picture_pool.h"

CASE(given_odd_sizes_when_allocated_then_layout_is_that_of_libvmaf)
{
    VmafPicture pic;
    assert_int_equal(picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 9, 33, 35), 0);
    assert_int_equal(pic.w[1], 16);
    assert_int_equal(pic.h[2], 17);
    assert_int_equal(pic.stride[0], 128);
    assert_int_equal(pic.stride[1], 64);
    assert_int_equal((char *)pic.data[1] - (char *)pic.data[0], 4480);
    assert_int_equal((char *)pic.data[2] - (char *)pic.data[0], 5568);
    for (int y = 0; y < 35; y++) {
        for (int x = 0; x < 128; x++)
            assert_int_equal(((char *)pic.data[0])[y * 128 + x], 0);
    }
    VmafPicture second = picture_ref(&pic);
    assert_int_equal(picture_unref(&pic), 0);
    assert_null(pic.data[0]);
    assert_int_equal(picture_unref(&pic), -EINVAL);
    ((char *)second.data[0])[0] = 1;
    assert_int_equal(picture_unref(&second), 0);
}

CASE(given_formats_when_allocated_then_planes_match)
{
    static const struct {
        enum VmafPixelFormat format;
        unsigned w, h;
    } cases[] = {
        {VMAF_PIX_FMT_YUV420P, 3, 2},
        {VMAF_PIX_FMT_YUV422P, 3, 5},
        {VMAF_PIX_FMT_YUV444P, 7, 5},
        {VMAF_PIX_FMT_YUV400P, 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        VmafPicture pic;
        assert_int_equal(picture_alloc(&pic, cases[i].format, 8, 7, 5), 0);
        assert_int_equal(pic.w[1], cases[i].w);
        assert_int_equal(pic.h[1], cases[i].h);
        assert_int_equal(pic.data[1] == NULL, cases[i].w == 0);
        picture_unref(&pic);
    }
    VmafPicture pic;
    assert_int_equal(picture_alloc(&pic, VMAF_PIX_FMT_UNKNOWN, 8, 4, 4), -EINVAL);
    assert_int_equal(picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 7, 4, 4), -EINVAL);
    assert_int_equal(picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 17, 4, 4), -EINVAL);
    assert_int_equal(picture_alloc(&pic, VMAF_PIX_FMT_YUV444P, 16, UINT32_MAX, UINT32_MAX),
                     -ENOMEM);
    assert_int_equal(picture_alloc(&pic, VMAF_PIX_FMT_YUV444P, 16, 0, 0), 0);
    picture_unref(&pic);
}

static void count_release(void *cookie)
{
    ++*(int *)cookie;
}

CASE(given_planes_of_the_caller_when_wrapped_then_released_once)
{
    static uint16_t samples[64];
    PictureFormat format;
    picture_format_init(&format, VMAF_PIX_FMT_YUV422P, 10, 4, 4);
    void *data[3] = {samples, samples, NULL};
    ptrdiff_t stride[3] = {8, 8, 0};
    int released = 0;
    VmafPicture pic;
    assert_int_equal(picture_wrap(&pic, &format, data, stride, count_release, &released), 0);
    assert_ptr_equal(pic.data[0], samples);
    assert_null(pic.data[2]);
    VmafPicture second = picture_ref(&pic);
    picture_unref(&pic);
    assert_int_equal(released, 0);
    picture_unref(&second);
    assert_int_equal(released, 1);

    stride[0] = 7; /* not a multiple of the sample size */
    assert_int_equal(picture_wrap(&pic, &format, data, stride, count_release, &released), -EINVAL);
    stride[0] = 6; /* shorter than a row */
    assert_int_equal(picture_wrap(&pic, &format, data, stride, count_release, &released), -EINVAL);
    stride[0] = -8; /* bottom up is fine */
    data[0] = samples + 12;
    assert_int_equal(picture_wrap(&pic, &format, data, stride, count_release, &released), 0);
    picture_unref(&pic);
    assert_int_equal(released, 2);
    data[0] = (char *)samples + 1;
    assert_int_equal(picture_wrap(&pic, &format, data, stride, count_release, &released), -EINVAL);
}

static void *unref_later(void *argument)
{
    VmafPicture *pic = argument;
    picture_unref(pic);
    return NULL;
}

static void *keep_later(void *argument)
{
    VmafPicture *pic = argument;
    picture_keep(pic);
    return NULL;
}

CASE(given_an_exhausted_pool_when_fetching_then_it_waits_for_a_return)
{
    PictureFormat format;
    picture_format_init(&format, VMAF_PIX_FMT_YUV420P, 8, 16, 16);
    PicturePool *pool;
    assert_int_equal(picture_pool_create(&pool, &format, 2), 0);
    VmafPicture a, b, c;
    assert_int_equal(picture_pool_fetch(pool, &a), 0);
    assert_int_equal(picture_pool_fetch(pool, &b), 0);
    void *samples = a.data[0];
    assert_ptr_not_equal(samples, b.data[0]);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, unref_later, &a), 0);
    assert_int_equal(picture_pool_fetch(pool, &c), 0);
    pthread_join(thread, NULL);
    assert_ptr_equal(c.data[0], samples);

    picture_pool_close(pool); /* pictures in use outlive it */
    memset(c.data[0], 1, 256);
    picture_unref(&c);
    memset(b.data[0], 1, 256);
    picture_unref(&b);
}

CASE(given_a_picture_that_is_kept_then_the_pool_has_another_one_in_its_place)
{
    static VmafPicture kept; /* its memory is never freed */
    PictureFormat format;
    picture_format_init(&format, VMAF_PIX_FMT_YUV420P, 8, 16, 16);
    PicturePool *pool;
    assert_int_equal(picture_pool_create(&pool, &format, 1), 0);
    assert_int_equal(picture_pool_fetch(pool, &kept), 0);
    VmafPicture user = kept;
    assert_true(picture_keep(&user));
    assert_false(picture_keep(&user)); /* once is enough */
    picture_unref(&user);
    memset(kept.data[0], 1, 256); /* somebody may still write there */

    VmafPicture other;
    assert_int_equal(picture_pool_fetch(pool, &other), 0);
    assert_ptr_not_equal(other.data[0], kept.data[0]);
    picture_unref(&other);
    picture_pool_close(pool);
    memset(kept.data[0], 2, 256);
    const VmafPicture nothing = {0};
    assert_false(picture_keep(&nothing));
}

CASE(given_an_exhausted_pool_when_a_picture_is_kept_then_who_waits_gets_another)
{
    static VmafPicture kept; /* its memory is never freed */
    PictureFormat format;
    picture_format_init(&format, VMAF_PIX_FMT_YUV420P, 8, 16, 16);
    PicturePool *pool;
    assert_int_equal(picture_pool_create(&pool, &format, 1), 0);
    assert_int_equal(picture_pool_fetch(pool, &kept), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, keep_later, &kept), 0);
    VmafPicture other;
    assert_int_equal(picture_pool_fetch(pool, &other), 0);
    pthread_join(thread, NULL);
    assert_ptr_not_equal(other.data[0], kept.data[0]);
    picture_unref(&other);
    picture_pool_close(pool);
}
