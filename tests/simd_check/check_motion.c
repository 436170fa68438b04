/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/motion/motion_internal.h"
#include "simd_check/simd_check.h"

enum { VECTOR_COLUMNS = 32 };

static enum SimdGuard guard;

/* A row of scratch memory: its margins may be read and written. */
static int16_t *values_row(unsigned w)
{
    const size_t n = (size_t)w + 2 * MOTION_ROW_MARGIN;
    return (int16_t *)simd_buffer(n * sizeof(int16_t), guard) + MOTION_ROW_MARGIN;
}

static MotionRow scratch_row(unsigned w)
{
    return (MotionRow){values_row(w), values_row(w)};
}

static void mirror(int16_t *values, unsigned w)
{
    for (unsigned i = 1; i <= MOTION_RADIUS; i++) {
        values[-(int)i] = values[i];
        values[w - 1 + i] = values[w - 1 - i];
    }
}

/* Two frames: samples, also beyond their bit depth, and whether the second is close to the first,
 * so that filtered differences are small. */
typedef struct Content {
    unsigned bpc, sample_bpc;
    enum SimdContent content;
    bool similar;
} Content;

static void make_rows(const Content *c, unsigned w, void *earlier, void *current)
{
    simd_fill_samples(earlier, w, c->sample_bpc, c->content);
    simd_fill_samples(current, w, c->sample_bpc,
                      c->content == SIMD_MAXIMUM ? SIMD_ZERO : c->content);
    if (!c->similar)
        return;
    for (unsigned x = 0; x < w; x++) {
        if (c->bpc == 8)
            ((uint8_t *)current)[x] = ((uint8_t *)earlier)[x] / 2;
        else
            ((uint16_t *)current)[x] = (uint16_t)(((uint16_t *)earlier)[x] / 2);
    }
}

/* All steps of one row; each set of kernels has its own format of rows between them. */
static uint64_t row_sad(const MotionFunctions *functions, const Content *c, unsigned w,
                        void *const earlier[MOTION_TAPS], void *const current[MOTION_TAPS],
                        MotionRow rows[MOTION_TAPS], bool *differs)
{
    *differs = false;
    for (int k = 0; k < MOTION_TAPS; k++) {
        rows[k] = scratch_row(w);
        *differs |= functions->difference(rows[k], earlier[k], current[k], w);
    }
    const MotionRow filtered = functions->vertical(scratch_row(w), rows, w, c->bpc);
    mirror(filtered.high, w);
    if (filtered.low)
        mirror(filtered.low, w);
    return functions->horizontal_sad(filtered, w);
}

static void compare_row(unsigned cpu_flags, unsigned w, const Content *c)
{
    MotionFunctions scalar, vector;
    motion_functions_fill_scalar(&scalar, c->bpc);
    motion_functions_init(&vector, c->bpc, cpu_flags);

    void *earlier[MOTION_TAPS], *current[MOTION_TAPS];
    for (int k = 0; k < MOTION_TAPS; k++) {
        const size_t size = c->bpc > 8 ? 2 * (size_t)w : (size_t)w;
        earlier[k] = simd_buffer(size, guard);
        current[k] = simd_buffer(size, guard);
        make_rows(c, w, earlier[k], current[k]);
    }
    simd_case("%u columns, %u bits in %u, content %d, %s", w, c->sample_bpc, c->bpc, c->content,
              c->similar ? "similar" : "different");
    MotionRow rows[2][MOTION_TAPS];
    bool differs[2];
    const uint64_t expected = row_sad(&scalar, c, w, earlier, current, rows[0], &differs[0]);
    const uint64_t actual = row_sad(&vector, c, w, earlier, current, rows[1], &differs[1]);
    simd_expect_equal_u64(differs[0], differs[1]);
    for (int k = 0; k < MOTION_TAPS; k++) {
        simd_expect_equal(rows[0][k].high, rows[1][k].high, w * sizeof(int16_t));
        if (c->bpc > MOTION_MAX_UNSPLIT_BPC)
            simd_expect_equal(rows[0][k].low, rows[1][k].low, w * sizeof(int16_t));
    }
    simd_expect_equal_u64(expected, actual);
    simd_free_buffers();
}

