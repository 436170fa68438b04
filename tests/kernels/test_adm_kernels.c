/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The kernels of float_adm that add terms up, and what devices are asked to do for adm and
 * float_adm. Records of whole frames are those of test_metrics.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "metrics/adm/adm_device.h"
#include "metrics/float_adm/float_adm_device.h"
#include "metrics/float_adm/float_adm_internal.h"
#include "random_numbers.h"
#include "support/cases.h"
#include "test_sets.h"

/* On the emulator with kernels that use its binary32, or with those that compute in integers. */
static bool is_exact = true;

static void open_device(Fixture *fixture)
{
    const EmulatorOptions options = {
        .order = EMULATOR_ORDER_RANDOM, .seed = 7, .no_exact_float32 = !is_exact};
    fixture_open_kernels(fixture, product_kernel_set(layer_name), &options);
}

static const FloatAdmOptions usual = {
    .enhn_gain_limit = 100.0,
    .norm_view_dist = 3.0,
    .ref_display_height = 1080,
    .csf_scale = 1.0,
    .csf_diag_scale = 1.0,
    .p_norm = 3.0,
    .hv_weight = {-1, -1, -1, -1},
    .diagonal_weight = {-1, -1, -1, -1},
};

/* -- sums -- */

/* Terms of all sizes, most of them such that sums are rounded. */
static float any_term(void)
{
    const float term = (float)(noise() % 1000003) * 0x1p-20F;
    return noise() % 5 ? term : noise() % 3 ? term * 0x1p+12F : 0.0F;
}

static void check_rows(Fixture *fixture, int32_t rows, int32_t term_rows, int32_t columns)
{
    const int32_t planes = rows / term_rows, sum_stride = term_rows + 3, first = 5;
    const float_adm_rows_args args = {rows, columns, columns + 7, term_rows, first, sum_stride};
    const size_t n_terms = (size_t)rows * (size_t)args.stride;
    const size_t n_sums = (size_t)(first + planes * sum_stride);
    float *terms = calloc(n_terms, sizeof(float)), *sums = calloc(n_sums, sizeof(float));
    for (size_t i = 0; i < n_terms; i++)
        terms[i] = any_term();
    const FixtureBuffer buffers[] = {{n_terms * sizeof(float), terms, NULL},
                                     {n_sums * sizeof(float), sums, sums}};
    const uint32_t groups[3] = {(uint32_t)(rows + FLOAT_ADM_ROWS - 1) / FLOAT_ADM_ROWS, 1, 1};
    assert_int_equal(fixture_run(fixture, "float_adm_rows", buffers, &args, groups), 0);
    for (int32_t row = 0; row < rows; row++) {
        float expected = 0.0F;
        for (int32_t x = 0; x < columns; x++)
            expected += terms[(size_t)row * (size_t)args.stride + (size_t)x];
        const float actual = sums[first + row / term_rows * sum_stride + row % term_rows];
        if (memcmp(&actual, &expected, sizeof(actual)))
            fail_msg("%d rows of %d, row %d: %a, not %a", rows, columns, row, (double)actual,
                     (double)expected);
    }
    free(terms);
    free(sums);
}

CASE(given_terms_then_rows_are_added_from_left_to_right)
{
    Fixture fixture;
    open_device(&fixture);
    static const int32_t columns[] = {1, 2, 31, 32, 33, 63, 64, 65, 95, 96, 97, 200};
    for (unsigned i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        check_rows(&fixture, 9 * (1 + (int32_t)i), 1 + (int32_t)i, columns[i]);
        check_rows(&fixture, 31 + (int32_t)i % 4, 31 + (int32_t)i % 4, columns[i]);
    }
    fixture_close(&fixture);
}

CASE(given_sums_of_rows_then_members_are_added_from_top_to_bottom)
{
    enum { SUMS = 700, MEMBERS = VMAF_FLOAT_ADM_MEMBERS };
    float sums[SUMS], record[MEMBERS];
    float_adm_column columns[MEMBERS];
    for (unsigned i = 0; i < SUMS; i++)
        sums[i] = any_term();
    for (unsigned i = 0; i < MEMBERS; i++) {
        columns[i].rows = i % 5 ? (int32_t)(noise() % 300) : 0;
        columns[i].first = (int32_t)(noise() % (uint32_t)(SUMS - columns[i].rows));
    }
    const FixtureBuffer buffers[] = {{sizeof(sums), sums, NULL},
                                     {sizeof(columns), columns, NULL},
                                     {sizeof(record), NULL, record}};
    const float_adm_total_args args = {MEMBERS};
    Fixture fixture;
    open_device(&fixture);
    assert_int_equal(
        fixture_run(&fixture, "float_adm_total", buffers, &args, (uint32_t[3]){1, 1, 1}), 0);
    fixture_close(&fixture);
    for (unsigned i = 0; i < MEMBERS; i++) {
        float expected = 0.0F;
        for (int32_t row = 0; row < columns[i].rows; row++)
            expected += sums[columns[i].first + row];
        assert_memory_equal(&record[i], &expected, sizeof(expected));
    }
}

