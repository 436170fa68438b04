/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Gaussian windows. Sizes and taps: libvmaf 3.2 reference values. */
#include <stdlib.h>
#include <string.h>

#include "feature/common/gaussian_window.h"
#include "support/cases.h"

static const struct {
    double scale;
    int nine, two; /* sizes of the windows of 9 and of 2 taps */
} windows[] = {
    {1, 9, 3},         {1.0 / 2, 5, 3},     {3.0 / 2, 15, 3}, {2, 19, 5},       {2.0 / 3, 7, 3},
    {2.4, 23, 5},      {360.0 / 97, 35, 9}, {4.0 / 3, 13, 3}, {3.5 / 3, 11, 3}, {1.25, 13, 3},
    {4.25 / 3, 13, 3}, {5.0 / 3, 15, 5},    {3, 27, 7},       {1 / 2.25, 5, 3}, {1.4746, 15, 3},
    {1.54, 15, 5},     {1.6, 15, 5},        {1.06667, 11, 3}, {0.711111, 7, 3}, {0.740740, 7, 3},
    {1.111111, 11, 3},
};

static void given_known_scales_then_sizes_are_known(void **state)
{
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
        assert_int_equal(gaussian_scale_check("ks", windows[i].scale, NULL), 0);
        assert_int_equal(gaussian_window_size(9, windows[i].scale), windows[i].nine);
        assert_int_equal(gaussian_window_size(2, windows[i].scale), windows[i].two);
    }
}

static void given_other_scales_then_refused_with_the_list(void **state)
{
    static const double refused[] = {0.1, 4, 1.002, 0.998, 1.7, 3.3};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        Reason why = {""};
        assert_true(gaussian_scale_check("ks", refused[i], &why) < 0);
        assert_non_null(strstr(why.text, "option ks: "));
        assert_non_null(strstr(why.text, "1.06667, 0.711111, 0.74074, 1.111111"));
    }
    assert_int_equal(gaussian_scale_check("ks", 1.0009, NULL), 0);
    assert_int_equal(gaussian_scale_check("ks", 0.9991, NULL), 0);
}

static void given_sizes_then_taps_are_known(void **state)
{
    static const float nine[] = {0x1.35db8cp-4f, 0x1.95ed7p-4f,  0x1.ec4b3cp-4f,
                                 0x1.1459bp-3f,  0x1.1f3866p-3f, 0x1.1459bp-3f,
                                 0x1.ec4b3cp-4f, 0x1.95ed7p-4f,  0x1.35db8cp-4f};
    static const float three[] = {0x1.54be42p-3f, 0x1.55a0dep-1f, 0x1.54be42p-3f};
    float taps[9];
    gaussian_window(taps, 9, 3.6f);
    assert_memory_equal(taps, nine, sizeof(nine));
    gaussian_window(taps, 3, 0.6f);
    assert_memory_equal(taps, three, sizeof(three));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_known_scales_then_sizes_are_known),
        cmocka_unit_test(given_other_scales_then_refused_with_the_list),
        cmocka_unit_test(given_sizes_then_taps_are_known),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
