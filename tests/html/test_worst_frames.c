/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../cli/reports/reports_internal.h"
#include "libvmaf/libvmaf_ext.h"
#include "support/cases.h"

enum { N = 1000, PIECE = 25, WANTED = 10, SIDE = 16 };

static double scores[N];
static unsigned n_living;

static int score_of(void *cookie, unsigned frame, double *score)
{
    *score = scores[frame];
    return 0;
}

static void count_release(void *cookie)
{
    n_living--;
}

/* All samples say which frame it is. */
static VmafPicture picture_of(unsigned char memory[SIDE * SIDE])
{
    VmafPicture picture;
    void *const planes[3] = {memory, NULL, NULL};
    const ptrdiff_t stride[3] = {SIDE, 0, 0};
    assert_int_equal(vmaf_picture_wrap(&picture, VMAF_PIX_FMT_YUV400P, 8, SIDE, SIDE, planes,
                                       stride, count_release, NULL),
                     0);
    n_living++;
    return picture;
}

static unsigned run(WorstFrames *worst, HtmlFrame *frames)
{
    static unsigned char memory[N][SIDE * SIDE];
    for (unsigned i = 0; i < N; i++) {
        memset(memory[i], 16 + (int)(i % 200), SIDE * SIDE);
        VmafPicture reference = picture_of(memory[i]), distorted = picture_of(memory[i]);
        worst_frames_add(worst, &reference, &distorted, i);
        vmaf_picture_unref(&reference);
        vmaf_picture_unref(&distorted);
        assert_true(n_living <= 2 * worst_frames_capacity(worst));
    }
    worst_frames_finish(worst);
    assert_int_equal(n_living, 0);
    return worst_frames_get(worst, frames);
}

/* The same by looking at all scores: the worst of each piece, not next to a worse one. */
static unsigned expect(unsigned *frames, int high_is_bad)
{
    unsigned worst[N / PIECE], n = 0;
    const double sign = high_is_bad ? -1 : 1;
    for (unsigned p = 0; p < N / PIECE; p++) {
        worst[p] = p * PIECE;
        for (unsigned i = p * PIECE; i < (p + 1) * PIECE; i++)
            worst[p] = sign * scores[i] < sign * scores[worst[p]] ? i : worst[p];
    }
    while (n < WANTED) {
        int best = -1;
        for (unsigned p = 0; p < N / PIECE; p++) {
            int near = 0;
            for (unsigned i = 0; i < n; i++)
                near |= 2 * abs((int)worst[p] - (int)frames[i]) < PIECE;
            if (!near && (best < 0 || sign * scores[worst[p]] < sign * scores[worst[best]]))
                best = (int)p;
        }
        frames[n++] = worst[best];
    }
    return n;
}

CASE(worst_frames_of_pieces_are_kept)
{
    srand(7);
    for (int round = 0; round < 40; round++) {
        const int high = round & 1;
        for (unsigned i = 0; i < N; i++) /* some rounds with a slope, some with much noise */
            scores[i] = (round % 4 < 2 ? i * 0.1 : 0) + rand() % 10000 * 1e-2;
        const WorstFramesConfig config = {.wanted = WANTED,
                                          .piece = PIECE,
                                          .held = 1 + (unsigned)round % 9,
                                          .longest = SIDE,
                                          .high_is_bad = high,
                                          .score = score_of};
        WorstFrames *worst;
        HtmlFrame frames[WANTED];
        unsigned expected[WANTED];
        assert_int_equal(worst_frames_create(&worst, &config), 0);
        assert_int_equal(run(worst, frames), expect(expected, high));
        for (unsigned i = 0; i < WANTED; i++) {
            assert_true(frames[i].score == scores[expected[i]]);
            assert_int_equal(frames[i].score == scores[frames[i].frame], 1);
            const int luma = (int)(expected[i] % 200) * 255 / 219;
            if (frames[i].frame == expected[i])
                assert_true(abs(frames[i].reference.rgb[0] - luma) <= 1);
        }
        worst_frames_destroy(worst);
    }
}

