/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/ciede/ciede_internal.h"
#include "simd_check/simd_check.h"

/*
 * Here plain C is compared too: all kernels must agree with the definition in every bit.
 */

enum { N_BATCHES = 60 };

static unsigned clipped(int value, unsigned peak)
{
    return value < 0 ? 0 : (unsigned)value > peak ? peak : (unsigned)value;
}

static void fill_batch(CiedeBatch *batch, unsigned bpc, enum SimdContent content, unsigned reach)
{
    const unsigned peak = (1u << bpc) - 1;
    for (int plane = 0; plane < 3; plane++) {
        uint16_t *ref = batch->samples[CIEDE_REF][plane], *dist = batch->samples[CIEDE_DIST][plane];
        if (bpc == 8) {
            uint8_t bytes[CIEDE_BATCH];
            simd_fill_samples(bytes, CIEDE_BATCH, bpc, content);
            for (int i = 0; i < CIEDE_BATCH; i++)
                ref[i] = bytes[i];
        } else {
            simd_fill_samples(ref, CIEDE_BATCH, bpc, content);
        }
        for (int i = 0; i < CIEDE_BATCH; i++)
            dist[i] = (uint16_t)clipped(
                (int)ref[i] + (int)(simd_random() % (2 * reach + 1)) - (int)reach, peak);
    }
}

static void define(const CiedeRange *range, const CiedeBatch *batch, float result[CIEDE_BATCH])
{
    for (int i = 0; i < CIEDE_BATCH; i++) {
        CiedeLab lab[CIEDE_PICTURES];
        for (int p = 0; p < CIEDE_PICTURES; p++)
            lab[p] = ciede_lab(range, batch->samples[p][0][i], batch->samples[p][1][i],
                               batch->samples[p][2][i]);
        result[i] = ciede_delta_e(lab[CIEDE_REF], lab[CIEDE_DIST]);
    }
}

static void compare_functions(const CiedeFunctions *functions)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    CiedeTables *tables = simd_buffer(sizeof(*tables), SIMD_GUARD_BEFORE);
    CiedeBatch *batch = simd_buffer(sizeof(*batch), SIMD_GUARD_AFTER);
    for (int d = 0; d < 4; d++) {
        const unsigned bpc = depths[d];
        const CiedeRange range = ciede_range(bpc);
        if (bpc == 8)
            functions->fill_tables(tables, &range);
        for (int i = 0; i < N_BATCHES; i++) {
            const enum SimdContent content = (enum SimdContent)(i % SIMD_CONTENTS);
            /* from one step to the whole range */
            const unsigned reach = 1u << (unsigned)(i / SIMD_CONTENTS) % (bpc + 1);
            fill_batch(batch, bpc, content, reach);
            float expected[CIEDE_BATCH], actual[CIEDE_BATCH];
            define(&range, batch, expected);
            simd_case("difference, %u bits, content %d, up to %u apart", bpc, content, reach);
            functions->delta_e(&range, NULL, batch, actual);
            simd_expect_equal(expected, actual, sizeof(actual));
            if (bpc != 8)
                continue;
            simd_case("difference with tables, content %d, up to %u apart", content, reach);
            functions->delta_e(&range, tables, batch, actual);
            simd_expect_equal(expected, actual, sizeof(actual));
        }
    }
    simd_free_buffers();
}

static void compare(unsigned cpu_flags)
{
    CiedeFunctions functions;
    ciede_functions_init(&functions, 0);
    compare_functions(&functions);
    ciede_functions_init(&functions, cpu_flags);
    compare_functions(&functions);
}

typedef struct Arguments {
    CiedeFunctions functions;
    CiedeRange range;
    const CiedeTables *tables;
    CiedeBatch batch;
    float result[CIEDE_BATCH];
} Arguments;

static void call_delta_e(void *opaque)
{
    Arguments *a = opaque;
    a->functions.delta_e(&a->range, a->tables, &a->batch, a->result);
}

static void measure(unsigned cpu_flags)
{
    Arguments a = {.range = ciede_range(8)};
    ciede_functions_init(&a.functions, cpu_flags);
    CiedeTables *tables = simd_buffer(sizeof(*tables), SIMD_GUARD_BEFORE);
    a.functions.fill_tables(tables, &a.range);
    fill_batch(&a.batch, 8, SIMD_SLOPE, 4);
    simd_measure("difference", CIEDE_BATCH, call_delta_e, &a);
    a.tables = tables;
    simd_measure("difference with tables", CIEDE_BATCH, call_delta_e, &a);
    simd_free_buffers();
}

const SimdCheck check_ciede = {"ciede", compare, measure};
