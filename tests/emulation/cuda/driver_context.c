/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What surrounds every call; contexts: those of applications, the primary ones, stacks of threads.
 */
#include "driver.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Driver driver;

void driver_set_up(void)
{
    for (int i = 0; i < emulated_machine.n_devices; i++)
        driver.devices[i] = (Device){.state = &machine_devices[i], .ordinal = i};
}

int driver_lose_current(int error)
{
    CudaContext current = driver_current();
    return machine_lose_device(current ? current->device->state : &machine_devices[0], error);
}

static CudaResult check_needs(enum DriverNeeds needs, CudaContext *context)
{
    if (needs >= DRIVER_NEEDS_INIT && !driver.is_initialized)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (needs < DRIVER_NEEDS_CURRENT)
        return CUDA_SUCCESS;
    *context = driver_current();
    if (!*context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if ((*context)->magic != DRIVER_ALIVE)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return needs == DRIVER_NEEDS_CONTEXT ? driver_context_state(*context) : CUDA_SUCCESS;
}

CudaResult driver_begin(const char *function, enum DriverNeeds needs, CudaContext *context)
{
    const CudaResult result = machine_begin(function);
    return result == CUDA_SUCCESS ? check_needs(needs, context) : result;
}

bool driver_is_alive(const void *object, const char *name)
{
    const unsigned *magic = object;
    if (magic && *magic == DRIVER_ALIVE)
        return true;
    machine_complain("%s that %s is used", name, magic ? "was destroyed" : "is none");
    return false;
}

/* -- contexts -- */

enum { STACK_SIZE = 64 };

static _Thread_local CudaContext stack[STACK_SIZE];
static _Thread_local unsigned depth;

CudaContext driver_current(void)
{
    return depth ? stack[depth - 1] : NULL;
}

CudaResult driver_context_state(CudaContext context)
{
    return context->device->state->lost ? context->device->state->lost : context->broken;
}

void driver_break_context(CudaContext context, CudaResult result)
{
    if (!context->broken)
        context->broken = result;
    driver_drop_work(context);
}

void driver_drop_device(DeviceState *device)
{
    for (CudaContext context = driver.contexts; context; context = context->next) {
        if (context->device->state == device)
            driver_break_context(context, device->lost);
    }
}

static CudaContext create(Device *device, bool is_primary)
{
    CudaContext context = calloc(1, sizeof(*context));
    context->magic = DRIVER_ALIVE;
    context->id = (unsigned)++driver.serial;
    context->device = device;
    context->is_primary = is_primary;
    context->next = driver.contexts;
    driver.contexts = context;
    context->legacy = driver_create_stream(context, 0);
    device->n_contexts++;
    return context;
}

static void destroy(CudaContext context)
{
    if (context->magic != DRIVER_ALIVE)
        return;
    driver_drop_work(context);
    driver_drop_modules(context);
    driver_drop_streams(context);
    guarded_free_all(context);
    context->magic = DRIVER_DEAD;
    context->device->n_contexts--;
    if (context->device->primary == context)
        context->device->primary = NULL;
}

void driver_forget(void)
{
    for (CudaContext context = driver.contexts; context; context = context->next) {
        if (context->magic == DRIVER_ALIVE) {
            driver_drop_work(context);
            destroy(context);
        }
    }
    depth = 0;
    driver.is_initialized = false;
    driver.runs = 0;
}

/* What makes a context on a device impossible. */
static CudaResult check_device(const Device *device)
{
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (device->state->lost)
        return device->state->lost;
    if (device->state->machine->own[DEVICE_COMPUTE_MODE] == CUDA_COMPUTE_PROHIBITED)
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    if (device->state->machine->is_busy)
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    return CUDA_SUCCESS;
}

/* -- the stack -- */

static CudaResult push(CudaContext context)
{
    if (!context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (context->magic == DRIVER_DEAD)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (context->magic != DRIVER_ALIVE)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (depth == STACK_SIZE)
        return CUDA_ERROR_INVALID_VALUE;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

static CudaResult pop(CudaContext *context)
{
    if (depth == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (context)
        *context = stack[depth];
    return CUDA_SUCCESS;
}

static CudaResult get_current(CudaContext *current)
{
    if (!current)
        return CUDA_ERROR_INVALID_VALUE;
    *current = driver_current();
    return CUDA_SUCCESS;
}

static CudaResult set_current(CudaContext context)
{
    if (context && context->magic != DRIVER_ALIVE)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (depth > 0)
        depth--;
    return context ? push(context) : CUDA_SUCCESS;
}

/* -- contexts of applications -- */

static CudaResult create_current(CudaContext *created, unsigned flags, CudaDeviceHandle handle)
{
    (void)flags;
    Device *device = driver_device(handle);
    CudaResult result = created ? check_device(device) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS &&
        device->state->machine->own[DEVICE_COMPUTE_MODE] == CUDA_COMPUTE_EXCLUSIVE &&
        device->n_contexts > 0)
        result = CUDA_ERROR_DEVICE_UNAVAILABLE;
    if (result == CUDA_SUCCESS && depth == STACK_SIZE)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = push(*created = create(device, false));
    return result;
}

static CudaResult destroy_own(CudaContext context)
{
    if (!context || context->magic != DRIVER_ALIVE || context->is_primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    destroy(context);
    if (driver_current() == context)
        depth--;
    return CUDA_SUCCESS;
}

/* -- primary contexts -- */

static CudaResult retain(CudaContext *context, CudaDeviceHandle handle)
{
    Device *device = driver_device(handle);
    const CudaResult result = context ? check_device(device) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    if (!device->primary)
        device->primary = create(device, true);
    device->primary_users++;
    *context = device->primary;
    return CUDA_SUCCESS;
}

static CudaResult release(CudaDeviceHandle handle)
{
    Device *device = driver_device(handle);
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (device->primary_users == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (--device->primary_users == 0)
        destroy(device->primary);
    return CUDA_SUCCESS;
}

/* FFmpeg sets flags before the context is active, and asks for them. */
static CudaResult set_flags(CudaDeviceHandle handle, unsigned flags)
{
    Device *device = driver_device(handle);
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    device->primary_flags = flags;
    return CUDA_SUCCESS;
}

static CudaResult get_state(CudaDeviceHandle handle, unsigned *flags, int *active)
{
    const Device *device = driver_device(handle);
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (!flags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = device->primary_flags;
    *active = device->primary != NULL;
    return CUDA_SUCCESS;
}

/* -- the current one -- */

static CudaResult get_device(CudaContext context, CudaDeviceHandle *device)
{
    if (!device)
        return CUDA_ERROR_INVALID_VALUE;
    *device = context->device->ordinal;
    return CUDA_SUCCESS;
}

CUDA_CONTEXT_FUNCTIONS(DRIVER_DEFINE)

/* -- the driver itself, and what its devices are -- */

static CudaResult initialize(unsigned flags)
{
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (machine_why[0])
        return CUDA_ERROR_UNKNOWN;
    if (emulated_machine.own[DRIVER_IS_MISMATCHED])
        return CUDA_ERROR_SYSTEM_DRIVER_MISMATCH;
    if (emulated_machine.has_no_device || emulated_machine.n_devices == 0)
        return CUDA_ERROR_NO_DEVICE;
    driver.is_initialized = true;
    return CUDA_SUCCESS;
}

static CudaResult get_version(int *version)
{
    if (!version)
        return CUDA_ERROR_INVALID_VALUE;
    *version = emulated_machine.driver;
    return CUDA_SUCCESS;
}

Device *driver_device(CudaDeviceHandle handle)
{
    return handle >= 0 && handle < emulated_machine.n_devices ? &driver.devices[handle] : NULL;
}

static CudaResult get_count(int *count)
{
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = emulated_machine.n_devices;
    return CUDA_SUCCESS;
}

/* What the calls of one device begin with. */
static CudaResult check(const void *result, CudaDeviceHandle device)
{
    return !result                  ? CUDA_ERROR_INVALID_VALUE
           : !driver_device(device) ? CUDA_ERROR_INVALID_DEVICE
                                    : CUDA_SUCCESS;
}

static CudaResult get(CudaDeviceHandle *device, int ordinal)
{
    const CudaResult result = check(device, ordinal);
    if (result == CUDA_SUCCESS)
        *device = ordinal;
    return result;
}

static CudaResult get_name(char *name, int size, CudaDeviceHandle device)
{
    const CudaResult result = size <= 0 ? CUDA_ERROR_INVALID_VALUE : check(name, device);
    if (result == CUDA_SUCCESS)
        snprintf(name, (size_t)size, "%s", driver.devices[device].state->machine->name);
    return result;
}

static CudaResult get_uuid(CudaUuid *uuid, CudaDeviceHandle device)
{
    const CudaResult result = check(uuid, device);
    if (result == CUDA_SUCCESS)
        memcpy(uuid->bytes, driver.devices[device].state->machine->uuid, sizeof(uuid->bytes));
    return result;
}

static CudaResult get_bus_id(char *id, int size, CudaDeviceHandle device)
{
    const CudaResult result = size <= 12 ? CUDA_ERROR_INVALID_VALUE : check(id, device);
    if (result == CUDA_SUCCESS) {
        const MachineDevice *machine = driver.devices[device].state->machine;
        snprintf(id, (size_t)size, "%04X:%02X:%02X.0", machine->pci_domain, machine->pci_bus,
                 machine->pci_device);
    }
    return result;
}

static CudaResult get_memory(size_t *bytes, CudaDeviceHandle device)
{
    const CudaResult result = check(bytes, device);
    if (result == CUDA_SUCCESS)
        *bytes = driver.devices[device].state->machine->memory;
    return result;
}

static CudaResult get_attribute(int *value, int attribute, CudaDeviceHandle handle)
{
    const CudaResult result = check(value, handle);
    if (result != CUDA_SUCCESS)
        return result;
    const MachineDevice *machine = driver.devices[handle].state->machine;
    const struct {
        int attribute, value;
    } known[] = {
        {1, 1024},     /* lanes of a group */
        {2, 1024},     /* ... in x */
        {5, INT_MAX},  /* groups by axis */
        {6, 65535},    /* */
        {7, 65535},    /* */
        {8, 49152},    /* group memory */
        {10, 32},      /* lanes of a warp */
        {11, INT_MAX}, /* pitch */
        {14, 512},     /* alignment of textures */
        {16, machine->multiprocessors},
        {18, machine->is_integrated},
        {19, 1}, /* host memory can be mapped */
        {20, machine->own[DEVICE_COMPUTE_MODE]},
        {33, (int)machine->pci_bus},
        {34, (int)machine->pci_device},
        {40, machine->copy_engines},
        {41, 1}, /* unified addressing */
        {50, (int)machine->pci_domain},
        {75, machine->own[DEVICE_CAPABILITY] / 10},
        {76, machine->own[DEVICE_CAPABILITY] % 10},
        {99, 1}, /* host memory can be registered */
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return CUDA_SUCCESS;
        }
    }
    if (attribute < 1 || attribute > 120)
        return CUDA_ERROR_INVALID_VALUE;
    *value = 0; /* nobody asks for it here */
    return CUDA_SUCCESS;
}

CUDA_DEVICE_FUNCTIONS(DRIVER_DEFINE)

/* -- errors -- */

CudaResult cuGetErrorName(CudaResult result, const char **name)
{
    const MachineError *error = machine_error(result);
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    *name = error ? error->name : NULL;
    return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CudaResult cuGetErrorString(CudaResult result, const char **text)
{
    const MachineError *error = machine_error(result);
    if (!text)
        return CUDA_ERROR_INVALID_VALUE;
    *text = error ? error->text : NULL;
    return error ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
