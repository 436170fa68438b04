/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Motion from pixels to record. Known sums: libvmaf 3.2 reference values. */
#include <stdlib.h>
#include <string.h>

#include "feature/motion/motion.h"
#include "feature/motion/motion_kernels.h"
#include "libvmaf/backend_records.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "support/memory.h"
#include "support/motion_pattern.h"

enum { N_FRAMES = 4, MAX_W = 67, MARGIN = 2 };

typedef struct KnownSums {
    unsigned bpc, w, h;
    uint64_t to_previous[3]; /* frames 0-1, 1-2, 2-3 */
    uint64_t two_back[2];    /* frames 0-2, 1-3 */
} KnownSums;

static const KnownSums known_sums[] = {
    {8, 64, 48, {7495299, 7232670, 7460361}, {14568068, 14431662}},
    {10, 67, 35, {5784977, 5487000, 5863274}, {11145129, 11191165}},
    {12, 33, 21, {1814731, 1612995, 1843611}, {3425679, 3450934}},
    {16, 33, 21, {1814573, 1620336, 1838744}, {3432958, 3453576}},
    {8, 3, 3, {32319, 14876, 31782}, {47199, 46661}},
};

typedef struct KnownRows {
    unsigned bpc, w, h;
    int vertical[5], horizontal[5]; /* first values of row 0 */
    uint64_t row_sums[2];           /* of rows 0 and 1 */
} KnownRows;

static const KnownRows known_rows[] = {
    {8,
     64,
     48,
     {-7569, -1587, -3555, 5, -4029},
     {-4210, -3442, -2450, -1907, -1795},
     {171267, 171720}},
    {10,
     67,
     35,
     {-7673, -1599, -3479, -13, -3986},
     {-4249, -3455, -2430, -1886, -1776},
     {180855, 180550}},
    {12,
     33,
     21,
     {-7614, -1654, -3614, 49, -3957},
     {-4267, -3495, -2478, -1890, -1762},
     {88790, 85708}},
    {16,
     33,
     21,
     {-7540, -1672, -3614, -82, -3919},
     {-4246, -3493, -2508, -1937, -1791},
     {89166, 85867}},
};

static uint64_t random_state;

static unsigned random_below(unsigned n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((random_state >> 33) % n);
}

static unsigned random_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)x, (void)y, (void)plane, (void)frame;
    return random_below(1u << bpc);
}

/* The extremes only, in long runs, so that filtered values reach their bounds. */
static unsigned extreme_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)plane;
    return ((x / 7 + y / 9 + frame) & 1) * ((1u << bpc) - 1);
}

static long reflect(long i, long n)
{
    return i < 0 ? -i : i < n ? i : 2 * n - 2 - i;
}

static long sample_at(const VmafPicture *pic, long x, long y)
{
    const char *row = (const char *)pic->data[0] + y * pic->stride[0];
    return pic->bpc > 8 ? ((const uint16_t *)(const void *)row)[x] : ((const uint8_t *)row)[x];
}

/* The definition, in wide arithmetic. */
static uint64_t defined_sad(const VmafPicture *earlier, const VmafPicture *current)
{
    static const int64_t taps[5] = {3571, 16004, 26386, 16004, 3571};
    const long w = current->w[0], h = current->h[0];
    int64_t *vertical = malloc((size_t)w * sizeof(*vertical));
    assert_non_null(vertical);
    uint64_t sad = 0;
    for (long y = 0; y < h; y++) {
        for (long x = 0; x < w; x++) {
            int64_t sum = 1 << (current->bpc - 1);
            for (long k = -2; k <= 2; k++) {
                const long row = reflect(y + k, h);
                sum += taps[k + 2] * (sample_at(earlier, x, row) - sample_at(current, x, row));
            }
            vertical[x] = sum >> current->bpc;
        }
        for (long x = 0; x < w; x++) {
            int64_t sum = 1 << 15;
            for (long k = -2; k <= 2; k++)
                sum += taps[k + 2] * vertical[reflect(x + k, w)];
            sad += (uint64_t)llabs(sum >> 16);
        }
    }
    free(vertical);
    return sad;
}

static uint64_t accumulated_sad(const char *options, const PictureFormat *format,
                                const FrameInput *input)
{
    static FinishHarness harness;
    harness_start(&harness, &motion_extractor, options, format);
    VmafRecordMotion record;
    harness_accumulate_bands(&harness, input, NULL, 0, &record);
    harness_stop(&harness);
    return record.sad;
}

