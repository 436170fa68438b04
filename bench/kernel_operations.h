/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_KERNEL_OPERATIONS_H
#define BENCH_KERNEL_OPERATIONS_H

/* How many integer operations each kernel takes, from a file with lines "KERNEL OPERATIONS", per
 * luma sample of a frame. Other words of a line, empty lines and those that begin with # do not
 * count. */

enum { KERNEL_OPERATIONS_MAX = 64 };

typedef struct KernelOperations {
    unsigned n;
    char names[KERNEL_OPERATIONS_MAX][64];
    double operations[KERNEL_OPERATIONS_MAX];
} KernelOperations;

/* 0; or -1 with a message on stderr, and an empty list. */
int kernel_operations_read(KernelOperations *list, const char *path);

/* 0 if the kernel is not in the list. */
double kernel_operations_of(const KernelOperations *list, const char *kernel);

#endif
