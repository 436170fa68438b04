/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Copies by several threads: every byte once, also of odd sizes, with strides of either sign. */
#include <stdlib.h>
#include <string.h>

#include "copy_pool.h"
#include "support/cases.h"

enum { COPIES = 3, SPACE = 5 << 20 };

static const struct {
    size_t bytes;
    uint32_t rows;
    int64_t to_stride, from_stride;
} cases[COPIES] = {
    {1919, 1079, 1920, 2048},
    {300001, 7, 300032, -300001}, /* rows longer than a chunk */
    {1, 65537, 3, 2},
};

static void check(VmafCopyPool *pool)
{
    unsigned char *from[COPIES], *to[COPIES];
    VmafRowCopy copies[COPIES];
    for (unsigned i = 0; i < COPIES; i++) {
        from[i] = malloc(SPACE);
        to[i] = calloc(1, SPACE);
        assert_non_null(from[i]);
        assert_non_null(to[i]);
        for (size_t k = 0; k < SPACE; k++)
            from[i][k] = (unsigned char)(k * 7 + k / 251 + i + 1);
        const int64_t last = (int64_t)(cases[i].rows - 1) * cases[i].from_stride;
        copies[i] = (VmafRowCopy){
            .to = to[i],
            .from = from[i] - (last < 0 ? last : 0),
            .to_stride = cases[i].to_stride,
            .from_stride = cases[i].from_stride,
            .bytes = cases[i].bytes,
            .rows = cases[i].rows,
        };
    }
    vmaf_copy_pool_run(pool, copies, COPIES);
    for (unsigned i = 0; i < COPIES; i++) {
        for (uint32_t y = 0; y < cases[i].rows; y++) {
            const unsigned char *row = to[i] + y * cases[i].to_stride;
            assert_memory_equal(row, copies[i].from + y * cases[i].from_stride, cases[i].bytes);
            for (size_t x = cases[i].bytes; x < (size_t)cases[i].to_stride; x++)
                assert_int_equal(row[x], 0);
        }
        free(from[i]);
        free(to[i]);
    }
}

static void given_no_threads_the_caller_copies(void **state)
{
    check(NULL);
    assert_null(vmaf_copy_pool_create(0));
}

static void given_threads_all_is_copied_each_time(void **state)
{
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        VmafCopyPool *pool = vmaf_copy_pool_create(threads);
        assert_non_null(pool);
        for (unsigned round = 0; round < 5; round++)
            check(pool);
        vmaf_copy_pool_destroy(pool);
    }
    vmaf_copy_pool_destroy(NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_no_threads_the_caller_copies),
        cmocka_unit_test(given_threads_all_is_copied_each_time),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