static void known_frames_give_the_sums_of_the_reference(void **state)
{
    for (size_t i = 0; i < sizeof(known_sums) / sizeof(known_sums[0]); i++) {
        const KnownSums *known = &known_sums[i];
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, known->bpc, known->w, known->h);
        VmafPicture pics[N_FRAMES];
        for (unsigned t = 0; t < N_FRAMES; t++)
            pics[t] = harness_picture(&format, motion_pattern, t);
        for (unsigned t = 1; t < N_FRAMES; t++) {
            const FrameInput input = {.ref = &pics[t],
                                      .earlier_ref = {&pics[t - 1], t > 1 ? &pics[t - 2] : NULL}};
            assert_int_equal(accumulated_sad("", &format, &input), known->to_previous[t - 1]);
            assert_int_equal(accumulated_sad("motion_five_frame_window=true", &format, &input),
                             t > 1 ? known->two_back[t - 2] : 0);
        }
        for (unsigned t = 0; t < N_FRAMES; t++)
            harness_picture_free(&pics[t]);
    }
}

/* Row `y` of the pattern's frames 0 and 1, filtered vertically. */
static void filter_known_row(const MotionKernels *kernels, const KnownRows *known, unsigned y,
                             const VmafPicture *pics, MotionRow out)
{
    static int16_t values[MOTION_TAPS][2][MAX_W + 8];
    MotionRow rows[MOTION_TAPS];
    for (unsigned k = 0; k < MOTION_TAPS; k++) {
        const long row = reflect((long)y + k - MOTION_RADIUS, known->h);
        rows[k] = (MotionRow){values[k][0], values[k][1]};
        assert_true(
            kernels->difference(rows[k], (const char *)pics[0].data[0] + row * pics[0].stride[0],
                                (const char *)pics[1].data[0] + row * pics[1].stride[0], known->w));
    }
    kernels->vertical(out, rows, known->w, known->bpc);
    for (unsigned i = 1; i <= MOTION_RADIUS; i++) {
        out.high[-(int)i] = out.high[i];
        out.low[-(int)i] = out.low[i];
        out.high[known->w - 1 + i] = out.high[known->w - 1 - i];
        out.low[known->w - 1 + i] = out.low[known->w - 1 - i];
    }
}

static void known_frames_give_the_filtered_rows_of_the_reference(void **state)
{
    for (size_t i = 0; i < sizeof(known_rows) / sizeof(known_rows[0]); i++) {
        const KnownRows *known = &known_rows[i];
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, known->bpc, known->w, known->h);
        VmafPicture pics[2] = {harness_picture(&format, motion_pattern, 0),
                               harness_picture(&format, motion_pattern, 1)};
        MotionKernels kernels;
        motion_kernels_init(&kernels, known->bpc, 0);
        int16_t high[MAX_W + 8], low[MAX_W + 8];
        const MotionRow out = {high + MARGIN, low + MARGIN};

        filter_known_row(&kernels, known, 0, pics, out);
        for (unsigned x = 0; x < 5; x++) {
            assert_int_equal(4 * out.high[x] + out.low[x], known->vertical[x]);
            assert_in_range(out.low[x], 0, 3);
            const MotionRow at_x = {out.high + x, out.low + x};
            assert_int_equal(kernels.horizontal_sad(at_x, 1), -known->horizontal[x]);
        }
        assert_int_equal(kernels.horizontal_sad(out, known->w), known->row_sums[0]);
        filter_known_row(&kernels, known, 1, pics, out);
        assert_int_equal(kernels.horizontal_sad(out, known->w), known->row_sums[1]);

        harness_picture_free(&pics[0]);
        harness_picture_free(&pics[1]);
    }
}

static void check_against_definition(HarnessSample sample, unsigned bpc, unsigned w, unsigned h)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
    VmafPicture pics[2] = {harness_picture(&format, sample, 0),
                           harness_picture(&format, sample, 1)};
    const FrameInput input = {.ref = &pics[1], .earlier_ref = {&pics[0]}};
    assert_int_equal(accumulated_sad("", &format, &input), defined_sad(&pics[0], &pics[1]));
    harness_picture_free(&pics[0]);
    harness_picture_free(&pics[1]);
}

static void any_depth_and_size_gives_the_sum_of_the_definition(void **state)
{
    random_state = 1;
    for (unsigned bpc = 8; bpc <= 16; bpc++) {
        for (unsigned size = 3; size < 9; size++) {
            check_against_definition(random_sample, bpc, size, 11 - size);
            check_against_definition(extreme_sample, bpc, size, 3);
        }
        check_against_definition(random_sample, bpc, 50, 37);
        check_against_definition(extreme_sample, bpc, 61, 40);
    }
}

static unsigned alternating_frames(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                   unsigned bpc)
{
    (void)x, (void)y, (void)plane;
    return frame * ((1u << bpc) - 1);
}

