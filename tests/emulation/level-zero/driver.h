/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_H

#include <level_zero/ze_api.h>

#include "guarded_memory.h"
#include "machine.h"

/*
 * What the files of the driver share. The lock of machine.h guards everything; each function that
 * the loader calls takes it in DRIVER_CALL, and all that is declared here and in the other headers
 * is called with it held.
 */

/* Each function of the interface, as far as the installed headers have it. */
#define DRIVER_FUNCTION(function)                                                                  \
    extern __typeof__(function) emulated_##function __attribute__((weak, visibility("hidden")))
#include "level_zero_api.h"

enum ObjectKind {
    OBJECT_DRIVER,
    OBJECT_DEVICE,
    OBJECT_CONTEXT,
    OBJECT_LIST,
    OBJECT_POOL,
    OBJECT_EVENT,
    OBJECT_MODULE,
    OBJECT_LOG,
    OBJECT_KERNEL,
};

typedef struct Device Device;

/* What every handle points at begins with this one. Destroyed objects stay, marked as such. */
typedef struct Object {
    unsigned magic;
    enum ObjectKind kind;
    unsigned id;
    Device *device; /* NULL: it belongs to none */
    struct Object *next;
} Object;

enum { DRIVER_ALIVE = 0xa11fe, DRIVER_DEAD = 0xdead };

struct Device {
    Object object;
    DeviceState *state;
    uint64_t clock_ns; /* simulated */
};

typedef struct Context {
    Object object;
} Context;

typedef struct Driver {
    Object object;
    Device devices[MACHINE_MAX_DEVICES];
    bool is_initialized;
} Driver;

extern Driver driver;

/* What only this machine file has: indices of `own`. */
enum { MACHINE_API, MACHINE_BROKEN };
enum { DEVICE_NO_FP64, DEVICE_SPIRV };

/* The newest SPIR-V that the device takes, as ZE_MAKE_VERSION. */
static inline uint32_t driver_spirv_of(const Device *device)
{
    const int version = device->state->machine->own[DEVICE_SPIRV];
    return version ? (uint32_t)version : ZE_MAKE_VERSION(1, 2);
}

ze_result_t driver_begin(const char *function);
ze_result_t driver_end(const char *function, ze_result_t result);

#define DRIVER_CALL(expression)                                                                    \
    do {                                                                                           \
        ze_result_t called = driver_begin(__func__);                                               \
        if (called == ZE_RESULT_SUCCESS)                                                           \
            called = (expression);                                                                 \
        return driver_end(__func__, called);                                                       \
    } while (0)

/* A function of the interface: its name, its parameters, and what it does. */
#define DRIVER_DEFINE(name, parameters, expression)                                                \
    ze_result_t emulated_##name parameters                                                         \
    {                                                                                              \
        DRIVER_CALL(expression);                                                                   \
    }

ze_result_t driver_unsupported(const char *function);
/* Names of all functions that the headers have, up to NULL. */
extern const char *const driver_functions[];

/* -- objects -- */

/* A new one, which begins with an Object; size bytes that are otherwise zero. */
void *driver_create_object(enum ObjectKind kind, size_t size, Device *device);
void driver_destroy_object(Object *object);
/* Destroys an object by its handle, for which its device need not work any more. */
ze_result_t driver_give_back(void *handle, enum ObjectKind kind);
/* What a handle stands for; NULL, and an error in *result: it is none, or its device is lost. */
void *driver_find(const void *handle, enum ObjectKind kind, ze_result_t *result);
/* The same, also on a device that is lost: for what gives objects back. */
void *driver_find_lost(const void *handle, enum ObjectKind kind, ze_result_t *result);

/* Whether work of the context on the device can use it. */
static inline bool driver_can_use(const Context *context, const Device *device,
                                  const Memory *memory)
{
    return memory->owner == context && (!memory->device || memory->device == device->state);
}

/* -- devices -- */

/* What the device's timer shows. */
uint64_t driver_ticks(const Device *device);

enum {
    DRIVER_TIMER_HZ = 19200000,
    DRIVER_TIMER_BITS = 36,
    DRIVER_MAX_GROUP_SIZE = 1024,
    DRIVER_LOCAL_MEMORY = 65536,
    DRIVER_MAX_ARGUMENTS_SIZE = 2048,
};

/* Which queue groups a device has. */
enum { QUEUE_GROUP_COMPUTE, QUEUE_GROUP_COPY };
bool driver_has_queue(const Device *device, uint32_t ordinal, uint32_t index);

#endif
