/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What layers on drivers with numbers and handles share, on a driver that only counts. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "streams/driver_calls.h"
#include "support/cases.h"

enum { NOT_READY = 600, STREAM_SYNC = VMAF_BACKEND_SYNC_HIP_STREAM };

/* The driver: `fails` calls more, and one fails with `error`. */
static struct {
    int fails, error, notes;
    int streams, events, memory, pinned, registered, modules;
    unsigned flags;
    void *recorded, *on, *waited, *waiting; /* of the last record and the last wait */
} driver;

static VmafDriverResult call(void)
{
    return driver.fails && --driver.fails == 0 ? driver.error : 0;
}

/* An object that is counted; its value means nothing. */
static VmafDriverResult make(int *count, void **made)
{
    const VmafDriverResult result = call();
    if (result == 0) {
        *made = count;
        ++*count;
    }
    return result;
}

static VmafDriverResult drop(int *count, const void *dropped)
{
    assert_ptr_equal(dropped, count);
    --*count;
    return 0;
}

static VmafDriverResult stream_create(void **stream, unsigned flags)
{
    driver.flags = flags;
    return make(&driver.streams, stream);
}

static VmafDriverResult stream_destroy(void *stream)
{
    return drop(&driver.streams, stream);
}

static VmafDriverResult event_create(void **event, unsigned flags)
{
    driver.flags = flags;
    return make(&driver.events, event);
}

static VmafDriverResult event_destroy(void *event)
{
    return drop(&driver.events, event);
}

static VmafDriverResult event_record(void *event, void *stream)
{
    driver.recorded = event;
    driver.on = stream;
    return call();
}

static VmafDriverResult stream_wait_event(void *stream, void *event, unsigned flags)
{
    assert_int_equal(flags, 0);
    driver.waiting = stream;
    driver.waited = event;
    return call();
}

static VmafDriverResult event_query(void *event)
{
    return call();
}

static VmafDriverResult elapsed(float *milliseconds, void *begin, void *end)
{
    *milliseconds = (float)((const char *)end - (const char *)begin) * 0.5f;
    return call();
}

static VmafDriverResult host_alloc(void **memory, size_t bytes, unsigned flags)
{
    assert_int_equal(bytes, 4096);
    driver.flags = flags;
    return make(&driver.pinned, memory);
}

static VmafDriverResult host_free(void *memory)
{
    return drop(&driver.pinned, memory);
}

static VmafDriverResult host_register(void *memory, size_t bytes, unsigned flags)
{
    void *made;
    assert_ptr_equal(memory, &driver.registered);
    assert_int_equal(bytes, 4096);
    driver.flags = flags;
    return make(&driver.registered, &made);
}

static VmafDriverResult host_unregister(void *memory)
{
    return drop(&driver.registered, memory);
}

static VmafDriverResult get_device_pointer(uint64_t *address, void *memory, unsigned flags)
{
    *address = (uintptr_t)memory + 1;
    return call();
}

static VmafDriverResult mem_alloc(uint64_t *address, size_t bytes)
{
    void *made = NULL;
    assert_int_equal(bytes, 4096);
    const VmafDriverResult result = make(&driver.memory, &made);
    *address = (uintptr_t)made;
    return result;
}

static VmafDriverResult mem_free(uint64_t address)
{
    return drop(&driver.memory, (void *)(uintptr_t)address);
}

static VmafDriverResult module_load(void **module, const void *image)
{
    assert_string_equal(image, "code");
    return make(&driver.modules, module);
}

static VmafDriverResult module_unload(void *module)
{
    return drop(&driver.modules, module);
}

static VmafDriverResult get_function(void **function, void *module, const char *name)
{
    assert_string_equal(name, "kernel");
    *function = module;
    return call();
}

static VmafDriverResult launch(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z,
                               unsigned shared_bytes, void *stream, void **parameters, void **extra)
{
    const unsigned numbers[] = {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes};
    const unsigned expected[] = {3, 4, 5, 16, 8, 1, 0};
    assert_memory_equal(numbers, expected, sizeof(expected));
    assert_ptr_equal(function, &driver.modules);
    assert_ptr_equal(stream, &driver.streams);
    assert_null(extra);
    assert_int_equal(*(const uint64_t *)parameters[0], 1040);
    assert_int_equal(*(const uint64_t *)parameters[1], 2000);
    assert_int_equal(*(const uint64_t *)parameters[2], 77);
    return call();
}

static char failed[64]; /* what failed last */

static int done(VmafStreamDevice *device, VmafDriverResult result, const char *what)
{
    if (result == 0)
        return 0;
    snprintf(failed, sizeof(failed), "%s", what);
    return -result;
}

static VmafDriverResult note(VmafDriverResult result)
{
    driver.notes += result != 0;
    return result;
}

static VmafDriverResult synchronize(void *stream)
{
    driver.waiting = stream;
    return call();
}

