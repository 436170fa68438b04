/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * float_ansnr against its definition: two-dimensional filters, every tap of every sample looked up
 * in the picture. Sums of rows must be equal to the last bit at every width.
 */
#include <stdlib.h>
#include <string.h>

#include "feature/float_ansnr/float_ansnr.h"
#include "libvmaf/backend_records.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "support/tile_pattern.h"

enum { MAX_WIDTH = 140, MAX_HEIGHT = 20 };

typedef struct Plane {
    int w, h;
    float at[MAX_HEIGHT][MAX_WIDTH];
} Plane;

static const double smooth[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
static const double smoother[5][5] = {{2, 7, 12, 7, 2},
                                      {7, 31, 52, 31, 7},
                                      {12, 52, 127, 52, 12},
                                      {7, 31, 52, 31, 7},
                                      {2, 7, 12, 7, 2}};

static void load(Plane *plane, const PictureFormat *format, HarnessSample sample)
{
    plane->w = (int)format->w[0];
    plane->h = (int)format->h[0];
    for (int y = 0; y < plane->h; y++)
        for (int x = 0; x < plane->w; x++)
            plane->at[y][x] = (float)sample((unsigned)x, (unsigned)y, 0, 0, format->bpc) /
                                  (float)(1u << (format->bpc - 8)) -
                              128;
}

/* The first sample of a row or column is not repeated beyond it, the last one is. */
static int mirrored(int i, int n)
{
    return i < 0 ? -i : i >= n ? 2 * n - i - 1 : i;
}

static float filtered(const Plane *plane, int x, int y, int size, const double *taps,
                      double divisor)
{
    float total = 0;
    for (int j = 0; j < size; j++) {
        const float *row = plane->at[mirrored(y + j - size / 2, plane->h)];
        float sum = 0;
        for (int i = 0; i < size; i++)
            sum +=
                (float)(taps[j * size + i] / divisor) * row[mirrored(x + i - size / 2, plane->w)];
        total += sum;
    }
    return total;
}

static VmafRecordFloatAnsnrRow defined_row(const Plane *ref, const Plane *dist, int y)
{
    VmafRecordFloatAnsnrRow sums = {0, 0};
    for (int x = 0; x < ref->w; x++) {
        const float a = filtered(ref, x, y, 3, smooth[0], 16);
        const float difference = a - filtered(dist, x, y, 5, smoother[0], 571);
        sums.signal += a * a;
        sums.noise += difference * difference;
    }
    return sums;
}

static void check(const PictureFormat *format)
{
    static Plane ref, dist;
    load(&ref, format, tile_pattern_ref);
    load(&dist, format, tile_pattern_dist);
    VmafPicture ref_picture = harness_picture(format, tile_pattern_ref, 0);
    VmafPicture dist_picture = harness_picture(format, tile_pattern_dist, 0);
    FinishHarness harness;
    harness_start(&harness, &float_ansnr_extractor, "", format);
    harness_frame(&harness, &(FrameInput){.ref = &ref_picture, .dist = &dist_picture}, 0);
    const VmafRecordFloatAnsnrRow *rows = harness.record;
    for (int y = 0; y < ref.h; y++) {
        const VmafRecordFloatAnsnrRow expected = defined_row(&ref, &dist, y);
        if (memcmp(&rows[y], &expected, sizeof(expected)))
            fail_msg("%dx%d, %u bits, row %d: %.9g %.9g, not %.9g %.9g", ref.w, ref.h, format->bpc,
                     y, (double)rows[y].signal, (double)rows[y].noise, (double)expected.signal,
                     (double)expected.noise);
    }
    harness_stop(&harness);
    harness_picture_free(&ref_picture);
    harness_picture_free(&dist_picture);
}

static void given_any_width_then_sums_are_those_of_the_definition(void **state)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned w = 3; w <= MAX_WIDTH; w++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, depths[w % 4], w, 3 + w % 3);
        check(&format);
    }
}

static void given_any_height_then_sums_are_those_of_the_definition(void **state)
{
    for (unsigned h = 3; h <= MAX_HEIGHT; h++) {
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 3 + h % 5, h);
        check(&format);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_any_width_then_sums_are_those_of_the_definition),
        cmocka_unit_test(given_any_height_then_sums_are_those_of_the_definition),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
