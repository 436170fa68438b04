/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_POSIX_DESCRIPTORS_H
#define VMAF_PLATFORM_POSIX_DESCRIPTORS_H

/* File descriptors of the process: a part of platform/process_state.h. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where a reason goes. */
typedef struct VmafWhy {
    char *text;
    size_t size;
} VmafWhy;

/* `why` may be NULL. */
void vmaf_why_set(const VmafWhy *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum { VMAF_STREAMS = 3 };

typedef struct VmafDescriptor {
    int number;
    dev_t device;
    ino_t file;
    int flags;        /* F_GETFD */
    int status_flags; /* F_GETFL */
} VmafDescriptor;

typedef struct VmafDescriptors {
    unsigned count;
    VmafDescriptor *list;
    int spares[VMAF_STREAMS]; /* copies of the standard streams; -1: none */
} VmafDescriptors;

/* Captures the standard streams, and all other descriptors if `others`. 0; -ENOMEM. */
int vmaf_descriptors_capture(VmafDescriptors *descriptors, bool others);
bool vmaf_descriptors_restore(const VmafDescriptors *descriptors, const VmafWhy *why);
void vmaf_descriptors_release(VmafDescriptors *descriptors);

#endif
