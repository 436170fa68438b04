/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_WINDOWS_SYS_MMAN_H
#define TESTS_WINDOWS_SYS_MMAN_H

/* As much of POSIX memory as tests use that want pages which cannot be accessed. */

#include <stddef.h>

enum { PROT_NONE = 0, PROT_READ = 1, PROT_WRITE = 2, MAP_PRIVATE = 2, MAP_ANONYMOUS = 32 };
#define MAP_FAILED ((void *)-1)

void *mmap(void *address, size_t size, int protection, int flags, int file, long long position);
int mprotect(void *address, size_t size, int protection);
int munmap(void *address, size_t size);

#endif
