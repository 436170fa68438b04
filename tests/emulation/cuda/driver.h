/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_H
#define TESTS_EMULATION_CUDA_DRIVER_H

#include <stdbool.h>
#include <stdio.h>

#include "driver_api.h"
#include "machine_file.h"

/*
 * What the files of the driver share. One lock guards everything; every exported function takes it
 * in DRIVER_CALL, and all that is declared here and in the other headers is called with it held.
 */

typedef struct Device {
    const MachineDevice *machine;
    CudaDeviceHandle ordinal;
    CudaContext primary;
    unsigned primary_users, primary_flags;
    unsigned n_contexts;
    uint64_t memory_used;
    CudaResult lost;          /* what every call returns since; 0: it works */
    uint64_t kernels_free_ns; /* simulated time at which the next kernel can begin */
    uint64_t copies_free_ns[2];
} Device;

struct CUctx_st {
    unsigned magic; /* of all objects: DRIVER_ALIVE, then DRIVER_DEAD, and they are not freed */
    CudaContext next;
    unsigned id;
    Device *device;
    bool is_primary;
    unsigned flags;
    CudaResult broken; /* what every call returns since; 0: it works */
    CudaStream legacy;
};

enum { DRIVER_ALIVE = 0xa11fe, DRIVER_DEAD = 0xdead };

/* How work is ordered where the interface leaves it open. */
enum DriverOrder {
    DRIVER_LATE,   /* only what somebody waits for */
    DRIVER_EARLY,  /* at once */
    DRIVER_OTHERS, /* like late, but what others put on their streams comes first */
    DRIVER_RANDOM,
};

typedef struct Driver {
    Machine machine;
    Device devices[MACHINE_MAX_DEVICES];
    bool is_configured, is_initialized;
    char machine_error[MACHINE_ERROR_SIZE]; /* why the machine's file is not understood */
    enum DriverOrder order;
    uint64_t random;
    uint64_t serial;      /* of allocations, streams, contexts: ids that never return */
    uint64_t calls, runs; /* counters that faults name */
    uint64_t launches, submissions;
    uint64_t allocations;
    CudaContext contexts; /* all that were ever made, as with other objects */
    FILE *log;
} Driver;

extern Driver driver;

enum DriverNeeds {
    DRIVER_NEEDS_NOTHING,
    DRIVER_NEEDS_INIT,
    DRIVER_NEEDS_CURRENT, /* a context that is current, but may be broken */
    DRIVER_NEEDS_CONTEXT, /* one that works */
};

/* Takes the lock, counts, lets fail what the machine says. Followed by driver_end in any case. */
CudaResult driver_begin(const char *function, enum DriverNeeds needs, CudaContext *context);
CudaResult driver_end(const char *function, CudaResult result);

#define DRIVER_CALL(needs, expression)                                                             \
    do {                                                                                           \
        CudaContext context = NULL;                                                                \
        CudaResult called = driver_begin(__func__, needs, &context);                               \
        (void)context;                                                                             \
        if (called == CUDA_SUCCESS)                                                                \
            called = (expression);                                                                 \
        return driver_end(__func__, called);                                                       \
    } while (0)

/* For a while without the lock; for callbacks, and while a call blocks. */
void driver_unlock(void);
void driver_lock(void);

/* Adds to the line of this call in the log. */
__attribute__((format(printf, 1, 2))) void driver_note(const char *format, ...);
/* A line of its own. */
__attribute__((format(printf, 1, 2))) void driver_log(const char *format, ...);
/* Says on the standard error, and in the log, what the program does wrong. */
__attribute__((format(printf, 1, 2))) void driver_complain(const char *format, ...);

/* What is to happen to the work that this call puts on a stream; NULL: nothing. */
const MachineFault *driver_armed(void);
void driver_arm(const MachineFault *fault);
/* The fault of that word whose turn it is: call, launch, submission, run. */
const MachineFault *driver_fault(const char *word, uint64_t count);

/* The next random number below n. */
uint64_t driver_random(uint64_t n);

/* -- driver_device.c, driver_context.c -- */

/* NULL: there is no such device. */
Device *driver_device(CudaDeviceHandle handle);
CudaContext driver_current(void);
void driver_forget_contexts(void);
/* What calls in the context return: 0, or the error that stays. */
CudaResult driver_context_state(CudaContext context);
void driver_break_context(CudaContext context, CudaResult result);
CudaResult driver_lose(Device *device, CudaResult result);

#endif