static void sum_of_a_row_may_exceed_32_bits(void **state)
{
    const unsigned w = 100000, h = 3;
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, w, h);
    VmafPicture pics[2] = {harness_picture(&format, alternating_frames, 0),
                           harness_picture(&format, alternating_frames, 1)};
    const FrameInput input = {.ref = &pics[1], .earlier_ref = {&pics[0]}};
    assert_int_equal(accumulated_sad("", &format, &input), 255 * 256 * (uint64_t)w * h);
    harness_picture_free(&pics[0]);
    harness_picture_free(&pics[1]);
}

static unsigned changing_in_the_middle(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                       unsigned bpc)
{
    const bool changes = x >= 10 && x < 12 && y >= 20 && y < 23;
    return motion_pattern(x, y, plane, changes ? frame : 0, bpc);
}

static void rows_without_change_are_skipped_without_harm(void **state)
{
    static const unsigned depths[] = {8, 10, 16};
    for (unsigned i = 0; i < 3; i++)
        check_against_definition(changing_in_the_middle, depths[i], 40, 40);
}

static void bands_merge_to_the_record_of_the_frame(void **state)
{
    static FinishHarness harness;
    random_state = 2;
    for (unsigned round = 0; round < 60; round++) {
        const unsigned bpc = 8 + random_below(9), h = 3 + random_below(40);
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, bpc, 3 + random_below(40), h);
        VmafPicture pics[3];
        for (unsigned t = 0; t < 3; t++)
            pics[t] = harness_picture(&format, random_sample, t);
        const FrameInput input = {.ref = &pics[2], .earlier_ref = {&pics[1], &pics[0]}};
        harness_start(&harness, &motion_extractor, round % 2 ? "" : "motion_five_frame_window=true",
                      &format);

        unsigned cuts[6], n_cuts = 0, cut = 0;
        while (n_cuts < 6 && (cut += random_below(h)) < h) /* bands may be empty */
            cuts[n_cuts++] = cut;
        VmafRecordMotion whole, merged;
        harness_accumulate_bands(&harness, &input, NULL, 0, &whole);
        harness_accumulate_bands(&harness, &input, cuts, n_cuts, &merged);
        assert_int_equal(merged.sad, whole.sad);
        assert_true(whole.sad > 0);

        harness_stop(&harness);
        for (unsigned t = 0; t < 3; t++)
            harness_picture_free(&pics[t]);
    }
}

static void variants_of_one_plan_are_computed_as_if_alone(void **state)
{
    const KnownSums *known = &known_sums[1];
    const PictureFormat format =
        harness_format(VMAF_PIX_FMT_YUV400P, known->bpc, known->w, known->h);
    VmafPicture pics[3];
    for (unsigned t = 0; t < 3; t++)
        pics[t] = harness_picture(&format, motion_pattern, t);
    const FrameInput input = {.ref = &pics[2], .earlier_ref = {&pics[1], &pics[0]}};

    static const MotionOptions lag1 = {.fps_weight = 1}, lag2 = {.five_frame_window = true},
                               zero = {.force_zero = true, .five_frame_window = true};
    const void *variants[] = {&zero, &lag2, &lag1};
    void *plan, *scratch;
    assert_int_equal(motion_plan_create(&plan, &format, variants, 3, 0), 0);
    assert_int_equal(motion_scratch_create(&scratch, plan), 0);
    const RowBand all = {0, format.h[0]};

    VmafRecordMotion sums[3] = {{0}, {0}, {0}};
    assert_int_equal(
        motion_accumulate(plan, scratch, &input, all, (void *[]){&sums[0], &sums[1], &sums[2]}), 0);
    assert_int_equal(sums[0].sad, 0);
    assert_int_equal(sums[1].sad, known->two_back[0]);
    assert_int_equal(sums[2].sad, known->to_previous[1]);

    memset(sums, 0, sizeof(sums));
    assert_int_equal(
        motion_accumulate(plan, scratch, &input, all, (void *[]){NULL, NULL, &sums[2]}), 0);
    assert_int_equal(sums[2].sad, known->to_previous[1]);

    motion_scratch_destroy(scratch);
    memory_free(plan);
    for (unsigned t = 0; t < 3; t++)
        harness_picture_free(&pics[t]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_frames_give_the_sums_of_the_reference),
        cmocka_unit_test(known_frames_give_the_filtered_rows_of_the_reference),
        cmocka_unit_test(any_depth_and_size_gives_the_sum_of_the_definition),
        cmocka_unit_test(sum_of_a_row_may_exceed_32_bits),
        cmocka_unit_test(rows_without_change_are_skipped_without_harm),
        cmocka_unit_test(bands_merge_to_the_record_of_the_frame),
        cmocka_unit_test(variants_of_one_plan_are_computed_as_if_alone),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
