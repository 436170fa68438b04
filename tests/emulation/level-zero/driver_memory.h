/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_MEMORY_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_MEMORY_H

#include "driver.h"

/*
 * All memory that the driver knows, in two ranges of addresses of the same size. What exists is in
 * the range for storage, between pages that nobody can access. Memory of devices has addresses in
 * the other range, which nobody can access at all: so the host that touches it dies, also while a
 * kernel runs, for which they are replaced. Addresses are not used again for long, and what is new
 * holds a pattern.
 */
typedef struct Allocation {
    uint64_t address;       /* that the program knows */
    unsigned char *storage; /* what is there; the same, but for memory of devices */
    size_t size;
    uint64_t id; /* never used again */
    ze_memory_type_t type;
    Context *context;
    Device *device;       /* NULL: of the host */
    unsigned char *pages; /* that it lies on */
    size_t pages_size;
    bool is_imported;
} Allocation;

/* The allocation that holds the address, until the next call that changes memory; NULL: none. */
const Allocation *driver_find_memory(uint64_t address);
/* Whether an address lies where only the driver's memory is, in existence or not. */
bool driver_is_own_range(uint64_t address);
/* Whether an address lies between the storages, where kernels must not get. */
bool driver_is_gap(uint64_t address);
/* Nobody can access that page of a gap any more, and it forgets what was written. */
void driver_close_gap(uint64_t address);
/* Whether something was written beside the allocation, on its own pages; it is as new then. */
bool driver_is_overrun(const Allocation *allocation);

void driver_drop_memory(void);
/* machine_runtime.measure: "memory", what exists now. */
bool driver_measure(const char *what, uint64_t *value);

#endif
