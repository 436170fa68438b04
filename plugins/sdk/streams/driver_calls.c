/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* A stream that never waits for the default one, on which applications work, unless sync_wait is
 * called. */
typedef struct DriverStream {
    void *handle;
    void *arrived; /* event on an application's stream, after all work there at a submission */
} DriverStream;

static const VmafDriverCalls *calls_of(const VmafStreamDevice *device)
{
    return device->api->driver;
}

/* The same for a function by its name without the prefix. */
static int done(VmafStreamDevice *device, VmafDriverResult result, const char *function)
{
    const VmafDriverCalls *calls = calls_of(device);
    char what[64];
    if (result == 0)
        return 0;
    snprintf(what, sizeof(what), "%s%s", calls->prefix, function);
    return calls->done(device, result, what);
}

static void ignore(const VmafDriverCalls *calls, VmafDriverResult result)
{
    if (calls->note)
        calls->note(result);
}

/* -- memory -- */

/* Stores the host's and the device's address of host memory. */
static int map(VmafStreamDevice *device, VmafStreamBuffer *buffer, void *host_memory)
{
    const VmafDriverCalls *calls = calls_of(device);
    const bool bound = device->head.info.caps.unified_memory;
    const unsigned flags = bound ? calls->mapped_flags : 0;
    int err;
    if (host_memory)
        err = done(device, calls->host_register(host_memory, buffer->head.size, flags),
                   "HostRegister");
    else
        err = done(device, calls->host_alloc(&host_memory, buffer->head.size, flags), "HostAlloc");
    if (err)
        return err;
    buffer->head.mapped = host_memory;
    if (bound)
        err = done(device, calls->host_get_device_pointer(&buffer->address, host_memory, 0),
                   "HostGetDevicePointer");
    return err;
}

static int allocate(VmafStreamDevice *device, VmafStreamBuffer *buffer)
{
    uint64_t address = 0;
    const int err =
        done(device, calls_of(device)->mem_alloc(&address, buffer->head.size), "MemAlloc");
    buffer->address = buffer->head.address = err ? 0 : address;
    return err;
}

int vmaf_driver_memory_create(VmafStreamDevice *device, VmafStreamBuffer *buffer,
                              const VmafDeviceBufferParams *params)
{
    const int err = params->memory == VMAF_MEMORY_DEVICE ? allocate(device, buffer)
                                                         : map(device, buffer, params->host_memory);
    if (err)
        vmaf_driver_memory_destroy(device, buffer);
    return err;
}

void vmaf_driver_memory_destroy(VmafStreamDevice *device, VmafStreamBuffer *buffer)
{
    const VmafDriverCalls *calls = calls_of(device);
    if (buffer->head.memory == VMAF_MEMORY_DEVICE) {
        if (buffer->address)
            ignore(calls, calls->mem_free(buffer->address));
    } else if (buffer->head.mapped) {
        ignore(calls, buffer->wraps ? calls->host_unregister(buffer->head.mapped)
                                    : calls->host_free(buffer->head.mapped));
    }
}

uint64_t vmaf_driver_copy_address(const VmafStreamBuffer *buffer)
{
    return buffer->head.memory == VMAF_MEMORY_DEVICE ? buffer->address
                                                     : (uintptr_t)buffer->head.mapped;
}

/* -- kernels -- */

VmafDriverResult vmaf_driver_load_code(const VmafDriverCalls *calls, VmafDriverKernel *kernel,
                                       const VmafKernel *source, const VmafKernelCode *code)
{
    VmafDriverResult result = calls->module_load_data(&kernel->module, code->code);
    ignore(calls, result);
    if (result != 0)
        return result;
    result = calls->module_get_function(&kernel->function, kernel->module, source->name);
    ignore(calls, result);
    if (result != 0)
        ignore(calls, calls->module_unload(kernel->module));
    return result;
}

void vmaf_driver_kernel_unload(VmafStreamDevice *device, VmafStreamKernel *kernel)
{
    const VmafDriverCalls *calls = calls_of(device);
    const VmafDriverKernel *loaded = (VmafDriverKernel *)kernel;
    ignore(calls, calls->module_unload(loaded->module));
    free(loaded->image);
}

void vmaf_driver_parameters(const VmafStreamDispatch *dispatch, VmafDriverParameters *parameters)
{
    const uint32_t n = dispatch->kernel->head.kernel->n_buffers;
    /* Drivers only read the parameters, but take pointers that are not const. */
    const union {
        const void *from;
        void *to;
    } args = {.from = dispatch->args};
    for (uint32_t slot = 0; slot < n; slot++) {
        parameters->addresses[slot] = vmaf_stream_address(&dispatch->bindings[slot]);
        parameters->list[slot] = &parameters->addresses[slot];
    }
    parameters->list[n] = args.to;
}

int vmaf_driver_dispatch(VmafStreamDevice *device, void *stream, const VmafStreamDispatch *dispatch)
{
    const VmafDriverCalls *calls = calls_of(device);
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    const uint32_t *groups = dispatch->groups;
    VmafDriverParameters parameters;
    vmaf_driver_parameters(dispatch, &parameters);
    const VmafDriverResult result =
        calls->launch_kernel(((const VmafDriverKernel *)dispatch->kernel)->function, groups[0],
                             groups[1], groups[2], kernel->lanes[0], kernel->lanes[1], 1, 0,
                             vmaf_driver_stream(stream), parameters.list, NULL);
    return calls->done(device, result, kernel->name);
}