static const VmafDriverCalls calls = {
    .prefix = "my",
    .not_ready = NOT_READY,
    .stream_sync = STREAM_SYNC,
    .stream_flags = 1,
    .order_flags = 2,
    .mapped_flags = 4,
    .done = done,
    .note = note,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_synchronize = synchronize,
    .stream_wait_event = stream_wait_event,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_query = event_query,
    .event_elapsed_time = elapsed,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .host_register = host_register,
    .host_unregister = host_unregister,
    .host_get_device_pointer = get_device_pointer,
    .mem_alloc = mem_alloc,
    .mem_free = mem_free,
    .module_load_data = module_load,
    .module_unload = module_unload,
    .module_get_function = get_function,
    .launch_kernel = launch,
};
static const VmafStreamApi api = {.driver = &calls};
static VmafStreamDevice device = {.api = &api};

static int reset(void **state)
{
    memset(&driver, 0, sizeof(driver));
    device.head.info.caps.unified_memory = false;
    failed[0] = '\0';
    return 0;
}

#define ON_NEW_DRIVER(test) CASE_WITH(test, reset, NULL)

static void fail_at(int call_number, int error)
{
    driver.fails = call_number;
    driver.error = error;
}

static void assert_nothing_left(void)
{
    assert_int_equal(driver.streams | driver.events | driver.memory | driver.pinned |
                         driver.registered | driver.modules,
                     0);
}

/* -- memory -- */

ON_NEW_DRIVER(given_kinds_of_memory_each_is_made_and_given_back)
{
    static const enum VmafDeviceMemory kinds[] = {VMAF_MEMORY_DEVICE, VMAF_MEMORY_UPLOAD,
                                                  VMAF_MEMORY_UPLOAD};
    for (int unified = 0; unified < 2; unified++) {
        device.head.info.caps.unified_memory = unified;
        for (int k = 0; k < 3; k++) {
            VmafStreamBuffer buffer = {.head = {.memory = kinds[k], .size = 4096}, .wraps = k == 2};
            const VmafDeviceBufferParams params = {.memory = kinds[k],
                                                   .size = 4096,
                                                   .host_memory =
                                                       k == 2 ? &driver.registered : NULL};
            assert_int_equal(vmaf_driver_memory_create(&device, &buffer, &params), 0);
            assert_int_equal(driver.memory, k == 0);
            assert_int_equal(driver.pinned, k == 1);
            assert_int_equal(driver.registered, k == 2);
            assert_int_equal(buffer.head.address, k == 0 ? (uintptr_t)&driver.memory : 0);
            assert_int_equal(vmaf_driver_copy_address(&buffer),
                             k == 0 ? buffer.address : (uintptr_t)buffer.head.mapped);
            if (k) {
                assert_int_equal(driver.flags, unified ? 4 : 0);
                assert_int_equal(buffer.address, unified ? (uintptr_t)buffer.head.mapped + 1 : 0);
            }
            vmaf_driver_memory_destroy(&device, &buffer);
            assert_nothing_left();
        }
    }
}

ON_NEW_DRIVER(given_a_failure_at_any_call_no_memory_is_left)
{
    device.head.info.caps.unified_memory = true;
    for (int k = 0; k < 3; k++) {
        for (int at = 1; at <= (k ? 2 : 1); at++) {
            const enum VmafDeviceMemory kind = k ? VMAF_MEMORY_UPLOAD : VMAF_MEMORY_DEVICE;
            VmafStreamBuffer buffer = {.head = {.memory = kind, .size = 4096}, .wraps = k == 2};
            const VmafDeviceBufferParams params = {
                .memory = kind, .size = 4096, .host_memory = k == 2 ? &driver.registered : NULL};
            fail_at(at, ENOMEM);
            assert_int_equal(vmaf_driver_memory_create(&device, &buffer, &params), -ENOMEM);
            assert_nothing_left();
            assert_string_equal(failed, at == 2  ? "myHostGetDevicePointer"
                                        : k == 0 ? "myMemAlloc"
                                        : k == 1 ? "myHostAlloc"
                                                 : "myHostRegister");
        }
    }
}

/* -- streams and events -- */

ON_NEW_DRIVER(given_a_stream_it_never_waits_for_the_default_one)
{
    void *stream, *event;
    for (int at = 1; at <= 2; at++) {
        fail_at(at, EIO);
        assert_int_equal(vmaf_driver_stream_create(&device, &stream), -EIO);
        assert_nothing_left();
    }
    assert_int_equal(vmaf_driver_stream_create(&device, &stream), 0);
    assert_ptr_equal(vmaf_driver_stream(stream), &driver.streams);
    assert_int_equal(driver.flags, 2); /* of its event */
    driver.waiting = NULL;
    vmaf_driver_stream_settle(&device, stream);
    assert_ptr_equal(driver.waiting, &driver.streams);
    assert_int_equal(vmaf_driver_event_create(&device, VMAF_STREAM_EVENT_TIME, &event), 0);
    assert_int_equal(driver.flags, 0);
    assert_int_equal(vmaf_driver_event_record(&device, event, stream), 0);
    assert_ptr_equal(driver.on, &driver.streams);
    assert_int_equal(vmaf_driver_stream_wait(&device, stream, event), 0);
    assert_ptr_equal(driver.waited, event);
    fail_at(1, NOT_READY);
    assert_int_equal(vmaf_driver_event_query(&device, event), -EAGAIN);
    assert_int_equal(driver.notes, 1);
    fail_at(1, ENODEV);
    assert_int_equal(vmaf_driver_event_query(&device, event), -ENODEV);
    assert_string_equal(failed, "myEventQuery");
    assert_int_equal(vmaf_driver_event_query(&device, event), 0);
    vmaf_driver_event_destroy(&device, event);
    vmaf_driver_stream_destroy(&device, stream);
    assert_nothing_left();
}

