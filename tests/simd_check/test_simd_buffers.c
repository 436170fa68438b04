/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The memory that kernels are tried on: guarded, zeroed, and mapped once for many rows. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "simd_check/simd_check.h"
#include "support/cases.h"
#include "support/fatal_read.h"

static const size_t sizes[] = {1, 63, 4096, 4097, 100000};

enum { N_SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void use(uint8_t *buffer, size_t size)
{
    for (size_t i = 0; i < size; i++)
        assert_int_equal(buffer[i], 0);
    memset(buffer, 0xa5, size);
}

CASE(given_used_memory_then_the_next_buffers_are_zeroed_and_guarded)
{
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N_SIZES; i++) {
            uint8_t *after = simd_buffer(sizes[i], SIMD_GUARD_AFTER);
            uint8_t *before = simd_buffer(sizes[i], SIMD_GUARD_BEFORE);
            use(after, sizes[i]);
            use(before, sizes[i]);
            assert_true(read_is_fatal(after + sizes[i]));
            assert_true(read_is_fatal(before - 1));
        }
        simd_free_buffers();
    }
}

/* Takes what the kernel would give to the next mapping of that size. */
static void take_address_space(size_t size)
{
    assert_true(mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

CASE(given_freed_buffers_then_their_mappings_serve_again)
{
    enum { PAGE = 4096, N_PAGES = 3, ROUNDS = 4 };
    uint8_t *first = simd_buffer(N_PAGES * PAGE, SIMD_GUARD_AFTER);
    uint8_t *second = simd_buffer(N_PAGES * PAGE, SIMD_GUARD_AFTER);
    assert_ptr_not_equal(first, second);
    for (int round = 0; round < ROUNDS; round++) {
        simd_free_buffers();
        for (int i = 0; i < ROUNDS; i++)
            take_address_space(PAGE);
        uint8_t *again = simd_buffer(N_PAGES * PAGE, SIMD_GUARD_AFTER);
        assert_true(again == first || again == second);
    }
    simd_free_buffers();
}

/* More sizes than are kept: what is in use stays, what is not goes. */
CASE(given_many_sizes_then_buffers_in_use_keep_their_memory)
{
    enum { PAGE = 4096, ROUNDS = 400 };
    uint8_t *kept = simd_buffer(PAGE, SIMD_GUARD_AFTER);
    memset(kept, 1, PAGE);
    for (size_t n = 1; n <= ROUNDS; n++) {
        use(simd_buffer(n * PAGE, SIMD_GUARD_AFTER), PAGE);
        if (n % 100 != 0)
            continue;
        for (int i = 0; i < PAGE; i++)
            assert_int_equal(kept[i], 1);
        simd_free_buffers();
        kept = simd_buffer(PAGE, SIMD_GUARD_AFTER);
        memset(kept, 1, PAGE);
    }
    simd_free_buffers();
}
