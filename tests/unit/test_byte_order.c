/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Numbers of files have the same value on every machine. */
#include <string.h>

#include "platform/machine.h"
#include "support/cases.h"

static const unsigned char file[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

CASE(numbers_of_a_file_have_the_low_byte_first)
{
    uint16_t words[8];
    uint32_t longer[4];
    uint64_t longest[2];
    memcpy(words, file, sizeof(words));
    memcpy(longer, file, sizeof(longer));
    memcpy(longest, file, sizeof(longest));
    vmaf_swap_for_files(words, sizeof(words), sizeof(*words));
    vmaf_swap_for_files(longer, sizeof(longer), sizeof(*longer));
    vmaf_swap_for_files(longest, sizeof(longest), sizeof(*longest));
    assert_int_equal(words[0], 0x0201);
    assert_int_equal(words[7], 0x100f);
    assert_int_equal(longer[0], 0x04030201);
    assert_int_equal(longer[3], 0x100f0e0d);
    assert_true(longest[0] == UINT64_C(0x0807060504030201));
    assert_true(longest[1] == UINT64_C(0x100f0e0d0c0b0a09));
}

CASE(what_is_swapped_twice_is_what_it_was)
{
    unsigned char bytes[sizeof(file)];
    for (size_t size = 1; size <= 8; size *= 2) {
        memcpy(bytes, file, sizeof(bytes));
        vmaf_swap_for_files(bytes, sizeof(bytes), size);
        vmaf_swap_for_files(bytes, sizeof(bytes), size);
        assert_memory_equal(bytes, file, sizeof(bytes));
    }
}
