/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_FILE_LOAD_H
#define VMAF_PLATFORM_FILE_LOAD_H

/* For file_load.c alone. */

#include "platform/file.h"

/* To be read, without waiting for anybody: a pipe that nobody writes to is opened or refused. */
int vmaf_file_open_at_once(VmafFile *file, const char *path);

#endif
