/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/machine.h"
#include "simd_check/simd_check.h"

/* -- memory -- */

/* Mappings are used again: making them would take most of the time of a check. Those that lie idle
 * are given back when there are too many, as sizes that were tried do not come back then. */
enum { MAX_BUFFERS = 1024, MAX_IDLE = 128 };

typedef struct Mapping {
    uint8_t *base;
    size_t room; /* between the two inaccessible pages */
    bool used;
} Mapping;

static Mapping mappings[MAX_BUFFERS];
static unsigned n_mappings, n_used;

static void give_up(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static size_t page_size(void)
{
    static size_t size;
    if (!size)
        size = vmaf_page_size();
    return size;
}

static void unmap_idle(void)
{
    unsigned n_kept = 0;
    for (unsigned i = 0; i < n_mappings; i++) {
        if (mappings[i].used)
            mappings[n_kept++] = mappings[i];
        else if (munmap(mappings[i].base, mappings[i].room + 2 * page_size()) != 0)
            give_up("munmap");
    }
    n_mappings = n_kept;
}

static Mapping *new_mapping(size_t room)
{
    const size_t page = page_size();
    if (n_mappings - n_used >= MAX_IDLE)
        unmap_idle();
    if (n_mappings == MAX_BUFFERS) {
        fprintf(stderr, "simd_buffer: more than %d buffers\n", MAX_BUFFERS);
        exit(EXIT_FAILURE);
    }
    uint8_t *base = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        give_up("mmap");
    if (room && mprotect(base + page, room, PROT_READ | PROT_WRITE) != 0)
        give_up("mprotect");
    mappings[n_mappings] = (Mapping){base, room, false};
    return &mappings[n_mappings++];
}

static Mapping *find_mapping(size_t room)
{
    for (unsigned i = 0; i < n_mappings; i++) {
        if (mappings[i].room == room && !mappings[i].used) {
            memset(mappings[i].base + page_size(), 0, room);
            return &mappings[i];
        }
    }
    return new_mapping(room);
}

void *simd_buffer(size_t size, enum SimdGuard guard)
{
    const size_t page = page_size();
    const size_t room = (size + page - 1) / page * page;
    Mapping *mapping = find_mapping(room);
    mapping->used = true;
    n_used++;
    return mapping->base + page + (guard == SIMD_GUARD_AFTER ? room - size : 0);
}

void simd_free_buffers(void)
{
    for (unsigned i = 0; i < n_mappings; i++)
        mappings[i].used = false;
    n_used = 0;
}

/* -- content -- */

uint32_t simd_random(void)
{
    /* G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003. */
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (uint32_t)(x >> 32);
}

/* Element i of n in 0..maximum. */
static uint32_t value_of(enum SimdContent content, size_t i, size_t n, uint32_t maximum)
{
    const uint32_t noise = simd_random();
    const uint64_t range = (uint64_t)maximum + 1;
    switch (content) {
    case SIMD_ZERO:
        return 0;
    case SIMD_MAXIMUM:
        return maximum;
    case SIMD_NOISE:
        return (uint32_t)(noise % range);
    case SIMD_EXTREMES:
        return noise & 1 ? maximum : 0;
    case SIMD_SLOPE:
        return (uint32_t)((i * range / (n + 1) + noise % (range / 64 + 1)) % range);
    case SIMD_FAINT:
        return maximum / 2 + (noise & 1);
    default:
        return noise % 61 ? maximum / 2 : (uint32_t)(noise / 61 % range);
    }
}

void simd_fill_samples(void *samples, size_t n, unsigned bpc, enum SimdContent content)
{
    const uint32_t maximum = (1u << bpc) - 1;
    for (size_t i = 0; i < n; i++) {
        uint32_t value = value_of(content, i, n, maximum);
        if (bpc == 8)
            ((uint8_t *)samples)[i] = (uint8_t)value;
        else
            ((uint16_t *)samples)[i] = (uint16_t)value;
    }
}

void simd_fill_int16(int16_t *values, size_t n, int16_t limit, enum SimdContent content)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (int16_t)((int)value_of(content, i, n, 2 * (uint32_t)limit) - limit);
}

void simd_fill_int32(int32_t *values, size_t n, int32_t limit, enum SimdContent content)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (int32_t)((int64_t)value_of(content, i, n, 2 * (uint32_t)limit) - limit);
}

unsigned simd_width(unsigned index, unsigned vector_columns)
{
    const unsigned v = vector_columns;
    const unsigned widths[] = {
        1,         2,           3,         5,         v - 1, v,         v + 1,
        2 * v - 1, 2 * v,       2 * v + 1, 3 * v - 1, 3 * v, 3 * v + 1, 4 * v + v / 2 + 1,
        9 * v - 3, 400 + v / 2,
    };
    return index < sizeof(widths) / sizeof(widths[0]) ? widths[index] : 0;
}
