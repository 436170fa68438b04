/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <sys/mman.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

void *mmap(void *address, size_t size, int protection, int flags, int file, long long position)
{
    (void)flags;
    if (protection != PROT_NONE || file != -1 || position)
        return MAP_FAILED;
    void *pages = VirtualAlloc(address, size, MEM_RESERVE | MEM_COMMIT, PAGE_NOACCESS);
    return pages ? pages : MAP_FAILED;
}

int mprotect(void *address, size_t size, int protection)
{
    DWORD before;
    const DWORD now = protection & PROT_WRITE  ? PAGE_READWRITE
                      : protection & PROT_READ ? PAGE_READONLY
                                               : PAGE_NOACCESS;
    return VirtualProtect(address, size, now, &before) ? 0 : -1;
}

int munmap(void *address, size_t size)
{
    (void)size;
    return VirtualFree(address, 0, MEM_RELEASE) ? 0 : -1;
}
