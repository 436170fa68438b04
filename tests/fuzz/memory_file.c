/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A closed file for reuse: creating one takes longer than many an input. */
static int spare = -1;

void memory_file_open(MemoryFile *file, const uint8_t *data, size_t size)
{
    file->fd = spare >= 0 ? spare : memfd_create("fuzz", 0);
    spare = -1;
    if (file->fd < 0 || pwrite(file->fd, data, size, 0) != (ssize_t)size ||
        ftruncate(file->fd, (off_t)size)) {
        perror("memory file");
        exit(EXIT_FAILURE);
    }
    snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
}

void memory_file_close(MemoryFile *file)
{
    if (spare < 0)
        spare = file->fd;
    else
        close(file->fd);
}
