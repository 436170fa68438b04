/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DEVICE_TIMES_H
#define CORE_BACKEND_DEVICE_TIMES_H

/*
 * What all sessions of a device took, by the kind of work, for programs that ask. Any thread, but
 * for the first and the last function.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct DeviceTimes DeviceTimes;

/* Switched off. NULL: no memory. */
DeviceTimes *device_times_create(void);
void device_times_destroy(DeviceTimes *times); /* NULL allowed */
/* What is added while it is off is not counted; earlier sums stay. */
void device_times_switch(DeviceTimes *times, bool on);
/* `name` is copied. */
void device_times_add(DeviceTimes *times, const char *name, uint64_t runs, uint64_t nanoseconds);
/* A table of the sums, with a line for each kind of work (free). NULL: no memory. */
char *device_times_text(DeviceTimes *times);

#endif
