/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/mirror.h"
#include "support/cases.h"

/* What the samples of a picture of five are at positions -4 to 8. */
enum { N = 5, FIRST = -4, POSITIONS = 13 };

static void expect(unsigned (*rule)(int, unsigned), const unsigned samples[POSITIONS])
{
    for (int i = 0; i < POSITIONS; i++)
        assert_int_equal(rule(FIRST + i, N), samples[i]);
}

static void test_whole_sample_symmetry_does_not_repeat_the_border(void **state)
{
    static const unsigned samples[POSITIONS] = {4, 3, 2, 1, 0, 1, 2, 3, 4, 3, 2, 1, 0};
    expect(mirror_whole_sample, samples);
}

static void test_half_sample_symmetry_repeats_the_border(void **state)
{
    static const unsigned samples[POSITIONS] = {3, 2, 1, 0, 0, 1, 2, 3, 4, 4, 3, 2, 1};
    expect(mirror_half_sample, samples);
}

static void test_mixed_symmetry_repeats_the_last_sample_only(void **state)
{
    static const unsigned samples[POSITIONS] = {4, 3, 2, 1, 0, 1, 2, 3, 4, 4, 3, 2, 1};
    expect(mirror_whole_and_half, samples);
}

static void test_windows_wider_than_the_picture_are_folded_again(void **state)
{
    for (int i = -20; i < 20; i++) {
        /* 0, 1, 2, 1 over and over */
        static const unsigned period[4] = {0, 1, 2, 1};
        assert_int_equal(mirror_whole_sample(i, 3), period[(unsigned)i % 4]);
        assert_int_equal(mirror_whole_sample(i, 2), (unsigned)i % 2);
        assert_int_equal(mirror_whole_sample(i, 1), 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_sample_symmetry_does_not_repeat_the_border),
        cmocka_unit_test(test_half_sample_symmetry_repeats_the_border),
        cmocka_unit_test(test_mixed_symmetry_repeats_the_last_sample_only),
        cmocka_unit_test(test_windows_wider_than_the_picture_are_folded_again),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
