/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Contexts: those of applications, the primary one of each device, and each thread's stack. */
#include <stdlib.h>

#include "driver.h"
#include "driver_memory.h"
#include "driver_module.h"
#include "driver_stream.h"

enum { STACK_SIZE = 64 };

static _Thread_local CudaContext stack[STACK_SIZE];
static _Thread_local unsigned depth;

CudaContext driver_current(void)
{
    return depth ? stack[depth - 1] : NULL;
}

CudaResult driver_context_state(CudaContext context)
{
    return context->device->lost ? context->device->lost : context->broken;
}

void driver_break_context(CudaContext context, CudaResult result)
{
    if (!context->broken)
        context->broken = result;
    driver_drop_work(context);
}

CudaResult driver_lose(Device *device, CudaResult result)
{
    if (!device->lost)
        device->lost = result;
    for (CudaContext context = driver.contexts; context; context = context->next) {
        if (context->device == device)
            driver_break_context(context, result);
    }
    return device->lost;
}

static CudaContext create(Device *device, bool is_primary, unsigned flags)
{
    CudaContext context = calloc(1, sizeof(*context));
    context->magic = DRIVER_ALIVE;
    context->id = (unsigned)++driver.serial;
    context->device = device;
    context->is_primary = is_primary;
    context->flags = flags;
    context->next = driver.contexts;
    driver.contexts = context;
    context->legacy = driver_create_stream(context, 0, 0);
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
    driver_drop_memory(context);
    context->magic = DRIVER_DEAD;
    context->device->n_contexts--;
    if (context->device->primary == context)
        context->device->primary = NULL;
}

void driver_forget_contexts(void)
{
    for (CudaContext context = driver.contexts; context; context = context->next) {
        if (context->magic == DRIVER_ALIVE) {
            driver_drop_work(context);
            destroy(context);
        }
    }
    depth = 0;
}

/* What makes a context on a device impossible. */
static CudaResult check_device(const Device *device)
{
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    if (device->lost)
        return device->lost;
    if (device->machine->own[DEVICE_COMPUTE_MODE] == CUDA_COMPUTE_PROHIBITED)
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    if (device->machine->is_busy)
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

CudaResult cuCtxPushCurrent_v2(CudaContext pushed)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, push(pushed));
}

CudaResult cuCtxPopCurrent_v2(CudaContext *popped)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, pop(popped));
}

CudaResult cuCtxGetCurrent(CudaContext *current)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT,
                !current ? CUDA_ERROR_INVALID_VALUE : (*current = driver_current(), CUDA_SUCCESS));
}

static CudaResult set_current(CudaContext context)
{
    if (context && context->magic != DRIVER_ALIVE)
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (depth > 0)
        depth--;
    return context ? push(context) : CUDA_SUCCESS;
}

CudaResult cuCtxSetCurrent(CudaContext current)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, set_current(current));
}

/* -- contexts of applications -- */

static CudaResult create_current(CudaContext *created, unsigned flags, CudaDeviceHandle handle)
{
    Device *device = driver_device(handle);
    CudaResult result = created ? check_device(device) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS &&
        device->machine->own[DEVICE_COMPUTE_MODE] == CUDA_COMPUTE_EXCLUSIVE &&
        device->n_contexts > 0)
        result = CUDA_ERROR_DEVICE_UNAVAILABLE;
    if (result == CUDA_SUCCESS && depth == STACK_SIZE)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = push(*created = create(device, false, flags));
    return result;
}

CudaResult cuCtxCreate_v2(CudaContext *created, unsigned flags, CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, create_current(created, flags, device));
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

CudaResult cuCtxDestroy_v2(CudaContext destroyed)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, destroy_own(destroyed));
}

/* -- primary contexts -- */

