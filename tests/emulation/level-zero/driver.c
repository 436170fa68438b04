/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What this runtime is; objects and their handles; faults of devices. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "driver_command.h"
#include "driver_control.h"
#include "driver_opencl.h"
#include "guarded_memory.h"

enum { PREFIX = sizeof("emulated_") - 1 };

Driver driver = {.object = {.magic = DRIVER_ALIVE, .kind = OBJECT_DRIVER}};

static Object *objects;
static unsigned last_id;

/* A device that this call finds is to be lost. */
static _Thread_local ze_result_t losing;

/* -- the machine file -- */

#define ERROR(name)                                                                                \
    {                                                                                              \
        (int)ZE_RESULT_##name, "ZE_RESULT_" #name, ""                                              \
    }
static const MachineError errors[] = {
    ERROR(NOT_READY),
    ERROR(ERROR_DEVICE_LOST),
    ERROR(ERROR_OUT_OF_HOST_MEMORY),
    ERROR(ERROR_OUT_OF_DEVICE_MEMORY),
    ERROR(ERROR_MODULE_BUILD_FAILURE),
    ERROR(ERROR_DEVICE_REQUIRES_RESET),
    ERROR(ERROR_DEVICE_IN_LOW_POWER_STATE),
    ERROR(ERROR_INSUFFICIENT_PERMISSIONS),
    ERROR(ERROR_NOT_AVAILABLE),
    ERROR(ERROR_DEPENDENCY_UNAVAILABLE),
    ERROR(ERROR_UNINITIALIZED),
    ERROR(ERROR_UNSUPPORTED_VERSION),
    ERROR(ERROR_UNSUPPORTED_FEATURE),
    ERROR(ERROR_INVALID_ARGUMENT),
    ERROR(ERROR_UNSUPPORTED_SIZE),
    ERROR(ERROR_UNSUPPORTED_ENUMERATION),
    ERROR(ERROR_INVALID_NATIVE_BINARY),
    ERROR(ERROR_INVALID_KERNEL_NAME),
    ERROR(ERROR_UNKNOWN),
};

static bool read_version(MachineReader *reader, int *version)
{
    unsigned major, minor;
    int end = 0;
    const char *word = reader->words[1];
    if (sscanf(word, "%u.%u%n", &major, &minor, &end) != 2 || word[end] != '\0')
        return machine_refuse(reader, "%s takes a version such as 1.3, not %s", reader->words[0],
                              word);
    *version = (int)ZE_MAKE_VERSION(major, minor);
    return true;
}

static bool read_api(MachineReader *reader)
{
    return read_version(reader, &reader->machine->own[MACHINE_API]);
}

static bool read_spirv(MachineReader *reader)
{
    return read_version(reader, &reader->device->own[DEVICE_SPIRV]);
}

static const MachineWord words[] = {
    {"api", 1, 1, read_api},
    MACHINE_FLAG("driver-broken", OF_MACHINE, MACHINE_BROKEN),
    MACHINE_FLAG("no-fp64", OF_DEVICE, DEVICE_NO_FP64),
    {"spirv", 1, 1, read_spirv},
};

static bool is_function(const char *word)
{
    for (const char *const *name = driver_functions; *name; name++) {
        if (strcmp(*name, word) == 0)
            return true;
    }
    return false;
}

static void set_default(MachineDevice *device, int index)
{
    (void)index;
    snprintf(device->name, sizeof(device->name), "Emulated Intel GPU");
    device->vendor_id = 0x8086;
    device->product_id = 0x56a0;
    device->copy_engines = 1;
}

static void set_up(void)
{
    for (int i = 0; i < emulated_machine.n_devices; i++) {
        Device *device = &driver.devices[i];
        *device = (Device){.object = {.magic = DRIVER_ALIVE, .kind = OBJECT_DEVICE},
                           .state = &machine_devices[i]};
        device->object.id = (unsigned)i;
        device->object.device = device;
        /* Soon the counter of timestamps begins again. */
        device->clock_ns = (UINT64_C(1) << DRIVER_TIMER_BITS) * 625 / 12 - 20000000;
    }
}

static void drop_work(DeviceState *device)
{
    for (Task *task = schedule_next(NULL), *next; task; task = next) {
        next = schedule_next(task);
        if (device && task->queue->device != device)
            continue;
        schedule_take_out(task);
        driver_free_command((Command *)task);
    }
}

