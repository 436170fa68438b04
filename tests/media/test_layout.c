/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Layouts that decoders of devices give, which no file has. */
#include "media/ffmpeg/layout.h"

#include <string.h>

#include "support/cases.h"

enum { WIDTH = 18, HEIGHT = 10 };

static AVFrame *allocate(enum AVPixelFormat format)
{
    AVFrame *frame = av_frame_alloc();
    assert_non_null(frame);
    frame->format = format;
    frame->width = WIDTH;
    frame->height = HEIGHT;
    assert_int_equal(av_frame_get_buffer(frame, 64), 0);
    return frame;
}

static unsigned sample(unsigned plane, unsigned x, unsigned y, unsigned bits)
{
    return (plane * 331 + x * 57 + y * 113 + 5) & ((1U << bits) - 1);
}

static void put(uint8_t *at, unsigned value, bool wide)
{
    at[0] = (uint8_t)value;
    if (wide)
        at[1] = (uint8_t)(value >> 8);
}

/* Y, then Cb and Cr by turns; samples are in the high bits of their words. */
static AVFrame *make(enum AVPixelFormat format, unsigned bits, unsigned low_zeros)
{
    AVFrame *frame = allocate(format);
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);
    const bool wide = bits > 8;
    const unsigned bytes = wide ? 2 : 1;
    const unsigned rows = (unsigned)AV_CEIL_RSHIFT(HEIGHT, desc->log2_chroma_h);
    for (unsigned y = 0; y < HEIGHT; y++) {
        for (unsigned x = 0; x < WIDTH; x++)
            put(frame->data[0] + y * (unsigned)frame->linesize[0] + x * bytes,
                sample(0, x, y, bits) << low_zeros, wide);
    }
    for (unsigned y = 0; y < rows; y++) {
        for (unsigned x = 0; x < WIDTH; x++)
            put(frame->data[1] + y * (unsigned)frame->linesize[1] + x * bytes,
                sample(1 + x % 2, x / 2, y, bits) << low_zeros, wide);
    }
    return frame;
}

static void check(enum AVPixelFormat packed, unsigned bits, unsigned low_zeros,
                  enum VmafPixelFormat expected, unsigned shift)
{
    Layout layout;
    assert_int_equal(layout_describe(packed, &layout), 0);
    assert_int_equal(layout.pixel_format, expected);
    assert_int_equal(layout.bit_depth, bits);
    assert_true(layout.is_exact);
    assert_false(layout.is_planar);
    AVFrame *from = make(packed, bits, low_zeros);
    AVFrame *to = allocate(layout_planar(expected, bits + shift));
    layout_gather(to, from, shift, 7);
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(to->format);
    const bool wide = bits + shift > 8;
    for (unsigned p = 0; p < 3; p++) {
        const unsigned width = p ? WIDTH / 2 : WIDTH;
        const unsigned height = p ? (unsigned)AV_CEIL_RSHIFT(HEIGHT, desc->log2_chroma_h) : HEIGHT;
        for (unsigned y = 0; y < height; y++) {
            for (unsigned x = 0; x < width; x++) {
                const uint8_t *at =
                    to->data[p] + y * (unsigned)to->linesize[p] + x * (wide ? 2 : 1);
                const unsigned value = wide ? at[0] | (unsigned)at[1] << 8 : at[0];
                assert_int_equal(value, sample(p, x, y, bits) << shift);
            }
        }
    }
    av_frame_free(&from);
    av_frame_free(&to);
}

CASE(given_semi_planar_frames_then_samples_are_taken_apart)
{
    check(AV_PIX_FMT_NV12, 8, 0, VMAF_PIX_FMT_YUV420P, 0);
    check(AV_PIX_FMT_NV12, 8, 0, VMAF_PIX_FMT_YUV420P, 2);
    check(AV_PIX_FMT_NV16, 8, 0, VMAF_PIX_FMT_YUV422P, 0);
    check(AV_PIX_FMT_P010LE, 10, 6, VMAF_PIX_FMT_YUV420P, 0);
    check(AV_PIX_FMT_P010LE, 10, 6, VMAF_PIX_FMT_YUV420P, 2);
    check(AV_PIX_FMT_P016LE, 16, 0, VMAF_PIX_FMT_YUV420P, 0);
}

CASE(given_other_chroma_then_the_nearest_format_is_named)
{
    static const struct {
        enum AVPixelFormat format;
        enum VmafPixelFormat nearest;
        const char *other;
        bool rgb;
    } cases[] = {
        {AV_PIX_FMT_YUV410P, VMAF_PIX_FMT_YUV420P, "4:1:0", false},
        {AV_PIX_FMT_YUV411P, VMAF_PIX_FMT_YUV422P, "4:1:1", false},
        {AV_PIX_FMT_YUV440P, VMAF_PIX_FMT_YUV444P, "4:4:0", false},
        {AV_PIX_FMT_YUVA420P, VMAF_PIX_FMT_YUV420P, "", false},
        {AV_PIX_FMT_GRAY10, VMAF_PIX_FMT_YUV400P, "", false},
        {AV_PIX_FMT_PAL8, VMAF_PIX_FMT_YUV444P, "", true},
        {AV_PIX_FMT_GBRP10, VMAF_PIX_FMT_YUV444P, "", true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Layout layout;
        assert_int_equal(layout_describe(cases[i].format, &layout), 0);
        assert_int_equal(layout.pixel_format, cases[i].nearest);
        assert_string_equal(layout.other, cases[i].other);
        assert_int_equal(layout.is_rgb, cases[i].rgb);
    }
    Layout layout;
    assert_int_not_equal(layout_describe(AV_PIX_FMT_CUDA, &layout), 0);
}
