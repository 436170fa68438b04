/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Bands, windows and the cone of ADM. */

#include "definition/adm/adm_geometry.h"
#include "support/cases.h"

static void expect_range(AdmRange range, int begin, int end)
{
    assert_int_equal(range.begin, begin);
    assert_int_equal(range.end, end);
}

static void test_bands_halve_rounding_up(void **state)
{
    AdmAxis axes[ADM_SCALES];
    adm_axes_init(axes, 1081);
    static const int inputs[ADM_SCALES] = {1081, 541, 271, 136},
                     sizes[ADM_SCALES] = {541, 271, 136, 68};
    for (int s = 0; s < ADM_SCALES; s++) {
        assert_int_equal(axes[s].input, inputs[s]);
        assert_int_equal(axes[s].size, sizes[s]);
    }
}

/* The definition of the border is in floating point. */
static void test_window_leaves_out_a_tenth_on_each_side(void **state)
{
    for (int size = 1; size < 70000; size++) {
        AdmAxis axes[ADM_SCALES];
        adm_axes_init(axes, 2 * size);
        const int border = (int)(0.1 * size - 0.5);
        expect_range(axes[0].window, border, size - border);
    }
}

static void test_cone_of_1080p_covers_three_quarters(void **state)
{
    AdmAxis columns[ADM_SCALES], rows[ADM_SCALES];
    AdmExtent column_cone[ADM_SCALES], row_cone[ADM_SCALES];
    AdmRange all_columns[ADM_SCALES], all_rows[ADM_SCALES];
    adm_axes_init(columns, 1920);
    adm_axes_init(rows, 1080);
    for (int s = 0; s < ADM_SCALES; s++) {
        all_columns[s] = (AdmRange){0, columns[s].size};
        all_rows[s] = (AdmRange){0, rows[s].size};
    }
    adm_cone_init(column_cone, columns, all_columns);
    adm_cone_init(row_cone, rows, all_rows);
    expect_range(column_cone[0].detail, 94, 866);
    expect_range(row_cone[0].detail, 52, 488);
    expect_range(adm_wavelet_support(&columns[0], column_cone[0].computed), 145, 1775);
    expect_range(adm_wavelet_support(&rows[0], row_cone[0].computed), 65, 1023);
}

static void test_cone_of_nothing_is_empty(void **state)
{
    AdmAxis rows[ADM_SCALES];
    AdmExtent cone[ADM_SCALES];
    const AdmRange nothing[ADM_SCALES] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    adm_axes_init(rows, 1080);
    adm_cone_init(cone, rows, nothing);
    for (int s = 0; s < ADM_SCALES; s++)
        assert_int_equal(adm_range_length(cone[s].computed), 0);
}

static void expect_shifts(int w, int h, int scale, AdmShifts expected)
{
    AdmAxis columns[ADM_SCALES], rows[ADM_SCALES];
    adm_axes_init(columns, w);
    adm_axes_init(rows, h);
    const AdmShifts shifts = adm_shifts_init(scale, &columns[scale], &rows[scale]);
    assert_memory_equal(&shifts, &expected, sizeof(shifts));
}

static void test_shifts_follow_the_sizes(void **state)
{
    expect_shifts(1920, 1080, 0, (AdmShifts){0, 0, 0, {6, 6, 7}, 10});
    /* From 2^20 positions on, scale 0 of the reference sums is reduced. */
    expect_shifts(3840, 2160, 0, (AdmShifts){0, 0, 1, {7, 7, 8}, 11});
    expect_shifts(7680, 4320, 0, (AdmShifts){0, 0, 3, {8, 8, 9}, 12});
    expect_shifts(1920, 1080, 1, (AdmShifts){31, 9, 8, {9, 9, 9}, 9});
    expect_shifts(1920, 1080, 2, (AdmShifts){30, 8, 7, {8, 8, 8}, 8});
    expect_shifts(17, 17, 0, (AdmShifts){0, 0, 0, {0, 0, 1}, 4});
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bands_halve_rounding_up),
        cmocka_unit_test(test_window_leaves_out_a_tenth_on_each_side),
        cmocka_unit_test(test_cone_of_1080p_covers_three_quarters),
        cmocka_unit_test(test_cone_of_nothing_is_empty),
        cmocka_unit_test(test_shifts_follow_the_sizes),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
