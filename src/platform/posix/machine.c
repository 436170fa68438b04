/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/machine.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "platform/posix/file_status.h"

void vmaf_machine_boot_id(char *id, size_t size)
{
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const int64_t length = file < 0 ? 0 : vmaf_descriptor_read(file, id, size - 1);
    if (file >= 0)
        close(file);
    id[length > 0 ? length : 0] = '\0';
    id[strcspn(id, "\n")] = '\0';
}