CASE(pictures_are_released_in_the_middle)
{
    static unsigned char memory[SIDE * SIDE];
    const WorstFramesConfig config = {
        .wanted = 2, .piece = 5, .held = 3, .longest = 8, .score = score_of};
    WorstFrames *worst;
    assert_int_equal(worst_frames_create(&worst, &config), 0);
    for (unsigned i = 0; i < 12; i++) {
        VmafPicture reference = picture_of(memory), distorted = picture_of(memory);
        worst_frames_add(worst, &reference, &distorted, i);
        vmaf_picture_unref(&reference);
        vmaf_picture_unref(&distorted);
    }
    assert_true(n_living > 0);
    worst_frames_destroy(worst);
    assert_int_equal(n_living, 0);
}

CASE(thumbnails_show_colours_and_differences)
{
    VmafPicture a, b;
    uint8_t rgb[8 * 4 * 3];
    assert_int_equal(vmaf_picture_alloc(&a, VMAF_PIX_FMT_YUV420P, 10, 64, 32), 0);
    assert_int_equal(vmaf_picture_alloc(&b, VMAF_PIX_FMT_YUV420P, 10, 64, 32), 0);
    const unsigned red[3] = {63 * 4, 102 * 4, 240 * 4}; /* BT.709 */
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned y = 0; y < a.h[p]; y++) {
            for (unsigned x = 0; x < a.w[p]; x++) {
                ((uint16_t *)((char *)a.data[p] + y * a.stride[p]))[x] = (uint16_t)red[p];
                ((uint16_t *)((char *)b.data[p] + y * b.stride[p]))[x] =
                    (uint16_t)(red[p] + (x >= 32 ? 32 * 4 : 0));
            }
        }
    }
    const ThumbnailSize size = thumbnail_size(64, 32, 8);
    assert_int_equal(size.width, 8);
    assert_int_equal(size.height, 4);
    assert_int_equal(thumbnail_make(rgb, size, &a), 0);
    assert_true(rgb[0] >= 253 && rgb[1] <= 2 && rgb[2] <= 2);
    assert_int_equal(thumbnail_of_difference(rgb, size, &a, &b), 0);
    assert_true(rgb[0] == 0 && rgb[1] == 0 && rgb[2] == 0);
    assert_true(rgb[21] == 252 && rgb[22] == 255 && rgb[23] == 164); /* 8 * 32, the brightest */
    vmaf_picture_unref(&a);
    vmaf_picture_unref(&b);
}

static unsigned noise_at(const VmafPicture *picture, unsigned x, unsigned y)
{
    const char *row = (const char *)picture->data[0] + y * picture->stride[0];
    return picture->bpc > 8 ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
}

static void fill_with_noise(VmafPicture *picture, uint32_t seed)
{
    for (unsigned y = 0; y < picture->h[0]; y++) {
        char *row = (char *)picture->data[0] + y * picture->stride[0];
        for (unsigned x = 0; x < picture->w[0]; x++) {
            seed = seed * 1664525u + 1013904223u;
            if (picture->bpc > 8)
                ((uint16_t *)row)[x] = (uint16_t)(seed >> (32 - picture->bpc));
            else
                ((uint8_t *)row)[x] = (uint8_t)(seed >> 24);
        }
    }
}

/* Mean over the samples that a place stands for, of 8 bits: of a picture, or of a difference. */
static double mean_at(const VmafPicture *a, const VmafPicture *b, ThumbnailSize size, unsigned x,
                      unsigned y)
{
    double sum = 0;
    unsigned n = 0;
    for (unsigned v = y * a->h[0] / size.height; v < (y + 1) * a->h[0] / size.height; v++) {
        for (unsigned u = x * a->w[0] / size.width; u < (x + 1) * a->w[0] / size.width; u++) {
            const double sample = noise_at(a, u, v);
            sum += b ? fabs(sample - noise_at(b, u, v)) : sample;
            n++;
        }
    }
    return sum / n / (1 << (a->bpc - 8));
}

