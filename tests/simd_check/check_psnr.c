/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/psnr/psnr_internal.h"
#include "simd_check/simd_check.h"

enum { VECTOR_COLUMNS = 64 };

/* Samples may exceed their bit depth: sums wrap alike. */
static void compare_row(unsigned cpu_flags, unsigned w, unsigned bpc, unsigned sample_bpc,
                        enum SimdContent content, enum SimdGuard guard)
{
    PsnrFunctions scalar, vector;
    psnr_functions_fill_scalar(&scalar, bpc);
    psnr_functions_init(&vector, bpc, cpu_flags);
    const size_t size = bpc > 8 ? 2 * (size_t)w : (size_t)w;
    void *ref = simd_buffer(size, guard), *dist = simd_buffer(size, guard);
    simd_fill_samples(ref, w, sample_bpc, content);
    simd_fill_samples(dist, w, sample_bpc, content == SIMD_MAXIMUM ? SIMD_ZERO : content);
    simd_case("%u columns, %u bits in %u, content %d", w, sample_bpc, bpc, content);
    simd_expect_equal_u64(scalar.row_sse(ref, dist, w), vector.row_sse(ref, dist, w));
    simd_expect_equal_u64(scalar.row_sse(dist, ref, w), vector.row_sse(dist, ref, w));
    simd_free_buffers();
}

static void compare_width(unsigned cpu_flags, unsigned w, enum SimdContent content,
                          enum SimdGuard guard)
{
    for (unsigned bpc = 8; bpc <= 16; bpc++) {
        compare_row(cpu_flags, w, bpc, bpc, content, guard);
        if (bpc > 8)
            compare_row(cpu_flags, w, bpc, 16, content, guard);
    }
}

static void compare(unsigned cpu_flags)
{
    for (int content = 0; content < SIMD_CONTENTS; content++)
        for (int guard = 0; guard < SIMD_GUARDS; guard++) {
            for (unsigned i = 0; simd_width(i, VECTOR_COLUMNS); i++)
                compare_width(cpu_flags, simd_width(i, VECTOR_COLUMNS), (enum SimdContent)content,
                              (enum SimdGuard)guard);
            compare_width(cpu_flags, (1 << 15) + 77, (enum SimdContent)content,
                          (enum SimdGuard)guard); /* more than are summed up in 32 bits */
        }
}

/* -- measurement -- */

enum { BENCH_COLUMNS = 1920 };

typedef struct Bench {
    PsnrFunctions functions;
    void *ref, *dist;
    uint64_t sink;
} Bench;

static void call_row_sse(void *argument)
{
    Bench *b = argument;
    b->sink += b->functions.row_sse(b->ref, b->dist, BENCH_COLUMNS);
}

static void measure(unsigned cpu_flags)
{
    static const struct {
        unsigned bpc;
        const char *name;
    } depths[] = {{8, "8 bits"}, {10, "10 bits"}, {12, "12 bits"}, {16, "16 bits"}};
    for (unsigned i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        Bench bench = {
            .ref = simd_buffer(2 * BENCH_COLUMNS, SIMD_GUARD_BEFORE),
            .dist = simd_buffer(2 * BENCH_COLUMNS, SIMD_GUARD_BEFORE),
        };
        psnr_functions_init(&bench.functions, depths[i].bpc, cpu_flags);
        simd_fill_samples(bench.ref, BENCH_COLUMNS, depths[i].bpc, SIMD_NOISE);
        simd_fill_samples(bench.dist, BENCH_COLUMNS, depths[i].bpc, SIMD_NOISE);
        simd_measure(depths[i].name, BENCH_COLUMNS, call_row_sse, &bench);
    }
}

const SimdCheck check_psnr = {"psnr", compare, measure};
