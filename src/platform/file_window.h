/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_FILE_WINDOW_H
#define VMAF_PLATFORM_FILE_WINDOW_H

#include "platform/file.h"

/*
 * A piece of a file that is used where the system keeps it, without a copy. The thread that touches
 * a page first brings it in. All zero is no window.
 */
typedef struct VmafFileWindow {
    void *mapping; /* whole pages */
    size_t mapping_size;
    unsigned char *data; /* the piece itself, to be read only */
} VmafFileWindow;

/* Opens `size` bytes of a file. 0; negative errno: read them instead. */
int vmaf_file_window_open(VmafFileWindow *window, const VmafFile *file, int64_t position,
                          size_t size);

/* Brings all pages of a window in, on the calling thread. 0; negative errno: the system cannot, or
 * the file has not so many bytes. */
int vmaf_file_window_bring_in(const VmafFileWindow *window);

/*
 * Does the system hold these bytes of a file in memory, so that nobody would wait for a disk? Looks
 * at one byte in 512 KiB. False also for bytes that the file has not, and if it cannot be told.
 */
bool vmaf_file_is_in_memory(const VmafFile *file, int64_t position, size_t size);

/* From any thread. What is no window is left alone. */
void vmaf_file_window_close(VmafFileWindow *window);

/*
 * What is done if a file loses bytes that are in use, because somebody shortens it or its device
 * fails: `message` goes to stderr and the program ends with `status`. Both for the whole process.
 */
void vmaf_file_window_guard(const char *message, int status);

#endif
