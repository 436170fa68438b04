/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/file_load.h"

#include <errno.h>
#include <stdlib.h>

/* The content of an open file whose status is known; it may have become shorter since. */
static int load(const VmafFile *file, const VmafFileStatus *status, char **content, size_t *size)
{
    const size_t expected = (size_t)status->size;
    char *bytes = malloc(expected + 1);
    if (!bytes)
        return -ENOMEM;
    size_t used = 0, got = 1;
    int err = 0;
    while (!err && got && used < expected) {
        err = vmaf_file_read_at(file, bytes + used, expected - used, (int64_t)used, &got);
        used += got;
    }
    if (err) {
        free(bytes);
        return err;
    }
    bytes[used] = '\0';
    *content = bytes;
    *size = used;
    return 0;
}

static int check_loadable(const VmafFileStatus *status, size_t max)
{
    if (status->kind != VMAF_FILE_REGULAR)
        return -EINVAL;
    return (uint64_t)status->size > max ? -EFBIG : 0;
}

int vmaf_file_load(const char *path, size_t max, char **content, size_t *size)
{
    VmafFile file;
    VmafFileStatus status = {0};
    *content = NULL;
    *size = 0;
    int err = vmaf_file_open_at_once(&file, path);
    if (err)
        return err;
    err = vmaf_file_status(&file, &status);
    if (!err)
        err = check_loadable(&status, max);
    if (!err)
        err = load(&file, &status, content, size);
    vmaf_file_close(&file);
    return err;
}
