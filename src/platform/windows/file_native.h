/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_WINDOWS_FILE_NATIVE_H
#define VMAF_PLATFORM_WINDOWS_FILE_NATIVE_H

#include "platform/file.h"
#include "platform/windows/native.h"

/*
 * Opens a file or folder that others may read, write, replace and remove meanwhile; not inherited.
 * "/dev/stdout" and the like are copies of the standard streams. 0; negative errno.
 */
int vmaf_handle_open(HANDLE *handle, const char *path, DWORD access, DWORD disposition,
                     DWORD flags);
/* A copy of a handle, for this process alone. */
int vmaf_handle_copy(HANDLE *copy, HANDLE handle);

int vmaf_handle_status(HANDLE handle, VmafFileStatus *status);

/* What comes next. Bytes, 0 at the end, also of a pipe; negative errno. */
int64_t vmaf_handle_read(HANDLE handle, void *buffer, size_t size);
/* All bytes. 0; negative errno. */
int vmaf_handle_write(HANDLE handle, const void *data, size_t size);

#endif