static void compare(unsigned cpu_flags)
{
    unsigned n = 0;
    for (unsigned i = 0; simd_width(i, VECTOR_COLUMNS); i++) {
        const unsigned w = simd_width(i, VECTOR_COLUMNS);
        if (w < 3) /* smallest picture */
            continue;
        for (unsigned bpc = 8; bpc <= 16; bpc++)
            for (int content = 0; content < SIMD_CONTENTS; content++) {
                guard = (enum SimdGuard)(n++ / 3 % SIMD_GUARDS);
                compare_row(cpu_flags, w, &(Content){bpc, bpc, (enum SimdContent)content, false});
                compare_row(cpu_flags, w, &(Content){bpc, bpc, (enum SimdContent)content, true});
                if (bpc > 8)
                    compare_row(cpu_flags, w,
                                &(Content){bpc, 16, (enum SimdContent)content, false});
            }
    }
    /* More columns than are summed up in 32 bits. */
    compare_row(cpu_flags, (1 << 15) + 77, &(Content){8, 8, SIMD_NOISE, true});
    compare_row(cpu_flags, (1 << 15) + 77, &(Content){16, 16, SIMD_EXTREMES, false});
}

/* -- measurement -- */

enum { BENCH_COLUMNS = 1920 };

typedef struct Bench {
    MotionFunctions functions;
    Content content;
    void *earlier, *current;
    MotionRow rows[MOTION_TAPS], output, filtered;
    uint64_t sink;
} Bench;

static void call_difference(void *argument)
{
    Bench *b = argument;
    b->sink += b->functions.difference(b->rows[0], b->earlier, b->current, BENCH_COLUMNS);
}

static void call_vertical(void *argument)
{
    Bench *b = argument;
    b->filtered = b->functions.vertical(b->output, b->rows, BENCH_COLUMNS, b->content.bpc);
}

static void call_horizontal(void *argument)
{
    Bench *b = argument;
    b->sink += b->functions.horizontal_sad(b->filtered, BENCH_COLUMNS);
}

static void measure(unsigned cpu_flags)
{
    static const struct {
        Content content;
        const char *names[3];
    } cases[] = {
        {{8, 8, SIMD_NOISE, true},
         {"difference, 8 bits", "vertical, 8 bits", "horizontal, 8 bits"}},
        {{10, 10, SIMD_NOISE, true},
         {"difference, 10 bits", "vertical, 10 bits", "horizontal, 10 bits"}},
        {{8, 8, SIMD_EXTREMES, false},
         {"difference, large", "vertical, large", "horizontal, large"}},
        {{16, 16, SIMD_NOISE, false},
         {"difference, 16 bits", "vertical, 16 bits", "horizontal, 16 bits"}},
    };
    guard = SIMD_GUARD_BEFORE;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        Bench b = {
            .content = cases[i].content,
            .earlier = simd_buffer(2 * BENCH_COLUMNS, guard),
            .current = simd_buffer(2 * BENCH_COLUMNS, guard),
            .output = scratch_row(BENCH_COLUMNS),
        };
        motion_functions_init(&b.functions, b.content.bpc, cpu_flags);
        for (int k = 0; k < MOTION_TAPS; k++) {
            b.rows[k] = scratch_row(BENCH_COLUMNS);
            make_rows(&b.content, BENCH_COLUMNS, b.earlier, b.current);
            b.functions.difference(b.rows[k], b.earlier, b.current, BENCH_COLUMNS);
        }
        simd_measure(cases[i].names[0], BENCH_COLUMNS, call_difference, &b);
        simd_measure(cases[i].names[1], BENCH_COLUMNS, call_vertical, &b);
        simd_measure(cases[i].names[2], BENCH_COLUMNS, call_horizontal, &b);
    }
}

const SimdCheck check_motion = {"motion", compare, measure};
