/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SIMD_CHECK_H
#define TESTS_SIMD_CHECK_H

/*
 * Compares vector kernels with the scalar ones, and measures them.
 *
 * A file check_<metric>.c defines `const SimdCheck check_<metric>`. Its `compare` is called for
 * each set of CPU_* flags that this processor has, and for none, where a metric may have tuned plain
 * C; it initialises two dispatch tables, one for these flags and one with the scalar kernels, and
 * runs both on the same input:
 *
 *     simd_case("vertical, %u columns, %u bits", w, bpc);
 *     ...
 *     simd_expect_equal(expected, actual, w * sizeof(*actual));
 *     simd_free_buffers();
 *
 * Its `measure` is called with 0 first, then with each of the sets, and times every kernel:
 *
 *     simd_measure("vertical", w, call_vertical, &arguments);
 */

#include <stddef.h>
#include <stdint.h>

typedef struct SimdCheck {
    const char *name; /* of the metric */
    void (*compare)(unsigned cpu_flags);
    void (*measure)(unsigned cpu_flags);
} SimdCheck;

/* -- input -- */

/*
 * Zeroed memory with an inaccessible page next to it: beyond the last byte, or before the first
 * one. It is aligned as its size (the latter: as a page) has it, so odd sizes give unaligned rows.
 * Lives until simd_free_buffers.
 */
enum SimdGuard { SIMD_GUARD_AFTER, SIMD_GUARD_BEFORE, SIMD_GUARDS };
void *simd_buffer(size_t size, enum SimdGuard guard);
void simd_free_buffers(void);

/* The same numbers in each run. */
uint32_t simd_random(void);

enum SimdContent {
    SIMD_ZERO,
    SIMD_MAXIMUM,
    SIMD_NOISE,
    SIMD_EXTREMES, /* 0 or the maximum, at random */
    SIMD_SLOPE,    /* with a little noise */
    SIMD_RARE,     /* flat, with rare peaks */
    SIMD_FAINT,    /* two neighbouring values */
    SIMD_CONTENTS
};
/* n samples of a picture: bytes if bpc is 8, else words. */
void simd_fill_samples(void *samples, size_t n, unsigned bpc, enum SimdContent content);
/* n signed integers from -limit to limit. */
void simd_fill_int16(int16_t *values, size_t n, int16_t limit, enum SimdContent content);
void simd_fill_int32(int32_t *values, size_t n, int32_t limit, enum SimdContent content);

/* Widths worth a try, for vectors of so many columns: 1 to 3 of them plus and minus 1, and more.
 * Returns 0 past the last. */
unsigned simd_width(unsigned index, unsigned vector_columns);

/* -- results -- */

/* Names what is compared next, for messages. */
void simd_case(const char *format, ...) __attribute__((format(printf, 1, 2)));
void simd_expect_equal(const void *expected, const void *actual, size_t size);
void simd_expect_equal_u64(uint64_t expected, uint64_t actual);

/* Prints the time of a call per pixel and how many times faster it is than with flags 0. */
void simd_measure(const char *kernel, unsigned pixels, void (*call)(void *), void *argument);

/* -- sets of flags -- */

typedef struct SimdFlagSet {
    const char *name;
    unsigned flags; /* CPU_* */
} SimdFlagSet;

/* From plain C, with no flags, to all; a NULL name ends it. */
extern const SimdFlagSet simd_flag_sets[];
/* Whether this processor has them. */
int simd_is_available(const SimdFlagSet *set);

#endif
