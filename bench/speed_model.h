/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_SPEED_MODEL_H
#define BENCH_SPEED_MODEL_H

/* What measurements of a device are compared with. */

/*
 * How fast the default model should be on cards that are known, with pictures on the device:
 * derived from the instructions of the kernels and 45 % of what the card can issue, not measured
 * (docs/performance.md).
 */
typedef struct SpeedModel {
    const char *card;
    double fps_1080p8, fps_2160p10;
} SpeedModel;

/* The entry of a device, by the name that its driver gives; NULL if there is none. */
const SpeedModel *speed_model_find(const char *device);

/* Frames per second at this size and depth; 0 if the model says nothing about it. */
double speed_model_fps(const SpeedModel *model, unsigned width, unsigned height, unsigned depth);

enum { KERNEL_OPERATIONS_MAX = 64 };

/* How many integer operations each kernel takes, from a file with lines "KERNEL OPERATIONS", per
 * luma sample of a frame. Other words of a line, empty lines and those that begin with # do not
 * count. */
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
