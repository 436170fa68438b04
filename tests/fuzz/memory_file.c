/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void memory_file_open(MemoryFile *file, const uint8_t *data, size_t size)
{
    file->fd = memfd_create("fuzz", 0);
    if (file->fd < 0 || write(file->fd, data, size) != (ssize_t)size) {
        perror("memory file");
        exit(EXIT_FAILURE);
    }
    snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

void memory_file_close(MemoryFile *file)
{
    close(file->fd);
}
