/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_CALIBRATE_H
#define BENCH_CALIBRATE_H

/*
 * How fast this machine is at the moment: three fixed workloads independent of the library; figures
 * of two machines are compared after dividing by them. Milliseconds of processor time, the median
 * of several runs.
 */
typedef struct BenchCalibration {
    double scalar; /* 14 million dependent steps of two operations and a multiplication */
    double vector; /* filtering a plane with AVX2, or the vectors of other machines; see
                      calibrate_vector.h; 0: an x86 processor without AVX2 */
    double copy;   /* copying 64 MiB */
} BenchCalibration;

/* Returns 0 or -ENOMEM. */
int bench_calibrate(BenchCalibration *calibration);

/* Milliseconds of processor time that the process has used. */
double bench_cpu_ms(void);

/* Milliseconds of a monotonic clock. */
double bench_wall_ms(void);

/* Median of n values, which it sorts. */
double bench_median(double *values, int n);

#endif
