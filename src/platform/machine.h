/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_MACHINE_H
#define VMAF_PLATFORM_MACHINE_H

/* The machine: its processors, memory, order of bytes, and chance. */

#include <stdbool.h>
#include <stddef.h>

/* Processors that run; at least 1. */
unsigned vmaf_processors_online(void);

/*
 * Cores that this process may keep busy: those of its affinity mask, cut down to the quota of its
 * control groups (containers), version 1 or 2. At least 1.
 */
unsigned vmaf_processors_usable(void);

/*
 * Cores that control groups grant, rounded up; 0 if they do not limit. `mount` is where the
 * hierarchies are mounted, `membership` a file in the format of /proc/self/cgroup.
 */
unsigned vmaf_processors_cgroup_quota(const char *mount, const char *membership);

/* Bytes of a page, the unit in which files are mapped. */
size_t vmaf_page_size(void);

/* Uninitialised, aligned to a power of two that is a multiple of a pointer's size; NULL if memory
 * runs out. To be freed by vmaf_aligned_free alone. */
void *vmaf_aligned_alloc(size_t alignment, size_t size);
void vmaf_aligned_free(void *block); /* NULL allowed */

/* A text that is another one each time the machine was started; "" if the system has none. */
void vmaf_machine_boot_id(char *id, size_t size);

/* Bytes that nobody can guess. False, at once, if the system has none yet (early while booting). */
bool vmaf_random_bytes(void *bytes, size_t size);

/*
 * Files hold numbers with the low byte first, whichever machine reads or writes them. Where memory
 * does so as well, nothing is to be done.
 */
static inline bool vmaf_is_little_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/* Makes numbers of memory those of files, or the other way round: so many bytes of numbers of
 * `size` bytes each. What is left over stays. */
static inline void vmaf_swap_for_files(void *numbers, size_t n_bytes, size_t size)
{
    if (vmaf_is_little_endian())
        return;
    unsigned char *bytes = numbers;
    for (size_t end = size; end <= n_bytes; end += size, bytes += size)
        for (size_t i = 0; i < size / 2; i++) {
            const unsigned char byte = bytes[i];
            bytes[i] = bytes[size - 1 - i];
            bytes[size - 1 - i] = byte;
        }
}

#endif
