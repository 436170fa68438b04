/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_CALIBRATE_H
#define BENCH_CALIBRATE_H

/*
 * How fast is this machine at the moment? Three fixed workloads that have nothing to do with the
 * library; figures of two machines are compared after dividing by them. Milliseconds of processor
 * time, the median of several runs.
 */
typedef struct BenchCalibration {
    double scalar; /* 14 million dependent steps of two operations and a multiplication */
    double vector; /* filtering a plane with AVX2, or with what other machines have; see
                      calibrate_vector.h; 0: an x86 processor without AVX2 */
    double copy;   /* copying 64 MiB */
} BenchCalibration;

/* Returns 0 or -ENOMEM. */
int bench_calibrate(BenchCalibration *calibration);

/* Milliseconds of processor time that the process has used. */
double bench_cpu_ms(void);

/* Milliseconds on a clock that only goes forward. */
double bench_wall_ms(void);

/* Median of n values, which are put in order. */
double bench_median(double *values, int n);

#endif