/* -- streams -- */

void *vmaf_driver_stream(void *stream)
{
    return ((DriverStream *)stream)->handle;
}

int vmaf_driver_stream_create(VmafStreamDevice *device, void **created)
{
    const VmafDriverCalls *calls = calls_of(device);
    DriverStream *stream = calloc(1, sizeof(*stream));
    if (!stream)
        return vmaf_stream_fail(device, -ENOMEM, "out of memory (a stream)");
    int err =
        done(device, calls->stream_create(&stream->handle, calls->stream_flags), "StreamCreate");
    if (!err)
        err =
            done(device, calls->event_create(&stream->arrived, calls->order_flags), "EventCreate");
    if (err) {
        vmaf_driver_stream_destroy(device, stream);
        return err;
    }
    *created = stream;
    return 0;
}

void vmaf_driver_stream_destroy(VmafStreamDevice *device, void *destroyed)
{
    const VmafDriverCalls *calls = calls_of(device);
    DriverStream *stream = destroyed;
    if (stream->arrived)
        ignore(calls, calls->event_destroy(stream->arrived));
    if (stream->handle)
        ignore(calls, calls->stream_destroy(stream->handle));
    free(stream);
}

void vmaf_driver_stream_settle(VmafStreamDevice *device, void *stream)
{
    const VmafDriverCalls *calls = calls_of(device);
    ignore(calls, calls->stream_synchronize(vmaf_driver_stream(stream)));
}

int vmaf_driver_stream_wait(VmafStreamDevice *device, void *stream, void *event)
{
    return done(device, calls_of(device)->stream_wait_event(vmaf_driver_stream(stream), event, 0),
                "StreamWaitEvent");
}

/* -- events -- */

int vmaf_driver_event_create(VmafStreamDevice *device, enum VmafStreamEventKind kind, void **event)
{
    const VmafDriverCalls *calls = calls_of(device);
    const unsigned flags = kind == VMAF_STREAM_EVENT_TIME ? 0 : calls->order_flags;
    return done(device, calls->event_create(event, flags), "EventCreate");
}

void vmaf_driver_event_destroy(VmafStreamDevice *device, void *event)
{
    ignore(calls_of(device), calls_of(device)->event_destroy(event));
}

int vmaf_driver_event_record(VmafStreamDevice *device, void *event, void *stream)
{
    return done(device, calls_of(device)->event_record(event, vmaf_driver_stream(stream)),
                "EventRecord");
}

int vmaf_driver_event_query(VmafStreamDevice *device, void *event)
{
    const VmafDriverCalls *calls = calls_of(device);
    const VmafDriverResult result = calls->event_query(event);
    ignore(calls, result);
    return result == calls->not_ready ? -EAGAIN : done(device, result, "EventQuery");
}

/* Times since the first event: these drivers count in binary32, whose steps grow with the time. */
int vmaf_driver_event_times(VmafStreamDevice *device, void *const *events, uint64_t *times_ns,
                            uint32_t count)
{
    VmafDriverResult result = 0;
    for (uint32_t i = 0; i < count && result == 0; i++) {
        float milliseconds = 0.0f;
        result = calls_of(device)->event_elapsed_time(&milliseconds, events[0], events[i]);
        times_ns[i] = milliseconds > 0.0f ? (uint64_t)((double)milliseconds * 1e6) : 0;
    }
    return done(device, result, "EventElapsedTime");
}

/* -- work of the application -- */

static void *handle_of(const VmafBackendSync *sync)
{
    return (void *)(uintptr_t)sync->handle; /* NOLINT(performance-no-int-to-ptr) */
}

/* The drivers' handle of the calling thread's default stream; here that is another thread. */
enum { STREAM_PER_THREAD = 2 };

static int check_stream(VmafStreamDevice *device, const VmafBackendSync *sync)
{
    if (sync->kind == calls_of(device)->stream_sync && sync->handle == STREAM_PER_THREAD)
        return vmaf_stream_fail(device, -EINVAL,
                                "the default stream of a thread means another one here: record an "
                                "event, and name that");
    return 0;
}

int vmaf_driver_sync_wait(VmafStreamDevice *device, void *waiting, const VmafBackendSync *sync)
{
    const VmafDriverCalls *calls = calls_of(device);
    const DriverStream *stream = waiting;
    void *event = handle_of(sync);
    const int err = check_stream(device, sync);
    if (err)
        return err;
    if (sync->kind == calls->stream_sync) {
        event = stream->arrived;
        const VmafDriverResult result = calls->event_record(event, handle_of(sync));
        if (result != 0)
            return calls->done(device, result, "an event on the application's stream");
    }
    return calls->done(device, calls->stream_wait_event(stream->handle, event, 0),
                       "waiting for the application");
}

int vmaf_driver_sync_signal(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync,
                            void *copied)
{
    const VmafDriverCalls *calls = calls_of(device);
    VmafDriverResult result;
    const int err = check_stream(device, sync);
    if (err)
        return err;
    if (sync->kind == calls->stream_sync)
        result = calls->stream_wait_event(handle_of(sync), copied, 0);
    else
        result = calls->event_record(handle_of(sync), vmaf_driver_stream(stream));
    return calls->done(device, result, "a signal to the application");
}
