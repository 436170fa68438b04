/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What signatures keep of pictures: means of blocks, whatever the size and depth. */
#include "media/alignment/signature.h"

#include <stdlib.h>

#include "support/cases.h"

typedef unsigned Paint(unsigned x, unsigned y, unsigned w, unsigned h);

/* A picture of luma, levels of 8 bits raised to the depth, with rows that are longer than w. */
static VmafPicture paint(unsigned w, unsigned h, unsigned bpc, Paint *level)
{
    enum { GAP = 7 };
    const unsigned bytes = bpc > 8 ? 2 : 1;
    unsigned char *data = test_malloc((size_t)(w + GAP) * h * bytes);
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w + GAP; x++) {
            const unsigned value = x < w ? level(x, y, w, h) << (bpc - 8) : 255;
            const size_t at = (size_t)y * (w + GAP) + x;
            if (bytes == 1)
                data[at] = (unsigned char)value;
            else
                ((uint16_t *)(void *)data)[at] = (uint16_t)value;
        }
    }
    return (VmafPicture){
        .pix_fmt = VMAF_PIX_FMT_YUV400P,
        .bpc = bpc,
        .w = {w},
        .h = {h},
        .stride = {(ptrdiff_t)((w + GAP) * bytes)},
        .data = {data},
    };
}

static Signature signature_of(unsigned w, unsigned h, unsigned bpc, Paint *level)
{
    Signature signature;
    VmafPicture picture = paint(w, h, bpc, level);
    signature_take(&picture, &signature);
    test_free(picture.data[0]);
    return signature;
}

static unsigned flat(unsigned x, unsigned y, unsigned w, unsigned h)
{
    return 77;
}

/* Another level for every block. */
static unsigned mosaic(unsigned x, unsigned y, unsigned w, unsigned h)
{
    const unsigned column = x * SIGNATURE_COLUMNS / w, row = y * SIGNATURE_ROWS / h;
    return (column * 7 + row * 13) % 256;
}

/* The lower half of every block is bright. */
static unsigned stripes(unsigned x, unsigned y, unsigned w, unsigned h)
{
    return y * 2 * SIGNATURE_ROWS / h % 2 ? 200 : 0;
}

static unsigned ramp(unsigned x, unsigned y, unsigned w, unsigned h)
{
    return (2 * x + 1) * 100 / w + (2 * y + 1) * 25 / h;
}

static const struct {
    unsigned w, h;
} sizes[] = {{1920, 1080}, {640, 360}, {576, 324}, {352, 288}, {64, 36}};

CASE(given_a_flat_picture_then_all_means_are_its_level)
{
    const unsigned depths[] = {8, 9, 10, 12, 16};
    for (size_t d = 0; d < sizeof(depths) / sizeof(depths[0]); d++) {
        for (unsigned w = 1; w < 70; w += 3) {
            const Signature signature = signature_of(w, 71 - w, depths[d], flat);
            for (unsigned i = 0; i < SIGNATURE_ROWS * SIGNATURE_COLUMNS; i++)
                assert_int_equal(signature.mean[i], 77 * 256);
        }
    }
}

CASE(given_the_brightest_picture_then_nothing_overflows)
{
    enum { W = 2048, H = 36 };
    uint16_t *data = test_malloc(sizeof(*data) * W * H);
    for (size_t i = 0; i < W * H; i++)
        data[i] = UINT16_MAX;
    VmafPicture picture = {.bpc = 16, .w = {W}, .h = {H}, .stride = {2 * W}, .data = {data}};
    Signature signature;
    signature_take(&picture, &signature);
    for (unsigned i = 0; i < SIGNATURE_ROWS * SIGNATURE_COLUMNS; i++)
        assert_int_equal(signature.mean[i], UINT16_MAX);
    test_free(data);
}

