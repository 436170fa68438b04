/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_LOOPS_H
#define CORE_SUPPORT_LOOPS_H

/*
 * Hints for loops over columns, so that GCC and Clang make vectors of the same text. They change
 * no result, and say nothing to other compilers, nor to Clang with sanitizers: what these add to
 * loops that are unrolled takes it gigabytes.
 */
#if defined(__clang__) && !defined(VMAF_SANITIZED)
#define LOOPS_FOR_CLANG
#endif

#define LOOPS_PRAGMA(text) _Pragma(#text)

/* Before a loop of at most `n` passes, a constant after inlining. GCC unrolls that many before it
 * vectorises what is around; Clang does so only if it is told that nothing of the loop remains. */
#if defined(LOOPS_FOR_CLANG)
#define UNROLL_FULLY(n) LOOPS_PRAGMA(clang loop unroll(full))
#elif defined(__GNUC__) && !defined(__clang__)
#define UNROLL_FULLY(n) LOOPS_PRAGMA(GCC unroll n)
#else
#define UNROLL_FULLY(n)
#endif

/* Before a loop that no compiler makes vectors of: `n` passes at a time. */
#if defined(LOOPS_FOR_CLANG)
#define UNROLL(n) LOOPS_PRAGMA(clang loop vectorize(disable) unroll_count(n))
#elif defined(__GNUC__) && !defined(__clang__)
#define UNROLL(n) LOOPS_PRAGMA(GCC unroll n)
#else
#define UNROLL(n)
#endif

/* Before a loop that mixes types, of which `type` is the narrowest that matters: as many columns at
 * once as fill a vector of it. Clang starts from the widest, and so would load a few bytes at a
 * time; GCC needs no hint. */
#if defined(__AVX512BW__)
#define LOOPS_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define LOOPS_VECTOR_BYTES 32
#else
#define LOOPS_VECTOR_BYTES 16
#endif
#if defined(LOOPS_FOR_CLANG)
#define VECTORS_OF(type)                                                                           \
    LOOPS_PRAGMA(clang loop vectorize_width(LOOPS_VECTOR_BYTES / sizeof(type)) interleave_count(1))
#else
#define VECTORS_OF(type)
#endif

/* Before a loop that sums up products of 16-bit numbers in 32 bits: instructions multiply and add
 * pairs of them, which Clang does not see any more in a loop that it has unrolled. */
#if defined(LOOPS_FOR_CLANG)
#define SUMS_OF_PRODUCTS VECTORS_OF(int16_t) LOOPS_PRAGMA(clang loop unroll(disable))
#else
#define SUMS_OF_PRODUCTS
#endif

/* A pointer to samples around column x. Without it Clang keeps in[x + 1] for in[x] of the next
 * column, and cannot vectorise then. */
#if defined(LOOPS_FOR_CLANG)
#define RELOADED(pointer)                                                                          \
    __extension__({                                                                                \
        __typeof__(pointer) reloaded = (pointer);                                                  \
        __asm__("" : "+r"(reloaded));                                                              \
        reloaded;                                                                                  \
    })
#else
#define RELOADED(pointer) (pointer)
#endif

#endif