static CudaResult retain(CudaContext *context, CudaDeviceHandle handle)
{
    Device *device = driver_device(handle);
    const CudaResult result = context ? check_device(device) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    if (!device->primary)
        device->primary = create(device, true, device->primary_flags);
    device->primary_users++;
    *context = device->primary;
    return CUDA_SUCCESS;
}

CudaResult cuDevicePrimaryCtxRetain(CudaContext *retained, CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, retain(retained, device));
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

CudaResult cuDevicePrimaryCtxRelease(CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, release(device));
}

CudaResult cuDevicePrimaryCtxRelease_v2(CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, release(device));
}

/* Everything in the context is gone, but it stays retained as often as it was. */
static CudaResult reset(CudaDeviceHandle handle)
{
    Device *device = driver_device(handle);
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    CudaContext context = device->primary;
    if (context) {
        driver_drop_work(context);
        driver_drop_modules(context);
        driver_drop_streams(context);
        driver_drop_memory(context);
        context->broken = CUDA_SUCCESS;
        context->legacy = driver_create_stream(context, 0, 0);
    }
    return CUDA_SUCCESS;
}

CudaResult cuDevicePrimaryCtxReset(CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, reset(device));
}

CudaResult cuDevicePrimaryCtxReset_v2(CudaDeviceHandle device)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, reset(device));
}

static CudaResult set_flags(CudaDeviceHandle handle, unsigned flags)
{
    Device *device = driver_device(handle);
    if (!device)
        return CUDA_ERROR_INVALID_DEVICE;
    device->primary_flags = flags;
    if (device->primary)
        device->primary->flags = flags;
    return CUDA_SUCCESS;
}

CudaResult cuDevicePrimaryCtxSetFlags(CudaDeviceHandle device, unsigned flags)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, set_flags(device, flags));
}

CudaResult cuDevicePrimaryCtxSetFlags_v2(CudaDeviceHandle device, unsigned flags)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, set_flags(device, flags));
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

CudaResult cuDevicePrimaryCtxGetState(CudaDeviceHandle device, unsigned *flags, int *active)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, get_state(device, flags, active));
}

/* -- the current one -- */

CudaResult cuCtxGetDevice(CudaDeviceHandle *device)
{
    DRIVER_CALL(DRIVER_NEEDS_CURRENT, !device ? CUDA_ERROR_INVALID_VALUE
                                              : (*device = context->device->ordinal, CUDA_SUCCESS));
}

CudaResult cuCtxGetFlags(unsigned *flags)
{
    DRIVER_CALL(DRIVER_NEEDS_CURRENT,
                !flags ? CUDA_ERROR_INVALID_VALUE : (*flags = context->flags, CUDA_SUCCESS));
}

CudaResult cuCtxGetApiVersion(CudaContext asked, unsigned *version)
{
    DRIVER_CALL(DRIVER_NEEDS_INIT, asked && asked->magic != DRIVER_ALIVE
                                       ? CUDA_ERROR_INVALID_CONTEXT
                                   : !version ? CUDA_ERROR_INVALID_VALUE
                                              : (*version = 3020, CUDA_SUCCESS));
}

CudaResult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    DRIVER_CALL(DRIVER_NEEDS_CURRENT, (least ? (void)(*least = 0) : (void)0,
                                       greatest ? (void)(*greatest = -5) : (void)0, CUDA_SUCCESS));
}

/* Limits of the stack, of printf and of the heap of kernels: none of them is used. */
CudaResult cuCtxSetLimit(int limit, size_t value)
{
    (void)value;
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT,
                limit < 0 || limit > 2 ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_SUCCESS);
}

CudaResult cuCtxGetLimit(size_t *value, int limit)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, limit < 0 || limit > 2 ? CUDA_ERROR_UNSUPPORTED_LIMIT
                                      : !value               ? CUDA_ERROR_INVALID_VALUE
                                                             : (*value = 1024, CUDA_SUCCESS));
}

CudaResult cuCtxSynchronize(void)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, driver_finish_context(context));
}