CASE(given_one_level_for_each_block_then_each_has_its_mean)
{
    const Signature signature = signature_of(640, 360, 8, mosaic);
    for (unsigned j = 0; j < SIGNATURE_ROWS; j++)
        for (unsigned i = 0; i < SIGNATURE_COLUMNS; i++)
            assert_int_equal(signature.mean[j * SIGNATURE_COLUMNS + i],
                             (i * 7 + j * 13) % 256 * 256);
}

CASE(given_blocks_of_two_halves_then_means_are_between)
{
    const Signature signature = signature_of(640, 720, 8, stripes);
    for (unsigned i = 0; i < SIGNATURE_ROWS * SIGNATURE_COLUMNS; i++)
        assert_int_equal(signature.mean[i], 100 * 256);
}

/* The rows of a picture that signatures need, as they are fetched from a device: those that are
 * equally far apart together. Samples stand in the highest bits of words. */
static unsigned char *fetch_rows(const VmafPicture *picture, unsigned shift)
{
    const unsigned h = picture->h[0], w = picture->w[0], bytes = picture->bpc > 8 ? 2 : 1;
    const unsigned count = signature_row_count(h), period = signature_row_period(h);
    unsigned char *rows = test_malloc((size_t)count * w * bytes);
    assert_int_equal(count % period, 0);
    for (unsigned first = 0; first < period; first++) {
        const unsigned begin = signature_row(h, first);
        const unsigned step = count > period ? signature_row(h, first + period) - begin : 0;
        for (unsigned i = 0; i < count / period; i++) {
            const unsigned char *row = (const unsigned char *)picture->data[0] +
                                       (ptrdiff_t)(begin + i * step) * picture->stride[0];
            unsigned char *to = rows + (size_t)(first + i * period) * w * bytes;
            for (unsigned x = 0; x < w; x++) {
                if (bytes == 1)
                    to[x] = row[x];
                else
                    ((uint16_t *)(void *)to)[x] =
                        (uint16_t)(((const uint16_t *)(const void *)row)[x] << shift);
            }
        }
    }
    return rows;
}

static unsigned noise(unsigned x, unsigned y, unsigned w, unsigned h)
{
    return (x * 2654435761u ^ y * 40503u * (x + 17)) >> 7 & 255;
}

CASE(given_the_rows_alone_then_the_signature_is_the_same)
{
    const unsigned heights[] = {1, 17, 71, 72, 97, 120, 288, 480, 481, 540, 800, 804, 1080, 1634};
    for (size_t i = 0; i < sizeof(heights) / sizeof(heights[0]); i++) {
        for (unsigned depth = 8; depth <= 12; depth += 2) {
            const unsigned shift = depth > 8 ? 16 - depth : 0;
            VmafPicture picture = paint(131, heights[i], depth, noise);
            unsigned char *data = fetch_rows(&picture, shift);
            const SignatureRows rows = {131, heights[i], depth + shift, data,
                                        depth > 8 ? 262 : 131};
            Signature whole, fetched;
            signature_take(&picture, &whole);
            signature_take_rows(&rows, 0, &fetched);
            assert_memory_equal(&whole, &fetched, sizeof(whole));
            test_free(data);
            test_free(picture.data[0]);
        }
    }
}

CASE(given_common_heights_then_all_rows_are_equally_far_apart)
{
    const unsigned heights[] = {288, 360, 540, 576, 720, 1080, 1440, 2160, 4320};
    for (size_t i = 0; i < sizeof(heights) / sizeof(heights[0]); i++)
        assert_int_equal(signature_row_period(heights[i]), 1);
}

CASE(given_other_sizes_and_depths_then_signatures_are_alike)
{
    const Signature first = signature_of(1920, 1080, 8, ramp);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (unsigned depth = 8; depth <= 12; depth += 2) {
            const Signature other = signature_of(sizes[i].w, sizes[i].h, depth, ramp);
            assert_true(signature_distance(&first, &other) < 2 * 256);
        }
        const Signature eight = signature_of(sizes[i].w, sizes[i].h, 8, ramp);
        const Signature ten = signature_of(sizes[i].w, sizes[i].h, 10, ramp);
        assert_true(signature_distance(&eight, &ten) == 0);
    }
}
