/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "calibrate.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    char *from, *to;
    uint64_t sink; /* keeps results alive */
} Buffers;

static void work_scalar(Buffers *b)
{
    uint64_t v = b->sink | 1;
    for (int i = 0; i < 1 << 25; ++i) {
        v ^= v >> 12;
        v *= UINT64_C(0x2545f4914f6cdd1d);
    }
    b->sink = v;
}

typedef uint16_t Lanes __attribute__((vector_size(16)));

/* Eight independent accumulators: the units are kept busy, memory is not touched. */
static void work_vector(Buffers *b)
{
    enum { ACCUMULATORS = 8, STEPS = 1 << 22 };
    Lanes sum[ACCUMULATORS], factor;
    memset(sum, (int)(b->sink & 127), sizeof sum);
    memset(&factor, 3, sizeof factor);
    for (int i = 0; i < STEPS; ++i)
        for (int k = 0; k < ACCUMULATORS; ++k)
            sum[k] = sum[k] * factor + factor;
    for (int k = 0; k < ACCUMULATORS; ++k)
        b->sink += sum[k][0];
}

static void work_copy(Buffers *b)
{
    memcpy(b->to, b->from, COPY_SIZE);
    b->sink += (unsigned char)b->to[b->sink % COPY_SIZE];
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
    Buffers buffers = {malloc(COPY_SIZE), malloc(COPY_SIZE), 1};
    if (!buffers.from || !buffers.to) {
        free(buffers.from);
        free(buffers.to);
        return -ENOMEM;
    }
    memset(buffers.from, 1, COPY_SIZE);
    calibration->scalar = time_of(work_scalar, &buffers);
    calibration->vector = time_of(work_vector, &buffers);
    calibration->copy = time_of(work_copy, &buffers);
    free(buffers.from);
    free(buffers.to);
    return 0;
}
