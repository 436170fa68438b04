/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "calibrate.h"
#include "calibrate_vector.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/cpu.h"

/* True if the processor has the instructions that calibrate_vector.c is compiled for. */
static int has_vectors(void)
{
#if defined(__x86_64__)
    return (cpu_flags(0) & CPU_AVX2) != 0;
#else
    return 1;
#endif
}

enum { RUNS = 7, COPY_SIZE = 64 << 20 };

static double clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

double bench_cpu_ms(void)
{
    return clock_ms(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_wall_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

typedef struct Buffers {
    char *from, *to; /* for copying */
    uint8_t *plane;  /* for filtering */
    uint32_t *filtered;
    volatile uint64_t sink; /* keeps results alive */
} Buffers;

/* Each step depends on the one before it: only the clock rate of the core matters. */
static void work_scalar(Buffers *b)
{
    uint64_t v = b->sink | 1;
    for (int i = 0; i < 14000000; ++i) {
        v ^= v >> 12;
        v *= UINT64_C(0x2545f4914f6cdd1d);
    }
    b->sink = v;
}

static void work_vector(Buffers *b)
{
    calibrate_vector(b->plane, b->filtered);
}

static void work_copy(Buffers *b)
{
    memcpy(b->to, b->from, COPY_SIZE);
    b->from[0] = b->to[COPY_SIZE - 1];
}

static double time_of(void (*work)(Buffers *), Buffers *buffers)
{
    double ms[RUNS];
    work(buffers);
    for (int i = 0; i < RUNS; ++i) {
        const double start = bench_cpu_ms();
        work(buffers);
        ms[i] = bench_cpu_ms() - start;
    }
    return bench_median(ms, RUNS);
}

int bench_calibrate(BenchCalibration *calibration)
{
    const size_t n_plane = (size_t)FILTER_WIDTH * (FILTER_HEIGHT + FILTER_TAPS);
    const size_t n_filtered = (size_t)FILTER_WIDTH * FILTER_HEIGHT * sizeof(uint32_t);
    Buffers buffers = {malloc(COPY_SIZE), malloc(COPY_SIZE), malloc(n_plane), malloc(n_filtered),
                       1};
    const int err = buffers.from && buffers.to && buffers.plane && buffers.filtered ? 0 : -ENOMEM;
    if (!err) {
        memset(buffers.from, 1, COPY_SIZE);
        memset(buffers.plane, 100, n_plane);
        calibration->scalar = time_of(work_scalar, &buffers);
        calibration->vector = has_vectors() ? time_of(work_vector, &buffers) : 0;
        calibration->copy = time_of(work_copy, &buffers);
    }
    free(buffers.from);
    free(buffers.to);
    free(buffers.plane);
    free(buffers.filtered);
    return err;
}