ON_NEW_DRIVER(given_events_times_are_those_since_the_first)
{
    char places[8];
    void *const events[] = {&places[2], &places[5], &places[0]};
    uint64_t times[3];
    assert_int_equal(vmaf_driver_event_times(&device, events, times, 3), 0);
    assert_int_equal(times[0], 0);
    assert_int_equal(times[1], 1500000);
    assert_int_equal(times[2], 0); /* earlier: cannot be */
    fail_at(2, EIO);
    assert_int_equal(vmaf_driver_event_times(&device, events, times, 3), -EIO);
}

ON_NEW_DRIVER(given_streams_and_events_of_the_application_they_are_joined)
{
    void *stream;
    int theirs, copied;
    VmafBackendSync sync = {.kind = STREAM_SYNC, .handle = (uintptr_t)&theirs};
    assert_int_equal(vmaf_driver_stream_create(&device, &stream), 0);
    assert_int_equal(vmaf_driver_sync_wait(&device, stream, &sync), 0);
    assert_ptr_equal(driver.on, &theirs);
    assert_ptr_equal(driver.waited, driver.recorded);
    assert_ptr_equal(driver.waiting, &driver.streams);
    assert_int_equal(vmaf_driver_sync_signal(&device, stream, &sync, &copied), 0);
    assert_ptr_equal(driver.waiting, &theirs);
    assert_ptr_equal(driver.waited, &copied);
    fail_at(1, EIO);
    assert_int_equal(vmaf_driver_sync_wait(&device, stream, &sync), -EIO);
    sync.kind = VMAF_BACKEND_SYNC_HIP_EVENT;
    assert_int_equal(vmaf_driver_sync_wait(&device, stream, &sync), 0);
    assert_ptr_equal(driver.waited, &theirs);
    assert_ptr_equal(driver.waiting, &driver.streams);
    assert_int_equal(vmaf_driver_sync_signal(&device, stream, &sync, &copied), 0);
    assert_ptr_equal(driver.recorded, &theirs);
    assert_ptr_equal(driver.on, &driver.streams);
    /* 2 is an event like others, but no stream: that of this thread, and not of the program's. */
    sync.handle = 2;
    assert_int_equal(vmaf_driver_sync_wait(&device, stream, &sync), 0);
    sync.kind = STREAM_SYNC;
    assert_int_equal(vmaf_driver_sync_wait(&device, stream, &sync), -EINVAL);
    assert_int_equal(vmaf_driver_sync_signal(&device, stream, &sync, &copied), -EINVAL);
    vmaf_driver_stream_destroy(&device, stream);
}

/* -- kernels -- */

ON_NEW_DRIVER(given_a_kernel_it_is_loaded_launched_and_unloaded)
{
    const VmafKernel source = {.name = "kernel", .lanes = {16, 8}, .n_buffers = 2, .args_size = 8};
    const VmafKernelCode code = {.code = "code"};
    const VmafStreamBuffer first = {.address = 1000}, second = {.address = 2000};
    VmafDriverKernel kernel = {.base = {.head = {.kernel = &source}}};
    void *stream;
    fail_at(2, EIO);
    assert_int_equal(vmaf_driver_load_code(&calls, &kernel, &source, &code), EIO);
    assert_nothing_left();
    assert_int_equal(vmaf_driver_load_code(&calls, &kernel, &source, &code), 0);
    assert_int_equal(vmaf_driver_stream_create(&device, &stream), 0);
    const VmafStreamDispatch dispatch = {.kernel = &kernel.base,
                                         .bindings = {{&first, 40, 0}, {&second, 0, 0}},
                                         .args = {77},
                                         .groups = {3, 4, 5}};
    assert_int_equal(vmaf_driver_dispatch(&device, stream, &dispatch), 0);
    fail_at(1, ENODEV);
    assert_int_equal(vmaf_driver_dispatch(&device, stream, &dispatch), -ENODEV);
    assert_string_equal(failed, "kernel");
    vmaf_driver_stream_destroy(&device, stream);
    vmaf_driver_kernel_unload(&device, &kernel.base);
    assert_nothing_left();
}
