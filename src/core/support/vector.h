/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_VECTOR_H
#define CORE_SUPPORT_VECTOR_H

/*
 * The widest vectors of the instruction set that a file is compiled for: of 512, 256 or 128 bits.
 *
 * vector_avx512.h, vector_avx2.h and vector_neon.h give the same names to the same operations, so
 * that a kernel is written once for all of them (vmaf_add_vector_sources in
 * cmake/InstructionSets.cmake). tests/simd_check/vector_operations.c says each of them in plain C.
 *
 *  - Loads and stores need no alignment.
 *  - A number in a name is the width of the elements, the letter after it says whether they are
 *    signed. Sums and products wrap, if their names do not say otherwise.
 *  - Comparisons give all ones or all zeros per element.
 *  - Shifts by a constant number of bits, from 1 to the width less 1, are macros: the instructions
 *    hold it. `_all` shifts all elements by the same number, `_each` each by its own.
 *  - Interleaving and packing work within each 128 bits, and undo each other; `_natural` marks what
 *    puts elements in the order of memory.
 *  - A VecPair is what becomes of one vector whose elements get twice as wide: in an order of the
 *    machine, which packing and narrowing undo. Only vec_difference_u8 has two vectors in the order
 *    of memory.
 *  - Where machines differ in what they do well, the layer has a step of a kernel: weighted sums of
 *    vectors or of neighbours, squares to be added up. What is only added up may lie anywhere in
 * the vectors of the sum.
 *  - vec_excess_bits_32(v, n): how many bits more than n the number has, at least 0, for numbers
 * from 0 to 2^31 - 1. Those that binary32 rounds up to a power of two may count one bit more.
 *  - vec_narrow_rounded_each_64: for quotients below 2^31. vec_square_small_32: of up to 2^15.
 *  - vec_mul_round_16s: not both factors are -2^15. Floating-point numbers are finite, and
 * converted to integers of 32 bits only if they fit.
 */

#include <stddef.h>
#include <string.h>

#if defined(__AVX512BW__)
#include "support/vector_avx512.h"
#include "support/vector_x86.h"
#elif defined(__AVX2__)
#include "support/vector_avx2.h"
#include "support/vector_x86.h"
#elif defined(__aarch64__)
#include "support/vector_neon.h"
#else
#error "no vectors for this instruction set"
#endif

/* Samples of pictures as vectors of 16-bit elements: at the end of a row, where the memory of a
 * picture may end, too. */
static inline Vec vec_load_last_samples(const void *samples, size_t n, bool deep)
{
    uint16_t block[VEC_16] = {0};
    memcpy(block, samples, deep ? 2 * n : n);
    return deep ? vec_load(block) : vec_load_u8(block);
}

/* Columns x to x + VEC_16 - 1 of a row of w > x samples: bytes, or words if `deep`. Columns beyond
 * the row are zero. */
static inline Vec vec_load_samples(const void *row, size_t x, size_t w, bool deep)
{
    const void *samples = (const uint8_t *)row + (deep ? 2 * x : x);
    if (w - x < VEC_16)
        return vec_load_last_samples(samples, w - x, deep);
    return deep ? vec_load(samples) : vec_load_u8(samples);
}

/* Differences of columns x to x + VEC_BYTES - 1 of rows of w > x bytes. Those beyond the rows are
 * zero. */
static inline VecPair vec_difference_of_bytes(const uint8_t *a, const uint8_t *b, size_t x,
                                              size_t w)
{
    if (w - x >= VEC_BYTES)
        return vec_difference_u8(a + x, b + x);
    uint8_t last_a[VEC_BYTES] = {0}, last_b[VEC_BYTES] = {0};
    memcpy(last_a, a + x, w - x);
    memcpy(last_b, b + x, w - x);
    return vec_difference_u8(last_a, last_b);
}

#endif
