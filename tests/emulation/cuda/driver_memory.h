/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_MEMORY_H
#define TESTS_EMULATION_CUDA_DRIVER_MEMORY_H

#include "driver.h"

/*
 * All memory that devices know, by address. The addresses of device memory are real ones of a range
 * that nobody can access; what it holds is elsewhere, and only the driver looks there. So a program
 * that touches it dies, also while a kernel runs. Addresses are not used again for long, and what
 * is new holds a pattern.
 */
enum AllocationKind {
    ALLOCATION_DEVICE,
    ALLOCATION_HOST,       /* cuMemHostAlloc */
    ALLOCATION_REGISTERED, /* cuMemHostRegister */
    ALLOCATION_MANAGED,
};

typedef struct Allocation {
    uint64_t address;
    size_t size;
    unsigned char *storage;
    uint64_t id; /* never used again */
    enum AllocationKind kind;
    unsigned flags;
    CudaContext context;
} Allocation;

/* The allocation that holds the address, until the next call that changes memory; NULL: none. */
const Allocation *driver_find_memory(uint64_t address);
/* Whether addresses of devices lie there, allocated or not. */
bool driver_is_device_range(uint64_t address);

/* New device memory. */
CudaResult driver_allocate(CudaContext context, uint64_t *address, size_t bytes);
CudaResult driver_free(uint64_t address);

/* All of it, in the order of addresses. */
const Allocation *driver_memory(size_t *count);
/* Whether kernels of the context can access it. */
bool driver_can_access(CudaContext context, const Allocation *allocation);
void driver_drop_memory(CudaContext context);
/* machine_runtime.measure: "memory", what exists now. */
bool driver_measure(const char *what, uint64_t *value);

#endif
