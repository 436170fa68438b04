/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "api/failing_malloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* glibc's allocator under names that nothing replaces. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

/* Visible to the shared libraries of the program. */
#pragma GCC visibility push(default)
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *memalign(size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **block, size_t alignment, size_t size);
void free(void *block);
#pragma GCC visibility pop

void (*failing_malloc_on_failure)(void);

static atomic_ulong n_allocations, fail_at;
static atomic_long outstanding;

void failing_malloc_arm(unsigned long n)
{
    atomic_store(&n_allocations, 0);
    atomic_store(&fail_at, n);
}

bool failing_malloc_disarm(void)
{
    unsigned long n = atomic_exchange(&fail_at, 0);
    return n && atomic_load(&n_allocations) >= n;
}

unsigned long failing_malloc_count(void)
{
    return atomic_load(&n_allocations);
}

long failing_malloc_outstanding(void)
{
    return atomic_load(&outstanding);
}

/*
 * Jansson (2.14) ignores a failure to grow the text buffer of its scanner, whose sizes are powers
 * of two: it drops a character and goes on, or aborts. No caller can handle that, so these
 * allocations never fail. All others of Jansson can.
 */
static bool is_scanner_of_jansson(const void *caller, size_t size)
{
    Dl_info info;
    return size >= 32 && (size & (size - 1)) == 0 && dladdr(caller, &info) && info.dli_fname &&
           strstr(info.dli_fname, "jansson");
}

static bool fails(const void *caller, size_t size)
{
    unsigned long n = atomic_fetch_add(&n_allocations, 1) + 1;
    if (n != atomic_load(&fail_at))
        return false;
    if (is_scanner_of_jansson(caller, size)) {
        atomic_fetch_add(&fail_at, 1);
        return false;
    }
    if (failing_malloc_on_failure)
        failing_malloc_on_failure();
    errno = ENOMEM;
    return true;
}

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add(&outstanding, 1);
    return block;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return fails(CALLER, size) ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails(CALLER, size) ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    if (fails(CALLER, size))
        return NULL;
    return block ? __libc_realloc(block, size) : counted(__libc_malloc(size));
}

void *memalign(size_t alignment, size_t size)
{
    return fails(CALLER, size) ? NULL : counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *allocated = memalign(alignment, size);
    if (!allocated)
        return ENOMEM;
    *block = allocated;
    return 0;
}

void free(void *block)
{
    if (block)
        atomic_fetch_sub(&outstanding, 1);
    __libc_free(block);
}