CASE(thumbnails_are_means_of_areas)
{
    for (unsigned depth = 8; depth <= 16; depth += 2) {
        VmafPicture a, b;
        assert_int_equal(vmaf_picture_alloc(&a, VMAF_PIX_FMT_YUV400P, depth, 75, 38), 0);
        assert_int_equal(vmaf_picture_alloc(&b, VMAF_PIX_FMT_YUV400P, depth, 75, 38), 0);
        fill_with_noise(&a, 1);
        fill_with_noise(&b, 2);
        const ThumbnailSize size = thumbnail_size(75, 38, 31);
        uint8_t rgb[31 * 31 * 3], swapped[sizeof(rgb)];
        assert_int_equal(thumbnail_make(rgb, size, &a), 0);
        for (unsigned i = 0; i < size.width * size.height; i++) {
            const double mean = mean_at(&a, NULL, size, i % size.width, i / size.width);
            const double grey = fmin(fmax((mean - 16) * 255 / 219, 0), 255);
            for (unsigned c = 0; c < 3; c++)
                assert_true(fabs(rgb[3 * i + c] - grey) < 0.501);
        }
        /* Differences of two samples are a third of their range; these must not be too bright. */
        for (unsigned y = 0; y < a.h[0]; y++) {
            for (unsigned x = 0; x < a.w[0]; x++) {
                const unsigned sample = noise_at(&a, x, y), other = noise_at(&b, x, y);
                char *row = (char *)b.data[0] + y * b.stride[0];
                const unsigned near = sample / 8 * 7 + other / 8;
                if (depth > 8)
                    ((uint16_t *)row)[x] = (uint16_t)near;
                else
                    ((uint8_t *)row)[x] = (uint8_t)near;
            }
        }
        assert_int_equal(thumbnail_of_difference(rgb, size, &a, &b), 0);
        assert_int_equal(thumbnail_of_difference(swapped, size, &b, &a), 0);
        assert_memory_equal(rgb, swapped, 3 * size.width * size.height);
        for (unsigned i = 0; i < size.width * size.height; i++) {
            const double heat =
                DIFFERENCE_GAIN * mean_at(&a, &b, size, i % size.width, i / size.width);
            const double red = heat < 51    ? 66 * heat / 51
                               : heat < 102 ? 66 + 81 * (heat - 51) / 51
                                            : -1;
            if (red >= 0)
                assert_true(fabs(rgb[3 * i] - red) < 0.51);
        }
        vmaf_picture_unref(&a);
        vmaf_picture_unref(&b);
    }
}

CASE(references_share_samples)
{
    static unsigned char memory[SIDE * SIDE];
    VmafPicture picture = picture_of(memory), copy, none = {0};
    assert_int_equal(vmaf_picture_share(&copy, &none), -22);
    assert_int_equal(vmaf_picture_share(NULL, &picture), -22);
    assert_int_equal(vmaf_picture_share(&copy, &picture), 0);
    assert_ptr_equal(copy.data[0], memory);
    vmaf_picture_unref(&picture);
    assert_int_equal(n_living, 1);
    vmaf_picture_unref(&copy);
    assert_int_equal(n_living, 0);
}

CASE(senses_are_known)
{
    assert_int_equal(score_sense("psnr_y"), HTML_LOW_IS_BAD);
    assert_int_equal(score_sense("ciede2000"), HTML_HIGH_IS_BAD);
    assert_int_equal(score_sense("cambi"), HTML_HIGH_IS_BAD);
    assert_int_equal(score_sense("integer_motion2"), HTML_NO_SENSE);
    assert_int_equal(score_sense("integer_aim"), HTML_HIGH_IS_BAD);
    assert_int_equal(score_sense("something"), HTML_NO_SENSE);
}