/* -- the plan -- */

static int plan_for(VmafFloatAdmPlan *plan, unsigned w, unsigned h,
                    const FloatAdmOptions *const sets[], uint32_t n)
{
    const VmafFloatAdmGeometry geometry = {w, h, 8, (w + 3) / 4 * 4};
    return vmaf_float_adm_plan(plan, &geometry, (const void *const *)sets, n);
}

/* Chunks are bands of rows of tiles, without gaps; their terms fit into one binding. */
CASE(given_large_pictures_the_terms_are_made_in_chunks)
{
    static const unsigned sizes[][3] = {
        {1920, 1080, 1}, {3840, 2160, 4}, {7680, 4320, 8}, {17, 60000, 2}};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        VmafFloatAdmPlan plan;
        assert_int_equal(
            plan_for(&plan, sizes[i][0], sizes[i][1], (const FloatAdmOptions *[]){&usual}, 1), 0);
        assert_int_equal(plan.scales[0].n_chunks, sizes[i][2]);
        for (uint32_t s = 0; s < ADM_SCALES; s++) {
            const VmafFloatAdmScale *scale = &plan.scales[s];
            int32_t next_row = scale->args.first_y, next_window = scale->args.window_y0;
            uint32_t tile_rows = 0;
            for (uint32_t c = 0; c < scale->n_chunks; c++) {
                const VmafFloatAdmChunk chunk = vmaf_float_adm_chunk(scale, c);
                assert_int_equal(chunk.args.first_y, next_row);
                assert_in_range(chunk.terms_size, 1, 32 << 20);
                next_row += (int32_t)chunk.groups[1] * FLOAT_ADM_TILE_ROWS;
                tile_rows += chunk.groups[1];
                if (chunk.args.variants == 0) /* approximations alone */
                    continue;
                assert_int_equal(chunk.args.window_y0, next_window);
                next_window = chunk.args.window_y1;
            }
            assert_int_equal(next_window, scale->args.window_y1);
            assert_int_equal(tile_rows, scale->groups[1]);
        }
    }
}

CASE(given_what_devices_cannot_do_the_plan_of_float_adm_says_so)
{
    VmafFloatAdmPlan plan;
    FloatAdmOptions sets[5] = {usual, usual, usual, usual, usual};
    for (int i = 0; i < 5; i++)
        sets[i].enhn_gain_limit = 1.0 + i;
    const FloatAdmOptions *const five[] = {&sets[0], &sets[1], &sets[2], &sets[3], &sets[4]};
    assert_int_equal(plan_for(&plan, 1920, 1080, five, 4), 0);
    assert_int_equal(plan_for(&plan, 1920, 1080, five, 5), -E2BIG);
    assert_int_equal(plan_for(&plan, 16384, 16384, five, 1), -ENOTSUP);
    assert_int_equal(plan_for(&plan, 32, 4000000, five, 1), -ENOTSUP);
    sets[0].p_norm = 2.0;
    sets[1].p_norm = 1.0;
    assert_false(vmaf_float_adm_has_norm(&sets[0]));
    assert_true(vmaf_float_adm_has_norm(&sets[1]));
    assert_true(vmaf_float_adm_has_norm(&sets[2]));
}

CASE(given_what_devices_cannot_do_the_plan_of_adm_says_so)
{
    AdmOptions options[3];
    for (int i = 0; i < 3; i++)
        options[i] = (AdmOptions){.enhn_gain_limit = 1.0 + i,
                                  .norm_view_dist = 3.0,
                                  .ref_display_height = 1080,
                                  .csf_scale = 1.0,
                                  .csf_diag_scale = 1.0};
    const void *const sets[] = {&options[0], &options[1], &options[2]};
    VmafAdmPlan plan;
    const VmafAdmGeometry hd = {1920, 1080, 8, 1920, 1920};
    assert_int_equal(vmaf_adm_plan(&plan, &hd, sets, 1), 0);
    VmafAdmGeometry geometry = hd;
    geometry.ref_stride = 1919;
    assert_int_equal(vmaf_adm_plan(&plan, &geometry, sets, 1), -EINVAL);
    geometry = hd;
    geometry.depth = 10;
    assert_int_equal(vmaf_adm_plan(&plan, &geometry, sets, 1), -EINVAL);
    const VmafAdmGeometry huge = {16384, 16384, 8, 16384, 16384};
    assert_int_equal(vmaf_adm_plan(&plan, &huge, sets, 1), -ENOTSUP);
    const VmafAdmGeometry tall = {32, 4000000, 8, 32, 32};
    assert_int_equal(vmaf_adm_plan(&plan, &tall, sets, 1), -ENOTSUP);
    assert_int_equal(vmaf_adm_plan(&plan, &hd, sets, 2), 0);
    assert_int_equal(vmaf_adm_plan(&plan, &hd, sets, 3), -E2BIG);
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    select_cases(argc, argv);
    int failures = run_defined_cases(NULL, NULL);
    is_exact = false;
    if (is_emulator())
        failures += run_defined_cases(NULL, NULL);
    return end_cases(failures);
}