static void forget(void)
{
    drop_work(NULL);
    guarded_free_all(NULL);
    for (Object *object = objects; object; object = object->next)
        object->magic = DRIVER_DEAD;
    for (int i = 0; i < emulated_machine.n_devices; i++)
        driver.devices[i].object.magic = DRIVER_DEAD;
}

/* Which device it is shows when the call looks for its objects. */
static int lose(int error)
{
    losing = (ze_result_t)error;
    return 0;
}

const MachineRuntime machine_runtime = {
    .name = "Level Zero",
    .variable = "VMAF_EMULATED_LEVEL_ZERO",
    .errors = errors,
    .n_errors = sizeof(errors) / sizeof(errors[0]),
    .unknown_error = (int)ZE_RESULT_ERROR_DEVICE_LOST,
    .is_flat = true,
    .words = words,
    .n_words = sizeof(words) / sizeof(words[0]),
    .is_function = is_function,
    .set_default = set_default,
    .forget = forget,
    .set_up = set_up,
    .lose = lose,
    .measure = guarded_measure,
    .drop_work = drop_work,
};

/* -- control functions -- */

MACHINE_CONTROL_DEFINE(level_zero)

const char *emulated_level_zero_unavailable(void)
{
    static char reason[256];
    machine_lock();
    const bool can_run = opencl_start(reason, sizeof(reason));
    machine_unlock();
    return can_run ? NULL : reason;
}

/* -- calls -- */

ze_result_t driver_begin(const char *function)
{
    const char *name = function + PREFIX;
    losing = ZE_RESULT_SUCCESS;
    const ze_result_t result = (ze_result_t)machine_begin(name);
    if (result != ZE_RESULT_SUCCESS || driver.is_initialized || strncmp(name, "zeInit", 6) == 0)
        return result;
    return ZE_RESULT_ERROR_UNINITIALIZED;
}

ze_result_t driver_end(const char *function, ze_result_t result)
{
    for (int i = 0; losing && i < emulated_machine.n_devices; i++) { /* it named none: all are */
        machine_lose_device(&machine_devices[i], (int)losing);
        result = losing;
    }
    losing = ZE_RESULT_SUCCESS;
    return (ze_result_t)machine_end(function + PREFIX, (int)result);
}

ze_result_t driver_unsupported(const char *function)
{
    const ze_result_t result = (ze_result_t)machine_begin(function);
    return (ze_result_t)machine_end(function, result ? (int)result
                                                     : (int)ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

/* -- objects -- */

static const char *const kind_names[] = {"driver", "device", "context", "list",  "pool",
                                         "event",  "module", "log",     "kernel"};

void *driver_create_object(enum ObjectKind kind, size_t size, Device *device)
{
    Object *object = calloc(1, size);
    object->magic = DRIVER_ALIVE;
    object->kind = kind;
    object->id = ++last_id;
    object->device = device;
    object->next = objects;
    objects = object;
    machine_note(" %s=%u", kind_names[kind], object->id);
    return object;
}

void driver_destroy_object(Object *object)
{
    object->magic = DRIVER_DEAD;
}

ze_result_t driver_give_back(void *handle, enum ObjectKind kind)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    Object *object = driver_find_lost(handle, kind, &result);
    if (!object)
        return result;
    driver_spoil(object);
    driver_destroy_object(object);
    return ZE_RESULT_SUCCESS;
}

void *driver_find_lost(const void *handle, enum ObjectKind kind, ze_result_t *result)
{
    Object *object = (Object *)(uintptr_t)handle;
    if (!object) {
        *result = ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        return NULL;
    }
    if (object->magic != DRIVER_ALIVE || object->kind != kind) {
        machine_complain("%s that %s is used", kind_names[kind],
                         object->magic == DRIVER_DEAD ? "was destroyed" : "is something else");
        *result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
        return NULL;
    }
    machine_note(" %s=%u", kind_names[kind], object->id);
    return object;
}

void *driver_find(const void *handle, enum ObjectKind kind, ze_result_t *result)
{
    Object *object = driver_find_lost(handle, kind, result);
    if (!object || !object->device)
        return object;
    if (losing) {
        machine_lose_device(object->device->state, (int)losing);
        losing = ZE_RESULT_SUCCESS;
    }
    *result = (ze_result_t)object->device->state->lost;
    return *result == ZE_RESULT_SUCCESS ? object : NULL;
}
