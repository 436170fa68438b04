/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_H

#include <level_zero/ze_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "spirv.h"

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

/* -- SPIR-V on the processor: pocl, an implementation of OpenCL, runs it -- */

typedef struct OpenclProgram OpenclProgram;
typedef struct _cl_kernel OpenclKernel; /* of OpenCL */

typedef struct OpenclArgument {
    bool is_memory; /* then the value is an address in this process, and may be 0 */
    size_t size;    /* of the value; of memory of the group, which has no value */
    const void *value;
    size_t memory_size; /* bytes that may be accessed behind the address */
} OpenclArgument;

/* Finds pocl and a translator; false, and why not. Also when it was called before. */
bool opencl_start(char *reason, size_t reason_size);
/* Programs of the same code are the same, and stay. NULL, and a text that has to be given back. */
OpenclProgram *opencl_build(const void *spirv, size_t size, char **log);
OpenclKernel *opencl_create_kernel(OpenclProgram *program, const char *name);
void opencl_destroy_kernel(OpenclKernel *kernel);
/* Runs it to its end. False, and a text. */
bool opencl_run(OpenclKernel *kernel, const OpenclArgument *arguments, uint32_t n_arguments,
                const uint32_t group_size[3], const uint32_t group_count[3], char error[128]);

/* -- modules and kernels -- */

typedef struct Module {
    Object object;
    Context *context;
    Spirv *spirv; /* with a copy of the code */
    OpenclProgram *program;
    unsigned n_kernels; /* that exist */
} Module;

typedef struct Kernel {
    Object object;
    Module *module;
    const SpirvKernel *code;
    OpenclKernel *opencl;
    uint32_t group_size[3];
    unsigned char *values; /* of arguments, at their offsets */
    uint32_t are_set;      /* by bit */
} Kernel;

/* A kernel with its arguments as they were when it was appended. */
typedef struct Launch {
    Kernel *kernel;
    unsigned char *values;
    uint32_t group_size[3], group_count[3];
} Launch;

/* A launch of the kernel as it is now. */
ze_result_t driver_prepare_launch(Kernel *kernel, const ze_group_count_t *groups, Launch *launch);
/* Runs it; *work: what it did. */
ze_result_t driver_run_launch(const Context *context, const Launch *launch, Work *work);

/* -- what is on command lists, which are immediate ones; order is up to barriers and events -- */

typedef struct Pool {
    Object object;
    Context *context;
    ze_event_pool_flags_t flags;
    uint32_t count;
    struct Event **events; /* by index; NULL: not created */
} Pool;

typedef struct Event {
    Object object;
    Pool *pool;
    uint32_t index;
    bool is_signalled;
} Event;

typedef struct List {
    Object object;
    Context *context;
    uint32_t ordinal;
    bool is_synchronous;
    TaskQueue queue;
} List;

enum CommandKind { COMMAND_BARRIER, COMMAND_COPY, COMMAND_KERNEL, COMMAND_TIMER };

/* Rows of bytes. */
typedef struct Copy {
    uint64_t dst, src;
    size_t width, height;
    size_t dst_pitch, src_pitch;
} Copy;

typedef struct Command {
    Task task;
    List *list;
    enum CommandKind kind;
    bool waits_for_earlier, holds_later; /* of its list */
    Event *signal;                       /* may be NULL */
    Event **wait;
    uint32_t n_wait;
    union {
        Copy copy;
        Launch launch;
        uint64_t timer_address;
    };
} Command;

void driver_free_command(Command *command);

void driver_finish_context(const Context *context);
/* The object is destroyed: work that uses it fails when it runs, and is complained about. */
void driver_spoil(const Object *object);

/* The loader keeps that it has called zeInit: it need not be called again for another machine. */
MACHINE_CONTROL(level_zero)

/* Why kernels cannot run on this system, so that tests are skipped; NULL: they can. */
__attribute__((visibility("default"))) const char *emulated_level_zero_unavailable(void);

#endif
