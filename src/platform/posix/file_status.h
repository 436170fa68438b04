/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_POSIX_FILE_STATUS_H
#define VMAF_PLATFORM_POSIX_FILE_STATUS_H

#include <sys/stat.h>

#include "platform/file.h"

VmafFileStatus vmaf_file_status_from(const struct stat *native);

/* One call, again if a signal came first. Bytes; negative errno. */
int64_t vmaf_descriptor_read(int fd, void *buffer, size_t size);
/* All bytes. 0; negative errno. */
int vmaf_descriptor_write(int fd, const void *data, size_t size);

#endif
