/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "output_file.h"

#include "platform/file.h"

int output_file_write(const char *path, const char *text)
{
    VmafAtomicFile *file;
    int err = vmaf_atomic_file_open(&file, path);
    if (err)
        return err;
    vmaf_atomic_file_puts(file, text);
    return vmaf_atomic_file_commit(file);
}
