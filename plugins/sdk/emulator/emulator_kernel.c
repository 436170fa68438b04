/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "emulator_kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t emulator_index_fault(const EmulatorGroup *group, const EmulatorArray *array, int64_t index,
                             int line)
{
    if (group->fault[0] == '\0') {
        snprintf(group->fault, EMULATOR_FAULT_SIZE,
                 "kernel %s, line %d, group (%d, %d, %d): element %" PRId64 " of %s, which has %zu",
                 group->kernel->name, line, (int)group->group[0], (int)group->group[1],
                 (int)group->group[2], index, array->name, array->length);
    }
    return 0;
}

void emulator_fill_noise(void *memory, size_t size, uint32_t seed)
{
    const uint32_t word = (seed | 1) * 2654435761u; /* never 0 */
    unsigned char *bytes = memory;
    size_t i = 0;
    for (; i + sizeof(word) <= size; i += sizeof(word)) {
        memcpy(bytes + i, &word, sizeof(word));
    }
    memcpy(bytes + i, &word, size - i);
}

static uint64_t common_factor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t emulator_stride(uint64_t least, uint64_t n)
{
    while (common_factor(least, n) != 1)
        least++;
    return least;
}
