/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_GUARDED_MEMORY_H
#define TESTS_EMULATION_CORE_GUARDED_MEMORY_H

#include "machine_device.h"

/*
 * All memory that a runtime knows. What it has allocated lies in one range of addresses, between
 * pages that nobody can access. Memory of devices has addresses in another range, which nobody can
 * access at all, so that the host that touches it dies, also while a kernel runs, for which they
 * are replaced. Addresses are not used again for long, and what is new holds a pattern.
 */
enum MemoryKind {
    MEMORY_DEVICE,
    MEMORY_HOST,
    MEMORY_SHARED,     /* between host and device */
    MEMORY_REGISTERED, /* the program's own */
};

typedef struct Memory {
    uint64_t address;       /* that the program knows */
    unsigned char *storage; /* what is there; the same, but for memory of devices */
    size_t size;
    uint64_t id; /* never used again */
    enum MemoryKind kind;
    unsigned flags;       /* as the program gave them */
    void *owner;          /* context */
    DeviceState *device;  /* NULL: of the host */
    uint64_t charge;      /* what it takes of the device's memory */
    unsigned char *pages; /* that it lies on */
    size_t pages_size;
    bool is_imported;
} Memory;

/*
 * Adds memory of that kind, size, owner, device and charge. A descriptor is that of a file which is
 * mapped instead of new memory; -1: none. NULL: there is no room, or the file cannot be mapped.
 * What it returns is valid until the next call that changes memory.
 */
Memory *guarded_allocate(const Memory *wanted, size_t alignment, int descriptor);
/* Adds memory of the program at wanted->address, which is not known yet. */
void guarded_register(const Memory *wanted);
/* Complains if something was written beside it. */
void guarded_free(Memory *memory);
/* Frees what belongs to the owner; NULL: everything. */
void guarded_free_all(const void *owner);

/* What holds the address; NULL: nothing does. */
Memory *guarded_find(uint64_t address);
/* Whether something holds an address of that range. */
bool guarded_is_known(uint64_t address, size_t size);
/* What begins there. */
Memory *guarded_find_whole(uint64_t address);
/* All of it, in the order of addresses. */
const Memory *guarded_list(size_t *count);
/* MachineRuntime.measure for "memory": how much of it exists. */
bool guarded_measure(const char *what, uint64_t *value);

/* Whether an address lies where only memory of devices, or any memory of the runtime, can be. */
bool guarded_is_device_range(uint64_t address);
bool guarded_is_own_range(uint64_t address);
/* Whether it lies between storages, where kernels must not get. */
bool guarded_is_gap(uint64_t address);
/* Nobody can access that page of a gap any more, and it forgets what was written. */
void guarded_close_gap(uint64_t address);
/* Whether something was written beside it, on its own pages; it is as new then. */
bool guarded_is_overrun(const Memory *memory);
/* Lets the program access its storage so (PROT_READ and so on). */
void guarded_protect(const Memory *memory, int access);

#endif
