/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "support/cases.h"
#include "support/memory.h"

CASE(blocks_are_aligned_and_distinct)
{
    for (size_t size = 0; size < 300; size += 7) {
        unsigned char *a = memory_alloc(size, 1);
        unsigned char *b = memory_alloc(1, size);
        assert_non_null(a);
        assert_non_null(b);
        assert_ptr_not_equal(a, b);
        assert_int_equal((uintptr_t)a % MEMORY_ALIGNMENT, 0);
        assert_int_equal((uintptr_t)b % MEMORY_ALIGNMENT, 0);
        memset(a, 0xA5, size);
        memset(b, 0x5A, size);
        memory_free(a);
        memory_free(b);
    }
    memory_free(NULL);
}

CASE(zeroed_memory_is_zero_after_reuse)
{
    enum { SIZE = 1000 };
    for (int round = 0; round < 20; round++) {
        unsigned char *block = memory_alloc_zeroed(SIZE / 8, 8);
        assert_non_null(block);
        for (size_t i = 0; i < SIZE; i++)
            assert_int_equal(block[i], 0);
        memset(block, 0xFF, SIZE); /* what the next round must not see */
        memory_free(block);
    }
}

CASE(sizes_that_do_not_fit_are_refused)
{
    assert_null(memory_alloc(SIZE_MAX / 2 + 1, 2));
    assert_null(memory_alloc(SIZE_MAX, SIZE_MAX));
    assert_null(memory_alloc(SIZE_MAX, 1)); /* fits, but not once it is rounded up */
    assert_null(memory_alloc((size_t)PTRDIFF_MAX + 1, 1));
    assert_null(memory_alloc_zeroed(SIZE_MAX / 3, 4));
}

CASE(size_arithmetic)
{
    size_t result = 0;

    assert_true(size_mul(6, 7, &result));
    assert_int_equal(result, 42);
    assert_true(size_mul(SIZE_MAX, 1, &result));
    assert_true(result == SIZE_MAX);
    assert_false(size_mul(SIZE_MAX / 2 + 1, 2, &result));

    assert_true(size_add(SIZE_MAX - 1, 1, &result));
    assert_true(result == SIZE_MAX);
    assert_false(size_add(SIZE_MAX, 1, &result));

    assert_int_equal(size_round_up(0, 64), 0);
    assert_int_equal(size_round_up(1, 64), 64);
    assert_int_equal(size_round_up(64, 64), 64);
    assert_int_equal(size_round_up(65, 64), 128);
    assert_int_equal(size_round_up(13, 1), 13);
    assert_true(size_round_up(SIZE_MAX - 63, 64) == SIZE_MAX - 63);
    assert_int_equal(size_round_up(SIZE_MAX - 62, 64), 0);
}
