/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_H
#define TESTS_EMULATION_CUDA_DRIVER_H

#include <stdbool.h>

#include "driver_api.h"
#include "machine.h"
#include "machine_device.h"

/*
 * What the files of the driver share. One lock guards everything; every exported function takes it
 * in DRIVER_CALL, and all that is declared here and in the other headers is called with it held.
 */

typedef struct Device {
    DeviceState *state;
    CudaDeviceHandle ordinal;
    CudaContext primary;
    unsigned primary_users, primary_flags;
    unsigned n_contexts;
} Device;

struct CUctx_st {
    unsigned magic; /* of all objects: DRIVER_ALIVE, then DRIVER_DEAD, and they are not freed */
    CudaContext next;
    unsigned id;
    Device *device;
    bool is_primary;
    CudaResult broken; /* what every call returns since; 0: it works */
    CudaStream legacy;
};

enum { DRIVER_ALIVE = 0xa11fe, DRIVER_DEAD = 0xdead };

/* Whether an object, which its name says, exists; complains if not. */
bool driver_is_alive(const void *object, const char *name);

/* What machines and devices have of their own. */
enum { DRIVER_IS_MISMATCHED };
enum { DEVICE_CAPABILITY /* ten times, as 89 */, DEVICE_COMPUTE_MODE };

typedef struct Driver {
    Device devices[MACHINE_MAX_DEVICES];
    bool is_initialized;
    uint64_t serial;      /* of allocations, streams, contexts: ids that never return */
    uint64_t runs;        /* commands that ran */
    CudaContext contexts; /* all that were ever made, as with other objects */
} Driver;

extern Driver driver;

enum DriverNeeds {
    DRIVER_NEEDS_NOTHING,
    DRIVER_NEEDS_INIT,
    DRIVER_NEEDS_CURRENT, /* a context that is current, but may be broken */
    DRIVER_NEEDS_CONTEXT, /* one that works */
};

/* machine_begin, and a look at what the call needs. Followed by machine_end in any case. */
CudaResult driver_begin(const char *function, enum DriverNeeds needs, CudaContext *context);

#define DRIVER_CALL(needs, expression)                                                             \
    do {                                                                                           \
        CudaContext context = NULL;                                                                \
        CudaResult called = driver_begin(__func__, needs, &context);                               \
        (void)context;                                                                             \
        if (called == CUDA_SUCCESS)                                                                \
            called = (expression);                                                                 \
        return machine_end(__func__, called);                                                      \
    } while (0)

/* An exported function, as the tables of driver_api.h have it. */
#define DRIVER_DEFINE(name, needs, parameters, expression)                                         \
    CudaResult name parameters                                                                     \
    {                                                                                              \
        DRIVER_CALL(DRIVER_NEEDS_##needs, expression);                                             \
    }

/* What machine_runtime needs: everything is gone; devices are those of the machine; a device, or
 * that of this thread, is lost. */
void driver_forget(void);
void driver_set_up(void);
void driver_drop_device(DeviceState *device);
int driver_lose_current(int error);

/* -- driver_device.c, driver_context.c -- */

/* NULL: there is no such device. */
Device *driver_device(CudaDeviceHandle handle);
CudaContext driver_current(void);
void driver_forget_contexts(void);
/* What calls in the context return: 0, or the error that stays. */
CudaResult driver_context_state(CudaContext context);
void driver_break_context(CudaContext context, CudaResult result);

#endif
