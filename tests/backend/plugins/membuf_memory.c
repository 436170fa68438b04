/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "membuf_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_ALLOCATIONS = 1024, PAGE = 4096, POISON = 0xa5 };

typedef struct Allocation {
    uint64_t address; /* of a mapping that nobody may access; 0: unused */
    uint64_t size;
    uint8_t *content;
} Allocation;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Allocation allocations[MAX_ALLOCATIONS];
static uint32_t n_allocations;

uint64_t device_allocate(uint64_t size)
{
    if (size == 0 || size > (uint64_t)1 << 40)
        return 0;
    void *range = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
        return 0;
    uint8_t *content = malloc(size);
    if (!content)
        goto fail;
    memset(content, POISON, size);

    pthread_mutex_lock(&lock);
    Allocation *free_one = allocations;
    while (free_one < allocations + MAX_ALLOCATIONS && free_one->address)
        free_one++;
    const int found = free_one < allocations + MAX_ALLOCATIONS;
    if (found) {
        *free_one = (Allocation){(uint64_t)(uintptr_t)range, size, content};
        n_allocations++;
    }
    pthread_mutex_unlock(&lock);
    if (found)
        return (uint64_t)(uintptr_t)range;

fail:
    free(content);
    munmap(range, size);
    return 0;
}

void device_release(uint64_t address)
{
    Allocation released = {0};
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; address && i < MAX_ALLOCATIONS; i++) {
        if (allocations[i].address == address) {
            released = allocations[i];
            allocations[i].address = 0;
            n_allocations--;
        }
    }
    pthread_mutex_unlock(&lock);
    if (released.content) {
        memset(released.content, POISON, released.size);
        free(released.content);
        munmap((void *)(uintptr_t)address, released.size);
    }
}

uint8_t *device_content(uint64_t address, uint64_t size)
{
    uint8_t *content = NULL;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < MAX_ALLOCATIONS; i++) {
        const Allocation *a = &allocations[i];
        if (a->address && address >= a->address && address - a->address <= a->size &&
            size <= a->size - (address - a->address))
            content = a->content + (address - a->address);
    }
    pthread_mutex_unlock(&lock);
    return content;
}

uint32_t device_n_allocations(void)
{
    pthread_mutex_lock(&lock);
    const uint32_t n = n_allocations;
    pthread_mutex_unlock(&lock);
    return n;
}
